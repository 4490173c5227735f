"""The radius-margin bound: its value by a general solver, its gradient by finite differences."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from svmsieve.runtime.memory import MemoryBudgetError
from svmsieve.strategies.rm_bound import C_RANGE, RMBound, minimise_bound, stretched
from tests import naive_strategies as naive
from tests.strategies.problems import product_sign, shifted


@pytest.mark.parametrize(("C", "scale"), [(0.1, 0.3), (1.0, 1.0), (50.0, 4.0)])
def test_value_is_the_naive_one(C, scale):
    X, y = product_sign(n=14, d=3)
    gamma = scale * np.array([1.0, 0.5, 2.0])
    value, _, _ = RMBound(X, y.astype(float))(np.log(C), np.log(gamma))
    assert value == pytest.approx(naive.log_bound(X, y, C, gamma), rel=1e-5)


@pytest.mark.parametrize(("C", "scale"), [(0.1, 0.3), (1.0, 1.0), (50.0, 4.0), (1e4, 0.05)])
@pytest.mark.parametrize("problem", [product_sign, shifted])
def test_gradient_is_that_of_finite_differences(problem, C, scale):
    X, y = problem(n=40, d=5)
    y = np.where(y > 0, 1.0, -1.0)
    theta = np.log([C, *(scale * np.array([1.0, 0.5, 2.0, 0.1, 3.0]))])

    def value(point):
        return RMBound(X, y)(point[0], point[1:])[0]

    _, slope_of_C, slopes = RMBound(X, y)(theta[0], theta[1:])
    step = 1e-4
    differences = [
        (value(theta + step * unit) - value(theta - step * unit)) / (2.0 * step)
        for unit in np.eye(6)
    ]
    # the sphere's optimum is known to 1e-6 of its size, the difference quotient to the same over the step
    np.testing.assert_allclose([slope_of_C, *slopes], differences, atol=2e-4, rtol=2e-3)


def test_gradient_of_the_naive_bound():
    X, y = product_sign(n=12, d=2)
    theta = np.log([2.0, 1.0, 3.0])
    _, slope_of_C, slopes = RMBound(X, y.astype(float))(theta[0], theta[1:])
    step = 1e-3
    differences = []
    for unit in np.eye(3):
        ahead, behind = np.exp(theta + step * unit), np.exp(theta - step * unit)
        difference = naive.log_bound(X, y, ahead[0], ahead[1:])
        difference -= naive.log_bound(X, y, behind[0], behind[1:])
        differences.append(difference / (2.0 * step))
    np.testing.assert_allclose([slope_of_C, *slopes], differences, atol=1e-3)


def test_a_warm_start_changes_nothing():
    X, y = product_sign(n=60, d=4)
    bound = RMBound(X, y.astype(float))
    bound(3.0, np.full(4, 1.0))
    warm = bound(0.0, np.zeros(4))
    cold = RMBound(X, y.astype(float))(0.0, np.zeros(4))
    assert warm[0] == pytest.approx(cold[0], rel=1e-6)
    np.testing.assert_allclose(warm[2], cold[2], atol=1e-4)


def test_sparse_samples_give_what_dense_ones_give():
    X, y = shifted(n=30, d=5)
    X[np.random.default_rng(0).random(X.shape) < 0.4] = 0.0
    y = np.where(y > 0, 1.0, -1.0)
    gamma = np.array([0.0, 1.0, -1.0, 0.5, 2.0])
    dense, sparse = RMBound(X, y)(0.0, gamma), RMBound(sp.csr_matrix(X), y)(0.0, gamma)
    assert sparse[0] == pytest.approx(dense[0], rel=1e-9)
    np.testing.assert_allclose(sparse[2], dense[2], atol=1e-7)
    scaled = stretched(sp.csr_matrix(X), np.exp(gamma))
    np.testing.assert_allclose(scaled.toarray(), stretched(X, np.exp(gamma)))


def test_the_minimum_is_one_and_the_bound_falls():
    X, y = product_sign(n=80, d=4)
    y = y.astype(float)
    minimum = minimise_bound(X, y)
    assert minimum.converged
    assert (np.diff(minimum.values) <= 1e-9).all()
    value, slope_of_C, slopes = RMBound(X, y)(np.log(minimum.C), np.log(minimum.gamma))
    assert value == pytest.approx(minimum.values[-1], rel=1e-5)
    assert np.abs(slopes).max() < 2e-2
    # C may end at the edge of its range, where the bound still falls outwards
    inside = C_RANGE[0] * 1.01 < minimum.C < C_RANGE[1] / 1.01
    assert abs(slope_of_C) < 2e-2 or not inside


def test_irrelevant_features_lose_their_gamma_by_orders_of_magnitude():
    X, y = product_sign(n=200, d=10)
    gamma = minimise_bound(X, y.astype(float)).gamma
    assert gamma[2:].max() < 1e-2 * gamma[:2].min()


def test_too_few_steps_are_told():
    X, y = product_sign(n=60, d=4)
    with pytest.warns(ConvergenceWarning, match="still falling after 2 steps; raise max_iter"):
        minimum = minimise_bound(X, y.astype(float), max_iter=2)
    assert not minimum.converged


def test_a_matrix_beyond_the_budget_is_refused():
    X, y = product_sign(n=60, d=4)
    with pytest.raises(MemoryBudgetError, match="60 samples"):
        minimise_bound(X, y.astype(float), memory=1000.0)
