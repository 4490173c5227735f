"""Decision values scored as scikit-learn scores the machines that made them."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import get_scorer, make_scorer, recall_score
from sklearn.svm import SVC, SVR

from svmsieve.engine.machines.scoring import (
    DecisionScorer,
    _DecidedClasses,
    _judges_numbers,
    balanced_share,
)
from svmsieve.engine.machines.target import Classes, Numbers
from tests import naive
from tests.engine.problems import many_classes, numbers, two_classes
from tests.naive_evaluation import balanced_error_rate


def _classifier(n_classes, labels=None):
    X, y = many_classes(60, 3, n_classes, spread=0.8)
    y = y if labels is None else np.asarray(labels)[y]
    model = SVC(decision_function_shape="ovo").fit(X, y)
    decisions = model.decision_function(X)
    # Here positive means the second class of a pair.
    return X, y, model, decisions[:, None] if n_classes == 2 else -decisions


@pytest.mark.parametrize(
    "scoring", ["accuracy", "balanced_accuracy", "f1", "roc_auc", "average_precision"]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_two_classes(scoring, weighted):
    X, y, model, decisions = _classifier(2)
    weight = np.random.default_rng(0).uniform(0.1, 2.0, size=60) if weighted else None
    rows = np.arange(0, 60, 3)
    score = DecisionScorer(scoring, Classes.of(y), weight)
    options = {"sample_weight": weight[rows]} if weighted else {}
    expected = get_scorer(scoring)(model, X[rows], y[rows], **options)
    assert score(decisions[rows], rows) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "f1_macro"])
@pytest.mark.parametrize("labels", [None, ["x", "y", "z"]])
def test_three_classes(scoring, labels):
    X, y, model, decisions = _classifier(3, labels)
    rows = np.arange(40)
    score = DecisionScorer(scoring, Classes.of(y))
    expected = get_scorer(scoring)(model, X[rows], y[rows])
    assert score(decisions[rows], rows) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("scoring", ["neg_mean_squared_error", "neg_mean_absolute_error", "r2"])
@pytest.mark.parametrize("weighted", [False, True])
def test_numbers(scoring, weighted):
    X, y = numbers(50, 3)
    model = SVR().fit(X, y)
    weight = np.random.default_rng(0).uniform(0.1, 2.0, size=50) if weighted else None
    rows = np.arange(5, 30)
    score = DecisionScorer(scoring, Numbers.of(y), weight)
    options = {"sample_weight": weight[rows]} if weighted else {}
    expected = get_scorer(scoring)(model, X[rows], y[rows], **options)
    assert score(model.predict(X[rows])[:, None], rows) == pytest.approx(expected, abs=1e-12)


def test_none_is_the_estimators_own_score():
    X, y, model, decisions = _classifier(3)
    score = DecisionScorer(None, Classes.of(y))
    assert score(decisions, np.arange(60)) == pytest.approx(model.score(X, y))
    X, y = numbers(30, 2)
    model = SVR().fit(X, y)
    score = DecisionScorer(None, Numbers.of(y))
    assert score(model.predict(X)[:, None], np.arange(30)) == pytest.approx(model.score(X, y))


def test_a_scorer_object():
    _, y, _, decisions = _classifier(2)
    scorer = make_scorer(lambda truth, guess: float(np.sum(truth == guess)))
    score = DecisionScorer(scorer, Classes.of(y))
    accuracy = DecisionScorer("accuracy", Classes.of(y))
    rows = np.arange(60)
    assert score(decisions, rows) == pytest.approx(60 * accuracy(decisions, rows))


def test_balanced_accuracy_of_a_fold_that_lacks_a_class():
    _, y, _, decisions = _classifier(3)
    rows = np.flatnonzero(y != 1)
    score = DecisionScorer("balanced_accuracy", Classes.of(y))
    right = naive.vote(decisions[rows], 3) == y[rows]
    expected = 0.5 * (right[y[rows] == 0].mean() + right[y[rows] == 2].mean())
    assert score(decisions[rows], rows) == pytest.approx(expected)


@pytest.mark.parametrize("weighted", [False, True])
@given(seed=st.integers(0, 10_000))
def test_balanced_shares_of_right_and_wrong(weighted, seed):
    rng = np.random.default_rng(seed)
    codes, guess = rng.integers(0, 4, size=(2, 30))
    weight = rng.uniform(0.1, 2.0, size=30) if weighted else None
    expected = recall_score(
        codes, guess, labels=np.unique(codes), average=None, sample_weight=weight
    )
    right = balanced_share(guess == codes, codes, weight)
    wrong = balanced_share(guess != codes, codes, weight)
    assert right == pytest.approx(expected.mean(), abs=1e-12)
    assert wrong == pytest.approx(1.0 - expected.mean(), abs=1e-12)
    if not weighted:
        assert wrong == pytest.approx(balanced_error_rate(codes, guess), abs=1e-12)


def test_the_decision_function_of_many_classes_is_that_of_scikit_learn():
    X, y, model, decisions = _classifier(3)
    decided = _DecidedClasses(decisions, model.classes_).decision_function(np.arange(60))
    np.testing.assert_allclose(decided, SVC().fit(X, y).decision_function(X))
    score = DecisionScorer("top_k_accuracy", Classes.of(y))
    expected = get_scorer("top_k_accuracy")(SVC().fit(X, y), X, y)
    assert score(decisions, np.arange(60)) == expected


def test_unknown_scoring():
    _, y = two_classes(10, 2)
    with pytest.raises(ValueError, match="'precise'"):
        DecisionScorer("precise", Classes.of(y))


@pytest.mark.parametrize("scoring", ["r2", "neg_mean_squared_error", "neg_mean_poisson_deviance"])
def test_scorers_of_numbers_are_refused_for_classes(scoring):
    message = f"scoring='{scoring}' is for numbers, and the target holds classes; use 'accuracy'"
    with pytest.raises(ValueError, match=message):
        DecisionScorer(scoring, Classes.of([0, 1]))
    assert DecisionScorer(scoring, Numbers.of([0.0, 1.0])).name == scoring


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc", "f1", "adjusted_rand_score"])
def test_scorers_of_classes_are_refused_for_numbers(scoring):
    message = f"scoring='{scoring}' is for classes, and the target holds numbers; use 'r2'"
    with pytest.raises(ValueError, match=message):
        DecisionScorer(scoring, Numbers.of([0.0, 1.0]))
    assert DecisionScorer(scoring, Classes.of(["a", "b"])).name == scoring


def test_a_scorer_that_takes_no_weights_is_named():
    target, weight = Numbers.of([0.0, 1.0, 2.0]), np.ones(3)
    score = DecisionScorer("neg_max_error", target, weight)
    with pytest.raises(ValueError, match="scoring 'neg_max_error' takes no sample weights"):
        score(np.zeros((3, 1)), np.arange(3))


def test_samples_without_any_weight_judge_nothing():
    score = DecisionScorer("accuracy", Classes.of([0, 1, 0, 1]), np.array([1.0, 1.0, 0.0, 0.0]))
    with pytest.raises(ValueError, match="a fold's held-out samples have no weight"):
        score(np.ones((2, 1)), np.array([2, 3]))


def test_looking_at_a_scorer_leaves_the_warnings_filters_alone():
    before = list(warnings.filters)
    _judges_numbers.cache_clear()
    with ThreadPoolExecutor(4) as pool:
        names = ["accuracy", "r2", "adjusted_rand_score", "roc_auc"] * 25
        found = list(pool.map(_judges_numbers.__wrapped__, names))
    assert found == [False, True, False, False] * 25
    assert warnings.filters == before
