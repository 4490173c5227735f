"""Machines whose optimum rounding hides end after a number of steps, and say so."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, SVR

from svmsieve import SVMSieve, rank
from svmsieve.engine.machines import machine as machines
from svmsieve.engine.machines.machine import train_svc, train_svr
from svmsieve.engine.solvers.smo import default_steps
from svmsieve.selection.final_machine import LIBSVM_STEPS, fit_within_limits

N = 60


def overlapping(n=N, d=3):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int)


X, Y = overlapping()
TWICE, BOTH = np.vstack([X, X]), np.r_[Y, 1 - Y]
CONSTANT = np.column_stack([X[:, 0], np.ones(N)])
ONE_HEAVY, ONE_LIGHT = np.ones(N), np.ones(N)
ONE_HEAVY[3], ONE_LIGHT[3] = 1e300, 1e-300

# Machine, samples, labels, weights, whether to standardise.
CASES = {
    "C=1e-300": (SVC(C=1e-300), X, Y, None, True),
    "C=1e13": (SVC(C=1e13), X, Y, None, True),
    "C=1e15": (SVC(C=1e15), X, Y, None, True),
    "C=1e300": (SVC(C=1e300), X, Y, None, True),
    "linear, C=1e8": (SVC(C=1e8, kernel="linear", max_iter=50_000), X, Y, None, True),
    "poly 50": (SVC(kernel="poly", degree=50, max_iter=50_000), X, Y, None, True),
    "poly 50 + 1": (SVC(kernel="poly", degree=50, coef0=1.0), X, Y, None, True),
    "coef0=1e8": (SVC(kernel="poly", coef0=1e8), X, Y, None, True),
    "weights 1e300": (SVC(), X, Y, np.full(N, 1e300), True),
    "a weight 1e300": (SVC(), X, Y, ONE_HEAVY, True),
    "a weight 1e-300": (SVC(), X, Y, ONE_LIGHT, True),
    "gamma=1e-300": (SVC(gamma=1e-300), X, Y, None, True),
    "gamma=1e300": (SVC(gamma=1e300), X, Y, None, True),
    "tol=1e-300": (SVC(tol=1e-300, max_iter=50_000), X, Y, None, True),
    "contradictions": (SVC(C=1e10), TWICE, BOTH, None, True),
    "a constant column": (SVC(C=1e10), CONSTANT, Y, None, True),
    "other units": (SVC(kernel="linear", max_iter=50_000), X * [1e6, 1.0, 1e-6], Y, None, False),
    "SVR, C=1e13": (SVR(C=1e13, max_iter=50_000), X, X[:, 0] * X[:, 1], None, True),
    "SVR, epsilon=0": (SVR(epsilon=0.0), X, X[:, 0] * X[:, 1], None, True),
    "SVR, epsilon=1e300": (SVR(epsilon=1e300), X, X[:, 0] * X[:, 1], None, True),
}


@pytest.fixture
def solutions(monkeypatch):
    seen = []
    real = machines.solve_qp

    def spy(*args, **options):
        seen.append(real(*args, **options))
        return seen[-1]

    monkeypatch.setattr(machines, "solve_qp", spy)
    return seen


@pytest.mark.parametrize("name", CASES)
def test_a_selection_ends_after_a_number_of_steps(solutions, name):
    machine, table, target, weight, scale = CASES[name]
    sieve = SVMSieve(machine, n_features_to_select=1, scale=scale)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sieve.fit(table, target, sample_weight=weight)
    assert sieve.n_features_ == 1
    assert sieve.estimator_.max_iter == machine.max_iter
    most = default_steps(len(table))
    assert max(each.n_iter for each in solutions) <= most
    # One that was not solved is not tried as hard again.
    assert sum(each.n_iter for each in solutions) <= len(solutions) * most / 2
    told = any(issubclass(each.category, ConvergenceWarning) for each in caught)
    assert told or all(each.converged for each in solutions)


def test_a_start_that_did_not_converge_gets_fewer_steps(solutions):
    machine = machines.Machine("hinge", C=1e300)
    K = np.exp(-(np.subtract.outer(X[:, 0], X[:, 0]) ** 2))
    y, bounds = 2.0 * Y - 1.0, np.full(N, 1e300)
    with pytest.warns(ConvergenceWarning, match="stopped after 100000 steps short of the optimum"):
        first = machine.solve(K, y, bounds)
    with pytest.warns(ConvergenceWarning):
        machine.solve(K, y, bounds, first)
    assert solutions[1].n_iter <= solutions[0].n_iter / 10


def test_no_progress_is_seen_before_the_limit():
    # tol is below the rounding of the outputs: nothing gets there but by chance
    distances = ((X[:, None] - X) ** 2).sum(axis=-1)
    stopped = 0
    for gamma in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5):
        K, y = np.exp(-gamma * distances), 2.0 * Y - 1.0
        dual = train_svc(K, y, 30.0, tol=1e-300)
        assert dual.n_iter < default_steps(N) / 5
        close = train_svc(K, y, 30.0, tol=1e-9)
        assert close.converged
        assert dual.objective == pytest.approx(close.objective, rel=1e-12)
        stopped += not dual.converged
    assert stopped > 0


@pytest.mark.parametrize("C", [1e6, 1e8])
def test_large_C_is_solved_in_few_steps(C):
    # SMO alone takes some 100 000 steps to balance the free variables.
    for K in (X @ X.T, np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(axis=-1))):
        assert train_svc(K, 2.0 * Y - 1.0, C).converged
        assert train_svc(K, 2.0 * Y - 1.0, C).n_iter < 20_000
        assert train_svr(K, X[:, 0] * X[:, 1], C, 0.1).n_iter < 50_000


def test_ranking_warns():
    with pytest.warns(ConvergenceWarning, match="short of the optimum"):
        rank(X[:, :1], Y, "weight", SVC(C=1e300))


def test_the_final_machine_has_libsvms_limit(monkeypatch):
    seen = []
    real = SVC.fit

    def fit(self, *args, **options):
        seen.append(self.max_iter)
        return real(self, *args, **options)

    monkeypatch.setattr(SVC, "fit", fit)
    machine = SVC()
    fit_within_limits(machine, X, Y, None)
    fit_within_limits(SVC(max_iter=30_000), X, Y, None)
    assert seen == [LIBSVM_STEPS, 30_000]
    assert machine.max_iter == -1
