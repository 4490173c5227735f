"""The partitions of Dask collections side by side: rows of X, y and weights that belong together."""

from __future__ import annotations

import sys
from functools import partial
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from svmsieve.engine.arrays import FloatArray, Matrix
from svmsieve.inputs.table import is_dask
from svmsieve.runtime.cluster_loops import active_client
from svmsieve.runtime.cluster_loss import ATTEMPTS, go_on_after, watching


def _matrix(X: Any) -> Matrix:
    if sp.issparse(X):
        return X.tocsr().astype(np.float64)
    if hasattr(X, "columns"):
        return np.ascontiguousarray(X.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.ascontiguousarray(X, dtype=np.float64)


def _labels(y: Any) -> Any:
    """Return the target of a partition; what is missing among texts is None."""
    values = np.asarray(y)
    if values.dtype.kind == "O" and hasattr(y, "isna"):
        values = values.copy()
        values[np.asarray(y.isna())] = None
    return values


def find_client() -> Any:
    """Return the client joblib was configured with, or Dask's current one; None if there is none."""
    client = active_client()
    if client is not None or "distributed" not in sys.modules:
        return client
    from distributed import default_client

    try:
        return default_client()
    except ValueError:
        return None


def _refuse_columns(frame: Any) -> None:
    for name, dtype in frame.dtypes.items():
        kind = getattr(dtype, "kind", "O")
        if kind not in "biuf":
            raise ValueError(
                f"column {str(name)!r} must hold numbers, it holds {dtype}; encode it (for instance "
                "one-hot, dask.dataframe.get_dummies) or drop it."
            )


def _sizes(X: Any, client: Any) -> list[int]:
    """Return the number of rows of each partition, counted where Dask does not know it."""
    if not hasattr(X, "columns") and not any(np.isnan(size) for size in X.chunks[0]):
        return [int(size) for size in X.chunks[0]]
    return counted_parts(delayed_parts(X), client)


def counted_parts(parts: list[Any], client: Any) -> list[int]:
    import dask

    return [
        int(size) for size in computed_parts([dask.delayed(len)(part) for part in parts], client)
    ]


def _joined(frame: Any, beside: Beside) -> tuple[list[Any], Beside]:
    """Return the partitions of a data frame, and of the series that go with it.

    Dask reads columns of one file in partitions of other sizes when it reads them alone, so that what
    belongs together is read together.
    """
    import dask

    for what, values in beside.items():
        if is_dask(values) and getattr(values, "npartitions", 0) != frame.npartitions:
            raise ValueError(
                f"{what} must have the partitions of X, which are {frame.npartitions}, got "
                f"{values.npartitions}; take it from the same data frame, or repartition it."
            )
    series = {
        f"\0{what}": values
        for what, values in beside.items()
        if is_dask(values) and hasattr(values, "to_frame")
    }
    if not series:
        return delayed_parts(frame), beside
    columns = list(frame.columns)
    joined = delayed_parts(frame.assign(**series))
    take = dask.delayed(_take, pure=True)
    found = {name[1:]: _Read(take(part, name) for part in joined) for name in series}
    return [take(part, columns) for part in joined], {**beside, **found}


def _take(frame: Any, columns: Any) -> Any:
    return frame[columns]


def computed_parts(tasks: list[Any], client: Any) -> list[Any]:
    import dask

    if client is None:
        return list(dask.compute(*tasks, scheduler="synchronous"))
    for attempt in range(ATTEMPTS):
        try:
            futures = client.compute(tasks)
            with watching(client, partial(tuple, futures)):
                return list(client.gather(futures))
        except Exception as error:
            go_on_after(error, client, attempt)
    raise AssertionError


def delayed_parts(X: Any) -> list[Any]:
    parts = X.to_delayed()
    return list(parts.ravel()) if isinstance(parts, np.ndarray) else list(parts)


def _alongside(values: Any, sizes: list[int], what: str, client: Any) -> list[Any]:
    """Return the part of a target, of weights or of groups that belongs to each partition."""
    if values is None:
        if what == "y":
            raise ValueError("y must not be None: a ranking needs a target.")
        return [None] * len(sizes)
    if isinstance(values, _Read):
        return values
    if not is_dask(values):
        whole: FloatArray = np.asarray(values)
        if whole.ndim != 1 or len(whole) != sum(sizes):
            raise ValueError(
                f"{what} must have shape ({sum(sizes)},), one value for each row of X, got "
                f"{whole.shape}."
            )
        edges = np.cumsum([0, *sizes])
        return [whole[first:last] for first, last in pairwise(edges)]
    if getattr(values, "ndim", 1) != 1:
        raise ValueError(f"{what} must have one dimension, got {values.ndim}.")
    own = _sizes(values, client)
    if own != sizes and hasattr(values, "rechunk") and sum(own) == sum(sizes):
        values, own = values.rechunk((tuple(sizes),)), sizes
    if own != sizes:
        raise ValueError(
            f"{what} must have the partitions of X, which have {sizes[:5]}… rows, got {own[:5]}…; take "
            "it from the same data frame, or repartition it."
        )
    return delayed_parts(values)


Beside: TypeAlias = dict[str, Any]
"""What goes with the rows of X, by its name: y, weights, groups."""


class _Read(list[Any]):
    """Parts of a series that is read with its data frame."""
