"""CSV and its kin: delimiter, decimal sign and header are found out."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pandas as pd

from svmsieve.datasets.cost import frame_bytes, require
from svmsieve.datasets.errors import DataError, plural, shown_path
from svmsieve.datasets.first_look import FirstLook, TextLines
from svmsieve.datasets.raw import MISSING, Raw, unique_names
from svmsieve.datasets.written_numbers import OTHER, decimal_shown, number_of

_ROWS_LOOKED_AT = 200
_FIELDS_LOOKED_AT = 20_000
_FIELD_LIMIT = 2**24
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}


@dataclass(frozen=True)
class Dialect:
    """How a delimited file is written; whether its decimal sign shows or is the usual one."""

    delimiter: str
    decimal: str
    header: bool
    shows_decimal: bool = False

    def records(self, lines: Iterable[str]) -> Iterator[list[str]]:
        """Yield the fields of each record that is not blank."""
        csv.field_size_limit(_FIELD_LIMIT)
        spaced = map(_one_space, lines) if self.delimiter == " " else lines
        for record in csv.reader(spaced, delimiter=self.delimiter, skipinitialspace=True):
            if isinstance(lines, TextLines):
                lines.begin_record()
            if any(field.strip() for field in record):
                yield record


def _lines(text: str) -> list[str]:
    """Split at line ends as files do, and not at the many characters that str.splitlines knows."""
    return list(io.StringIO(text, newline=""))


def _one_space(line: str) -> str:
    return re.sub(r"[ \t]+", " ", line.strip()) + "\n"


def read_delimited(
    found: FirstLook,
    dialect: Dialect,
    *,
    missing: Sequence[str] = (),
    texts: Collection[str] = (),
    memory: float | None = None,
) -> Raw:
    """Read a delimited file into a frame.

    Columns named in ``texts`` are left as they are written: ``"007"`` is not 7.
    """
    name = shown_path(found.path)
    try:
        return _read(found, dialect, tuple(missing), set(texts), memory, name)
    except csv.Error as error:
        raise DataError(
            f"{name} is not delimited text ({error}); check its quotes and its delimiter."
        ) from None


def _read(
    found: FirstLook,
    dialect: Dialect,
    missing: tuple[str, ...],
    texts: set[str],
    memory: float | None,
    name: str,
) -> Raw:
    first = list(_take(dialect.records(_lines(found.sample)), 3))
    width = len(first[0])
    notes = [*found.notes, _in_words(dialect)]
    separators = " \t" if dialect.delimiter == " " else dialect.delimiter
    # short lines are filled up, and a longer one is split before it is refused
    rows = max(found.lines, found.fields(separators) / width)
    require(frame_bytes(rows, width) + found.characters, memory, found.path)
    with found.open_text() as file:
        names = [f"column {i + 1}" for i in range(width)]
        if dialect.header:
            names = next(dialect.records(TextLines(file, found)))
            if len(first) < 2:
                raise DataError(f"{name} has a header but no rows; give a file with data.")
            if all(len(record) == width + 1 for record in first[1:]):
                if any(record[-1].strip() for record in first[1:]):
                    names = ["row name", *names]
                    notes.append("the first column has no name in the header: it is 'row name'.")
                else:  # a delimiter at the end of each row
                    names = [*names, ""]
        types = {i: str for i, each in enumerate(unique_names(names)[0]) if each in texts}
        marks = [*MISSING, *missing]
        # an empty dictionary of types is slow
        frame = _parse(file, dialect, len(names), dtype=types or None, na_values=marks)
    # pandas fills short rows up silently: they show as a missing last field
    if frame is None or frame.iloc[:, -1].isna().any():
        _refuse_ragged(found, dialect, len(names), name)
    if frame is None:
        raise DataError(f"{name} has a quote that is never closed; close or remove it.")
    texts_read = sum(not pd.api.types.is_numeric_dtype(dtype) for dtype in frame.dtypes)
    if texts_read:
        cost = frame_bytes(len(frame), width, texts_read, found.characters)
        require(cost, memory, found.path)
    sign = dialect.decimal if dialect.shows_decimal else ""

    def as_written(i: int) -> Any:
        with found.open_text() as file:
            if dialect.header:
                next(dialect.records(TextLines(file, found)))
            fields = _parse(file, dialect, len(names), dtype=str, usecols=[i], na_filter=False)
            return fields.iloc[:, 0].str.strip()

    return Raw(frame, names, decimal=sign, as_written=as_written, notes=notes)


def _parse(file: Any, dialect: Dialect, width: int, **options: Any) -> Any:
    """Return the frame, None where pandas finds rows of different lengths."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            return pd.read_csv(
                file,
                sep=r"\s+" if dialect.delimiter == " " else dialect.delimiter,
                decimal=dialect.decimal,
                header=None,
                names=range(width),
                index_col=False,
                skipinitialspace=True,
                low_memory=False,
                **options,
            )
    except (pd.errors.ParserError, pd.errors.ParserWarning):
        return None


def _refuse_ragged(found: FirstLook, dialect: Dialect, width: int, name: str) -> None:
    """Raise for the first row that has more or fewer fields than the header."""
    with found.open_text() as file:
        lines = TextLines(file, found)
        for number, record in enumerate(dialect.records(lines)):
            if number == 0 and dialect.header:
                continue
            if len(record) != width:
                raise DataError(
                    f"{name} has {plural(len(record), 'field')} in line {lines.number} where {width} "
                    "are expected; correct that line, or say the right delimiter."
                )


def _take(records: Iterator[list[str]], most: int) -> Iterator[list[str]]:
    for _, record in zip(range(most), records, strict=False):
        yield record


def _in_words(dialect: Dialect) -> str:
    delimiter = _NAMES.get(dialect.delimiter, repr(dialect.delimiter))
    decimal = {",": "comma", ".": "point"}[dialect.decimal]
    header = "with" if dialect.header else "without"
    return f"delimited by {delimiter}, decimal {decimal}, {header} a header."


def find_dialect(
    found: FirstLook,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    expected: Collection[Any] = (),
    usual: str = "",
) -> Dialect:
    """Find out how a delimited file is written; what the caller says is taken.

    Names that are ``expected`` tell a header from a row.  The ``usual`` decimal sign counts where none shows.
    """
    name = shown_path(found.path)
    lines = _lines(found.sample)
    if not found.whole and len(lines) > 1:
        lines = lines[:-1]
    if delimiter is None:
        delimiter = _find_delimiter(lines, name)
    elif len(delimiter) != 1 or delimiter in "\"\r\n'":
        raise DataError(f"delimiter must be one character, got {delimiter!r}.")
    if decimal not in (None, ".", ","):
        raise DataError(f"decimal must be '.' or ',', got {decimal!r}.")
    if decimal == delimiter:
        raise DataError(f"decimal and delimiter must differ, both are {delimiter!r}.")
    records = list(_take(Dialect(delimiter, ".", True).records(lines), _ROWS_LOOKED_AT))
    if not records:
        raise DataError(f"{name} is empty; give a file with a header and rows.")
    if len(records[0]) == 1 and all(len(record) == 1 for record in records):
        other = _find_delimiter(lines, name, fallback="")
        if other and other != delimiter:
            raise DataError(
                f"{name} has only one column with the delimiter {delimiter!r}; it seems to be "
                f"{other!r}."
            )
    shows = decimal is not None
    if decimal is None:
        decimal, shows = _find_decimal(delimiter, records, usual)
    if header is None:
        header = has_header(records, decimal, expected)
    return Dialect(delimiter, decimal, header, shows)


def _find_delimiter(lines: Sequence[str], name: str, fallback: str = ",") -> str:
    """Return the delimiter under which the first rows have most, and equally many, fields."""
    best: tuple[float, int, str] = (0.0, 1, fallback)
    for candidate in ";\t|,":
        try:
            records = list(_take(Dialect(candidate, ".", True).records(lines), _ROWS_LOOKED_AT))
        except csv.Error:
            continue
        widths = [len(record) for record in records]
        usual = max(set(widths), key=widths.count) if widths else 0
        if usual < 2 or (widths[0] not in (usual, usual - 1)):
            continue
        share = widths.count(usual) / len(widths)
        if candidate != "," and share > 0.9 and _explains_commas(records):
            return candidate
        if (share, usual) > best[:2]:
            best = (share, usual, candidate)
    if best[1] == 1:
        records = list(_take(Dialect(" ", ".", True).records(lines), _ROWS_LOOKED_AT))
        spaced = {len(record) for record in records}
        if len(spaced) == 1 and spaced.pop() > 1:
            return " "
    return best[2]


def _explains_commas(records: Sequence[Sequence[str]]) -> bool:
    """Whether commas inside the fields, if any, are those of numbers or stand in prose."""
    with_comma = [field for record in records for field in record if "," in field]
    fine = [f for f in with_comma if _is_written_number(f) or ", " in f]
    return len(fine) >= 0.9 * len(with_comma)


def _find_decimal(delimiter: str, records: Sequence[Sequence[str]], usual: str) -> tuple[str, bool]:
    """Return the sign that more fields show, and whether any does.

    1,234 shows none, but between semicolons its comma is the decimal sign: that is why they are there.
    """
    with_sign = (f for record in records for f in record if "," in f or "." in f)
    fields = list(islice(with_sign, _FIELDS_LOOKED_AT))
    signs = [decimal_shown(field) for field in fields]
    commas, points = signs.count(","), signs.count(".")
    if commas > points and delimiter != ",":
        return ",", True
    if points > commas:
        return ".", True
    if usual and usual != delimiter:
        return usual, True
    if delimiter == ";" and any("," in f and number_of(f, ",") is not None for f in fields):
        return ",", True
    return ".", False


def _is_number(field: str, decimal: str) -> bool:
    try:
        float(field.replace(decimal, "."))
    except ValueError:
        return _is_written_number(field) and "%" not in field
    return True


def _is_written_number(field: str) -> bool:
    return any(number_of(field, sign) is not None for sign in OTHER)


def has_header(records: Sequence[Sequence[str]], decimal: str, expected: Collection[Any]) -> bool:
    """Guess whether the first record holds names.

    It does if one that is expected is among them; it does not if it holds numbers only, if most of its
    fields are numbers with a fraction (years are names, 0.0371 is none), or if most of them turn up
    again further down in the same column.
    """
    first, rest = records[0], records[1:]
    if {field.strip() for field in first} & {name for name in expected if isinstance(name, str)}:
        return True
    filled = [field for field in first if field.strip()]
    if all(_is_number(field, decimal) for field in filled):
        return False
    fractions = [f for f in filled if decimal in f and _is_number(f, decimal)]
    if len(fractions) > len(filled) / 2:
        return False
    if not rest:
        return True
    looked_at = first[:_ROWS_LOOKED_AT]
    again = sum(
        any(i < len(record) and record[i] == field for record in rest)
        for i, field in enumerate(looked_at)
    )
    return again <= len(looked_at) / 2
