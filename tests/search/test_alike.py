"""Samples that are alike are trained as one: the same machines, scores and choices as all samples."""

import numpy as np
import pytest
from sklearn.svm import SVC, LinearSVC

from svmsieve.engine.kernels.kernel import RBF, gram
from svmsieve.engine.machines.machine import Machine
from svmsieve.search import Forward, HillClimb
from svmsieve.search.equal_samples import kinds, kinds_of_rows, refined, solve_as_one
from svmsieve.search.fold import make_folds
from svmsieve.search.growth import Growth
from tests.search.problems import problem_of
from tests.search.test_forward import naive_forward, splits_of


def categories(n, d, n_classes, seed=0):
    """Columns of two or three values and a class that follows the first ones, with some noise.

    The values are no whole numbers: with those many decisions would be zero but for rounding.
    """
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2 + np.arange(d) % 2, (n, d))
    score = codes[:, 0] + codes[:, 1] * codes[:, 2] + 0.6 * rng.normal(size=n)
    X = rng.normal(size=(3, d))[codes, np.arange(d)]
    return X, np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))


def test_kinds_are_those_of_the_rows():
    X, _ = categories(60, 5, 2)
    for columns in ([0], [1, 3], [0, 1, 2, 3, 4]):
        found = kinds_of_rows(X[:, columns])
        rows = [tuple(row) for row in X[:, columns]]
        assert len(found.first) == len(set(rows))
        for row, kind in zip(rows, found.of, strict=True):
            assert rows[found.first[kind]] == row
    together = refined(kinds_of_rows(X[:, [0]]), kinds_of_rows(X[:, [2, 4]]))
    np.testing.assert_array_equal(together.of, kinds_of_rows(X[:, [0, 2, 4]]).of)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("warm", [False, True])
def test_the_machine_is_that_of_all_samples(loss, warm):
    X, y = categories(90, 3, 2)
    signs = 2.0 * y - 1.0
    rng = np.random.default_rng(1)
    bounds = 3.0 * rng.uniform(0.5, 2.0, len(y))
    bounds[rng.permutation(len(y))[:20]] = 0.0  # held out, among them a whole kind
    alike = kinds(2 * kinds_of_rows(X).of + y)
    bounds[alike.of == 0] = 0.0
    assert len(alike.first) < 0.5 * len(y)
    machine = Machine(loss, tol=1e-10)
    kernel = RBF(0.4)
    start = machine.solve(gram(RBF(0.2), X, X), signs, bounds) if warm else None
    expected = machine.solve(gram(kernel, X, X), signs, bounds)
    K = gram(kernel, X[alike.first], X[alike.first])
    found = solve_as_one(machine, K, signs, alike, bounds, start)
    np.testing.assert_allclose(found.decision, expected.decision, atol=1e-7)
    np.testing.assert_allclose(found.outputs, gram(kernel, X, X) @ found.coef, atol=1e-7)
    np.testing.assert_array_equal(found.bounds, expected.bounds)
    np.testing.assert_array_equal(found.coef, signs * found.alpha)
    assert np.all(found.alpha >= 0.0)
    assert np.all(found.alpha <= found.bounds * (1.0 + 1e-12))
    assert found.alpha.sum() == pytest.approx(expected.alpha.sum(), rel=1e-6)
    assert abs(found.coef.sum()) < 1e-9


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "machine",
    [
        SVC(gamma="auto", tol=1e-8),
        SVC(gamma=0.3, C=2.0, tol=1e-8, class_weight={0: 2.0}),
    ],
    ids=["gamma by rule", "fixed gamma"],
)
@pytest.mark.parametrize("groups", [None, [[0, 3], [1], [2, 4], [5]]], ids=["columns", "groups"])
def test_forward_as_a_greedy_loop(n_classes, machine, groups):
    X, y = categories(96, 6, n_classes)
    units = groups or [[c] for c in range(6)]
    built = problem_of(X, y, machine, groups=groups, largest=len(units))
    steps = list(Forward(cv=3).run(built))
    expected = naive_forward(X, y, machine, units, (), len(units), splits_of(built, 3))
    assert [step.moved for step in steps] == [[unit] for unit, _ in expected]
    for step, (_, scores) in zip(steps, expected, strict=True):
        np.testing.assert_allclose(step.fold_scores, scores, rtol=1e-12)


@pytest.mark.parametrize("search", [Forward, HillClimb])
@pytest.mark.parametrize("machine", [SVC(gamma="scale", tol=1e-8), LinearSVC(C=0.5)])
def test_training_on_all_samples_changes_nothing(monkeypatch, search, machine):
    X, y = categories(120, 6, 2)
    built = problem_of(X, y, machine, largest=6)
    steps = {}
    for share in (0.0, 0.2, 1.0):  # never as one, then until there are more kinds, then always
        monkeypatch.setattr("svmsieve.search.growing_fold._FEW_KINDS", share)
        steps[share] = [(step.moved, step.fold_scores) for step in search(cv=4).run(built)]
    assert steps[0.0] == steps[0.2] == steps[1.0]


@pytest.mark.parametrize("least", [0.0, np.inf], ids=["threads", "one after the other"])
def test_no_matrix_of_all_samples_is_made_while_there_are_few_kinds(monkeypatch, least):
    monkeypatch.setattr("svmsieve.search.growth._WORTH_THREADS", least)
    X, y = categories(120, 6, 2)
    X[:, 5] = np.random.default_rng(0).normal(size=120)
    built = problem_of(X, y, SVC(), largest=6)
    folds = make_folds(built, 3)
    growth = Growth(built, folds, [])
    growth.add(0, growth.validate_each([0, 1, 2])[0])
    growth.add(1, growth.validate_each([1, 2])[0])
    assert all(fold._grown is None for fold in growth.folds)
    growth.add(5, growth.validate_each([2, 5])[1])
    for fold, other in zip(growth.folds, Growth(built, folds, [0, 1, 5]).folds, strict=True):
        assert fold._grown is not None
        np.testing.assert_allclose(fold.grown, other.grown, atol=1e-12)
