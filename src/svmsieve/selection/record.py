"""The run record: a journal from which a run can be continued.

Its header holds parameters, seed, fingerprint of the data, versions.  Each further line is one step of one
path (``"all"`` samples, or the number of a fold), or says that it is complete, and after how many steps.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import count, takewhile
from types import CodeType
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from svmsieve.runtime.interruption import Workers
from svmsieve.runtime.journal import FORMAT, Journal
from svmsieve.runtime.version import __version__
from svmsieve.search.contract import Step

_LONG = 500
"""Characters after which a list is told by its hash."""


def fingerprint(*arrays: Any) -> str:
    """Return a short hash of arrays' values, shapes and kinds."""
    digest = hashlib.sha256()
    for array in arrays:
        if array is None:
            digest.update(b"none")
            continue
        parts = (array.data, array.indices, array.indptr) if sp.issparse(array) else (array,)
        digest.update(repr(array.shape).encode())
        for part in map(np.ascontiguousarray, parts):
            if part.dtype.kind in "OUS":
                digest.update("\0".join(map(str, part.ravel())).encode())
            else:
                digest.update(f"{part.dtype}".encode())
                digest.update(part.tobytes())
    return digest.hexdigest()[:16]


def describe(value: Any) -> str:
    """Return what tells a parameter from another, the same in every process."""
    if isinstance(value, np.ndarray) or sp.issparse(value):
        return f"array {fingerprint(value)}"
    if isinstance(value, BaseEstimator):
        parameters = value.get_params(deep=False)
        return f"{type(value).__name__}{describe(parameters)}"
    if hasattr(
        value, "_score_func"
    ):  # a scorer of scikit-learn, which shows a function's name only
        parts = [value._score_func, value._kwargs, value._sign, value._response_method]
        return f"make_scorer{describe(parts)}"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key!r}: {describe(each)}' for key, each in value.items())}}}"
    if isinstance(value, list | tuple):
        text = ", ".join(map(describe, value))
        if len(text) > _LONG:
            text = f"{len(value)} values, {hashlib.sha256(text.encode()).hexdigest()[:16]}"
        return f"[{text}]"
    if isinstance(value, set | frozenset):
        return describe(sorted(value, key=repr))
    if isinstance(value, np.random.RandomState):
        return f"RandomState {describe(value.get_state())}"
    if callable(value) and hasattr(value, "__qualname__"):
        name = f"{value.__module__}.{value.__qualname__}"
        return f"{name} {_code_of(value)}" if "<" in name and hasattr(value, "__code__") else name
    return repr(value)


def _code_of(function: Any) -> str:
    """Return a digest of a function that has no name of its own: its code and what it holds on to."""

    def parts(code: CodeType) -> list[Any]:
        return [code.co_code.hex(), list(code.co_names), list(map(constant, code.co_consts))]

    def constant(value: Any) -> Any:
        if isinstance(value, CodeType):
            return parts(value)
        return sorted(map(repr, value)) if isinstance(value, frozenset) else repr(value)

    held_by = [cell.cell_contents for cell in function.__closure__ or ()]
    # A function may hold on to itself, or to one that does.
    cells = [getattr(value, "__qualname__", None) or describe(value) for value in held_by]
    held = [parts(function.__code__), cells, describe(function.__defaults__)]
    return hashlib.sha256(repr(held).encode()).hexdigest()[:16]


def make_header(parameters: dict[str, Any], data: str) -> dict[str, Any]:
    """Return the header of a run."""
    return {
        "svmsieve": __version__,
        "format": FORMAT,
        "data": data,
        "parameters": {name: describe(value) for name, value in sorted(parameters.items())},
        "versions": {"numpy": np.__version__},
    }


@dataclass
class RunRecord:
    """Header and steps of a run, in memory and, where a path is given, on disk.

    Attributes
    ----------
    header : what the run is of
    steps : the steps of each path so far
    """

    header: dict[str, Any]
    steps: dict[str, list[Step]] = field(default_factory=dict)
    path: str | None = None

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._workers = Workers()
        self._complete: set[str] = set()
        self._journal = None if self.path is None else Journal(self.path, self.header)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()

    @classmethod
    def open(cls, path: str | os.PathLike[str] | None, header: dict[str, Any]) -> RunRecord:
        """Start a record, or continue the one in the file; one of another run is refused."""
        if path is None:
            return cls(header)
        record = cls(header, path=str(path))
        assert record._journal is not None
        found: dict[str, dict[int, Step]] = {}
        ends: dict[str, int] = {}
        for line in record._journal.read():
            name = line.pop("path")
            steps = found.setdefault(name, {})
            if "complete" in line:
                ends[name] = line["complete"]
            else:
                number = line.pop("step")
                steps[number] = Step(**line)
        for name, steps in found.items():  # up to the first one that is missing
            numbers = takewhile(steps.__contains__, count())
            record.steps[name] = [steps[number] for number in numbers]
            if ends.get(name) == len(record.steps[name]):
                record._complete.add(name)
        return record

    def append(self, name: str, step: Step) -> None:
        """Add a step of a path; it is on disk when this returns."""
        with self._lock:
            self._append(name, step)

    def _append(self, name: str, step: Step) -> None:
        self._workers.go_on()
        steps = self.steps.setdefault(name, [])
        if self._journal is not None:
            self._journal.append({"path": name, "step": len(steps), **step.to_dict()})
        steps.append(step)

    def append_next(self, name: str, number: int, step: Step) -> bool:
        """Add the step of that number if it is the path's next one; say whether it was."""
        with self._lock:
            if number != len(self.steps.get(name, ())):
                return False
            self._append(name, step)
            return True

    def complete(self, name: str) -> None:
        """Note that a path is at its end."""
        with self._lock:
            if self._journal is not None:
                self._journal.append({"path": name, "complete": len(self.steps.get(name, ()))})
            self._complete.add(name)

    def take_over(self, name: str, steps: list[Step]) -> None:
        """Take in a whole path that another process may have run, and have written to the file."""
        with self._lock:
            self.steps[name] = steps
            self._complete.add(name)

    def is_complete(self, name: str) -> bool:
        """Whether a path is at its end."""
        return name in self._complete

    def working(self) -> AbstractContextManager[None]:
        """Count a path as at work, so that :meth:`stop` can wait for it."""
        return self._workers.working()

    def stop(self) -> None:
        """Let every path end at its next step, without loss (after Ctrl-C), and wait until all have."""
        self._workers.stop()

    def __iter__(self) -> Iterator[tuple[str, Step]]:
        for name, steps in self.steps.items():
            for step in steps:
                yield name, step
