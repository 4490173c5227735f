from functools import cache

import numpy as np
import pytest
from sklearn.model_selection import PredefinedSplit
from sklearn.svm import SVC

from svmsieve import SVMSieve
from svmsieve.engine.machines.machine import train_svc
from svmsieve.engine.machines.scoring import DecisionScorer
from svmsieve.engine.machines.target import Classes
from svmsieve.engine.machines.trained import train
from svmsieve.engine.solvers.linear_rfe import linear_leg
from svmsieve.search import Elimination, active_set, elimination
from svmsieve.search.held_out import HeldOut
from tests.search.problems import problem_of, timeless


def _data(n=40, d=150):
    rng = np.random.default_rng(d)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, :5].sum(axis=1) + rng.normal(size=n) > 0, 1, 0)


def _sieve(**options):
    machine = SVC(kernel="linear", tol=1e-8)
    fixed = {"estimator": machine, "criterion": "weight", "step": 1, "scale": False}
    return SVMSieve(**(fixed | options))


@pytest.mark.parametrize("smallest", [1, 7])
@pytest.mark.parametrize("weights", [False, True])
def test_equals_the_steps_one_by_one(smallest, weights, monkeypatch):
    X, y = _data()
    X[:, 100] = X[:, 20]  # equal columns leave in the same order
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y)) if weights else None
    quick = _sieve(n_features_to_select=smallest).fit(X, y, sample_weight=weight)
    calls = []
    monkeypatch.setattr(elimination, "is_plain_linear", lambda *_: calls.append(1) or False)
    slow = _sieve(n_features_to_select=smallest).fit(X, y, sample_weight=weight)
    assert calls
    np.testing.assert_array_equal(quick.ranking_, slow.ranking_)
    np.testing.assert_allclose(quick.scores_, slow.scores_, rtol=1e-5, atol=1e-12)
    assert [s.size for _, s in quick.record_] == [s.size for _, s in slow.record_]


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "roc_auc"])
def test_scores_on_held_out_samples_equal_those_of_the_steps_one_by_one(
    scoring, weights, monkeypatch
):
    X, y = _data(d=70)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(y)) if weights else None
    options = {"n_features_to_select": "best", "cv": 2, "scoring": scoring, "random_state": 0}
    trainings = []
    monkeypatch.setattr(active_set, "train", lambda *a, **k: trainings.append(1) or train(*a, **k))
    quick = _sieve(**options).fit(X, y, sample_weight=weight)
    assert len(trainings) == 3  # the last size of each path
    monkeypatch.setattr(elimination, "is_plain_linear", lambda *_: False)
    slow = _sieve(**options).fit(X, y, sample_weight=weight)
    for name in "01":
        of_legs = [step.test_score for step in quick.record_.steps[name]]
        one_by_one = [step.test_score for step in slow.record_.steps[name]]
        np.testing.assert_allclose(of_legs, one_by_one, rtol=1e-12)
        assert len(set(of_legs)) > 3
    np.testing.assert_array_equal(quick.ranking_, slow.ranking_)
    assert quick.n_features_ == slow.n_features_


@pytest.mark.parametrize(
    "options",
    [
        {"keep": [3]},
        {"groups": np.arange(30) // 2},
        {"scale": True},
        {"estimator": SVC(kernel="linear", tol=1e-8, class_weight="balanced")},
        {"cv": PredefinedSplit(np.repeat([-1, 0], [30, 10]))},
    ],
    ids=["kept", "groups", "scaled", "class weights", "classes that a fold lacks"],
)
def test_held_out_scores_do_not_depend_on_legs(options, monkeypatch):
    X, y = _data(d=30)
    if "cv" in options:
        y[35:] = 2
    options = {"n_features_to_select": "best", "cv": 3, "random_state": 0} | options
    quick = _sieve(**options).fit(X, y)
    monkeypatch.setattr(elimination, "is_plain_linear", lambda *_: False)
    slow = _sieve(**options).fit(X, y)
    assert "0" in quick.record_.steps
    for name, steps in quick.record_.steps.items():
        assert [s.test_score for s in steps] == [s.test_score for s in slow.record_.steps[name]]


@cache
def _whole_run():
    X, y = _data(d=100)
    target = Classes.of(y)
    held_out = HeldOut(X[30:], np.arange(30, 40), DecisionScorer("roc_auc", target))
    machine = SVC(kernel="linear", tol=1e-8)
    problem = problem_of(X[:30], y[:30], machine, evaluate=held_out)
    return problem, timeless(Elimination(1).run(problem))


@pytest.mark.parametrize("n_done", [1, 40, 63, 64, 65, 99])
def test_goes_on_from_the_middle_of_a_leg(n_done):
    problem, whole = _whole_run()
    assert timeless(Elimination(1).run(problem, whole[:n_done])) == whole[n_done:]


def _leg(X, y, held_out, n_steps, max_steps=10_000):
    """Whether the leg converged, the columns, their scores, the largest ones and the decision values."""
    signs = np.where(y > 0, 1.0, -1.0)
    gone, scores, largest = np.empty(n_steps, dtype=np.intp), np.empty(n_steps), np.empty(n_steps)
    decisions = np.empty((n_steps, len(held_out)))
    K, products, ones = X @ X.T, held_out @ X.T, np.ones(len(X))
    flat, limits = K.reshape(-1), (1e-9, max_steps)
    written = (gone, scores, largest, products, decisions)
    converged = linear_leg(X, held_out, K, flat, signs, -ones, ones, *limits, *written)
    return converged, gone, scores, largest, decisions


def test_removes_the_smallest_weight_of_retrained_machines():
    X, y = _data(20, 12)
    held_out = np.random.default_rng(2).normal(size=(3, 12))
    converged, gone, scores, largest, decisions = _leg(X, y, held_out, 8)
    assert converged
    left = list(range(12))
    for step in range(8):
        signs = np.where(y > 0, 1.0, -1.0)
        dual = train_svc(X[:, left] @ X[:, left].T, signs, 1.0, tol=1e-9)
        w = X[:, left].T @ dual.coef
        assert gone[step] == left[int(np.argmin(w**2))]
        assert scores[step] == pytest.approx((w**2).min(), rel=1e-5)
        assert largest[step] == pytest.approx((w**2).max(), rel=1e-5)
        outputs = held_out[:, left] @ w + dual.intercept
        np.testing.assert_allclose(decisions[step], outputs, rtol=1e-5, atol=1e-7)
        left.remove(gone[step])


def test_a_machine_that_takes_too_long_is_not_used():
    X, y = _data(20, 12)
    assert not _leg(X, y, X[:0], 3, max_steps=1)[0]


def test_constant_columns_take_the_general_way():
    X, y = _data()
    X[:, 3] = 1.0
    assert _sieve(n_features_to_select=5).fit(X, y).ranking_[3] == X.shape[1]
