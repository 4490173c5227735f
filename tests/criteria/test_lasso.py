"""Entry into the lasso against scikit-learn's own lasso, its path knot by knot, and what must not matter."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Lasso as SklearnLasso

from svmsieve.criteria.lasso import _MOST_STEPS, Lasso
from tests import naive_extended as naive
from tests.criteria.cases import GROUPS, KERNELS, make_case, problem

LINEAR = KERNELS["linear"]


def unit(values):
    centred = values - values.mean(axis=0)
    return centred / np.sqrt((centred**2).sum(axis=0))


@pytest.mark.parametrize("groups", [None, GROUPS], ids=["", "groups"])
@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_the_path_knot_by_knot(task, groups):
    case = make_case(task, LINEAR, groups=groups)
    expected = naive.lasso(case.X, case.y, case.groups, task != "regression")
    np.testing.assert_allclose(case.scores(Lasso()), np.asarray(expected, float), rtol=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_scikit_learns_lasso_takes_a_feature_in_just_below_its_score(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 8)) @ rng.normal(size=(8, 8))
    y = X @ rng.normal(size=8) + rng.normal(size=40)
    scores = make_case("regression", LINEAR, problem_of=(X, y)).scores(Lasso())
    Z, t = unit(X), unit(y[:, None])[:, 0]
    for i, score in enumerate(scores):
        for factor, enters in ((1.0 + 1e-6, False), (1.0 - 1e-6, True)):
            model = SklearnLasso(
                factor * score / 40, fit_intercept=False, tol=1e-15, max_iter=10**6
            )
            assert (model.fit(Z, t).coef_[i] != 0.0) == enters


def test_a_twin_scores_as_its_twin():
    X, y = problem("binary")
    twins = np.column_stack([X, X[:, 0], -3.0 * X[:, 1]])
    scores = make_case("binary", LINEAR, problem_of=(twins, y)).scores(Lasso())
    d = X.shape[1]
    np.testing.assert_allclose(scores[d:], scores[:2], rtol=1e-6)


def test_more_features_than_steps_are_told_apart():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2 * _MOST_STEPS))
    y = X[:, 7] + 0.5 * X[:, 3] + 0.1 * rng.normal(size=300)
    scores = make_case("regression", LINEAR, problem_of=(X, y)).scores(Lasso())
    assert np.argsort(-scores)[:2].tolist() == [7, 3]
    assert len(np.unique(scores)) == X.shape[1]
    assert (scores > 0.0).all()


def test_what_others_have_said_already_enters_late():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 200))
    X = np.column_stack([a + b + 0.3 * rng.normal(size=200), a, b, a + 0.5 * rng.normal(size=200)])
    scores = make_case("regression", LINEAR, problem_of=(X, a + 0.6 * b)).scores(Lasso())
    alone = np.abs(np.corrcoef(X.T, a + 0.6 * b)[-1, :-1])
    assert alone.argmin() != 3  # a noisy copy of a says more than b alone
    assert scores.argmin() == 3 or scores[3] < scores[2]


def test_a_constant_column_scores_nothing():
    X, y = problem("binary")
    X = np.column_stack([X, np.full(len(y), 0.1)])
    assert make_case("binary", LINEAR, problem_of=(X, y)).scores(Lasso())[-1] == 0.0
