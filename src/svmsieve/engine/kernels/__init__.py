"""Kernels, and Gram matrices over an active set of features."""
