"""Small problems with known truth."""

from __future__ import annotations

import numpy as np


def two_matter(n=60, d=8, seed=0):
    """Classes that depend on the first two columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=n) > 0, "yes", "no")
    return X, y


def noise(seed, n=60, d=2000):
    """Two classes of equal size that depend on nothing."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.permutation(np.repeat([0, 1], n // 2))


def some_matter(seed, n=100, d=200, n_true=20, effect=1.0):
    """Two classes whose means differ in the first ``n_true`` columns; the others are noise."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1], n // 2))
    X = rng.normal(size=(n, d))
    X[:, :n_true] += effect * (y[:, None] - 0.5)
    return X, y
