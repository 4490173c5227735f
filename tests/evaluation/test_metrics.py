"""Measures in their own units."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.metrics import make_scorer, mean_absolute_error, roc_auc_score
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

from svmsieve import SVMSieve
from svmsieve.evaluation import METRICS, balanced_error_rate, balanced_error_scorer, make_metric
from tests import naive_evaluation as naive


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_balanced_error_rate_is_the_mean_of_the_classes_errors(n_classes):
    rng = np.random.default_rng(n_classes)
    truth = rng.integers(n_classes, size=80) ** 2
    guess = rng.permutation(truth)
    assert balanced_error_rate(truth, guess) == pytest.approx(
        naive.balanced_error_rate(truth, guess), abs=1e-12
    )


def test_a_rare_class_counts_as_much_as_a_common_one():
    truth = [0] * 99 + [1]
    assert balanced_error_rate(truth, [0] * 100) == pytest.approx(0.5)


@pytest.fixture
def classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return X, np.where(X[:, 0] + rng.normal(size=60) > 0.4, "b", "a")


def test_the_scorer_is_the_negative_of_the_rate(classes):
    X, y = classes
    machine = SVC().fit(X, y)
    rate = balanced_error_rate(y, machine.predict(X))
    assert balanced_error_scorer(machine, X, y) == -rate
    assert METRICS["ber"](machine, X, y) == rate


def test_the_scorer_works_in_scikit_learn_and_in_the_sieve(classes):
    X, y = classes
    scores = cross_val_score(SVC(), X, y, scoring=balanced_error_scorer)
    assert ((scores <= 0) & (scores >= -1)).all()
    sieve = SVMSieve(
        SVC(), criterion="f-score", scoring=balanced_error_scorer, n_features_to_select="best", cv=3
    )
    means = clone(sieve).fit(X, y).path_.mean_score
    other = sieve.set_params(scoring="balanced_accuracy").fit(X, y).path_.mean_score
    np.testing.assert_allclose(means, other - 1.0, atol=1e-12)


@pytest.mark.parametrize("name", ["accuracy", "ber", "auc"])
def test_kept_predictions_give_the_measure_of_the_estimator(classes, name):
    X, y = classes
    machine = SVC(C=0.1).fit(X, y)
    metric = METRICS[name]
    kept = metric.of_predictions(
        y, machine.predict(X), machine.decision_function(X), machine.classes_
    )
    assert kept == metric(machine, X, y)
    if name == "auc":
        assert kept == pytest.approx(roc_auc_score(y == "b", machine.decision_function(X)))


def test_kept_numbers_give_the_mean_squared_error(classes):
    X, _ = classes
    y = X @ [1.0, 2.0, 3.0] + np.sin(9 * X[:, 0])
    model = LinearRegression().fit(X, y)
    expected = float(np.mean((model.predict(X) - y) ** 2))
    assert METRICS["mse"](model, X, y) == pytest.approx(expected)
    assert METRICS["mse"].of_predictions(y, model.predict(X), None, None) == pytest.approx(expected)


def test_errors_gain_by_falling():
    assert METRICS["mse"].gain(1.0, 3.0) == 2.0
    assert METRICS["accuracy"].gain(1.0, 3.0) == -2.0


def test_what_users_write_for_a_measure():
    assert make_metric(None, regression=False).name == "accuracy"
    assert make_metric(None, regression=True).name == "r2"
    assert make_metric("balanced_accuracy", regression=False).name == "balanced_accuracy"
    assert make_metric(METRICS["mse"], regression=True) is METRICS["mse"]
    own = make_metric(make_scorer(mean_absolute_error), regression=True)
    assert own.name == "mean_absolute_error"


@pytest.mark.parametrize(
    ("scoring", "message"),
    [("acuracy", "did you mean 'accuracy'"), ("zzz", "use one of accuracy"), (3, "got int")],
)
def test_an_unknown_measure_is_refused(scoring, message):
    with pytest.raises(ValueError, match=message):
        make_metric(scoring, regression=False)


def test_auc_needs_decision_values():
    y = np.array([0, 1, 0, 1])
    with pytest.raises(ValueError, match="needs decision values"):
        METRICS["auc"].of_predictions(y, y, None, np.array([0, 1]))


@pytest.mark.parametrize("scoring", ["mse", "r2"])
def test_measures_of_numbers_are_refused_for_classes(scoring):
    with pytest.raises(ValueError, match=f"scoring='{scoring}' is for numbers"):
        make_metric(scoring, regression=False)


@pytest.mark.parametrize("scoring", ["accuracy", "ber", "auc", "f1_macro"])
def test_measures_of_classes_are_refused_for_numbers(scoring):
    with pytest.raises(ValueError, match=f"scoring='{scoring}' is for classes"):
        make_metric(scoring, regression=True)
