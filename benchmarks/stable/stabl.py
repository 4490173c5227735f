"""A small Stabl, written by us after the paper; the package of that name on the index is another.

Hédou et al. (2024), Discovery of sparse, reliable omic biomarkers with Stabl, Nature Biotechnology 42: an
L1-penalised linear model on random halves of the samples at several penalties; features and as many
artificial ones, permuted copies, side by side; a feature's frequency is its largest over the penalties;
selected are those above the threshold t that minimises

    FDP+(t) = (1 + number of artificial features above t) / max(1, number of features above t).
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression, lasso_path
from sklearn.preprocessing import StandardScaler
from sklearn.svm import l1_min_c


def select(
    X: Any, y: Any, *, regression: bool, seed: int, n_halves: int = 100, n_penalties: int = 10
) -> Any:
    """Return the mask of the selected features."""
    real, false = frequencies(
        X, y, regression=regression, seed=seed, n_halves=n_halves, n_penalties=n_penalties
    )
    return real > threshold(real, false)


def frequencies(
    X: Any, y: Any, *, regression: bool, seed: int, n_halves: int = 100, n_penalties: int = 10
) -> tuple[Any, Any]:
    """Return how often each feature is chosen at its best penalty, and each artificial one."""
    rng = np.random.default_rng([seed, 5])
    artificial = np.column_stack([rng.permutation(column) for column in X.T])
    Z = StandardScaler().fit_transform(np.hstack([X, artificial]))
    used = np.zeros((n_penalties, Z.shape[1]))
    for _ in range(n_halves):
        used += _numbers(Z, y, n_penalties, rng) if regression else _classes(Z, y, n_penalties, rng)
    real, false = np.split(used.max(axis=0) / n_halves, 2)
    return real, false


def threshold(real: Any, false: Any) -> float:
    """Return the frequency above which the share of false features is estimated lowest."""
    thresholds = np.arange(0.3, 1.0, 0.01)
    fdp = [(1 + (false > t).sum()) / max(1, (real > t).sum()) for t in thresholds]
    return float(thresholds[int(np.argmin(fdp))])


def _classes(Z: Any, y: Any, n_penalties: int, rng: np.random.Generator) -> Any:
    members = [np.flatnonzero(y == label) for label in np.unique(y)]
    rows = np.concatenate([rng.choice(rows, len(rows) // 2, replace=False) for rows in members])
    # 2: half of the samples, whose losses are summed.
    costs = 2 * l1_min_c(Z, y, loss="log") * np.logspace(0.05, 1.5, n_penalties)
    used = []
    for C in costs:
        machine = LogisticRegression(
            penalty="l1", solver="liblinear", C=C, tol=1e-3, max_iter=200, intercept_scaling=10.0
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            used.append(machine.fit(Z[rows], y[rows]).coef_[0] != 0.0)
    return np.array(used)


def _numbers(Z: Any, y: Any, n_penalties: int, rng: np.random.Generator) -> Any:
    y = (y - y.mean()) / y.std()
    alphas = np.abs(Z.T @ y).max() / len(y) * np.logspace(-0.05, -1.5, n_penalties)
    rows = rng.choice(len(y), len(y) // 2, replace=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, coefficients, _ = lasso_path(
            Z[rows] - Z[rows].mean(axis=0), y[rows] - y[rows].mean(), alphas=alphas
        )
    return (coefficients != 0.0).T
