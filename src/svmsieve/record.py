"""The run record: an append-only file of JSON lines, from which a run can be continued.

The first line is the header: parameters, seed, fingerprint of the data, versions.  Each further line is
one step of one path (``"all"`` samples, or the number of a fold), or says that it is complete.  A line is
written whole, with one write to a file opened for appending; a line cut short by a crash is dropped when
the file is read.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from types import CodeType
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

import svmsieve
from svmsieve.interruption import Workers
from svmsieve.search.contract import Step

FORMAT = 1
_LONG = 500
"""Characters after which a list is told by its hash."""
_SHORT = 60
"""Characters after which only what differs in a parameter is told."""


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
        "svmsieve": svmsieve.__version__,
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
        self._begun = False

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
        lines = read_record(path, header)
        if lines is None:
            return record
        record._begun = True
        for line in lines:
            name = line.pop("path")
            if "complete" in line:
                record._complete.add(name)
                continue
            number = line.pop("step")
            steps = record.steps.setdefault(name, [])
            if number == len(steps):
                steps.append(Step(**line))
        return record

    def append(self, name: str, step: Step) -> None:
        """Add a step of a path; it is on disk when this returns."""
        with self._lock:
            self._append(name, step)

    def _append(self, name: str, step: Step) -> None:
        self._workers.go_on()
        steps = self.steps.setdefault(name, [])
        if self.path is not None:
            self._write({"path": name, "step": len(steps), **step.to_dict()})
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
            self._write({"path": name, "complete": True})
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

    def _write(self, line: dict[str, Any]) -> None:
        if self.path is None:
            return
        # The header comes with the first step: a run that ends before it leaves nothing behind.
        write_lines(self.path, [line] if self._begun else [self.header, line])
        self._begun = True

    def __iter__(self) -> Iterator[tuple[str, Step]]:
        for name, steps in self.steps.items():
            for step in steps:
                yield name, step


def read_record(
    path: str | os.PathLike[str], header: dict[str, Any]
) -> list[dict[str, Any]] | None:
    """Return the lines after the header, None of a file that is new; one of another run is refused."""
    file = FilePath(path)
    if not file.exists() or file.stat().st_size == 0:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()  # a place that cannot be written to is refused now, not after the first step
        return None
    lines, good = _read_lines(file)
    if not lines or "parameters" not in lines[0]:
        raise ValueError(f"checkpoint {str(file)!r} is not a run record; choose another path.")
    _refuse_other_run(lines[0], header, str(file))
    if good < file.stat().st_size:  # cut short by a crash
        os.truncate(file, good)
    return lines[1:]


def write_lines(path: str | os.PathLike[str], lines: Sequence[dict[str, Any]]) -> None:
    """Append lines with one write, so that several processes may write to the file."""
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)


def _read_lines(file: FilePath) -> tuple[list[dict[str, Any]], int]:
    """Return the whole lines and the number of bytes they take."""
    lines: list[dict[str, Any]] = []
    good = 0
    with file.open("rb") as handle:
        for raw in handle:
            try:
                line = json.loads(raw)
            except ValueError:
                break
            if not raw.endswith(b"\n") or not isinstance(line, dict):
                break
            lines.append(line)
            good += len(raw)
    return lines, good


def _where_they_differ(there: str, now: str) -> tuple[str, str]:
    """Return two descriptions; of long ones only the parts between commas that are not in both."""
    if max(len(there), len(now)) <= _SHORT:
        return there, now
    parts, others = there.split(", "), now.split(", ")
    return (
        ", ".join(part for part in parts if part not in others) or "less",
        ", ".join(part for part in others if part not in parts) or "less",
    )


def _refuse_other_run(found: dict[str, Any], wanted: dict[str, Any], name: str) -> None:
    """Raise a ValueError that says what differs between the record and the run."""
    differences = []
    for key, what in (("svmsieve", "version of svmsieve"), ("format", "format"), ("data", "data")):
        if found.get(key) != wanted[key]:
            differences.append(f"the {what} ({found.get(key)} there, {wanted[key]} now)")
    old, new = found.get("parameters", {}), wanted["parameters"]
    for parameter in sorted(set(old) | set(new)):
        if old.get(parameter) != new.get(parameter):
            there, now = _where_they_differ(str(old.get(parameter)), str(new.get(parameter)))
            differences.append(f"{parameter} ({there} there, {now} now)")
    if differences:
        raise ValueError(
            f"checkpoint {name!r} is of another run: {'; '.join(differences)}. Choose another path, or "
            "remove the file to start again."
        )
