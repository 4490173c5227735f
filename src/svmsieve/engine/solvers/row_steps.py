"""Steps of sequential minimal optimisation by rows of the kernel matrix.

As :mod:`svmsieve.engine.solvers.smo_steps`, but of two variables that share a row, those of an ε-SVR's
sample, only the one that gains more by going up, and the one that does by going down, are looked at: a step
costs half as much.
"""

from __future__ import annotations

import numpy as np

from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.solvers.smo_steps import TINY, largest, where
from svmsieve.runtime.compiled import compiled, inner


@inner()
def _set_ways(
    k: int,
    value: float,
    own: float,
    s: FloatArray,
    w: FloatArray,
    C: FloatArray,
    a: FloatArray,
    rise: FloatArray,
    fall: FloatArray,
) -> None:
    """Write the largest F of row k's variables that can go up, and the largest −F of those that can go down.

    −∞ where there is none; ``value`` is F of a variable of the row whose w is ``own``.
    """
    n = rise.shape[0]
    rise[k] = -np.inf
    fall[k] = -np.inf
    for t in range(k, s.shape[0], n):
        above = a[t] > 0.0
        below = a[t] < C[t]
        positive = s[t] > 0.0
        f = value + (own - w[t])
        if below if positive else above:
            rise[k] = max(rise[k], f)
        if above if positive else below:
            fall[k] = max(fall[k], -f)


@inner()
def _which(
    k: int,
    up: bool,
    s: FloatArray,
    w: FloatArray,
    C: FloatArray,
    a: FloatArray,
    n: int,
) -> int:
    """Return the variable of row k that goes up (or down): of two that can, the one that gains more."""
    if s.shape[0] == n:
        return k
    chosen = k
    best = -np.inf
    for t in range(k, s.shape[0], n):
        grows = (s[t] > 0.0) == up
        gain = -w[t] if up else w[t]
        if (a[t] < C[t] if grows else a[t] > 0.0) and gain > best:
            best = gain
            chosen = t
    return chosen


@inner(fastmath={"contract", "nsz", "nnan"})
def _set_gains(
    f_max: float,
    k_ii: float,
    row: FloatArray,
    diagonal: FloatArray,
    fall: FloatArray,
    gains: FloatArray,
) -> None:
    """Write the decrease of the objective that each second row would bring."""
    for t in range(row.shape[0]):
        gap = f_max + fall[t]  # exactly 0 for the first row, whose curvature is 0 too
        gap = gap if gap > 0.0 else 0.0
        curvature = k_ii + diagonal[t] - 2.0 * row[t]
        curvature = curvature if curvature > TINY else TINY
        gains[t] = gap * gap / curvature


@inner()  # no contraction: rise and −fall stay equal
def _move(
    delta: float,
    row_i: FloatArray,
    row_j: FloatArray,
    u: FloatArray,
    rise: FloatArray,
    fall: FloatArray,
) -> None:
    """Change u and F as a step of size ``delta`` does."""
    for t in range(u.shape[0]):
        change = delta * (row_i[t] - row_j[t])
        u[t] += change
        rise[t] -= change
        fall[t] += change


@compiled(fastmath={"contract", "nsz"})
def row_steps(
    K: FloatArray,
    diagonal: FloatArray,
    s: FloatArray,
    w: FloatArray,
    C: FloatArray,
    a: FloatArray,
    u: FloatArray,
    tol: float,
    max_steps: int,
) -> tuple[int, float, float]:
    """Take at most ``max_steps`` steps in place; return their number, max_up F and min_low F."""
    n = K.shape[0]
    rise = np.empty(n)
    fall = np.empty(n)
    gains = np.empty(n)
    for k in range(n):
        _set_ways(k, -u[k], 0.0, s, w, C, a, rise, fall)
    step = 0
    while True:
        f_max = largest(rise)
        f_min = -largest(fall)
        if not f_max - f_min >= tol or step >= max_steps:
            return step, f_max, f_min
        step += 1
        i_row = where(rise, f_max)
        row_i = K[i_row]
        _set_gains(f_max, diagonal[i_row], row_i, diagonal, fall, gains)
        j_row = where(gains, largest(gains))
        row_j = K[j_row]
        i = _which(i_row, True, s, w, C, a, n)
        j = _which(j_row, False, s, w, C, a, n)

        # The step along the line that keeps s'a, cut at the box.
        curvature = max(diagonal[i_row] + diagonal[j_row] - 2.0 * row_i[j_row], TINY)
        delta = (f_max + fall[j_row]) / curvature
        room_i = C[i] - a[i] if s[i] > 0.0 else a[i]
        room_j = a[j] if s[j] > 0.0 else C[j] - a[j]
        delta = min(delta, room_i, room_j)
        if delta == room_i:
            a[i] = C[i] if s[i] > 0.0 else 0.0
        else:
            a[i] += s[i] * delta
        if delta == room_j:
            a[j] = 0.0 if s[j] > 0.0 else C[j]
        else:
            a[j] -= s[j] * delta
        f_j = -fall[j_row]
        _set_ways(i_row, f_max, w[i], s, w, C, a, rise, fall)
        _set_ways(j_row, f_j, w[j], s, w, C, a, rise, fall)
        _move(delta, row_i, row_j, u, rise, fall)
