"""Measurements beside others' programs (README.md).

A package with a file of its own: some wheels bring a folder ``benchmarks``, which would be found instead.
"""
