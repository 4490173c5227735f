"""Ctrl-C without loss: work in other threads is told to stop, and waited for."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_PATIENCE = 60.0
"""Seconds to wait for work that was told to stop."""


class Workers:
    """Counts who is at work and tells all of them to stop.

    A copy that goes to another process knows of nobody, and is never stopped.
    """

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._at_work = 0
        self._stopped = False

    @contextmanager
    def working(self) -> Iterator[None]:
        """Count the caller as at work, so that :meth:`stop` can wait for it."""
        with self._change:
            self._at_work += 1
        try:
            yield
        finally:
            with self._change:
                self._at_work -= 1
                self._change.notify_all()

    def go_on(self) -> None:
        """Raise KeyboardInterrupt if all are to stop."""
        if self._stopped:
            raise KeyboardInterrupt

    def stop(self) -> None:
        """Let everybody end at the next :meth:`go_on`, and wait until all have.

        Threads that were still at work when the interpreter ends would abort it.
        """
        with self._change:
            self._stopped = True
            self._change.wait_for(lambda: self._at_work == 0, timeout=_PATIENCE)

    def __reduce__(self) -> tuple[Any, tuple[()]]:
        return Workers, ()


@contextmanager
def as_interrupt() -> Iterator[None]:
    """Let Ctrl-C be KeyboardInterrupt where compiled code was being loaded, which makes it a SystemError."""
    try:
        yield
    except SystemError as error:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, KeyboardInterrupt):
            cause = cause.__cause__ or cause.__context__
        if cause is None:
            raise
        raise KeyboardInterrupt from error
