"""The sphere, the machine's description, warnings and bad arguments."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from svmsieve.engine.kernels.kernel import RBF, Linear, Polynomial, gram
from svmsieve.engine.machines.fit import fit_svc, fit_svr
from svmsieve.engine.machines.machine import (
    Machine,
    enclose,
    train_squared_hinge,
    train_svc,
    train_svr,
)
from tests import naive
from tests.engine.problems import many_classes, numbers, two_classes

SQUARE = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
TRIANGLE = np.array([[0.0, 1.0], [np.sqrt(0.75), -0.5], [-np.sqrt(0.75), -0.5]])


def _distances_to_center(K, beta):
    return K.diagonal() - 2.0 * K @ beta + beta @ K @ beta


@pytest.mark.jitless
@pytest.mark.parametrize(
    ("X", "radius2"),
    [
        ([[-1.0], [1.0]], 1.0),
        ([[0.0], [1.0], [4.0]], 4.0),
        (SQUARE, 2.0),
        (np.vstack([SQUARE, [[0.1, 0.2], [0.0, 0.9]]]), 2.0),
        (TRIANGLE + 5.0, 1.0),
        (np.vstack([TRIANGLE, TRIANGLE]) * 1e-3, 1e-6),
        (np.ones((4, 2)), 0.0),
        ([[3.0, 4.0]], 0.0),
    ],
    ids=["pair", "line", "square", "inner", "triangle", "small", "identical", "single"],
)
def test_sphere_of_known_points(X, radius2):
    X = np.asarray(X)
    sphere = enclose(X @ X.T)
    assert sphere.converged
    assert sphere.radius2 == pytest.approx(radius2, rel=1e-5, abs=1e-12)
    assert sphere.beta.sum() == pytest.approx(1.0)
    assert (sphere.beta >= 0.0).all()


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.3), Polynomial(2, 0.5, 1.0)])
@pytest.mark.parametrize("n", [3, 12])
def test_sphere_equals_a_generic_solver(kernel, n):
    X, _ = two_classes(n, 3)
    K = gram(kernel, X, X)
    sphere = enclose(K, tol=1e-9)
    assert sphere.radius2 == pytest.approx(naive.sphere_by_slsqp(K), rel=1e-6)
    assert sphere.radius2 == pytest.approx(naive.sphere_dual(K, sphere.beta), rel=1e-8)


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.3), Polynomial(2, 0.5, 1.0)])
@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_sphere_holds_all_samples_and_touches_its_support(kernel, scale):
    X, _ = two_classes(80, 3)
    K = scale * gram(kernel, X, X)
    sphere = enclose(K)
    distances = _distances_to_center(K, sphere.beta)
    assert distances.max() <= sphere.radius2 * (1.0 + 1e-4)
    np.testing.assert_allclose(distances[sphere.beta > 1e-6], sphere.radius2, rtol=1e-4)


@given(seed=st.integers(0, 10_000), empty=st.booleans())
def test_any_start_gives_the_same_sphere(seed, empty):
    X, _ = two_classes(25, 3, seed=seed)
    K = gram(RBF(0.3), X, X)
    start = np.zeros(25) if empty else np.random.default_rng(seed).normal(size=25)
    warm, cold = enclose(K, start=start, tol=1e-8), enclose(K, tol=1e-8)
    assert warm.radius2 == pytest.approx(cold.radius2, rel=1e-7)
    np.testing.assert_allclose(K @ warm.beta, K @ cold.beta, atol=1e-4)


@given(seed=st.integers(0, 10_000))
def test_permuting_the_samples_permutes_the_machines(seed):
    rng = np.random.default_rng(seed)
    X, y = two_classes(25, 3, seed=seed)
    order = rng.permutation(25)
    K = gram(RBF(0.4), X, X)
    K_other = K[np.ix_(order, order)]
    target = X[:, 0] ** 2
    for train in (
        lambda K, rows: train_svc(K, y[rows], 3.0, tol=1e-7),
        lambda K, rows: train_squared_hinge(K, y[rows], 3.0),
        lambda K, rows: train_svr(K, target[rows], 3.0, 0.1, tol=1e-7),
    ):
        whole, permuted = train(K, np.arange(25)), train(K_other, order)
        np.testing.assert_allclose(permuted.decision, whole.decision[order], atol=1e-4)
    sphere, permuted = enclose(K, tol=1e-8), enclose(K_other, tol=1e-8)
    assert permuted.radius2 == pytest.approx(sphere.radius2, rel=1e-7)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "epsilon"])
def test_a_machine_solves_its_own_problem(loss):
    X, y = two_classes(30, 3)
    K = gram(RBF(0.4), X, X)
    bounds = np.full(30, 2.0)
    machine = Machine(loss, C=2.0, epsilon=0.2, tol=1e-8)
    expected = {
        "hinge": lambda: train_svc(K, y, 2.0, tol=1e-8),
        "squared_hinge": lambda: train_squared_hinge(K, y, 2.0),
        "epsilon": lambda: train_svr(K, y, 2.0, 0.2, tol=1e-8),
    }[loss]()
    cold = machine.solve(K, y, bounds)
    np.testing.assert_allclose(cold.decision, expected.decision, atol=1e-12)
    warm = machine.solve(K, y, bounds, cold)
    np.testing.assert_allclose(warm.decision, cold.decision, atol=1e-6)
    assert warm.n_iter == 1 or warm.n_iter < 0.2 * cold.n_iter
    np.testing.assert_array_equal(np.flatnonzero(cold.coef), cold.support)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "epsilon"])
def test_a_machine_starts_from_one_with_other_features(loss):
    X, y = two_classes(40, 6)
    machine = Machine(loss, C=2.0, tol=1e-7)
    bounds = np.full(40, 2.0)
    start = machine.solve(gram(RBF(0.2), X, X), y, bounds)
    K = gram(RBF(0.2), X[:, :3], X[:, :3])
    warm, cold = machine.solve(K, y, bounds, start), machine.solve(K, y, bounds)
    np.testing.assert_allclose(warm.decision, cold.decision, atol=1e-4)


def test_the_user_is_told_when_a_machine_stops_short():
    X, y = two_classes(60, 3)
    with pytest.warns(ConvergenceWarning, match="The SVC stopped after 3 steps short of the opt"):
        fit_svc(X, y, RBF(0.3), Machine(C=100.0, max_iter=3))
    X, y = numbers(60, 3)
    with pytest.warns(ConvergenceWarning, match="The SVR stopped after 3 steps short of the opt"):
        fit_svr(X, y, RBF(0.3), Machine("epsilon", 100.0, max_iter=3))


def test_the_warning_points_at_the_caller():
    X, y = two_classes(60, 3)
    with pytest.warns(ConvergenceWarning) as record:
        fit_svc(X, y, RBF(0.3), Machine(C=100.0, max_iter=3))
    assert record[0].filename == __file__


@pytest.mark.parametrize(("fit", "loss"), [(fit_svc, "hinge"), (fit_svr, "epsilon")])
@pytest.mark.parametrize("weight", [None, np.ones(20)])
@pytest.mark.parametrize("C", [0, -1.0, np.nan, np.inf, "large", None])
def test_C_must_be_positive(fit, loss, weight, C):
    X, y = two_classes(20, 2)
    with pytest.raises(ValueError, match=r"^C must be a positive number, got"):
        fit(X, y, Linear(), Machine(loss, C), sample_weight=weight)


@pytest.mark.parametrize("bounds", [[-1.0, 1.0], [0.0, 0.0]])
def test_bounds_must_not_be_negative(bounds):
    with pytest.raises(ValueError, match="C must not be negative and must be positive for some"):
        train_svc(np.eye(2), np.array([-1.0, 1.0]), np.array(bounds))


@pytest.mark.parametrize("epsilon", [-0.1, np.nan, np.inf])
def test_epsilon_must_not_be_negative(epsilon):
    X, y = numbers(10, 2)
    with pytest.raises(ValueError, match="epsilon must be finite and not negative"):
        fit_svr(X, y, Linear(), Machine("epsilon", epsilon=epsilon))


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0], [np.nan]], [0, 1], "X must be finite: row 1, column 0"),
        ([1.0, 2.0], [0, 1], "X must have two dimensions"),
        ([[1.0], [2.0]], [0, 1, 0], r"y must have shape \(2,\)"),
        ([[1.0], [2.0]], [[0], [1]], r"y must have shape \(2,\)"),
        ([[1.0], [2.0]], [0.0, np.nan], "y must be finite: entry 1 is nan"),
    ],
)
def test_bad_samples(X, y, message):
    for fit in (fit_svc, fit_svr):
        with pytest.raises(ValueError, match=message):
            fit(X, y, Linear())


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1, 1, 1], "y must hold at least two classes, got only .*1"),
        (["a", "a", "a"], "y must hold at least two classes"),
        (np.array([1.0, np.nan, 2.0], dtype=object), "y must be finite: entry 1 is nan"),
        (np.array(["a", None, "b"], dtype=object), "y must be finite: entry 1 is None"),
        (np.array(["a", 1, "b"], dtype=object), "y must hold labels of one kind"),
    ],
)
def test_bad_classes(y, message):
    with pytest.raises(ValueError, match=message):
        fit_svc([[1.0], [2.0], [3.0]], y, Linear())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sample_weight": [1.0]}, r"sample_weight must have shape \(20,\)"),
        ({"sample_weight": -np.ones(20)}, "sample_weight must not be negative"),
        ({"sample_weight": np.full(20, np.inf)}, "sample_weight must be finite"),
        (
            {"machine": Machine(class_weight="even")},
            "class_weight must be 'balanced', a dict or None, got 'even'",
        ),
        (
            {"machine": Machine(class_weight={1.0: -1.0})},
            "class_weight must hold finite weights of at least 0",
        ),
        ({"machine": Machine("log")}, "loss must be 'hinge' or 'squared_hinge', got 'log'"),
        ({"machine": Machine("epsilon")}, "loss must be 'hinge' or 'squared_hinge', got 'epsilon'"),
        ({"machine": Machine(tol=0.0)}, "tol must be positive"),
    ],
)
def test_bad_options(options, message):
    X, y = two_classes(20, 2)
    with pytest.raises(ValueError, match=message):
        fit_svc(X, y, Linear(), **options)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_one_machine_for_each_pair_of_classes(loss):
    X, y = many_classes(60, 3, 4)
    whole = fit_svc(X, y, RBF(0.3), Machine(loss, 2.0, tol=1e-8))
    assert len(whole.expansions) == 6
    for (first, second), expansion in zip(whole.pairs, whole.expansions, strict=True):
        rows = np.flatnonzero((y == first) | (y == second))
        pair = fit_svc(X[rows], y[rows], RBF(0.3), Machine(loss, 2.0, tol=1e-8))
        np.testing.assert_allclose(
            expansion.decision_function(X), pair.expansions[0].decision_function(X), atol=1e-9
        )
