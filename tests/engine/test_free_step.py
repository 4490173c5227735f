"""The step over the free variables: down, feasible, to the face's minimum; the solution stays the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC

from svmsieve.engine.kernels.kernel import RBF, Linear, gram
from svmsieve.engine.machines.machine import enclose, train_svc, train_svr
from svmsieve.engine.solvers import smo
from svmsieve.engine.solvers.free_step import free_step, steps_worth
from tests import naive_free_step
from tests.engine.problems import numbers, relative_error, two_classes


def _classes(n, seed, kernel, C):
    X, y = two_classes(n, 3, seed=seed)
    return gram(kernel, X, X), y, np.full(n, -1.0), np.full(n, C)


def _numbers(n, seed, kernel, C):
    X, y = numbers(n, 3, seed=seed)
    s = np.repeat([1.0, -1.0], n)
    return gram(kernel, X, X), s, np.concatenate([0.05 - y, 0.05 + y]), np.full(2 * n, C)


def _sphere(n, seed, kernel, C):
    X, _ = two_classes(n, 3, seed=seed)
    K = gram(kernel, X, X)
    return K, np.ones(n), -0.5 * K.diagonal(), np.ones(n)


PROBLEMS = {"classes": _classes, "numbers": _numbers, "sphere": _sphere}


def _begun(K, s, p, C, n_steps):
    """Where SMO is after some steps."""
    total = 1.0 if (s > 0).all() else 0.0
    start = np.full(len(s), total / len(s))
    return smo.solve_qp(K, s, p, C, start=start, total=total, tol=1e-9, max_iter=n_steps).a


def _outputs(K, s, a):
    return K @ (s * a).reshape(-1, len(K)).sum(axis=0)


def _step(K, s, p, C, a):
    """Return the point after a free step, if there was one."""
    after, u = a.copy(), _outputs(K, s, a)
    free = np.flatnonzero((a > 0.0) & (a < C))
    moved = free_step(K, s, s * p, C, after, u, free)
    np.testing.assert_allclose(u, _outputs(K, s, after), atol=1e-12 * (1.0 + after.sum()))
    return after if moved else None


@pytest.mark.jitless
@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("C", [0.5, 20.0, 1e3])
@pytest.mark.parametrize("n_steps", [5, 20, 60])
def test_equals_its_definition(problem, C, n_steps):
    K, s, p, bounds = PROBLEMS[problem](14, n_steps, RBF(0.7), C)
    a = _begun(K, s, p, bounds, n_steps)
    free = (a > 0.0) & (a < bounds)
    if problem == "numbers":  # a sample on both sides of the tube makes the system singular
        a[14:][free[:14] & free[14:]] = 0.0
    after = _step(K, s, p, bounds, a)
    expected = naive_free_step.free_step(K, s, p, bounds, a)
    if after is None:
        assert free.sum() < 2
        after = a
    np.testing.assert_allclose(after, expected, atol=1e-7 * (1.0 + expected.max()))


@pytest.mark.jitless
@pytest.mark.parametrize("problem", PROBLEMS)
def test_makes_the_slopes_of_the_free_ones_equal(problem):
    K, s, p, C = PROBLEMS[problem](30, 1, RBF(0.3), 50.0)
    a = _begun(K, s, p, C, 40)
    free = (a > 0.0) & (a < C)
    F = (-np.tile(_outputs(K, s, a), len(s) // 30) - s * p)[free]
    assert np.ptp(F) > 1e-5
    after = _step(K, s, p, C, a)
    free = (after > 0.0) & (after < C)
    assert free.sum() > 3
    F = (-np.tile(_outputs(K, s, after), len(s) // 30) - s * p)[free]
    np.testing.assert_allclose(F, F.mean(), atol=1e-9)


@given(
    seed=st.integers(0, 10_000),
    problem=st.sampled_from(sorted(PROBLEMS)),
    kernel=st.sampled_from([RBF(0.5), RBF(1e-4), Linear()]),
    C=st.sampled_from([0.3, 100.0, 1e6]),
    n_steps=st.integers(1, 150),
    copies=st.booleans(),
    weights=st.booleans(),
)
def test_goes_down_and_stays_feasible(seed, problem, kernel, C, n_steps, copies, weights):
    rng = np.random.default_rng(seed)
    n = 40
    K, s, p, bounds = PROBLEMS[problem](n, seed, kernel, C)
    if copies:  # of samples, with either label: K_FF is singular
        rows = rng.integers(0, n // 2, size=n)
        K = np.ascontiguousarray(K[np.ix_(rows, rows)])
    if weights and problem != "sphere":
        bounds = bounds * np.tile(rng.choice([0.0, 0.5, 3.0], size=n), len(s) // n)
    a = _begun(K, s, p, bounds, n_steps)
    after = _step(K, s, p, bounds, a)
    if after is None:
        assert ((a > 0.0) & (a < bounds)).sum() < 2
        return
    assert (after >= 0.0).all()
    assert (after <= bounds).all()
    held = (a == 0.0) | (a == bounds)
    np.testing.assert_array_equal(after[held], a[held])
    assert s @ after == pytest.approx(s @ a, abs=1e-12 * a.sum())
    before = naive_free_step.objective(K, s, p, a)
    size = abs(p) @ a + abs(_outputs(K, s, a)).max() * a.sum()
    assert naive_free_step.objective(K, s, p, after) <= before + 1e-12 * size


def test_a_sample_on_both_sides_of_the_tube_leaves_one():
    K, s, p, C = _numbers(12, 0, RBF(0.5), 5.0)
    a = np.full(24, 1.0)
    after = _step(K, s, p, C, a)
    assert (np.minimum(after[:12], after[12:]) < 1.0).any()
    assert naive_free_step.objective(K, s, p, after) < naive_free_step.objective(K, s, p, a) - 0.1


@pytest.mark.jitless
@pytest.mark.parametrize(
    ("K", "a"),
    [
        (np.array([[0.0, 1.0], [1.0, 0.0]]), [1.0, 1.0]),
        (np.eye(2), [1.0, 2.0]),
        (np.eye(2), [0.0, 2.0]),
    ],
)
def test_no_system_no_step(K, a):
    assert _step(K, np.array([1.0, -1.0]), -np.ones(2), np.full(2, 2.0), np.array(a)) is None


def _duals(C, n=90):
    """A classifier with samples held out and copies, a regression and a sphere."""
    X, y = two_classes(n, 3)
    X[n // 2 : n // 2 + 9] = X[:9]
    K = gram(RBF(0.02), X, X)
    bounds = np.where(np.arange(n) % 9 == 0, 0.0, C) * np.where(y > 0, 1.0, 2.0)
    options = {"tol": 1e-5, "max_iter": 5_000_000}
    return (
        train_svc(K, y, bounds, **options),
        train_svr(K, X[:, 0] ** 2, bounds, 0.05, **options),
        enclose(K, tol=1e-8),
    )


@pytest.mark.parametrize("C", [1.0, 100.0, 1e4])
def test_the_solution_stays_the_same(monkeypatch, C):
    monkeypatch.setattr(smo, "FEW_SAMPLES", 0)
    monkeypatch.setattr(smo, "steps_worth", lambda n_free, n: 10**12)
    without = _duals(C)
    monkeypatch.setattr(smo, "steps_worth", lambda n_free, n: 0)
    monkeypatch.setattr(smo, "_SHORTEST_BURST", 1)
    monkeypatch.setattr(smo, "_BETWEEN_FREE_STEPS", 7)
    results = []

    def counted(*arguments):
        results.append(free_step(*arguments))
        return results[-1]

    monkeypatch.setattr(smo, "free_step", counted)
    with_steps = _duals(C)
    assert sum(results) >= 2
    for dual, other in zip(without[:2], with_steps[:2], strict=True):
        assert dual.converged
        assert other.converged
        assert relative_error(other.objective, dual.objective) < 1e-6
        np.testing.assert_allclose(other.decision, dual.decision, atol=1e-2)
    assert with_steps[2].converged
    assert with_steps[2].radius2 == pytest.approx(without[2].radius2, rel=1e-7)


@pytest.mark.parametrize("C", [1e4, 1e6])
def test_large_C_takes_a_fraction_of_the_steps(monkeypatch, C):
    X, y = two_classes(240, 4, noise=1.0)
    K = gram(RBF(0.003), X, X)
    dual = train_svc(K, y, C)
    monkeypatch.setattr(smo, "steps_worth", lambda n_free, n: 10**12)
    without = train_svc(K, y, C, max_iter=4 * dual.n_iter)
    assert dual.converged
    assert not without.converged
    assert dual.objective < without.objective
    F = y - K @ dual.coef
    up = np.where(y > 0, dual.alpha < C, dual.alpha > 0)
    low = np.where(y > 0, dual.alpha > 0, dual.alpha < C)
    assert F[up].max() - F[low].min() < 1.001e-3


def test_large_C_gives_the_objective_of_sklearn():
    X, y = two_classes(240, 4, noise=1.0)
    theirs = SVC(C=1e3, gamma=0.003, tol=1e-5).fit(X, y)  # its kernel is in single precision
    K = gram(RBF(0.003), X, X)
    dual = train_svc(K, y, 1e3, tol=1e-5)
    alpha = np.zeros(240)
    alpha[theirs.support_] = abs(theirs.dual_coef_[0])
    objective = naive_free_step.objective(K, y, np.full(240, -1.0), alpha)
    assert relative_error(dual.objective, objective) < 1e-6


def test_a_kernel_that_is_not_positive_goes_on_with_smo(monkeypatch):
    monkeypatch.setattr(smo, "FEW_SAMPLES", 0)
    monkeypatch.setattr(smo, "_SHORTEST_BURST", 1)
    X, y = two_classes(60, 3)
    K = gram(RBF(0.4), X, X) - 0.4 * np.eye(60)
    assert np.linalg.eigvalsh(K)[0] < 0.0
    dual = train_svc(K, y, 1.0, max_iter=1000)
    assert ((dual.alpha >= 0.0) & (dual.alpha <= 1.0)).all()
    np.testing.assert_allclose(dual.outputs, K @ dual.coef, atol=1e-9)


def test_the_price_grows_with_the_free_ones():
    assert steps_worth(0, 100) == 0
    assert steps_worth(1000, 1000) > 10 * steps_worth(300, 1000) > 0
