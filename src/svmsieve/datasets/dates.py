"""Dates and times of a column: told from other text, and on request turned into days."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from svmsieve.datasets.errors import DataError, shown
from svmsieve.engine.arrays import FloatArray

_TIME = r"(?P<time>[T ]\d{1,2}:\d{2}.*)?"
_YEAR_FIRST = re.compile(rf"^(?P<y>\d{{4}})[-/.](?P<m>\d{{1,2}})[-/.](?P<d>\d{{1,2}}){_TIME}$")
_YEAR_LAST = re.compile(
    rf"^(?P<a>\d{{1,2}})(?P<by>[-/.])(?P<b>\d{{1,2}})[-/.](?P<y>\d{{2}}|\d{{4}}){_TIME}$"
)
_CLOCK = re.compile(r"^\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?$")
_DATES = (_YEAR_FIRST, _YEAR_LAST, _CLOCK)
_LEAST_SHARE = 0.9
_DAY = np.timedelta64(1, "D")

NOT_ASKED = "holds dates; --dates (in Python dates=True) uses them as days since 1970"
OPEN_ORDER = "holds dates whose days and months cannot be told apart; write them as 2024-12-31"
READ = "holds dates, which were read as days since 1970-01-01"


def are_dates(levels: Sequence[str]) -> bool:
    """Whether nearly all of the different texts of a column are dates or times.

    >>> are_dates(["2024-12-31", "1.2.2024"]), are_dates(["1.2", "12"])
    (True, False)
    """
    found = sum(any(date.match(level) for date in _DATES) for level in levels)
    return found >= _LEAST_SHARE * len(levels)


def days(values: Any, name: str, rows: Any) -> FloatArray | None:
    """Return dates as days since 1970-01-01, durations and times of the day as days, missing ones NaN.

    None where days and months cannot be told apart: no first or second number is above 12, and no point
    (31.12.2024) says that the day is first.
    """
    if pd.api.types.is_timedelta64_dtype(values.dtype):
        return np.asarray(values.to_numpy() / _DAY, dtype=np.float64)
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        return _since_1970(values)
    present = values.notna().to_numpy()
    texts = [
        str(each).strip() if there else "" for each, there in zip(values, present, strict=True)
    ]
    order = _order(texts)
    if order is None:
        return None
    iso = pd.Series([_iso(text, order) for text in texts], dtype=object)
    parsed = pd.to_datetime(iso, format="ISO8601", errors="coerce", utc=True)
    wrong = np.flatnonzero(present & parsed.isna().to_numpy())
    if len(wrong):
        first = int(wrong[0])
        raise DataError(
            f"column {shown(name)} holds dates, but {shown(texts[first])} in row {rows(first)}; correct it, "
            "declare it missing, or leave out --dates."
        )
    return _since_1970(parsed)


def _since_1970(values: Any) -> FloatArray:
    naive = values.dt.tz_convert(None) if values.dt.tz is not None else values
    return np.asarray((naive.to_numpy() - np.datetime64("1970-01-01")) / _DAY, dtype=np.float64)


def _order(texts: Sequence[str]) -> str | None:
    """Return which of the first two numbers is the day: ``"a"``, ``"b"``, None where it does not show."""
    matches = [match for text in texts if (match := _YEAR_LAST.match(text))]
    if not matches:
        return "a"
    above = {part for match in matches for part in "ab" if int(match[part]) > 12}
    if not above and all(match["by"] == "." for match in matches):
        return "a"
    return above.pop() if len(above) == 1 else None


def _iso(text: str, order: str) -> str | None:
    """Return a date as ISO 8601 writes it; a time alone is one of the first day."""
    if _CLOCK.match(text):
        return f"1970-01-01T{_two_digits(text)}"
    match = _YEAR_FIRST.match(text)
    if match:
        year, month, day = match["y"], match["m"], match["d"]
    else:
        match = _YEAR_LAST.match(text)
        if not match:
            return None
        day, month = (match["a"], match["b"]) if order == "a" else (match["b"], match["a"])
        year = match["y"]
        if len(year) == 2:  # as everywhere: 69 is 1969
            year = ("19" if int(year) >= 69 else "20") + year
    time = (match["time"] or "").strip(" T")
    return f"{year}-{int(month):02}-{int(day):02}" + (f"T{_two_digits(time)}" if time else "")


def _two_digits(time: str) -> str:
    return f"0{time}" if time[1] == ":" else time
