"""Progress of the command line: stages by name, with an estimate; plain lines where there is no terminal."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from svmsieve.runtime.compiled import seconds_compiling

_QUIET_FOR = 1.0
"""Seconds before a stage is worth a line."""
_LEAST_DONE = 0.05
"""Share of the steps before the time left is estimated: the first one may tune."""
_LEAST_KNOWN = 0.1
"""Share of the steps before the time of the whole run is told."""
_EVERY = 10.0
"""Seconds between the lines of a stage."""


Forecast = Callable[[float], str | None]
"""From the seconds that a stage will take to what is worth saying of them; None is nothing."""


class Stage:
    """Counts the steps of a stage; its :meth:`step` may be called from any thread."""

    def __init__(self, name: str, total: int | None, forecast: Forecast | None = None) -> None:
        self.name = name
        self.total = total
        self.forecast = forecast
        self.done = 0
        self.begun = time.monotonic()
        self._compiled_before = seconds_compiling()
        self._lock = threading.Lock()

    def step(self, *_: Any) -> None:
        """Count one step."""
        with self._lock:
            self.done += 1
            self._foretell()
            self.changed()

    def _foretell(self) -> None:
        """Say once, early, what the time so far means for the whole."""
        if self.forecast is None or not self.total or self.done < _LEAST_KNOWN * self.total:
            return
        sentence, self.forecast = self.forecast(self.seconds_of(self.total)), None
        if sentence is not None:
            self.say(sentence)

    def seconds_of(self, steps: int) -> float:
        """Return how long so many steps take, by those that are done; what was compiled is compiled once."""
        compiling = seconds_compiling() - self._compiled_before
        return max(0.0, time.monotonic() - self.begun - compiling) * steps / self.done

    def say(self, sentence: str) -> None:
        """Show a sentence."""

    def changed(self) -> None:
        """Show the state."""

    def end(self) -> None:
        """Show the end."""


class _Bar(Stage):
    def __init__(
        self, name: str, total: int | None, forecast: Forecast | None, progress: Any
    ) -> None:
        super().__init__(name, total, forecast)
        self._progress = progress
        self._task = progress.add_task(name, total=total)

    def changed(self) -> None:
        self._progress.update(self._task, completed=min(self.done, self.total or self.done))

    def say(self, sentence: str) -> None:
        self._progress.console.print(sentence, markup=False, highlight=False)

    def end(self) -> None:
        self._progress.update(self._task, total=max(self.done, 1), completed=max(self.done, 1))


class _Lines(Stage):
    def __init__(
        self, name: str, total: int | None, forecast: Forecast | None, file: TextIO
    ) -> None:
        super().__init__(name, total, forecast)
        self._file = file
        self._next = self.begun + _QUIET_FOR

    def changed(self) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _EVERY
        seconds = now - self.begun
        text = f"{self.name}: {duration(seconds)}"
        if self.total and self.done >= _LEAST_DONE * self.total:
            left = self.seconds_of(max(self.total - self.done, 0))
            text += f", {min(self.done / self.total, 1.0):.0%} done, about {duration(left)} left"
        print(text, file=self._file, flush=True)

    def say(self, sentence: str) -> None:
        print(sentence, file=self._file, flush=True)

    def end(self) -> None:
        seconds = time.monotonic() - self.begun
        if seconds >= _QUIET_FOR:
            print(f"{self.name}: done in {duration(seconds)}", file=self._file, flush=True)


@contextmanager
def stage(
    name: str,
    total: int | None = None,
    *,
    forecast: Forecast | None = None,
    quiet: bool = False,
) -> Iterator[Stage]:
    """Show a stage while it lasts: a bar in a terminal, plain lines elsewhere, nothing if ``quiet``."""
    if quiet:
        yield Stage(name, total)
        return
    if not sys.stderr.isatty():
        lines = _Lines(name, total, forecast, sys.stderr)
        yield lines
        lines.end()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        SpinnerColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bar = _Bar(name, total, forecast, progress)
        yield bar
        bar.end()


def duration(seconds: float) -> str:
    """Return a time in words.

    >>> duration(4.2), duration(130), duration(7500)
    ('4 s', '2 min 10 s', '2 h 5 min')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{int(seconds // 60)} min {int(seconds % 60)} s"
    return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60)} min"
