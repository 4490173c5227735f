"""A small table, garbage for its held-out rows, and what a fold learned: for tests of leaks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from svmsieve import FDR, strategies
from svmsieve.engine.machines import plan as plan_module
from svmsieve.sizing import RULES
from svmsieve.strategies.strategy import Strategy

N = 36
HELD_OUT = np.arange(1, N, 3)
TRAIN = np.setdiff1d(np.arange(N), HELD_OUT)
FOLDS = [(TRAIN, HELD_OUT), (HELD_OUT, TRAIN)]
SIZES = {"number": 2, "fraction": 0.5, "fdr": FDR(0.5), **{name: name for name in RULES}}
STRATEGIES = {
    name: kind
    for name, kind in vars(strategies).items()
    if isinstance(kind, type) and issubclass(kind, Strategy)
}


def table(missing=True, n=N):
    """Numbers of several units, a category, and some that are missing; a class and a number."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(n) % 2)
    X = rng.normal(size=(n, 4)) * [1.0, 50.0, 0.1, 1.0] + [3.0, 0.0, -2.0, 0.0]
    X[:, 0] += y
    X[:, 1] += 60.0 * y
    X[:, 3] = rng.integers(0, 3, n) + (y > 0)
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
        X[:2] = [3.0, 1.0, -2.0, 1.0]
    return X, y, 0.3 * y + 0.01 * np.nan_to_num(X[:, 1]) + 0.1 * rng.normal(size=n)


def with_garbage(X, rows=HELD_OUT):
    """Other numbers, other categories and, where some are missing, holes in the held-out rows."""
    bad = X.copy()
    bad[rows] = 1e6 * np.random.default_rng(1).normal(size=(len(rows), X.shape[1]))
    bad[rows, 3] = 7.0 + np.arange(len(rows))
    if np.isnan(X).any():
        bad[rows[::2], 0] = np.nan
    return bad


def steps_of(sieve, fold):
    """The steps of a fold, by each ranking, but for the clock and the scores of its held-out rows."""
    runs = {
        name: [
            replace(step, seconds=0.0, test_score=None, point_scores=[], point_skills=[])
            for step in steps
        ]
        for name, steps in sieve.record_.steps.items()
        if name == fold or name.endswith(f": {fold}")
    }
    assert runs
    return runs


def learned(result):
    """What an outer fold learned."""
    found = [result.selected, result.order, result.reason, result.sizes, result.n_train]
    return [each.tolist() if isinstance(each, np.ndarray) else each for each in found]


def few_points(monkeypatch, grids):
    """Tune on smaller grids."""
    for name, grid in grids.items():
        monkeypatch.setattr(plan_module, name, grid)


def quick(kind):
    """A strategy that is quick: all columns pass, so that every split trains on all of them."""
    wanted = {"thresholds": [0.0], "n_trees": 5, "n_splits": 1, "max_iter": 5}
    wanted |= {"C": [1.0, 8.0], "gamma": [0.1, 1.0], "n_features_to_select": 4}
    known = kind().get_params()
    return kind(**{name: value for name, value in wanted.items() if name in known})
