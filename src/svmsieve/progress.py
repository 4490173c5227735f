"""A progress bar for long runs."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any


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

    def advance(self, steps: int = 1) -> None:
        """Count steps that are done."""
        if self._bar is not None:
            with self._lock:
                self._bar.advance(self._task, steps)
