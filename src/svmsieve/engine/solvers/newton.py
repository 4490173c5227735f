"""Finite Newton for the squared-hinge machine.

    min_{w,b}  ½‖w‖² + ½ Σ_i C_i max(0, 1 − y_i f(x_i))²

The objective is piecewise quadratic in the expansion (c, b).  On a set A of samples inside the margin its
minimiser solves the bordered system

    (K_AA + diag(1/C_A)) c_A + b 1 = y_A,    1'c_A = 0,    c = 0 outside A,

and an exact line search towards it makes the method finite (Keerthi & DeCoste 2005): it ends when the
minimiser's own set is A, which is the optimum.  Usually 5–10 solves, O(|A|³) each, whatever C: SMO needs
millions of steps where C is 1e5 and the features few.  Duplicate rows do no harm, 1/C keeps the system
regular.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from svmsieve.engine.arrays import BoolArray, FloatArray
from svmsieve.engine.solvers.cholesky import solve_positive_definite
from svmsieve.runtime.compiled import compiled, inner


class NewtonSolution(NamedTuple):
    """Solution of the squared-hinge problem; the dual variables are ``y∘coef``."""

    coef: FloatArray
    outputs: FloatArray
    """Kc."""
    intercept: float
    active: BoolArray
    objective: float
    n_iter: int
    converged: bool


@inner()
def _solve_active(
    K: FloatArray, y: FloatArray, C: FloatArray, active: BoolArray, c: FloatArray, f: FloatArray
) -> float:
    """Minimise over the set A: write c and f = Kc + b, return b."""
    n = K.shape[0]
    rows = np.empty(n, np.intp)
    m = 0
    for i in range(n):
        if active[i]:
            rows[m] = i
            m += 1
    system = np.empty((m, m))
    right = np.empty((2, m))
    growth = 1.0
    solved = False
    while not solved and growth < 2.0:
        for p in range(m):
            K_row = K[rows[p]]
            for q in range(p):
                system[p, q] = K_row[rows[q]]
            system[p, p] = growth * (K_row[rows[p]] + 1.0 / C[rows[p]])
            right[0, p] = y[rows[p]]
            right[1, p] = 1.0
        solved = solve_positive_definite(system, right)
        growth += 1e-15 if growth == 1.0 else 9.0 * (growth - 1.0)  # rounding may eat a pivot
    with_y = 0.0
    with_one = 0.0
    for p in range(m):
        with_y += right[0, p]
        with_one += right[1, p]
    b = with_y / with_one
    for i in range(n):
        c[i] = 0.0
        f[i] = b
    for p in range(m):
        value = right[0, p] - b * right[1, p]
        c[rows[p]] = value
        K_row = K[rows[p]]
        for i in range(n):
            f[i] += value * K_row[i]
    return b


@compiled()
def _exact_step(
    slope: float, curvature: float, C: FloatArray, slack: FloatArray, closing: FloatArray
) -> float:
    """Minimise ``slope·t + ½ curvature·t² + ½ Σ C_i max(0, slack_i − t·closing_i)²`` over 0 ≤ t ≤ 1.

    Up to the Newton point a sample inside the margin stays inside it; beyond, on separable data, the
    line may leave all of them outside, and nothing would be left to solve for.
    """
    n = slack.shape[0]
    breaks = np.empty(n)
    for i in range(n):
        breaks[i] = np.inf
        inside = slack[i] > 0.0 or (slack[i] == 0.0 and closing[i] < 0.0)
        if inside:
            slope -= C[i] * slack[i] * closing[i]
            curvature += C[i] * closing[i] * closing[i]
        if slack[i] * closing[i] > 0.0:
            breaks[i] = slack[i] / closing[i]
    if slope >= 0.0:  # only rounding is left
        return 0.0
    while True:
        i = 0
        for k in range(1, n):
            if breaks[k] < breaks[i]:
                i = k
        end = min(breaks[i], 1.0)
        if slope + end * curvature >= 0.0:
            return -slope / curvature
        if end == 1.0:
            return 1.0
        breaks[i] = np.inf
        sign = -1.0 if closing[i] > 0.0 else 1.0  # leaves the margin, or enters it
        slope -= sign * C[i] * slack[i] * closing[i]
        curvature += sign * C[i] * closing[i] * closing[i]


@inner()
def _inside_margin(y: FloatArray, f: FloatArray, active: BoolArray) -> tuple[bool, bool]:
    """Set ``active`` to the samples inside the margin; return whether it was so before, and if any is."""
    same = True
    some = False
    for i in range(y.shape[0]):
        inside = y[i] * f[i] < 1.0
        same &= inside == active[i]
        some |= inside
        active[i] = inside
    return same, some


@inner()
def _objective(y: FloatArray, C: FloatArray, c: FloatArray, b: float, f: FloatArray) -> float:
    value = 0.0
    for i in range(y.shape[0]):
        slack = max(0.0, 1.0 - y[i] * f[i])
        value += 0.5 * (c[i] * (f[i] - b) + C[i] * slack * slack)
    return value


@compiled()
def finite_newton(
    K: FloatArray, y: FloatArray, C: FloatArray, active: BoolArray, max_iter: int
) -> tuple[FloatArray, FloatArray, float, float, int, bool]:
    """Return c, Kc + b, b, the objective, the number of solves and whether the optimum was reached.

    ``active`` is the set to start from and becomes the set of support vectors.
    """
    n = K.shape[0]
    c = np.zeros(n)
    f = np.zeros(n)
    c_new = np.zeros(n)
    f_new = np.zeros(n)
    slack = np.empty(n)
    closing = np.empty(n)
    b = _solve_active(K, y, C, active, c, f)
    objective = _objective(y, C, c, b, f)
    n_iter = 1
    converged, some = _inside_margin(y, f, active)
    # Where 1/C is lost beside K, rounding may leave no sample inside: that is no optimum.
    while not converged and n_iter < max_iter and some:
        b_new = _solve_active(K, y, C, active, c_new, f_new)
        n_iter += 1
        slope = 0.0  # of ½‖w‖² on the way to the Newton point
        curvature = 0.0
        for i in range(n):
            change = (f_new[i] - b_new) - (f[i] - b)  # K (c_new − c)
            slope += c[i] * change
            curvature += (c_new[i] - c[i]) * change
            slack[i] = 1.0 - y[i] * f[i]
            closing[i] = y[i] * (f_new[i] - f[i])
        converged, some = _inside_margin(y, f_new, active)
        step = 1.0 if converged else _exact_step(slope, curvature, C, slack, closing)
        for i in range(n):
            c[i] += step * (c_new[i] - c[i])
            f[i] += step * (f_new[i] - f[i])
        b += step * (b_new - b)
        value = _objective(y, C, c, b, f)
        if not converged:
            _, some = _inside_margin(y, f, active)
            converged = value >= objective * (1.0 - 1e-14)  # only rounding is left
        objective = value
    return c, f, b, objective, n_iter, converged


def solve_squared_hinge(
    K: FloatArray,
    y: FloatArray,
    C: FloatArray,
    *,
    start: BoolArray | None = None,
    max_iter: int = 200,
) -> NewtonSolution:
    """Solve the squared-hinge problem, from a warm set of support vectors if one is given."""
    active = np.ones(len(y), dtype=np.bool_)
    if start is not None and start.any():
        active[:] = start
    c, f, b, objective, n_iter, converged = finite_newton(K, y, C, active, max_iter)
    return NewtonSolution(c, f - b, b, active, objective, n_iter, converged)
