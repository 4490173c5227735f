"""What a fitted sieve says of a Dask collection: lazily, partition by partition."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmsieve.inputs.table import is_dask
from svmsieve.scale.chunks import Chunks


def lazily(sieve: Any, X: Any, method: str) -> Any:
    """Return a Dask array of what a method says of each row.

    Parameters
    ----------
    sieve : fitted
    X : Dask array or data frame with the columns of the fit
    method : "predict" or "decision_function"
    """
    refuse_other_columns(sieve, X)
    lean = _Lean(sieve, method)
    like = np.zeros((2, sieve.n_features_in_))
    answer = lean(like)[:0]
    if hasattr(X, "columns"):
        return X.map_partitions(lean, meta=answer)
    X = X.rechunk({1: -1}) if len(X.chunks[1]) > 1 else X
    if answer.ndim == 1:
        return X.map_blocks(lean, drop_axis=1, dtype=answer.dtype, meta=answer)
    chunks = (X.chunks[0], (answer.shape[1],))
    return X.map_blocks(lean, chunks=chunks, dtype=answer.dtype, meta=answer)


def selected_columns(sieve: Any, X: Any) -> Any:
    """Return the selected columns of a Dask collection."""
    refuse_other_columns(sieve, X)
    if hasattr(X, "columns"):
        return X[[name for name, kept in zip(X.columns, sieve.support_, strict=True) if kept]]
    return X[:, np.flatnonzero(sieve.support_)]


def refuse_chunks(X: Any) -> None:
    """Refuse row chunks, which only a fit reads."""
    if isinstance(X, Chunks):
        raise TypeError(
            "a fitted sieve takes arrays, data frames and Dask collections, not row chunks; read the files "
            "with dask.dataframe.read_parquet, or apply the model to them with `svmsieve apply`."
        )


def in_memory(values: Any) -> Any:
    """Return what a collection holds; anything else as it is."""
    return values.compute() if is_dask(values) else values


class _Lean:
    """The method of a sieve, without what its fitting needed: it goes to every partition."""

    def __init__(self, sieve: Any, method: str) -> None:
        self.sieve = type(sieve)(**sieve.get_params(deep=False))
        self.sieve.set_params(callback=None, checkpoint=None)
        for name in _NEEDED:
            if hasattr(sieve, name):
                setattr(self.sieve, name, getattr(sieve, name))
        self.method = method

    def __call__(self, X: Any) -> Any:
        if X.shape[0] == 0:
            names = getattr(X, "columns", None)
            empty = np.zeros((1, X.shape[1]))
            X = empty if names is None else type(X)(empty, columns=names)
            return getattr(self.sieve, self.method)(X)[:0]
        if not hasattr(X, "columns") and hasattr(self.sieve, "feature_names_in_"):
            import pandas as pd

            X = pd.DataFrame(X, columns=self.sieve.feature_names_in_)
        return getattr(self.sieve, self.method)(X)


_NEEDED = (
    "support_",
    "estimator_",
    "n_features_in_",
    "feature_names_in_",
    "scale_mean_",
    "scale_deviation_",
    "fill_values_",
    "target_mean_",
    "target_deviation_",
    "classes_",
)
"""Attributes that predictions need."""


def refuse_other_columns(sieve: Any, X: Any) -> None:
    """Refuse a collection that has not the columns of the fit."""
    names = getattr(sieve, "feature_names_in_", None)
    columns = X.names if isinstance(X, Chunks) else getattr(X, "columns", None)
    given = None if columns is None else [str(name) for name in columns]
    if given is not None and names is not None and given != [str(name) for name in names]:
        raise ValueError("X must have the columns of the fit, by name and in their order.")
    d = X.shape[1] if given is None else len(given)
    if d != sieve.n_features_in_:
        raise ValueError(f"X has {d} features, the sieve was fitted to {sieve.n_features_in_}.")
