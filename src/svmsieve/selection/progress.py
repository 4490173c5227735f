"""A progress bar for long runs, and who hears of their steps."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

from svmsieve.search.contract import Step


class Progress:
    """Counts steps and, where asked to, shows them in one bar with an estimate of the time left."""

    def __init__(self, shown: bool, total: int | None, title: str) -> None:
        self._lock = threading.Lock()
        self._bar: Any = None
        if shown:
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                TextColumn,
                TimeElapsedColumn,
                TimeRemainingColumn,
            )
            from rich.progress import Progress as RichProgress

            self._bar = RichProgress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TimeRemainingColumn(),
            )
            self._task = self._bar.add_task(title, total=total)

    def __enter__(self) -> Progress:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def expect(self, more: int) -> None:
        """Count on more steps than were known of at the start."""
        if self._bar is not None and more:
            with self._lock:
                total = next(task.total for task in self._bar.tasks if task.id == self._task)
                self._bar.update(self._task, total=None if total is None else total + more)

    def advance(self, steps: int = 1) -> None:
        """Count steps that are done."""
        if self._bar is not None:
            with self._lock:
                self._bar.advance(self._task, steps)


class Listener:
    """Tells the bar and the user's callback of each step, one at a time, in the process of the run.

    A copy that goes to another process is silent: :meth:`catch_up` tells of the steps done there.
    """

    def __init__(
        self,
        bar: Progress,
        callback: Callable[[Step], None] | None,
        done: Mapping[str, Sequence[Step]],
    ) -> None:
        self._bar = bar
        self._callback = callback
        self._heard = {name: len(steps) for name, steps in done.items()}
        self._lock = threading.Lock()
        bar.advance(sum(self._heard.values()))

    def __call__(self, name: str, step: Step) -> None:
        """Tell of a step of a path."""
        with self._lock:
            self._heard[name] = self._heard.get(name, 0) + 1
            self._bar.advance()
            if self._callback is not None:
                self._callback(step)

    def catch_up(self, name: str, steps: Sequence[Step]) -> None:
        """Tell of the steps of a path that were not heard of yet."""
        for step in steps[self._heard.get(name, 0) :]:
            self(name, step)

    def __reduce__(self) -> tuple[Callable[[], None], tuple[()]]:
        return _nobody, ()


def _nobody() -> None:
    """What a listener is in another process."""
