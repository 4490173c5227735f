"""Intervals of folds' scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import norm
from sklearn.dummy import DummyClassifier

from svmsieve.evaluation import (
    HeldOut,
    fold_interval,
    nested_evaluate,
    share_interval,
    t_interval,
)
from tests.evaluation.coverage import coverage, drawn_errors

Z = norm.ppf(0.975)


@given(
    st.lists(st.integers(0, 20), min_size=2, max_size=12),
    st.floats(0.01, 1.0),
    st.integers(20, 400),
)
def test_limits_are_where_the_share_would_be_too_far_off(correct, ratio, m):
    """Wilson's limits solve |p − θ| = z √(θ(1−θ)/N) in θ; N by the definition."""
    scores = np.array(correct) / m
    J, p = len(scores), scores.mean()
    near = (J * m * p + 2) / (J * m + 4)
    phi = max(1.0, np.var(scores, ddof=1) / (near * (1 - near) / m))
    N = m / phi / (1 / J + ratio)

    def excess(theta):
        return abs(p - theta) - Z * np.sqrt(theta * (1 - theta) / N)

    lower, upper = share_interval(scores, ratio, m)
    expected = 0.0 if p == 0.0 else brentq(excess, 1e-12, p - 1e-15 if p > 1e-12 else p)
    assert lower == pytest.approx(expected, abs=1e-6)
    assert upper == pytest.approx(brentq(excess, p, 1.0) if p > 0 else Z**2 / (N + Z**2), abs=1e-6)
    assert 0.0 <= lower <= p <= upper <= 1.0


@given(st.lists(st.floats(0, 1), min_size=2, max_size=8), st.integers(1, 100))
def test_the_interval_of_the_error_is_that_of_the_accuracy(scores, m):
    lower, upper = share_interval(scores, 0.25, m)
    other = share_interval(1.0 - np.array(scores), 0.25, m)
    assert other == pytest.approx((1.0 - upper, 1.0 - lower), abs=1e-9)


def test_no_errors_are_not_known_to_be_no_error():
    for n, most in ((50, 0.15), (1000, 0.01)):
        lower, upper = share_interval([1.0] * 5, 0.25, n / 5)
        assert upper == 1.0
        assert 1.0 - most < lower < 1.0 - 0.3 * most


def test_folds_that_vary_more_than_counts_widen_it():
    alike, apart = ([0.78, 0.82, 0.8, 0.79, 0.81], [0.6, 1.0, 0.8, 0.65, 0.95])
    narrow, wide = (np.diff(share_interval(each, 0.25, 50))[0] for each in (alike, apart))
    assert wide > 1.5 * narrow


def test_what_a_measure_is_counted_over():
    held_out = HeldOut.of([np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])], [0, 1])
    assert held_out.samples == 4.0
    assert held_out.counted("accuracy") == 4.0
    assert held_out.counted("accuracy_score") == 4.0
    assert held_out.counted("ber") == held_out.counted("balanced_accuracy") == 3.0
    assert held_out.counted("roc_auc") == held_out.counted("f1_macro") == 1.5
    assert held_out.counted("neg_log_loss") is None
    assert HeldOut(10.0).counted("r2") is None


@pytest.mark.parametrize(
    ("scores", "measure", "samples"),
    [
        ([0.5, 0.5, 0.5], "mse", 20.0),
        ([1.0, np.nan, 2.0], "mse", 20.0),
        ([0.9, 0.8, 0.7], "r2", 9.0),
        ([0.9], "r2", 20.0),
        ([0.9, 0.8], "accuracy", np.nan),
    ],
)
def test_what_cannot_be_told_is_not(scores, measure, samples):
    assert np.isnan(fold_interval(scores, 0.25, measure, HeldOut(samples))).all()


def test_other_scores_have_students_interval():
    scores = [0.5, 0.7, 0.9]
    assert fold_interval(scores, 0.5, "r2", HeldOut(20.0)) == t_interval(scores, 0.5)


def test_guessing_is_as_uncertain_as_the_share_of_the_classes():
    """Stratified folds all have the sample's share of the larger class, which itself varies."""
    rng = np.random.default_rng(0)
    shares = rng.binomial(60, 0.7, 300) / 60
    limits = np.array([share_interval([share] * 5, 0.25, 12.0) for share in shares])
    assert np.mean((limits[:, 0] <= 0.7) & (limits[:, 1] >= 0.7)) >= 0.95
    X, y = rng.normal(size=(60, 1)), np.repeat([0, 1], [18, 42])
    evaluation = nested_evaluate(DummyClassifier(strategy="prior"), X, y)
    assert evaluation.interval() == pytest.approx(share_interval([0.7] * 5, 0.25, 12.0), abs=0.02)


@pytest.mark.parametrize("folds", [3, 5, 10])
@pytest.mark.parametrize(("n", "error"), [(50, 0.016), (100, 0.015), (100, 0.2)])
def test_errors_that_are_drawn_are_covered(n, error, folds):
    """A quick form of the long test in tests/paper; the t interval covers 57 % at (50, 0.016)."""
    covered = coverage(*drawn_errors(n, folds, error, 400, seed=0), error)
    assert covered >= 0.9 - 2 * np.sqrt(0.9 * 0.1 / 400)
