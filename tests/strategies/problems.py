"""Small problems whose answer is known."""

from __future__ import annotations

import numpy as np


def shifted(n=60, d=12, relevant=3, seed=0, n_classes=2, shift=2.0):
    """Classes whose means differ in the first features; the rest is noise."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    X = rng.normal(size=(n, d))
    X[:, :relevant] += shift * y[:, None]
    return X, y


def product_sign(n=100, d=6, seed=0):
    """The class is the sign of the product of the first two features: no score of one sees it."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, size=(n, d))
    return X, np.where(X[:, 0] * X[:, 1] > 0.0, 1, -1)
