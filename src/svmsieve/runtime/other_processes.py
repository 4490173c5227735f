"""Work shared out over processes: others take the last items while this process begins with the first."""

from __future__ import annotations

import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, NamedTuple, TypeVar

from joblib.externals.loky.process_executor import ShutdownExecutorError

from svmsieve.runtime.kept_processes import end, executor, keep, without_ctrl_c
from svmsieve.runtime.threads import fewer_threads

Item = TypeVar("Item")
_ENDED = (BrokenProcessPool, ShutdownExecutorError)
"""What is raised where the other processes are gone."""


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
        self._executor = executor(n_others)
        with without_ctrl_c():
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
            end(self._executor)
        else:
            keep(self._n_others, self._executor)


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
