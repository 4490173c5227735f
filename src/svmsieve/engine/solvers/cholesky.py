"""Factorise a positive definite matrix, or solve its system, inside compiled code, by LAPACK.

``np.linalg.solve`` inside a compiled function costs six seconds of compilation, and a call from outside
holds the interpreter during the millions of small solves of the retrained criteria.  scipy exports the
routine for compiled code to call; under a name of ours the linker finds it again in a cached function.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numba import types
from numba.core import config
from numba.core.typing import signature
from numba.extending import get_cython_function_address
from scipy.linalg import lapack

from svmsieve.engine.arrays import FloatArray
from svmsieve.runtime.compiled import compiled

_UPPER = ord("U")  # the lower triangle, for LAPACK, which goes by columns; its first byte counts


def _routine(name: str, n_arguments: int) -> Any:
    """A routine of LAPACK for compiled code to call."""
    own_name = f"svmsieve_{name}"
    llvm.add_symbol(own_name, get_cython_function_address("scipy.linalg.cython_lapack", name))
    return types.ExternalFunction(own_name, signature(types.void, *[types.voidptr] * n_arguments))


_dposv = _routine("dposv", 8)
_dpotrf = _routine("dpotrf", 5)


def _factorised_interpreted(A: FloatArray) -> bool:
    """What :func:`factorise` does where nothing is compiled."""
    factor, info = lapack.dpotrf(A, lower=1, clean=0)
    A[...] = factor
    return bool(info == 0)


@compiled()
def factorise(A: FloatArray) -> bool:
    """Overwrite A's lower triangle by L of A = LL'; False, and of no use, if A is not positive definite."""
    sizes = np.empty(3, np.int32)
    triangle, order, info = sizes[:1], sizes[1:2], sizes[2:]
    sizes[0] = _UPPER
    sizes[1] = A.shape[0]
    sizes[2] = 0
    _dpotrf(triangle.ctypes, order.ctypes, A.ctypes, order.ctypes, info.ctypes)
    return sizes[2] == 0


def _interpreted(A: FloatArray, B: FloatArray) -> bool:
    """The same where nothing is compiled."""
    if len(A) == 0:
        return True
    solution, info = lapack.dposv(A, B.T, lower=1)[1:]
    B[...] = solution.T
    return bool(info == 0)


@compiled()
def solve_positive_definite(A: FloatArray, B: FloatArray) -> bool:
    """Overwrite the rows of ``B`` (r × m) by the solutions of A x = b, and A's lower triangle.

    False if rounding made a pivot negative; then neither is of use.
    """
    sizes = np.empty(4, np.int32)
    triangle, order, n_sides, info = sizes[:1], sizes[1:2], sizes[2:3], sizes[3:]
    sizes[0] = _UPPER
    sizes[1] = A.shape[0]
    sizes[2] = B.shape[0]
    sizes[3] = 0
    if sizes[1] == 0:
        return True
    _dposv(
        triangle.ctypes,
        order.ctypes,
        n_sides.ctypes,
        A.ctypes,
        order.ctypes,
        B.ctypes,
        order.ctypes,
        info.ctypes,
    )
    return sizes[3] == 0


if getattr(config, "DISABLE_JIT"):  # noqa: B009  numba sets it at run time
    solve_positive_definite = _interpreted
    factorise = _factorised_interpreted
