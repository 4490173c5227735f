"""Feather (Arrow's own file format), through pyarrow (the extra ``parquet``)."""

from __future__ import annotations

import struct
from importlib import import_module
from typing import Any, NamedTuple

from svmsieve.datasets.cost import frame_bytes, require
from svmsieve.datasets.errors import DataError, shown_path
from svmsieve.datasets.first_look import FirstLook
from svmsieve.datasets.parquet import frame_of_arrow, is_number, text_bytes
from svmsieve.datasets.raw import Raw

_START = 8
"""Bytes before the first message: the magic and its padding."""
_DICTIONARY, _ROWS = 2, 3
"""Types of the messages that hold values."""


def read_feather(found: FirstLook, *, memory: float | None = None) -> Raw:
    """Read a Feather file into a frame."""
    name = shown_path(found.path)
    try:
        pyarrow = import_module("pyarrow")
    except ImportError:
        raise DataError(
            f"{name} is a Feather file, which needs pyarrow; install svmsieve[parquet], or save the table "
            "as CSV."
        ) from None
    require(3.0 * found.size, memory, found.path)
    where = "in its beginning"
    try:
        batches, rows, n_bytes = _declared(pyarrow, found)
        where = "in its footer"
        with pyarrow.ipc.open_file(str(found.path)) as file:
            schema = file.schema
            if file.num_record_batches != batches:
                raise KeyError("rows were lost")
        others = sum(not is_number(pyarrow, field.type) for field in schema)
        cost = frame_bytes(rows, len(schema.names), others) + 3.0 * n_bytes
        require(cost, memory, found.path)
        where = "in its columns"
        # what was counted is read, not what the footer points to
        with pyarrow.OSFile(str(found.path)) as file:
            file.seek(_START)
            table = pyarrow.ipc.open_stream(file).read_all()
        table.validate(full=True)
        require(cost + 3 * text_bytes(pyarrow, table), memory, found.path)
        nested = [i for i, field in enumerate(schema) if pyarrow.types.is_nested(field.type)]
        flat = [i for i in range(len(schema.names)) if i not in nested]
        frame, names = frame_of_arrow(table.select(flat), schema, nested)
    except DataError:
        raise
    except (pyarrow.ArrowException, OSError, KeyError, TypeError, ValueError, struct.error):
        raise DataError(
            f"{name} is a damaged Feather file, {where}; copy or save it again."
        ) from None
    return Raw(frame, names, notes=["Feather."])


def _declared(pyarrow: Any, found: FirstLook) -> tuple[int, float, float]:
    """Return how many batches of rows there are, their rows, and the bytes of all values uncompressed.

    A compressed buffer begins with its length; nothing is uncompressed here.
    """
    batches, rows, n_bytes = 0, 0.0, 0.0
    with pyarrow.OSFile(str(found.path)) as file:
        file.seek(_START)
        for message in pyarrow.ipc.MessageReader.open_stream(file):
            head = _Part(message.metadata.to_pybytes(), 0).table()
            kind = head.number(1, "B")
            if kind not in (_DICTIONARY, _ROWS):
                continue
            batch = head.part(2).table()
            if kind == _ROWS:
                batches += 1
                rows += max(0, batch.number(0, "q"))
            else:
                batch = batch.part(1).table()
            compressed = batch.place(3) > 0
            for offset, size in batch.part(2).pairs():
                declared = size
                if compressed and size >= 8:
                    (declared,) = struct.unpack(
                        "<q", message.body[offset : offset + 8].to_pybytes()
                    )
                n_bytes += max(declared, size, 0)
    if rows > 8 * n_bytes:  # a value takes a bit at least
        raise KeyError("more rows than values")
    return batches, rows, n_bytes


class _Part(NamedTuple):
    """A place in a description that is written as a flat buffer, as Arrow's messages are."""

    data: bytes
    at: int

    def _read(self, form: str, at: int) -> int:
        (value,) = struct.unpack_from(f"<{form}", self.data, at)
        return int(value)

    def table(self) -> _Part:
        """Follow the offset that stands here."""
        return _Part(self.data, self.at + self._read("I", self.at))

    def place(self, field: int) -> int:
        """Return where a field of the table is, 0 where it has none."""
        fields = self.at - self._read("i", self.at)
        if 4 + 2 * field >= self._read("H", fields):
            return 0
        offset = self._read("H", fields + 4 + 2 * field)
        return self.at + offset if offset else 0

    def number(self, field: int, form: str) -> int:
        """Return a number of the table, 0 where it is not written."""
        at = self.place(field)
        return self._read(form, at) if at else 0

    def part(self, field: int) -> _Part:
        """Return where a field begins that must be there."""
        at = self.place(field)
        if not at:
            raise KeyError(field)
        return _Part(self.data, at)

    def pairs(self) -> list[tuple[int, int]]:
        """Return the pairs of numbers of the vector whose offset stands here."""
        vector = self.table()
        count = self._read("I", vector.at)
        numbers = struct.unpack_from(f"<{2 * count}q", self.data, vector.at + 4)
        return list(zip(numbers[::2], numbers[1::2], strict=True))
