"""Slow, obvious twins of the Nyström machine and its streamed criteria."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

Array = Any


def kernel_rbf(gamma: float) -> Callable[[Array, Array], Array]:
    """exp(−γ‖x − z‖²), distance by distance."""
    return lambda X, Z: np.array([[np.exp(-gamma * ((x - z) ** 2).sum()) for z in Z] for x in X])


def objective(
    coef: Array, b: float, K: Array, K_LL: Array, y: Array, C: Array, epsilon: float | None
) -> float:
    """½ c'K_LL c + ½ Σ C ℓ², as it is written; ``epsilon`` None: labels ±1."""
    f = K @ coef + b
    loss = np.maximum(0.0, 1.0 - y * f if epsilon is None else np.abs(y - f) - epsilon)
    return float(0.5 * coef @ K_LL @ coef + 0.5 * (C * loss**2).sum())


def nystroem(
    K: Array, K_LL: Array, y: Array, C: Array, epsilon: float | None = None
) -> tuple[Array, float]:
    """Coefficients of the landmarks and intercept, by a general minimiser with gradients."""
    values, vectors = np.linalg.eigh(K_LL)
    keep = values > 1e-10 * values[-1]
    T = vectors[:, keep] / np.sqrt(values[keep])
    features = np.column_stack([K @ T, np.ones(len(y))])

    def value(theta: Array) -> tuple[float, Array]:
        f = features @ theta
        if epsilon is None:
            loss, slope = np.maximum(0.0, 1.0 - y * f), -y
        else:
            loss, slope = np.maximum(0.0, np.abs(y - f) - epsilon), -np.sign(y - f)
        w = np.append(theta[:-1], 0.0)
        return 0.5 * w @ w + 0.5 * (C * loss**2).sum(), w + features.T @ (C * loss * slope)

    options = {"maxiter": 100_000, "maxfun": 1_000_000, "ftol": 1e-16, "gtol": 1e-10, "maxcor": 50}
    found = minimize(
        value, np.zeros(features.shape[1]), jac=True, method="L-BFGS-B", options=options
    )
    return T @ found.x[:-1], float(found.x[-1])


def donors_of(n: int, thresholds: Array, seed: int, repeat: int) -> list[int]:
    """The donor of each row, one draw for each row of the data set."""
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, repeat])))
    return [int(np.sum(thresholds <= rng.random())) for _ in range(n)]


def replaced_rows(X: Array, columns: Any, donors: Array | None, of_row: list[int]) -> Array:
    """Every row with some columns of its donor, or with zeros."""
    new = X.copy()
    for row, donor in enumerate(of_row):
        new[row, columns] = 0.0 if donors is None else donors[donor, columns]
    return new


def probability(A: float, B: float, f: Array) -> Array:
    """Platt's sigmoid."""
    return expit(-(A * f + B))


def mean(values: Array, weight: Array) -> float:
    """Weighted mean."""
    return float((weight * values).sum() / weight.sum())
