"""A point is worth what scikit-learn makes of it, where rounding decides the intercept too."""

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

from svmsieve.engine.kernels.kernel import RBF, gram
from svmsieve.engine.machines.folds import stratified_folds
from svmsieve.engine.machines.grid_search import Validation
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.pair_machines import FlatPairs
from svmsieve.engine.machines.tuned_grid import Grid
from svmsieve.engine.machines.tuning import tune_svc
from svmsieve.engine.machines.undecided import to_the_end

BALANCED = Machine(class_weight="balanced", tol=1e-6)
GRID = Grid([2.0**-7, 2.0**-5, 0.5, 4.0], [0.02, 0.1])


def _unequal(seed, n_classes):
    """Classes of very unequal size, a little apart."""
    rng = np.random.default_rng(seed)
    sizes = rng.permutation([70, 14, 10][:n_classes])
    y = rng.permutation(np.repeat(np.arange(n_classes), sizes))
    return rng.normal(size=(len(y), 6)) + 0.7 * np.eye(6)[y], y


def _sklearn_scores(X, y, C, gamma, folds):
    machine = SVC(C=C, gamma=gamma, class_weight="balanced", tol=1e-6)
    every = np.arange(len(y))
    split = [(np.setdiff1d(every, held_out), held_out) for held_out in folds]
    return cross_val_score(machine, X, y, cv=split, scoring="balanced_accuracy")


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_no_point_promises_what_scikit_learn_cannot_do_with_it(seed, n_classes):
    X, y = _unequal(seed, n_classes)
    tuning = tune_svc(X, y, GRID, BALANCED, validation=Validation(4, seed))
    folds = stratified_folds(y, 4, seed)
    for row, gamma in enumerate(GRID.gamma):
        for place, C in enumerate(GRID.C):
            theirs = _sklearn_scores(X, y, C, gamma, folds)
            ours = tuning.fold_scores[row, 0, place]
            if C < 0.1:  # every variable at its bound: all of one class, but where rounding is kind
                assert np.isclose(theirs, 1.0 / n_classes).any()
                np.testing.assert_allclose(ours, 1.0 / n_classes)
            elif C > 1.0:
                np.testing.assert_allclose(ours, theirs, atol=1e-12)
    best = _sklearn_scores(X, y, tuning.best_C, tuning.best_gamma, folds)
    assert tuning.best_score == pytest.approx(best.mean(), abs=0.05)  # the other end, at most


def test_the_ends_are_where_the_first_sample_would_leave_its_bound():
    X, y = _unequal(0, 2)
    K = gram(RBF(0.1), X, X)
    pairs = FlatPairs.of_codes(y, 2)
    weights = (len(y) / (2 * np.bincount(y)))[y]
    signs, C = np.where(y == 1, 1.0, -1.0), 2.0**-5
    outputs = C * K @ (signs * weights)
    low, high = (-1.0 - outputs[y == 0]).max(), (1.0 - outputs[y == 1]).min()
    half = 0.5 * (high - low)
    assert half > 0.5
    rarer = 1.0 if np.bincount(y)[1] < np.bincount(y)[0] else -1.0
    np.testing.assert_allclose(to_the_end(K, pairs, weights, np.array([C])), [[rarer * half]])
    weights[np.flatnonzero(y == 1)[0]] = 0.0  # no longer balanced: some variables are free
    assert not to_the_end(K, pairs, weights, np.array([C])).any()


def test_the_middle_of_equal_bounds_is_left_alone():
    X, y = _unequal(0, 2)
    X, y = X[np.argsort(y)], np.sort(y)
    few = min(np.bincount(y))
    rows = np.r_[0:few, len(y) - few : len(y)]
    K = gram(RBF(0.1), X[rows], X[rows])
    pairs = FlatPairs.of_codes(y[rows], 2)
    assert not to_the_end(K, pairs, np.ones(len(rows)), np.array([2.0**-5])).any()
