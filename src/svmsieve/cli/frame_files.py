"""Frames as files: the ending of the name says in which format."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svmsieve.datasets import DataError
from svmsieve.datasets.formats import format_of_ending
from svmsieve.runtime.text import cell, one_line

if TYPE_CHECKING:
    import pandas as pd

_NEEDS = {"parquet": "pyarrow", "feather": "pyarrow", "excel": "openpyxl"}
_EXTRA = {"pyarrow": "parquet", "openpyxl": "excel"}
_DOCUMENTS = (
    ".pdf",
    ".doc",
    ".docx",
    ".odt",
    ".ppt",
    ".pptx",
    ".htm",
    ".html",
    ".png",
    ".jpg",
    ".svg",
)
_NOT_WRITTEN = (
    ".xls",
    ".ods",
    ".npy",
    ".pkl",
    ".pickle",
    ".joblib",
    ".rds",
    ".sav",
    ".dta",
    ".mat",
    ".zip",
)
_MOST_ROWS, _MOST_COLUMNS = 2**20 - 1, 2**14
"""Of a sheet, below its header."""


def require_writer(path: Path, form: str, option: str, shape: tuple[int, int] = (0, 0)) -> None:
    """Refuse a format whose library is missing, or that cannot hold so much, before the work."""
    needs = _NEEDS.get(form)
    if needs is not None and find_spec(needs) is None:
        raise DataError(
            f"{option} {one_line(path, 200)!r} needs {needs}; install svmsieve[{_EXTRA[needs]}], or choose "
            "another ending."
        )
    if form == "excel" and (shape[0] > _MOST_ROWS or shape[1] > _MOST_COLUMNS):
        raise DataError(
            f"{option} {one_line(path, 200)!r}: a sheet holds {_MOST_ROWS} rows and {_MOST_COLUMNS} columns, "
            f"not {shape[0]} and {shape[1]}; choose .csv or .parquet."
        )


def refuse_foreign_ending(path: Path, option: str) -> None:
    """Refuse a name that promises what is no table, or none that is written; text has any other."""
    if path.suffix.lower() in _DOCUMENTS + _NOT_WRITTEN:
        raise DataError(
            f"{option} {one_line(path, 200)!r} is a table, which is not written as {path.suffix}; choose "
            ".csv, .xlsx, .parquet, .feather or .json."
        )


def plain_form(path: Path, option: str) -> str:
    """Return the format of a list of results: CSV where the name promises nothing."""
    refuse_foreign_ending(path, option)
    form = format_of_ending(path) or "csv"
    if form in ("arff", "h5ad", "libsvm", "npz"):
        raise DataError(
            f"{option} {one_line(path, 200)!r} is not written as {path.suffix}; choose .csv, .xlsx, "
            ".parquet, .feather or .json."
        )
    require_writer(path, form, option)
    return form


def write_frame(
    path: Path, frame: pd.DataFrame, form: str, delimiter: str = ",", decimal: str = "."
) -> None:
    """Write a frame; in a table that spreadsheets open no text is a formula."""
    if form == "parquet":
        frame.to_parquet(path, index=False)
    elif form == "feather":
        frame.reset_index(drop=True).to_feather(path)
    elif form == "json":
        _write_json(path, frame)
    elif form == "excel":
        safe_texts(frame, _printable).to_excel(path, index=False, engine="openpyxl")
    else:
        safe_texts(frame, str).to_csv(
            path,
            index=False,
            sep=delimiter,
            decimal=decimal,
            compression="gzip" if path.suffix == ".gz" else None,
        )


def safe_texts(frame: pd.DataFrame, text: Any) -> pd.DataFrame:
    """Return the frame with its texts and names made safe for a spreadsheet."""
    import pandas as pd

    frame = frame.copy()
    for i, name in enumerate(frame.columns):
        column = frame.iloc[:, i]
        if not (pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column)):
            values = [None if pd.isna(v) else cell(text(v)) for v in column]
            frame[name] = pd.Series(values, dtype=object, index=frame.index)
    frame.columns = [cell(text(name)) for name in frame.columns]
    return frame


def _printable(value: Any) -> str:
    """Return a text without the control characters that a sheet cannot hold."""
    return "".join(c for c in str(value) if c >= " " or c in "\t\n\r")


def _write_json(path: Path, frame: pd.DataFrame) -> None:
    """Write records: a list of objects, or one a line by the ending; a missing value is null."""
    import pandas as pd

    columns = [
        [None if pd.isna(value) else value for value in frame.iloc[:, i].astype(object).tolist()]
        for i in range(frame.shape[1])
    ]
    names = [str(name) for name in frame.columns]
    records = [
        json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False, default=_plain)
        for row in zip(*columns, strict=True)
    ]
    lines = {".jsonl", ".ndjson"} & {suffix.lower() for suffix in path.suffixes}
    text = "\n".join(records) if lines else "[" + ",\n".join(records) + "]"
    path.write_text(text + "\n", encoding="utf-8")


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else str(value)
