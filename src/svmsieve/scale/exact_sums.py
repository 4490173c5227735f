"""Sums over rows that do not depend on where the rows are cut: twice the digits of double precision.

A machine's system may be far worse conditioned than its answer deserves, so that the last digit of a sum,
which the order of adding up decides, moves the machine by a thousand times as much.  Here a sum is kept as
two numbers, ``high + low``.  Summands are split (Ozaki, Ogita, Oishi & Rump 2012), ``A = A₁ + A₂ + A₃``, with
so few digits in the first two that BLAS adds up ``A₁'A₁`` and ``A₁'A₂`` without any rounding, while what
is left is so small that its own rounding is far beyond the last digit of the whole.  Seven times the
operations of a product whose last digits are left to chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from svmsieve.engine.arrays import FloatArray
from svmsieve.runtime.compiled import compiled
from svmsieve.runtime.threads import in_threads

_PART = 256
"""Columns of a matrix of cross products that one thread computes at a time."""
_DIGITS = 53
"""Binary digits of double precision."""
_LEAST = -900
"""Exponent of the smallest unit: finer ones would be no numbers."""


@dataclass(frozen=True)
class Exact:
    """An array of sums, each ``high + low`` with ``high`` the number of double precision nearest to it."""

    high: FloatArray
    low: FloatArray

    @classmethod
    def zeros(cls, *shape: int) -> Exact:
        """Return sums of nothing."""
        return cls(np.zeros(shape), np.zeros(shape))

    @classmethod
    def stacked(cls, sums: Sequence[Exact]) -> Exact:
        """Return several of the same shape along a new first axis."""
        return cls(np.stack([each.high for each in sums]), np.stack([each.low for each in sums]))

    def __add__(self, other: Exact) -> Exact:
        return Exact(*_added(self.high, self.low, other.high, other.low))

    def __getitem__(self, place: int) -> Exact:
        return Exact(self.high[place], self.low[place])

    def add_at(self, place: int | tuple[int, ...], other: Exact, sign: float = 1.0) -> None:
        """Add to one of the sums, in place."""
        self.high[place], self.low[place] = _added(
            self.high[place], self.low[place], sign * other.high, sign * other.low
        )


def _added(
    high: FloatArray, low: FloatArray, other_high: FloatArray, other_low: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Add two sums: what rounding loses of the high parts (Knuth 1969) goes to the low one."""
    total = high + other_high
    moved = total - high
    rest = (high - (total - moved)) + (other_high - moved) + (low + other_low)
    new = total + rest
    return new, rest - (new - total)


@compiled()
def _split_rows(A: FloatArray, unit: FloatArray, digits: int, parts: FloatArray) -> None:
    """Write what adds up to A: multiples of the columns' units, of 2^−digits times these, the rest."""
    finer = 0.5**digits
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            value, own = A[i, j], unit[j]
            few = np.rint(value / own) * own
            value -= few
            own *= finer
            more = np.rint(value / own) * own
            parts[0, i, j] = few
            parts[1, i, j] = more
            parts[2, i, j] = value - more


def _split(A: FloatArray, digits: int) -> FloatArray:
    """Return ``A₁ + A₂ + A₃ = A`` without rounding: some digits of a column, as many more, the rest."""
    largest = np.maximum(A.max(axis=0, initial=0.0), -A.min(axis=0, initial=0.0))
    _, exponents = np.frexp(largest)
    parts = np.empty((3, *A.shape))
    _split_rows(
        np.ascontiguousarray(A),
        np.ldexp(1.0, np.maximum(exponents - digits, _LEAST)),
        digits,
        parts,
    )
    return parts


def _digits_of_factors(n: int) -> int:
    """Digits of two factors so that ``n`` of their products add up without rounding."""
    return (_DIGITS - n.bit_length()) // 2 - 1


def cross_products(S: FloatArray, weight: FloatArray) -> tuple[Exact, Exact]:
    """Return ``S'S``, the upper half in parts of fixed shape, in threads, mirrored, and ``weight @ S``.

    O(n r²).
    """
    n, r = S.shape
    digits = _digits_of_factors(n)
    few, more, rest = parts = _split(S, digits)
    high, middle, low = np.zeros((r, r)), np.zeros((r, r)), np.zeros((r, r))
    between = 0.5 * more + rest

    def compute(start: int) -> None:
        stop = min(start + _PART, r)
        here = slice(start, stop)
        high[:stop, here] = few[:, :stop].T @ few[:, here]
        np.matmul(few.T, more[:, here], out=middle[:, here])
        np.matmul(few.T, rest[:, here], out=low[:, here])
        low[:, here] += more.T @ between[:, here]

    in_threads(compute, range(0, r, _PART), 7.0 * n * r * r)
    lower = np.tril_indices(r, -1)
    high[lower] = high.T[lower]
    return _joined(high, middle + middle.T, low + low.T), _weighted(weight, parts, digits)


def weighted_rows(weight: FloatArray, A: FloatArray) -> Exact:
    """Return ``weight @ A``, O(n r)."""
    digits = _digits_of_factors(len(A))
    return _weighted(weight, _split(A, digits), digits)


def _weighted(weight: FloatArray, parts: FloatArray, digits: int) -> Exact:
    """Return ``weight @ A`` of an array that is split already."""
    few, more, rest = _split(weight[:, None], digits)[..., 0]
    few_A, more_A, rest_A = parts
    low = few @ rest_A + more @ (more_A + rest_A) + rest @ (few_A + more_A)
    return _joined(few @ few_A, few @ more_A + more @ few_A, low)


def total(values: FloatArray) -> Exact:
    """Return the sum of all values."""
    digits = _DIGITS - 1 - len(values).bit_length()
    few, more, rest = _split(values[:, None], digits)[..., 0].sum(axis=1)
    return _joined(*(np.asarray(each) for each in (few, more, rest)))


def _joined(high: FloatArray, middle: FloatArray, low: FloatArray) -> Exact:
    nothing = np.zeros_like(high)
    return Exact(*_added(*_added(high, nothing, middle, nothing), low, nothing))
