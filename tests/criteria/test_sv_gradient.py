"""Heiler's relevance at the support vectors against loops."""

from __future__ import annotations

import numpy as np
import pytest

from svmsieve.criteria.sv_gradient import SVGradient
from tests import naive_criteria as naive
from tests.criteria.cases import (
    GROUPS,
    LINEAR,
    RBF,
    TASKS,
    assert_same,
    each_kernel,
    make_case,
    problem,
)


@each_kernel
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["", "groups"])
@pytest.mark.parametrize("task", TASKS)
def test_against_loops(task, kernel, groups):
    case = make_case(task, kernel, groups=groups)
    expected = naive.sv_gradient(kernel, case.X, case.machines, case.groups)
    assert_same(case.scores(SVGradient()), expected)


@each_kernel
@pytest.mark.parametrize("task", TASKS)
def test_shares_add_up_to_one(task, kernel):
    case = make_case(task, kernel)
    assert case.scores(SVGradient()).sum() == pytest.approx(1.0, rel=1e-12)
    whole = make_case(task, kernel, groups=[[0, 1, 2, 3, 4]])
    assert whole.scores(SVGradient()).tolist() == pytest.approx([1.0])


def test_linear_shares_are_squared_weights():
    case = make_case("regression", LINEAR)
    (machine,) = case.machines
    w = case.X[machine.rows].T @ machine.coef
    assert_same(case.scores(SVGradient()), w**2 / (w @ w))


def test_gradient_by_central_differences():
    """The oracle's own gradient, checked on one support vector."""
    case = make_case("binary", RBF)
    (machine,) = case.machines
    x = case.X[machine.rows[machine.coef != 0.0][0]]
    for i in range(5):
        step = 1e-5 * np.eye(5)[i]
        up = naive.decision(RBF, case.X, machine, x + step)
        down = naive.decision(RBF, case.X, machine, x - step)
        slope = 0.0
        for row, c in zip(machine.rows, machine.coef, strict=True):
            slope += c * RBF.gradient(x, case.X[row], i)
        assert slope == pytest.approx((up - down) / 2e-5, rel=1e-6)


@pytest.mark.parametrize("kernel", [LINEAR, RBF], ids=lambda kernel: kernel.name)
def test_sparse_is_dense(kernel):
    for groups in (None, GROUPS):
        dense = make_case("multiclass", kernel, groups=groups)
        sparse = make_case("multiclass", kernel, groups=groups, sparse=True)
        assert_same(sparse.scores(SVGradient()), dense.scores(SVGradient()), rtol=1e-7)


def test_a_machine_without_support_vectors_scores_zero():
    """A regression whose tube holds every sample is a constant."""
    X, y = problem("regression")
    case = make_case("regression", RBF, problem_of=(X, 1e-3 * y))
    assert case.scores(SVGradient()).tolist() == [0.0] * 5


@each_kernel
@pytest.mark.parametrize("task", TASKS)
def test_a_support_vector_counts_by_its_weight(task, kernel):
    weights = np.random.default_rng(0).uniform(0.5, 2.0, size=30)
    case = make_case(task, kernel, n=30, sample_weight=weights)
    expected = naive.sv_gradient(kernel, case.X, case.machines, case.groups, weights)
    assert_same(case.scores(SVGradient()), expected)
