"""What the columns of a table hold, and which of them are of no use to a selection."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from svmsieve.datasets.dates import NOT_ASKED, OPEN_ORDER, READ, are_dates, days
from svmsieve.datasets.errors import DataError, shown
from svmsieve.datasets.written_numbers import written_numbers
from svmsieve.engine.arrays import BoolArray

NUMBER, INTEGER, BOOLEAN, CATEGORY, DATE = "number", "integer", "boolean", "category", "date"

OPEN_COMMAS = (
    "looks like numbers whose commas may part thousands or be decimal signs; write 1,234 as 1234 or "
    "as 1.234, or give the decimal sign (--decimal, in Python decimal)"
)
"""What is said of text that could be two numbers."""

IDENTIFIER = "looks like an identifier"

LEAST_ROWS = 10
"""Rows below which all-different values are no sign of an identifier."""
LEAST_NUMBERS = 5
"""Different numbers that make a column one of numbers, in which text is a mistake."""

_ID_NAME = re.compile(
    r"^(row|sample|subject|patient|case|record|obs|observation|customer|user)?[\s_.-]*"
    r"(id|ids|index|idx|nr|no|number|name|uuid|guid|key|code)\.?$|^unnamed.*$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Column:
    """One column as it was understood.

    Attributes
    ----------
    values : an array or series of numbers (missing ones NaN), booleans, or a categorical
    kind : what it holds
    useless : why it cannot be used for a selection; empty where it can
    note : what was done to its text, or may be wrong with it
    """

    values: Any
    kind: str
    useless: str = ""
    note: str = ""


def understand(
    values: Any,
    name: str,
    *,
    declared: str = "",
    rows: Any = None,
    decimal: str = "",
    dates: bool = False,
) -> Column:
    """Tell what a column holds.

    Parameters
    ----------
    values : a pandas series, as the file's reader left it
    name : for messages
    declared : a kind that the file or the user declares
    rows : numbers of the rows for messages; None counts from 1
    decimal : sign in the file's numbers; empty where it is not known
    dates : dates become days; without it they are of no use
    """
    where = _row_namer(rows)
    times = (pd.api.types.is_datetime64_any_dtype, pd.api.types.is_timedelta64_dtype)
    if declared == DATE or any(is_time(values.dtype) for is_time in times):
        return _date(values, name, where, dates)
    if isinstance(values.dtype, pd.CategoricalDtype):
        values, declared = values.astype(object), declared or "category"
    if declared == "category":
        # 1.0 is 1: programs write whole numbers so once a value among them is missing.
        return _category(_as_text(values).replace(r"^(-?\d+)\.0+$", r"\1", regex=True))
    if pd.api.types.is_bool_dtype(values.dtype):
        return _boolean(values)
    if pd.api.types.is_complex_dtype(values.dtype):
        raise DataError(f"column {shown(name)} holds complex numbers; split or drop it.")
    if pd.api.types.is_numeric_dtype(values.dtype):
        return _numeric(values, name, where)
    column = _textual(values, name, where, decimal)
    return _date(values, name, where, dates) if column.kind == DATE else column


def _row_namer(rows: Any) -> Callable[[int], int]:
    return (lambda i: i + 1) if rows is None else (lambda i: int(rows[i]))


def _date(values: Any, name: str, where: Callable[[int], int], wanted: bool) -> Column:
    if not wanted:
        return Column(values, DATE, NOT_ASKED)
    found = days(values, name, where)
    if found is None:
        return Column(values, DATE, OPEN_ORDER)
    column = _numeric(pd.Series(found), name, where)
    useless = "" if column.useless == IDENTIFIER else column.useless  # it was asked for
    return Column(column.values, DATE, useless, READ)


def number_text(value: float) -> str:
    """Return a number as the name of a category: all its digits, no decimal point where it is whole.

    >>> number_text(1000001.0), number_text(0.5)
    ('1000001', '0.5')
    """
    value = float(value)
    return str(int(value)) if value.is_integer() else repr(value)


def _as_text(values: Any) -> Any:
    """Return values as text, missing ones as None."""
    missing = values.isna().to_numpy()
    if pd.api.types.is_float_dtype(values.dtype):
        texts = [number_text(value) for value in values.fillna(0.0)]
    else:
        texts = [str(value).strip() for value in values]
    return pd.Series(
        [None if gone else t for t, gone in zip(texts, missing, strict=True)], dtype=object
    )


def _category(texts: Any) -> Column:
    levels = sorted(texts.dropna().unique())
    values = pd.Series(pd.Categorical(texts, categories=levels))
    useless = ""
    if not levels:
        useless = "is empty"
    elif len(levels) == 1 and not texts.isna().any():
        useless = "is constant"
    return Column(values, CATEGORY, useless)


def _boolean(values: Any) -> Column:
    missing = values.isna().to_numpy()
    numbers = values.astype(object).where(~missing, False).to_numpy().astype(bool)
    kept = numbers[~missing]
    useless = "is empty" if not len(kept) else "is constant" if (kept == kept[0]).all() else ""
    if missing.any():
        return Column(pd.Series(np.where(missing, np.nan, numbers.astype(float))), BOOLEAN, useless)
    return Column(pd.Series(numbers), BOOLEAN, useless)


def _numeric(values: Any, name: str, where: Callable[[int], int]) -> Column:
    numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
    refuse_infinite(numbers, name, where)
    present = numbers[~np.isnan(numbers)]
    whole = pd.api.types.is_integer_dtype(values.dtype) or bool(
        (present == np.round(present)).all()
    )
    kind = INTEGER if whole and len(present) else NUMBER
    useless = ""
    if not len(present):
        useless = "is empty"
    elif present.min() == present.max():
        useless = "is constant"
    elif kind == INTEGER and len(present) == len(numbers) and _is_identifier(numbers, name):
        useless = IDENTIFIER
    exact = pd.api.types.is_integer_dtype(values.dtype) and len(present) == len(numbers)
    result = values.to_numpy(dtype=np.int64) if exact and abs(numbers).max() < 2**53 else numbers
    return Column(pd.Series(result), kind, useless)


def refuse_infinite(numbers: Any, name: str, where: Callable[[int], int]) -> None:
    """Refuse infinities by name and row."""
    infinite = np.isinf(numbers)
    if infinite.any():
        first = int(np.flatnonzero(infinite)[0])
        mark, option = ("inf", " inf") if numbers[first] > 0 else ("-inf", "=-inf")
        raise DataError(
            f"column {shown(name)} has an infinite value in row {where(first)}; correct it, or declare it "
            f"missing (--missing{option}, in Python missing=['{mark}'])."
        )


def _is_identifier(numbers: Any, name: str) -> bool:
    """Whether whole numbers count the rows, or are all different under a name that says so."""
    if len(numbers) < LEAST_ROWS:
        return False
    if (np.diff(numbers) == 1).all():
        return True
    return bool(_ID_NAME.match(name.strip())) and len(np.unique(numbers)) == len(numbers)


def _textual(values: Any, name: str, where: Callable[[int], int], decimal: str) -> Column:
    present = values.dropna()
    if not len(present):
        return Column(values, NUMBER, "is empty")
    if all(isinstance(value, bool | np.bool_) for value in present):
        return _boolean(values)
    if any(isinstance(value, list | tuple | dict | set | np.ndarray | bytes) for value in present):
        raise DataError(f"column {shown(name)} holds lists or bytes, not values; split or drop it.")
    texts = _as_text(values)
    levels = texts.dropna().unique()
    numbers = pd.to_numeric(pd.Series(levels, dtype=object), errors="coerce")
    is_number: BoolArray = numbers.notna().to_numpy()
    written = written_numbers(levels, decimal)
    if is_number.all() and written is None:
        return _numeric(pd.to_numeric(texts), name, where)
    if are_dates(levels):
        return Column(values, DATE)
    doubt = ""
    if written is not None:
        good = ~np.isnan(written.numbers)
        if not good.all():
            _refuse_mistake(levels, good, f"numbers with {written.marks}", texts, name, where)
        elif written.decimal:
            numbers = texts.map(dict(zip(levels, written.numbers, strict=True)))
            column = _numeric(numbers.astype(np.float64), name, where)
            return replace(column, note=f"had {written.marks}, which were taken out")
        else:
            doubt = OPEN_COMMAS
    _refuse_mistake(levels, is_number, "numbers", texts, name, where)
    column = _category(texts)
    if len(present) >= LEAST_ROWS and not column.useless:
        if len(levels) == len(values):
            return replace(column, useless=doubt or IDENTIFIER)
        if len(levels) > len(present) / 2:
            return replace(column, useless=doubt or "holds free text")
    return replace(column, note=doubt)


def _refuse_mistake(
    levels: Any, good: BoolArray, what: str, texts: Any, name: str, where: Callable[[int], int]
) -> None:
    """Refuse what is no number, by row, where most of the different texts are."""
    if good.sum() < max(LEAST_NUMBERS, len(levels) / 2):
        return
    wrong = levels[int(np.flatnonzero(~good)[0])]
    row = where(int(np.flatnonzero((texts == wrong).to_numpy())[0]))
    raise DataError(
        f"column {shown(name)} holds {what}, but {shown(wrong)} in row {row}; correct it, declare it "
        "missing, or declare the column categorical."
    )


def understand_numbers(frame: Any, names: list[str]) -> dict[int, Column]:
    """Tell what the complete columns of plain numbers hold, many at a time, by place.

    The same as :func:`understand` column by column, for tables of many thousand columns; columns with
    missing or infinite values, or of any other type, are not among the result.
    """
    result: dict[int, Column] = {}
    dtypes = frame.dtypes.to_numpy()
    for dtype in (np.dtype(np.float64), np.dtype(np.int64)):
        places = np.flatnonzero(dtypes == dtype)
        if not len(places):
            continue
        matrix = np.asfortranarray(frame.iloc[:, places].to_numpy())
        lower, upper = matrix.min(axis=0), matrix.max(axis=0)
        finite = np.isfinite(lower) & np.isfinite(upper)  # NaN propagates through both
        whole = np.ones(len(places), dtype=bool)
        if dtype.kind == "f":
            whole[finite] = (matrix[:, finite] == np.round(matrix[:, finite])).all(axis=0)
        small = (np.abs(lower.astype(float)) < 2**53) & (np.abs(upper.astype(float)) < 2**53)
        for j in np.flatnonzero(finite & small):
            name = names[places[j]]
            useless = ""
            if lower[j] == upper[j]:
                useless = "is constant"
            elif (
                whole[j]
                and upper[j] - lower[j] >= len(matrix) - 1  # else they cannot be all different
                and _is_identifier(matrix[:, j].astype(np.float64), name)
            ):
                useless = IDENTIFIER
            kind = INTEGER if whole[j] else NUMBER
            result[int(places[j])] = Column(matrix[:, j], kind, useless)
    return result
