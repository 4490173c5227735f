"""The exact evaluators of the one-feature response: at distinct values, and in a loop over all centres."""

from __future__ import annotations

import numpy as np

from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.effects.response_paths import Evaluator
from svmsieve.engine.kernels.exponential import exp_in_place
from svmsieve.runtime.compiled import compiled
from svmsieve.runtime.threads import over_rows, product


@compiled(fastmath={"contract"})
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


def distinct_values(z: FloatArray, n_levels: int) -> FloatArray:
    """Return the values of each column in ascending order, ``n_levels`` of them in every column."""
    ordered = np.sort(z, axis=0).T
    first = np.ones(ordered.shape, dtype=np.bool_)
    first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    return np.ascontiguousarray(ordered[first].reshape(-1, n_levels).T)


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
    levels = distinct_values(z, n_levels)
    belongs = np.empty((m, n_levels, n_features))
    for w in range(n_levels):
        belongs[:, w] = z == levels[w]
    moments = product(weights, belongs.reshape(m, -1)).reshape(len(weights), n_levels, n_features)

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


@compiled(fastmath={"contract", "reassoc"})
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
