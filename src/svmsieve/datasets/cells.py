"""Cells that carry their own types, as spreadsheets and JSON have them, as columns of a frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from svmsieve.datasets.raw import MISSING

_PANDAS = (
    "#N/A #NA -1.#IND -1.#QNAN -NaN -nan 1.#IND 1.#QNAN <NA> N/A NA NULL NaN None n/a nan null"
)
_ERRORS = "#DIV/0! #NAME? #NULL! #NUM! #REF! #VALUE!"
"""What a spreadsheet shows where a formula has no value."""
_MARKS = {*_PANDAS.split(), "#N/A N/A", *_ERRORS.split()}
"""Texts that are read as missing: those that pandas takes for it in a CSV file, too."""


def frame_of_cells(columns: Iterable[Sequence[Any]], missing: Sequence[str] = ()) -> pd.DataFrame:
    """Return a frame whose columns count from 0; marks of missing values among the texts are None.

    >>> frame_of_cells([[1, None, 3], ["a", "NA", "b"]]).isna().sum().tolist()
    [1, 1]
    """
    marks = {"", *MISSING, *_MARKS, *missing}
    return pd.DataFrame(
        {
            i: pd.Series([None if _text(each) in marks else each for each in column])
            for i, column in enumerate(columns)
        }
    )


def _text(value: Any) -> str | None:
    return value.strip() if isinstance(value, str) else None
