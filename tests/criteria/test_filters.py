"""Correlation, signal-to-noise and F-score against loops."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from svmsieve import rank
from svmsieve.criteria.filters import Correlation, FScore, SignalToNoise
from tests import naive_criteria as naive
from tests.criteria.cases import CLASS_TASKS, GROUPS, RBF, TASKS, assert_same, make_case, problem


@pytest.mark.parametrize("groups", [None, GROUPS, [[0, 1, 2, 3, 4]]], ids=["", "groups", "one"])
@pytest.mark.parametrize("task", TASKS)
def test_correlation(task, groups):
    case = make_case(task, RBF, groups=groups)
    expected = naive.correlation(case.X, case.y, case.groups, classes=task != "regression")
    assert_same(case.scores(Correlation()), expected)


@pytest.mark.parametrize("groups", [None, GROUPS, [[0, 1, 2, 3, 4]]], ids=["", "groups", "one"])
@pytest.mark.parametrize("task", CLASS_TASKS)
def test_signal_to_noise(task, groups):
    case = make_case(task, RBF, groups=groups)
    assert_same(case.scores(SignalToNoise()), naive.s2n(case.X, case.y, case.groups))


@pytest.mark.parametrize("groups", [None, GROUPS, [[0, 1, 2, 3, 4]]], ids=["", "groups", "one"])
@pytest.mark.parametrize("task", CLASS_TASKS)
def test_f_score(task, groups):
    case = make_case(task, RBF, groups=groups)
    assert_same(case.scores(FScore()), naive.f_score(case.X, case.y, case.groups))


@pytest.mark.parametrize(
    ("criterion", "task"),
    [("correlation", task) for task in TASKS]
    + [(name, task) for name in ("s2n", "f-score") for task in CLASS_TASKS],
)
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_integer_weights_are_repeated_rows(criterion, task, sparse):
    X, y = problem(task)
    weights = np.random.default_rng(0).integers(1, 4, size=len(y))
    repeated = np.repeat(np.arange(len(y)), weights)
    table = sp.csr_matrix(X) if sparse else X
    weighted = rank(table, y, criterion, scale=False, sample_weight=weights)
    plain = rank(table[repeated], y[repeated], criterion, scale=False)
    assert_same(weighted.scores, plain.scores)


def test_weights_need_not_be_large():
    X, y = problem("binary")
    scores = rank(X, y, "f-score", sample_weight=np.full(len(y), 1e-3)).scores
    np.testing.assert_allclose(scores, rank(X, y, "f-score").scores, rtol=0.2)


@pytest.mark.parametrize("criterion", ["correlation", "s2n", "f-score"])
def test_a_far_off_mean_costs_no_digits(criterion):
    X, y = problem("binary")
    near = rank(X, y, criterion, scale=False).scores
    far = rank(X + 1e6, y, criterion, scale=False).scores
    np.testing.assert_allclose(far, near, rtol=1e-7)


@pytest.mark.parametrize("criterion", ["s2n", "f-score"])
def test_a_perfect_feature_scores_high_but_finite(criterion):
    X, y = problem("binary")
    X[:, 2] = np.where(y == "b", 1.0, 0.0)
    ranking = rank(X, y, criterion, scale=False)
    assert ranking.order[0] == 2
    assert np.isfinite(ranking.scores).all()


def test_a_class_of_one_sample_has_no_spread():
    X, _ = problem("binary")
    y = np.array([1] + [0] * (len(X) - 1))
    assert np.isfinite(rank(X, y, "f-score").scores).all()
    assert np.isfinite(rank(X, y, "s2n").scores).all()
