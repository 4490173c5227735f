"""Passes over the rows that several searches share: each row is read once for all that wait for it.

Searches run in threads of their own and ask for sums over the rows, as if they were alone.  When every one
of them waits, one pass answers all.  An answer depends on its own question only, so that it is the same to
the bit whoever else asks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from svmsieve.runtime.threads import in_threads
from svmsieve.scale.chunks import Chunk, Chunks, Function, add

MOST_TOGETHER = 8
"""Searches that run at a time: each has a sample of its own in memory."""


class _Failed:
    """What a question came to that some rows have no answer to."""

    def __init__(self, error: Exception) -> None:
        self.error = error


class Answers:
    """What one chunk, or several, answer to each of the questions."""

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = list(values)

    def __add__(self, other: Answers) -> Answers:
        return Answers([_both(*two) for two in zip(self.values, other.values, strict=True)])


def _both(one: Any, other: Any) -> Any:
    for each in (one, other):
        if isinstance(each, _Failed):
            return each
    return add(one, other)


def answer_all(chunk: Chunk, questions: Sequence[tuple[Function, tuple[Any, ...]]]) -> Answers:
    """Answer all questions from one chunk; one that fails does not touch the others."""
    values: list[Any] = [None] * len(questions)

    def answer(number: int) -> None:
        function, broadcast = questions[number]
        try:
            values[number] = function(chunk, *broadcast)
        except Exception as error:
            values[number] = _Failed(error)

    work = float("inf") if len(questions) > 1 else 0.0
    in_threads(answer, range(len(questions)), work)
    return Answers(values)


@dataclass(eq=False)
class _Question:
    function: Function
    broadcast: tuple[Any, ...]
    answered: bool = False
    value: Any = None


class SharedPasses(Chunks):
    """Row chunks of which searches ask sums together.

    Attributes
    ----------
    n_passes : passes over the rows so far
    n_questions : sums that were asked for
    """

    def __init__(self, chunks: Chunks) -> None:
        self.chunks = chunks
        self.n_rows, self.names = chunks.n_rows, chunks.names
        self.n_passes = self.n_questions = 0
        self._change = threading.Condition()
        self._waiting: list[_Question] = []
        self._at_work = 0
        self._stopped = False

    @property
    def density(self) -> float:
        """Share of the row numbers that are rows."""
        return self.chunks.density

    def map(self, function: Function, *broadcast: Any) -> Iterator[Any]:
        """Run a function on each chunk, alone."""
        return self.chunks.map(function, *broadcast)

    def total(self, function: Function, *broadcast: Any) -> Any:
        """Ask for a sum; it comes when every search of :meth:`run` waits for one."""
        question = _Question(function, broadcast)
        with self._change:
            self._waiting.append(question)
            self.n_questions += 1
            while not question.answered:
                if self._stopped:
                    raise KeyboardInterrupt
                if len(self._waiting) >= max(self._at_work, 1):
                    self._answer()
                else:
                    self._change.wait()
        if isinstance(question.value, BaseException):
            raise question.value
        if isinstance(question.value, _Failed):
            raise question.value.error
        return question.value

    def _answer(self) -> None:
        """Answer all that wait in one pass; the others wait meanwhile."""
        asked, self._waiting = self._waiting, []
        self.n_passes += 1
        values: Sequence[Any]
        try:
            questions = [(each.function, each.broadcast) for each in asked]
            values = self.chunks.total(answer_all, questions).values
        except BaseException as error:
            values = [error] * len(asked)
        for each, value in zip(asked, values, strict=True):
            each.value, each.answered = value, True
        self._change.notify_all()

    def run(self, searches: Sequence[Callable[[], Any]]) -> None:
        """Run searches side by side, some at a time; the first error is raised when all have ended."""
        for first in range(0, len(searches), MOST_TOGETHER):
            self._run(searches[first : first + MOST_TOGETHER])

    def _run(self, searches: Sequence[Callable[[], Any]]) -> None:
        self._at_work = len(searches)
        with ThreadPoolExecutor(len(searches), "svmsieve-search") as pool:
            begun = [pool.submit(self._one, search) for search in searches]
            try:
                wait(begun)
            except (
                BaseException
            ):  # Ctrl-C: the pool waits for its threads, which end at their next question
                self._stopped = True
                raise
        self._at_work = 0
        for each in begun:
            each.result()

    def _one(self, search: Callable[[], Any]) -> None:
        try:
            search()
        finally:
            with self._change:
                self._at_work -= 1
                self._change.notify_all()
