"""A vectorised exponential: the one transcendental function of the hot loops.

``exp(v) = 2^q · exp(r)`` with ``q = round(v / ln 2)`` and ``|r| ≤ ln 2 / 2``; ``exp(r)`` is its Taylor
polynomial of degree 12 (remainder below 2e-16) and ``2^q`` is written into the exponent bits.  The
loop vectorises, which makes it several times faster than a libm call per element.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import config
from numba.extending import intrinsic

from svmsieve.engine.arrays import FloatArray
from svmsieve.runtime.compiled import compiled, inner

_LOG2_E = 1.4426950408889634
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_ROUND = 6755399441055744.0  # 1.5 · 2^52: adding it leaves the rounded integer in the low bits
_PIECE = 4096  # values that stay in the cache between two loops over them


def _compiled_power(context: Any, shifted: Any) -> Any:
    """2^q of q + ``_ROUND``: q stands in the low bits and goes to the exponent's."""

    def write(_: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bits = builder.bitcast(arguments[0], ir.IntType(64))
        exponent = builder.shl(bits, ir.IntType(64)(52))
        return builder.bitcast(builder.add(exponent, ir.IntType(64)(1023 << 52)), ir.DoubleType())

    return types.float64(types.float64), write


def _interpreted_power(shifted: float) -> float:
    """The same where nothing is compiled."""
    return float(np.ldexp(1.0, int(shifted - _ROUND)))


_compiles = not getattr(config, "DISABLE_JIT")  # noqa: B009  numba sets it at run time
_power_of_two: Any = intrinsic(_compiled_power) if _compiles else _interpreted_power


@inner(fastmath={"contract"})
def _exponentials(values: FloatArray, minus: float) -> None:
    """Replace each value by ``exp(v) − minus = 2^q (exp(r) − 1) + (2^q − minus)``."""
    for k in range(values.shape[0]):
        v = values[k]
        v = v if v > -708.0 else -708.0
        shifted = v * _LOG2_E + _ROUND
        q = shifted - _ROUND
        r = (v - q * _LN2_HIGH) - q * _LN2_LOW
        e = 2.08767569878681e-09
        e = e * r + 2.505210838544172e-08
        e = e * r + 2.755731922398589e-07
        e = e * r + 2.755731922398589e-06
        e = e * r + 2.48015873015873e-05
        e = e * r + 1.984126984126984e-04
        e = e * r + 1.3888888888888889e-03
        e = e * r + 8.333333333333333e-03
        e = e * r + 4.1666666666666664e-02
        e = e * r + 1.6666666666666666e-01
        e = e * r + 0.5
        e = e * r + 1.0
        power = _power_of_two(shifted)
        values[k] = e * r * power + (power - minus)


@compiled()
def exp_in_place(values: FloatArray) -> None:
    """Replace each of the finite ``values`` ≤ 700 by its exponential; below −708 the result is ~0."""
    _exponentials(values, 0.0)


@compiled()
def expm1_in_place(values: FloatArray) -> None:
    """Replace each of the finite ``values`` ≤ 700 by ``exp(v) − 1``, without cancellation near zero."""
    _exponentials(values, 1.0)


@compiled()
def rbf_values(distances: FloatArray, gamma: float, out: FloatArray) -> None:
    """Write ``exp(−γ D)``; a matrix comes as one vector, for the rows may be short."""
    for start in range(0, out.shape[0], _PIECE):
        part = out[start : start + _PIECE]
        for k in range(part.shape[0]):
            part[k] = -gamma * distances[start + k]
        _exponentials(part, 0.0)


@compiled()
def fourth_powers(values: FloatArray) -> None:
    """Replace each value by its fourth power: those of an RBF kernel become those of four times its γ."""
    for k in range(values.shape[0]):
        square = values[k] * values[k]
        values[k] = square * square
