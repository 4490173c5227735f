"""Checks for those who write criteria of their own."""

from svmsieve.testing.check import check_criterion

__all__ = ["check_criterion"]
