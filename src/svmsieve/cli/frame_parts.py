"""Frames that are written part by part: all rows together need not fit into memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from svmsieve.cli.frame_files import safe_texts
from svmsieve.datasets import DataError
from svmsieve.datasets.formats import format_of_ending
from svmsieve.runtime.text import one_line


def form_of_parts(path: Path | None, option: str) -> str:
    """Return the format that parts are written in: CSV or Parquet."""
    form = "csv" if path is None else format_of_ending(path) or "csv"
    if form not in ("csv", "parquet"):
        raise DataError(
            f"{option} {one_line(path, 200)!r}: rows of many files are written as .csv or .parquet; choose "
            "one of these endings."
        )
    return form


@contextmanager
def written(path: Path | None, option: str) -> Iterator[Callable[[pd.DataFrame], None]]:
    """Give what writes one part after the other to a file, or prints it where there is none."""
    if form_of_parts(path, option) == "parquet":
        assert path is not None
        with _parquet(path) as write:
            yield write
        return
    with _text(path) as write:
        yield write


@contextmanager
def _text(path: Path | None) -> Iterator[Callable[[pd.DataFrame], None]]:
    file: Any = sys.stdout if path is None else path.open("w", encoding="utf-8", newline="")
    first = [True]

    def write(frame: pd.DataFrame) -> None:
        safe_texts(frame, str).to_csv(file, index=False, header=first[0])
        first[0] = False

    try:
        yield write
    finally:
        if path is not None:
            file.close()


@contextmanager
def _parquet(path: Path) -> Iterator[Callable[[pd.DataFrame], None]]:
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    writer: list[Any] = []

    def write(frame: pd.DataFrame) -> None:
        table = arrow.Table.from_pandas(frame, preserve_index=False)
        if not writer:
            writer.append(parquet.ParquetWriter(path, table.schema))
        writer[0].write_table(table.cast(writer[0].schema))

    try:
        yield write
    finally:
        for each in writer:
            each.close()
