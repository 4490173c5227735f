"""Paired tests and Holm's correction."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_1samp

from svmsieve.evaluation import corrected_t_test, holm, paired_t_test
from tests import naive_evaluation as naive


def test_paired_test_is_scipys():
    values = np.random.default_rng(0).normal(0.3, 1.0, size=12)
    ours, theirs = paired_t_test(values), ttest_1samp(values, 0.0)
    assert ours.t == pytest.approx(theirs.statistic)
    assert ours.p == pytest.approx(theirs.pvalue)
    assert ours.degrees == 11


def test_corrected_test_widens_the_error_by_the_overlap():
    # Ten times ten folds: J = 100, n_test/n_train = 1/9.
    values = np.random.default_rng(1).normal(0.3, 1.0, size=100)
    plain, corrected = paired_t_test(values), corrected_t_test(values, 1 / 9)
    assert corrected.t == pytest.approx(plain.t * np.sqrt((1 / 100) / (1 / 100 + 1 / 9)))
    assert corrected.degrees == 99
    assert corrected.p > plain.p


def test_a_published_example_by_hand():
    # Differences 1, 2, 3, 4: mean 2.5, s² = 5/3; five folds: factor 1/4 + 1/4.
    result = corrected_t_test([1, 2, 3, 4], 0.25)
    assert result.t == pytest.approx(2.5 / np.sqrt(0.5 * 5 / 3))


def test_tests_are_odd_in_the_differences():
    values = np.random.default_rng(2).normal(size=7)
    assert corrected_t_test(-values, 0.2).t == -corrected_t_test(values, 0.2).t
    assert corrected_t_test(-values, 0.2).p == corrected_t_test(values, 0.2).p


def test_equal_methods_tie_and_constant_differences_decide():
    assert paired_t_test(np.zeros(5))[1:] == (0.0, 4, 1.0)
    # 0.1 summed five times rounds: the variance is not exactly zero
    assert corrected_t_test([0.3 - 0.2, 0.1, 0.1, 0.1, 0.1], 0.25).p == 1 / 16
    assert paired_t_test([-1.0] * 3).t == -np.inf


@given(st.floats(-1e6, 1e6), st.integers(2, 30))
def test_equal_differences_say_no_more_than_their_signs(difference, J):
    # A test part of a fifth: five splits have test samples of their own, and more of them know no more.
    for test, n in (
        (paired_t_test, J),
        (partial(corrected_t_test, test_per_train=0.25), min(J, 5)),
    ):
        p = test([difference] * J).p
        assert p == (1.0 if difference == 0.0 else pytest.approx(2 * 0.5**n))


@pytest.mark.parametrize("bad", [[1.0], [], [[1.0, 2.0]], [1.0, np.nan]])
def test_differences_that_cannot_be_tested_are_refused(bad):
    with pytest.raises(ValueError, match="differences must"):
        paired_t_test(bad)


@pytest.mark.parametrize("ratio", [0.0, -1.0, np.inf, np.nan])
def test_a_ratio_that_is_none_is_refused(ratio):
    with pytest.raises(ValueError, match="test_per_train"):
        corrected_t_test([1.0, 2.0], ratio)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=7))
def test_holm_is_closed_testing_with_bonferroni(p_values):
    np.testing.assert_allclose(holm(p_values), naive.holm_by_closed_testing(p_values), atol=1e-15)


def test_holm_keeps_the_order_and_refuses_what_is_no_probability():
    assert holm([0.5, 0.01]).tolist() == [0.5, 0.02]
    assert holm([]).tolist() == []
    with pytest.raises(ValueError, match="p_values"):
        holm([0.2, 1.2])
    with pytest.raises(ValueError, match="p_values"):
        holm([np.nan])
