"""Criteria on R²‖w‖² against loops, central differences and other solvers."""

from __future__ import annotations

import numpy as np
import pytest

from svmsieve.criteria.radius_margin import (
    RadiusMargin,
    RadiusMarginGradient,
    RadiusMarginRetrained,
    sphere_around,
)
from tests import naive_criteria as naive
from tests.criteria.cases import CLASS_TASKS, GROUPS, RBF, assert_same, each_kernel, make_case

ALL = [RadiusMargin(), RadiusMarginGradient(), RadiusMarginRetrained()]


def squared_hinge_case(task, kernel, **options):
    return make_case(task, kernel, loss="squared_hinge", **options)


def given_spheres(case):
    """The spheres as the package found them."""
    trained = case.trained
    return [sphere_around(trained.matrix_of(part), part).beta for part in trained.parts]


def own_spheres(case):
    """The spheres of the lifted kernel by the oracle's own solver."""
    betas = []
    for machine in case.machines:
        K = naive.gram(case.kernel, case.X[machine.rows]) + np.diag(1.0 / machine.C)
        betas.append(naive.enclose(K)[0])
    return betas


@each_kernel
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["", "groups"])
@pytest.mark.parametrize("task", CLASS_TASKS)
def test_radius_margin(task, kernel, groups):
    case = squared_hinge_case(task, kernel, groups=groups)
    args = kernel, case.X, case.machines
    scores = case.scores(RadiusMargin())
    assert_same(scores, naive.radius_margin(*args, given_spheres(case), case.groups))
    expected = naive.radius_margin(*args, own_spheres(case), case.groups)
    np.testing.assert_allclose(scores, expected, rtol=1e-4)


@each_kernel
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["", "groups"])
@pytest.mark.parametrize("task", CLASS_TASKS)
def test_radius_margin_gradient(task, kernel, groups):
    case = squared_hinge_case(task, kernel, groups=groups)
    args = kernel, case.X, case.machines
    scores = case.scores(RadiusMarginGradient())
    assert_same(scores, naive.radius_margin_gradient(*args, given_spheres(case), case.groups))
    expected = naive.radius_margin_gradient(*args, own_spheres(case), case.groups)
    # the sphere's tolerance is 1e-6, and the two terms of the derivative cancel
    np.testing.assert_allclose(scores, expected, atol=1e-4 * max(expected))


@each_kernel
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["", "groups"])
@pytest.mark.parametrize("task", CLASS_TASKS)
def test_radius_margin_retrained(task, kernel, groups):
    case = squared_hinge_case(task, kernel, groups=groups)
    expected = naive.radius_margin_retrained(kernel, case.X, case.machines, case.groups)
    assert_same(case.scores(RadiusMarginRetrained()), expected)


@each_kernel
def test_the_gradient_is_the_derivative_of_the_bound(kernel):
    """Machine and sphere solved again at the scaled features."""
    case = squared_hinge_case("binary", kernel)
    (machine,) = case.machines
    h = 1e-5

    def bound(columns, v):
        X = naive.scaled(case.X, columns, v)
        K = naive.gram(kernel, X) + np.diag(1.0 / machine.C)
        alpha, _, _ = naive.train_hard_margin(K, machine.y)
        return alpha.sum() * naive.enclose(K)[1]

    slopes = [abs(bound(g, 1 + h) - bound(g, 1 - h)) / (2.0 * h) for g in case.groups]
    assert_same(case.scores(RadiusMarginGradient()), slopes, rtol=1e-4)


@each_kernel
def test_a_group_of_all_columns(kernel):
    case = squared_hinge_case("binary", kernel, groups=[[0, 1, 2, 3, 4]])
    args = kernel, case.X, case.machines
    betas = given_spheres(case)
    assert_same(case.scores(RadiusMargin()), naive.radius_margin(*args, betas, case.groups))
    expected = naive.radius_margin_retrained(*args, case.groups)
    assert_same(case.scores(RadiusMarginRetrained()), expected)


@pytest.mark.parametrize("criterion", ALL, ids=repr)
def test_sparse_is_dense(criterion):
    for groups in (None, GROUPS):
        dense = squared_hinge_case("multiclass", RBF, groups=groups)
        sparse = squared_hinge_case("multiclass", RBF, groups=groups, sparse=True)
        assert_same(sparse.scores(criterion), dense.scores(criterion), rtol=1e-5)


@pytest.mark.parametrize("criterion", ALL, ids=repr)
def test_a_sample_of_weight_zero_is_absent(criterion):
    case = squared_hinge_case("binary", RBF)
    weights = np.ones(len(case.X))
    weights[[0, 5, 17]] = 0.0
    weighted = squared_hinge_case("binary", RBF, sample_weight=weights)
    there = weights > 0.0
    absent = squared_hinge_case("binary", RBF, problem_of=(case.X[there], case.y[there]))
    assert_same(weighted.scores(criterion), absent.scores(criterion), rtol=1e-5)
