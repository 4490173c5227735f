"""Append-only files of JSON lines that are trusted line by line: what records of runs are kept in.

The first line is the header, which says what the file is of.  Every line ends with a checksum of its text,
salted with the header: a line that a crash cut short, a disk damaged or another run wrote is left out, and
what it held is computed again.  Every line also has its writer's mark and a number: whoever writes counts its
own lines, and begins by saying how many of each other's it knew.  So a line that was lost, moved or doubled
shows, while writers side by side may mix their lines, and a file that merely ends early is as good as any.
Where a line stands does not matter otherwise: whoever reads must tell from its content what it is of.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import threading
import time
import warnings
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from typing import Any

from svmsieve.runtime.other_run import refuse_no_record, refuse_other_run

try:
    import fcntl
except ImportError:  # Windows: nobody is kept out
    fcntl = None  # type: ignore[assignment]

FORMAT = 8
_PATIENCE = 5.0
"""Seconds to wait for another process: one that is being ended may need them."""
_SYNC = 1.0
"""Seconds after which lines are on the disk itself, not only with the operating system."""

_BINARY = getattr(os, "O_BINARY", 0)
"""Windows would end the lines in its own way."""

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
        self._known: dict[str, int] = {}
        self._become_a_writer()

    def _become_a_writer(self) -> None:
        self._lock = threading.Lock()
        self._writer, self._next = secrets.token_hex(4), 0

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            own = {self._writer: self._next} if self._next else {}
            return {**vars(self), "_lock": None, "_known": self._known | own}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._become_a_writer()

    def read(self) -> list[dict[str, Any]]:
        """Return the good lines after the header; a file of another run is refused.

        A last line that was cut short is removed.  A warning tells of lines that are damaged, lost, out of
        order or doubled; the file is then written anew without them, so that it tells only once.
        """
        file = Path(self.path)
        content = file.read_bytes() if file.exists() else b""
        if not content.strip():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(b"")  # a place that cannot be written to is refused now, not later
            return []
        # Lines end as Windows ends them where the file was moved through it.
        *raw, cut = (piece.removesuffix(b"\r") for piece in content.split(b"\n"))
        raw = [piece for piece in raw if piece.strip()]
        heads = [_checked(piece, b"") for piece in raw]
        lines = [_checked(piece, self._salt) for piece in raw]
        first = next((head for head in heads if head is not None and "parameters" in head), None)
        if first is not None:
            refuse_other_run(first, self.header, self.path)
        elif not any(lines):
            refuse_no_record([*raw, cut], self.header, self.path)
            os.truncate(file, 0)
            _warn(self.path, "its header is damaged, the run starts again")
            return []
        self._begun = True
        if cut:
            os.truncate(file, content.rindex(b"\n") + 1)
        own = [
            head if self._is_header(head) else line for head, line in zip(heads, lines, strict=True)
        ]
        good, trouble, self._known = _in_order([line for line in own if line is not None])
        good = [line for line in good if not self._is_header(line)]
        if told := _in_words(own.count(None), *trouble):
            _warn(self.path, told)
            with suppress(
                OSError
            ):  # a folder that nothing can be added to: it is told again next time
                self._write_anew(good)
        return good

    def _is_header(self, line: dict[str, Any] | None) -> bool:
        return line is not None and {**line, "line": 0} == {**self.header, "line": 0}

    def append(self, *lines: dict[str, Any]) -> None:
        """Append lines, each whole, so that several processes may write to the file.

        The header comes with the first: a run that ends before it leaves nothing behind.
        """
        with self._lock:  # in the file, too, the numbers of a writer rise
            text, count = self._text(lines)
            handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _BINARY, 0o644)
            try:
                while text:
                    text = text[os.write(handle, text) :]
                self._begun = True
                self._next += count
                if time.monotonic() - self._synced >= _SYNC:
                    os.fsync(handle)
                    self._synced = time.monotonic()
            finally:
                os.close(handle)

    def _text(self, lines: Sequence[dict[str, Any]]) -> tuple[bytes, int]:
        """Return the next lines as they are written, the header among them where it is due; how many."""
        salts = [(line, self._salt) for line in lines]
        if not self._begun:
            salts.insert(0, (self.header, b""))
        texts = []
        for number, (line, salt) in enumerate(salts, start=self._next):
            mark: list[Any] = [self._writer, number]
            if number == 0 and self._known:
                mark.append(self._known)
            texts.append(_with_sum({**line, "line": mark}, salt))
        return b"".join(texts), len(texts)

    def _write_anew(self, lines: Sequence[dict[str, Any]]) -> None:
        """Write the whole file again, as its only writer; what was there stays until it is done."""
        known, self._known, self._begun = self._known, {}, False
        path = os.path.realpath(self.path)
        part = f"{path}.part"
        try:
            text, count = self._text(lines)
            with open(part, "wb") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            shutil.copymode(path, part)
            os.replace(part, path)
            self._next = count
        except OSError:
            self._known = known
            Path(part).unlink(missing_ok=True)
            raise
        finally:
            self._begun = True


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
    if not mark or end != b'%08x"}' % zlib.crc32(salt + text + b"}"):
        return None
    line: dict[str, Any] = json.loads(text + b"}")
    return line


def _in_order(
    lines: Sequence[dict[str, Any]],
) -> tuple[list[dict[str, Any]], tuple[int, int, int], dict[str, int]]:
    """Return the lines, each once and without its mark; how many are lost, late and doubled; and how many
    each writer wrote."""
    once, late, reached = {}, 0, Counter[str]()
    for line in lines:
        writer, number, *known = line.pop("line")
        if (writer, number) in once:
            continue
        once[writer, number] = line
        late += number < reached[writer]
        for counts in ({writer: number + 1}, *known):
            for each, count in counts.items():
                reached[each] = max(reached[each], count)
    lost = reached.total() - len(once)
    return list(once.values()), (lost, late, len(lines) - len(once)), dict(reached)


def _in_words(damaged: int, lost: int, late: int, doubled: int) -> str:
    """Return what is wrong with a file's lines in a sentence, an empty one where nothing is.

    >>> _in_words(damaged=1, lost=3, late=0, doubled=1)
    'a damaged line is left out, 2 lines are lost, a line is doubled; what is missing is computed again, \
and the result is the same'
    """
    lost = max(0, lost - damaged)  # a damaged line leaves its number out, too
    counts = (
        (damaged, "damaged line", "left out"),
        (lost, "line", "lost"),
        (late, "line", "out of order"),
        (doubled, "line", "doubled"),
    )
    parts = [
        f"a {what} is {how}" if count == 1 else f"{count} {what}s are {how}"
        for count, what, how in counts
        if count
    ]
    if not parts:
        return ""
    again = "what is missing is computed again, and " if damaged or lost else ""
    return f"{', '.join(parts)}; {again}the result is the same"


def _warn(path: str, what: str) -> None:
    warnings.warn(f"checkpoint {path!r}: {what}.", UserWarning, stacklevel=4)
