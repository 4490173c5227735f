"""Half samples, and what they choose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from svmsieve.engine.machines.target import Classes, Numbers
from svmsieve.selection.halves import by_best_rank, half_samples, times_chosen
from tests.naive_halves import best_of_any


def labels(n=41, seed=0):
    return Classes.of(np.random.default_rng(seed).choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2]))


@pytest.mark.parametrize("target", [labels(), Numbers.of(np.arange(31.0))])
def test_the_halves_of_a_pair_share_nothing_and_leave_nothing(target):
    halves = half_samples(target, 12, seed=3)
    assert len(halves) == 24
    for first, second in zip(halves[0::2], halves[1::2], strict=True):
        assert sorted([*first, *second]) == list(range(len(target)))
        assert abs(len(first) - len(second)) <= 1
    assert len({tuple(half) for half in halves}) == 24


def test_classes_are_divided_evenly():
    target = labels()
    for half in half_samples(target, 10, seed=0):
        counts = np.bincount(target.codes[half], minlength=3)
        assert (abs(2 * counts - np.bincount(target.codes)) <= 1).all()


def test_every_sample_is_in_each_half_alike():
    first = np.concatenate(half_samples(labels(40), 400, seed=1)[0::2])
    assert np.abs(np.bincount(first) - 200).max() < 5 * np.sqrt(100)


@pytest.mark.parametrize("classes", [True, False])
def test_groups_of_samples_stay_whole(classes):
    rng = np.random.default_rng(0)
    groups = rng.permutation(np.repeat(np.arange(15), 4))
    target = labels(60) if classes else Numbers.of(rng.normal(size=60))
    for half in half_samples(replace(target, groups=groups), 10, seed=0):
        other = np.delete(np.arange(60), half)
        assert not set(groups[half]) & set(groups[other])
        if classes:
            assert (np.bincount(target.codes[half], minlength=3) >= 2).all()


def test_what_a_class_is_called_changes_nothing():
    target = labels()
    other = replace(target, classes=np.array([1, 2, 3]))
    for first, second in zip(half_samples(target, 3, 0), half_samples(other, 3, 0), strict=True):
        np.testing.assert_array_equal(first, second)


def test_classes_too_small_for_two_halves_are_refused():
    with pytest.raises(ValueError, match="needs 2 samples of each class in each half; give more"):
        half_samples(Classes.of(np.repeat([0, 1], [20, 3])), 10, 0)
    groups = np.repeat([0, 1], [10, 10])
    one_sided = replace(Classes.of(np.repeat([0, 1], 10)), groups=groups)
    with pytest.raises(ValueError, match="each half that keeps groups of samples whole"):
        half_samples(one_sided, 10, 0)


@pytest.mark.parametrize("seed", range(20))
def test_the_best_by_any_ranking_are_chosen(seed):
    rng = np.random.default_rng(seed)
    n, n_orders = int(rng.integers(2, 12)), int(rng.integers(1, 5))
    orders = [rng.permutation(n) for _ in range(n_orders)]
    for chosen in range(1, n + 1):
        assert by_best_rank(orders, chosen).tolist() == best_of_any(orders, chosen)


def test_kept_units_are_not_chosen():
    orders = [np.array([4, 0, 1, 2, 3]), np.array([4, 3, 2, 1, 0])]
    assert by_best_rank(orders, 3, frozenset({4})).tolist() == [0, 3, 1]


def test_times_are_counted():
    assert times_chosen([[0, 2], [2], [3, 2]], 5).tolist() == [1, 0, 3, 1, 0]
