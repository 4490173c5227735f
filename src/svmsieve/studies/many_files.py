"""Rows of many Parquet files: a sample of them is a table like a file's, all of them are encoded as it is."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from svmsieve.datasets import DataError, Table
from svmsieve.datasets.frames import raw_of_frame
from svmsieve.datasets.understanding import understand_like
from svmsieve.scale.dask_parts import computed_parts, counted_parts, delayed_parts, find_client
from svmsieve.studies.data import StudyData

TABLE_ROWS = 3_000
"""Rows that are drawn: what the columns hold is decided by them, and outer folds divide them."""


@dataclass(frozen=True)
class ManyFiles:
    """All rows of many files.

    Attributes
    ----------
    frame : a Dask data frame, not computed
    sizes : rows of its partitions
    """

    frame: Any
    sizes: list[int]

    @classmethod
    def read(cls, path: Path) -> ManyFiles:
        """Look at the Parquet files of a folder, or of a pattern."""
        import dask.dataframe as dd

        pattern = str(path / "**" / "*.parquet") if path.is_dir() else str(path)
        files = sorted(glob.glob(pattern, recursive=True))
        if not files:
            raise DataError(f"no Parquet file is at {path}.")
        _refuse_other_columns(files)
        try:
            frame = dd.read_parquet(files, split_row_groups="adaptive", blocksize="128MiB")
        except (ValueError, TypeError, RuntimeError) as error:
            raise DataError(f"{path} cannot be read as Parquet files: {error}") from error
        found = cls(frame, counted_parts(delayed_parts(frame), find_client()))
        if not found.n_rows:
            raise DataError(f"no row is in the Parquet files at {path}.")
        return found

    @property
    def n_rows(self) -> int:
        """Rows of all files."""
        return sum(self.sizes)

    def drawn(self, n: int, seed: int) -> pd.DataFrame:
        """Return some rows, drawn at random (all, where there are no more)."""
        import dask

        rows = np.arange(self.n_rows)
        if n < len(rows):
            rng = np.random.default_rng([seed, 0xD0A3])
            rows = np.sort(rng.choice(self.n_rows, n, replace=False, shuffle=False))
        take = dask.delayed(_rows_of)
        tasks, first = [], 0
        for part, size in zip(delayed_parts(self.frame), self.sizes, strict=True):
            here = rows[(rows >= first) & (rows < first + size)] - first
            first += size
            if len(here):
                tasks.append(take(part, here))
        return pd.concat(computed_parts(tasks, find_client()), ignore_index=True)

    def parts(self, columns: list[str] | None = None) -> Iterator[pd.DataFrame]:
        """Yield the rows, partition by partition, with some of the columns."""
        frame = self.frame if columns is None else self.frame[columns]
        client = find_client()
        for part in delayed_parts(frame):
            yield from computed_parts([part], client)

    def encoded(self, data: StudyData) -> tuple[Any, Any, Any]:
        """Return columns, target and groups of all rows (None: no groups), not computed.

        They are encoded as a table of some of the rows was.
        """
        table = data.table
        like = replace(table, X=table.X[:0], groups=None, ids={})
        encode = partial(_encoded, target=table.target, like=like, encoder=data.encoded.encoder)
        numbers = {name: np.dtype(np.float64) for name in data.encoded.names}
        kind = np.dtype(np.float64) if data.regression else np.asarray(table.y).dtype
        kind = np.dtype(object) if kind.kind == "U" else kind
        meta = pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in numbers.items()})
        meta[_TARGET] = pd.Series(dtype=kind)
        grouped = table.groups_name is not None
        if grouped:
            meta[_GROUPS] = pd.Series(dtype=self.frame.dtypes[table.groups_name])
        whole = self.frame.map_partitions(encode, meta=meta, enforce_metadata=False)
        groups = whole[_GROUPS] if grouped else None
        return whole[data.encoded.names], whole[_TARGET], groups


def _refuse_other_columns(files: list[str]) -> None:
    """Refuse files that are not Parquet, or whose columns are not those of the first."""
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    first: list[str] = []
    for file in files:
        try:
            names = parquet.read_schema(file).names
        except arrow.ArrowException:
            raise DataError(
                f"{file} is not a Parquet file, or is a damaged one; save it again."
            ) from None
        first = first or names
        if set(names) != set(first):
            column = sorted(set(names) ^ set(first))[0]
            has = "lacks" if column in first else "has"
            raise DataError(
                f"{file} {has} the column {column!r}, unlike {files[0]}; files that are read together must "
                "have the same columns."
            )


_TARGET, _GROUPS = "\0y", "\0g"
"""Names that target and groups have beside the encoded columns."""


def _rows_of(frame: pd.DataFrame, rows: Any) -> pd.DataFrame:
    return frame.iloc[rows]


def _encoded(frame: pd.DataFrame, *, target: str | None, like: Table, encoder: Any) -> pd.DataFrame:
    """Encode one partition; rows without a target are left out."""
    beside = [_TARGET] if like.groups_name is None else [_TARGET, _GROUPS]
    if len(frame) == 0:
        return pd.DataFrame(columns=[*encoder.get_feature_names_out(), *beside], dtype=np.float64)
    table = understand_like(raw_of_frame(frame), "a file of the folder", target, like)
    known = np.flatnonzero(~pd.isna(table.y))
    X = encoder.transform(table.X.iloc[known])
    y = np.asarray(table.y)[known]
    found = X.reset_index(drop=True)
    found[_TARGET] = y.astype(object) if y.dtype.kind == "U" else y
    if like.groups_name is not None:
        found[_GROUPS] = frame[like.groups_name].iloc[known].reset_index(drop=True)
    return found
