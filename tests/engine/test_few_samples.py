import numpy as np
import pytest
import scipy.sparse as sp

from svmsieve.engine.kernels.kernel import RBF, Linear, dot_products
from svmsieve.engine.machines import fit
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.solvers.smo import solve_few


def _problem(n, d):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] + rng.normal(size=n) > 0, 3, -2)


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.2)])
@pytest.mark.parametrize("n", [2, 3, 50, 200])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_equals_the_general_way(kernel, n, kind, monkeypatch):
    X, y = _problem(n, 4)
    y[:2] = 3, -2
    few = fit.fit_svc(kind(X), y, kernel, Machine(C=2.0, tol=1e-9))
    monkeypatch.setattr(fit, "FEW_SAMPLES", 0)
    general = fit.fit_svc(kind(X), y, kernel, Machine(C=2.0, tol=1e-9))
    np.testing.assert_array_equal(few.classes, general.classes)
    np.testing.assert_allclose(few.decision_values(X), general.decision_values(X), atol=1e-7)


def test_too_many_steps_are_left_to_the_general_way(monkeypatch):
    X, y = _problem(30, 4)
    expected = fit.fit_svc(X, y, RBF(0.2), Machine(C=2.0)).decision_values(X)
    calls = []

    def without_success(K, *_):
        calls.append(1)
        return np.ones(len(K)), np.zeros(len(K)), 0.0, 0.0, 1, np.inf

    monkeypatch.setattr(fit, "solve_few", without_success)
    general = fit.fit_svc(X, y, RBF(0.2), Machine(C=2.0)).decision_values(X)
    assert calls
    np.testing.assert_allclose(general, expected, atol=1e-2)


def test_products_become_the_kernel():
    X, y = _problem(40, 3)
    K = dot_products(X, X)
    signs = np.where(y > 0, 1.0, -1.0)
    coef, outputs, intercept, _, _, violation = solve_few(
        K, K.reshape(-1), 0.2, signs, -np.ones(40), np.ones(40), np.zeros(40), 1e-6, 10_000
    )
    assert violation < 1e-6
    distances = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(K, np.exp(-0.2 * distances), rtol=1e-12)
    np.testing.assert_allclose(outputs, K @ coef, atol=1e-10)
    assert ((outputs + intercept > 0) == (signs > 0)).mean() > 0.7
