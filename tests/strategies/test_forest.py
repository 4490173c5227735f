"""FScoreForestSVC and ForestRMBoundSVC."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import balanced_accuracy_score

from svmsieve.engine.machines.folds import stratified_folds
from svmsieve.engine.machines.target import Classes
from svmsieve.runtime.seeds import derived_seed
from svmsieve.strategies import ForestRMBoundSVC, FScoreForestSVC, FScoreSVC
from svmsieve.strategies.forest import choose_by_forest
from tests.strategies.problems import product_sign, shifted

QUICK = {"C": [1.0, 10.0], "gamma": [1.0], "n_splits": 2, "n_trees": 20}
OPTIONS = {"n_trees": 20, "seed": 0, "n_jobs": None, "memory": None}


def test_sizes_are_halved_and_the_lowest_error_wins():
    X, y = shifted(n=80, d=13)
    choice = choose_by_forest(X, Classes.of(y), n_features_to_select=None, **OPTIONS)
    assert choice.thresholds.sizes.tolist() == [1, 3, 6, 13]
    size = choice.thresholds.sizes[choice.thresholds.errors.argmin()]
    assert choice.support.sum() == size
    assert choice.scores[choice.support].min() >= choice.scores[~choice.support].max()


def test_all_features_are_judged_by_plain_cross_validation():
    # With nothing left out no ranking matters: the error is a forest's own.
    X, y = shifted(n=60, d=4, shift=1.0)
    choice = choose_by_forest(X, Classes.of(y), n_features_to_select=4, **OPTIONS)
    errors = []
    for number, fold in enumerate(stratified_folds(y, 5, derived_seed(0, 3))):
        rest = np.setdiff1d(np.arange(60), fold)
        forest = RandomForestClassifier(20, random_state=derived_seed(0, 5, number))
        predicted = forest.fit(X[rest], y[rest]).predict(X[fold])
        errors.append(1.0 - balanced_accuracy_score(y[fold], predicted))
    np.testing.assert_allclose(choice.thresholds.split_errors, [errors])


def test_noise_has_an_error_of_a_half():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 300)), np.arange(60) % 2
    choice = choose_by_forest(X, Classes.of(y), n_features_to_select=10, **OPTIONS)
    assert choice.thresholds.errors[0] > 0.35


def test_f_score_comes_first():
    X, y = shifted(n=60, d=12)
    machine = FScoreForestSVC(thresholds=[0.05], n_features_to_select=2, **QUICK).fit(X, y)
    options = {name: QUICK[name] for name in ("C", "gamma", "n_splits")}
    first = FScoreSVC(thresholds=[0.05], **options).fit(X, y)
    assert machine.support_.sum() == 2
    assert not machine.support_[~first.support_].any()
    assert (machine.scores_[~first.support_] == 0.0).all()
    np.testing.assert_array_equal(machine.f_scores_, first.scores_)
    np.testing.assert_array_equal(machine.thresholds_.split_errors, first.thresholds_.split_errors)
    assert machine.estimator_.n_features_in_ == 2


def test_more_features_than_the_f_score_left_are_all_of_them():
    X, y = shifted(n=60, d=6)
    machine = FScoreForestSVC(thresholds=[0.5], n_features_to_select=50, **QUICK).fit(X, y)
    assert machine.support_.tolist() == (machine.f_scores_ >= 0.5).tolist()


def test_forest_strategies_take_sparse_input_and_several_classes():
    X, y = shifted(n=90, d=10, n_classes=3)
    X = np.abs(X)
    machine = FScoreForestSVC(**QUICK).fit(sp.csr_matrix(X), y)
    assert machine.predict(sp.csr_matrix(X)).shape == (90,)
    assert machine.score(sp.csr_matrix(X), y) > 0.7


def test_rm_machine_after_the_forest():
    X, y = product_sign(n=150, d=8)
    machine = ForestRMBoundSVC(n_features_to_select=4, n_trees=100, n_splits=2).fit(X, y)
    assert machine.support_[:2].all()
    assert (machine.scores_ > 0.0).sum() == 4
    assert (machine.gamma_ > 0.0).sum() == 4
    X_new, y_new = product_sign(n=300, d=8, seed=1)
    assert machine.score(X_new, y_new) > 0.85


@pytest.mark.parametrize("strategy", [FScoreForestSVC, ForestRMBoundSVC])
def test_workers_change_nothing(strategy):
    X, y = shifted(n=50, d=8)
    options = {"n_trees": 15, "n_splits": 2}
    if strategy is FScoreForestSVC:
        options |= {"C": [1.0], "gamma": [1.0]}
    one, two = strategy(**options).fit(X, y), strategy(n_jobs=2, **options).fit(X, y)
    np.testing.assert_array_equal(one.scores_, two.scores_)
    np.testing.assert_array_equal(
        one.forest_thresholds_.split_errors, two.forest_thresholds_.split_errors
    )
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


@pytest.mark.parametrize("strategy", [FScoreForestSVC, ForestRMBoundSVC])
@pytest.mark.parametrize("options", [{"n_trees": 0}, {"n_features_to_select": 0.5}])
def test_bad_parameters_are_refused_at_fit(strategy, options):
    X, y = shifted(n=30, d=4)
    (name,) = options
    with pytest.raises(ValueError, match=f"{name} must be a whole number of at least 1, got 0"):
        strategy(**options).fit(X, y)
