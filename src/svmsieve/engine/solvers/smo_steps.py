"""The steps of sequential minimal optimisation (:mod:`svmsieve.engine.solvers.smo`).

Working set: second order (Fan, Chen & Lin 2005, WSS 2).  With ``u = K(s∘a)``,
``w = s∘p``, ``F = −u − w``, the first index maximises F over the variables that can go up, the second
one the decrease of the objective; the solver stops when the largest violation
``max_up F − min_low F`` is below ``tol``.  A step costs O(n).
"""

from __future__ import annotations

import numpy as np

from svmsieve.engine.arrays import FloatArray
from svmsieve.runtime.compiled import compiled, inner

TINY = 1e-12


@inner()
def _set_ways(
    t: int,
    f: float,
    s: FloatArray,
    C: FloatArray,
    a: FloatArray,
    rise: FloatArray,
    fall: FloatArray,
) -> None:
    """Write F_t where s_t a_t can go up and −F_t where it can go down, −∞ where it cannot."""
    above = a[t] > 0.0
    below = a[t] < C[t]
    positive = s[t] > 0.0
    rise[t] = f if (below if positive else above) else -np.inf
    fall[t] = -f if (above if positive else below) else -np.inf


@inner(fastmath={"nsz", "nnan"})
def largest(values: FloatArray) -> float:
    """The maximum, in four lanes: a single one is not vectorised."""
    n = values.shape[0] - values.shape[0] % 4
    m0 = m1 = m2 = m3 = -np.inf
    for t in range(0, n, 4):
        m0 = max(m0, values[t])
        m1 = max(m1, values[t + 1])
        m2 = max(m2, values[t + 2])
        m3 = max(m3, values[t + 3])
    for t in range(n, values.shape[0]):
        m0 = max(m0, values[t])
    return max(max(m0, m1), max(m2, m3))


@inner()
def where(values: FloatArray, value: float) -> int:
    """The first place of a value."""
    for t in range(values.shape[0]):
        if values[t] == value:
            return t
    return -1


@inner(fastmath={"contract", "nsz", "nnan"})
def _set_gains(
    f_max: float,
    k_ii: float,
    row: FloatArray,
    diagonal: FloatArray,
    fall: FloatArray,
    gains: FloatArray,
) -> None:
    """Write the decrease of the objective that each second index would bring."""
    n = row.shape[0]
    for first in range(0, fall.shape[0], n):
        fall_b = fall[first : first + n]
        gains_b = gains[first : first + n]
        for t in range(n):
            gap = f_max + fall_b[t]  # exactly 0 for the first index, whose curvature is 0 too
            gap = gap if gap > 0.0 else 0.0
            curvature = k_ii + diagonal[t] - 2.0 * row[t]
            curvature = curvature if curvature > TINY else TINY
            gains_b[t] = gap * gap / curvature


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
    n = u.shape[0]
    for t in range(n):
        change = delta * (row_i[t] - row_j[t])
        u[t] += change
        rise[t] -= change
        fall[t] += change
    if rise.shape[0] > n:
        rise_b = rise[n:]
        fall_b = fall[n:]
        for t in range(n):
            change = delta * (row_i[t] - row_j[t])
            rise_b[t] -= change
            fall_b[t] += change


@compiled(fastmath={"contract", "nsz"})
def smo_steps(
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
    rise = np.empty(s.shape[0])
    fall = np.empty(s.shape[0])
    gains = np.empty(s.shape[0])
    for t in range(s.shape[0]):
        _set_ways(t, -u[t % n] - w[t], s, C, a, rise, fall)
    step = 0
    while True:
        f_max = largest(rise)
        f_min = -largest(fall)
        if not f_max - f_min >= tol or step >= max_steps:
            return step, f_max, f_min
        step += 1
        i = where(rise, f_max)
        i_row = i if i < n else i - n
        row_i = K[i_row]
        _set_gains(f_max, diagonal[i_row], row_i, diagonal, fall, gains)
        j = where(gains, largest(gains))
        j_row = j if j < n else j - n
        row_j = K[j_row]

        # The step along the line that keeps s'a, cut at the box.
        curvature = max(diagonal[i_row] + diagonal[j_row] - 2.0 * row_i[j_row], TINY)
        delta = (f_max + fall[j]) / curvature
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
        f_j = -fall[j]
        _set_ways(i, f_max, s, C, a, rise, fall)
        _set_ways(j, f_j, s, C, a, rise, fall)
        _move(delta, row_i, row_j, u, rise, fall)
