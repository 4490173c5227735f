"""Append-only files of JSON lines that are trusted line by line: what records of runs are kept in.

The first line is the header, which says what the file is of.  Every line ends with a checksum of its text,
salted with the header: a line that a crash cut short, a disk damaged or another run wrote is left out, and
what it held is computed again.  Where a line stands does not matter, so whoever reads must be able to tell
from its content what it is of.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows: nobody is kept out
    fcntl = None  # type: ignore[assignment]

FORMAT = 2
_SHORT = 60
"""Characters after which only what differs in a parameter is told."""
_PATIENCE = 5.0
"""Seconds to wait for another process: one that is being ended may need them."""
_SYNC = 1.0
"""Seconds after which lines are on the disk itself, not only with the operating system."""

_FOLDS = re.compile(r"\['[0-9a-f]{16}'(, '[0-9a-f]{16}')*\]")
_HASH = re.compile(r",? \b[0-9a-f]{16}\b")

_held: set[str] = set()
"""Lock files of this process."""


class Journal:
    """A file of JSON lines under a header; a copy in another process may append to it too.

    Parameters
    ----------
    path : the file
    header : what it is of
    """

    def __init__(self, path: str | os.PathLike[str], header: dict[str, Any]) -> None:
        self.path, self.header = os.fspath(path), header
        self._salt = hashlib.sha256(json.dumps(header, sort_keys=True).encode()).digest()
        self._begun = False
        self._synced = -inf

    def read(self) -> list[dict[str, Any]]:
        """Return the good lines after the header; a file of another run is refused.

        A last line that was cut short is removed; a warning tells of other lines that are damaged.
        """
        file = Path(self.path)
        if not file.exists() or file.stat().st_size == 0:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()  # a place that cannot be written to is refused now, not after the first step
            return []
        raw = file.read_bytes().splitlines(keepends=True)
        headers = [line for line in _good(raw, b"") if "parameters" in line]
        lines = _good(raw, self._salt)
        if headers:
            _refuse_other_run(headers[0], self.header, self.path)
        elif not lines:
            _refuse_no_record(raw, self.header, self.path)
            os.truncate(file, 0)
            _warn(self.path, "its header is damaged, the run starts again")
            return []
        self._begun = True
        damaged = len(raw) - len(lines) - len(headers)
        if not raw[-1].endswith(b"\n"):  # cut short by a crash
            os.truncate(file, file.stat().st_size - len(raw[-1]))
            damaged -= 1
        if damaged:
            what = "a damaged line is" if damaged == 1 else f"{damaged} damaged lines are"
            _warn(self.path, f"{what} left out, and what was there is computed again")
        return lines

    def append(self, *lines: dict[str, Any]) -> None:
        """Append lines, each whole, so that several processes may write to the file.

        The header comes with the first: a run that ends before it leaves nothing behind.
        """
        text = b"".join(_with_sum(line, self._salt) for line in lines)
        if not self._begun:
            text = _with_sum(self.header, b"") + text
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            while text:
                text = text[os.write(handle, text) :]
            self._begun = True
            if time.monotonic() - self._synced >= _SYNC:
                os.fsync(handle)
                self._synced = time.monotonic()
        finally:
            os.close(handle)


@contextmanager
def alone(path: str | os.PathLike[str] | None) -> Iterator[None]:
    """Keep other processes from the file meanwhile; one that has it already is named in the error.

    Where files cannot be locked (Windows, some file systems of a network) nobody is kept out.
    """
    name = f"{path}.lock"
    try:
        handle = None if path is None or fcntl is None else _locked(name, str(path))
    except OSError:
        Path(name).unlink(missing_ok=True)
        handle = None
    if handle is None:
        yield
        return
    try:
        _held.add(name)
        os.truncate(name, 0)
        os.write(handle, str(os.getpid()).encode())
        yield
    finally:
        Path(name).unlink(missing_ok=True)
        _held.discard(name)
        os.close(handle)


def release_all() -> None:
    """Remove the lock files of a process that ends without leaving :func:`alone`."""
    for name in tuple(_held):
        Path(name).unlink(missing_ok=True)


def _locked(name: str, path: str) -> int:
    """Return the lock file, opened and locked."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + _PATIENCE
    while True:
        handle = os.open(name, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # The process before may have removed the file between the two calls.
            if os.path.exists(name) and os.path.samestat(os.fstat(handle), os.stat(name)):
                return handle
        except BlockingIOError:
            if time.monotonic() >= until:
                holder = os.read(handle, 20).decode(errors="replace").strip()
                os.close(handle)
                who = f"process {holder}" if holder.isdigit() else "another process"
                raise ValueError(
                    f"checkpoint {path!r} is in use by {who}; wait until it ends, or choose another path."
                ) from None
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        time.sleep(0.05)


def _with_sum(line: dict[str, Any], salt: bytes) -> bytes:
    text = json.dumps(line, separators=(",", ":")).encode()
    return text[:-1] + b',"sum":"%08x"}\n' % zlib.crc32(salt + text)


def _checked(raw: bytes, salt: bytes) -> dict[str, Any] | None:
    """Return what a line holds, None where its checksum is another."""
    text, mark, end = raw.rpartition(b',"sum":"')
    if not mark or end != b'%08x"}\n' % zlib.crc32(salt + text + b"}"):
        return None
    line: dict[str, Any] = json.loads(text + b"}")
    return line


def _good(raw: Sequence[bytes], salt: bytes) -> list[dict[str, Any]]:
    return [line for line in (_checked(each, salt) for each in raw) if line is not None]


def _refuse_no_record(raw: Sequence[bytes], header: dict[str, Any], name: str) -> None:
    """Raise a ValueError unless the file is nothing but the damaged header of a record."""
    try:
        first = json.loads(raw[0])
    except ValueError:
        first = None
    if isinstance(first, dict) and "parameters" in first and first.get("format") != FORMAT:
        _refuse_other_run(first, header, name)
    start = b'{"svmsieve":"'
    if not (raw[0].startswith(start) or start.startswith(raw[0])):
        raise ValueError(f"checkpoint {name!r} is not a run record; choose another path.")
    if len(raw) > 1:
        raise ValueError(
            f"checkpoint {name!r} has a damaged header, and its lines are of another run or damaged too; "
            "choose another path, or remove the file to start again."
        )


def _warn(path: str, what: str) -> None:
    warnings.warn(f"checkpoint {path!r}: {what}.", UserWarning, stacklevel=4)


def _refuse_other_run(found: dict[str, Any], wanted: dict[str, Any], name: str) -> None:
    """Raise a ValueError that says what differs between the record and the run."""
    differences = []
    for key, what in (("svmsieve", "version of svmsieve"), ("format", "format")):
        if found.get(key) != wanted[key]:
            differences.append(f"the {what} ({found.get(key)} there, {wanted[key]} now)")
    if found.get("data") != wanted["data"]:
        differences.append("the data (other values, rows or columns)")
    old, new = found.get("parameters", {}), wanted["parameters"]
    for parameter in sorted(set(old) | set(new)):
        if old.get(parameter) != new.get(parameter):
            both = [_without_hashes(str(each.get(parameter))) for each in (old, new)]
            there, now = _where_they_differ(*both)
            what = "other values" if there == now else f"{there} there, {now} now"
            differences.append(f"{parameter} ({what})")
    if differences:
        raise ValueError(
            f"checkpoint {name!r} is of another run: {'; '.join(differences)}. Choose another path, or "
            "remove the file to start again."
        )


def _without_hashes(text: str) -> str:
    """Return a description in words only: hashes tell that values differ, but say nothing to a person.

    >>> _without_hashes("['3d97143919374644', 'a6dd2dda7f7cf1cf']")
    '2 folds one by one'
    >>> _without_hashes("[40 values, 3d97143919374644]")
    '[40 values]'
    """
    if _FOLDS.fullmatch(text):
        return f"{text.count(',') + 1} folds one by one"
    return _HASH.sub("", text)


def _where_they_differ(there: str, now: str) -> tuple[str, str]:
    """Return two descriptions; of long ones only the parts between commas that are not in both."""
    if max(len(there), len(now)) <= _SHORT:
        return there, now
    parts, others = there.split(", "), now.split(", ")
    return (
        ", ".join(part for part in parts if part not in others) or "less",
        ", ".join(part for part in others if part not in parts) or "less",
    )
