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
    loss_interval,
    mean_group_size,
    nested_evaluate,
    share_interval,
    why_no_interval,
)
from tests.evaluation.coverage import (
    NOISES,
    coverage,
    covered,
    drawn_errors,
    drawn_losses,
    grouped_errors,
)

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
    ("scores", "measure", "held_out", "reason"),
    [
        ([0.5, 0.5, 0.5], "mse", HeldOut(20.0), "all folds alike"),
        ([1.0, np.nan, 2.0], "mse", HeldOut(20.0), "a fold has no score"),
        ([1.0, 1.5, 2.0], "mse", HeldOut(9.9), "fewer than 50 independent samples"),
        (
            [-1.0, -2.0],
            "neg_mean_absolute_error",
            HeldOut(9.9),
            "fewer than 50 independent samples",
        ),
        ([0.9, 0.8, 0.7], "r2", HeldOut(19.9), "fewer than 100 independent samples"),
        ([0.9], "r2", HeldOut(20.0), "a single fold"),
        ([0.9, 0.8], "accuracy", HeldOut(np.nan), "held-out samples not known"),
        ([0.9, 0.8], "auc", HeldOut(20.0, np.array([20.0, 0.0])), "a class is not held out"),
        ([0.9, 0.8], "matthews_corrcoef", HeldOut(20.0, np.full(2, 10.0)), "not known"),
        ([0.9, 0.8], "a_measure_of_mine", HeldOut(20.0), "not known for this measure"),
    ],
)
def test_what_cannot_be_told_is_not_and_the_reason_is(scores, measure, held_out, reason):
    assert np.isnan(fold_interval(scores, 0.25, measure, held_out)).all()
    assert reason in why_no_interval(scores, 0.25, measure, held_out)


def test_small_folds_of_many_samples_have_no_interval_of_r2():
    scores = np.linspace(0.5, 0.9, 20)
    assert "10 independent samples in a fold" in why_no_interval(scores, 1 / 19, "r2", HeldOut(9.0))
    assert why_no_interval(scores, 1 / 19, "r2", HeldOut(10.0)) is None


@given(
    st.lists(st.floats(0.1, 10.0), min_size=2, max_size=8).filter(lambda s: np.ptp(s) > 0.01),
    st.floats(0.01, 100.0),
)
def test_errors_of_numbers_have_one_interval_however_they_are_written(losses, unit):
    """Above none, around the mean, in any unit; a scorer's are negative, R² is 1 − such a loss."""
    losses, held_out = np.array(losses), HeldOut(50.0)
    lower, upper = fold_interval(losses, 0.25, "mse", held_out)
    assert 0.0 < lower < losses.mean() < upper < np.inf
    assert upper / losses.mean() == pytest.approx(losses.mean() / lower)
    assert (lower, upper) == loss_interval(losses, 0.25)
    scaled = fold_interval(-unit * losses, 0.25, "neg_mean_squared_error", held_out)
    assert scaled == pytest.approx((-unit * upper, -unit * lower))
    assert fold_interval(1.0 - losses, 0.25, "r2", held_out) == pytest.approx(
        (1.0 - upper, 1.0 - lower), abs=1e-9
    )


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize(("n", "folds"), [(50, 5), (50, 25), (100, 10), (300, 3)])
def test_errors_of_numbers_are_covered(n, folds, noise):
    """A quick form of the long test in tests/paper; Student's t of J − 1 covers 72 to 88 % of t3's."""
    losses, truth = drawn_losses(n, folds, noise, 400, seed=0)
    assert covered(losses, "mse", HeldOut(n / folds), truth) >= 0.9 - 2 * np.sqrt(0.9 * 0.1 / 400)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30))
def test_the_size_of_a_sample_s_group(groups):
    sizes = [groups.count(group) for group in groups]
    assert mean_group_size(groups) == pytest.approx(np.mean(sizes))


@pytest.mark.parametrize("alike", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(
    ("n_groups", "folds", "error"), [(15, 5, 0.1), (30, 3, 0.05), (60, 10, 0.02)]
)
def test_groups_that_err_together_are_covered(n_groups, folds, error, alike):
    """Where all of a group err or none, to count samples instead of groups covers 68 to 78 %."""
    scores, group_size = grouped_errors(n_groups, folds, error, alike, 400, seed=0)
    held_out = HeldOut.of([np.repeat([0, 1], 5 * n_groups // folds)], [0, 1], group_size)
    told = covered(scores, "accuracy", held_out, error)
    assert told >= 0.9 - 2 * np.sqrt(0.9 * 0.1 / 400)


def test_an_evaluation_counts_groups():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(12), 5)
    X, y = rng.normal(size=(60, 1)), np.arange(60) % 2
    with_groups, without = (
        nested_evaluate(DummyClassifier(strategy="prior"), X, y, groups=each)
        for each in (groups, None)
    )
    assert with_groups.held_out.samples == pytest.approx(without.held_out.samples / 5)
    assert with_groups.held_out.classes == pytest.approx(without.held_out.classes / 5)
    wide, narrow = (np.ptp(each.interval()) for each in (with_groups, without))
    assert wide > 1.3 * narrow


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
