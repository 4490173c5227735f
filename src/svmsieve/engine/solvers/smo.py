"""Sequential minimal optimisation for one quadratic programme.

    min_a  ½ a'Qa + p'a    subject to  s'a = const,  0 ≤ a_t ≤ C_t,    Q_tu = s_t s_u K_tu

The hinge SVC, the ε-SVR (LIBSVM's 2n-variable form) and the enclosing sphere are all of this form
(:mod:`svmsieve.engine.machines.machine`).  The kernel matrix is in memory; when there are 2n variables, t and
t + n share row t of it.

The steps are those of :mod:`svmsieve.engine.solvers.smo_steps`.  Where samples are not few,
:mod:`svmsieve.engine.solvers.smo_rounds` leaves out what F holds to its bounds, and moves the free variables
to their common minimum at once; the rule that ends the solver stays SMO's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.kernels.exponential import rbf_values
from svmsieve.engine.kernels.kernel import distance_rows
from svmsieve.engine.solvers.smo_rounds import Progress, Rhythm, smo_rounds
from svmsieve.engine.solvers.smo_steps import smo_steps
from svmsieve.runtime.compiled import compiled

_ROUNDING = 1e-14
_STEPS_A_CALL = 200_000  # the interpreter gets a chance to see Ctrl-C in between
FEW_SAMPLES = 200
"""Samples up to which the interpreter's calls cost more than the numbers between them."""
MOST_STEPS = 5_000
"""Steps that few samples may take before the general way, which takes free steps and listens to Ctrl-C."""
_BURST = 500
_BURSTS_WITHOUT_GAIN = 10
"""Of n steps, or as many: then there is nothing but rounding left to gain."""
RHYTHM = Rhythm()


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


@compiled()
def conclude(
    a: FloatArray, s: FloatArray, w: FloatArray, C: FloatArray, u: FloatArray
) -> tuple[FloatArray, float, float]:
    """Put on its bound what rounding keeps off it; return coefficients, objective and offset.

    The offset is the multiplier of the constraint: F at the free variables, else the middle of its
    feasible interval.  A variable that counts as free by rounding alone would decide it.
    """
    n = u.shape[0]
    largest = 0.0
    for t in range(a.shape[0]):
        largest = max(largest, a[t])
    coef = np.zeros(n)
    objective = 0.0
    total = 0.0
    n_free = 0
    upper = -np.inf
    lower = np.inf
    for t in range(a.shape[0]):
        value = a[t]
        if value < _ROUNDING * largest:
            value = 0.0
        elif value > (1.0 - _ROUNDING) * C[t]:
            value = C[t]
        a[t] = value
        k = t % n
        f = -u[k] - w[t]
        coef[k] += s[t] * value
        objective += s[t] * value * (w[t] + 0.5 * u[k])  # p'a + ½ a'Qa: w is s∘p
        above = value > 0.0
        below = value < C[t]
        if above and below:
            total += f
            n_free += 1
        if below if s[t] > 0.0 else above:
            upper = max(upper, f)
        if above if s[t] > 0.0 else below:
            lower = min(lower, f)
    if n_free > 0:
        offset = total / n_free
    elif upper > -np.inf and lower < np.inf:
        offset = 0.5 * (upper + lower)
    elif upper > -np.inf:
        offset = upper
    else:
        offset = lower if lower < np.inf else 0.0
    return coef, objective, offset


@compiled()
def add_outputs(K: FloatArray, s: FloatArray, a: FloatArray, u: FloatArray) -> None:
    """Add K(s∘a) to u, from the rows that are not zero."""
    n = K.shape[0]
    for t in range(s.shape[0]):
        if a[t] != 0.0:
            row = K[t % n]
            for k in range(n):
                u[k] += s[t] * a[t] * row[k]


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
    add_outputs(K, s, a, u)
    w = np.empty(s.shape[0])
    for t in range(s.shape[0]):
        w[t] = s[t] * p[t]
    taken, f_max, f_min = smo_steps(K, diagonal, s, w, C, a, u, tol, max_steps)
    coef, objective, offset = conclude(a, s, w, C, u)
    return coef, u, offset, objective, taken, f_max - f_min


class Warm(NamedTuple):
    """A start that is feasible but for rounding, and K(s∘a) of it."""

    a: FloatArray
    outputs: FloatArray


def solve_qp(
    K: FloatArray,
    s: FloatArray,
    p: FloatArray,
    C: FloatArray,
    *,
    start: FloatArray | Warm | None = None,
    total: float = 0.0,
    tol: float = 1e-3,
    max_iter: int | None = None,
) -> QPSolution:
    """Solve the quadratic programme of this module, from a warm start if one is given."""
    if not tol > 0.0:
        raise ValueError(f"tol must be positive, got {tol!r}.")
    n = K.shape[0]
    limit = default_steps(n) if max_iter is None else max_iter
    n_iter = 0
    outputs = None
    if isinstance(start, Warm):
        start, outputs = start
    a = np.zeros(len(s))
    if start is not None or total != 0.0:
        a = make_feasible(a if start is None else start, s, C, total)
    if n <= FEW_SAMPLES:
        coef, u, offset, objective, n_iter, violation = solve_few(
            K, K.reshape(-1), 0.0, s, p, C, a, tol, min(limit, MOST_STEPS)
        )
        if not violation >= tol or n_iter >= limit:
            return QPSolution(a, coef, u, offset, objective, n_iter, not violation >= tol)
    elif outputs is not None:
        u = outputs.copy()
    else:
        u = np.zeros(n)
        add_outputs(K, s, a, u)
    diagonal, w = K.diagonal().copy(), s * p
    done, most_idle = Progress(0, np.inf, -np.inf, np.inf, 0), _BURSTS_WITHOUT_GAIN * max(n, _BURST)
    while done.f_max - done.f_min >= tol and n_iter < limit and done.idle < most_idle:
        steps = min(_STEPS_A_CALL, limit - n_iter)
        found = smo_rounds(K, diagonal, s, w, C, a, u, tol, steps, done, most_idle, RHYTHM)
        done = Progress(*found)
        n_iter += done.n_steps
    converged = not done.f_max - done.f_min >= tol
    coef, objective, offset = conclude(a, s, w, C, u)
    return QPSolution(a, coef, u, offset, objective, n_iter, converged)
