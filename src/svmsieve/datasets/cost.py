"""How much memory a file takes to be read and understood: told before it is read, from counts.

The constants are measured peaks, rounded up (``tests/faults/test_memory_bombs.py`` holds them to it).
"""

from __future__ import annotations

from pathlib import Path

from svmsieve.datasets.errors import DataError, shown_path
from svmsieve.runtime.memory import DEFAULT_BUDGET, check_memory, human_size

A_NUMBER = 32
"""Bytes of a cell: its text's place while it is parsed, its value, and the copies that tell its kind."""
A_TEXT = 96
"""Bytes of a cell of text beside its characters."""
A_ROW = 64
"""Bytes of a row beside its cells: the target, and the numbers of the rows."""
A_LEVEL = 450
"""Bytes of a row while it is told what one column of text holds, if all its levels differ."""
A_COLUMN = 5000
"""Bytes of a column of a frame, whatever it holds."""
A_SPARSE_COLUMN = 600
"""Bytes of a column of a sparse matrix: its name, in lists and sets, and what is known of it."""
AN_ENTRY = 64
"""Bytes of an entry of a sparse matrix."""


def limit_of(memory: float | None) -> float:
    """Return the budget in bytes."""
    return check_memory(memory) or DEFAULT_BUDGET


def require(n_bytes: float, memory: float | None, path: Path, *, at_least: bool = False) -> None:
    """Refuse a file that would take more memory than the budget, before it is read."""
    limit = limit_of(memory)
    if n_bytes > limit:
        about = "more than" if at_least else "about"
        raise DataError(
            f"{shown_path(path)} would take {about} {human_size(n_bytes)}, over the memory budget of "
            f"{human_size(limit)}; raise memory, or keep fewer columns or rows."
        )


def frame_bytes(rows: float, columns: float, texts: float = 0, characters: float = 0) -> float:
    """Return the bytes of a frame, of which some columns are text with so many bytes of characters."""
    each = A_NUMBER * (columns - texts) + A_TEXT * texts + A_LEVEL * (texts > 0) + A_ROW
    return rows * each + A_COLUMN * columns + 3 * characters


def sparse_bytes(rows: float, columns: float, entries: float) -> float:
    """Return the bytes of a sparse matrix with a target."""
    return A_TEXT * rows + A_SPARSE_COLUMN * columns + AN_ENTRY * entries
