"""Small problems for the searches, and their steps without the clock."""

from dataclasses import replace

import numpy as np

from svmsieve.criteria import make_criterion
from svmsieve.engine.machines.target import Classes, Numbers
from svmsieve.inputs.estimators import is_regressor, make_plan
from svmsieve.search.contract import Problem


def two_classes(n=60, d=8, seed=0):
    """Classes that the columns tell apart the less the later they come; standardised."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, d)) + (2 * y - 1)[:, None] * np.linspace(1.0, 0.0, d)
    return standardised(X[:, rng.permutation(d)]), y


def three_classes(n=60, d=6, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = rng.normal(size=(n, d))
    X[:, 0] += 1.5 * y
    X[:, 1] += 1.5 * (y == 1)
    return standardised(X[:, rng.permutation(d)]), np.array(["ash", "elm", "oak"])[y]


def numbers(n=50, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = X @ np.linspace(2.0, 0.0, d) + 0.3 * rng.normal(size=n)
    return standardised(X[:, rng.permutation(d)]), y


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def problem_of(X, y, estimator, criterion="weight", *, groups=None, **options):
    """The problem of a search on all samples."""
    target = Numbers.of(y) if is_regressor(estimator) else Classes.of(y)
    groups = [[column] for column in range(X.shape[1])] if groups is None else groups
    units = tuple(np.array(group) for group in groups)
    chosen = make_criterion(criterion, target.task)
    return Problem(X, target, chosen, make_plan(estimator, X, target), units, **options)


def timeless(steps):
    """The steps but for their seconds: what must be the same in every run."""
    return [replace(step, seconds=0.0) for step in steps]
