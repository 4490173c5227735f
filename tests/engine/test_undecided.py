"""A point is worth what scikit-learn makes of it, where rounding decides the intercept too."""

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

from svmsieve import SVMSieve
from svmsieve.engine.kernels.kernel import RBF, gram
from svmsieve.engine.machines.folds import stratified_folds
from svmsieve.engine.machines.grid_search import Validation
from svmsieve.engine.machines.machine import Machine, train_svc
from svmsieve.engine.machines.tuned_grid import Grid
from svmsieve.engine.machines.tuning import tune_svc

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


def _margins(K, y, weights):
    """The lowest and the highest intercept that every margin allows, all variables at their bounds."""
    outputs = K @ (np.where(y == 1, 1.0, -1.0) * weights)
    return (-1.0 - outputs[y == 0]).max(), (1.0 - outputs[y == 1]).min()


@pytest.mark.parametrize("rare", [0, 1])
def test_the_end_at_which_nearly_all_are_of_the_rarer_class(rare):
    X, y = _unequal(0, 2)
    y = y if np.bincount(y)[rare] < len(y) / 2 else 1 - y
    K, C = gram(RBF(0.1), X, X), 2.0**-5
    weights = C * (len(y) / (2 * np.bincount(y)))[y]
    low, high = _margins(K, y, weights)
    assert high - low > 1.0
    signs = np.where(y == 1, 1.0, -1.0)
    assert train_svc(K, signs, weights).intercept == pytest.approx(high if rare else low, abs=1e-9)
    weights[np.flatnonzero(y == 1 - rare)[0]] *= 0.9  # no longer balanced: some variables are free
    found = train_svc(K, signs, weights, tol=1e-9).intercept
    theirs = SVC(C=1.0, kernel="precomputed", tol=1e-9).fit(K, y, sample_weight=weights)
    assert found == pytest.approx(theirs.intercept_[0], abs=1e-3)  # decided, and as theirs


def test_equal_bounds_give_the_middle():
    X, y = _unequal(0, 2)
    rows = np.concatenate([np.flatnonzero(y == code)[:12] for code in (0, 1)])
    X, y = X[rows], y[rows]
    K, bounds = gram(RBF(0.1), X, X), np.full(len(rows), 2.0**-5)
    found = train_svc(K, np.where(y == 1, 1.0, -1.0), bounds).intercept
    assert found == pytest.approx(np.mean(_margins(K, y, bounds)), abs=1e-9)
    theirs = SVC(C=2.0**-5, gamma=0.1).fit(X, y).intercept_[0]
    assert found == pytest.approx(theirs, abs=1e-9)


def test_a_C_that_leaves_the_intercept_to_rounding_is_warned_of():
    X, y = _unequal(0, 2)
    options = {"criterion": "f-score", "search": "once", "n_features_to_select": 3}
    with pytest.warns(UserWarning, match="C=0.001 is so small that every sample is at its bound"):
        SVMSieve(SVC(C=0.001, class_weight="balanced"), **options).fit(X, y)
    for machine in (SVC(C=1.0, class_weight="balanced"), SVC(C=0.001)):  # warnings are errors
        SVMSieve(machine, **options).fit(X, y)
