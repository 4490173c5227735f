"""Tests that anyone can run on a criterion of one's own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numba
import numpy as np
import scipy.sparse as sp
from sklearn.svm import SVC, SVR

from svmsieve.criteria import Criterion, final_scores
from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.response import RESPONSE_TOL
from svmsieve.engine.threads import one_blas_thread
from svmsieve.ranking import prepare


def _problem(task: str, seed: int = 0) -> tuple[FloatArray, Any]:
    """A small problem whose first two columns matter and whose values are float32 numbers."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 6)).astype(np.float32).astype(np.float64)
    X[rng.random(X.shape) < 0.2] = 0.0
    signal = 2.0 * X[:, 0] + X[:, 1] ** 2
    if task == "regression":
        return X, signal + 0.1 * rng.normal(size=len(X))
    noisy = signal + 0.3 * rng.normal(size=len(X))
    edges = [0.5] if task == "binary" else [0.0, 1.5]
    return X, np.array(["a", "b", "c"])[np.digitize(noisy, edges)]


def check_criterion(criterion: Criterion) -> None:
    """Assert that a criterion keeps the contract, for each task and kernel it names.

    Scores are finite, not negative, one for each column; they follow the columns when these are
    reordered; sparse input gives what dense input gives; a constant column scores zero; a duplicated
    column scores as its twin; float32 input and another number of threads change nothing; groups of
    one column are no groups, and a group of several has one score.  A criterion that draws at random for
    each column (``randomised = True``) is only held to the first and the last four.

    Raises AssertionError with what is broken.
    """
    for fact in ("name", "tasks"):
        assert getattr(criterion, fact, None), f"{type(criterion).__name__} must have {fact}"
    kernels = {"Linear": "linear", "RBF": "rbf", "Polynomial": "poly"}
    for task in sorted(criterion.tasks):
        for kernel in sorted(criterion.kernels):
            machine = SVR if task == "regression" else SVC
            estimator = machine(
                kernel=kernels[kernel], C=5.0, gamma=0.1, degree=2, coef0=1.0, tol=1e-9
            )
            _check_one(criterion, task, estimator, f"{criterion.name}, {task}, {kernel}")
            if not criterion.uses_kernel:
                break


def _check_one(criterion: Criterion, task: str, estimator: Any, where: str) -> None:
    X, y = _problem(task)

    def scores(table: Any, what: str, **options: Any) -> FloatArray:
        try:
            with one_blas_thread():
                ready = prepare(
                    table, y, criterion, estimator, scale=False, random_state=0, **options
                )
                data = replace(ready.data, tol=RESPONSE_TOL)  # all digits, unlike `rank`
                return final_scores(ready.criterion, ready.fitted(), data)
        except Exception as error:
            raise AssertionError(f"{where}: {what} fails: {error}") from error

    def same(a: FloatArray, b: FloatArray, what: str) -> None:
        close = np.allclose(a, b, rtol=1e-5, atol=1e-7 * float(np.max(reference)) + 1e-12)
        assert close, f"{where}: {what}: {a} against {b}"

    def unchanged(what: str, table: Any = X, **options: Any) -> None:
        same(scores(table, what, **options), reference, what)

    reference = scores(X, "dense input")
    assert reference.shape == (X.shape[1],), f"{where}: one score for each column"
    assert np.isfinite(reference).all(), f"{where}: scores must be finite"
    assert (reference >= 0.0).all(), f"{where}: scores must not be negative"
    assert reference.max() > 0.0, f"{where}: some score must be positive"

    constant = X.copy()
    constant[:, 3] = 1.0
    values = scores(constant, "a constant column")
    assert values[3] == 0.0, f"{where}: a constant column must score zero"
    unchanged("the same call twice")
    unchanged("float32 input", X.astype(np.float32))
    n_threads = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        unchanged("one thread")
    finally:
        numba.set_num_threads(n_threads)
    unchanged("groups of one column", groups=[[i] for i in range(X.shape[1])])
    pairs = scores(X, "groups of two columns", groups=[[i, i + 1] for i in range(0, X.shape[1], 2)])
    assert pairs.shape == (X.shape[1] // 2,), f"{where}: one score for each group"
    if criterion.randomised:
        return
    order = np.array([3, 0, 5, 1, 4, 2])
    reordered = scores(X[:, order], "columns in another order")
    same(reordered, reference[order], "columns in another order")
    unchanged("sparse input", sp.csr_matrix(X))
    doubled = scores(np.column_stack([X, X[:, 0]]), "a duplicated column")
    same(doubled[[0]], doubled[[-1]], "a duplicated column")
