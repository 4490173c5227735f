"""Excel (.xlsx), through openpyxl (the extra ``excel``).

A workbook is a zip archive of XML: what it would take is counted before any of it is parsed, and what its
rows take again while they are read.
"""

from __future__ import annotations

import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from importlib import import_module
from typing import Any

from svmsieve.datasets.array_files import refuse_many_members
from svmsieve.datasets.cells import frame_of_cells
from svmsieve.datasets.cost import A_TEXT, frame_bytes, require
from svmsieve.datasets.delimited import has_header
from svmsieve.datasets.errors import DataError, listed, plural, shown, shown_path
from svmsieve.datasets.first_look import FirstLook
from svmsieve.datasets.raw import Raw

MOST_ROWS, MOST_COLUMNS = 2**20, 2**14
"""Of a sheet."""
_CHUNK = 2**20
_AN_ELEMENT = 120
"""Bytes of an element of XML, with its attributes, while it is parsed."""
_A_STYLE = 600
"""Bytes of an element of a part that is parsed whole, such as the styles."""
_SHEET = re.compile(r"xl/worksheets/[^/]*\.xml", re.IGNORECASE)
_TEXT = (".xml", ".rels")
_LOOKED_AT = 200
_DAMAGED = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    SyntaxError,  # the parser of XML raises a kind of it
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    ArithmeticError,
)
"""What openpyxl, zipfile and the parser of XML raise for bytes that make no sense."""


def read_excel(
    found: FirstLook,
    *,
    header: bool | None = None,
    expected: Collection[Any] = (),
    missing: Sequence[str] = (),
    memory: float | None = None,
) -> Raw:
    """Read the first sheet of a workbook that has rows; formulas count as what they last gave."""
    name = shown_path(found.path)
    try:
        openpyxl = import_module("openpyxl")
    except ImportError:
        raise DataError(
            f"{name} is an Excel file, which needs openpyxl; install svmsieve[excel], or save the table as "
            "CSV."
        ) from None
    where = "in its directory"
    try:
        refuse_many_members(found.path, "parts; save the table alone")
        with zipfile.ZipFile(found.path) as archive:
            base = 0.0
            for member in archive.infolist():  # any of them may be said to be a sheet
                where = f"in its part {shown(member.filename)}"
                base += _parsing_bytes(archive, member, found, memory)
        where = "in its sheets"
        with found.path.open("rb") as file:  # of a path openpyxl wants the ending
            title, rows, others = _first_sheet(openpyxl, file, found, base, memory)
    except DataError:
        raise
    except _DAMAGED:
        raise DataError(
            f"{name} is a damaged Excel file, {where}; open and save it again."
        ) from None
    raw = _table(rows, name, header, expected, missing)
    raw.notes.insert(0, f"Excel, sheet {shown(title)}.")
    if others:
        raw.warnings.append(
            f"only the sheet {shown(title)} was read, not {listed(others)}; save another as a file of "
            "its own to read that."
        )
    return raw


def _first_sheet(
    openpyxl: Any, file: Any, found: FirstLook, base: float, memory: float | None
) -> tuple[str, list[list[Any]], list[str]]:
    """Return the title and the rows of the first sheet that has any, and the titles of the others."""
    with warnings.catch_warnings():  # of styles and extensions, which do not matter here
        warnings.simplefilter("ignore")
        book = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
        try:
            for sheet in book.worksheets:
                if rows := _rows(sheet, found, base, memory):
                    others = [title for title in book.sheetnames if title != sheet.title]
                    return sheet.title, rows, others
        finally:
            book.close()
    raise DataError(f"{shown_path(found.path)} has no rows in any sheet; give a file with data.")


def _parsing_bytes(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, found: FirstLook, memory: float | None
) -> float:
    """Return the bytes that a part takes to be parsed, counted a piece at a time.

    A sheet is parsed row by row: it takes its longest row, and what is left of each row.
    """
    is_sheet = bool(_SHEET.fullmatch(member.filename))
    mark = b"<row" if is_sheet else b"<si" if "sharedStrings" in member.filename else b""
    elements = marks = current = longest = 0
    size = cost = 0.0
    before = b""
    with archive.open(member) as file:
        while chunk := file.read(_CHUNK):
            text = before + chunk
            # Excel writes neither; both would let a few bytes stand for many
            wide = b"\0" in chunk and member.filename.lower().endswith(_TEXT)
            if wide or b"<!DOCTYPE" in text or b"<!ENTITY" in text:
                raise ValueError("no plain XML")
            size += len(chunk)
            elements += chunk.count(b"<")
            if mark:
                pieces = chunk.split(mark)
                marks += (
                    len(pieces) - 1 + (mark in before[1 - len(mark) :] + chunk[: len(mark) - 1])
                )
                current += len(pieces[0])
                for piece in pieces[1:]:
                    longest, current = max(longest, current), len(piece)
                cost = _AN_ELEMENT * max(longest, current) / 4 + (_AN_ELEMENT + A_TEXT) * marks
            else:
                cost = _A_STYLE * elements
            require(cost + 4 * size * (not is_sheet), memory, found.path, at_least=True)
            before = chunk[-8:]
    return cost + 4 * size * (not is_sheet)


def _rows(sheet: Any, found: FirstLook, base: float, memory: float | None) -> list[list[Any]]:
    """Return the rows of a sheet that hold anything, each up to its last cell that does."""
    sheet.reset_dimensions()  # what the file says of them need not be true
    rows: list[list[Any]] = []
    width = characters = 0
    for number, cells in enumerate(sheet.iter_rows(values_only=True)):
        if number >= MOST_ROWS:
            raise DataError(
                f"{shown_path(found.path)} has a row beyond {MOST_ROWS} in its sheet {shown(sheet.title)}, "
                "more than a sheet has; save it again."
            )
        row = _trimmed(cells)
        if not row:
            continue
        rows.append(row)
        width = max(width, len(row))
        characters += sum(len(each) for each in row if isinstance(each, str))
        cost = base + frame_bytes(len(rows), width, len(rows) > 1, characters)
        require(cost, memory, found.path, at_least=True)
    return rows


def _trimmed(cells: Sequence[Any]) -> list[Any]:
    end = len(cells)
    while end and (cells[end - 1] is None or cells[end - 1] == ""):
        end -= 1
    return list(cells[:end])


def _table(
    rows: list[list[Any]],
    name: str,
    header: bool | None,
    expected: Collection[Any],
    missing: Sequence[str],
) -> Raw:
    """Return the rows as columns, named by the first of them; titles above the table are skipped."""
    width = max(map(len, rows))
    notes = []
    titles = 0
    if header is not False and width > 1:
        while titles < len(rows) - 1 and sum(each is not None for each in rows[titles]) == 1:
            titles += 1
        if titles:
            notes.append(f"{plural(titles, 'row')} above the table with a title alone skipped.")
    rows = rows[titles:]
    texts = [["" if each is None else str(each) for each in row] for row in rows[:_LOOKED_AT]]
    if header is None:
        header = has_header(texts, ".", expected)
    names = [f"column {i + 1}" for i in range(width)]
    if header:
        names = [*texts[0], *[""] * (width - len(texts[0]))]
        rows = rows[1:]
        if not rows:
            raise DataError(f"{name} has a header but no rows; give a file with data.")
    notes.append(f"{'with' if header else 'without'} a header.")
    columns: Iterator[list[Any]] = (
        [row[i] if i < len(row) else None for row in rows] for i in range(width)
    )
    return Raw(frame_of_cells(columns, missing), names, notes=notes)
