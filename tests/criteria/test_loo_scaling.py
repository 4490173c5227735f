"""Shifts at the scales that err least left out: a slow twin, what is seen, and what must not matter."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from svmsieve import SVMSieve, rank
from svmsieve.criteria import LOOScaling
from svmsieve.criteria import loo_scaling as module
from svmsieve.criteria.replacement import permutation_orders
from svmsieve.datasets import make_weston_linear
from svmsieve.engine.machines.target import Numbers
from tests import naive_criteria as naive
from tests.criteria.cases import GROUPS, RBF, TASKS, make_case


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("task", TASKS)
def test_scores_are_the_twins_at_the_scales_found(task, grouped):
    case = make_case(task, RBF, groups=GROUPS if grouped else None)
    ridge = module._problem(case.data, 250)
    scale, strength = module._problem(case.data, 100).start()
    found = ridge.minimised(np.full(ridge.n_units, scale), strength, 10)
    orders = permutation_orders(ridge.weights, 2, case.data.seed)
    expected = naive.mean_shifts(
        ridge.X, ridge.Y, found.theta, ridge.unit_of, found.ridge, ridge.weights, orders
    )
    np.testing.assert_allclose(case.scores(LOOScaling()), expected, rtol=1e-5, atol=1e-8)


def test_three_columns_that_matter_only_together():
    found = 0
    for seed in range(6):
        X = np.random.default_rng(seed).normal(size=(300, 20))
        y = X[:, 4] * X[:, 9] * X[:, 13] > 0
        found += set(rank(X, y, LOOScaling()).order[:3].tolist()) == {4, 9, 13}
    assert found >= 5


@pytest.mark.parametrize("seed", range(5))
def test_ten_of_four_hundred_columns_that_add_up(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(100, 400))
    y = X[:, :10].sum(axis=1) + 0.1 * rng.normal(size=100)
    found = rank(X, y, LOOScaling()).order[:10]
    assert len(set(found.tolist()) & set(range(10))) >= 9


def test_a_copy_takes_half_of_the_shift_and_noise_next_to_nothing():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 6))
    y = X[:, 0] + 0.2 * rng.normal(size=120)
    scores = rank(np.column_stack([X, X[:, 0]]), y, LOOScaling()).scores
    assert scores[0] == pytest.approx(scores[6], rel=1e-6)
    assert scores[1:6].max() < 0.2 * scores[0]


def test_units_of_many_columns_come_after_those_with_scales(monkeypatch):
    X, y = make_weston_linear(60, 40, random_state=0)
    every = rank(X, y, LOOScaling()).scores
    monkeypatch.setattr(module, "_MOST_UNITS", 15)
    some = rank(X, y, LOOScaling()).scores
    assert len(np.unique(some)) == 40  # every column has its place
    assert len(set(np.argsort(-every)[:5]) & set(np.argsort(-some)[:15])) >= 4
    order = np.random.default_rng(0).permutation(40)
    np.testing.assert_allclose(rank(X[:, order], y, LOOScaling()).scores, some[order], rtol=1e-6)


def test_many_samples_are_thinned_out(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 8))
    y = np.sort(X[:, 1] * X[:, 6])  # sorted, as files are
    X = X[np.argsort(X[:, 1] * X[:, 6])]
    seen = {}

    def spied(name):
        method = getattr(module.ScaledRidge, name)

        def spy(self, *given):
            seen[name] = self.X.shape[0]
            return method(self, *given)

        return spy

    for name in ("start", "minimised"):
        monkeypatch.setattr(module.ScaledRidge, name, spied(name))
    assert set(rank(X, y, LOOScaling()).order[:2].tolist()) == {1, 6}
    assert seen == {"start": module._START_SAMPLES, "minimised": module._MOST_SAMPLES}


@pytest.mark.parametrize("seed", range(3))
def test_samples_of_next_to_no_weight_have_next_to_no_say(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(90, 5))
    y = X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=90)
    weight = np.repeat([1.0, 0.0], [60, 30])
    criterion = LOOScaling(n_permutations="all")
    none = rank(X, y, criterion, sample_weight=weight, scale=False).scores
    light = rank(X, y, criterion, sample_weight=weight + 1e-9, scale=False).scores
    np.testing.assert_allclose(light, none, rtol=1e-4, atol=1e-5 * none.max())


@pytest.mark.parametrize("option", ["n_steps", "n_permutations"])
@pytest.mark.parametrize("value", [0, 1.5, "many"])
def test_a_number_that_is_none_is_refused(option, value):
    X, y = make_weston_linear(30, 6, random_state=0)
    with pytest.raises(ValueError, match=f"{option} must be"):
        rank(X, y, LOOScaling(**{option: value}))


@pytest.mark.parametrize("period", [2, 3, 5])
def test_samples_are_drawn_of_every_class_however_the_rows_are_ordered(period):
    rng = np.random.default_rng(period)
    X = rng.normal(size=(599, 5))
    y = np.arange(599) % period  # what every m-th row would miss
    X[:, 3] += y
    assert rank(X, y, LOOScaling()).order[0] == 3
    rare = np.zeros(599, dtype=int)
    rare[[101, 201, 301, 401]] = 1
    assert np.isfinite(rank(X, rare, LOOScaling()).scores).all()


@pytest.mark.parametrize("seed", range(4))
def test_the_unit_of_all_columns_means_nothing_even_unscaled(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(100, 6))
    y = X[:, 0] * X[:, 1] > 0
    plain = rank(X, y, LOOScaling(), scale=False).scores
    for unit in 2.0 ** rng.integers(-40, 40, 3):  # powers of two change no digit
        np.testing.assert_allclose(rank(unit * X, y, LOOScaling(), scale=False).scores, plain)


def test_of_many_copies_those_without_scales_score_the_same(monkeypatch):
    monkeypatch.setattr(module, "_MOST_UNITS", 10)
    rng = np.random.default_rng(0)
    x = rng.normal(size=40)
    scores = rank(np.tile(x[:, None], 30), x > 0, LOOScaling()).scores
    assert len(np.unique(np.round(scores / scores.max(), 9))) == 2


def test_an_elimination_by_it_scores_anew_at_every_size():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 6))
    y = X[:, 1] * X[:, 3] > 0
    sieve = SVMSieve(criterion="loo-scaling", n_features_to_select=2, random_state=0).fit(X, y)
    assert sieve.get_support(indices=True).tolist() == [1, 3]
    left = np.sort(sieve.order_[:3])  # the scores of the last step are those of the columns left
    again = rank(X[:, left], y, LOOScaling(), random_state=0)
    assert set(left[again.order[:2]].tolist()) == {1, 3}


@pytest.mark.parametrize("seed", range(5))
def test_a_target_that_is_constant_but_for_rounding_has_no_scores(seed):
    rng = np.random.default_rng(seed)
    case = make_case("regression", RBF)
    constant = replace(case.data, target=Numbers(np.full(len(case.y), rng.normal())))
    assert not LOOScaling().scores(None, constant).any()
