"""Data frames of a user as tables: understood as a file's columns are."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import pandas as pd

from svmsieve.datasets.errors import DataError, DataWarning
from svmsieve.datasets.raw import Raw
from svmsieve.datasets.table import Table
from svmsieve.datasets.target import TASKS
from svmsieve.datasets.understanding import understand_table


def table_of_frame(
    frame: Any,
    target: str | int | None,
    *,
    task: str | None = None,
    categorical: Sequence[str] = (),
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    groups: str | int | None = None,
) -> Table:
    """Return a data frame of pandas or polars as a table; parameters as for :func:`read_table`.

    >>> frame = pd.DataFrame({"height": [1.5, 2.5, 3.0, 4.0], "kind": ["a", "b", "a", "b"]})
    >>> table_of_frame(frame, "kind").kinds
    {'height': 'number'}
    """
    if task is not None and task not in TASKS:
        raise DataError(f"task must be 'classification' or 'regression', got {task!r}.")
    if hasattr(frame, "to_pandas") and not isinstance(frame, pd.DataFrame):
        frame = frame.to_pandas()
    if not isinstance(frame, pd.DataFrame):
        raise DataError(f"a data frame is needed, got {type(frame).__name__}.")
    if len(frame) == 0:
        raise DataError("the data frame has no rows; give one with data.")
    table = understand_table(
        raw_of_frame(frame), "the data frame", target, task, categorical, drop, keep, groups
    )
    for sentence in table.warnings:
        warnings.warn(sentence, DataWarning, stacklevel=2)
    return table


def raw_of_frame(frame: pd.DataFrame) -> Raw:
    """Return a data frame of pandas as a file's table before its columns are understood."""
    names = [str(name) for name in frame.columns]
    values = frame.reset_index(drop=True)
    values.columns = pd.RangeIndex(len(names))
    return Raw(values, names)
