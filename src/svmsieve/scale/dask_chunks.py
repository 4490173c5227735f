"""Row chunks that are the partitions of a Dask array or data frame, worked on where they are.

Nothing is loaded here: a pass over the rows is one task for each partition, on the workers of the user's
cluster, or one after the other in this process where there is no client.  A client is passed in or found,
never made.  What all partitions of a pass share is sent to the workers once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmsieve.inputs.table import is_dask
from svmsieve.runtime.ahead import one_ahead
from svmsieve.runtime.cluster_loops import in_task
from svmsieve.runtime.cluster_loss import ATTEMPTS, go_on_after, watching
from svmsieve.scale.chunks import CHUNK_BYTES, Chunk, Chunks, Function, add, rows_of_chunk, run
from svmsieve.scale.dask_parts import (
    Beside,
    _alongside,
    _joined,
    _labels,
    _matrix,
    _refuse_columns,
    _sizes,
    counted_parts,
    delayed_parts,
    find_client,
)
from svmsieve.scale.sample_groups import hashed_groups

_AHEAD = 3
"""Partitions for each core that are under way while results are waited for."""
_FAN_IN = 8
"""Partial sums that are added up in one task."""


def as_chunks(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    groups: Any = None,
    client: Any = None,
    memory: float = CHUNK_BYTES,
    progress: Callable[[], None] | None = None,
) -> DaskChunks:
    """Return a Dask array or data frame, with its target alongside, as row chunks.

    Parameters
    ----------
    X : Dask array of two dimensions (of NumPy arrays or SciPy CSR matrices), or data frame of numbers
    y : Dask array or series with the same partitions, or an array in memory
    sample_weight : like y, or None
    groups : label of the group of each row, like y, or None
    client : of the cluster to work on; None takes the one joblib was configured with, or Dask's current
        one; without any the partitions are worked on in this process
    memory : bytes of a dense chunk; larger partitions are worked on in parts
    progress : called after each partition, or each pass that adds up on the workers

    Examples
    --------
    >>> import dask.array as da
    >>> chunks = as_chunks(da.ones((5, 2), chunks=(2, 2)), np.arange(5))
    >>> [chunk.start for chunk in chunks.map(lambda chunk: chunk)]
    [0, 2, 4]
    """
    if not is_dask(X):
        raise ValueError(f"X must be a Dask array or data frame, got {type(X).__name__}.")
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions (samples, features), got {X.ndim}.")
    client = find_client() if client is None else client
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
    if names is not None:
        _refuse_columns(X)
    else:
        names = [f"x{i}" for i in range(X.shape[1])]
        X = X.rechunk({1: -1}) if len(X.chunks[1]) > 1 else X
    tables = delayed_parts(X)
    beside: Beside = {"y": y, "sample_weight": sample_weight, "groups of samples": groups}
    if hasattr(X, "columns"):
        tables, beside = _joined(X, beside)
        sizes = counted_parts(tables, client)
    else:
        sizes = _sizes(X, client)
    if sum(sizes) < 2:
        raise ValueError(f"X must hold at least two samples, got {sum(sizes)}.")
    columns = [
        tables,
        *(_alongside(values, sizes, what, client) for what, values in beside.items()),
    ]
    starts = np.cumsum([0, *sizes[:-1]]).tolist()
    parts = [
        _Part(own, start, size)
        for own, start, size in zip(zip(*columns, strict=True), starts, sizes, strict=True)
        if size
    ]
    return DaskChunks(parts, names, client, memory, progress)


class _Part:
    """One partition: X, y, weights and groups of its rows, not computed yet, and where they are."""

    def __init__(self, columns: tuple[Any, ...], start: int, size: int) -> None:
        self.columns = columns
        self.start, self.size = start, size


class DaskChunks(Chunks):
    """Partitions of Dask collections as row chunks; made by :func:`as_chunks`."""

    def __init__(
        self,
        parts: list[_Part],
        names: list[str],
        client: Any,
        memory: float,
        progress: Callable[[], None] | None,
    ) -> None:
        self.parts, self.names, self.client = parts, names, client
        self.n_rows = sum(part.size for part in parts)
        self.size = rows_of_chunk(len(names), memory)
        self._progress = progress

    def map(self, function: Function, *broadcast: Any) -> Iterator[Any]:
        """Run the function on the chunks of each partition, partitions at a time, results in order."""
        for results in self._each(_run_part, function, broadcast):
            self._advance()
            yield from results

    def total(self, function: Function, *broadcast: Any) -> Any:
        """Add up on the workers: the chunks of a partition, then partitions in a tree of fixed shape."""
        if self.client is None:
            sums = list(self._each(_sum_part, function, broadcast))
            while len(sums) > 1:
                sums = [_sum(*sums[at : at + _FAN_IN]) for at in range(0, len(sums), _FAN_IN)]
            self._advance()
            return sums[0]
        import dask

        add_up = dask.delayed(_sum, pure=False)

        def graph(shared: Any) -> Any:
            sums = [self._task(_sum_part, part, function, shared) for part in self.parts]
            while len(sums) > 1:
                sums = [add_up(*sums[at : at + _FAN_IN]) for at in range(0, len(sums), _FAN_IN)]
            return sums[0]

        for attempt in range(ATTEMPTS):
            try:
                future = self.client.compute(graph(self._sent(broadcast)))
                with watching(self.client, partial(list, [future])):
                    result = future.result()
                self._advance()
                return result
            except Exception as error:
                go_on_after(error, self.client, attempt)
        raise AssertionError

    def _advance(self) -> None:
        if self._progress is not None:
            self._progress()

    def _each(self, work: Function, function: Function, broadcast: tuple[Any, ...]) -> Any:
        """Yield the result of each partition, in order."""
        if self.client is None:
            for part, columns in one_ahead(self._computed()):
                yield work(columns, part.start, self.size, function, broadcast)
            return
        done = 0
        for attempt in range(ATTEMPTS):
            try:
                shared = self._sent(broadcast)
                ahead = _AHEAD * max(1, sum(self.client.ncores().values()))
                tasks = (self._task(work, part, function, shared) for part in self.parts[done:])
                for result in self._in_turn(tasks, ahead):
                    done += 1
                    yield result
                return
            except Exception as error:
                go_on_after(error, self.client, attempt)

    def _computed(self) -> Iterator[tuple[_Part, tuple[Any, ...]]]:
        """Yield each partition with what it holds, computed in this process."""
        import dask

        for part in self.parts:
            yield part, dask.compute(*part.columns, scheduler="synchronous")

    def _in_turn(self, tasks: Iterator[Any], ahead: int) -> Iterator[Any]:
        """Yield the results of tasks, so many of which are under way."""
        under_way: deque[Any] = deque()
        with watching(self.client, partial(tuple, under_way)):
            for task in tasks:
                under_way.append(self.client.compute(task))
                if len(under_way) > ahead:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()

    def _task(self, work: Function, part: _Part, function: Function, shared: Any) -> Any:
        import dask

        call = dask.delayed(work, pure=False)
        return call(list(part.columns), part.start, self.size, function, shared)

    def _sent(self, broadcast: tuple[Any, ...]) -> Any:
        """Send what all partitions share to the cluster, whose workers hand it on to each other."""
        # Not to all at once: Dask would wait for ever for one that dies meanwhile.
        return self.client.scatter(_Shared(broadcast), hash=False)


class _Shared:
    """Arguments that are sent whole: Dask would look into a tuple."""

    def __init__(self, values: tuple[Any, ...]) -> None:
        self.values = values


def _chunks_of(columns: Sequence[Any], start: int, size: int) -> Iterator[Chunk]:
    """Yield the rows of a computed partition in chunks; each is made double precision by itself."""
    X, y, weight, groups = columns
    labels, numbers = _labels(y), None
    weights = None if weight is None else np.asarray(weight, dtype=np.float64)
    if groups is not None:
        numbers = hashed_groups(_labels(groups), start)
    table: Any = X if hasattr(X, "columns") or sp.issparse(X) else np.asarray(X)
    for first in range(0, table.shape[0], size):
        rows = slice(first, first + size)
        matrix = _matrix(table.iloc[rows] if hasattr(table, "columns") else table[rows])
        part = None if weights is None else weights[rows]
        own = None if numbers is None else numbers[rows]
        yield Chunk(matrix, labels[rows], part, start + first, groups=own)


def _run_part(
    columns: Sequence[Any], start: int, size: int, function: Function, shared: Any
) -> list[Any]:
    broadcast = shared.values if isinstance(shared, _Shared) else shared
    with in_task():
        return [run(function, chunk, *broadcast) for chunk in _chunks_of(columns, start, size)]


def _sum_part(*arguments: Any) -> Any:
    return _sum(*_run_part(*arguments))


def _sum(*results: Any) -> Any:
    total = results[0]
    for result in results[1:]:
        total = add(total, result)
    return total
