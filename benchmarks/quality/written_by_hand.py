"""The default's procedure as one writes it with scikit-learn, NumPy and SciPy: two classes, complete numbers.

Each function is the plain formula, a column or a machine at a time where the library has nothing better:
``permuted`` as ``permutation_importance`` goes through the columns, ``hsic`` with one ``rbf_kernel`` for each
column left out, ``loo_scaling`` with an inverse for each step of L-BFGS.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from svmsieve.engine.machines.relative_grid import GRID

SLOPE = 2.0
"""Of the probabilities whose shifts rank."""
_SCALES, _RIDGES = (1 / 16, 1 / 4, 1.0, 4.0), (1e-3, 1e-2, 0.03, 0.1, 0.3, 1.0, 3.0)


def permuted(X: Any, y: Any, rng: np.random.Generator, repeats: int) -> Any:
    """How much the probabilities of a machine of C = 8 shift when a column is permuted."""
    machine = SVC(C=8.0).fit(X, y)
    return _shifts(lambda Z: expit(SLOPE * machine.decision_function(Z)), X, rng, repeats)


def weight(X: Any, y: Any) -> Any:
    """The squared weights of a linear machine."""
    return SVC(kernel="linear").fit(X, y).coef_[0] ** 2


def hsic(X: Any, y: Any) -> Any:
    """The dependence on the classes that is lost with each column."""
    if X.shape[1] == 1:
        return np.zeros(1)
    belongs = (y[:, None] == np.unique(y)).astype(float)
    belongs -= belongs.mean(axis=0)
    target = belongs @ belongs.T
    gamma = 1.0 / (X.shape[1] * X.var())
    left = [(rbf_kernel(np.delete(X, i, 1), gamma=gamma) * target).sum() for i in range(X.shape[1])]
    return max(left) - np.array(left)


def loo_scaling(X: Any, y: Any, rng: np.random.Generator, repeats: int) -> Any:
    """The shifts of kernel ridge regression at the scales that err least on samples left out."""
    Y = np.where(y == y.max(), 1.0, -1.0)
    rows = rng.permutation(len(X))[:250]
    X, Y = X[rows], (Y[rows] - Y[rows].mean()) / Y[rows].std()
    scale, ridge = _start(X[:100], Y[:100])
    start = np.log(np.append(np.full(X.shape[1], scale), ridge))

    def objective(parameters: Any) -> tuple[float, Any]:
        theta, ridge = np.exp(parameters[:-1]), np.exp(parameters[-1])
        K = rbf_kernel(X * np.sqrt(theta), gamma=1.0)
        G = np.linalg.inv(K + 1.0 + ridge * np.eye(len(X)))
        A, diagonal, n = G @ Y, G.diagonal(), len(X)
        error = ((A / diagonal) ** 2).mean()
        D, s = A / diagonal**2 / n, A**2 / diagonal**3 / n
        slopes = 2.0 * (G * s) @ G - np.outer(G @ D, A) - np.outer(A, G @ D)
        B, moved = slopes * K, parameters - start
        moved[-1] = 0.0
        gradient = [-t * (B * (x[:, None] - x) ** 2).sum() for t, x in zip(theta, X.T, strict=True)]
        gradient.append(ridge * slopes.trace())
        prior = 1.0 / (4.0 * n)
        return np.log(error) + prior * moved @ moved, np.array(gradient) / error + 2 * prior * moved

    bounds = [(value - 12.0, value + 6.0) for value in start]
    found = minimize(
        objective, start, jac=True, bounds=bounds, method="L-BFGS-B", options={"maxiter": 10}
    ).x
    Z, ridge = X * np.sqrt(np.exp(found[:-1])), np.exp(found[-1])
    dual = np.linalg.solve(rbf_kernel(Z, gamma=1.0) + 1.0 + ridge * np.eye(len(Z)), Y)
    return _shifts(lambda other: rbf_kernel(other, Z, gamma=1.0) @ dual, Z, rng, repeats)


def _start(X: Any, Y: Any) -> tuple[float, float]:
    """The one scale and the ridge of a small grid that err least."""
    best = (np.inf, 1.0, 1.0)
    for scale in np.array(_SCALES) / X.var(axis=0).sum():
        K = rbf_kernel(X, gamma=scale) + 1.0
        for ridge in _RIDGES:
            G = np.linalg.inv(K + ridge * np.eye(len(X)))
            best = min(best, (float(((G @ Y / G.diagonal()) ** 2).mean()), float(scale), ridge))
    return best[1:]


def _shifts(answer: Any, X: Any, rng: np.random.Generator, repeats: int) -> Any:
    before, scores = answer(X), np.zeros(X.shape[1])
    for column in range(X.shape[1]):
        other = X.copy()
        for _ in range(repeats):
            other[:, column] = rng.permutation(other[:, column])
            scores[column] += np.abs(answer(other) - before).mean()
    return scores / repeats


def eliminated(X: Any, y: Any, score: Any, sizes: list[int]) -> Any:
    """The columns, best first: at each size those with the least scores leave."""
    left, gone = np.arange(X.shape[1]), []
    for size, following in zip(sizes, [*sizes[1:], 0], strict=True):
        worst = np.argsort(score(X[:, left], y))[: size - following]
        gone += left[worst].tolist()
        left = np.delete(left, worst)
    return np.array(gone[::-1])


def judged(X: Any, y: Any, X_test: Any, y_test: Any, points: Any = GRID.points) -> list[float]:
    """The skills of machines of the grid, whose γ follows the columns, on held-out samples."""
    unit, skills = 1.0 / (X.shape[1] * X.var()), []
    truth = (y_test == y.max()).astype(float)
    guess = ((truth - truth.mean()) ** 2).mean()
    for C, gamma in points:
        decisions = SVC(C=C, gamma=gamma * unit).fit(X, y).decision_function(X_test)
        skills.append(1.0 - ((expit(SLOPE * decisions) - truth) ** 2).mean() / guess)
    return skills
