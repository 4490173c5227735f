"""Criteria on the span estimate against loops, central differences and another solver."""

from __future__ import annotations

import numpy as np
import pytest

from svmsieve.criteria.span import SpanFixed, SpanGradient, SpanRetrained
from tests import naive_criteria as naive
from tests.criteria.cases import (
    CLASS_TASKS,
    GROUPS,
    LINEAR,
    RBF,
    assert_same,
    each_kernel,
    make_case,
)

ALL = [SpanFixed(), SpanGradient(), SpanRetrained()]


def squared_hinge_case(task, kernel, **options):
    return make_case(task, kernel, loss="squared_hinge", **options)


@each_kernel
@pytest.mark.parametrize("groups", [None, GROUPS, [[0, 1, 2, 3, 4]]], ids=["", "groups", "one"])
@pytest.mark.parametrize("task", CLASS_TASKS)
def test_span(task, kernel, groups):
    case = squared_hinge_case(task, kernel, groups=groups)
    expected = naive.span(kernel, case.X, case.machines, case.groups)
    assert_same(case.scores(SpanFixed()), expected)


@each_kernel
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["", "groups"])
@pytest.mark.parametrize("task", CLASS_TASKS)
def test_span_gradient(task, kernel, groups):
    case = squared_hinge_case(task, kernel, groups=groups)
    expected = naive.span_gradient(kernel, case.X, case.machines, case.groups)
    assert_same(case.scores(SpanGradient()), expected)


@each_kernel
@pytest.mark.parametrize("groups", [None, GROUPS, [[0, 1, 2, 3, 4]]], ids=["", "groups", "one"])
@pytest.mark.parametrize("task", CLASS_TASKS)
def test_span_retrained(task, kernel, groups):
    case = squared_hinge_case(task, kernel, groups=groups)
    expected = naive.span_retrained(kernel, case.X, case.machines, case.groups)
    assert_same(case.scores(SpanRetrained()), expected)


@each_kernel
def test_the_gradient_is_the_derivative_of_the_estimate(kernel):
    """The machine is solved again at the scaled features; the paper's factor 2 would fail."""
    case = squared_hinge_case("binary", kernel)
    (machine,) = case.machines
    h = 1e-5
    support = {}

    def estimate(columns, v):
        K = naive.gram(kernel, naive.scaled(case.X, columns, v)) + np.diag(1.0 / machine.C)
        alpha, _, found = naive.train_hard_margin(K, machine.y)
        support.setdefault("same", found.tolist())
        assert found.tolist() == support["same"]
        return alpha[found] @ naive.squared_spans(K[np.ix_(found, found)])

    slopes = [abs(estimate(g, 1 + h) - estimate(g, 1 - h)) / (2.0 * h) for g in case.groups]
    assert_same(case.scores(SpanGradient()), slopes, rtol=1e-5)


@pytest.mark.parametrize("criterion", ALL, ids=repr)
@pytest.mark.parametrize("kernel", [LINEAR, RBF], ids=lambda kernel: kernel.name)
def test_sparse_is_dense(criterion, kernel):
    for groups in (None, GROUPS):
        dense = squared_hinge_case("multiclass", kernel, groups=groups)
        sparse = squared_hinge_case("multiclass", kernel, groups=groups, sparse=True)
        assert_same(sparse.scores(criterion), dense.scores(criterion), rtol=1e-7)


@pytest.mark.parametrize("criterion", ALL, ids=repr)
def test_two_samples(criterion):
    """Two support vectors: the span is their distance."""
    X, y = np.array([[0.0, 1.0, 0.0], [2.0, 0.0, 0.0]]), np.array(["a", "b"])
    case = squared_hinge_case("binary", LINEAR, problem_of=(X, y), sigmoids=())
    machine = case.machines[0]
    if isinstance(criterion, SpanFixed):
        # alpha = 1/(½ distance²) of the lifted points; C = 2 lifts them by ½ each
        alpha = 2.0 / (5.0 + 1.0)
        np.testing.assert_allclose(np.abs(machine.coef), alpha)
        expected = [2.0 * alpha * (1.0 + 1.0), 2.0 * alpha * (4.0 + 1.0), 0.0]
        assert_same(case.scores(criterion), expected)
    assert np.isfinite(case.scores(criterion)).all()


@pytest.mark.parametrize("criterion", ALL, ids=repr)
def test_duplicate_rows_and_a_large_C(criterion):
    case = squared_hinge_case("binary", RBF)
    X, y = np.vstack([case.X, case.X[:10]]), np.concatenate([case.y, case.y[:10]])
    case = squared_hinge_case("binary", RBF, problem_of=(X, y), C=1e6)
    assert np.isfinite(case.scores(criterion)).all()


@pytest.mark.parametrize("criterion", ALL, ids=repr)
def test_a_sample_of_weight_zero_is_absent(criterion):
    case = squared_hinge_case("binary", RBF)
    weights = np.ones(len(case.X))
    weights[[0, 5, 17]] = 0.0
    weighted = squared_hinge_case("binary", RBF, sample_weight=weights)
    there = weights > 0.0
    absent = squared_hinge_case("binary", RBF, problem_of=(case.X[there], case.y[there]))
    assert_same(weighted.scores(criterion), absent.scores(criterion), rtol=1e-7)
