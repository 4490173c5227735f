"""Parquet files as row chunks, read some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.runtime.ahead import one_ahead
from svmsieve.scale.chunks import CHUNK_BYTES, Chunk, Chunks, Function, rows_of_chunk, run
from svmsieve.scale.sample_groups import hashed_groups


class ParquetChunks(Chunks):
    """Parquet files of the same columns, one after the other, each read some rows at a time.

    Every pass reads the files again; in memory are one chunk and the next.

    Parameters
    ----------
    paths : the files, in the order of their rows; of a folder all its Parquet files, by name
    target : name of the column to predict
    weight : name of the column of the rows' weights, if there is one
    memory : bytes of a chunk
    groups : name of the column that says which rows belong together, if there is one
    """

    def __init__(
        self,
        paths: str | PathLike[str] | Sequence[str | PathLike[str]],
        target: str,
        weight: str | None = None,
        memory: float = CHUNK_BYTES,
        groups: str | None = None,
    ) -> None:
        try:
            self._arrow = import_module("pyarrow")
            self._parquet = import_module("pyarrow.parquet")
        except ImportError:
            raise ValueError("Parquet files need pyarrow; install svmsieve[parquet].") from None
        given = [paths] if isinstance(paths, str | PathLike) else paths
        self.paths = [file for path in given for file in _files(fspath(path))]
        if not self.paths:
            raise ValueError("paths must name at least one Parquet file.")
        self.target, self.weight, self.groups = target, weight, groups
        self.n_rows = 0
        self.names: list[str] = []
        for path in self.paths:
            self._look_at(path)
        if not self.n_rows:
            raise ValueError(f"paths must hold data: no row is in {', '.join(self.paths)}.")
        self.size = rows_of_chunk(self.n_features, memory)

    @contextmanager
    def _open(self, path: str) -> Iterator[Any]:
        """Open a file; one that is not Parquet is refused by name."""
        try:
            with self._parquet.ParquetFile(path) as file:
                yield file
        except (self._arrow.ArrowException, OSError) as error:
            if getattr(error, "errno", None) is not None:  # not there, or not to be read: says so
                raise
            raise ValueError(
                f"{path} is not a Parquet file, or is a damaged one; save it again."
            ) from None

    @property
    def _beside(self) -> list[str]:
        """Columns that are no features."""
        return [name for name in (self.target, self.weight, self.groups) if name is not None]

    def _look_at(self, path: str) -> None:
        """Count the rows of a file and check that its columns are numbers and the same everywhere."""
        with self._open(path) as file:
            schema, self.n_rows = file.schema_arrow, self.n_rows + file.metadata.num_rows
        for name in self._beside:
            if name not in schema.names:
                raise ValueError(f"{path} has no column {name!r}.")
        names = [name for name in schema.names if name not in self._beside]
        for name in names:
            if str(schema.field(name).type) not in _NUMBERS:
                raise ValueError(
                    f"column {name!r} of {path} must hold numbers, not {schema.field(name).type}; encode "
                    "it (for instance one-hot) or drop it."
                )
        if self.names and names != self.names:
            raise ValueError(f"{path} has other columns than {self.paths[0]}.")
        if not names:
            raise ValueError(f"{path} has no column besides the target.")
        self.names = names

    def map(self, function: Function, *broadcast: Any) -> Iterator[Any]:
        """Run one chunk after the other; the next is read meanwhile."""
        for chunk in one_ahead(self._chunks()):
            yield run(function, chunk, *broadcast)

    def _chunks(self) -> Iterator[Chunk]:
        """Read one chunk after the other."""
        start = 0
        columns = [*self.names, *self._beside]
        for path in self.paths:
            with self._open(path) as file:
                for batch in file.iter_batches(self.size, columns=columns):
                    if batch.num_rows:
                        yield self._chunk(batch, start)
                        start += batch.num_rows

    def _chunk(self, batch: Any, start: int) -> Chunk:
        X = np.empty((batch.num_rows, self.n_features))
        for i, name in enumerate(self.names):
            X[:, i] = _values(batch.column(name))
        weight: FloatArray | None = None
        if self.weight is not None:
            weight = np.asarray(_values(batch.column(self.weight)), dtype=np.float64)
        groups: IntArray | None = None
        if self.groups is not None:
            groups = hashed_groups(_values(batch.column(self.groups)), start)
        return Chunk(X, _values(batch.column(self.target)), weight, start, groups=groups)


def _files(path: str) -> list[str]:
    """Return the Parquet files of a folder, by name; a file as it is."""
    if not Path(path).is_dir():
        return [path]
    return sorted(str(file) for file in Path(path).rglob("*.parquet"))


_NUMBERS = {
    "bool",
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    "halffloat",
    "float",
    "double",
}


def _values(column: Any) -> Any:
    """The values of an Arrow column, NaN for nulls of a number."""
    return column.to_numpy(zero_copy_only=False)
