"""The squared-hinge machine trained again without each column, for few samples, in compiled code.

A machine on 50 samples trains in some 20 µs; the interpreter's calls around it take ten times as long, and
a ranking of 200 columns by retraining trains 20 000 machines.  Each loop here takes a range of the columns
and writes one value for each; NaN where an accurate answer needs the general way.
"""

from __future__ import annotations

import numpy as np

from svmsieve.engine.arrays import BoolArray, FloatArray
from svmsieve.engine.kernels.exponential import exp_in_place
from svmsieve.engine.solvers.newton import finite_newton
from svmsieve.engine.solvers.smo import MOST_STEPS, solve_few
from svmsieve.runtime.compiled import compiled, inner

_MOST_SOLVES = 200
_SPHERE_TOL = 1e-6


@inner()
def _write_kernel(
    base: FloatArray, column: FloatArray, gamma: float, K: FloatArray, flat: FloatArray
) -> None:
    """Write the kernel matrix without a column: linear, or RBF with a positive γ; ``flat`` is K."""
    n = base.shape[0]
    for k in range(n):
        source = base[k]
        row = K[k]
        value = column[k]
        if gamma > 0.0:
            for l in range(n):
                gap = value - column[l]
                left = source[l] - gap * gap
                row[l] = -gamma * (left if left > 0.0 else 0.0)
        else:
            for l in range(n):
                row[l] = source[l] - value * column[l]
    if gamma > 0.0:
        exp_in_place(flat)


@compiled()
def optima_without(
    base: FloatArray,
    columns: FloatArray,
    gamma: float,
    y: FloatArray,
    C: FloatArray,
    alpha: FloatArray,
    beta: FloatArray,
    out: FloatArray,
    start: int,
    stop: int,
) -> None:
    """Write twice the optimum without each column, ``‖w‖² + Σ C_i ξ_i²``.

    ``base`` holds the products or squared distances of the samples over all columns, ``columns`` one in
    each row, ``alpha`` the machine that has them all: its support vectors are the first guess.  ``beta``
    is the sphere of :func:`bounds_without`.
    """
    n = base.shape[0]
    flat = np.empty(n * n)
    K = flat.reshape((n, n))
    for i in range(start, stop):
        _write_kernel(base, columns[i], gamma, K, flat)
        _, _, _, objective, _, converged = finite_newton(K, y, C, _support(alpha), _MOST_SOLVES)
        out[i] = 2.0 * objective if converged else np.nan


@inner()
def _support(alpha: FloatArray) -> BoolArray:
    """Mark the support vectors; all samples where there are none."""
    support = alpha > 0.0
    if not support.any():
        support[:] = True
    return support


@compiled()
def bounds_without(
    base: FloatArray,
    columns: FloatArray,
    gamma: float,
    y: FloatArray,
    C: FloatArray,
    alpha: FloatArray,
    beta: FloatArray,
    out: FloatArray,
    start: int,
    stop: int,
) -> None:
    """Write the radius/margin bound R²‖w‖² without each column, for the kernel K + diag(1/C).

    ``beta`` is the sphere with all columns, from which the others start.
    """
    n = base.shape[0]
    flat = np.empty(n * n)
    K = flat.reshape((n, n))
    half = np.empty(n)
    ones = np.ones(n)
    weights = np.empty(n)
    for i in range(start, stop):
        _write_kernel(base, columns[i], gamma, K, flat)
        c, f, b, _, _, converged = finite_newton(K, y, C, _support(alpha), _MOST_SOLVES)
        norm2 = 0.0
        for k in range(n):
            norm2 += c[k] * (f[k] - b) + c[k] * c[k] / C[k]
            K[k, k] += 1.0 / C[k]
            half[k] = -0.5 * K[k, k]
            weights[k] = beta[k]
        scale = 0.0  # R² is at most the largest squared distance from any one sample
        for k in range(n):
            scale = max(scale, K[k, k] + K[0, 0] - 2.0 * K[0, k])
        if scale <= 0.0:
            out[i] = 0.0
            continue
        tol = _SPHERE_TOL * scale
        _, _, _, objective, _, violation = solve_few(
            K, flat, 0.0, ones, half, ones, weights, tol, MOST_STEPS
        )
        enclosed = not violation >= tol
        out[i] = -2.0 * objective * norm2 if converged and enclosed else np.nan


@inner(fastmath={"contract", "reassoc", "nsz"})
def _span_sum(K: FloatArray, C: FloatArray, alpha: FloatArray) -> float:
    """``Σ_p α_p S_p²`` of the support vectors, S_p² = 1/(K̃_SV⁻¹)_pp; NaN where K + diag(1/C) is singular.

    K + diag(1/C) = LL'; with U = L⁻¹ its inverse is U'U, of which the diagonal and the row sums are
    enough: the border takes ``g_p²/Σg`` off the diagonal, g the row sums.
    """
    n = K.shape[0]
    rows = np.empty(n, np.intp)
    m = 0
    for k in range(n):
        if alpha[k] > 0.0:
            rows[m] = k
            m += 1
    L = np.empty((m, m))
    for p in range(m):
        row = L[p]
        for q in range(p + 1):
            other = L[q]
            value = K[rows[p], rows[q]]
            if p == q:
                value += 1.0 / C[rows[p]]
            for k in range(q):
                value -= row[k] * other[k]
            if q < p:
                row[q] = value / other[q]
            elif value <= 0.0:
                return np.nan
            else:
                row[q] = np.sqrt(value)
    # L⁻¹ row by row in place: row p of it is (e_p − Σ_q<p L_pq (row q of it)) / L_pp.
    fresh = np.empty(m)
    for p in range(m):
        row = L[p]
        fresh[:p] = 0.0
        for q in range(p):
            factor = row[q]
            other = L[q]
            for k in range(q + 1):
                fresh[k] += factor * other[k]
        pivot = 1.0 / row[p]
        for k in range(p):
            row[k] = -pivot * fresh[k]
        row[p] = pivot
    diagonal = np.zeros(m)
    sums = np.zeros(m)
    for p in range(m):
        row = L[p]
        total = 0.0
        for k in range(p + 1):
            total += row[k]
        for k in range(p + 1):
            diagonal[k] += row[k] * row[k]
            sums[k] += row[k] * total
    total = 0.0
    for p in range(m):
        total += sums[p]
    value = 0.0
    for p in range(m):
        left = diagonal[p] - sums[p] * (sums[p] / total)
        if left > 0.0:  # a lone support vector spans nothing
            value += alpha[rows[p]] / left
    return value


@compiled()
def spans_without(
    base: FloatArray,
    columns: FloatArray,
    gamma: float,
    y: FloatArray,
    C: FloatArray,
    alpha: FloatArray,
    beta: FloatArray,
    out: FloatArray,
    start: int,
    stop: int,
) -> None:
    """Write the span estimate Σ_p α_p S_p² of the machine trained without each column."""
    n = base.shape[0]
    flat = np.empty(n * n)
    K = flat.reshape((n, n))
    for i in range(start, stop):
        _write_kernel(base, columns[i], gamma, K, flat)
        c, _, _, _, _, converged = finite_newton(K, y, C, _support(alpha), _MOST_SOLVES)
        out[i] = _span_sum(K, C, y * c) if converged else np.nan


@compiled()
def fixed_spans_without(
    base: FloatArray,
    columns: FloatArray,
    gamma: float,
    y: FloatArray,
    C: FloatArray,
    alpha: FloatArray,
    beta: FloatArray,
    out: FloatArray,
    start: int,
    stop: int,
) -> None:
    """Write the span estimate without each column, α fixed."""
    n = base.shape[0]
    flat = np.empty(n * n)
    K = flat.reshape((n, n))
    for i in range(start, stop):
        _write_kernel(base, columns[i], gamma, K, flat)
        out[i] = _span_sum(K, C, alpha)
