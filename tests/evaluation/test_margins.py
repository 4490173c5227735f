"""Margins between methods on the same folds: as computed row by row, and right by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.svm import SVC, SVR

from svmsieve.evaluation import nested_evaluate
from svmsieve.evaluation.margins import guessed, margin, margin_of


def evaluations(scoring, n=60, weights=None):
    X, y = make_classification(n, 5, weights=weights, flip_y=0.1, random_state=0)
    return [
        nested_evaluate(machine, X, y, 4, scoring=scoring)
        for machine in (SVC(C=1.0), SVC(C=0.01, gamma=5.0))
    ]


@pytest.mark.parametrize("scoring", ["accuracy", "ber", "auc"])
def test_turned_round_a_gain_is_a_loss(scoring):
    first, second = evaluations(scoring)
    one, other = margin(first, second), margin(second, first)
    assert one.gain == pytest.approx(-other.gain)
    assert one.lower == pytest.approx(-other.upper)
    assert one.is_gain == other.is_loss
    assert one.gain > 0.0  # an error counts the other way round


@pytest.mark.parametrize("scoring", ["accuracy", "ber"])
def test_a_fold_varies_at_least_as_the_rows_that_differ(scoring):
    first, second = evaluations(scoring, weights=[0.7])
    squares, largest = [], []
    for one, other in zip(first.folds, second.folds, strict=True):
        y = first.y[one.test]
        weights = [
            1.0 / len(y) if scoring == "accuracy" else 1.0 / (2 * np.sum(y == label)) for label in y
        ]
        largest.append(max(weights) ** 2)
        for i in range(len(y)):
            if (one.predictions[i] == y[i]) != (other.predictions[i] == y[i]):
                squares.append(weights[i] ** 2)
    least = (sum(squares) + max(largest)) / 4
    gains = first.metric.gain(first.scores, second.scores)
    expected = margin_of(gains, first.test_per_train, least)
    assert vars(margin(first, second)) == pytest.approx(vars(expected))


def test_the_same_method_twice_is_neither_better_nor_worse():
    first, _ = evaluations("accuracy")
    same = margin(first, first)
    assert same.gain == 0.0
    assert same.lower < 0.0 < same.upper


@pytest.mark.parametrize("scoring", ["accuracy", "ber", "r2", "mse"])
def test_guessing_is_that_of_a_dummy(scoring):
    X, y = make_classification(50, 4, weights=[0.8], random_state=1)
    machine, dummy = SVC(), DummyClassifier()
    if scoring in ("r2", "mse"):
        y, machine, dummy = X @ [1.0, 2.0, 0.0, 0.0], SVR(), DummyRegressor()
    evaluation = nested_evaluate(machine, X, y, 5, scoring=scoring)
    expected = nested_evaluate(dummy, X, y, 5, scoring=scoring)
    np.testing.assert_allclose(guessed(evaluation).scores, expected.scores)


def test_guessing_is_not_known_where_decisions_are_asked_for():
    assert guessed(evaluations("auc")[0]) is None


@pytest.mark.parametrize("folds", [3, pytest.param(5, marks=pytest.mark.paper)])
def test_equal_methods_are_told_apart_as_rarely_as_said(folds):
    """Two machines that see noise alone differ beyond the limits in few data sets."""
    rng, told = np.random.default_rng(folds), 0
    for _ in range(40):
        X, y = rng.normal(size=(60, 4)), rng.permutation(np.arange(60) % 2)
        pair = [nested_evaluate(SVC(gamma=g), X, y, folds) for g in (0.05, 1.0)]
        between = margin(*pair)
        told += between.is_gain or between.is_loss
    assert told <= 4  # of 40, at a level of 5 %
