"""Stability of selections."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import spearmanr

from svmsieve.evaluation import Stability, nogueira_index, rank_correlations
from tests import naive_evaluation as naive


def random_masks(seed, M=12, d=20, equal=False):
    rng = np.random.default_rng(seed)
    chances = rng.beta(0.5, 0.8, size=d)
    if equal:
        return np.array([np.isin(np.arange(d), rng.choice(d, 6, replace=False)) for _ in range(M)])
    return rng.random((M, d)) < chances


@pytest.mark.parametrize("seed", range(5))
def test_index_is_the_mean_agreement_of_pairs(seed):
    masks = random_masks(seed)
    assert nogueira_index(masks).value == pytest.approx(naive.stability_of_pairs(masks))


def test_index_is_kunchevas_where_sizes_are_equal():
    masks = random_masks(3, equal=True)
    assert nogueira_index(masks).value == pytest.approx(naive.kuncheva_index(masks))


@pytest.mark.parametrize("equal", [True, False])
def test_variance_is_the_infinitesimal_jackknifes(equal):
    masks = random_masks(4, equal=equal)
    index = nogueira_index(masks)
    expected = naive.stability_variance_by_weights(masks.astype(float), index.value)
    assert index.variance == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("M", [3, 5, 10, 20, 60])
def test_interval_covers_the_stability_of_the_procedure_or_is_left_out(M):
    rng = np.random.default_rng(0)
    chances = np.r_[np.full(5, 0.9), np.full(10, 0.2), np.full(15, 0.05)]
    share = chances.mean()
    truth = 1.0 - np.mean(chances * (1 - chances)) / (share * (1 - share))
    found = [nogueira_index(rng.random((M, len(chances))) < chances) for _ in range(600)]
    hits = [i.lower <= truth <= i.upper for i in found if np.isfinite(i.lower)]
    if M < 20:
        assert not hits
    else:
        assert np.mean(hits) >= 0.9 - 2 * np.sqrt(0.9 * 0.1 / 600)
        assert np.mean(hits) <= 0.98


def test_agreement_is_one_and_chance_is_zero():
    same = np.tile([1, 1, 0, 0, 0], (6, 1))
    index = nogueira_index(same)
    assert index.value == 1.0
    assert np.isnan([index.lower, index.upper]).all()
    assert repr(index) == "1.000"
    rng = np.random.default_rng(1)
    chance = [nogueira_index(rng.random((10, 30)) < 0.3).value for _ in range(200)]
    assert abs(np.mean(chance)) < 3 * np.std(chance) / np.sqrt(200) + 1e-3


@pytest.mark.parametrize("all_or_none", [0, 1])
def test_index_of_everything_or_nothing_is_not_defined(all_or_none):
    assert np.isnan(nogueira_index(np.full((4, 5), all_or_none)).value)


@pytest.mark.parametrize("bad", [[[1, 0]], [1, 0], [[1, 2], [0, 1]]])
def test_what_is_no_masks_is_refused(bad):
    with pytest.raises(ValueError, match="selected must hold masks"):
        nogueira_index(bad)


def test_a_level_is_a_probability():
    with pytest.raises(ValueError, match="level"):
        nogueira_index([[1, 0], [0, 1]], level=95)


def test_rank_correlation_is_spearmans():
    rng = np.random.default_rng(2)
    orders = np.array([rng.permutation(9) for _ in range(4)])
    expected = spearmanr(np.argsort(orders, axis=1), axis=1).statistic
    np.testing.assert_allclose(rank_correlations(orders), expected, atol=1e-12)


def make_stability():
    return Stability.of(
        [[0, 1], [0, 2], [0]], [[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2]], ["a", "b", "c", "d"]
    )


def test_stability_of_selected_columns():
    stability = make_stability()
    np.testing.assert_allclose(stability.frequency, [1, 1 / 3, 1 / 3, 0])
    assert stability.sizes == [2, 2, 1]
    frame = stability.to_frame()
    assert frame["feature"].tolist() == ["a", "b", "c", "d"]
    assert frame["mean_rank"].tolist() == pytest.approx([1, 8 / 3, 3, 10 / 3])
    assert stability.mean_correlation == pytest.approx((0.8 + 0.4 + 0.2) / 3)


def test_stability_is_readable_and_plain():
    stability = make_stability()
    assert "100%  a" in repr(stability)
    assert json.loads(json.dumps(stability.to_dict()))["sizes"] == [2, 2, 1]


def test_stability_without_rankings():
    stability = Stability.of([[0], [1]], None, ["a", "b", "c"])
    assert np.isnan(stability.mean_correlation)
    assert "mean_rank" not in stability.to_frame()
    assert stability.to_dict()["correlation"] is None
