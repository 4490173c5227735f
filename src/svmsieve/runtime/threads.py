"""Threads of the engine: GIL-free functions over rows, matrix products, and one BLAS thread for each.

A BLAS splits a product by its number of threads and rounds accordingly, so the last digits of a result
depend on that number.  Inside :func:`one_blas_thread` the engine splits the work itself, into parts that
depend on shapes only: the result is the same bit by bit, whatever the number of threads.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

import numba
import numpy as np
import scipy.linalg  # noqa: F401  its BLAS must be there to be found
from numpy.typing import NDArray
from threadpoolctl import OpenBLASController, ThreadpoolController

Item = TypeVar("Item")

_WORTH_A_THREAD = 1_000_000
"""Elementary operations below which a thread costs more than it saves."""
_WORTH_PARTS = 2_000_000
"""Operations of a product from which on it is cut into parts of fixed shape."""
_WORTH_A_POOL = 20_000_000
"""Operations from which on tasks are given to the threads."""
_MANY_TASKS = 4
"""Tasks for each thread that make it worthwhile to share out tasks instead of their insides."""
_PRODUCT_PART = 128
"""Rows (or columns) of a matrix product that one thread computes at a time."""
_ROWS_PART = 256
"""Rows of every product whose rows must not depend on each other."""
_SYMMETRIC_PART = 512
"""Rows of the blocks of a symmetric product."""


def n_threads() -> int:
    """Threads the engine may use: numba's setting, which joblib lowers inside its workers."""
    return int(numba.get_num_threads())


@contextmanager
def fewer_threads(n: int) -> Iterator[None]:
    """Leave ``n`` of the engine's threads to others meanwhile, at least one stays."""
    before = n_threads()
    numba.set_num_threads(max(1, before - n))
    try:
        yield
    finally:
        numba.set_num_threads(before)


class _Pool:
    """The threads of this process, kept: starting some for each call would cost more than it saves."""

    process = 0
    executor: ThreadPoolExecutor


def _pool() -> ThreadPoolExecutor:
    """Return the kept threads.  They use no threads themselves: one could end up waiting for itself."""
    if _Pool.process != os.getpid():  # the first call, or the first one in a forked child
        _Pool.executor = ThreadPoolExecutor(
            os.cpu_count(), "svmsieve", initializer=numba.set_num_threads, initargs=(1,)
        )
        _Pool.process = os.getpid()
    return _Pool.executor


class _Behind:
    """Threads for what is begun now and asked for later; apart, so that no row waits for it."""

    process = 0
    executor: ThreadPoolExecutor
    free: threading.Semaphore


def begin(function: Callable[..., Item], *arguments: Any, beside: bool = True) -> Future[Item]:
    """Start a function that is mostly GIL-free in a thread while the caller goes on.

    Where no thread is free, or it is too short to be worth one (``beside``), it runs here: nothing waits, and
    the caller shares the work.  What comes out does not depend on it.
    """
    if beside and n_threads() > 1:
        if _Behind.process != os.getpid():  # the first call, or the first one in a forked child
            n = max(1, (os.cpu_count() or 1) - 1)
            _Behind.free = threading.Semaphore(n)
            _Behind.executor = ThreadPoolExecutor(
                n, "svmsieve-behind", initializer=numba.set_num_threads, initargs=(1,)
            )
            _Behind.process = os.getpid()
        free = _Behind.free
        if free.acquire(blocking=False):
            begun = _Behind.executor.submit(function, *arguments)
            begun.add_done_callback(lambda _: free.release())
            return begun
    done: Future[Item] = Future()
    try:
        done.set_result(function(*arguments))
    except Exception as error:  # told where it is asked for, as from a thread
        done.set_exception(error)
    return done


def over_rows(function: Callable[[int, int], object], n_rows: int, work_per_row: float) -> None:
    """Call ``function(start, stop)`` on parts of ``range(n_rows)``, in threads where it pays.

    The parts are disjoint and the function writes only its own rows, so the result does not
    depend on the number of threads.
    """
    n_parts = min(n_rows, int(n_rows * work_per_row / _WORTH_A_THREAD))
    n_parts = n_parts if n_parts < 2 else min(n_threads(), n_parts)
    if n_parts < 2:
        function(0, n_rows)
        return
    edges = [n_rows * part // n_parts for part in range(n_parts + 1)]
    list(_pool().map(function, edges[:-1], edges[1:]))


def product(A: NDArray[Any], B: NDArray[Any]) -> NDArray[Any]:
    """Return ``A @ B``; inside :func:`one_blas_thread` in parts of fixed shape, in threads."""
    n, m, k = A.shape[0], B.shape[1], A.shape[1]
    if not _Single.depth or 2.0 * n * m * k < _WORTH_PARTS:
        return A @ B
    out = np.empty((n, m), dtype=A.dtype)
    if n >= 4 * _PRODUCT_PART or n > m:
        part = _PRODUCT_PART

        def compute(start: int) -> None:
            np.matmul(A[start : start + part], B, out=out[start : start + part])

        starts = range(0, n, part)
    else:
        part = 8 * _PRODUCT_PART

        def compute(start: int) -> None:
            np.matmul(A, B[:, start : start + part], out=out[:, start : start + part])

        starts = range(0, m, part)
    in_threads(compute, starts, 2.0 * n * m * k)
    return out


def rows_product(A: NDArray[Any], B: NDArray[Any]) -> NDArray[Any]:
    """Return ``A @ B``, each row of which does not depend on which rows are beside it.

    BLAS chooses its way by the shape, and rounds accordingly.  Here all products have the same number of
    rows, the last filled up with zeros: a row has the same bits however the rows are cut (but for products
    so large that BLAS cuts them itself).
    """
    n = A.shape[0]
    out = np.empty((n, B.shape[1]), dtype=A.dtype)
    whole = n - n % _ROWS_PART

    def compute(start: int) -> None:
        rows = slice(start, start + _ROWS_PART)
        np.matmul(A[rows], B, out=out[rows])

    in_threads(compute, range(0, whole, _ROWS_PART), 2.0 * A.size * B.shape[1])
    if whole < n:
        last = np.zeros((_ROWS_PART, A.shape[1]), dtype=A.dtype)
        last[: n - whole] = A[whole:]
        out[whole:] = (last @ B)[: n - whole]
    return out


def self_product(A: NDArray[Any]) -> NDArray[Any]:
    """Return ``A @ A.T``, symmetric to the bit; inside :func:`one_blas_thread` in blocks, in threads.

    The blocks below the diagonal are multiplied and the others copied from them: BLAS does one product of
    the whole likewise, but its copy strides through all of a large matrix.
    """
    n, part = len(A), _SYMMETRIC_PART
    if not _Single.depth or n <= 2 * part:
        return A @ A.T
    out = np.empty((n, n), dtype=A.dtype)

    def compute(start: int) -> None:
        rows = slice(start, min(start + part, n))
        out[rows, rows] = A[rows] @ A[rows].T
        if start:
            np.matmul(A[rows], A[:start].T, out=out[rows, :start])
            out[:start, rows] = out[rows, :start].T

    # The last rows are the longest: they start first.
    in_threads(compute, range(0, n, part)[::-1], 1.0 * n * n * A.shape[1])
    return out


def in_threads(
    function: Callable[[int], object], items: Iterable[int], work: float, *, multiplies: bool = True
) -> None:
    """Call a GIL-free function on all items, in threads where that pays.

    One that multiplies matrices only inside :func:`one_blas_thread`: elsewhere the BLAS has threads of
    its own.
    """
    if n_threads() == 1 or (multiplies and not _Single.depth) or work < _WORTH_A_POOL:
        for item in items:
            function(item)
    else:
        list(_pool().map(function, items))


def in_order(
    tasks: Sequence[Callable[[], Item]], bytes_a_task: float, memory: float
) -> Iterator[Item]:
    """Yield the tasks' results; inside :func:`one_blas_thread` many tasks are worked at ahead, in threads.

    As many as there are threads, if the memory allows it.  Few tasks run one after the other, each of
    them in threads where it can.
    """
    n_ahead = n_threads()
    if (
        n_ahead == 1
        or not _Single.depth
        or len(tasks) < _MANY_TASKS * n_ahead
        or n_ahead * bytes_a_task > memory
    ):
        for task in tasks:
            yield task()
        return
    pending: deque[Future[Item]] = deque()
    try:
        for task in tasks:
            pending.append(_pool().submit(task))
            if len(pending) > n_ahead:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        for future in pending:
            future.cancel()


class _Single:
    """How deep the process is in :func:`one_blas_thread`, and how to leave it."""

    lock = threading.Lock()
    depth = 0
    limit: Any = None
    controller: ThreadpoolController | None = None
    """Looks for the libraries once: numpy's and scipy's are loaded by then."""


def _take_control() -> None:
    """Let this thread set the number of BLAS threads.

    New versions of threadpoolctl let only the first thread that did so do it again, and ignore the others
    in silence.
    """
    clear = getattr(OpenBLASController, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let the BLAS compute with one thread, for the whole process; may be nested and shared."""
    with _Single.lock:
        if _Single.depth == 0:
            _take_control()
            if _Single.controller is None:
                _Single.controller = ThreadpoolController()
            _Single.limit = _Single.controller.limit(limits=1, user_api="blas")
        _Single.depth += 1
    try:
        yield
    finally:
        with _Single.lock:
            _Single.depth -= 1
            if _Single.depth == 0:
                _take_control()
                _Single.limit.restore_original_limits()
                _Single.limit = None
                _take_control()
