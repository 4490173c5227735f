"""Many small machines trained in one compiled call are those that are trained one by one."""

from dataclasses import fields

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from svmsieve.engine.kernels.gram import ActiveGram
from svmsieve.engine.kernels.kernel import RBF, Linear, Polynomial
from svmsieve.engine.machines.fit import pair_rows
from svmsieve.engine.machines.growing_c import decisions_along_C
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.many_machines import MANY_MACHINES, decisions_of_others
from svmsieve.engine.machines.pair_machines import FlatPairs
from svmsieve.engine.machines.target import Classes
from svmsieve.engine.machines.trained import PairParts, train
from tests.engine.problems import many_classes

pytestmark = pytest.mark.jitless


def _problem(n_classes=12, n=60, d=3, spread=1.0):
    X, y = many_classes(n, d, n_classes, spread=spread)
    return X, Classes.of(y)


def _one_by_one(monkeypatch):
    monkeypatch.setattr(FlatPairs, "are_few_each", property(lambda self: False))


def _assert_same_machines(some, others):
    assert len(some.parts) == len(others.parts)
    for one, other in zip(some.parts, others.parts, strict=True):
        np.testing.assert_array_equal(one.rows, other.rows)
        np.testing.assert_array_equal(one.y, other.y)
        np.testing.assert_array_equal(one.bounds, other.bounds)
        for field in fields(one.dual):
            value, expected = getattr(one.dual, field.name), getattr(other.dual, field.name)
            np.testing.assert_array_equal(value, expected, err_msg=field.name)


MACHINES = {
    "plain": Machine(C=2.0),
    "balanced": Machine(C=0.3, class_weight="balanced"),
    "tight": Machine(C=10.0, tol=1e-9),
    "never bounded": Machine(C=1e6, tol=1e-3),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", MACHINES)
def test_the_machines_are_the_same_bit_by_bit(monkeypatch, name, weighted):
    X, target = _problem()
    weight = np.random.default_rng(1).integers(0, 3, len(X)) + 1e-3 if weighted else None
    held_out = np.flatnonzero(np.arange(len(X)) % 7 == 0)

    def machines():
        gram = ActiveGram(X, RBF(0.3))
        cold = train(MACHINES[name], gram, target, sample_weight=weight)
        without = train(
            MACHINES[name], gram, target, sample_weight=weight, held_out=held_out, start=cold
        )
        first = cold.calibration(cv=3, seed=2)
        gram.drop([1])
        warm = train(MACHINES[name], gram, target, sample_weight=weight, start=cold)
        again = warm.calibration(cv=3, seed=2, last=first)
        return (cold, without, warm), (first.sigmoids, again.sigmoids)

    at_once, sigmoids = machines()
    assert all(isinstance(each.parts, PairParts) for each in at_once)
    _one_by_one(monkeypatch)
    alone, expected = machines()
    assert not any(isinstance(each.parts, PairParts) for each in alone)
    for some, others in zip(at_once, alone, strict=True):
        _assert_same_machines(some, others)
    np.testing.assert_array_equal(sigmoids, expected)


def test_machines_that_take_many_steps_are_trained_alone(monkeypatch):
    X, target = _problem(n_classes=3, n=45, spread=0.3)
    machine = Machine(C=1e4, max_iter=40)
    with pytest.warns(ConvergenceWarning):
        at_once = train(machine, ActiveGram(X, RBF(0.3)), target)
    assert isinstance(at_once.parts, PairParts)
    assert not at_once.converged
    _one_by_one(monkeypatch)
    with pytest.warns(ConvergenceWarning):
        alone = train(machine, ActiveGram(X, RBF(0.3)), target)
    _assert_same_machines(at_once, alone)


@pytest.mark.parametrize("max_iter", [None, 30])
def test_decisions_along_C(monkeypatch, max_iter):
    X, target = _problem(n_classes=6, n=48, spread=0.7)
    rng = np.random.default_rng(0)
    others, weights = rng.normal(size=(9, X.shape[1])), rng.uniform(0.5, 2.0, len(X))
    kernel, grid = RBF(0.3), np.array([1e-2, 1.0, 30.0, 1e3, 1e5])
    K, across = ActiveGram(X, kernel).matrix, kernel.of_base(kernel.base(others, X))
    options = {"machine": Machine(max_iter=max_iter)}
    values, converged = decisions_along_C(K, across, target.flat_pairs, weights, grid, **options)
    _one_by_one(monkeypatch)
    expected, known = decisions_along_C(K, across, target.flat_pairs, weights, grid, **options)
    np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())
    np.testing.assert_array_equal(converged, known)
    assert converged.all() == (max_iter is None)


@pytest.mark.parametrize("kernel", [RBF(0.3), Linear(), Polynomial(3, 0.5, 1.0)], ids=repr)
@pytest.mark.parametrize("sparse", [False, True])
def test_decisions_of_other_samples(kernel, sparse):
    X, target = _problem(n_classes=11, n=66, d=5)
    X[1] = X[0]  # with another label: their coefficients cancel
    others = np.random.default_rng(0).normal(size=(7, 5))
    form = sp.csr_array if sparse else np.asarray
    trained = train(Machine(C=3.0), ActiveGram(form(X), kernel), target)
    assert len(trained.parts) >= MANY_MACHINES
    found = decisions_of_others(trained, form(others))
    expected = np.column_stack([each.decision_function(others) for each in trained.expansions])
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("seed", range(5))
def test_pairs_of_classes_one_after_another(seed):
    rng = np.random.default_rng(seed)
    codes, n_classes = rng.integers(0, 5, 20), 6  # the last one has no samples
    flat = FlatPairs.of_codes(codes, n_classes)
    pairs = [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]
    assert len(flat) == len(pairs)
    for number, pair in enumerate(pairs):
        rows, signs = pair_rows(codes, *pair)
        np.testing.assert_array_equal(flat.rows[flat.entries(number)], rows)
        np.testing.assert_array_equal(flat.signs[flat.entries(number)], signs)
