"""Sequential minimal optimisation for one quadratic programme.

    min_a  ½ a'Qa + p'a    subject to  s'a = const,  0 ≤ a_t ≤ C_t,    Q_tu = s_t s_u K_tu

The hinge SVC, the ε-SVR (LIBSVM's 2n-variable form) and the enclosing sphere are all of this form
(:mod:`svmsieve.engine.machines.machine`).  The kernel matrix is in memory; when there are 2n variables, t and
t + n share row t of it.

The steps are those of :mod:`svmsieve.engine.solvers.smo_steps`.

Shrinking: after a burst of n steps, variables at a bound that F holds them to are left out, if they are
many, until the others are solved.

Free step: when SMO has taken longer than it would cost, the free variables go to their common minimum at
once (:mod:`svmsieve.engine.solvers.free_step`).  The rule that ends the solver stays SMO's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from svmsieve.engine.arrays import BoolArray, FloatArray, IntArray
from svmsieve.engine.kernels.exponential import rbf_values
from svmsieve.engine.kernels.kernel import distance_rows
from svmsieve.engine.solvers.conclusion import conclude
from svmsieve.engine.solvers.free_step import free_step, steps_worth
from svmsieve.engine.solvers.smo_steps import smo_steps
from svmsieve.runtime.compiled import compiled

_STEPS_A_CALL = 200_000  # the interpreter gets a chance to see Ctrl-C in between
_SHORTEST_BURST = 500
_BETWEEN_FREE_STEPS = 200
_MANY_FREE_STEPS = 20
FEW_SAMPLES = 200
"""Samples up to which the interpreter's calls cost more than the numbers between them."""
MOST_STEPS = 5_000
"""Steps that few samples may take before the general way, which takes free steps and listens to Ctrl-C."""
_NO_GAIN = 1e-14  # of the objective's terms: below it there is nothing but their rounding
_ROUNDS_WITHOUT_GAIN = 20
_WORTH_SHRINKING = 0.7  # share of the rows below which copying their matrix pays


class QPSolution(NamedTuple):
    """Solution of the quadratic programme."""

    a: FloatArray
    signed: FloatArray
    """Σ over the blocks of s∘a: the coefficients c of the kernel expansion."""
    outputs: FloatArray
    """Kc, kept up to date by the solver."""
    offset: float
    """The multiplier of ``s'a = const``: the intercept of SVC and SVR."""
    objective: float
    n_iter: int
    converged: bool


def _may_move(
    s: FloatArray,
    w: FloatArray,
    C: FloatArray,
    a: FloatArray,
    u: FloatArray,
    f_max: float,
    f_min: float,
) -> BoolArray:
    """Mark the rows with a variable that is free, or at a bound it may still want to leave."""
    F = -np.tile(u, len(s) // len(u)) - w
    above, below = a > 0.0, a < C
    up = np.where(s > 0.0, below, above)
    down = np.where(s > 0.0, above, below)
    may = (up & down) | (up & (f_min <= F)) | (down & (f_max >= F))
    rows: BoolArray = np.logical_or.reduce(may.reshape(-1, len(u)))
    return rows


@compiled()
def feasible_in_place(a: FloatArray, s: FloatArray, C: FloatArray, total: float) -> None:
    """What :func:`make_feasible` does, to ``a`` itself."""
    positive = 0.0
    negative = 0.0
    for t in range(a.shape[0]):
        a[t] = min(max(a[t], 0.0), C[t])
        if s[t] > 0.0:
            positive += a[t]
        else:
            negative += a[t]
    excess = positive - negative - total
    if abs(excess) <= 1e-12 * max(positive, negative):  # scaling would only move bounds by rounding
        return
    heavy = 1.0 if excess > 0.0 else -1.0
    weight = positive if excess > 0.0 else negative
    factor = 1.0 - abs(excess) / weight if weight >= abs(excess) else 0.0
    room = 0.0
    n_light = 0
    for t in range(a.shape[0]):
        if s[t] == heavy:
            a[t] *= factor
        else:
            room += C[t] - a[t]
            n_light += 1
    missing = abs(excess) - weight
    if missing > 0.0:
        for t in range(a.shape[0]):
            if s[t] != heavy:
                a[t] += (C[t] - a[t]) * (missing / room) if room < np.inf else missing / n_light


def default_steps(n: int) -> int:
    """Steps that a machine of n samples may take where nobody says how many.

    With free steps the hardest that has an optimum takes a tenth of it.  What does not, such as C = 1e15
    on one feature of overlapping classes, would go on for ever: its dual variables grow by rounding.
    """
    return max(100_000, 1_000 * n)


def make_feasible(a: FloatArray, s: FloatArray, C: FloatArray, total: float = 0.0) -> FloatArray:
    """Return a point of the feasible set near ``a``: clipped to the box, one side scaled down.

    Where scaling down cannot reach ``s'a = total``, the side that is too small is filled up evenly.
    """
    feasible = np.array(a, dtype=np.float64)
    feasible_in_place(feasible, s, C, total)
    return feasible


class _Point(NamedTuple):
    """A point of a programme, what :mod:`svmsieve.engine.solvers.smo_steps` moves: a and u, in place."""

    K: FloatArray
    diagonal: FloatArray
    s: FloatArray
    w: FloatArray
    C: FloatArray
    a: FloatArray
    u: FloatArray


def _solve_rows(point: _Point, rows: IntArray, tol: float, max_steps: int) -> int:
    """Solve for the variables of some rows, the others fixed, in place; return the steps taken."""
    K, diagonal, s, w, C, a, u = point
    n = len(K)
    K_rows = K[rows]
    variables = (np.arange(0, len(s), n)[:, None] + rows).ravel()
    s_part, w_part, C_part, a_part = (v[variables] for v in (s, w, C, a))
    before = (s_part * a_part).reshape(-1, len(rows)).sum(axis=0)
    K_part, u_part, n_steps = np.ascontiguousarray(K_rows[:, rows]), u[rows], 0
    while n_steps < max_steps:
        steps = min(_STEPS_A_CALL, max_steps - n_steps)
        taken, f_max, f_min = smo_steps(
            K_part, diagonal[rows], s_part, w_part, C_part, a_part, u_part, tol, steps
        )
        n_steps += taken
        if not f_max - f_min >= tol:
            break
    a[variables] = a_part
    u += ((s_part * a_part).reshape(-1, len(rows)).sum(axis=0) - before) @ K_rows
    return n_steps


@compiled()
def solve_few(
    K: FloatArray,
    flat: FloatArray,
    gamma: float,
    s: FloatArray,
    p: FloatArray,
    C: FloatArray,
    a: FloatArray,
    tol: float,
    max_steps: int,
) -> tuple[FloatArray, FloatArray, float, float, int, float]:
    """Solve for few samples from a feasible ``a``, in place, without shrinking, in one compiled call.

    ``flat`` is K as a vector.  A positive γ says that K holds the samples' products yet: they become the
    values of an RBF kernel first.  Returns coefficients, outputs, offset, objective,
    the steps taken and the largest violation.
    """
    n = K.shape[0]
    diagonal = np.empty(n)
    for k in range(n):
        diagonal[k] = K[k, k]
    if gamma > 0.0:
        distance_rows(K, diagonal, diagonal, n - n, n)  # a literal 0 would be compiled again
        rbf_values(flat, gamma, flat)
        for k in range(n):
            diagonal[k] = 1.0
    u = np.zeros(n)
    w = np.empty(s.shape[0])
    for t in range(s.shape[0]):
        w[t] = s[t] * p[t]
        if a[t] != 0.0:
            row = K[t % n]
            for k in range(n):
                u[k] += s[t] * a[t] * row[k]
    taken, f_max, f_min = smo_steps(K, diagonal, s, w, C, a, u, tol, max_steps)
    coef, objective, offset = conclude(a, s, w, C, u)
    return coef, u, offset, objective, taken, f_max - f_min


def _gained(
    s: FloatArray, w: FloatArray, a: FloatArray, u: FloatArray, best: float, idle: int
) -> tuple[float, int]:
    """Return the least objective yet and for how many rounds it has not fallen by more than rounding."""
    terms = s * a * (w + 0.5 * np.tile(u, len(s) // len(u)))
    objective = float(terms.sum())
    if objective < best - _NO_GAIN * float(np.abs(terms).sum()):
        return objective, 0
    return best, idle + 1


def solve_qp(
    K: FloatArray,
    s: FloatArray,
    p: FloatArray,
    C: FloatArray,
    *,
    start: FloatArray | None = None,
    total: float = 0.0,
    tol: float = 1e-3,
    max_iter: int | None = None,
) -> QPSolution:
    """Solve the quadratic programme of this module, from a warm start if one is given."""
    if not tol > 0.0:
        raise ValueError(f"tol must be positive, got {tol!r}.")
    n = K.shape[0]
    n_blocks = len(s) // n
    limit = default_steps(n) if max_iter is None else max_iter
    n_iter = 0
    a = np.zeros(len(s))
    if start is not None or total != 0.0:
        a = make_feasible(a if start is None else start, s, C, total)
    if n <= FEW_SAMPLES:
        coef, u, offset, objective, n_iter, violation = solve_few(
            K, K.reshape(-1), 0.0, s, p, C, a, tol, min(limit, MOST_STEPS)
        )
        if not violation >= tol or n_iter >= limit:
            return QPSolution(a, coef, u, offset, objective, n_iter, not violation >= tol)
    elif start is None and total == 0.0:
        u = np.zeros(n)
    else:
        signed = s * a
        u = K @ (signed if n_blocks == 1 else signed.reshape(n_blocks, n).sum(axis=0))
    diagonal = K.diagonal().copy()
    w = s * p
    point = _Point(K, diagonal, s, w, C, a, u)
    burst, since = max(n, _SHORTEST_BURST), 0
    best, idle, rounds = np.inf, 0, 0
    while True:
        # A burst on all variables, then the free ones at once if the steps since the last time took
        # longer than that would; else the rest on those that may still move: their matrix is small and
        # stays in the cache.  What was left out is looked at again by the next burst.
        taken, f_max, f_min = smo_steps(*point, tol, min(burst, limit - n_iter))
        n_iter, since = n_iter + taken, since + taken
        if not f_max - f_min >= tol or n_iter >= limit:
            break
        best, idle = _gained(s, w, a, u, best, idle)
        if idle >= _ROUNDS_WITHOUT_GAIN:
            break
        free = np.flatnonzero((a > 0.0) & (a < C))
        missing = steps_worth(len(free), n) - since
        if missing <= 0 and free_step(K, s, w, C, a, u, free):
            # Where free steps do not end it, the steps between them count for less and less.
            rounds, since = rounds + 1, 0
            burst = _BETWEEN_FREE_STEPS * max(1, rounds // _MANY_FREE_STEPS)
            continue
        burst = max(n, _SHORTEST_BURST)
        rows = np.flatnonzero(_may_move(s, w, C, a, u, f_max, f_min))
        if len(rows) <= _WORTH_SHRINKING * n:
            most = max(missing, burst) if missing > 0 else limit  # there is no step to stop for
            taken = _solve_rows(point, rows, tol, min(most, limit - n_iter))
            n_iter, since = n_iter + taken, since + taken
    converged = not f_max - f_min >= tol
    coef, objective, offset = conclude(a, s, w, C, u)
    return QPSolution(a, coef, u, offset, objective, n_iter, converged)
