"""The papers' artificial problems."""

from __future__ import annotations

import numpy as np


def weston_linear(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """202 features, the first six relevant (Weston et al. 2001)."""
    y = rng.permutation(np.repeat([-1, 1], [n // 2, n - n // 2]))
    X = rng.normal(0.0, 1.0, (n, 6))
    first = rng.random(n) < 0.7
    for i in range(3):
        X[first, i] += y[first] * (i + 1)
        X[~first, i + 3] += y[~first] * (i + 1)
    return np.hstack([X, rng.normal(0.0, np.sqrt(20.0), (n, 196))]), y


def weston_nonlinear(
    n: int, n_features: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Two relevant features that matter only together; the rest is noise."""
    y = rng.permutation(np.repeat([-1, 1], [n // 2, n - n // 2]))
    side = rng.choice([-1.0, 1.0], n)
    centers = np.where((y == -1)[:, None], [0.75, 3.0], [-3.0, 3.0])
    X = side[:, None] * centers + rng.normal(size=(n, 2))
    return np.hstack([X, rng.normal(0.0, np.sqrt(20.0), (n, n_features - 2))]), y


def yang_artificial(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Ten uniform features, the first five relevant (Yang & Ong 2010, eq. 23)."""
    X = rng.random((n, 10))
    y = (
        0.1 * np.exp(4 * X[:, 0])
        + 4 / (1 + np.exp(-20 * (X[:, 1] - 0.5)))
        + 3 * X[:, 2]
        + 2 * X[:, 3]
        + X[:, 4]
        + rng.normal(0.0, 0.1, n)
    )
    return X, y


def led24(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Seven segments of a digit, each flipped with probability 0.1, and 17 random bits."""
    segments = np.array(
        [
            [1, 1, 1, 0, 1, 1, 1],
            [0, 0, 1, 0, 0, 1, 0],
            [1, 0, 1, 1, 1, 0, 1],
            [1, 0, 1, 1, 0, 1, 1],
            [0, 1, 1, 1, 0, 1, 0],
            [1, 1, 0, 1, 0, 1, 1],
            [1, 1, 0, 1, 1, 1, 1],
            [1, 0, 1, 0, 0, 1, 0],
            [1, 1, 1, 1, 1, 1, 1],
            [1, 1, 1, 1, 0, 1, 1],
        ]
    )
    digits = rng.integers(0, 10, n)
    shown = segments[digits] ^ (rng.random((n, 7)) < 0.1)
    return np.hstack([shown, rng.integers(0, 2, (n, 17))]).astype(float), digits
