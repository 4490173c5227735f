"""Standard input as a file: ``-`` in place of a path."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from svmsieve.cli.options import parse_memory
from svmsieve.datasets import DataError
from svmsieve.datasets.cost import require
from svmsieve.datasets.errors import shown_path

NAME = "standard input"
_CHUNK = 2**20


@contextmanager
def given(file: Path, memory: str | None) -> Iterator[Path]:
    """Give the file; what comes in place of ``-`` is kept in one until the command ends."""
    if str(file) != "-":
        yield file
        return
    if sys.stdin is None or sys.stdin.isatty():
        raise DataError("- is standard input, and nothing is piped into it; give a file.")
    with tempfile.TemporaryDirectory(prefix="svmsieve-") as folder:
        kept = Path(folder) / NAME
        try:
            with kept.open("wb") as copy:
                _copy(sys.stdin.buffer, copy, kept, parse_memory(memory))
            yield kept
        except DataError as error:
            text = str(error).replace(shown_path(kept), NAME).replace(str(kept), NAME)
            raise DataError(text) from None


def _copy(source: IO[bytes], copy: IO[bytes], path: Path, memory: float | None) -> None:
    """Copy what is not larger than the budget."""
    size = 0.0
    while chunk := source.read(_CHUNK):
        size += len(chunk)
        require(size, memory, path, at_least=True)
        copy.write(chunk)
