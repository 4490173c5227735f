"""RMBoundSVC: ranking, selection, machine, refusals."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from svmsieve.runtime.memory import MemoryBudgetError
from svmsieve.strategies import FScoreSVC, RMBoundSVC
from tests import naive_strategies as naive
from tests.strategies.problems import product_sign, shifted


def test_finds_features_that_matter_only_together():
    X, y = product_sign(n=200, d=10)
    machine = RMBoundSVC(n_splits=2).fit(X, y)
    assert np.flatnonzero(machine.support_).tolist() == [0, 1]
    assert machine.scores_[2:].max() < 1e-2 * machine.scores_[:2].min()
    X_new, y_new = product_sign(n=400, d=10, seed=1)
    assert machine.score(X_new, y_new) > 0.9
    assert machine.bound_values_[-1] < machine.bound_values_[0]


def test_decisions_are_those_of_a_hard_margin_svc_with_a_ridge():
    # scikit-learn's SVC on the precomputed kernel K + I/C without a bound is the squared-hinge machine.
    X, y = product_sign(n=40, d=3)
    machine = RMBoundSVC(thresholds=[0.0], n_splits=1).fit(X, y)
    scaled = MinMaxScaler().fit_transform(X)
    K = naive.scaled_gram(scaled, machine.gamma_)
    ridge = np.eye(len(y)) / machine.C_
    by_hand = SVC(kernel="precomputed", C=1e10, tol=1e-8).fit(K + ridge, y)
    decisions = K[:, by_hand.support_] @ by_hand.dual_coef_[0] + by_hand.intercept_
    np.testing.assert_allclose(machine.decision_function(X), decisions, atol=1e-5)


def test_the_unit_of_a_column_does_not_matter():
    X, y = product_sign(n=80, d=4)
    units = np.array([1e-3, 1.0, 50.0, 1e4])
    plain = RMBoundSVC(n_splits=1).fit(X, y)
    scaled = RMBoundSVC(n_splits=1).fit(X * units, y)
    np.testing.assert_allclose(scaled.scores_, plain.scores_, rtol=1e-3, atol=1e-6)
    np.testing.assert_array_equal(scaled.support_, plain.support_)


def test_dropped_features_are_not_looked_at():
    X, y = product_sign(n=100, d=6)
    machine = RMBoundSVC(n_splits=2).fit(X, y)
    assert not machine.support_.all()
    changed = X.copy()
    changed[:, ~machine.support_] = 1e3
    np.testing.assert_array_equal(machine.decision_function(X), machine.decision_function(changed))


def test_constant_columns_score_zero():
    X, y = product_sign(n=60, d=4)
    X[:, 3] = 2.0
    machine = RMBoundSVC(n_splits=1).fit(X, y)
    assert machine.scores_[3] == machine.gamma_[3] == 0.0
    assert not machine.support_[3]
    with pytest.raises(ValueError, match="X must hold a column that varies"):
        RMBoundSVC().fit(np.ones((20, 2)), y[:20])


def test_sparse_input_gives_what_dense_input_gives():
    X, y = shifted(n=50, d=5)
    X = np.abs(X)
    X[np.random.default_rng(0).random(X.shape) < 0.3] = 0.0
    dense = RMBoundSVC(n_splits=1).fit(X, y)
    sparse = RMBoundSVC(n_splits=1).fit(sp.csr_matrix(X), y)
    np.testing.assert_allclose(sparse.scores_, dense.scores_, rtol=1e-2, atol=1e-6)
    np.testing.assert_allclose(
        sparse.decision_function(sp.csr_matrix(X)), dense.decision_function(X), atol=1e-2
    )


def test_workers_change_nothing():
    X, y = product_sign(n=60, d=5)
    one = RMBoundSVC(n_splits=3).fit(X, y)
    two = RMBoundSVC(n_splits=3, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.thresholds_.split_errors, two.thresholds_.split_errors)
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


def test_several_classes_are_refused_with_what_works():
    X, y = shifted(n=60, d=4, n_classes=3)
    with pytest.raises(ValueError, match=r"3 classes; use FScoreSVC.*OneVsRestClassifier"):
        RMBoundSVC().fit(X, y)
    wrapped = OneVsRestClassifier(RMBoundSVC(thresholds=[0.0], n_splits=1)).fit(X, y)
    assert wrapped.score(X, y) > 0.8


@pytest.mark.parametrize("max_iter", [0, None, "z", 2.5])
def test_max_iter_is_checked(max_iter):
    X, y = product_sign(n=30, d=3)
    with pytest.raises(ValueError, match="max_iter must be a whole number of at least 1"):
        RMBoundSVC(max_iter=max_iter).fit(X, y)


@pytest.mark.parametrize("sparse", [False, True])
def test_columns_that_are_constant_in_a_split_only_are_told_so(sparse):
    X = np.zeros((30, 2))
    X[0, 0] = X[15, 1] = 1.0
    y = np.repeat([0, 1], 15)
    with pytest.raises(
        ValueError, match=r"training part of every random split.*lower validation_f"
    ):
        RMBoundSVC().fit(sp.csr_matrix(X) if sparse else X, y)


@pytest.mark.parametrize(
    ("strategy", "matrices"), [(FScoreSVC, 1.5), (RMBoundSVC, 1.5), (RMBoundSVC, 2.5)]
)
def test_the_budget_is_told_with_what_works(strategy, matrices):
    X, y = product_sign(n=60, d=4)
    machine = strategy(memory=matrices * 8 * 60**2)
    with pytest.raises(
        MemoryBudgetError, match=r"60 samples .*\(memory\), or use fewer samples\.$"
    ):
        machine.fit(X, y)
