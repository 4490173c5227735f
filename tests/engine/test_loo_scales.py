"""Scales that err least on samples left out: against training without each sample, and finite differences."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from svmsieve.engine.effects.loo_scales import START_RIDGES, START_SCALES, ScaledRidge
from tests import naive_criteria as naive


def drawn(seed):
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(12, 40)), int(rng.integers(2, 7)), int(rng.integers(1, 4))
    X, Y = rng.normal(size=(n, d)), rng.normal(size=(n, k))
    unit_of = np.sort(rng.integers(0, d, d))
    unit_of = np.unique(unit_of, return_inverse=True)[1]
    weights = rng.uniform(0.3, 2.0, n) if seed % 2 else np.ones(n)
    ridge = ScaledRidge(X, Y - Y.mean(axis=0), weights, unit_of)
    theta = np.exp(rng.uniform(-4.0, 0.5, ridge.n_units))
    return ridge, theta, float(np.exp(rng.uniform(-3.0, 1.0)))


@pytest.mark.parametrize("seed", range(8))
def test_the_error_is_that_of_machines_trained_without_each_sample(seed):
    ridge, theta, strength = drawn(seed)
    expected = naive.left_out_error(ridge.X, ridge.Y, theta, ridge.unit_of, strength, ridge.weights)
    assert ridge.at(theta, strength)[0].error == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_slopes_are_finite_differences(seed):
    ridge, theta, strength = drawn(seed)
    found, slopes, of_ridge = ridge.at(theta, strength)
    step = 1e-5

    def error(parameters):
        values = np.exp(parameters)
        return ridge.at(values[:-1], values[-1])[0].error

    at = np.log(np.append(theta, strength))
    moves = step * np.eye(len(at))
    differences = [(error(at + move) - error(at - move)) / (2.0 * step) for move in moves]
    np.testing.assert_allclose(
        np.append(slopes, of_ridge), differences, rtol=1e-5, atol=1e-7 * found.error
    )


@pytest.mark.parametrize("seed", range(8))
def test_the_objective_is_the_error_and_what_the_scales_moved(seed):
    ridge, theta, strength = drawn(seed)
    at = np.log(np.append(theta, strength))
    start = at + np.random.default_rng(seed).normal(size=len(at))
    total, slopes = ridge.objective(at, start)
    error = naive.left_out_error(ridge.X, ridge.Y, theta, ridge.unit_of, strength, ridge.weights)
    moved = at[:-1] - start[:-1]
    n = ridge.weights.sum() ** 2 / (ridge.weights**2).sum()
    assert total == pytest.approx(np.log(error) + (moved**2).sum() / (4.0 * n))
    moves = 1e-5 * np.eye(len(at))
    differences = [
        (ridge.objective(at + move, start)[0] - ridge.objective(at - move, start)[0]) / 2e-5
        for move in moves
    ]
    np.testing.assert_allclose(slopes, differences, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_few_samples_move_many_scales_only_as_far_as_the_error_pays_for_it(seed):
    rng = np.random.default_rng(seed)
    n, d = 30, 60
    X, Y = rng.normal(size=(n, d)), rng.normal(size=(n, 1))
    ridge = ScaledRidge(X, Y - Y.mean(), np.ones(n), np.arange(d))
    scale, strength = ridge.start()
    start = np.full(d, scale)
    found = ridge.minimised(start, strength, 30)
    gained = np.log(ridge.at(start, strength)[0].error / found.error)
    assert (np.log(found.theta / start) ** 2).sum() <= 4.0 * n * gained


@pytest.mark.parametrize("seed", range(4))
def test_the_start_errs_least_of_its_grid(seed):
    ridge, _, _ = drawn(seed)
    shares = ridge.weights / ridge.weights.sum()
    variances = shares @ (ridge.X - shares @ ridge.X) ** 2
    every = {
        (scale / variances.sum(), strength): ridge.at(
            np.full(ridge.n_units, scale / variances.sum()), strength
        )[0].error
        for scale in START_SCALES
        for strength in START_RIDGES
    }
    scale, strength = ridge.start()
    best = min(every, key=lambda point: every[point])
    assert (scale, strength) == (pytest.approx(best[0]), best[1])


@pytest.mark.parametrize("seed", range(4))
def test_steps_lower_the_error_and_sparse_samples_follow_them(seed):
    ridge, _, _ = drawn(seed)
    scale, strength = ridge.start()
    start = np.full(ridge.n_units, scale)
    found = ridge.minimised(start, strength, 10)
    assert found.error <= ridge.at(start, strength)[0].error
    assert found.error == pytest.approx(ridge.at(found.theta, found.ridge)[0].error)
    sparse = ScaledRidge(sp.csr_matrix(ridge.X), ridge.Y, ridge.weights, ridge.unit_of)
    np.testing.assert_allclose(
        sparse.minimised(start, strength, 3).theta, ridge.minimised(start, strength, 3).theta
    )


def test_columns_that_say_nothing_lose_their_scale():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 12))
    Y = np.sign(X[:, 2] * X[:, 5])[:, None]
    ridge = ScaledRidge(X, Y - Y.mean(), np.ones(150), np.arange(12))
    scale, strength = ridge.start()
    theta = ridge.minimised(np.full(12, scale), strength, 25).theta
    assert set(np.argsort(-theta)[:2]) == {2, 5}
    assert np.median(theta) < 0.05 * theta[[2, 5]].min()


def test_some_of_the_units():
    ridge, theta, strength = drawn(2)
    assert ridge.n_units > 1
    units = np.arange(ridge.n_units)[1:]
    some = ridge.of_units(units)
    columns = ridge.unit_of >= 1
    assert some.n_units == len(units)
    plain = ScaledRidge(ridge.X[:, columns], ridge.Y, ridge.weights, ridge.unit_of[columns] - 1)
    assert some.at(theta[1:], strength)[0].error == plain.at(theta[1:], strength)[0].error
