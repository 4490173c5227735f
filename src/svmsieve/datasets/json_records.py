"""JSON records: a list of objects, or one object a line; null is missing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from svmsieve.datasets.cells import frame_of_cells
from svmsieve.datasets.cost import A_TEXT, frame_bytes, require
from svmsieve.datasets.errors import DataError, shown_path
from svmsieve.datasets.first_look import FirstLook
from svmsieve.datasets.raw import Raw

_AN_OBJECT = 400
"""Bytes of an empty object with a few places, and of what becomes of its row."""
_A_VALUE = 160
"""Bytes of a value with its place in its object, or of a list."""


def read_json(found: FirstLook, *, missing: Sequence[str] = (), memory: float | None = None) -> Raw:
    """Read records into a frame; an object that lacks a name has a missing value there."""
    objects, names, values, lists = (float(found.counts[ord(each)]) for each in "{:,[")
    cost = _AN_OBJECT * objects + _A_VALUE * (max(names, values) + lists) + 3.0 * found.characters
    require(cost, memory, found.path)
    records = _records(found)
    for number, record in enumerate(records, 1):
        if not isinstance(record, dict):
            raise DataError(
                f"{shown_path(found.path)} holds {_kind(record)} in row {number} where a record "
                '({"name": value, …}) is expected; save it as a list of records.'
            )
    keys = list(dict.fromkeys(key for record in records for key in record))
    cost += frame_bytes(len(records), len(keys)) + A_TEXT * len(records)
    require(cost, memory, found.path)
    columns = ([record.get(key) for record in records] for key in keys)
    return Raw(frame_of_cells(columns, missing), keys, notes=[*found.notes, "JSON records."])


def _records(found: FirstLook) -> list[Any]:
    """Return the records, whatever they are."""
    lines = _Lines(found)
    by_line = found.sample.lstrip().startswith("{")
    name = shown_path(found.path)
    try:
        if by_line:
            return [json.loads(text) for text in lines if text.strip()]
        with found.open_text() as file:
            records = json.load(file)
    except json.JSONDecodeError as error:
        if by_line and lines.number == 1 and _is_one_object(found):
            records = {}
        else:
            line = lines.number if by_line else error.lineno
            raise DataError(
                f"{name} is damaged JSON in line {line} ({error.msg}); correct it or save it again."
            ) from None
    except RecursionError:
        raise DataError(
            f"{name} is nested too deeply for records, near line {lines.number or 1}; save it as a list of "
            "records."
        ) from None
    if isinstance(records, list):
        return records
    raise DataError(
        f"{name} holds {_kind(records)} from line 1, not records; save it as a list of records "
        '([{"name": value, …}, …]).'
    )


class _Lines:
    """The lines of a file, counted as they are read."""

    def __init__(self, found: FirstLook) -> None:
        self.found, self.number = found, 0

    def __iter__(self) -> Iterator[str]:
        for line in self.found.text_lines():
            self.number += 1
            yield line


def _is_one_object(found: FirstLook) -> bool:
    try:
        with found.open_text() as file:
            return isinstance(json.load(file), dict)
    except (ValueError, RecursionError):
        return False


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "a truth value"}
    return names.get(type(value), "null" if value is None else "a number")
