"""The squared-hinge machine: exact at every C, from every start."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svmsieve.engine.kernels.kernel import RBF, Linear, Polynomial, gram
from svmsieve.engine.machines.machine import train_squared_hinge, train_svc
from svmsieve.engine.solvers.newton import _exact_step, solve_squared_hinge
from tests import naive
from tests.engine.problems import relative_error, separable, two_classes


def _overlapping(n=120, d=2):
    return two_classes(n, d, noise=2.0)


def _duplicates():
    X, y = two_classes(40, 2, noise=0.3)
    return np.repeat(X, 3, axis=0), np.repeat(y, 3)


def _contradictory():
    X, y = two_classes(30, 2, noise=0.3)
    return np.vstack([X, X[:12]]), np.append(y, -y[:12])


PROBLEMS = {
    "linear-few-features": (Linear(), _overlapping),
    "linear-one-feature": (Linear(), lambda: _overlapping(100, 1)),
    "linear-separable": (Linear(), lambda: separable(60, 3)),
    "linear-duplicates": (Linear(), _duplicates),
    "linear-contradictory": (Linear(), _contradictory),
    "rbf": (RBF(0.5), _overlapping),
    "rbf-narrow": (RBF(50.0), _duplicates),
    "rbf-contradictory": (RBF(0.5), _contradictory),
    "poly-separable": (Polynomial(2, 1.0, 1.0), lambda: separable(60, 3)),
    "poly-contradictory": (Polynomial(2, 0.5, 1.0), _contradictory),
}


def _assert_optimal(K, y, C, solution):
    c, b = solution.coef, solution.intercept
    assert solution.converged
    assert naive.squared_hinge_violation(K, y, C, c, b) < 1e-7
    primal = naive.squared_hinge_primal(K, y, C, c, b)
    dual = naive.squared_hinge_dual(K, y, C, np.maximum(y * c, 0.0))
    assert relative_error(solution.objective, primal) < 1e-6
    assert abs(primal - dual) < 1e-6 * primal
    np.testing.assert_allclose(solution.outputs, K @ c, atol=1e-7 * max(1.0, abs(K @ c).max()))


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e2, 1e4, 1e5, 1e6])
@pytest.mark.parametrize("name", PROBLEMS)
def test_optimality_conditions_and_duality_gap(name, C):
    kernel, problem = PROBLEMS[name]
    X, y = problem()
    K = gram(kernel, X, X)
    _assert_optimal(K, y, np.full(len(y), C), train_squared_hinge(K, y, C))


@pytest.mark.jitless
@pytest.mark.parametrize("C", [0.1, 1e3, 1e6])
def test_small_problems(C):
    X, y = two_classes(14, 2)
    K = gram(RBF(0.5), X, X)
    _assert_optimal(K, y, np.full(14, C), train_squared_hinge(K, y, C))


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e2])
@pytest.mark.parametrize("name", PROBLEMS)
def test_equals_a_generic_solver(name, C):
    kernel, problem = PROBLEMS[name]
    X, y = (part[:60] for part in problem())
    K = gram(kernel, X, X)
    dual = train_squared_hinge(K, y, C)
    assert relative_error(dual.objective, naive.squared_hinge_by_lbfgs(K, y, C)) < 1e-6


@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("kernel", [Linear(), RBF(0.5)])
def test_equals_the_hard_margin_machine_with_a_ridge(kernel, C):
    X, y = two_classes(50, 3)
    K = gram(kernel, X, X)
    newton = train_squared_hinge(K, y, C)
    smo = train_svc(K + np.eye(50) / C, y, 1e9, tol=1e-9)
    np.testing.assert_allclose(newton.coef, smo.coef, atol=1e-5 * abs(newton.coef).max())
    np.testing.assert_allclose(newton.decision, smo.decision - smo.coef / C, atol=1e-5)


def test_weights_are_bounds_of_their_own():
    X, y = two_classes(40, 3)
    C = np.random.default_rng(0).uniform(0.1, 100.0, size=40)
    K = gram(RBF(0.5), X, X)
    _assert_optimal(K, y, C, train_squared_hinge(K, y, C))


def test_a_weight_of_two_is_a_sample_twice():
    X, y = two_classes(30, 3)
    twice = np.append(np.arange(30), np.arange(10))
    C = np.where(np.arange(30) < 10, 8.0, 4.0)
    weighted = train_squared_hinge(gram(RBF(0.5), X, X), y, C)
    repeated = train_squared_hinge(gram(RBF(0.5), X[twice], X[twice]), y[twice], 4.0)
    np.testing.assert_allclose(weighted.decision, repeated.decision[:30], atol=1e-9)


def test_bound_zero_holds_a_sample_out():
    X, y = two_classes(30, 3)
    K = gram(RBF(0.5), X, X)
    C = np.full(30, 4.0)
    C[[2, 9, 20]] = 0.0
    rest = np.flatnonzero(C)
    whole = train_squared_hinge(K, y, C)
    part = train_squared_hinge(K[np.ix_(rest, rest)], y[rest], 4.0)
    assert (whole.coef[C == 0.0] == 0.0).all()
    assert (whole.bounds[C == 0.0] == 0.0).all()
    np.testing.assert_allclose(whole.decision, K[:, rest] @ part.coef + part.intercept, atol=1e-10)


@given(
    seed=st.integers(0, 10_000),
    C=st.sampled_from([1e-2, 1.0, 1e3, 1e6]),
    share=st.sampled_from([0.0, 0.05, 0.5, 1.0]),
)
def test_any_start_gives_the_same_machine(seed, C, share):
    X, y = two_classes(30, 2, seed=seed, noise=1.0)
    K = gram(RBF(0.5), X, X)
    bounds = np.full(30, C)
    start = np.random.default_rng(seed).random(30) < share
    cold = solve_squared_hinge(K, y, bounds)
    warm = solve_squared_hinge(K, y, bounds, start=start)
    assert warm.converged
    np.testing.assert_allclose(
        warm.outputs + warm.intercept, cold.outputs + cold.intercept, atol=1e-6
    )


@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_start_from_one_class(label):
    X, y = two_classes(30, 2)
    K = gram(Linear(), X, X)
    cold = solve_squared_hinge(K, y, np.full(30, 1e4))
    warm = solve_squared_hinge(K, y, np.full(30, 1e4), start=y == label)
    np.testing.assert_allclose(
        warm.outputs + warm.intercept, cold.outputs + cold.intercept, atol=1e-7
    )


def test_the_solution_is_its_own_start():
    X, y = two_classes(60, 3)
    K = gram(RBF(0.5), X, X)
    cold = train_squared_hinge(K, y, 100.0)
    assert train_squared_hinge(K, y, 100.0, start=cold.alpha).n_iter == 1


@pytest.mark.parametrize("C", [1e2, 1e5])
def test_separable_samples_never_empty_the_active_set(C):
    # Past the Newton point the line search could leave all samples outside the margin.
    for seed in range(150):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(5, 14))
        X = np.round(rng.normal(size=(n, 2)), 1)
        y = np.where(X[:, 0] + 0.3 * rng.normal(size=n) > 0, 1.0, -1.0)
        if abs(y.sum()) == n:
            continue
        K = gram(Polynomial(2, 1.0, 1.0), X, X)
        solution = solve_squared_hinge(K, y, np.full(n, C))
        _assert_optimal(K, y, np.full(n, C), solution)


@pytest.mark.jitless
def test_line_search_ends_when_rounding_makes_the_curvature_negative():
    slack, closing = np.array([0.5, 0.2]), np.array([1.0, 2.0])
    assert _exact_step(-1.0, -1e-6, np.ones(2), slack, closing) == 1.0
    assert _exact_step(5.0, 1.0, np.ones(2), slack, closing) == 0.0


@pytest.mark.jitless
def test_line_search_finds_the_minimum():
    rng = np.random.default_rng(0)
    for _ in range(20):
        slack, closing = rng.normal(size=6), rng.normal(size=6)
        C = rng.uniform(0.1, 10.0, size=6)

        def objective(t, slack=slack, closing=closing, C=C):
            return 0.3 * t + 0.2 * t**2 + 0.5 * C @ np.maximum(0.0, slack - t * closing) ** 2

        step = _exact_step(0.3, 0.4, C, slack, closing)
        assert objective(step) <= min(objective(t) for t in np.linspace(0, 1, 501)) + 1e-12


def test_stops_at_max_iter():
    X, y = _overlapping()
    dual = train_squared_hinge(gram(RBF(0.5), X, X), y, 1e4, max_iter=1)
    assert not dual.converged
    assert dual.n_iter == 1


def test_values_too_large_for_C_are_not_called_an_optimum_and_stay_finite():
    X = np.array([[1.0], [-1.0], [2.0], [-2.0]]) * 1e12
    y = np.array([1.0, -1.0, 1.0, -1.0])
    dual = train_squared_hinge(X @ X.T, y, 1e6)
    assert np.isfinite(dual.decision).all()
