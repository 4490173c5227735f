"""The solver of judged machines against the one of all others."""

from __future__ import annotations

import numpy as np
import pytest

from svmsieve.engine.kernels.kernel import RBF, gram
from svmsieve.engine.machines.judged_points import Machines
from svmsieve.engine.machines.machine import train_svc, train_svr
from svmsieve.engine.machines.target import Classes
from svmsieve.engine.solvers.row_steps import row_steps
from svmsieve.engine.solvers.smo import solve_qp
from svmsieve.engine.solvers.smo_rounds import smo_rounds
from svmsieve.engine.solvers.smo_steps import smo_steps

pytestmark = pytest.mark.jitless


def programme(kind, n, C, seed):
    """Kernel, s, p and bounds of a machine of random samples, some of them equal, some without weight."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[: n // 6] = X[n // 6 : 2 * (n // 6)]
    K = gram(RBF(rng.uniform(0.02, 2.0)), X, X)
    weights = rng.uniform(0.5, 2.0, n) * (rng.uniform(size=n) > 0.1)
    if kind == "classes":
        s = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)
        return K, s, np.full(n, -1.0), C * weights
    y = np.sin(X[:, 0]) + 0.2 * rng.normal(size=n)
    s = np.repeat([1.0, -1.0], n)
    return K, s, np.concatenate([0.1 - y, 0.1 + y]), np.tile(C * weights, 2)


def violation(K, s, p, C, a):
    """How much the optimality conditions are violated, from the definition."""
    n = len(K)
    F = -np.tile(K @ (s * a).reshape(-1, n).sum(axis=0), len(s) // n) - s * p
    up = np.where(s > 0, a < C, a > 0)
    down = np.where(s > 0, a > 0, a < C)
    return F[up].max() - F[down].min()


each_kind = pytest.mark.parametrize("kind", ["classes", "numbers"])


@each_kind
@pytest.mark.parametrize("C", [0.1, 10.0, 1000.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_is_the_same(kind, C, seed):
    K, s, p, bounds = programme(kind, 48, C, seed)
    a, u = np.zeros(len(s)), np.zeros(len(K))
    _, left = smo_rounds(K, np.ones(len(K)), s, s * p, bounds, a, u, 1e-6, 10**6)
    assert left < 1e-6
    assert violation(K, s, p, bounds, a) < 1e-5
    assert abs(s @ a) <= 1e-9 * max(1.0, a.max())
    assert (a >= 0.0).all()
    assert (a <= bounds).all()
    np.testing.assert_allclose(u, K @ (s * a).reshape(-1, len(K)).sum(axis=0), atol=1e-7 * C)
    twin = solve_qp(K, s, p, bounds, tol=1e-6)
    objective = p @ a + 0.5 * (s * a).reshape(-1, len(K)).sum(axis=0) @ u
    assert objective == pytest.approx(twin.objective, rel=1e-6, abs=1e-9)


@each_kind
def test_steps_by_rows_come_to_the_same_point(kind):
    K, s, p, bounds = programme(kind, 30, 2.0, 5)
    found = []
    for steps in (smo_steps, row_steps):
        a, u = np.zeros(len(s)), np.zeros(len(K))
        taken, f_max, f_min = steps(K, np.ones(len(K)), s, s * p, bounds, a, u, 1e-8, 10**6)
        assert f_max - f_min < 1e-8
        found.append((s * a).reshape(-1, len(K)).sum(axis=0) @ K)
        few = steps(K, np.ones(len(K)), s, s * p, bounds, 0.0 * a, 0.0 * u, 1e-8, 3)
        assert few[0] == min(3, taken)
    np.testing.assert_allclose(*found, atol=1e-6)


GRID = np.array([0.05, 1.0, 30.0, 1000.0])


@pytest.mark.parametrize("labels", ["two", "three", "numbers"])
@pytest.mark.parametrize("weighted", [False, True])
def test_along_C_is_one_machine_after_another(labels, weighted):
    rng = np.random.default_rng(8)
    X, others = rng.normal(size=(45, 3)), rng.normal(size=(11, 3))
    weights = rng.uniform(0.5, 2.0, 45) if weighted else np.ones(45)
    kernel = RBF(0.3)
    K, across = gram(kernel, X, X), gram(kernel, others, X)
    if labels == "numbers":
        y = X[:, 0] ** 2 + X[:, 1]
        machines = Machines.of_numbers(y, 0.1, weights, 1e-9, 10**6)
        pairs = [(np.arange(45), y)]
    else:
        codes = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5 if labels == "three" else 0)
        target = Classes.of(codes)
        machines = Machines.of_pairs(target.flat_pairs, weights, 1e-9, 10**6)
        pairs = target.pairs
    values, converged = machines.along_C(K, across, GRID)
    assert converged.all()
    assert values.shape == (len(GRID), 11, len(pairs))
    for m, (rows, y) in enumerate(pairs):
        for C, found in zip(GRID, values[:, :, m], strict=True):
            own, C_own = K[np.ix_(rows, rows)], C * weights[rows]
            if labels == "numbers":
                dual = train_svr(own, y, C_own, 0.1, tol=1e-9)
            else:
                dual = train_svc(own, y, C_own, tol=1e-9)
            twin = across[:, rows] @ dual.coef + dual.intercept
            np.testing.assert_allclose(found, twin, atol=1e-5)


def test_what_ends_before_its_optimum_is_told():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 2))
    target = Classes.of(rng.integers(2, size=40))
    K = gram(RBF(0.1), X, X)
    machines = Machines.of_pairs(target.flat_pairs, np.ones(40), 1e-6, 5)
    values, converged = machines.along_C(K, K[:3], np.array([1.0, 10.0, 100.0, 1000.0]))
    assert not converged.any()
    np.testing.assert_array_equal(values[1], values[3])  # larger C are not tried any more


def test_all_gammas_at_once_are_one_after_another():
    rng = np.random.default_rng(4)
    X, others = rng.normal(size=(30, 2)), rng.normal(size=(5, 2))
    target = Classes.of((X[:, 0] * X[:, 1] > 0).astype(int))
    machines = Machines.of_pairs(target.flat_pairs, np.ones(30), 1e-8, 10**6)
    square = ((X[:, None] - X) ** 2).sum(axis=2)
    across = ((others[:, None] - X) ** 2).sum(axis=2)
    points = ((0.25, (1.0, 10.0)), (1.0, (0.5,)), (3.0, (2.0, 4.0, 8.0)))
    found = machines.at_points(square, across, points)
    apart = [
        machines.along_C(np.exp(-g * square), np.exp(-g * across), np.array(row))[0]
        for g, row in points
    ]
    np.testing.assert_allclose(found, np.concatenate(apart), atol=1e-6)


@pytest.mark.parametrize("weights", [np.zeros(6), np.array([1.0, -1.0, 1.0, 1.0, 1.0, 1.0])])
def test_bounds_that_no_machine_has_are_refused(weights):
    y = np.arange(6.0)
    with pytest.raises(ValueError, match="C must not be negative"):
        Machines.of_numbers(y, 0.1, weights, 1e-3, 100)
    with pytest.raises(ValueError, match="C must not be negative"):
        Machines.of_pairs(Classes.of(y > 2).flat_pairs, weights, 1e-3, 100)
