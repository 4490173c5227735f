"""The quadratic programme of :mod:`svmsieve.engine.solvers.smo` in one compiled call, to a coarse optimum.

For machines that are judged by the thousand and thrown away.  A round takes some steps of two variables and
then leaves out the rows whose variables F holds to their bounds: the kernel matrix of the others is copied,
is small and stays in the cache, and a step on m of n rows costs O(m).  Once these are at their optimum, what
was left out is looked at again.  Where steps of two variables have taken as long as it would, the free
variables go to their common minimum at once (:mod:`svmsieve.engine.solvers.free_step`).

The machines that rank, that users get and that the papers' tables are made of are those of ``solve_qp``: both
end within their tolerance of the same optimum, but not at the same digits.
"""

from __future__ import annotations

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.solvers.cholesky import factorise
from svmsieve.engine.solvers.free_step import RIDGE, add_to, descend
from svmsieve.engine.solvers.row_steps import row_steps
from svmsieve.runtime.compiled import compiled, inner

_STEPS_A_ROW = 0.25
_FEWEST_STEPS = 20
_WORTH_SHRINKING = 0.8  # share of the rows below which copying their matrix pays
_PATIENCE = 0.5  # steps before a free step, in those that take as long
_NO_GAIN = 1e-14  # of the objective's terms: below it there is nothing but their rounding
_MOST_IDLE = 10_000  # steps without a gain


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
def square(K: FloatArray, rows: IntArray) -> FloatArray:
    """Return the rows and columns of some samples."""
    m = rows.shape[0]
    out = np.empty((m, m))
    for p in range(m):
        source = K[rows[p]]
        target = out[p]
        for q in range(m):
            target[q] = source[rows[q]]
    return out


@inner()
def _free_step(
    K: FloatArray,
    s: FloatArray,
    w: FloatArray,
    C: FloatArray,
    a: FloatArray,
    u: FloatArray,
    free: IntArray,
) -> bool:
    """What :func:`svmsieve.engine.solvers.free_step.free_step` does, without the interpreter."""
    n, m = K.shape[0], free.shape[0]
    if m < 2:
        return False
    K_free = np.empty((m, m))
    F, start, lower, upper = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    trace = mean = 0.0
    for p in range(m):
        t = free[p]
        row = K[t % n]
        for q in range(m):
            K_free[p, q] = row[free[q] % n]
        trace += K_free[p, p]
        F[p] = -u[t % n] - w[t]
        mean += F[p]
        positive = s[t] > 0.0
        start[p] = a[t] if positive else -a[t]
        lower[p] = 0.0 if positive else -C[t]
        upper[p] = C[t] if positive else 0.0
    L = K_free.copy()
    for p in range(m):
        L[p, p] += RIDGE * trace
        F[p] -= mean / m
    if not factorise(L):
        return False
    c = start.copy()
    descend(K_free, L, F, c, lower, upper, np.empty((3 + min(m, 11 + m // 100), m)))
    for p in range(m):
        a[free[p]] = abs(c[p])
        if c[p] != start[p]:
            add_to(c[p] - start[p], K[free[p] % n], u)
    return True


@inner()
def _free_step_if_due(
    K: FloatArray,
    s: FloatArray,
    w: FloatArray,
    C: FloatArray,
    a: FloatArray,
    u: FloatArray,
    since: int,
) -> bool:
    """Take a free step if the steps since the last one took as long; return whether there was one."""
    free = np.empty(s.shape[0], np.intp)
    m = 0
    for t in range(s.shape[0]):
        if 0.0 < a[t] < C[t]:
            free[m] = t
            m += 1
    if since < _PATIENCE * (m**3 // (50 * K.shape[0])):
        return False
    return _free_step(K, s, w, C, a, u, free[:m])


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
    rows: IntArray,
) -> int:
    """Solve for the variables of some rows, the others fixed, in place; return the steps taken."""
    n = K.shape[0]
    before = a.copy()
    K_part = square(K, rows)
    s_part, w_part, C_part = _entries(s, rows, n), _entries(w, rows, n), _entries(C, rows, n)
    a_part, u_part, d_part = _entries(a, rows, n), u[rows], diagonal[rows]
    n_steps = since = 0
    while True:
        m = rows.shape[0]
        most = min(max(_FEWEST_STEPS, int(_STEPS_A_ROW * m)), max_steps - n_steps)
        taken, f_max, f_min = row_steps(
            K_part, d_part, s_part, w_part, C_part, a_part, u_part, tol, most
        )
        n_steps += taken
        since += taken
        for t in range(a_part.shape[0]):
            a[t // m * n + rows[t % m]] = a_part[t]
        if not f_max - f_min >= tol or n_steps >= max_steps:
            break
        if _free_step_if_due(K_part, s_part, w_part, C_part, a_part, u_part, since):
            since = 0
            continue
        left = _may_move(s_part, w_part, C_part, a_part, u_part, f_max, f_min)
        if left.shape[0] <= _WORTH_SHRINKING * m:
            K_part, rows = square(K_part, left), rows[left]
            s_part, w_part = _entries(s_part, left, m), _entries(w_part, left, m)
            C_part, a_part = _entries(C_part, left, m), _entries(a_part, left, m)
            u_part, d_part = u_part[left], d_part[left]
    for k in range(n):
        change = 0.0
        for t in range(k, s.shape[0], n):
            change += s[t] * (a[t] - before[t])
        if change != 0.0:
            add_to(change, K[k], u)
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
) -> tuple[int, float]:
    """Solve in place, from a feasible ``a`` and its ``u = K(s∘a)``; return steps and largest violation."""
    n = K.shape[0]
    best = np.inf
    n_steps = since = of_rows = idle = 0
    burst = max(_FEWEST_STEPS, int(_STEPS_A_ROW * n))
    while True:
        taken, f_max, f_min = row_steps(
            K, diagonal, s, w, C, a, u, tol, min(burst, max_steps - n_steps)
        )
        n_steps += taken
        since += taken
        if not f_max - f_min >= tol or n_steps >= max_steps:
            return n_steps, f_max - f_min
        objective, size = _objective(s, w, a, u)
        idle = 0 if objective < best - _NO_GAIN * size else idle + taken + of_rows
        best = min(best, objective)
        if idle >= _MOST_IDLE:
            return n_steps, f_max - f_min
        of_rows = 0
        rows = _may_move(s, w, C, a, u, f_max, f_min)
        if rows.shape[0] <= _WORTH_SHRINKING * n:
            # Not without end: whether anything is gained is seen here only.
            most = min(max_steps - n_steps, _MOST_IDLE // 4)
            of_rows = _solve_rows(K, diagonal, s, w, C, a, u, tol, most, rows)
            n_steps += of_rows
            since = 0
        elif _free_step_if_due(K, s, w, C, a, u, since):
            since = 0
