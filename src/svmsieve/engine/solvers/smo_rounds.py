"""Rounds of sequential minimal optimisation on the variables that may still move.

Most variables come to a bound early and stay there.  A round takes some steps on the rows that are left,
leaves out those whose variables F holds to their bounds, and goes on with the others, whose kernel matrix is
copied: it is small and stays in the cache, and a step on m of n rows costs O(m).  Once these are at their
optimum, what was left out is looked at again.

Where steps of two variables have taken as long as it would, the free variables of a round go to their common
minimum at once (:mod:`svmsieve.engine.solvers.free_step`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.solvers.free_step import free_step, steps_worth
from svmsieve.engine.solvers.smo_steps import smo_steps
from svmsieve.runtime.compiled import compiled, inner

_NO_GAIN = 1e-14  # of the objective's terms: below it there is nothing but their rounding


class Rhythm(NamedTuple):
    """When rounds leave rows out and take free steps; any rhythm leads to the same optimum."""

    steps_a_row: float = 0.25
    """Steps of a round for each of its rows."""
    fewest_steps: int = 20
    shrinking: float = 0.8
    """Share of the rows below which copying their matrix pays."""
    patience: float = 0.5
    """Steps before a free step, in those that take as long; infinite: there is none."""


class Progress(NamedTuple):
    """Steps taken, max_up F and min_low F, the least objective and the steps since it last fell."""

    n_steps: int
    f_max: float
    f_min: float
    best: float
    idle: int


@inner()
def _may_move(
    s: FloatArray,
    w: FloatArray,
    C: FloatArray,
    a: FloatArray,
    u: FloatArray,
    f_max: float,
    f_min: float,
) -> IntArray:
    """Return the rows with a variable that is free, or at a bound it may still want to leave."""
    n = u.shape[0]
    rows = np.empty(n, np.intp)
    m = 0
    for k in range(n):
        may = False
        for t in range(k, s.shape[0], n):
            f = -u[k] - w[t]
            above = a[t] > 0.0
            below = a[t] < C[t]
            positive = s[t] > 0.0
            up = below if positive else above
            down = above if positive else below
            may = may or (up and down) or (up and f >= f_min) or (down and f <= f_max)
        if may:
            rows[m] = k
            m += 1
    return rows[:m]


@inner()
def _objective(s: FloatArray, w: FloatArray, a: FloatArray, u: FloatArray) -> tuple[float, float]:
    """Return the objective and the sum of its terms' sizes."""
    n = u.shape[0]
    total = 0.0
    size = 0.0
    for t in range(s.shape[0]):
        term = s[t] * a[t] * (w[t] + 0.5 * u[t % n])
        total += term
        size += abs(term)
    return total, size


@inner()
def _entries(values: FloatArray, rows: IntArray, n: int) -> FloatArray:
    """Return the entries of some rows, of each block of n."""
    m = rows.shape[0]
    out = np.empty(values.shape[0] // n * m)
    for t in range(out.shape[0]):
        out[t] = values[t // m * n + rows[t % m]]
    return out


@inner()
def _square(K: FloatArray, rows: IntArray) -> FloatArray:
    m = rows.shape[0]
    out = np.empty((m, m))
    for p in range(m):
        source = K[rows[p]]
        target = out[p]
        for q in range(m):
            target[q] = source[rows[q]]
    return out


@inner()
def _free_step_if_due(
    K: FloatArray,
    s: FloatArray,
    w: FloatArray,
    C: FloatArray,
    a: FloatArray,
    u: FloatArray,
    since: int,
    patience: float,
) -> bool:
    """Take a free step if the steps since the last one took as long; return whether there was one."""
    free = np.empty(s.shape[0], np.intp)
    m = 0
    for t in range(s.shape[0]):
        if 0.0 < a[t] < C[t]:
            free[m] = t
            m += 1
    if since < patience * steps_worth(m, K.shape[0]):
        return False
    return free_step(K, s, w, C, a, u, free[:m])


@inner()
def _solve_rows(
    K: FloatArray,
    diagonal: FloatArray,
    s: FloatArray,
    w: FloatArray,
    C: FloatArray,
    a: FloatArray,
    u: FloatArray,
    tol: float,
    max_steps: int,
    rhythm: Rhythm,
    rows: IntArray,
) -> int:
    """Solve for the variables of some rows, the others fixed, in place; return the steps taken."""
    n = K.shape[0]
    before = a.copy()
    K_part = _square(K, rows)
    s_part, w_part, C_part = _entries(s, rows, n), _entries(w, rows, n), _entries(C, rows, n)
    a_part, u_part, d_part = _entries(a, rows, n), u[rows], diagonal[rows]
    n_steps = since = 0
    while True:
        m = rows.shape[0]
        most = max(rhythm.fewest_steps, int(rhythm.steps_a_row * m))
        taken, f_max, f_min = smo_steps(
            K_part,
            d_part,
            s_part,
            w_part,
            C_part,
            a_part,
            u_part,
            tol,
            min(most, max_steps - n_steps),
        )
        n_steps += taken
        since += taken
        for t in range(a_part.shape[0]):
            a[t // m * n + rows[t % m]] = a_part[t]
        if not f_max - f_min >= tol or n_steps >= max_steps:
            break
        if _free_step_if_due(
            K_part, s_part, w_part, C_part, a_part, u_part, since, rhythm.patience
        ):
            since = 0
            continue
        left = _may_move(s_part, w_part, C_part, a_part, u_part, f_max, f_min)
        if left.shape[0] <= rhythm.shrinking * m:
            K_part, rows = _square(K_part, left), rows[left]
            s_part, w_part = _entries(s_part, left, m), _entries(w_part, left, m)
            C_part, a_part = _entries(C_part, left, m), _entries(a_part, left, m)
            u_part, d_part = u_part[left], d_part[left]
    for k in range(n):
        change = 0.0
        for t in range(k, s.shape[0], n):
            change += s[t] * (a[t] - before[t])
        if change != 0.0:
            row = K[k]
            for j in range(n):
                u[j] += change * row[j]
    return n_steps


@compiled()
def smo_rounds(
    K: FloatArray,
    diagonal: FloatArray,
    s: FloatArray,
    w: FloatArray,
    C: FloatArray,
    a: FloatArray,
    u: FloatArray,
    tol: float,
    max_steps: int,
    last: Progress,
    most_idle: int,
    rhythm: Rhythm,
) -> Progress:
    """Take at most ``max_steps`` steps in place, or until the objective stays as it is for ``most_idle``."""
    n = K.shape[0]
    best, idle = last.best, last.idle
    n_steps = since = judged = 0
    burst = max(rhythm.fewest_steps, int(rhythm.steps_a_row * n))
    while True:
        taken, f_max, f_min = smo_steps(
            K, diagonal, s, w, C, a, u, tol, min(burst, max_steps - n_steps)
        )
        n_steps += taken
        since += taken
        if not f_max - f_min >= tol or n_steps >= max_steps:
            break
        objective, size = _objective(s, w, a, u)
        idle = 0 if objective < best - _NO_GAIN * size else idle + n_steps - judged
        judged = n_steps
        best = min(best, objective)
        if idle >= most_idle:
            break
        rows = _may_move(s, w, C, a, u, f_max, f_min)
        if rows.shape[0] <= rhythm.shrinking * n:
            most = min(max_steps - n_steps, max(1, most_idle // 4))
            n_steps += _solve_rows(K, diagonal, s, w, C, a, u, tol, most, rhythm, rows)
            since = 0
        elif _free_step_if_due(K, s, w, C, a, u, since, rhythm.patience):
            since = 0
    return Progress(n_steps, f_max, f_min, best, idle)
