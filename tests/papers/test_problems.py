"""Splits of the papers' trials."""

from __future__ import annotations

import numpy as np
import pytest

from svmsieve.datasets import make_weston_linear, make_yang
from svmsieve.papers.problems import Drawn, GivenParts, Resampled, _proportional


def rows(X) -> set[bytes]:
    return {row.tobytes() for row in np.ascontiguousarray(X)}


def test_drawn_samples_are_of_one_pool_and_do_not_judge_themselves():
    problem = Drawn(make_yang, 6, 20, 100)
    first, second = problem.split(0, 0), problem.split(0, 1)
    assert first.X.shape == (20, 6)
    assert first.X_test.shape == (80, 6)
    assert not rows(first.X) & rows(first.X_test)
    assert rows(first.X) | rows(first.X_test) == rows(second.X) | rows(second.X_test)
    assert rows(first.X) != rows(second.X)


def test_a_trial_is_the_same_whenever_it_is_run_and_another_with_another_seed():
    problem = Drawn(make_weston_linear, 8, 20, 100, 50)
    again = problem.split(0, 3)
    assert np.array_equal(problem.split(0, 3).X, again.X)
    assert not np.array_equal(problem.split(1, 3).X, again.X)
    assert len(again.X_test) == 50


def test_draws_are_balanced_as_the_pool_is():
    problem = Drawn(make_weston_linear, 6, 4, 40)
    for trial in range(20):
        assert np.unique(problem.split(0, trial).y, return_counts=True)[1].tolist() == [2, 2]


def test_proportional_split_keeps_the_shares_of_the_classes():
    y = np.repeat([0, 1], [40, 22])
    first, rest = _proportional(y, 50, np.random.default_rng(0))
    assert np.bincount(y[first]).tolist() == [32, 18]
    assert sorted([*first, *rest]) == list(range(62))


def test_original_splits_come_first_and_a_part_is_held_back(shared_data, monkeypatch):
    monkeypatch.setenv("SVMSIEVE_DATA", str(shared_data))
    with np.load(shared_data / "ratsch_heart.npz") as data:
        X, train, test = data["X"], data["train_idx"], data["test_idx"]
    problem = Resampled("ratsch_heart", 170, 100, original=True)
    split = problem.split(0, 9)
    assert np.array_equal(split.X, X[train[9]])
    assert np.array_equal(split.X_test, X[test[9]])
    beyond = problem.split(0, 10)
    assert (len(beyond.X), len(beyond.X_test)) == (170, 100)
    held_back = Resampled("ratsch_heart", 170, 100, original=True, drop=51).split(0, 9)
    assert len(held_back.X) == 119
    assert rows(held_back.X) <= rows(split.X)


def test_added_splits_of_the_benchmark_are_not_stratified_as_its_own_are_not(
    shared_data, monkeypatch
):
    monkeypatch.setenv("SVMSIEVE_DATA", str(shared_data))
    from svmsieve.papers import studies

    for paper, name in [
        (p, n) for p in ("rakotomamonjy2003", "shen2008") for n in ("breast-cancer", "heart")
    ]:
        (setting,) = studies(paper)[name].settings.values()
        for trials in (range(10), range(10, 40)):
            counts = {int((setting.problem.split(0, t).y == 1).sum()) for t in trials}
            assert len(counts) > 3, (paper, name)


def test_missing_values_are_filled_from_the_training_samples(shared_data, monkeypatch):
    monkeypatch.setenv("SVMSIEVE_DATA", str(shared_data))
    problem = Resampled("breast-cancer-wisconsin", 600)
    split = problem.split(0, 0)
    assert np.isfinite(split.X).all()
    assert np.isfinite(split.X_test).all()


@pytest.mark.parametrize(
    ("data", "test", "n"), [("madelon", "valid", 600), ("monks-1", "test", 432)]
)
def test_given_parts(shared_data, monkeypatch, data, test, n):
    monkeypatch.setenv("SVMSIEVE_DATA", str(shared_data))
    assert len(GivenParts(data, test).split(0, 0).X_test) == n
