"""Criteria on ‖w‖² against loops, central differences and scikit-learn's machines."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC

from svmsieve.criteria.weight import Weight, WeightGradient, WeightRetrained
from tests import naive_criteria as naive
from tests.criteria.cases import (
    CLASS_TASKS,
    GROUPS,
    KERNELS,
    LINEAR,
    RBF,
    TASKS,
    assert_same,
    each_kernel,
    make_case,
    problem,
    svc_options,
)


@each_kernel
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["", "groups"])
@pytest.mark.parametrize("task", TASKS)
def test_weight(task, kernel, groups):
    case = make_case(task, kernel, groups=groups)
    expected = naive.weight(kernel, case.X, case.machines, case.groups)
    assert_same(case.scores(Weight()), expected)


@each_kernel
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["", "groups"])
@pytest.mark.parametrize("task", TASKS)
def test_weight_gradient(task, kernel, groups):
    case = make_case(task, kernel, groups=groups)
    expected = naive.weight_gradient(kernel, case.X, case.machines, case.groups)
    assert_same(case.scores(WeightGradient()), expected)


@each_kernel
def test_weight_of_the_squared_hinge(kernel):
    case = make_case("binary", kernel, loss="squared_hinge")
    expected = naive.weight(kernel, case.X, case.machines, case.groups)
    assert_same(case.scores(Weight()), expected)


def test_linear_weights():
    case = make_case("binary", LINEAR)
    (machine,) = case.machines
    w = case.X[machine.rows].T @ machine.coef
    assert_same(case.scores(Weight()), w**2)
    assert_same(case.scores(WeightGradient()), 2.0 * w**2)


@each_kernel
@pytest.mark.parametrize("task", ["binary", "regression"])
def test_weight_gradient_is_the_derivative_with_c_fixed(task, kernel):
    case = make_case(task, kernel)
    (machine,) = case.machines
    W = np.outer(machine.coef, machine.coef)
    h = 1e-5

    def norm(columns, v):
        return naive.form(W, naive.gram(kernel, naive.scaled(case.X[machine.rows], columns, v)))

    slopes = [abs(norm(g, 1 + h) - norm(g, 1 - h)) / (2.0 * h) for g in case.groups]
    assert_same(case.scores(WeightGradient()), slopes, rtol=1e-6)


@each_kernel
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["", "groups"])
@pytest.mark.parametrize("task", CLASS_TASKS)
def test_weight_retrained(task, kernel, groups):
    case = make_case(task, kernel, groups=groups)
    expected = naive.weight_retrained(kernel, case.X, case.machines, case.groups)
    assert_same(case.scores(WeightRetrained()), expected)


@each_kernel
def test_weight_retrained_is_the_optimum_of_scikit_learn(kernel):
    case = make_case("binary", kernel)
    expected = []
    for i in range(5):
        rest = np.delete(case.X, i, axis=1)
        svc = SVC(C=2.0, **svc_options(kernel), tol=1e-8).fit(rest, case.y)
        K = naive.gram(kernel, rest[svc.support_])
        slack = np.maximum(0.0, 1.0 - np.where(case.y == "b", 1, -1) * svc.decision_function(rest))
        expected.append((svc.dual_coef_ @ K @ svc.dual_coef_.T).item() + 4.0 * slack.sum())
    assert_same(case.scores(WeightRetrained()), expected, rtol=1e-6)


@each_kernel
@pytest.mark.parametrize("task", CLASS_TASKS)
def test_weight_retrained_with_the_squared_hinge(task, kernel):
    case = make_case(task, kernel, loss="squared_hinge")
    expected = naive.weight_retrained_squared(kernel, case.X, case.machines, case.groups)
    assert_same(case.scores(WeightRetrained()), expected)


@each_kernel
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_group_of_all_columns(kernel, loss):
    """Without any column the best machine is a constant: every sample of the rarer class errs."""
    case = make_case("binary", kernel, loss=loss, groups=[[0, 1, 2, 3, 4]])
    assert_same(case.scores(Weight()), naive.weight(kernel, case.X, case.machines, case.groups))
    n_a, n_b = (np.sum(case.y == c) for c in "ab")
    # 2C · 2 min(n_a, n_b), or min_b C [n_a (1 + b)² + n_b (1 − b)²]
    least = min(n_a, n_b) if loss == "hinge" else n_a * n_b / (n_a + n_b)
    assert_same(case.scores(WeightRetrained()), [8.0 * least])


@pytest.mark.parametrize("criterion", [Weight(), WeightGradient(), WeightRetrained()], ids=repr)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_integer_weights_are_repeated_rows(criterion, loss):
    X, y = problem("binary")
    weights = np.random.default_rng(0).integers(1, 4, size=len(y))
    repeated = np.repeat(np.arange(len(y)), weights)
    weighted = make_case("binary", RBF, loss=loss, sample_weight=weights)
    plain = make_case("binary", RBF, loss=loss, problem_of=(X[repeated], y[repeated]))
    assert_same(weighted.scores(criterion), plain.scores(criterion), rtol=1e-7)


@pytest.mark.parametrize("criterion", [Weight(), WeightGradient(), WeightRetrained()], ids=repr)
@pytest.mark.parametrize("kernel", [LINEAR, RBF], ids=lambda kernel: kernel.name)
def test_sparse_is_dense(criterion, kernel):
    for groups in (None, GROUPS):
        dense = make_case("multiclass", kernel, groups=groups)
        sparse = make_case("multiclass", kernel, groups=groups, sparse=True)
        assert_same(sparse.scores(criterion), dense.scores(criterion), rtol=1e-7)


def test_small_memory_changes_nothing():
    case = make_case("binary", KERNELS["rbf"])
    assert_same(case.with_data(memory=1.0).scores(Weight()), case.scores(Weight()))
