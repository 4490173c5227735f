"""Outer folds in other processes: they take the last ones while this process begins with the first."""

from __future__ import annotations

import functools
import os
import signal
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from joblib.externals.loky import ProcessPoolExecutor

from svmsieve.runtime.threads import fewer_threads

Item = TypeVar("Item")
_IDLE = 30.0
"""Seconds after which a process that has nothing to do ends."""
_WATCH = 0.5
"""Seconds between two looks whether the process that asked is still there."""
_ONE_THREAD = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMBA")
}


class _Told(NamedTuple):
    """What came of an item in another process, and the warnings on the way."""

    result: Any
    warned: list[tuple[str, type[Warning]]]


class SharedOut:
    """Work that processes take from both ends: this one from the first item, the others from the last.

    What comes out does not depend on who did what.  The others begin at once, each with one thread; the
    caller may do something else before it takes its part by :meth:`results`.

    Parameters
    ----------
    function : called on the values of an item in another process
    items : the values of each
    n_others : number of other processes
    """

    def __init__(
        self, function: Callable[..., Any], items: Sequence[tuple[Any, ...]], n_others: int
    ) -> None:
        self._function, self._items, self._n_others = function, items, n_others
        self._left = deque(range(len(items)))
        self._taken: deque[tuple[int, Future[_Told]]] = deque()
        self._closed = False
        self._lock = threading.Lock()
        with _without_ctrl_c():
            self._executor = _executor(n_others, os.getpid())
            for _ in range(n_others):
                self._give()

    def _give(self, _: Any = None) -> None:
        """Give the last item that is left to another process, and the next one when it is done."""
        with self._lock:
            place = None if self._closed else _next(self._left.pop)
            if place is None:
                return
            future = self._executor.submit(_apart, self._function, self._items[place])
            self._taken.append((place, future))
        future.add_done_callback(self._give)

    @property
    def share(self) -> float:
        """Items that are left to this process, about: all work at the same speed."""
        return (len(self._left) + self._n_others) / (1 + self._n_others)

    def results(self, here: Callable[..., Item]) -> Iterator[tuple[int, Item]]:
        """Yield places and results; ``here`` is called on the values of items that no other has taken."""
        while (place := _next(self._left.popleft)) is not None:
            yield place, here(*self._items[place])
        with self._lock:
            taken = list(self._taken)
        for place, future in taken:
            try:
                told = future.result()
            except BrokenProcessPool:  # somebody ended it, or the memory was not enough
                _executor.cache_clear()
                yield place, here(*self._items[place])
                continue
            for message, category in told.warned:
                warnings.warn(message, category, stacklevel=2)
            yield place, told.result

    def close(self) -> None:
        """End what the others are still at."""
        with self._lock:
            self._closed = True
        if not all(future.done() for _, future in self._taken):
            _executor.cache_clear()
            self._executor.shutdown(wait=False, kill_workers=True)


@functools.lru_cache(maxsize=1)
def _executor(n: int, process: int) -> Any:
    """Return processes of our own, kept: joblib's, which it keeps for everybody, are of another kind."""
    return ProcessPoolExecutor(
        n, timeout=_IDLE, env=_ONE_THREAD, initializer=_begin, initargs=(process,)
    )


@contextmanager
def shared_out(
    function: Callable[..., Any], items: Sequence[tuple[Any, ...]], n: int
) -> Iterator[SharedOut]:
    """Share work out over ``n`` processes, of which this one meanwhile leaves the others their cores."""
    n_others = min(n - 1, len(items))
    shared = SharedOut(function, items, n_others)
    try:
        with fewer_threads(n_others):
            yield shared
    finally:
        shared.close()


def _next(take: Callable[[], int]) -> int | None:
    try:
        return take()
    except IndexError:
        return None


def _apart(function: Callable[..., Any], values: tuple[Any, ...]) -> _Told:
    """Work at an item in another process; its warnings are for the one that asked."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*values)
    return _Told(result, [(str(each.message), each.category) for each in caught])


def _begin(parent: int) -> None:
    """End this process when the one that asked is gone, however it went."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_WATCH)
        os._exit(1)

    if os.name == "posix":  # Windows names a parent that is gone, too
        threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Let processes that are started now never hear Ctrl-C, which a terminal sends to all of them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
