"""The slow, obvious twins of what the strategies compute: loops over scalars, nothing shared with them."""

from __future__ import annotations

from math import exp, log

import numpy as np
from scipy.optimize import minimize


def f_score(column, y):
    """Equation (4) of Chen & Lin for one feature and two classes."""
    high, low = sorted(set(y))[1], sorted(set(y))[0]
    parts = [[x for x, label in zip(column, y, strict=True) if label == c] for c in (low, high)]
    whole = sum(column) / len(column)
    means = [sum(part) / len(part) for part in parts]
    between = sum((mean - whole) ** 2 for mean in means)
    within = sum(
        sum((x - mean) ** 2 for x in part) / (len(part) - 1)
        for part, mean in zip(parts, means, strict=True)
    )
    return between / within


def thresholds(scores, n_gaps=5):
    """Falling thresholds: sizes n, n/2, …, 1 and the clearest gap of each of the clearest octaves."""
    falling = sorted((s for s in scores if s > 0), reverse=True)
    sizes = set()
    size = len(falling)
    while size >= 1:
        sizes.add(size)
        size //= 2
    best_of_octave = {}
    for k in range(1, len(falling)):
        octave = 0
        while 2 ** (octave + 1) <= k:
            octave += 1
        clearness = k * (falling[k - 1] - falling[k])
        if clearness > 0 and clearness > best_of_octave.get(octave, (0, 0))[0]:
            best_of_octave[octave] = (clearness, k)
    for _, k in sorted(best_of_octave.values(), key=lambda pair: -pair[0])[:n_gaps]:
        sizes.add(k)
    return sorted({falling[k - 1] for k in sizes}, reverse=True)


def scaled_gram(X, gamma):
    """``exp(−Σ_i γ_i (x_i − z_i)²)``, equation (5), pair by pair."""
    return np.array(
        [
            [exp(-sum(g * (a - b) ** 2 for g, a, b in zip(gamma, x, z, strict=True))) for z in X]
            for x in X
        ]
    )


def _minimise(function, gradient, n, constraint, start):
    result = minimize(
        function,
        start,
        jac=gradient,
        bounds=[(0.0, None)] * n,
        constraints=[constraint],
        method="SLSQP",
        options={"maxiter": 2000, "ftol": 1e-15},
    )
    return result.x


def log_bound(X, y, C, gamma):
    """``log(4 R̃²‖w̃‖²)`` of equation (6), both optima by a general solver."""
    n = len(y)
    K = scaled_gram(X, gamma) + np.eye(n) / C
    Q = K * np.outer(y, y)
    alpha = _minimise(
        lambda a: 0.5 * a @ Q @ a - a.sum(),
        lambda a: Q @ a - 1.0,
        n,
        {"type": "eq", "fun": lambda a: a @ y, "jac": lambda a: np.asarray(y, dtype=float)},
        np.full(n, 0.1),
    )
    norm2 = 2.0 * alpha.sum() - alpha @ Q @ alpha
    diagonal = np.diag(K)
    beta = _minimise(
        lambda b: b @ K @ b - b @ diagonal,
        lambda b: 2.0 * K @ b - diagonal,
        n,
        {"type": "eq", "fun": lambda b: b.sum() - 1.0, "jac": lambda b: np.ones(n)},
        np.full(n, 1.0 / n),
    )
    radius2 = beta @ diagonal - beta @ K @ beta
    return log(4.0) + log(norm2) + log(radius2)
