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
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
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

from svmsieve.runtime.cluster_loss import ATTEMPTS, go_on_after, watching
from svmsieve.runtime.threads import one_blas_thread

_THIS_MACHINE = (SequentialBackend, ThreadingBackend, LokyBackend, MultiprocessingBackend)

WORTH_SENDING = 2e10
"""Elementary operations of a loop inside a machine's training that are worth sending its matrices."""


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
