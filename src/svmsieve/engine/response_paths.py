"""Evaluators of the one-feature response, one for each kernel and path.

Each function takes what is known of a block (samples' weights, the features' values x and centres z) and
returns a function of the replacement values.  See :mod:`svmsieve.engine.response` for the formulas.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np
from numba import njit

from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.exponential import exp_in_place
from svmsieve.engine.kernels import Polynomial
from svmsieve.engine.threads import over_rows

Evaluator = Callable[[FloatArray], FloatArray]


def linear(decision: FloatArray, weights: FloatArray, x: FloatArray) -> Evaluator:
    """``f − w_i t``."""
    return lambda u: decision[:, None] - (x - u) * weights


def polynomial(
    kernel: Polynomial,
    decision: FloatArray,
    weights: list[FloatArray],
    x: FloatArray,
    z: FloatArray,
) -> Evaluator:
    """``Σ_p (D over p) (−γ t)^p Σ_k c_k h_kj^{D−p} z_ki^p`` with h = γ<z, x> + r.

    ``weights[p − 1]`` is c∘h^{D−p} for p = 1 … D.
    """
    powers = np.ones_like(z)
    moments = []
    for p, A in enumerate(weights, start=1):
        powers = powers * z
        moments.append(comb(kernel.degree, p) * (-kernel.gamma) ** p * (A @ powers))

    def evaluate(u: FloatArray) -> FloatArray:
        t = x - u
        value = moments[-1] * t
        for moment in moments[-2::-1]:
            value += moment
            value *= t
        value += decision[:, None]
        return value

    return evaluate


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _series_rows(
    moments: FloatArray,
    total: FloatArray,
    x: FloatArray,
    u: FloatArray,
    middle: FloatArray,
    gamma: float,
    intercept: float,
    out: FloatArray,
    start: int,
    stop: int,
) -> None:
    n_orders = moments.shape[1]
    n_features = x.shape[1]
    factor = np.empty(n_features)
    for j in range(start, stop):
        x_row = x[j]
        u_row = u[j]
        value = out[j]
        for i in range(n_features):
            own = x_row[i] - middle[i]
            other = u_row[i] - middle[i]
            factor[i] = gamma * (own * own - other * other)
        exp_in_place(factor)
        last = moments[j, n_orders - 1]
        for i in range(n_features):
            value[i] = last[i]
        for p in range(n_orders - 2, -1, -1):
            moment = moments[j, p]
            for i in range(n_features):
                value[i] = value[i] * (x_row[i] - u_row[i]) + moment[i]
        for i in range(n_features):
            value[i] = intercept + factor[i] * (total[j] + value[i] * (x_row[i] - u_row[i]))


def rbf_series(
    gamma: float,
    intercept: float,
    total: FloatArray,
    weights: FloatArray,
    x: FloatArray,
    z: FloatArray,
    middle: FloatArray,
    n_orders: int,
) -> Evaluator:
    """The series in t around the middle of the centres' range; ``total`` is Σ_k A_kj."""
    m, n_features = z.shape
    powers = np.empty((m, n_orders, n_features))
    argument = z - middle
    argument *= -2.0 * gamma
    powers[:, 0] = argument
    for p in range(1, n_orders):
        np.multiply(powers[:, p - 1], argument, out=powers[:, p])
        powers[:, p] /= p + 1
    moments = (weights @ powers.reshape(m, -1)).reshape(len(weights), n_orders, n_features)

    def evaluate(u: FloatArray) -> FloatArray:
        out = np.empty_like(x)
        over_rows(
            lambda start, stop: _series_rows(
                moments, total, x, u, middle, gamma, intercept, out, start, stop
            ),
            len(x),
            n_features * (n_orders + 4.0),
        )
        return out

    return evaluate


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _distinct_rows(
    moments: FloatArray,
    levels: FloatArray,
    x: FloatArray,
    u: FloatArray,
    gamma: float,
    intercept: float,
    out: FloatArray,
    start: int,
    stop: int,
) -> None:
    n_features = x.shape[1]
    factor = np.empty(n_features)
    for j in range(start, stop):
        value = out[j]
        for i in range(n_features):
            value[i] = intercept
        for w in range(levels.shape[0]):
            level = levels[w]
            moment = moments[j, w]
            for i in range(n_features):
                own = level[i] - x[j, i]
                other = level[i] - u[j, i]
                factor[i] = gamma * (own * own - other * other)
            exp_in_place(factor)
            for i in range(n_features):
                value[i] += moment[i] * factor[i]


def rbf_distinct(
    gamma: float,
    intercept: float,
    weights: FloatArray,
    x: FloatArray,
    z: FloatArray,
    n_levels: int,
) -> Evaluator:
    """The sum over the values the centres take, all features having ``n_levels`` of them."""
    m, n_features = z.shape
    levels = np.column_stack([np.unique(column) for column in z.T])
    belongs = np.empty((m, n_levels, n_features))
    for w in range(n_levels):
        belongs[:, w] = z == levels[w]
    moments = (weights @ belongs.reshape(m, -1)).reshape(len(weights), n_levels, n_features)

    def evaluate(u: FloatArray) -> FloatArray:
        out = np.empty_like(x)
        over_rows(
            lambda start, stop: _distinct_rows(
                moments, levels, x, u, gamma, intercept, out, start, stop
            ),
            len(x),
            4.0 * n_features * n_levels,
        )
        return out

    return evaluate


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})
def _exact_rows(
    distances: FloatArray,
    coef: FloatArray,
    x: FloatArray,
    z_by_feature: FloatArray,
    u: FloatArray,
    gamma: float,
    intercept: float,
    out: FloatArray,
    start: int,
    stop: int,
) -> None:
    m = coef.shape[0]
    terms = np.empty(m)
    for j in range(start, stop):
        row = distances[j]
        for i in range(z_by_feature.shape[0]):
            z = z_by_feature[i]
            own = x[j, i]
            other = u[j, i]
            for k in range(m):
                gap = z[k] - own
                rest = row[k] - gap * gap
                rest = rest if rest > 0.0 else 0.0
                new_gap = z[k] - other
                terms[k] = -gamma * (rest + new_gap * new_gap)
            exp_in_place(terms)
            value = 0.0
            for k in range(m):
                value += coef[k] * terms[k]
            out[j, i] = value + intercept


def rbf_exact(
    gamma: float,
    intercept: float,
    coef: FloatArray,
    distances: FloatArray,
    x: FloatArray,
    z: FloatArray,
) -> Evaluator:
    """The sum of exponentials itself, from the squared distances: nothing over- or underflows."""
    z_by_feature = np.ascontiguousarray(z.T)

    def evaluate(u: FloatArray) -> FloatArray:
        out = np.empty_like(x)
        over_rows(
            lambda start, stop: _exact_rows(
                distances, coef, x, z_by_feature, u, gamma, intercept, out, start, stop
            ),
            len(x),
            4.0 * z.size,
        )
        return out

    return evaluate
