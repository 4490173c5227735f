"""Diagonals of inverses, in threads: LAPACK routines that run without the interpreter's lock.

scipy's own wrappers of these routines hold the lock, so that threads would wait for each other.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np
from numba.extending import get_cython_function_address

from svmsieve.engine.arrays import FloatArray
from svmsieve.runtime.compiled import compiled

_Size = ctypes.POINTER(ctypes.c_int)


def _routine(name: str, *types: Any) -> Any:
    address = get_cython_function_address("scipy.linalg.cython_lapack", name)
    return ctypes.CFUNCTYPE(None, *types)(address)


_POTRF = _routine("dpotrf", ctypes.c_char_p, _Size, ctypes.c_void_p, _Size, _Size)
_TRTRI = _routine("dtrtri", ctypes.c_char_p, ctypes.c_char_p, _Size, ctypes.c_void_p, _Size, _Size)


class InverseSums(NamedTuple):
    """The diagonal and the row sums of an inverse matrix."""

    diagonal: FloatArray
    row_sums: FloatArray


@compiled(fastmath={"contract", "reassoc"})
def _sums_of_factor(U: FloatArray, diagonal: FloatArray, row_sums: FloatArray) -> None:
    """``A⁻¹ = UU'`` with the upper triangle U: its diagonal and its row sums."""
    m = U.shape[0]
    columns = np.zeros(m)
    for p in range(m):
        total = 0.0
        for k in range(p, m):
            columns[k] += U[p, k]
            total += U[p, k] * U[p, k]
        diagonal[p] = total
    for p in range(m):
        total = 0.0
        for k in range(p, m):
            total += U[p, k] * columns[k]
        row_sums[p] = total


def inverse_sums(A: FloatArray) -> InverseSums | None:
    """Return diagonal and row sums of A⁻¹, A positive definite and overwritten; None if it is not.

    A Cholesky factor and its inverse, ⅔ m³ operations.
    """
    m, info = ctypes.c_int(len(A)), ctypes.c_int(0)
    data = A.ctypes.data
    # In LAPACK's order of columns the lower triangle is the upper one here.
    _POTRF(b"L", m, data, m, info)
    if info.value == 0:
        _TRTRI(b"L", b"N", m, data, m, info)
    if info.value != 0:
        return None
    sums = InverseSums(np.empty(len(A)), np.empty(len(A)))
    _sums_of_factor(A, *sums)
    return sums
