"""Machines that follow the size: every point of the grid against scikit-learn's machine."""

import numpy as np
import pytest
from sklearn.svm import SVC, SVR

from svmsieve.engine.kernels.kernel import gamma_of, squared_distances
from svmsieve.engine.machines import relative_grid
from svmsieve.engine.machines.expansion import vote
from svmsieve.engine.machines.relative_grid import GRID
from svmsieve.engine.machines.target import Classes, Numbers

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 4))
OTHERS = RNG.normal(size=(25, 4))
CLASSES = np.where(X[:, 0] * X[:, 1] + 0.3 * RNG.normal(size=60) > 0, "b", "a")
THREE = np.array(["a", "b", "c"])[(X[:, 0] > 0.4).astype(int) + (X[:, 1] > 0).astype(int)]
NUMBERS = X[:, 0] ** 2 + X[:, 1]
WEIGHTS = RNG.uniform(0.5, 2.0, 60)


@pytest.fixture
def exact(monkeypatch):
    """Machines as near to the optimum as scikit-learn's."""
    monkeypatch.setattr(relative_grid, "TOLERANCE", 1e-3)


def decisions(target, weights=None, kept=None):
    return list(
        GRID.decisions(
            squared_distances(X, X),
            squared_distances(OTHERS, X),
            gamma_of("scale", X),
            target,
            np.ones(60) if weights is None else weights,
            kept,
        )
    )


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
@pytest.mark.usefixtures("exact")
def test_each_point_is_scikit_learns_machine_for_two_classes(weights):
    found = decisions(Classes.of(CLASSES), weights)
    for (C, gamma), values in zip(GRID.points, found, strict=True):
        twin = SVC(C=C, gamma=gamma * gamma_of("scale", X)).fit(X, CLASSES, weights)
        # Both stop within 1e-3 of the optimum's conditions.
        np.testing.assert_allclose(values[:, 0], twin.decision_function(OTHERS), atol=0.02)


@pytest.mark.usefixtures("exact")
def test_each_point_is_scikit_learns_machine_for_three_classes():
    for (C, gamma), values in zip(GRID.points, decisions(Classes.of(THREE)), strict=True):
        twin = SVC(C=C, gamma=gamma * gamma_of("scale", X), decision_function_shape="ovo")
        # Of a pair, scikit-learn's positive side is the first class, ours the second.
        np.testing.assert_allclose(values, -twin.fit(X, THREE).decision_function(OTHERS), atol=0.02)


@pytest.mark.usefixtures("exact")
def test_each_point_is_scikit_learns_machine_for_numbers():
    for (C, gamma), values in zip(GRID.points, decisions(Numbers.of(NUMBERS)), strict=True):
        twin = SVR(C=C, gamma=gamma * gamma_of("scale", X), epsilon=GRID.epsilon, max_iter=20_000)
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(
                values[:, 0], twin.fit(X, NUMBERS).predict(OTHERS), atol=0.02
            )


def test_judged_machines_predict_as_those_nearer_to_the_optimum_do(monkeypatch):
    for target in (Classes.of(CLASSES), Classes.of(THREE)):
        monkeypatch.undo()
        quick = [vote(values, len(target.classes)) for values in decisions(target)]
        monkeypatch.setattr(relative_grid, "TOLERANCE", 1e-6)
        near = [vote(values, len(target.classes)) for values in decisions(target)]
        assert np.mean([one != two for one, two in zip(quick, near, strict=True)]) <= 0.01


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.usefixtures("exact")
def test_some_points_are_as_they_are_among_all(seed):
    kept = np.sort(np.random.default_rng(seed).choice(len(GRID.points), 3, replace=False)).tolist()
    for target in (Classes.of(CLASSES), Classes.of(THREE), Numbers.of(NUMBERS)):
        every, some = decisions(target), decisions(target, kept=kept)
        assert len(some) == 3
        for place, values in zip(kept, some, strict=True):
            # A machine starts from that of the next smaller C that is judged.
            np.testing.assert_allclose(values, every[place], atol=0.02)


def test_units_of_the_columns_change_nothing():
    larger = 8.0 * X  # a power of two: the same digits
    other = GRID.decisions(
        squared_distances(larger, larger),
        squared_distances(8.0 * OTHERS, larger),
        gamma_of("scale", larger),
        Classes.of(CLASSES),
        np.ones(60),
    )
    for one, two in zip(decisions(Classes.of(CLASSES)), other, strict=True):
        np.testing.assert_allclose(one, two, atol=1e-9)


def test_as_a_tuning_each_score_stands_at_its_point():
    scores = RNG.uniform(size=(len(GRID.points), 5))
    tuning = GRID.as_tuning(scores, 0.25, regression=False)
    best = int(scores.mean(axis=1).argmax())
    C, gamma = GRID.points[best]
    assert (tuning.best_C, tuning.best_gamma) == (C, 0.25 * gamma)
    assert tuning.best_score == pytest.approx(scores.mean(axis=1).max())
    assert np.isfinite(tuning.scores).sum() == len(GRID.points)
