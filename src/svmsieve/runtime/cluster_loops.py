"""Parallel loops over other machines, where the user chose a joblib backend that reaches them.

Loops are written as pure functions of (what all tasks share, what one task is about).  Under
``joblib.parallel_config("dask")``, or another backend that reaches other machines, the tasks go there;
what they share is sent to every worker once.  Inside a task everything stays where it is, on one thread:
the cluster gave the task one core.  The answers are those of this process, bit for bit.
"""

from __future__ import annotations

import json
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from pickle import PickleBuffer
from typing import Any
from uuid import uuid4

import numba
from joblib import Parallel, delayed, parallel_config
from joblib.parallel import (
    LokyBackend,
    MultiprocessingBackend,
    SequentialBackend,
    ThreadingBackend,
    get_active_backend,
)

from svmsieve.runtime.threads import one_blas_thread

_THIS_MACHINE = (SequentialBackend, ThreadingBackend, LokyBackend, MultiprocessingBackend)

WORTH_SENDING = 2e10
"""Elementary operations of a loop inside a machine's training that are worth sending its matrices."""


ATTEMPTS = 3
"""Times a loop is begun before a cluster that loses tasks is given up."""


WITHOUT_WORKERS = 60.0
"""Seconds after which tasks are given up that no worker is left for."""


class ClusterLostError(ConnectionError):
    """The scheduler, or too many workers, went away while tasks were under way."""


class _Here(threading.local):
    """What the task of this thread may do; outside of tasks nothing is set."""

    in_task = False
    tell: Callable[[Any], None] | None = None


_here = _Here()


def cluster() -> Any | None:
    """Return the joblib backend that reaches other machines; None where there is none, or in its tasks."""
    backend, _ = get_active_backend()
    if isinstance(backend, _THIS_MACHINE) or _here.in_task or _in_dask_worker():
        return None
    return backend


def active_client() -> Any | None:
    """Return the Dask client that joblib was configured with, if any."""
    return getattr(cluster(), "client", None)


def cluster_for(work: float) -> Any | None:
    """Return the backend that reaches other machines if a loop of that much work is worth sending."""
    return cluster() if work >= WORTH_SENDING else None


def tell(message: Any) -> None:
    """Send a message, of what JSON takes, from a task to whoever listens to its loop."""
    if _here.tell is not None:
        _here.tell(message)


def spread(
    backend: Any,
    function: Callable[..., Any],
    items: Sequence[tuple[Any, ...]],
    shared: Any,
    listen: Callable[[Any], None] | None = None,
) -> Iterator[tuple[int, Any]]:
    """Yield (number of the item, ``function(shared, *item)``) as tasks of a cluster end, in any order.

    Parameters
    ----------
    backend : what :func:`cluster` returned
    function : a pure function; it runs in another process
    items : what each task is about
    shared : what all of them share, sent once to each worker
    listen : called, in another thread, with what a task tells by :func:`tell` (Dask only)

    Raises
    ------
    ClusterLostError
        If the cluster went away.
    """
    parcel = _Parcel(shared)
    client = getattr(backend, "client", None)
    left = dict(enumerate(items))
    with _Ear(client, listen) as ear:
        for attempt in range(ATTEMPTS):
            try:
                for number, result in _results(backend, function, left, parcel, ear):
                    del left[number]
                    yield number, result
                return
            except Exception as error:
                go_on_after(error, client, attempt)


def _results(
    backend: Any,
    function: Callable[..., Any],
    items: dict[int, tuple[Any, ...]],
    parcel: _Parcel,
    ear: _Ear,
) -> Iterator[tuple[int, Any]]:
    """Yield what joblib gives back, as it comes."""
    client = getattr(backend, "client", None)
    sent = parcel if client is None else client.scatter(parcel, hash=False)
    calls = [
        delayed(_task)(sent, function, number, item, ear.topic) for number, item in items.items()
    ]
    loop = _parallel(backend)

    def under_way() -> Iterable[Any]:
        return tuple(getattr(loop._backend, "task_futures", ()))

    with watching(client, under_way), closing_quietly(loop(calls)) as results:
        for result in results:
            ear.raise_error()
            yield result
    ear.raise_error()


@contextmanager
def watching(client: Any, under_way: Callable[[], Iterable[Any]]) -> Iterator[None]:
    """Cancel the tasks under way when no worker has been left for a while; Dask would wait for ever."""
    if client is None:
        yield
        return
    done = threading.Event()

    def watch() -> None:
        alone_since = None
        while not done.wait(min(2.0, WITHOUT_WORKERS / 4)):
            if _has_workers(client):
                alone_since = None
                continue
            alone_since = alone_since or time.monotonic()
            if time.monotonic() - alone_since >= WITHOUT_WORKERS:
                client.cancel(list(under_way()), force=True)
                return

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        done.set()


def _has_workers(client: Any) -> bool:
    try:
        return client.status != "running" or bool(client.ncores())
    except Exception:  # of a scheduler that went away Dask itself tells
        return True


@contextmanager
def lost_in_one_sentence(client: Any) -> Iterator[None]:
    """Tell a loss of the cluster, in what Dask computes on it by itself, as one."""
    try:
        yield
    except Exception as error:
        go_on_after(error, client, ATTEMPTS)


def go_on_after(error: Exception, client: Any, attempt: int) -> None:
    """Return if what was lost can be sent again; else raise what went wrong, a loss in one sentence.

    A worker that died may have had the only copy of what all tasks share.
    """
    # An OSError may be a task's own, of a file; without a cluster to answer it is the connection's.
    here = answers(client)
    if is_dasks_own(error) and type(error).__name__ == "KilledWorker":
        raise ClusterLostError(_KILLED) from error
    if (
        isinstance(error, CancelledError)
        or is_dasks_own(error)
        or (isinstance(error, OSError) and client is not None and not here)
    ):
        if attempt + 1 < ATTEMPTS and here:
            return
        raise ClusterLostError(lost(client)) from error
    raise error


def answers(client: Any) -> bool:
    """Whether a cluster that lost tasks can take them again."""
    if client is None or client.status != "running":
        return False
    try:
        return bool(client.ncores())
    except OSError:
        return False


def in_order(
    backend: Any, function: Callable[..., Any], items: Sequence[tuple[Any, ...]], shared: Any
) -> list[Any]:
    """Return what :func:`spread` yields, in the order of the items."""
    results = dict(spread(backend, function, items, shared))
    return [results[number] for number in range(len(items))]


@contextmanager
def closing_quietly(results: Any) -> Iterator[Any]:
    """Close joblib's generator of results, without its warning of tasks that are given up."""
    try:
        yield results
    finally:
        if hasattr(results, "close"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                results.close()


def _parallel(backend: Any) -> Parallel:
    """Return joblib's loop over the user's backend."""
    way = "generator_unordered" if backend.supports_return_generator else "list"
    if not hasattr(backend, "client"):
        return Parallel(return_as=way)
    with parallel_config(
        "dask",
        client=backend.client,
        wait_for_workers_timeout=backend.wait_for_workers_timeout,
        **backend.submit_kwargs,
    ):
        return Parallel(return_as=way)


def _task(
    parcel: Any,
    function: Callable[..., Any],
    number: int,
    item: tuple[Any, ...],
    topic: str | None,
) -> tuple[int, Any]:
    if not isinstance(parcel, _Parcel):  # joblib stays here if the cluster has but one core
        parcel = parcel.result()
    with in_task(topic):
        return number, function(parcel.content, *item)


@contextmanager
def in_task(topic: str | None = None) -> Iterator[None]:
    """Compute with one thread and start nothing elsewhere, as a task on a cluster does."""
    threads, before = numba.get_num_threads(), (_here.in_task, _here.tell)
    _here.in_task = True
    _here.tell = None if topic is None else _teller(topic)
    try:
        numba.set_num_threads(1)
        with one_blas_thread():
            yield
    finally:
        numba.set_num_threads(threads)
        _here.in_task, _here.tell = before


def _teller(topic: str) -> Callable[[Any], None]:
    if not _in_dask_worker():  # one core, as above
        return _ears[topic].hear
    worker = sys.modules["distributed"].get_worker()
    # as JSON, which gives back what Step takes; Dask's own messages turn lists into tuples
    return lambda message: worker.log_event(topic, json.dumps(message))


def _in_dask_worker() -> bool:
    """Whether this thread runs a task of Dask, such as a fit inside scikit-learn's cross-validation."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return False
    try:
        distributed.get_worker()
    except ValueError:
        return False
    return True


def is_dasks_own(error: Exception) -> bool:
    """Whether an error says that tasks could not be run, rather than what went wrong in one."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return False
    return isinstance(error, distributed.KilledWorker | distributed.comm.CommClosedError)


def lost(client: Any) -> str:
    """Say that a cluster went away, and what to do."""
    scheduler = getattr(client, "scheduler", None)  # a client that has given up has none
    where = "" if scheduler is None else f" at {scheduler.address}"
    return (
        f"The cluster's scheduler{where}, or the workers that had the data, went away while tasks were "
        "under way; start it again, workers that ran out of memory with more (--memory-limit), and repeat "
        "the run, with its checkpoint where it has one."
    )


_KILLED = (
    "A task ended each worker that ran it; most often it needs more memory than a worker has: give workers "
    "more (--memory-limit), or make partitions smaller, and repeat the run."
)


class _Parcel:
    """What all tasks share; Dask keeps it under a name of its own and knows how large it is."""

    def __init__(self, content: Any) -> None:
        self.content = content

    def __sizeof__(self) -> int:
        from distributed.protocol.pickle import dumps

        buffers: list[PickleBuffer] = []
        rest = dumps(self.content, buffer_callback=buffers.append)
        return len(rest) + sum(buffer.raw().nbytes for buffer in buffers)

    def __dask_tokenize__(self) -> str:
        return uuid4().hex


_ears: dict[str, _Ear] = {}


class _Ear:
    """Hears what the tasks of one loop tell, where Dask carries it."""

    def __init__(self, client: Any, listen: Callable[[Any], None] | None) -> None:
        self._client = client
        self._listen = listen
        self._error: BaseException | None = None
        self.topic = None if client is None or listen is None else f"svmsieve-{uuid4().hex}"

    def __enter__(self) -> _Ear:
        if self.topic is not None:
            _ears[self.topic] = self
            self._client.subscribe_topic(self.topic, self._receive)
        return self

    def __exit__(self, *_: Any) -> None:
        if self.topic is None:
            return
        del _ears[self.topic]
        if self._client.status == "running":
            self._client.unsubscribe_topic(self.topic)

    def _receive(self, event: tuple[float, Any]) -> None:
        self.hear(json.loads(event[1]))

    def hear(self, message: Any) -> None:
        """Tell the listener."""
        assert self._listen is not None
        if self._error is None:
            try:
                self._listen(message)
            except BaseException as error:  # it has to end the loop, not Dask's thread
                self._error = error

    def raise_error(self) -> None:
        """Raise what the listener raised."""
        if self._error is not None:
            raise self._error
