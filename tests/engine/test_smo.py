"""The quadratic programme: optimality, feasibility, any start."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svmsieve.engine.kernels.kernel import RBF, Linear, gram
from svmsieve.engine.machines.machine import enclose, train_svc, train_svr
from svmsieve.engine.solvers import smo
from svmsieve.engine.solvers.smo import make_feasible, solve_qp
from tests import naive
from tests.engine.problems import numbers, relative_error, two_classes


def _largest_violation(K, s, p, C, a):
    """``max_up F − min_low F`` from its definition, at a point of the feasible set."""
    n = len(K)
    F = []
    for t in range(len(s)):
        gradient = p[t] + sum(s[t] * s[u] * K[t % n, u % n] * a[u] for u in range(len(s)))
        F.append(-s[t] * gradient)
    up = [F[t] for t in range(len(s)) if (a[t] < C[t] if s[t] > 0 else a[t] > 0)]
    low = [F[t] for t in range(len(s)) if (a[t] > 0 if s[t] > 0 else a[t] < C[t])]
    return max(up) - min(low)


@pytest.mark.jitless
@pytest.mark.parametrize("C", [0.05, 1.0, 50.0])
def test_classes_reach_the_optimum(C):
    X, y = two_classes(16, 3)
    K = gram(RBF(0.3), X, X)
    bounds = np.full(16, C)
    solution = solve_qp(K, y, np.full(16, -1.0), bounds, tol=1e-8)
    assert solution.converged
    assert ((solution.a >= 0) & (solution.a <= bounds)).all()
    assert abs(y @ solution.a) < 1e-12 * max(1.0, C)
    assert _largest_violation(K, y, np.full(16, -1.0), bounds, solution.a) < 2e-8
    assert relative_error(solution.objective, naive.svc_dual(K, y, solution.a)) < 1e-10
    np.testing.assert_allclose(solution.outputs, K @ solution.signed, atol=1e-10)


@pytest.mark.jitless
@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_numbers_reach_the_optimum(epsilon):
    X, y = numbers(12, 2)
    K = gram(RBF(0.3), X, X)
    dual = train_svr(K, y, 3.0, epsilon, tol=1e-8)
    s = np.repeat([1.0, -1.0], 12)
    p = np.concatenate([epsilon - y, epsilon + y])
    assert dual.converged
    assert _largest_violation(K, s, p, dual.bounds, dual.alpha) < 2e-8
    objective = naive.svr_dual(K, y, epsilon, dual.alpha[:12], dual.alpha[12:])
    assert relative_error(dual.objective, objective) < 1e-10
    np.testing.assert_allclose(dual.coef, dual.alpha[:12] - dual.alpha[12:])


@pytest.mark.jitless
def test_two_samples_have_a_closed_form():
    # x = ∓1: the widest margin is f(x) = x, with α = 1/‖x − x'‖² · 2 = ½.
    dual = train_svc(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([-1.0, 1.0]), 10.0, tol=1e-10)
    np.testing.assert_allclose(dual.alpha, [0.5, 0.5], atol=1e-9)
    np.testing.assert_allclose(dual.decision, [-1.0, 1.0], atol=1e-9)
    assert dual.objective == pytest.approx(-0.5, abs=1e-9)


@pytest.mark.jitless
def test_offset_is_the_middle_of_its_interval_when_no_variable_is_free():
    # α = C everywhere: f = ∓0.02 + b, and any b in [−0.98, 0.98] is optimal.
    dual = train_svc(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([-1.0, 1.0]), 0.01)
    assert (dual.alpha == 0.01).all()
    assert dual.intercept == pytest.approx(0.0, abs=1e-12)


@pytest.mark.jitless
def test_one_class_alone_gives_its_label():
    K = gram(Linear(), np.arange(3.0)[:, None], np.arange(3.0)[:, None])
    assert train_svc(K, np.ones(3), 1.0).decision.tolist() == [1.0, 1.0, 1.0]
    assert train_svc(K, -np.ones(3), 1.0).decision.tolist() == [-1.0, -1.0, -1.0]


@pytest.mark.jitless
def test_bound_zero_holds_a_sample_out():
    X, y = two_classes(20, 2)
    K = gram(RBF(0.5), X, X)
    bounds = np.full(20, 2.0)
    bounds[[3, 8, 15]] = 0.0
    rest = np.flatnonzero(bounds)
    whole = train_svc(K, y, bounds, tol=1e-8)
    part = train_svc(K[np.ix_(rest, rest)], y[rest], 2.0, tol=1e-8)
    assert (whole.alpha[[3, 8, 15]] == 0.0).all()
    np.testing.assert_allclose(whole.decision[rest], part.decision, atol=1e-6)
    expected = K[:, rest] @ part.coef + part.intercept
    np.testing.assert_allclose(whole.decision, expected, atol=1e-6)


@given(seed=st.integers(0, 10_000), scale=st.sampled_from([0.0, 0.1, 1.0, 30.0]))
def test_any_start_gives_the_same_classes(seed, scale):
    X, y = two_classes(25, 3, seed=seed)
    K = gram(RBF(0.4), X, X)
    start = scale * np.random.default_rng(seed).normal(size=25)
    cold = train_svc(K, y, 5.0, tol=1e-7)
    warm = train_svc(K, y, 5.0, start=start, tol=1e-7)
    assert relative_error(warm.objective, cold.objective) < 1e-8
    np.testing.assert_allclose(warm.decision, cold.decision, atol=1e-4)


@given(seed=st.integers(0, 10_000), scale=st.sampled_from([0.0, 0.1, 1.0, 30.0]))
def test_any_start_gives_the_same_numbers(seed, scale):
    X, y = numbers(20, 3, seed=seed)
    K = gram(RBF(0.4), X, X)
    start = scale * np.random.default_rng(seed).normal(size=40)
    cold = train_svr(K, y, 2.0, 0.05, tol=1e-7)
    warm = train_svr(K, y, 2.0, 0.05, start=start, tol=1e-7)
    assert relative_error(warm.objective, cold.objective) < 1e-8
    np.testing.assert_allclose(warm.decision, cold.decision, atol=1e-4)


def test_the_solution_is_its_own_start():
    X, y = two_classes(60, 3)
    K = gram(RBF(0.4), X, X)
    cold = train_svc(K, y, 5.0, tol=1e-3)
    warm = train_svc(K, y, 5.0, start=cold.alpha, tol=1e-3)
    assert warm.n_iter <= 1


@given(
    seed=st.integers(0, 10_000),
    total=st.sampled_from([0.0, 1.0]),
    infinite=st.booleans(),
)
def test_make_feasible(seed, total, infinite):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    # A sphere has one sign and the total 1; the others have both signs and the total 0.
    s = np.ones(n) if total else np.where(np.arange(n) % 2, 1.0, -1.0)
    C = np.full(n, np.inf) if infinite else rng.uniform(1.05 / n, 3.0 / n, size=n)
    a = make_feasible(rng.normal(size=n) * 3.0, s, C, total)
    assert (a >= 0.0).all()
    assert (a <= C).all()
    assert s @ a == pytest.approx(total, abs=1e-12)


def test_feasible_points_stay():
    a = np.array([0.5, 0.25, 0.25])
    s = np.array([1.0, -1.0, -1.0])
    np.testing.assert_array_equal(make_feasible(a, s, np.ones(3)), a)


def _duals(n=60):
    """A classifier with samples held out, a regression and a sphere, each at a tight tolerance."""
    X, y = two_classes(n, 3)
    K = gram(RBF(0.4), X, X)
    bounds = np.where(np.arange(n) % 9 == 0, 0.0, 5.0)
    classes = train_svc(K, y, bounds, tol=1e-7)
    values = train_svr(K, X[:, 0] ** 2, bounds, 0.05, tol=1e-7)
    sphere = enclose(K, tol=1e-8)
    assert classes.converged
    assert values.converged
    assert sphere.converged
    return classes, values, sphere


def _assert_same(duals, others):
    for dual, other in zip(duals[:2], others[:2], strict=True):
        assert relative_error(other.objective, dual.objective) < 1e-9
        np.testing.assert_allclose(other.decision, dual.decision, atol=1e-5)
    assert others[2].radius2 == pytest.approx(duals[2].radius2, rel=1e-8)


@pytest.mark.parametrize("steps", [1, 3, 200_000])
def test_shrinking_gives_the_same_solution(monkeypatch, steps):
    monkeypatch.setattr(smo, "FEW_SAMPLES", 0)
    monkeypatch.setattr(smo, "steps_worth", lambda n_free, n: 100_000)  # no free step
    monkeypatch.setattr(smo, "_WORTH_SHRINKING", 0.0)
    whole = _duals()
    monkeypatch.setattr(smo, "_WORTH_SHRINKING", 1.0)
    monkeypatch.setattr(smo, "_SHORTEST_BURST", 1)
    monkeypatch.setattr(smo, "_STEPS_A_CALL", steps)
    n_shrunk = []
    solve_rows = smo._solve_rows
    monkeypatch.setattr(smo, "_solve_rows", lambda *a: n_shrunk.append(1) or solve_rows(*a))
    _assert_same(whole, _duals())
    assert len(n_shrunk) >= 3


def test_one_call_gives_the_same_solution(monkeypatch):
    few = _duals()
    monkeypatch.setattr(smo, "FEW_SAMPLES", 0)
    _assert_same(few, _duals())


def test_too_many_steps_for_one_call_go_on_with_shrinking(monkeypatch):
    whole = _duals()
    monkeypatch.setattr(smo, "MOST_STEPS", 2)
    _assert_same(whole, _duals())


def test_shrinking_stops_at_max_iter(monkeypatch):
    monkeypatch.setattr(smo, "FEW_SAMPLES", 0)
    monkeypatch.setattr(smo, "_WORTH_SHRINKING", 1.0)
    monkeypatch.setattr(smo, "_SHORTEST_BURST", 1)
    X, y = two_classes(40, 3)
    K = gram(RBF(0.4), X, X)
    dual = train_svc(K, y, 100.0, tol=1e-9, max_iter=60)
    assert not dual.converged
    assert dual.n_iter == 60
    np.testing.assert_allclose(dual.outputs, K @ dual.coef, atol=1e-9)


@pytest.mark.parametrize("max_iter", [0, 1, 3])
def test_stops_at_max_iter(max_iter):
    X, y = two_classes(40, 3)
    dual = train_svc(gram(RBF(0.4), X, X), y, 5.0, max_iter=max_iter)
    assert not dual.converged
    assert dual.n_iter == max_iter
    np.testing.assert_allclose(dual.outputs, gram(RBF(0.4), X, X) @ dual.coef, atol=1e-12)


def test_a_tolerance_below_rounding_never_leaves_the_box():
    # Past the rounding of the gradient no second index may be found; then a variable left its box.
    rng = np.random.default_rng(0)
    for _ in range(40):
        n = int(rng.integers(5, 30))
        X = rng.normal(size=(n, 2)) * 10.0 ** rng.uniform(0, 8)
        y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
        y[:2] = 1.0, -1.0
        dual = train_svc(X @ X.T, y, 10.0 ** rng.uniform(-3, 6), tol=1e-300, max_iter=2000)
        assert (dual.alpha >= 0.0).all()
        assert (dual.alpha <= dual.bounds).all()
        assert abs(y @ dual.alpha) <= 1e-9 * dual.alpha.max()


@pytest.mark.parametrize("tol", [0.0, -1.0, np.nan])
def test_tol_must_be_positive(tol):
    with pytest.raises(ValueError, match="tol must be positive"):
        train_svc(np.eye(2), np.array([-1.0, 1.0]), 1.0, tol=tol)
