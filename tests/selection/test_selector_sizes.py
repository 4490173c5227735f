"""Other sizes of a selection that is made."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC, SVR, LinearSVC

from svmsieve import SVMSieve


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8))
    y = np.where(X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=60) > 0, "yes", "no")
    return X, y


def test_the_best_features_of_every_size(data):
    sieve = SVMSieve(SVC(), n_features_to_select=3).fit(*data)
    np.testing.assert_array_equal(sieve.support_at(3), sieve.support_)
    for size in range(1, 9):
        assert set(np.flatnonzero(sieve.support_at(size))) == set(sieve.order_[:size])


def test_a_group_counts_as_one(data):
    sieve = SVMSieve(SVC(), groups=[[0, 1, 2], [3, 4]], n_features_to_select=2).fit(*data)
    np.testing.assert_array_equal(sieve.support_at(2), sieve.support_)
    assert sieve.support_at(5).all()


@pytest.mark.parametrize("size", [0, 9, -1])
def test_sizes_that_there_are_not_are_refused(data, size):
    sieve = SVMSieve(SVC(), n_features_to_select=3).fit(*data)
    with pytest.raises(ValueError, match="size must be from 1 to 8"):
        sieve.support_at(size)


def test_the_same_size_gives_the_same_machine(data):
    X, y = data
    sieve = SVMSieve(SVC(C=3), n_features_to_select=3).fit(X, y)
    again = sieve.at_size(3, X, y)
    np.testing.assert_array_equal(again.decision_function(X), sieve.decision_function(X))


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("size", [1, 5])
def test_another_size_is_what_asking_for_it_gives(data, size, scale):
    X, y = data
    weight = np.linspace(0.5, 2.0, len(y))
    make = {"criterion": "weight", "step": 1, "scale": scale}
    sieve = SVMSieve(SVC(C=3), n_features_to_select=1, **make).fit(X, y, weight)
    asked = SVMSieve(SVC(C=3), n_features_to_select=size, **make).fit(X, y, weight)
    other = sieve.at_size(size, X, y, weight)
    np.testing.assert_array_equal(other.support_, asked.support_)
    np.testing.assert_array_equal(other.decision_function(X), asked.decision_function(X))
    assert other.n_features_ == size
    assert sieve.n_features_ == 1


def test_tuned_values_are_those_of_the_search(data):
    X, y = data
    sieve = SVMSieve(criterion="weight", n_features_to_select=3, step=2).fit(X, y)
    steps = {step.size: step for step in sieve.record_.steps["all"]}
    machine = sieve.at_size(5, X, y).estimator_  # visited: 8, 6, 4, 3
    assert (machine.C, machine.gamma) == (steps[6].C, steps[6].gamma)


def test_a_filter_leaves_the_tuned_values_of_the_selection(data):
    X, y = data
    sieve = SVMSieve(criterion="f-score", n_features_to_select=3).fit(X, y)
    machine = sieve.at_size(6, X, y).estimator_
    assert (machine.C, machine.gamma) == (sieve.estimator_.C, sieve.estimator_.gamma)


def test_a_size_that_a_growing_search_did_not_reach(data):
    X, y = data
    sieve = SVMSieve(search="hill-climb", criterion="f-score", n_features_to_select=2).fit(X, y)
    machine = sieve.at_size(7, X, y).estimator_
    assert machine.C == sieve.record_.steps["all"][-1].C
    assert machine.n_features_in_ == 7


@pytest.mark.parametrize("estimator", [LinearSVC(C=0.5), SVR()])
def test_retuned_values_reach_every_kind_of_machine(data, estimator):
    X, y = data
    if isinstance(estimator, SVR):
        y = X[:, 0] + 0.1 * X[:, 1]
    sieve = SVMSieve(
        estimator, criterion="weight", retune=[4], step=4, n_features_to_select=4, scale=True
    ).fit(X, y)
    step = sieve.record_.steps["all"][-1]
    machine = sieve.at_size(3, X, y).estimator_
    factor = 2.0 if isinstance(estimator, LinearSVC) else 1.0
    assert machine.C * factor == step.C
    if isinstance(estimator, SVR):
        assert (machine.gamma, machine.epsilon) == (step.gamma, step.epsilon)
