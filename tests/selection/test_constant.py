"""The machine of no features."""

from __future__ import annotations

import numpy as np
import pytest

from svmsieve.selection.constant import ConstantClassifier, ConstantRegressor

EMPTY = np.empty((7, 0))


def test_two_classes_have_the_intercept_of_the_smallest_loss():
    y = np.array([0, 0, 0, 1, 1, 1, 1])
    for weight in (None, np.r_[np.full(3, 5.0), np.ones(4)]):
        machine = ConstantClassifier().fit(EMPTY, y, weight)
        signs = 2.0 * y - 1.0
        grid = np.linspace(-2, 2, 401)
        loss = [np.average(np.maximum(0, 1 - signs * b), weights=weight) for b in grid]
        assert machine.decision_function(EMPTY)[0] == pytest.approx(grid[np.argmin(loss)])
        assert (machine.predict(EMPTY) == (machine.decision_function(EMPTY) > 0)).all()


def test_three_classes():
    machine = ConstantClassifier().fit(EMPTY, list("abbbcca"))
    assert machine.predict(EMPTY).tolist() == ["b"] * 7
    assert machine.decision_function(EMPTY).argmax(axis=1).tolist() == [1] * 7


def test_numbers_have_the_intercept_of_the_smallest_loss():
    rng = np.random.default_rng(0)
    y, weight = rng.normal(size=7), rng.random(7)
    value = ConstantRegressor().fit(EMPTY, y, weight).predict(EMPTY)[0]
    losses = [np.sum(weight * np.abs(y - b)) for b in y]
    assert value == y[np.argmin(losses)]
    assert ConstantRegressor().fit(EMPTY, y).value_ == np.median(y)
