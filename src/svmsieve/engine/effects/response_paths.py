"""Evaluators of the one-feature response, one for each kernel and path.

Each function takes what is known of a block (samples' weights, the features' values x and centres z) and
returns a function of the replacement values.  See :mod:`svmsieve.engine.effects.response` for the formulas.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.kernels.exponential import exp_in_place
from svmsieve.engine.kernels.kernel import Polynomial
from svmsieve.runtime.compiled import compiled
from svmsieve.runtime.threads import over_rows, product

Evaluator: TypeAlias = Callable[[FloatArray], FloatArray]
SingleArray: TypeAlias = NDArray[np.float32]


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
        moments.append(comb(kernel.degree, p) * (-kernel.gamma) ** p * product(A, powers))

    def evaluate(u: FloatArray) -> FloatArray:
        t = x - u
        value = moments[-1] * t
        for moment in moments[-2::-1]:
            value += moment
            value *= t
        value += decision[:, None]
        return value

    return evaluate


@compiled(fastmath={"contract"})
def _series_rows(
    low_orders: FloatArray,
    high_orders: SingleArray,
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
    n_features = x.shape[1]
    factor = np.empty(n_features)
    t = np.empty(n_features)
    for j in range(start, stop):
        x_row = x[j]
        u_row = u[j]
        value = out[j]
        for i in range(n_features):
            own = x_row[i] - middle[i]
            other = u_row[i] - middle[i]
            t[i] = own - other
            factor[i] = gamma * (own * own - other * other)
            value[i] = 0.0
        exp_in_place(factor)
        for p in range(high_orders.shape[1] - 1, -1, -1):
            single = high_orders[j, p]
            for i in range(n_features):
                value[i] = (value[i] + single[i]) * t[i]
        for p in range(low_orders.shape[1] - 1, -1, -1):
            double = low_orders[j, p]
            for i in range(n_features):
                value[i] = (value[i] + double[i]) * t[i]
        for i in range(n_features):
            value[i] = intercept + factor[i] * (total[j] + value[i])


@compiled()
def weight_rows(
    matrix: FloatArray,
    rows: IntArray,
    centers: IntArray,
    coef: FloatArray,
    single: SingleArray,
    total: FloatArray,
    start: int,
    stop: int,
) -> None:
    """Rows of the weights c_k K(z_k, x_j) in single precision, and their sums in double."""
    for j in range(start, stop):
        row = matrix[rows[j]]
        weights = single[j]
        value = 0.0
        for k in range(coef.shape[0]):
            weight = coef[k] * row[centers[k]]
            weights[k] = weight
            value += weight
        total[j] = value


@compiled(fastmath={"contract"})
def add_power_means(
    values: FloatArray,
    middle: FloatArray,
    scale: FloatArray,
    weights: FloatArray,
    out: FloatArray,
    start: int,
    stop: int,
) -> None:
    """Add ``Σ_k w_k (|v_ki − middle_i| scale_i)^(q + 2)`` to out_qi, for some of the columns i."""
    size = np.empty(stop - start)
    power = np.empty(stop - start)
    center = middle[start:stop]
    factor = scale[start:stop]
    for k in range(values.shape[0]):
        row = values[k, start:stop]
        weight = weights[k]
        for i in range(size.shape[0]):
            size[i] = abs(row[i] - center[i]) * factor[i]
            power[i] = weight * size[i]
        for q in range(out.shape[0]):
            sums = out[q, start:stop]
            for i in range(size.shape[0]):
                power[i] *= size[i]
                sums[i] += power[i]


@compiled(fastmath={"contract"})
def _power_rows(
    z: FloatArray,
    middle: FloatArray,
    scale: float,
    low_orders: FloatArray,
    high_orders: SingleArray,
    start: int,
    stop: int,
) -> None:
    """``((z − middle) scale)^p / p!``, the low orders in double, the rest in single precision."""
    n_features = z.shape[1]
    argument = np.empty(n_features)
    powers = np.empty(n_features)
    for k in range(start, stop):
        z_row = z[k]
        for i in range(n_features):
            argument[i] = (z_row[i] - middle[i]) * scale
            powers[i] = 1.0
        order = 0
        for p in range(low_orders.shape[1]):
            order += 1
            double = low_orders[k, p]
            factor = 1.0 / order
            for i in range(n_features):
                powers[i] *= argument[i] * factor
                double[i] = powers[i]
        for p in range(high_orders.shape[1]):
            order += 1
            single = high_orders[k, p]
            factor = 1.0 / order
            for i in range(n_features):
                powers[i] *= argument[i] * factor
                single[i] = powers[i]


def _moments(weights: NDArray[Any], powers: NDArray[Any]) -> NDArray[Any]:
    """Return ``weights @ powers`` for powers of shape (centres, orders, features)."""
    m, n_orders, n_features = powers.shape
    products = product(weights, powers.reshape(m, n_orders * n_features))
    return products.reshape(len(weights), n_orders, n_features)


class SeriesWeights(NamedTuple):
    """The weights A_kj = c_k K(z_k, x_j) of a series' moments."""

    low: NDArray[Any]
    """For the orders that need double precision; not looked at where there are none."""
    high: SingleArray
    total: FloatArray
    """Σ_k A_kj."""


def rbf_series(
    gamma: float,
    intercept: float,
    weights: SeriesWeights,
    x: FloatArray,
    z: FloatArray,
    middle: FloatArray,
    n_orders: int,
    n_double: int,
) -> Evaluator:
    """The series in t around the middle of the centres' range.

    Orders above ``n_double`` are too small to need more than single precision, whose products run
    at twice the rate.
    """
    m, n_features = z.shape
    low_powers = np.empty((m, n_double, n_features))
    high_powers = np.empty((m, n_orders - n_double, n_features), dtype=np.float32)
    over_rows(
        lambda start, stop: _power_rows(
            z, middle, -2.0 * gamma, low_powers, high_powers, start, stop
        ),
        m,
        n_features * (n_orders + 2.0),
    )
    low_orders = np.empty((len(x), 0, n_features))
    if n_double:
        low_orders = _moments(weights.low, low_powers)
    high_orders = _moments(weights.high, high_powers)
    total = weights.total

    def evaluate(u: FloatArray) -> FloatArray:
        out = np.empty_like(x)
        over_rows(
            lambda start, stop: _series_rows(
                low_orders, high_orders, total, x, u, middle, gamma, intercept, out, start, stop
            ),
            len(x),
            x.shape[1] * (n_orders + 4.0),
        )
        return out

    return evaluate
