"""The Hilbert–Schmidt criterion against its trace."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC

from svmsieve import SVMSieve
from svmsieve.criteria.hsic import HSIC
from svmsieve.search import Elimination
from tests import naive_criteria as naive
from tests.criteria.cases import (
    CLASS_TASKS,
    GROUPS,
    KERNELS,
    assert_same,
    each_kernel,
    make_case,
    problem,
)


def target_matrix(y, kind):
    n = len(y)
    if kind == "delta":
        return np.array([[float(y[k] == y[l]) for l in range(n)] for k in range(n)])
    if kind == "linear":
        return np.array([[y[k] * y[l] for l in range(n)] for k in range(n)])
    width2 = np.mean((y - y.mean()) ** 2)
    gaps = np.array([[(y[k] - y[l]) ** 2 for l in range(n)] for k in range(n)])
    return np.exp(-gaps / (2.0 * width2))


@each_kernel
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["", "groups"])
@pytest.mark.parametrize("task", CLASS_TASKS)
def test_classes(task, kernel, groups):
    case = make_case(task, kernel, groups=groups)
    expected = naive.hsic(kernel, case.X, target_matrix(case.y, "delta"), case.groups)
    assert_same(case.scores(HSIC()), expected)


@each_kernel
@pytest.mark.parametrize("target_kernel", ["rbf", "linear"])
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["", "groups"])
def test_numbers(target_kernel, kernel, groups):
    case = make_case("regression", kernel, groups=groups)
    L = target_matrix(case.y, target_kernel)
    assert_same(
        case.scores(HSIC(target_kernel=target_kernel)), naive.hsic(kernel, case.X, L, case.groups)
    )


@pytest.mark.parametrize("target_kernel", ["rbf", "linear"])
@pytest.mark.parametrize("task", ["binary", "regression"])
def test_integer_weights_are_repeated_rows(task, target_kernel):
    X, y = problem(task)
    weights = np.random.default_rng(0).integers(1, 4, size=len(y))
    repeated = np.repeat(np.arange(len(y)), weights)
    weighted = make_case(task, KERNELS["rbf"], sample_weight=weights)
    plain = make_case(task, KERNELS["rbf"], problem_of=(X[repeated], y[repeated]))
    criterion = HSIC(target_kernel=target_kernel)
    assert_same(weighted.scores(criterion), plain.scores(criterion))


def test_all_columns_in_one_group_are_worth_all_of_the_dependence():
    case = make_case("binary", KERNELS["rbf"], groups=[[0, 1, 2, 3, 4]])
    (whole,) = naive.hsic(KERNELS["rbf"], case.X, target_matrix(case.y, "delta"), case.groups)
    assert case.scores(HSIC()).tolist() == [pytest.approx(whole)]
    assert whole > 0.0


def test_a_constant_target_depends_on_nothing():
    X, _ = problem("regression")
    case = make_case("regression", KERNELS["rbf"], problem_of=(X, np.ones(len(X))))
    np.testing.assert_allclose(case.scores(HSIC()), 0.0, atol=1e-20)


def test_an_unknown_target_kernel_is_refused():
    case = make_case("regression", KERNELS["rbf"])
    with pytest.raises(ValueError, match="target_kernel must be 'rbf' or 'linear', got 'poly'"):
        case.scores(HSIC(target_kernel="poly"))


def test_the_score_of_a_feature_that_leaves_alone_says_what_it_is_worth():
    """In a table of an elimination the best come last, alone: their scores are not the least."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 6))
    y = X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=120) > 0
    sieve = SVMSieve(
        SVC(), criterion="hsic", n_features_to_select=1, search=Elimination(step=1)
    ).fit(X, y)
    score = dict(zip(sieve.path_.n_features.tolist(), sieve.path_.criterion, strict=True))
    assert set(sieve.order_[:2]) == {0, 1}
    assert min(score[1], score[2]) > 10.0 * max(score[n] for n in (4, 5, 6))
    assert score[2] > 0.0
