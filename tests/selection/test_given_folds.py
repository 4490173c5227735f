"""Folds that a user gives: used as they are, none speaks for others; those that judge nothing are refused."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.model_selection import (
    LeaveOneGroupOut,
    LeaveOneOut,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.svm import SVC, SVR

from svmsieve import SVMSieve
from svmsieve.engine.machines.target import Classes, Numbers
from svmsieve.inputs.folds import make_folds, speak_for_all
from tests.search.problems import numbers


def _waves(seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (80, 2))
    return X, (np.sin(4.5 * X[:, 0]) * np.sin(4.5 * X[:, 1]) > 0.35).astype(int)


@pytest.mark.parametrize("seed", [0, 2])
def test_groups_sorted_by_class_choose_the_machine_that_shuffled_ones_do(seed):
    X, y = _waves(seed)
    order = np.argsort(y, kind="stable")
    X, y, groups = X[order], y[order], np.arange(80) // 4  # the first folds hold out one class
    found = []
    for rows in (np.arange(80), np.random.default_rng(seed).permutation(80)):
        sieve = SVMSieve(cv=LeaveOneGroupOut(), random_state=0, keep=[0, 1])
        sieve.fit(X[rows], y[rows], groups=groups[rows])
        found.append((sieve.estimator_.C, sieve.estimator_.gamma, sieve.path_.mean_score[-1]))
        assert np.isfinite(sieve.tuning_.fold_scores).all()
    np.testing.assert_allclose(found[0][:2], found[1][:2])
    assert found[0][2] == pytest.approx(found[1][2], abs=0.026)  # two samples near the boundary


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize(
    "cv",
    [ShuffleSplit(4, train_size=25, test_size=20, random_state=0), TimeSeriesSplit(4)],
    ids=["part of the rows", "the past"],
)
def test_the_final_grid_trains_on_the_samples_of_the_folds(cv, numbers):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4))
    y = X[:, 0] + 0.5 * rng.normal(size=90)
    y = y if numbers else np.where(y > 0.0, "up", "down")
    sieve = SVMSieve(cv=cv, random_state=0).fit(X, y)
    C, gamma = sieve.estimator_.C, sieve.estimator_.gamma
    expected = []
    for train, held_out in cv.split(X):
        Z = X[:, sieve.support_]
        Z = (Z - Z[train].mean(axis=0)) / Z[train].std(axis=0)
        machine, told = SVC(C=C, gamma=gamma), y
        if numbers:
            deviation = y[train].std()
            told = (y - y[train].mean()) / deviation
            epsilon = sieve.tuning_.best_epsilon / sieve.target_deviation_
            machine = SVR(C=C, gamma=gamma, epsilon=epsilon)
        expected.append(machine.fit(Z[train], told[train]).score(Z[held_out], told[held_out]))
    scores = sieve.tuning_.fold_scores[sieve.tuning_.best_index]
    np.testing.assert_allclose(scores, expected, atol=2e-3 if numbers else 1e-9)


def test_a_class_that_the_first_folds_have_not_seen():
    rng = np.random.default_rng(1)
    y = np.concatenate([np.arange(30) % 2, np.arange(60) % 3])
    X = rng.normal(size=(90, 3))
    X[:, 0] += 2.0 * y
    sieve = SVMSieve(cv=TimeSeriesSplit(3, test_size=20), random_state=0).fit(X, y)
    assert sieve.support_[0]
    assert np.isfinite(sieve.tuning_.best_score)


def test_which_folds_speak_for_all():
    target = Classes.of(np.repeat([0, 1], 30))
    for cv in (5, "auto"):
        assert speak_for_all(cv, make_folds(cv, target, 0), target, 5)
    given = StratifiedKFold(5, shuffle=True, random_state=0)
    assert not speak_for_all(given, make_folds(given, target, 0), target, 5)
    one_class = [(np.arange(10, 60), np.arange(10))]
    assert not speak_for_all(5, one_class, target, 5)
    numbers = Numbers(np.arange(60.0))
    assert speak_for_all("auto", make_folds("auto", numbers, 0), numbers, 5)


@pytest.mark.parametrize("scoring", [None, "r2"])
def test_folds_of_one_number_are_refused_before_anything_is_computed(scoring):
    X, y = numbers(n=10, d=3)
    steps = []
    sieve = SVMSieve(SVR(), criterion="weight", cv=LeaveOneOut(), n_features_to_select="best")
    sieve.set_params(scoring=scoring, callback=steps.append)
    with pytest.raises(
        ValueError, match=r"fold 0 holds out one sample \(row 0\), and R² needs two"
    ):
        sieve.fit(X, y)
    assert steps == []
    sieve.set_params(scoring="neg_mean_squared_error").fit(X, y)
    assert sieve.path_.fold_scores.shape == (3, 10)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("task", ["two", "three", "numbers"])
def test_weights_of_zero_leave_a_selection_or_a_sentence_about_the_fold(seed, task):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(9, 14))
    X, weight = rng.normal(size=(n, 3)), rng.exponential(size=n) * (rng.random(n) < 0.4)
    weight[:3] = 1.0  # each class has some
    y = {"two": np.arange(n) % 2, "three": np.arange(n) % 3, "numbers": X[:, 0]}[task]
    steps = []
    sieve = SVMSieve(cv=3, random_state=seed, search="once", callback=steps.append)
    said = None
    try:
        sieve.fit(X, y, sample_weight=weight)
    except ValueError as error:
        said = str(error)
    if said is None:
        assert sieve.n_features_ >= 1
    else:
        assert re.match(r"fold \d+ (does not train on|holds out no) ", said), said
        assert steps == []
