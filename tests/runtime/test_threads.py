"""Threads change how long it takes, never a bit of the result."""

import threading
import time

import numba
import numpy as np
import pytest
import scipy.sparse as sp

from svmsieve.engine.effects.gradients import gradient_blocks
from svmsieve.engine.effects.pair_sums import removal_changes, slope_sums
from svmsieve.engine.effects.path_choice import Accuracy
from svmsieve.engine.effects.response import response_blocks
from svmsieve.engine.kernels.gram import ActiveGram
from svmsieve.engine.kernels.kernel import RBF, gram
from svmsieve.engine.machines.fit import fit_svc, fit_svr
from svmsieve.engine.machines.folds import out_of_fold_decisions, stratified_folds
from svmsieve.engine.machines.grid_search import Validation
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.tuned_grid import Grid
from svmsieve.engine.machines.tuning import tune_svc, tune_svr
from svmsieve.runtime import threads
from svmsieve.runtime.threads import (
    begin,
    n_threads,
    one_blas_thread,
    over_rows,
    product,
    self_product,
)
from tests.engine.problems import expansion, many_classes, numbers, two_classes


@pytest.fixture
def set_threads(monkeypatch):
    """Set the number of threads; small work is shared out too, in small parts."""
    if numba.config.NUMBA_NUM_THREADS < 2:
        pytest.skip("one thread only: there is nothing to compare")
    for limit in ("_WORTH_A_THREAD", "_WORTH_PARTS", "_WORTH_A_POOL"):
        monkeypatch.setattr(threads, limit, 1)
    monkeypatch.setattr(threads, "_PRODUCT_PART", 8)
    before = numba.get_num_threads()
    yield numba.set_num_threads
    numba.set_num_threads(before)


def _same_bits(set_threads, compute):
    results = []
    for n in (1, 2):
        set_threads(n)
        assert n_threads() == n
        with one_blas_thread():
            results.append([np.asarray(part) for part in compute()])
    assert len(results[0]) == len(results[1]) > 0
    for one, two in zip(*results, strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_kernel_matrices(set_threads, kind):
    X = np.random.default_rng(0).normal(size=(61, 7))

    def compute():
        yield gram(RBF(0.2), kind(X), kind(X[:30]))
        active = ActiveGram(kind(X), RBF(0.2))
        yield active.matrix.copy()
        yield active.without(3)
        active.drop([2])
        active.drop([0, 5])
        yield active.matrix

    _same_bits(set_threads, compute)


@pytest.mark.parametrize("path", ["auto", "series", "distinct", "exact"])
def test_response_and_pair_sums(set_threads, path):
    rng = np.random.default_rng(1)
    machine = expansion(RBF(0.1), 37, 6)
    X = np.clip(rng.normal(size=(53, 6)), -2.0, 2.0)
    X[:, 0], machine.centers[:, 0] = np.arange(53) % 2, np.arange(37) % 2

    def compute():
        for block in response_blocks(machine, X, accuracy=Accuracy(path=path), memory=100_000):
            yield block.decision
            yield block.at(X[::-1][block.rows, block.features])
        yield removal_changes(RBF(0.1), machine.coef, machine.centers, path=path)
        yield slope_sums(RBF(0.1), machine.coef, machine.centers)
        for _, values in gradient_blocks(machine, X, scaling=True):
            yield values

    _same_bits(set_threads, compute)


def test_machines(set_threads):
    X, y = many_classes(60, 4, 3)
    X_numbers, values = numbers(60, 4)

    def compute():
        yield fit_svc(X, y, RBF(0.2), Machine(C=3.0)).decision_values(X)
        yield fit_svc(X, y, RBF(0.2), Machine("squared_hinge", 3.0)).decision_values(X)
        yield fit_svr(X_numbers, values, RBF(0.2), Machine("epsilon", 3.0)).decision_function(X)

    _same_bits(set_threads, compute)


def test_folds_and_tuning(set_threads):
    X, y = two_classes(60, 4)
    X_numbers, values = numbers(40, 3)
    grid, validation = Grid([0.1, 1.0, 10.0], [0.05, 0.5], [0.1, 0.2]), Validation(3)
    folds = stratified_folds((y > 0).astype(np.intp), 4)

    def compute():
        K = gram(RBF(0.2), X, X)
        yield out_of_fold_decisions(Machine(), K, y, np.full(60, 2.0), folds)
        yield tune_svc(X, y, grid, validation=validation).fold_scores
        yield tune_svr(X_numbers, values, grid, validation=validation).fold_scores

    _same_bits(set_threads, compute)


@pytest.mark.parametrize("n_rows", [0, 1, 2, 7, 100])
def test_every_row_once(set_threads, n_rows):
    for n in (1, 2):
        set_threads(n)
        seen, lock = [], threading.Lock()

        def visit(start, stop, seen=seen, lock=lock):
            with lock:
                seen.extend(range(start, stop))

        over_rows(visit, n_rows, 1000.0)
        assert sorted(seen) == list(range(n_rows))


def test_small_work_stays_in_the_calling_thread():
    seen = []
    over_rows(lambda start, stop: seen.append(threading.current_thread()), 10, 1.0)
    assert seen == [threading.current_thread()]


def test_an_error_in_a_thread_reaches_the_caller(set_threads):
    set_threads(2)

    def fail(start, stop):
        raise RuntimeError("in a part")

    with pytest.raises(RuntimeError, match="in a part"):
        over_rows(fail, 10, 1000.0)


@pytest.mark.parametrize("shape", [(1, 5, 3), (70, 9, 11), (9, 11, 70), (40, 40, 40)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products(set_threads, shape, dtype):
    n, k, m = shape
    rng = np.random.default_rng(2)
    A, B = rng.normal(size=(n, k)).astype(dtype), rng.normal(size=(k, m)).astype(dtype)
    set_threads(2)
    tolerance = 1e-12 if dtype == np.float64 else 1e-4
    np.testing.assert_allclose(product(A, B), A @ B, rtol=tolerance, atol=tolerance)
    with one_blas_thread():
        inside = product(A, B)
    assert inside.dtype == dtype
    np.testing.assert_allclose(inside, A @ B, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("n", [1, 8, 9, 40])
def test_products_with_itself(set_threads, monkeypatch, n):
    monkeypatch.setattr(threads, "_SYMMETRIC_PART", 4)
    A = np.random.default_rng(2).normal(size=(n, 5))
    expected = [[row @ other for other in A] for row in A]
    results = []
    for n_used in (1, 2):
        set_threads(n_used)
        with one_blas_thread():
            results.append(self_product(A))
    np.testing.assert_allclose(results[0], expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(results[0], results[0].T)
    np.testing.assert_array_equal(*results)
    np.testing.assert_allclose(self_product(A), expected, rtol=1e-12, atol=1e-12)


def test_the_blas_gets_its_threads_back():
    def blas_threads():
        info = threads.ThreadpoolController().info()
        return [entry["num_threads"] for entry in info if entry["user_api"] == "blas"]

    before = blas_threads()
    with one_blas_thread():
        assert set(blas_threads()) <= {1}
        with one_blas_thread():
            assert set(blas_threads()) <= {1}
        assert set(blas_threads()) <= {1}
    assert blas_threads() == before
    with pytest.raises(RuntimeError, match="inside"), one_blas_thread():
        raise RuntimeError("inside")
    assert blas_threads() == before


def test_what_is_begun_runs_beside_or_here_and_comes_to_the_same():
    seen = set()

    def work(number):
        seen.add(threading.get_ident())
        time.sleep(0.01)
        return number**2

    begun = [begin(work, number) for number in range(12)]
    assert [each.result() for each in begun] == [number**2 for number in range(12)]
    if n_threads() > 1:
        assert len(seen) > 1  # some beside this thread
    assert threading.get_ident() in seen  # and what found no free one in it


def test_what_is_begun_may_fail_where_it_is_asked_for():
    def fail():
        raise ValueError("no")

    for begun in [begin(fail) for _ in range(5)]:  # beside, and here
        with pytest.raises(ValueError, match="no"):
            begun.result()
    assert begin(int, "3").result() == 3  # a thread that failed is free again
