"""Thresholds: which are tried, which wins."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svmsieve.strategies.machine import balanced_error, random_splits
from svmsieve.strategies.thresholds import (
    Thresholds,
    best_features,
    find_thresholds,
    gap_sizes,
    make_thresholds,
)
from tests import naive_strategies as naive


@given(st.lists(st.integers(0, 50), min_size=1, max_size=70))
def test_thresholds_are_those_of_the_naive_search(values):
    scores = np.array(values) / 10.0
    expected = naive.thresholds(scores.tolist()) or [0.0]
    assert find_thresholds(scores).tolist() == expected


def test_a_clear_gap_is_the_first():
    rng = np.random.default_rng(0)
    noise = np.sort(rng.chisquare(1, 487))[::-1]
    falling = np.concatenate([np.linspace(60.0, 40.0, 13), noise])
    assert gap_sizes(falling)[0] == 13


def test_every_size_in_between_is_near_a_threshold():
    scores = np.random.default_rng(1).exponential(size=1000)
    sizes = [(scores >= value).sum() for value in find_thresholds(scores)]
    assert sizes[0] == 1
    assert sizes[-1] == 1000
    assert max(b / a for a, b in pairwise(sizes)) <= 3.0
    assert len(sizes) <= 10 + 5


def test_thresholds_keep_equal_scores_together():
    values = find_thresholds(np.array([2.0, 2.0, 2.0, 1.0]))
    assert values.tolist() == [2.0, 1.0]


def test_the_lowest_error_wins_and_among_equals_the_fewest_features():
    errors = np.array([[0.3, 0.3], [0.2, 0.1], [0.1, 0.2], [0.4, 0.0]])
    tried = Thresholds(np.array([4.0, 3.0, 2.0, 1.0]), np.array([1, 2, 3, 4]), errors)
    assert tried.best == 1
    assert tried.best_value == 3.0
    assert len(tried) == 4


def test_thresholds_of_the_user_are_checked():
    scores = np.array([0.5, 1.0])
    assert make_thresholds([0.2, 0.9, 0.2], scores).tolist() == [0.9, 0.2]
    with pytest.raises(ValueError, match=r"thresholds must keep at least one feature: 3 is above"):
        make_thresholds([0.2, 3.0], scores)
    with pytest.raises(ValueError, match="thresholds must hold at least one value"):
        make_thresholds([], scores)
    with pytest.raises(ValueError, match="thresholds must be finite"):
        make_thresholds([np.nan], scores)
    with pytest.raises(ValueError, match="thresholds must be numeric"):
        make_thresholds(["high"], scores)


def test_best_features_are_as_many_as_asked_for():
    scores = np.array([1.0, 2.0, 2.0, 0.0])
    assert np.flatnonzero(best_features(scores, 1)).tolist() == [1]
    assert np.flatnonzero(best_features(scores, 3)).tolist() == [0, 1, 2]


def test_splits_hold_out_a_share_of_each_class():
    codes = np.repeat([0, 1, 2], [20, 10, 3])
    splits = random_splits(codes, 4, 0.5, seed=0)
    assert len({tuple(valid) for _, valid in splits}) == 4
    for train, valid in splits:
        assert np.bincount(codes[valid]).tolist() == [10, 5, 1]  # two of the smallest must stay
        assert sorted([*train, *valid]) == list(range(33))


def test_splits_need_three_samples_of_each_class():
    with pytest.raises(ValueError, match=r"at least three samples of each class.*has 2: drop"):
        random_splits(np.array([0, 0, 0, 1, 1]), 1, 0.5, seed=0)


def test_balanced_error_of_chen_and_lins_example():
    truth = np.repeat([1, 0], [90, 10])
    assert balanced_error(truth, np.ones(100, dtype=int)) == 0.5
