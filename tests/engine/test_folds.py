"""Held-out samples and the decision values of machines that did not see them."""

import numpy as np
import pytest

from svmsieve.engine.kernels.kernel import RBF, Linear, gram
from svmsieve.engine.machines.folds import out_of_fold_decisions, stratified_folds
from svmsieve.engine.machines.machine import Machine, train_squared_hinge
from tests import naive
from tests.engine.problems import two_classes


def test_folds_are_a_stratified_partition():
    labels = np.repeat([0, 1, 2], [30, 20, 10])
    folds = stratified_folds(labels, 5)
    np.testing.assert_array_equal(np.sort(np.concatenate(folds)), np.arange(60))
    for held_out in folds:
        np.testing.assert_array_equal(np.bincount(labels[held_out]), [6, 4, 2])


def test_the_seed_decides():
    labels = np.arange(40) % 2
    first, same, other = (stratified_folds(labels, 4, seed) for seed in (1, 1, 2))
    for a, b in zip(first, same, strict=True):
        np.testing.assert_array_equal(a, b)
    assert any(not np.array_equal(a, b) for a, b in zip(first, other, strict=True))


def test_a_class_smaller_than_the_number_of_folds():
    with pytest.raises(
        ValueError, match=r"cv=5 folds need .* each class; the smallest class has 3"
    ):
        stratified_folds(np.repeat([0, 4], [20, 3]), 5)


@pytest.mark.parametrize("n_folds", [1, 0, -2])
def test_fewer_than_two_folds(n_folds):
    with pytest.raises(ValueError, match="cv must be at least 2 folds"):
        stratified_folds(np.arange(10) % 2, n_folds)


@pytest.mark.jitless
@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_out_of_fold_equals_slicing_the_matrix(warm, weighted):
    X, y = two_classes(24, 3)
    K = gram(RBF(0.3), X, X)
    bounds = np.full(24, 2.0)
    if weighted:
        bounds *= np.random.default_rng(0).uniform(0.3, 3.0, size=24)
    machine = Machine(tol=1e-9)
    folds = stratified_folds((y > 0).astype(np.intp), 4)
    start = machine.solve(K, y, bounds) if warm else None
    values = out_of_fold_decisions(machine, K, y, bounds, folds, start)
    np.testing.assert_allclose(values, naive.out_of_fold_decisions(K, y, bounds, folds), atol=1e-5)


def test_a_matrix_of_the_linear_kernel():
    X, y = two_classes(50, 3)
    K = gram(Linear(), X, X)
    folds = stratified_folds((y > 0).astype(np.intp), 5)
    machine = Machine(tol=1e-8)
    values = out_of_fold_decisions(machine, K, y, np.full(50, 0.5), folds)
    np.testing.assert_allclose(values, naive.out_of_fold_decisions(K, y, 0.5, folds), atol=1e-4)


def test_the_squared_hinge_machine():
    X, y = two_classes(40, 3)
    K = gram(RBF(0.3), X, X)
    folds = stratified_folds((y > 0).astype(np.intp), 4)
    machine, bounds = Machine("squared_hinge"), np.full(40, 5.0)
    start = machine.solve(K, y, bounds)
    values = out_of_fold_decisions(machine, K, y, bounds, folds, start)
    for held_out in folds:
        rest = np.setdiff1d(np.arange(40), held_out)
        dual = train_squared_hinge(K[np.ix_(rest, rest)], y[rest], 5.0)
        expected = K[np.ix_(held_out, rest)] @ dual.coef + dual.intercept
        np.testing.assert_allclose(values[held_out], expected, atol=1e-9)


def test_the_bounds_are_left_alone():
    X, y = two_classes(20, 2)
    bounds = np.full(20, 1.5)
    folds = stratified_folds((y > 0).astype(np.intp), 4)
    out_of_fold_decisions(Machine(), gram(RBF(1.0), X, X), y, bounds, folds)
    assert (bounds == 1.5).all()
