"""A first look at a file: what it is, how it is encoded, how long it is."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from svmsieve.datasets.cost import limit_of, require
from svmsieve.datasets.errors import DataError, shown_path
from svmsieve.datasets.formats import (
    BINARY,
    FORMATS,
    READABLE,
    binary_format,
    looks_like_json,
    tables_in,
    text_format,
)
from svmsieve.datasets.presence import require_present
from svmsieve.engine.arrays import IntArray
from svmsieve.runtime.memory import human_size

_GZIP = b"\x1f\x8b"
_SAMPLE = 2**18
_LONGEST_SAMPLE = 2**26
_SHARE = 16
"""Times that the longest sample, or record, fits into the memory: as fields it takes many times as much."""
_LINES = 20
_CHUNK = 2**20


@dataclass(frozen=True)
class FirstLook:
    """What a first look at a file tells.

    Attributes
    ----------
    path : the file
    format : one of :data:`FORMATS`
    compressed : whether it is a gzip file
    size : bytes; of a text file uncompressed
    encoding : of a text file
    sample : the beginning of a text file
    whole : whether the sample is all of it
    longest : characters that a record of a text file may have
    counts : how often each byte occurs in a text file
    notes : what was understood
    """

    path: Path
    format: str
    compressed: bool
    size: int
    encoding: str
    sample: str
    whole: bool
    longest: int = _LONGEST_SAMPLE
    counts: IntArray = field(default_factory=lambda: np.zeros(256, dtype=np.intp))
    notes: tuple[str, ...] = ()

    @property
    def lines(self) -> int:
        """Most lines that a text file may have."""
        return int(max(self.counts[ord("\n")], self.counts[ord("\r")])) + 1

    @property
    def characters(self) -> int:
        """Most bytes that the text may take decoded: one a character, or four if not all are ASCII."""
        return self.size if not self.counts[128:].any() else 4 * self.size

    def fields(self, separators: str) -> int:
        """Most fields that a text file may have: line ends and separators, quoted or not."""
        return self.lines + sum(int(self.counts[each.encode()[-1]]) for each in separators)

    def open_text(self) -> IO[str]:
        """Open the text, decoded; line ends are left to the parser."""
        return io.TextIOWrapper(self.open_bytes(), encoding=self.encoding, newline="")

    def text_lines(self) -> Iterator[str]:
        """Yield the lines of the text; one that is too long for the memory is refused."""
        with self.open_text() as file:
            lines = TextLines(file, self)
            for line in lines:
                lines.begin_record()
                yield line

    def open_bytes(self) -> Any:
        """Open the uncompressed bytes."""
        return _open(self.path, self.compressed)


class TextLines:
    """The lines of a text file, counted as they are read; a record too long for the memory is refused.

    Attributes
    ----------
    number : of the last line
    """

    def __init__(self, file: IO[str], found: FirstLook) -> None:
        self._file, self._found = file, found
        self._characters = 0
        self.number = 0

    def __iter__(self) -> TextLines:
        return self

    def __next__(self) -> str:
        line = self._file.readline(self._found.longest + 1)
        if not line:
            raise StopIteration
        self.number += 1
        self._characters += len(line)
        if self._characters > self._found.longest:
            raise _too_long(
                self._found.path, f"what ends in line {self.number}", self._found.longest
            )
        return line

    def begin_record(self) -> None:
        """Note that what follows belongs to another record."""
        self._characters = 0


def _open(path: Path, compressed: bool) -> Any:
    return gzip.open(path, "rb") if compressed else path.open("rb")


def _too_long(path: Path, what: str, longest: int) -> DataError:
    return DataError(
        f"{shown_path(path)}: {what} has more than {human_size(longest)}, too long for the memory budget; "
        "correct it (its line ends, its quotes), raise memory, or keep fewer columns."
    )


def _damaged_gzip(path: Path, where: str) -> DataError:
    return DataError(
        f"{shown_path(path)} is a damaged gzip file, {where}; copy or download it again."
    )


def _head(file: Any, most: int) -> tuple[bytes, bool]:
    """Return the beginning of a file, of wide files at least some lines, and whether it is all."""
    head = bytearray()
    while len(head) < most and (not head or _line_ends(head) < _LINES):
        chunk = file.read(_SAMPLE)
        head += chunk
        if len(chunk) < _SAMPLE:
            return bytes(head), True
    return bytes(head), False


def _line_ends(text: bytes | bytearray) -> int:
    return max(text.count(b"\n"), text.count(b"\r"))


def survey(
    path: Any,
    format: str | None = None,
    encoding: str | None = None,
    memory: float | None = None,
) -> FirstLook:
    """Look at a file; refuse what is missing, empty, binary, of a foreign format, or far too large.

    A text file is read through once, a piece at a time: how long it is and how many fields it can have is
    counted, not estimated, since a few compressed bytes may stand for any number.
    """
    path = require_present(path)
    name = shown_path(path)
    longest = int(min(_LONGEST_SAMPLE, max(_SAMPLE, limit_of(memory) / _SHARE)))
    if format is not None and format not in FORMATS:
        raise DataError(f"format must be one of {', '.join(FORMATS)}, got {format!r}.")
    try:
        if path.is_dir():
            raise DataError(f"{name} is a folder; give the path of a file in it{tables_in(path)}.")
        on_disk = path.stat().st_size
        with path.open("rb") as file:
            compressed = file.read(2) == _GZIP
        with _open(path, compressed) as file:
            head, whole = _head(file, longest)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise _damaged_gzip(path, "near its beginning") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataError(f"{name} cannot be read ({reason}); check its permissions.") from None
    if not head.strip():
        raise DataError(f"{name} is empty; give a file with a header and rows.")
    kind = format or binary_format(head, name)
    if kind in BINARY:
        return FirstLook(path, kind, compressed, on_disk, "", "", False)
    if not whole and _line_ends(head) < 2 and not looks_like_json(head):
        raise _too_long(path, "one of the first two lines", longest)
    if not compressed:
        require(on_disk, memory, path)
    text = _Text(path, compressed, memory)
    found, notes = _encoding(text, head, name, encoding)
    sample = _decoded_sample(head, found)
    kind = kind or text_format(path, sample)
    size = int(text.counts.sum())
    return FirstLook(
        path, kind, compressed, size, found, sample, whole, longest, text.counts, notes
    )


def _encoding(
    text: _Text, head: bytes, name: str, wanted: str | None
) -> tuple[str, tuple[str, ...]]:
    """Return the encoding: what was asked for, a byte order mark's, UTF-8, or else Windows-1252."""
    if wanted is not None:
        try:
            b"a".decode(wanted)  # codecs knows others that are not of text
        except (LookupError, ValueError):
            raise DataError(f"encoding must be one Python knows, got {wanted!r}.") from None
        if text.first_not(wanted) is not None:
            raise DataError(f"{name} is not {wanted} text; leave encoding out or give another.")
        return wanted, ()
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        found = "utf-16"
    else:
        if b"\0" in head:
            zero = head[: head.index(b"\0")].count(b"\n") + 1
            raise _binary(name, f"a zero byte in line {zero}")
        found = "utf-8-sig"
    line = text.first_not(found)
    if line is None:
        return found, ()
    if found == "utf-16":
        raise DataError(f"{name} is damaged UTF-16 text in line {line}; save it as UTF-8.")
    control = sum(byte < 32 and byte not in b"\t\n\r\f" for byte in head)
    if control > len(head) / 100:
        raise _binary(name, f"line {line} is not UTF-8")
    fallback = next(each for each in ("cp1252", "latin-1") if text.first_not(each) is None)
    note = f"line {line} is not UTF-8: the file was read as {fallback}; say encoding if text looks odd."
    return fallback, (note,)


def _binary(name: str, why: str) -> DataError:
    return DataError(
        f"{name} is a binary file of no known format ({why}); save the table as {READABLE}."
    )


class _Text:
    """A text file that is read through, once for each encoding that is tried.

    Attributes
    ----------
    counts : how often each byte occurs, of the last time
    """

    def __init__(self, path: Path, compressed: bool, memory: float | None) -> None:
        self.path, self.compressed, self.memory = path, compressed, memory
        self.counts = np.zeros(256, dtype=np.intp)

    def first_not(self, encoding: str) -> int | None:
        """Return the first line that is not in the encoding, None where all of them are."""
        decoder = codecs.getincrementaldecoder(encoding)()
        self.counts[:] = 0
        line = 1
        with _open(self.path, self.compressed) as file:
            while True:
                try:
                    chunk = file.read(_CHUNK)
                except (EOFError, zlib.error, gzip.BadGzipFile):
                    raise _damaged_gzip(self.path, f"after line {line}") from None
                self.counts += np.bincount(np.frombuffer(chunk, dtype=np.uint8), minlength=256)
                require(float(self.counts.sum()), self.memory, self.path, at_least=True)
                try:
                    text = decoder.decode(chunk, final=not chunk)
                except UnicodeDecodeError as error:
                    return line + error.object[: error.start].count(b"\n")
                if not chunk:
                    return None
                line += text.count("\n")


def _decoded_sample(head: bytes, encoding: str) -> str:
    return codecs.getincrementaldecoder(encoding)(errors="ignore").decode(head)
