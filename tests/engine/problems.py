"""Small problems the engine's tests share; the same seed gives the same problem."""

from __future__ import annotations

import numpy as np

from svmsieve.engine.kernels.kernel import RBF, Linear, Polynomial
from svmsieve.engine.machines.expansion import Expansion

KERNELS = {
    "linear": Linear(),
    "rbf": RBF(0.3),
    "poly1": Polynomial(1, 0.5, 1.0),
    "poly2": Polynomial(2, 0.5, 0.0),
    "poly2-coef0": Polynomial(2, 0.5, 1.0),
    "poly3": Polynomial(3, 0.2, 0.0),
    "poly3-coef0": Polynomial(3, 0.2, 1.0),
}


def two_classes(n, d, seed=0, noise=0.5):
    """Samples whose labels ±1 follow the product of the first two features, both classes present."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    score = X[:, 0] + X[:, 0] * X[:, min(1, d - 1)] + noise * rng.normal(size=n)
    y = np.where(score > np.median(score), 1.0, -1.0)
    y[0], y[1] = 1.0, -1.0
    return X, y


def separable(n, d, seed=0, margin=0.3):
    """Labels ±1 that a plane separates with the given margin, both classes present."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20 * n, d))
    direction = np.ones(d) / np.sqrt(d)
    X = X[abs(X @ direction) > margin][:n]
    y = np.sign(X @ direction)
    y[0], X[0] = 1.0, direction
    y[1], X[1] = -1.0, -direction
    return X, y


def many_classes(n, d, n_classes, seed=0, spread=1.5):
    """Gaussian clouds with integer labels 0 … n_classes − 1, of nearly equal size."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    centers = spread * rng.normal(size=(n_classes, d))
    return centers[y] + rng.normal(size=(n, d)), y


def numbers(n, d, seed=0, noise=0.1):
    """A smooth regression target with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sin(X[:, 0]) + 0.5 * X[:, min(1, d - 1)] ** 2 + noise * rng.normal(size=n)


def expansion(kernel, m, d, seed=0):
    """An expansion with random centres and coefficients of both signs."""
    rng = np.random.default_rng(seed)
    return Expansion(kernel, rng.normal(size=(m, d)), rng.normal(size=m), 0.7)


def relative_error(value, reference):
    """|value − reference| relative to |reference|."""
    return abs(value - reference) / max(abs(reference), 1e-300)
