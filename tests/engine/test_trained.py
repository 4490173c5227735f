"""Machines trained again and again on a shrinking Gram matrix."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils.class_weight import compute_sample_weight

from svmsieve.engine.kernels.gram import ActiveGram
from svmsieve.engine.kernels.kernel import RBF, Linear, gram
from svmsieve.engine.machines.fit import fit_svc, fit_svr
from svmsieve.engine.machines.folds import stratified_folds
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.platt import fit_sigmoid
from svmsieve.engine.machines.target import Classes, Numbers
from svmsieve.engine.machines.trained import train
from svmsieve.engine.machines.weights import sample_weights
from tests import naive
from tests.engine.problems import many_classes, numbers, two_classes

TOL = 1e-7


def _problem(kind, n=45, d=5):
    if kind == "numbers":
        X, y = numbers(n, d)
        return X, Numbers.of(y), Machine("epsilon", C=2.0, epsilon=0.1, tol=TOL)
    X, y = many_classes(n, d, 3 if kind == "three" else 2, spread=0.7)
    loss = "squared_hinge" if kind == "squared" else "hinge"
    return X, Classes.of(y), Machine(loss, C=2.0, tol=TOL)


KINDS = ["two", "three", "squared", "numbers"]


def _decisions(trained, X):
    return np.column_stack([expansion.decision_function(X) for expansion in trained.expansions])


def test_targets():
    classes = Classes.of(["b", "a", "b", "c"])
    assert classes.task == "multiclass"
    assert len(classes) == 4
    rows, signs = classes.pairs[0]  # a against b
    np.testing.assert_array_equal(rows, [0, 1, 2])
    np.testing.assert_array_equal(signs, [1.0, -1.0, 1.0])
    assert Classes.of([0, 1]).task == "binary"
    values = Numbers.of([1, 2, 3])
    assert (values.task, len(values), len(values.pairs)) == ("regression", 3, 1)
    with pytest.raises(ValueError, match="y must be finite: entry 1 is nan"):
        Numbers.of([1.0, np.nan])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("matrix", [np.asarray, sp.csr_array])
def test_equals_the_machines_trained_on_the_samples(kind, matrix):
    X, target, machine = _problem(kind)
    trained = train(machine, ActiveGram(matrix(X), RBF(0.2)), target)
    assert trained.converged
    if kind == "numbers":
        svr = fit_svr(X, target.values, RBF(0.2), Machine("epsilon", 2.0, 0.1, tol=TOL))
        expected = svr.decision_function(X)[:, None]
    else:
        labels = target.classes[target.codes]
        expected = fit_svc(X, labels, RBF(0.2), Machine(machine.loss, 2.0, tol=TOL))
        expected = expected.decision_values(X)
    np.testing.assert_allclose(_decisions(trained, X), expected, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_retraining_from_the_last_machine_equals_a_fresh_one(kind):
    X, target, machine = _problem(kind)
    active = ActiveGram(X, RBF(0.2))
    trained = train(machine, active, target)
    for feature in (3, 0, 4):
        active.drop([feature])
        trained = train(machine, active, target, start=trained)
        rest = X[:, active.active]
        fresh = train(machine, ActiveGram(rest, RBF(0.2)), target)
        np.testing.assert_allclose(_decisions(trained, rest), _decisions(fresh, rest), atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_without_folds_equals_training_on_the_others(kind):
    X, target, machine = _problem(kind)
    trained = train(machine, ActiveGram(X, RBF(0.2)), target)
    folds = trained.folds(3, seed=1)
    np.testing.assert_array_equal(np.sort(np.concatenate(folds)), np.arange(len(X)))
    for held_out, part in zip(folds, trained.without_folds(folds), strict=True):
        rest = np.setdiff1d(np.arange(len(X)), held_out)
        if kind == "numbers":
            target_rest = Numbers(target.values[rest])
        else:
            target_rest = Classes(target.classes, target.codes[rest])
        alone = train(machine, ActiveGram(X[rest], RBF(0.2)), target_rest)
        np.testing.assert_allclose(
            _decisions(part, X[held_out]), _decisions(alone, X[held_out]), atol=1e-4
        )


@pytest.mark.parametrize("kind", ["two", "three"])
def test_calibration_uses_out_of_fold_decisions(kind):
    X, target, machine = _problem(kind)
    trained = train(machine, ActiveGram(X, RBF(0.2)), target)
    sigmoids = trained.calibrate(cv=3, seed=2)
    for part, sigmoid in zip(trained.parts, sigmoids, strict=True):
        K = gram(RBF(0.2), X[part.rows], X[part.rows])
        folds = stratified_folds((part.y > 0).astype(np.intp), 3, 2)
        decisions = naive.out_of_fold_decisions(K, part.y, 2.0, folds)
        np.testing.assert_allclose(sigmoid, fit_sigmoid(decisions, part.y), rtol=1e-2, atol=1e-3)


@pytest.mark.parametrize("kind", ["two", "three"])
def test_calibration_weighs_classes_by_the_training_samples_of_its_folds(kind):
    X, target, _ = _problem(kind)
    rows = np.r_[np.flatnonzero(target.codes == 0)[:7], np.flatnonzero(target.codes > 0)]
    X, target = X[rows], target.take(rows)
    machine = Machine(C=2.0, class_weight="balanced")
    trained = train(machine, ActiveGram(X, RBF(0.2)), target)
    calibration = trained.calibration(cv=3, seed=2)
    machines = calibration.machines
    if calibration.layout is not None:  # those of several pairs lie one after another
        every = [machines.dual(m) for m in range(len(machines.pairs))]
        machines = [every[start : start + 3] for start in range(0, len(every), 3)]
    for part, duals in zip(trained.parts, machines, strict=True):
        folds = stratified_folds((part.y > 0).astype(np.intp), 3, 2)
        for held_out, dual in zip(folds, duals, strict=True):
            rest = np.setdiff1d(np.arange(len(X)), part.rows[held_out])
            weights = compute_sample_weight("balanced", target.codes[rest])
            expected = np.zeros(len(X))
            expected[rest] = 2.0 * weights
            np.testing.assert_allclose(dual.bounds, expected[part.rows], rtol=1e-12)


def test_small_classes_lower_the_number_of_folds():
    X, _ = two_classes(20, 2)
    target = Classes.of(np.repeat([0, 1], [17, 3]))
    trained = train(Machine(), ActiveGram(X, RBF(0.2)), target)
    assert np.isfinite(trained.calibrate(cv=5)[0]).all()
    alone = train(Machine(), ActiveGram(X, RBF(0.2)), Classes.of(np.repeat([0, 1], [19, 1])))
    with pytest.raises(ValueError, match="probabilities need at least two samples of each class"):
        alone.calibrate()


def test_weights():
    target = Classes.of([0, 0, 0, 1])
    balanced = sample_weights(Machine(class_weight="balanced"), target, None)
    np.testing.assert_allclose(balanced, [2 / 3, 2 / 3, 2 / 3, 2.0])
    both = sample_weights(Machine(class_weight={1: 5.0}), target, np.array([1.0, 2.0, 3.0, 4.0]))
    np.testing.assert_allclose(both, [1.0, 2.0, 3.0, 20.0])
    trained_on = sample_weights(
        Machine(class_weight="balanced"), target, None, held_out=np.array([0])
    )
    np.testing.assert_allclose(trained_on, [0.0, 3 / 4, 3 / 4, 3 / 2])
    numbers_target = Numbers.of([1.0, 2.0])
    np.testing.assert_array_equal(sample_weights(Machine(), numbers_target, None), [1.0, 1.0])


@pytest.mark.parametrize("kind", KINDS)
def test_a_weight_of_zero_leaves_a_sample_out(kind):
    X, target, machine = _problem(kind)
    weight = np.ones(len(X))
    weight[[1, 8, 20]] = 0.0
    weighted = train(machine, ActiveGram(X, RBF(0.2)), target, sample_weight=weight)
    held = train(machine, ActiveGram(X, RBF(0.2)), target, held_out=np.array([1, 8, 20]))
    np.testing.assert_allclose(_decisions(weighted, X), _decisions(held, X), atol=1e-10)


def test_a_constant_machine_has_one_idle_centre():
    X = np.random.default_rng(0).normal(size=(6, 2))
    trained = train(Machine("epsilon", epsilon=5.0), ActiveGram(X, Linear()), Numbers.of(X[:, 0]))
    (part,) = trained.parts
    np.testing.assert_array_equal(part.coef, [0.0])
    assert len(part.centers) == 1
    assert trained.expansions[0].centers.shape == (1, 2)


def test_too_many_folds():
    X, target, machine = _problem("numbers", n=6)
    trained = train(machine, ActiveGram(X, RBF(0.2)), target)
    with pytest.raises(ValueError, match="cv=7 folds need at least 7 samples, got 6"):
        trained.folds(7, 0)


def test_centres_are_the_samples_where_all_of_them_are_support_vectors():
    X, y = two_classes(30, 4)
    target = Classes.of(y)
    samples = ActiveGram(X, RBF(50.0))  # every sample is alone
    expansion = train(Machine("hinge", C=1.0), samples, target).expansions[0]
    assert expansion.centers is samples.samples
    assert len(expansion.coef) == 30
    few = train(Machine("hinge", C=10.0), ActiveGram(X, Linear()), target)
    assert len(few.parts[0].centers) < 30
    np.testing.assert_array_equal(few.expansions[0].centers, X[few.parts[0].centers])
    for trained in (few, train(Machine("hinge", C=1.0), samples, target)):
        part = trained.parts[0]
        expected = part.dual.outputs + part.dual.intercept
        np.testing.assert_allclose(_decisions(trained, X)[:, 0], expected, atol=1e-9)
