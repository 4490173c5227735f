"""Samples that are equal, and coefficients added up over them.

Equal samples with opposite labels have coefficients that cancel, exactly.  Sums over the samples one by one
would keep the rounding of what cancels, which may be more than all that is left.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix
from svmsieve.runtime.compiled import compiled


@compiled()
def _projections(X: FloatArray, direction: FloatArray, out: FloatArray) -> None:
    """``<x, v>`` of each row, added up in the same order: equal rows get equal numbers."""
    for j in range(X.shape[0]):
        row = X[j]
        total = 0.0
        for i in range(row.shape[0]):
            total += row[i] * direction[i]
        out[j] = total


def first_equal(X: Matrix) -> IntArray | None:
    """Return for each row the index of the first row equal to it, None where no two are; O(n d)."""
    n, d = X.shape
    direction = np.random.default_rng(0).uniform(1.0, 2.0, size=d)
    if sp.issparse(X):
        values = np.asarray(X @ direction).ravel()
    else:
        values = np.empty(n)
        _projections(X, direction, values)
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    candidates = np.flatnonzero(ordered[1:] == ordered[:-1])
    if len(candidates) == 0:
        return None
    one, other = X[order[candidates]], X[order[candidates + 1]]
    differ = np.asarray((one != other).sum(axis=1)).ravel() > 0
    is_new = np.ones(n, dtype=np.bool_)
    is_new[candidates + 1] = differ
    starts = np.maximum.accumulate(np.where(is_new, np.arange(n), 0))
    first = np.empty(n, dtype=np.intp)
    first[order] = order[starts]
    return first


def net_coefficients(coef: FloatArray, equals: IntArray) -> FloatArray:
    """Return coefficients added up over equal samples, at the first of them; zero at the others."""
    _, where, which = np.unique(equals, return_index=True, return_inverse=True)
    net = np.zeros_like(coef)
    net[where] = np.bincount(which, weights=coef)
    return net
