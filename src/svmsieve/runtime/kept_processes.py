"""Processes that work for this one: started, before there is work where that saves time, kept and ended."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing import resource_tracker
from typing import Any

from joblib.externals.loky import ProcessPoolExecutor

_IDLE = 30.0
"""Seconds after which a process that has nothing to do ends."""
_WATCH = 0.5
"""Seconds between two looks whether the process that asked is still there."""
_ONE_THREAD = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMBA")
}


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
        idle = cls.pop()
        return idle[1] if idle is not None and idle[0] == (n, os.getpid()) else None

    @classmethod
    def pop(cls) -> tuple[tuple[int, int], Any] | None:
        """Return number, owner and executor of what is kept, which it is no longer."""
        with cls.lock:
            idle, cls.idle = cls.idle, None
        return idle


def executor(n: int) -> Any:
    """Return processes of our own: joblib's, which it keeps for everybody, are of another kind."""
    return _Kept.take(n) or ProcessPoolExecutor(
        n, timeout=_IDLE, env=_ONE_THREAD, initializer=_begin, initargs=(os.getpid(),)
    )


def keep(n: int, processes: Any) -> None:
    """Keep ``n`` processes that have nothing to do for whoever asks next."""
    _Kept.put(n, processes)


def end(processes: Any) -> None:
    """End processes at once: their own shutdown waits for, or trips over, what they are at."""
    for process in list(processes._processes):
        with suppress(OSError):  # it may have ended meanwhile
            os.kill(process, getattr(signal, "SIGKILL", signal.SIGTERM))


def start_early(n: int, module: str) -> None:
    """Start ``n`` processes before there is work: they import a module while this process imports it too."""
    processes = executor(n)
    with without_ctrl_c():
        for _ in range(n):
            processes.submit(import_module, module)
    keep(n, processes)


def end_kept() -> None:
    """End processes that were started or kept, and that nobody has taken."""
    kept = _Kept.pop()
    if kept is not None and kept[0][1] == os.getpid():
        end(kept[1])


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
def without_ctrl_c() -> Iterator[None]:
    """Let processes that are started now never hear Ctrl-C, which a terminal sends to all of them.

    The signal is held back, not ignored: one that comes meanwhile reaches this process, if a moment later.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows, whose processes do not inherit it
        yield
        return
    resource_tracker.ensure_running()  # its start, with the first process, would let the signal through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
