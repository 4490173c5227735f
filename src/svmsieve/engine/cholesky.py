"""Solve a positive definite system inside compiled code.

``np.linalg.solve`` inside a compiled function costs six seconds of compilation, and a call from outside
holds the interpreter during the millions of small solves of the retrained criteria.  Blocks of 64 columns
make the large systems a sequence of BLAS products.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.compiled import inner

_BLOCK = 64
_STRIPE = 256


@inner(fastmath={"reassoc", "contract", "nsz"})
def _factor_columns(A: FloatArray, first: int, last: int) -> None:
    """Factor the diagonal block and solve for the panel below it; earlier columns are done."""
    for i in range(first, A.shape[0]):
        row = A[i, first:last]
        for j in range(min(i + 1, last) - first):
            other = A[first + j, first:last]
            value = row[j]
            for k in range(j):
                value -= row[k] * other[k]
            if first + j < i:
                row[j] = value / other[j]
            else:
                # Rounding may eat the pivot of a nearly singular matrix; the data set its scale.
                row[j] = np.sqrt(max(value, 1e-16 * abs(row[j]), 1e-300))


@inner()
def _update_rest(A: FloatArray, first: int, last: int) -> None:
    """Subtract the panel's product with itself from the columns that are not factored yet."""
    m = A.shape[0] - last
    panel = np.empty((m, last - first))
    for i in range(m):
        for k in range(last - first):
            panel[i, k] = A[last + i, first + k]
    for start in range(0, m, _STRIPE):
        stop = min(start + _STRIPE, m)
        product = np.dot(panel[start:stop], panel[:stop].T)
        for i in range(stop - start):
            row = A[last + start + i, last : last + stop]
            for k in range(stop):
                row[k] -= product[i, k]


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"})
def solve_positive_definite(A: FloatArray, B: FloatArray) -> None:
    """Overwrite the rows of ``B`` (r × m) by the solutions of A x = b, and A's lower triangle."""
    m = A.shape[0]
    for first in range(0, m, _BLOCK):
        last = min(first + _BLOCK, m)
        _factor_columns(A, first, last)
        if last < m:
            _update_rest(A, first, last)
    for r in range(B.shape[0]):
        x = B[r]
        for i in range(m):
            row = A[i]
            value = x[i]
            for k in range(i):
                value -= row[k] * x[k]
            x[i] = value / row[i]
        for i in range(m - 1, -1, -1):
            row = A[i]
            value = x[i] / row[i]
            x[i] = value
            for k in range(i):
                x[k] -= row[k] * value
