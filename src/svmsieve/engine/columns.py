"""Facts about single columns, for dense and sparse matrices alike."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.utils.sparsefuncs import min_max_axis

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix, dense_columns
from svmsieve.runtime.compiled import compiled

_BLOCK = 1024
_FIRST_ROWS = 16


def column_range(X: Matrix) -> tuple[FloatArray, FloatArray]:
    """Return the smallest and the largest value of each column."""
    if sp.issparse(X):
        lower, upper = min_max_axis(X, axis=0)
        return np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
    return X.min(axis=0), X.max(axis=0)


@compiled()
def _count_distinct(block: FloatArray, most: IntArray, seen: FloatArray, counts: IntArray) -> None:
    for i in range(block.shape[1]):
        n_seen = 0
        for k in range(block.shape[0]):
            value = block[k, i]
            known = False
            for s in range(n_seen):
                if seen[s] == value:
                    known = True
                    break
            if not known:
                if n_seen == most[i]:
                    n_seen += 1
                    break
                seen[n_seen] = value
                n_seen += 1
        counts[i] = n_seen


def count_distinct(X: Matrix, most: int | IntArray, columns: IntArray | None = None) -> IntArray:
    """Return the number of distinct values of each (or the given) column, ``most + 1`` if there are more.

    ``most`` may differ between the columns; the smaller, the sooner a column is done.
    """
    columns = np.arange(X.shape[1]) if columns is None else columns
    limits = np.array(np.broadcast_to(most, len(columns)), dtype=np.intp)
    counts = np.zeros(len(columns), dtype=np.intp)
    # Most columns show more values than they may in a few rows; the others are looked at whole.
    for rows in (X[:_FIRST_ROWS], X):
        open_ones = np.flatnonzero(counts <= limits)
        for start in range(0, len(open_ones), _BLOCK):
            part = open_ones[start : start + _BLOCK]
            found = np.empty(len(part), dtype=np.intp)
            seen = np.empty(limits[part].max())
            _count_distinct(dense_columns(rows, columns[part]), limits[part], seen, found)
            counts[part] = found
    return counts
