"""Parquet, through pyarrow (the extra ``parquet``)."""

from __future__ import annotations

from importlib import import_module

import pandas as pd

from svmsieve.datasets.errors import DataError, shown
from svmsieve.datasets.first_look import Survey, require
from svmsieve.datasets.raw import Raw


def read_parquet(found: Survey, *, memory: float | None = None) -> Raw:
    """Read a Parquet file into a frame."""
    name = shown(found.path.name)
    try:
        pyarrow = import_module("pyarrow")
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        raise DataError(
            f"{name} is a Parquet file, which needs pyarrow; install svmsieve[parquet], or save the "
            "table as CSV."
        ) from None
    try:
        with parquet.ParquetFile(found.path) as file:
            shape = file.metadata.num_rows, file.metadata.num_columns
            require(2.0 * 8 * shape[0] * shape[1], memory, found.path)
            frame = file.read().to_pandas()
    except (pyarrow.ArrowException, OSError):
        raise DataError(f"{name} is a damaged Parquet file; copy or save it again.") from None
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    names = [str(column) for column in frame.columns]
    frame.columns = range(len(names))
    return Raw(frame, names, notes=["Parquet."])
