"""Parquet, through pyarrow (the extra ``parquet``)."""

from __future__ import annotations

from importlib import import_module
from json import JSONDecodeError
from typing import Any

import pandas as pd

from svmsieve.datasets.cost import frame_bytes, require
from svmsieve.datasets.errors import DataError, shown, shown_path
from svmsieve.datasets.first_look import FirstLook
from svmsieve.datasets.raw import Raw

_FOOTER = 32
"""Times that a footer's bytes are taken once it is read."""


def read_parquet(found: FirstLook, *, memory: float | None = None) -> Raw:
    """Read a Parquet file into a frame."""
    name = shown_path(found.path)
    try:
        pyarrow = import_module("pyarrow")
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        raise DataError(
            f"{name} is a Parquet file, which needs pyarrow; install svmsieve[parquet], or save the "
            "table as CSV."
        ) from None
    try:
        require(_FOOTER * _footer_bytes(found), memory, found.path)
        with parquet.ParquetFile(found.path) as file:
            schema = file.schema_arrow
            cost = _declared_bytes(pyarrow, file.metadata, schema)
        require(cost, memory, found.path)
        nested = [i for i, field in enumerate(schema) if pyarrow.types.is_nested(field.type)]
        texts = [field.name for field in schema if _is_text(pyarrow, field.type)]
        # Text is read as a dictionary, which repeats nothing: a string of a megabyte may stand in each row.
        with parquet.ParquetFile(found.path, read_dictionary=texts) as file:
            flat = [field.name for i, field in enumerate(schema) if i not in nested]
            table = file.read(columns=flat if nested else None)
        require(cost + 3 * text_bytes(pyarrow, table), memory, found.path)
        frame, names = frame_of_arrow(_decoded(table, texts), schema, nested)
    except (pyarrow.ArrowException, OSError, KeyError, UnicodeDecodeError, JSONDecodeError):
        where = _damaged_part(pyarrow, parquet, found)
        raise DataError(
            f"{name} is a damaged Parquet file, {where}; copy or save it again."
        ) from None
    return Raw(frame, names, notes=["Parquet."])


def frame_of_arrow(table: Any, schema: Any, nested: list[int]) -> tuple[pd.DataFrame, list[str]]:
    """Return the flat columns as a frame that counts from 0, with places for the nested ones, and names."""
    frame = table.to_pandas()
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    for i in nested:  # they are refused unless they are dropped, whatever they hold
        frame.insert(min(i, frame.shape[1]), schema.names[i], [()] * len(frame), True)
    names = [str(column) for column in frame.columns]
    frame.columns = range(len(names))
    return frame, names


def _damaged_part(pyarrow: Any, parquet: Any, found: FirstLook) -> str:
    """Return in words where a file cannot be read: in its footer, or in the first column that cannot."""
    try:
        with parquet.ParquetFile(found.path) as file:
            for column in file.schema_arrow.names:
                try:
                    file.read(columns=[column])
                except (pyarrow.ArrowException, OSError):
                    return f"in its column {shown(column)}"
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError):
        pass
    return "in its footer"


def _footer_bytes(found: FirstLook) -> int:
    """Return the length of what describes the file, which is read as one piece."""
    with found.path.open("rb") as file:
        file.seek(max(0, found.size - 8))
        return min(found.size, int.from_bytes(file.read(4), "little"))


def _declared_bytes(pyarrow: Any, metadata: Any, schema: Any) -> float:
    """Return the bytes of the frame but for its text, by the number of rows and the length of the pages."""
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    chunks = [group.column(i) for group in groups for i in range(group.num_columns)]
    pages = sum(max(0, chunk.total_uncompressed_size) for chunk in chunks)
    others = [field.type for field in schema if not is_number(pyarrow, field.type)]
    cost = frame_bytes(metadata.num_rows, len(schema.names), len(others))
    fixed = sum(each.byte_width for each in others if pyarrow.types.is_fixed_size_binary(each))
    return cost + 3.0 * pages + (3.0 * fixed + 8 * len(schema.names)) * metadata.num_rows


def is_number(pyarrow: Any, type: Any) -> bool:
    """Whether a type of Arrow is of numbers or booleans."""
    kinds = pyarrow.types
    return bool(kinds.is_integer(type) or kinds.is_floating(type) or kinds.is_boolean(type))


def _is_text(pyarrow: Any, type: Any) -> bool:
    return any(
        getattr(pyarrow.types, f"is_{kind}")(type)
        for kind in ("string", "large_string", "binary", "large_binary")
    )


def text_bytes(pyarrow: Any, table: Any) -> float:
    """Return the bytes of all text as Python holds it, repeated as often as it stands in the rows."""
    compute = import_module("pyarrow.compute")
    total = 0.0
    for column in table.columns:
        for chunk in column.chunks:
            if not pyarrow.types.is_dictionary(chunk.type):
                continue
            if not _is_text(pyarrow, chunk.type.value_type):
                continue
            lengths = compute.binary_length(chunk.dictionary).cast("float64")
            each = 1 if _is_ascii(compute, chunk.dictionary) else 4
            total += each * (compute.sum(lengths.take(chunk.indices)).as_py() or 0.0)
    return total


def _is_ascii(compute: Any, texts: Any) -> bool:
    if "string" not in str(texts.type):
        return True
    return compute.all(compute.string_is_ascii(texts)).as_py() is not False


def _decoded(table: Any, texts: list[str]) -> Any:
    """Return the table with the text that was read as a dictionary as text again."""
    columns = [
        column.cast(column.type.value_type) if name in texts else column
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    fields = [
        field.with_type(column.type) for field, column in zip(table.schema, columns, strict=True)
    ]
    schema = import_module("pyarrow").schema(fields, metadata=table.schema.metadata)
    return type(table).from_arrays(columns, schema=schema)
