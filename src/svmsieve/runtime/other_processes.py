"""Work shared out over processes: others take the last items while this process begins with the first."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from copy import deepcopy
from typing import Any, NamedTuple, TypeVar

from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.process_executor import ShutdownExecutorError

from svmsieve.runtime.threads import fewer_threads

Item = TypeVar("Item")
_IDLE = 30.0
"""Seconds after which a process that has nothing to do ends."""
_WATCH = 0.5
"""Seconds between two looks whether the process that asked is still there."""
_ENDED = (BrokenProcessPool, ShutdownExecutorError)
"""What is raised where the other processes are gone."""
_ONE_THREAD = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMBA")
}


class _Told(NamedTuple):
    """What came of an item in another process, and the warnings on the way."""

    result: Any
    warned: list[Warning]


class SharedOut:
    """Work that processes take from both ends: this one from the first item, the others from the last.

    What comes out does not depend on who did what.  The others begin at once, each with one thread; the
    caller may do something else before it takes its part by :meth:`results`.  Where the others are ended, by
    somebody or for want of memory, this process does their part.

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
        self._lost = False
        self._lock = threading.Lock()
        with _without_ctrl_c():
            self._executor = _executor(n_others)
            for _ in range(n_others):
                self._give()

    def _give(self, _: Any = None) -> None:
        """Give the last item that is left to another process, and the next one when it is done."""
        with self._lock:
            place = None if self._lost else _next(self._left.pop)
            if place is None:
                return
            try:
                future = self._executor.submit(_apart, self._function, self._items[place])
            except _ENDED:
                self._lost = True
                self._left.append(place)
                return
            self._taken.append((place, future))
        future.add_done_callback(self._give)

    @property
    def share(self) -> float:
        """Items that are left to this process, about: all work at the same speed."""
        if self._lost:
            return len(self._left) + len(self._taken)
        return (len(self._left) + self._n_others) / (1 + self._n_others)

    def results(self, here: Callable[..., Item]) -> Iterator[tuple[int, Item]]:
        """Yield places and results; ``here`` is called on the values of items that no other has taken."""
        while True:
            place, future = self._next_of_mine()
            if place is None:
                return
            told = None
            if future is not None:
                try:
                    told = future.result()
                except (*_ENDED, CancelledError):
                    self._lost = True
            if told is None:
                yield place, here(*self._items[place])
                continue
            for warning in told.warned:
                warnings.warn(warning, stacklevel=2)
            yield place, told.result

    def _next_of_mine(self) -> tuple[int | None, Future[_Told] | None]:
        """Take an item that is left; none left, one that another process took, to wait for it."""
        with self._lock:
            place = _next(self._left.popleft)
            if place is None and self._taken:
                return self._taken.popleft()
            return place, None

    def close(self) -> None:
        """Keep the other processes for next time, or end what they are still at."""
        with self._lock:
            self._left.clear()
            busy = any(not future.done() for _, future in self._taken)
        if busy or self._lost:  # its own shutdown trips over what was given a moment ago
            for process in list(self._executor._processes):
                with suppress(OSError):  # it may have ended meanwhile
                    os.kill(process, getattr(signal, "SIGKILL", signal.SIGTERM))
        else:
            _Kept.put(self._n_others, self._executor)


class _Kept:
    """Processes that have nothing to do, for whoever asks next: starting them takes seconds."""

    lock = threading.Lock()
    idle: tuple[tuple[int, int], Any] | None = None

    @classmethod
    def put(cls, n: int, executor: Any) -> None:
        """Keep an executor; the one that was kept ends by itself."""
        with cls.lock:
            cls.idle = (n, os.getpid()), executor

    @classmethod
    def take(cls, n: int) -> Any:
        """Return an executor that nobody else has; None where there is none."""
        with cls.lock:
            idle, cls.idle = cls.idle, None
        return idle[1] if idle is not None and idle[0] == (n, os.getpid()) else None


def _executor(n: int) -> Any:
    """Return processes of our own: joblib's, which it keeps for everybody, are of another kind."""
    return _Kept.take(n) or ProcessPoolExecutor(
        n, timeout=_IDLE, env=_ONE_THREAD, initializer=_begin, initargs=(os.getpid(),)
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
        try:
            result = function(*values)
        except Exception as error:
            if _travels(error):
                raise
            raise RuntimeError(f"{type(error).__name__}: {error}") from None
    told = [each.message for each in caught if isinstance(each.message, Warning)]
    return _Told(result, [each if _travels(each) else UserWarning(str(each)) for each in told])


def _travels(error: Exception) -> bool:
    """Whether an error or a warning can be made again in another process, as pickle would: like a copy."""
    try:
        return str(deepcopy(error)) == str(error)
    except Exception:
        return False


def _begin(parent: int) -> None:
    """End this process when the one that asked is gone, however it went; Ctrl-C is for that one."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_WATCH)
        os._exit(1)

    if os.name == "posix":  # Windows names a parent that is gone, too
        threading.Thread(target=watch, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)


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
        if before is not None:  # None: it was not set by Python
            signal.signal(signal.SIGINT, before)
