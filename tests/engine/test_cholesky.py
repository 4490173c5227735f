"""The compiled solver of positive definite systems."""

import numpy as np
import pytest

from svmsieve.engine.solvers.cholesky import solve_positive_definite
from svmsieve.engine.solvers.newton import solve_squared_hinge


def _system(m, seed=0):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(m, m + 3))
    return A @ A.T + 0.1 * np.eye(m), rng.normal(size=(2, m))


@pytest.mark.parametrize("m", [1, 2, 63, 64, 65, 128, 200, 400])
def test_equals_numpy_across_block_sizes(m):
    A, B = _system(m)
    x = B.copy()
    solve_positive_definite(A.copy(), x)
    np.testing.assert_allclose(x, np.linalg.solve(A, B.T).T, rtol=1e-8, atol=1e-10)


@pytest.mark.jitless
@pytest.mark.parametrize("m", [1, 5, 70])
def test_small_systems(m):
    A, B = _system(m)
    x = B.copy()
    solve_positive_definite(A.copy(), x)
    np.testing.assert_allclose(x @ A, B, rtol=1e-8, atol=1e-8)


@pytest.mark.jitless
def test_only_the_lower_triangle_is_read():
    A, B = _system(10)
    lower = np.tril(A)
    x, reference = B.copy(), B.copy()
    solve_positive_definite(lower, x)
    solve_positive_definite(A, reference)
    np.testing.assert_array_equal(x, reference)


@pytest.mark.jitless
def test_empty_system():
    assert solve_positive_definite(np.empty((0, 0)), np.empty((2, 0)))


@pytest.mark.jitless
def test_a_lost_pivot_is_told():
    A, x = _system(6)
    assert solve_positive_definite(A.copy(), x.copy())
    A[3, 3] = -1.0
    assert not solve_positive_definite(A, x)


@pytest.mark.jitless
def test_a_machine_whose_system_rounding_makes_singular():
    K, y = np.full((6, 6), 1e8), np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0])
    solution = solve_squared_hinge(K, y, np.full(6, 1e6))  # 1/C is lost beside K
    assert np.isfinite(solution.coef).all()
    assert np.isfinite(solution.objective)


@pytest.mark.jitless
def test_ill_conditioned_system_has_a_small_residual():
    rng = np.random.default_rng(1)
    z = rng.normal(size=(30, 2))
    A = z @ z.T + 1e-6 * np.eye(30)  # a linear kernel of two features and C = 1e6
    b = np.where(z[:, 0] > 0, 1.0, -1.0)[None]
    x = b.copy()
    solve_positive_definite(A.copy(), x)
    assert np.abs(x @ A - b).max() < 1e-8
