"""Row chunks: a data set that is looked at some rows at a time, wherever they are.

Whatever is computed over rows is a pure function of one chunk, defined at the top level of a module, and
a sum of its results in the order of the chunks.  So the answer is the same bit by bit whatever runs the
functions: a loop, threads, the workers of a cluster.  Random numbers are drawn for the number of a row in
the whole data set (:attr:`Chunk.start`), so that they do not depend on where the chunks are cut either.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix
from svmsieve.engine.machines.target import TargetScale
from svmsieve.inputs.scaling import Scale
from svmsieve.inputs.table import feature_names
from svmsieve.runtime.memory import check_memory
from svmsieve.runtime.threads import one_blas_thread

CHUNK_BYTES = 32 * 2**20
"""Bytes of a chunk unless the caller says otherwise; what is computed from it takes some times that."""


class Chunk(NamedTuple):
    """Some rows of a data set, in its order."""

    X: Matrix
    """float64, a C-ordered array or CSR; missing values are NaN."""
    y: Any
    """Labels of any kind, or numbers, as they are in the data."""
    weight: FloatArray | None
    """Weights of the rows; None where no row of the data set has one."""
    start: int
    """Number of the first row in the whole data set."""
    numbers: IntArray | None = None
    """Numbers of the rows, ascending, where some are left out between them; None: they follow each other."""
    groups: IntArray | None = None
    """Number of the group that each row belongs to (patients, batches); None where there are no groups."""

    @property
    def copies(self) -> FloatArray:
        """How many times each row counts: its weight, or one."""
        return np.ones(self.X.shape[0]) if self.weight is None else self.weight

    @property
    def rows(self) -> IntArray:
        """Numbers of the rows in the whole data set."""
        if self.numbers is not None:
            return self.numbers
        return np.arange(self.start, self.start + self.X.shape[0])

    def at(self, places: IntArray) -> Chunk:
        """Return the rows at some places, ascending, of this chunk."""
        weight = None if self.weight is None else self.weight[places]
        numbers = self.rows[places]
        start = int(numbers[0]) if len(numbers) else self.start
        groups = None if self.groups is None else self.groups[places]
        return Chunk(self.X[places], self.y[places], weight, start, numbers, groups)


Function = Callable[..., Any]
"""``function(chunk, *broadcast)``, pure and defined at the top level of a module."""


def run(function: Function, chunk: Chunk, *broadcast: Any) -> Any:
    """Call a function on a chunk with one BLAS thread, so that it rounds the same way everywhere.

    Every implementation of :meth:`Chunks.map` calls its function through this one.
    """
    with one_blas_thread():
        return function(chunk, *broadcast)


def add(one: Any, other: Any) -> Any:
    """Add up two results: arrays, numbers, whatever adds up, or tuples of them; None is nothing."""
    if one is None or other is None:
        return other if one is None else one
    if isinstance(one, tuple):
        return tuple(a + b for a, b in zip(one, other, strict=True))
    return one + other


class Chunks(ABC):
    """A data set in row chunks.

    Attributes
    ----------
    n_rows : rows of all chunks
    names : names of the columns
    """

    n_rows: int
    names: list[str]

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.names)

    @abstractmethod
    def map(self, function: Function, *broadcast: Any) -> Iterator[Any]:
        """Yield ``run(function, chunk, *broadcast)`` of each chunk, in the order of the chunks.

        ``broadcast`` is the same for all chunks and not to be written to.  Chunks without rows are left
        out.
        """

    def total(self, function: Function, *broadcast: Any) -> Any:
        """Return the sum of the results over the chunks: of arrays, of numbers, or of tuples of them."""
        return reduce(add, self.map(function, *broadcast))

    @property
    def density(self) -> float:
        """Share of the numbers below ``n_rows`` that are rows."""
        return 1.0

    def take(self, rows: IntArray) -> Chunk:
        """Return some rows (numbers, ascending; those there are) as one chunk; they must fit into memory."""
        parts = [part for part in self.total(_rows_of, rows) or [] if part.X.shape[0]]
        if not parts:
            raise ValueError("a part of the rows is empty; give more rows, or fewer folds.")
        if len(parts) == 1:
            only: Chunk = parts[0]
            return only
        matrices = [part.X for part in parts]
        weight = groups = None
        if parts[0].weight is not None:
            weight = np.concatenate([part.weight for part in parts])
        if parts[0].groups is not None:
            groups = np.concatenate([part.groups for part in parts])
        return Chunk(
            sp.vstack(matrices, format="csr")
            if sp.issparse(matrices[0])
            else np.concatenate(matrices),
            np.concatenate([part.y for part in parts]),
            weight,
            parts[0].start,
            np.concatenate([part.rows for part in parts]),
            groups,
        )

    def sample(self, n: int, seed: int | Sequence[int]) -> Chunk:
        """Return ``n`` rows (all, where there are no more) drawn without replacement, in their order.

        They depend on the seed and the number of rows, not on the chunks.  Where not all numbers are rows
        more are drawn, and there may be somewhat fewer.
        """
        rng = np.random.default_rng(seed)
        wanted = n if self.density == 1.0 else int(_MORE * n / self.density)
        if wanted >= self.n_rows:
            rows = np.arange(self.n_rows)
        else:
            rows = np.sort(rng.choice(self.n_rows, wanted, replace=False, shuffle=False))
        taken = self.take(rows)
        if taken.X.shape[0] <= n:
            return taken
        return taken.at(np.sort(rng.choice(taken.X.shape[0], n, replace=False, shuffle=False)))


_MORE = 1.1
"""Rows that are drawn for each that is wanted, where not all numbers are rows."""


def _rows_of(chunk: Chunk, rows: IntArray) -> list[Chunk]:
    """The rows of a chunk that are wanted, in a list: lists add up to longer ones."""
    own = chunk.rows
    first, stop = np.searchsorted(rows, [own[0], own[-1] + 1])
    places = np.flatnonzero(np.isin(own, rows[first:stop], assume_unique=True))
    if len(places) == len(own):
        return [chunk]
    return [chunk.at(places)] if len(places) else []


class RowChunks(Chunks):
    """An array or CSR matrix in memory, looked at some rows at a time.

    Parameters
    ----------
    X : array or CSR matrix of numbers; float32 stays float32, a chunk at a time is made double precision
    y : labels or numbers
    weight : weights of the rows
    names : names of the columns; x0, x1, … without them
    memory : bytes of a dense chunk
    groups : number of the group of each row

    Examples
    --------
    >>> chunks = RowChunks(np.eye(3), np.array([0, 1, 1]), memory=48)
    >>> [chunk.X.shape for chunk in chunks.map(lambda chunk: chunk)]
    [(2, 3), (1, 3)]
    """

    def __init__(
        self,
        X: Matrix,
        y: Any,
        weight: FloatArray | None = None,
        names: list[str] | None = None,
        memory: float = CHUNK_BYTES,
        groups: IntArray | None = None,
    ) -> None:
        self.X, self.y, self.weight, self.groups = X, np.asarray(y), weight, groups
        self.n_rows = int(X.shape[0])
        self.names = feature_names(X) if names is None else list(names)
        self.size = rows_of_chunk(self.n_features, memory)

    def map(self, function: Function, *broadcast: Any) -> Iterator[Any]:
        """Run the function on one chunk after the other."""
        for start in range(0, self.n_rows, self.size):
            rows = slice(start, start + self.size)
            weight = None if self.weight is None else self.weight[rows]
            groups = None if self.groups is None else self.groups[rows]
            X = self.X[rows].astype(np.float64, copy=False)
            chunk = Chunk(X, self.y[rows], weight, start, groups=groups)
            yield run(function, chunk, *broadcast)


def rows_of_chunk(n_features: int, memory: float = CHUNK_BYTES) -> int:
    """Return how many dense rows make a chunk of some bytes."""
    return max(1, int((check_memory(memory) or CHUNK_BYTES) / (8 * max(n_features, 1))))


class SeenThrough(Chunks):
    """Chunks of others, wherever they are, each seen through a function."""

    chunks: Chunks

    @property
    def n_rows(self) -> int:  # type: ignore[override]
        """Rows of all chunks."""
        return self.chunks.n_rows

    @property
    def names(self) -> list[str]:  # type: ignore[override]
        """Names of the columns."""
        return self.chunks.names

    @property
    def density(self) -> float:
        """Share of the row numbers that are rows."""
        return self.chunks.density

    @abstractmethod
    def through(self) -> tuple[Any, ...]:
        """Return the function, and what it is given between a chunk and the question asked of it.

        It ends by calling that question; None where nothing is left of a chunk.
        """

    def map(self, function: Function, *broadcast: Any) -> Iterator[Any]:
        """Run the function on what is left of each chunk, where it is."""
        results = self.chunks.map(*self.through(), function, *broadcast)
        return (result for result in results if result is not None)

    def total(self, function: Function, *broadcast: Any) -> Any:
        """Add up where the chunks do."""
        return self.chunks.total(*self.through(), function, *broadcast)


@dataclass(frozen=True)
class PreparedChunks(SeenThrough):
    """Chunks with some of their columns, missing values filled and scaled, wherever the chunks are.

    The scale is that of *all* columns of the chunks it is made of; ``target_scale`` None leaves the target
    as it is.
    """

    chunks: Chunks
    scale: Scale
    columns: IntArray
    target_scale: TargetScale | None = None

    @property
    def names(self) -> list[str]:  # type: ignore[override]
        """Names of the columns."""
        return [self.chunks.names[column] for column in self.columns]

    def prepare(self, chunk: Chunk) -> Chunk:
        """Return a chunk as it came, prepared."""
        function, *preparation = self.through()
        prepared: Chunk = function(chunk, *preparation, _itself)
        return prepared

    def through(self) -> tuple[Any, ...]:
        """Fill and scale the chosen columns."""
        scale, columns = self.scale, self.columns
        fill = None if scale.fill is None else scale.fill[columns]
        part = Scale(scale.mean[columns], scale.deviation[columns], fill)
        whole = len(columns) == self.chunks.n_features
        return _prepared, part, self.target_scale, None if whole else columns


def restricted(chunks: Chunks, columns: IntArray) -> PreparedChunks:
    """Return some of the columns of row chunks."""
    if isinstance(chunks, PreparedChunks):
        return replace(chunks, columns=chunks.columns[columns])
    return PreparedChunks(chunks, Scale.none(chunks.n_features), columns)


def _prepared(
    chunk: Chunk,
    scale: Scale,
    target_scale: TargetScale | None,
    columns: IntArray | None,
    function: Function,
    *broadcast: Any,
) -> Any:
    X = chunk.X if columns is None else chunk.X[:, columns]
    y = chunk.y
    if target_scale is not None:
        y = target_scale.standardise(np.asarray(y, dtype=np.float64))
    return function(chunk._replace(X=scale.apply(X), y=y), *broadcast)


def _itself(chunk: Chunk) -> Chunk:
    return chunk
