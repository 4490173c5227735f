"""Small problems of many rows."""

from __future__ import annotations

import numpy as np

from svmsieve.engine.arrays import FloatArray


def binary(n: int = 240, d: int = 6, seed: int = 0) -> tuple[FloatArray, np.ndarray]:
    """Two classes: a product of two features, a third one added, noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = X[:, 0] * X[:, 1] + 0.8 * X[:, 2] + 0.3 * rng.normal(size=n) > 0
    return X, y.astype(int)


def classes(n: int = 240, d: int = 5, seed: int = 0) -> tuple[FloatArray, np.ndarray]:
    """Three classes, named."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    value = X[:, 0] + X[:, 1] ** 2 + 0.2 * rng.normal(size=n)
    return X, np.array(["low", "middle", "top"])[np.digitize(value, [0.2, 1.4])]


def numbers(n: int = 240, d: int = 6, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """A product of two features and a wave of a third."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, 0] * X[:, 1] + np.sin(2.0 * X[:, 2]) + 0.1 * rng.normal(size=n)
