"""Sequential minimal optimisation for one quadratic programme.

    min_a  ½ a'Qa + p'a    subject to  s'a = const,  0 ≤ a_t ≤ C_t,    Q_tu = s_t s_u K_tu

The hinge SVC, the ε-SVR (LIBSVM's 2n-variable form) and the enclosing sphere are all of this form
(:mod:`svmsieve.engine.machines`).  The kernel matrix is in memory; when there are 2n variables, t and
t + n share row t of it.

Working set: second order (Fan, Chen & Lin 2005, WSS 2).  With ``u = K(s∘a)``,
``w = s∘p``, ``F = −u − w``, the first index maximises F over the variables that can go up, the second
one the decrease of the objective; the solver stops when the largest violation
``max_up F − min_low F`` is below ``tol``.  A step costs O(n).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from svmsieve.engine.arrays import FloatArray

_TINY = 1e-12
_STEPS_A_CALL = 200_000  # the interpreter gets a chance to see Ctrl-C in between


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


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "nsz"})
def _smo_steps(
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
    """Take at most ``max_steps`` steps in place; return their number and the last violation."""
    n = K.shape[0]
    n_blocks = s.shape[0] // n
    delta = 0.0
    row_i = K[0]
    row_j = K[0]
    for step in range(max_steps + 1):
        # One pass: bring u up to date and find the ends of the violation.
        f_max = -np.inf
        f_min = np.inf
        i = -1
        for block in range(n_blocks):
            first = block * n
            s_b = s[first : first + n]
            w_b = w[first : first + n]
            a_b = a[first : first + n]
            C_b = C[first : first + n]
            for t in range(n):
                if block == 0 and delta != 0.0:
                    u[t] += delta * (row_i[t] - row_j[t])
                f = -u[t] - w_b[t]
                below = a_b[t] < C_b[t]
                above = a_b[t] > 0.0
                positive = s_b[t] > 0.0
                if f > f_max and (below if positive else above):
                    f_max = f
                    i = first + t
                if f < f_min and (above if positive else below):
                    f_min = f
        if i < 0 or f_max - f_min < tol or step == max_steps:
            return step, f_max - f_min

        # Second index: the largest decrease of the objective.
        i_row = i % n
        row_i = K[i_row]
        k_ii = diagonal[i_row]
        best = -1.0
        j = -1
        for block in range(n_blocks):
            first = block * n
            s_b = s[first : first + n]
            w_b = w[first : first + n]
            a_b = a[first : first + n]
            C_b = C[first : first + n]
            for t in range(n):
                gap = f_max - (-u[t] - w_b[t])  # rounded as in the first pass: one of them is > 0
                if gap > 0.0 and (a_b[t] > 0.0 if s_b[t] > 0.0 else a_b[t] < C_b[t]):
                    curvature = k_ii + diagonal[t] - 2.0 * row_i[t]
                    curvature = curvature if curvature > _TINY else _TINY
                    gain = gap * gap / curvature
                    if gain > best:
                        best = gain
                        j = first + t
        row_j = K[j % n]

        # The step along the line that keeps s'a, cut at the box.
        curvature = max(k_ii + diagonal[j % n] - 2.0 * row_i[j % n], _TINY)
        delta = (f_max + u[j % n] + w[j]) / curvature
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
    return max_steps, np.inf


def make_feasible(a: FloatArray, s: FloatArray, C: FloatArray, total: float = 0.0) -> FloatArray:
    """Return a point of the feasible set near ``a``: clipped to the box, one side scaled down.

    Where scaling down cannot reach ``s'a = total``, the side that is too small is filled up evenly.
    """
    a = np.clip(a, 0.0, C)
    excess = float(s @ a) - total
    if excess == 0.0:
        return a
    heavy = s > 0 if excess > 0 else s < 0
    weight = float(a[heavy].sum())
    if weight >= abs(excess):
        a[heavy] *= 1.0 - abs(excess) / weight
        return a
    a[heavy] = 0.0
    missing = abs(float(s @ a) - total)
    light = ~heavy
    room = C[light] - a[light]
    if missing > 0.0:
        share = missing / room.sum() if np.isfinite(room).all() else None
        a[light] += room * share if share is not None else missing / light.sum()
    return a


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
    if start is None and total == 0.0:
        a = np.zeros(len(s))
        u = np.zeros(n)
    else:
        a = make_feasible(np.zeros(len(s)) if start is None else start, s, C, total)
        u = K @ (s * a).reshape(n_blocks, n).sum(axis=0)
    diagonal = K.diagonal().copy()
    w = s * p
    limit = max(10_000_000, 100 * len(s)) if max_iter is None else max_iter
    n_iter = 0
    while True:
        steps = min(_STEPS_A_CALL, limit - n_iter)
        taken, violation = _smo_steps(K, diagonal, s, w, C, a, u, tol, steps)
        n_iter += taken
        if violation < tol or n_iter >= limit:
            break
    converged = bool(violation < tol)
    signed = s * a
    coef = signed if n_blocks == 1 else signed.reshape(n_blocks, n).sum(axis=0)
    objective = 0.5 * float(coef @ u) + float(p @ a)
    return QPSolution(a, coef, u, _offset(a, s, w, C, u), objective, n_iter, converged)


@njit(cache=True, nogil=True, error_model="numpy")
def _offset(a: FloatArray, s: FloatArray, w: FloatArray, C: FloatArray, u: FloatArray) -> float:
    """The multiplier: F at the free variables, else the middle of its feasible interval."""
    n = u.shape[0]
    total = 0.0
    n_free = 0
    upper = -np.inf
    lower = np.inf
    for t in range(s.shape[0]):
        f = -u[t % n] - w[t]
        below = a[t] < C[t]
        above = a[t] > 0.0
        if below and above:
            total += f
            n_free += 1
        if below if s[t] > 0.0 else above:
            upper = max(upper, f)
        if above if s[t] > 0.0 else below:
            lower = min(lower, f)
    if n_free > 0:
        return total / n_free
    if np.isfinite(upper) and np.isfinite(lower):
        return 0.5 * (upper + lower)
    if np.isfinite(upper):
        return upper
    return lower if np.isfinite(lower) else 0.0
