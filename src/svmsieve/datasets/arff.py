"""ARFF, Weka's format: dense and sparse, numbers, categories, text and dates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from svmsieve.datasets.cost import A_COLUMN, A_TEXT, require
from svmsieve.datasets.errors import DataError, listed, plural, shown, shown_path
from svmsieve.datasets.first_look import FirstLook
from svmsieve.datasets.raw import Raw

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{]+)\s*(.+)$", re.IGNORECASE)
_FIELD = re.compile(rf"\s*({_QUOTED}|[^,]*?)\s*(?:,|$)")
_SPARSE = re.compile(rf"\s*(\d+)\s+({_QUOTED}|[^,\s]+)\s*(?:,|$)")
_NUMBERS = ("numeric", "real", "integer")


def _bare(text: str) -> str:
    """Return a name or value without its quotes and escapes."""
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text


def _fields(line: str) -> list[str]:
    """Split a row; quoted values keep their quotes, so that '?' in quotes is a value."""
    if "'" not in line and '"' not in line:
        return [field.strip() for field in line.split(",")]
    fields, place = [], 0
    while place < len(line):
        match = _FIELD.match(line, place)
        if match is None:
            raise DataError(f"a quoted value is not closed or not followed by a comma: {line[:40]}")
        fields.append(match[1])
        place = match.end()
    if line.endswith(","):
        fields.append("")
    return fields


def read_arff(found: FirstLook, *, missing: Sequence[str] = (), memory: float | None = None) -> Raw:
    """Read an ARFF file into a frame, or into a CSR matrix where it is sparse and all numbers."""
    # a field is text before it is a number; a row or an attribute is some lists, sets and dictionaries
    cost = A_TEXT * (found.fields(",") + 3.0 * found.lines) + 3.0 * found.characters
    require(cost, memory, found.path)
    raw = parse_arff(
        found.text_lines(),
        shown_path(found.path),
        missing,
        lambda rows, columns: require(
            cost + A_COLUMN * columns + A_TEXT * rows * columns, memory, found.path
        ),
    )
    raw.notes = [*found.notes, *raw.notes]
    return raw


def parse_arff(
    file: Iterable[str],
    name: str,
    missing: Sequence[str] = (),
    allow: Callable[[int, int], None] = lambda rows, columns: None,
) -> Raw:
    """Read the lines of an ARFF file; the name is for messages, ``allow`` refuses too large a frame."""
    marks = {"?", "", *missing}
    lines = _content(file)
    names, types = _header(lines, name)
    first = next(lines, None)
    if first is None:
        raise DataError(f"{name} has no rows after @data; give a file with data.")
    rows = _chain(first, lines)
    allow(0, len(names))
    if first[1].startswith("{"):
        return _sparse(rows, names, types, marks, name, allow)
    columns: list[list[str]] = [[] for _ in names]
    for number, line in rows:
        try:
            fields = _fields(line)
        except DataError as error:
            raise DataError(f"{name}, line {number}: {error}") from None
        if len(fields) != len(names):
            raise DataError(
                f"{name} has {plural(len(fields), 'field')} in line {number} where {len(names)} are "
                "expected; correct that line."
            )
        for column, field in zip(columns, fields, strict=True):
            column.append(field)
    values = [_column(column, types[i], names[i], marks, name) for i, column in enumerate(columns)]
    return _raw(pd.DataFrame(dict(enumerate(values))), names, types)


def _chain(first: tuple[int, str], rest: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    yield first
    yield from rest


def _content(file: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines that say something, with their numbers."""
    for number, line in enumerate(file, start=1):
        line = line.strip()
        if line and not line.startswith("%"):
            yield number, line


def _header(lines: Iterator[tuple[int, str]], name: str) -> tuple[list[str], list[Any]]:
    """Return names and types; a type is "number", "text", "date" or the list of categories."""
    names: list[str] = []
    types: list[Any] = []
    for number, line in lines:
        word = line.split(None, 1)[0].lower()
        if word == "@data":
            if not names:
                raise DataError(f"{name} declares no attributes before @data; give a whole file.")
            return names, types
        if word == "@relation":
            continue
        match = _ATTRIBUTE.match(line)
        if match is None:
            raise DataError(f"{name} has no @attribute or @data in line {number}; correct it.")
        names.append(_bare(match[1]))
        types.append(_type(match[2].strip(), names[-1], name))
    raise DataError(f"{name} has no @data; the file is cut short or not ARFF.")


def _type(text: str, attribute: str, name: str) -> Any:
    if text.startswith("{"):
        inside = text[1 : text.rindex("}")] if "}" in text else text[1:]
        return [_bare(field) for field in _fields(inside)]
    word = text.split()[0].lower()
    if word in _NUMBERS:
        return "number"
    if word == "string":
        return "text"
    if word == "date":
        return "date"
    raise DataError(
        f"{name}: the attribute {shown(attribute)} has the type {shown(word)}, which is not read; "
        "remove it or make it numeric, nominal, string or date."
    )


def _column(values: list[str], kind: Any, column: str, marks: set[str], name: str) -> Any:
    if kind == "number":
        return _numbers(values, column, marks, name)
    bare = [None if value in marks else _bare(value) for value in values]
    if isinstance(kind, list):
        _refuse_undeclared(bare, kind, column, name)
    return pd.Series(bare, dtype=object)


def _numbers(values: list[str], column: str, marks: set[str], name: str) -> Any:
    filled = ["nan" if value in marks else _bare(value) for value in values]
    try:
        numbers = np.array(filled, dtype=np.float64)
    except ValueError:
        row = next(i for i, value in enumerate(filled) if not _is_number(value))
        raise DataError(
            f"{name}: column {shown(column)} is declared numeric but holds {shown(filled[row])} in row "
            f"{row + 1}; correct it or declare it a missing value."
        ) from None
    whole = np.isfinite(numbers).all() and (np.abs(numbers) < 2**53).all()
    if whole and (numbers == np.round(numbers)).all():
        return pd.Series(numbers.astype(np.int64))
    return pd.Series(numbers)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _refuse_undeclared(values: list[str | None], levels: list[str], column: str, name: str) -> None:
    known = set(levels)
    for row, value in enumerate(values):
        if value is not None and value not in known:
            raise DataError(
                f"{name}: column {shown(column)} holds {shown(value)} in row {row + 1}, which is not "
                f"among its declared categories ({listed(levels)}); add it there."
            )


def _raw(X: Any, names: list[str], types: list[Any]) -> Raw:
    declared = {i: "category" for i, kind in enumerate(types) if isinstance(kind, list)}
    declared |= {i: "date" for i, kind in enumerate(types) if kind == "date"}
    return Raw(X, names, declared=declared, notes=["ARFF, kinds as it declares them."])


def _sparse(
    rows: Iterator[tuple[int, str]],
    names: list[str],
    types: list[Any],
    marks: set[str],
    name: str,
    allow: Callable[[int, int], None],
) -> Raw:
    """Read sparse rows: what is not mentioned is zero, or the first category."""
    d = len(names)
    cells: list[dict[int, str]] = []
    for number, line in rows:
        if not (line.startswith("{") and line.endswith("}")):
            raise DataError(f"{name} has a row without braces in line {number}; correct that line.")
        inside, row, place = line[1:-1].strip(), {}, 0
        while place < len(inside):
            match = _SPARSE.match(inside, place)
            if match is None or int(match[1]) >= d:
                raise DataError(
                    f"{name} has an entry in line {number} that is no pair of a column (0 to {d - 1}) and "
                    "a value; correct that line."
                )
            row[int(match[1])] = match[2]
            place = match.end()
        cells.append(row)
    numeric = {i for i, kind in enumerate(types) if kind == "number"}
    others = [i for i in range(d) if i not in numeric]
    if len(others) > 1:
        allow(len(cells), d)
        columns = {}
        for i, kind in enumerate(types):
            default = kind[0] if isinstance(kind, list) else "0"
            columns[i] = _column(
                [row.get(i, default) for row in cells], kind, names[i], marks, name
            )
        return _raw(pd.DataFrame(columns), names, types)
    X = sp.lil_matrix((len(cells), d))
    for r, row in enumerate(cells):
        keys = sorted(numeric & row.keys())
        X.rows[r] = keys
        X.data[r] = _numbers([row[i] for i in keys], f"row {r + 1}", marks, name).tolist()
    matrix = X.tocsr()
    if not others:
        return _raw(matrix, names, types)
    # the one column that is no number is the target
    i = others[0]
    kind = types[i]
    default = kind[0] if isinstance(kind, list) else "0"
    y = _column([row.get(i, default) for row in cells], kind, names[i], marks, name)
    rest = [j for j in range(d) if j != i]
    raw = _raw(matrix[:, rest], [names[j] for j in rest], [types[j] for j in rest])
    raw.y, raw.y_name = y, names[i]
    return raw
