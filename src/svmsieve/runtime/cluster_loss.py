"""What is done and said when a cluster goes away: try again, watch for workers, one sentence."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

ATTEMPTS = 3
"""Times a loop is begun before a cluster that loses tasks is given up."""


WITHOUT_WORKERS = 60.0
"""Seconds after which tasks are given up that no worker is left for."""


class ClusterLostError(ConnectionError):
    """The scheduler, or too many workers, went away while tasks were under way."""


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
    # An OSError may be a task's own, of a file; raised by Dask, or without a cluster to answer, it is the
    # connection's.  A client that has given up looking for its scheduler says RuntimeError.
    here = answers(client)
    given_up = OSError if getattr(client, "status", None) == "running" else RuntimeError
    if is_dasks_own(error) and type(error).__name__ == "KilledWorker":
        raise ClusterLostError(_KILLED) from error
    if (
        isinstance(error, CancelledError)
        or is_dasks_own(error)
        or (isinstance(error, OSError | given_up) and client is not None and not here)
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


def is_dasks_own(error: Exception) -> bool:
    """Whether an error says that tasks could not be run, rather than what went wrong in one."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return False
    if isinstance(error, distributed.KilledWorker | distributed.comm.CommClosedError):
        return True
    return isinstance(error, OSError) and _raised_by(error).startswith("distributed.")


def _raised_by(error: Exception) -> str:
    """Return the name of the module that raised an error, in this process or in one that passed it on.

    A worker that does not answer (it was killed a moment ago) is an OSError like that of any file.
    """
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return str(frames[-1].f_globals.get("__name__", "")) if frames else ""


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
