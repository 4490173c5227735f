"""From the user's table to what the engine works on: a matrix, names, a scale, a target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmsieve.engine.arrays import FloatArray, Matrix, refuse_no_numbers

LARGEST = 1e150
"""Largest absolute value whose square is still a number."""


def feature_names(X: Any) -> list[str]:
    """Return the columns' names: those of a data frame, else x0, x1, …"""
    columns = getattr(X, "columns", None)
    if columns is not None:
        return [str(name) for name in columns]
    return [f"x{i}" for i in range(X.shape[1])]


def refuse_unusable(X: Any, allow_missing: bool = False) -> None:
    """Say in one sentence which column of a data frame or matrix cannot be used, and why."""
    if is_dask(X):
        raise ValueError(
            "X is a collection of Dask, whose rows may not fit into memory: svmsieve.rank and SVMSieve.fit "
            "take it with machine='nystroem'; elsewhere take X.compute()."
        )
    refuse_no_numbers(X, "X")
    if hasattr(X, "columns"):
        if not len(X.columns):
            raise ValueError("X has no columns; give it at least one feature.")
        matrix: Matrix = frame_values(X)
    elif sp.issparse(X) or (isinstance(X, np.ndarray) and X.ndim == 2):
        matrix = X
    else:
        return
    values = matrix.tocoo().data if sp.issparse(matrix) else matrix
    usable = _present_is_usable if allow_missing else _usable
    if values.dtype.kind == "f" and not _moderate(values) and not usable(values).all():
        _refuse_column(matrix, X, usable)


def as_matrix(X: Any) -> Matrix:
    """Return the user's table as a finite float64 matrix, or say which column is in the way.

    Data frames of pandas and polars, arrays, lists of rows and sparse matrices are taken.
    """
    refuse_no_numbers(X, "X")
    if sp.issparse(X):
        matrix = canonical(X.tocsr().astype(np.float64))
        values = matrix.data
    elif hasattr(X, "columns"):
        values = matrix = frame_values(X)
    else:
        try:
            values = matrix = _numbers(X)
        except (TypeError, ValueError):
            raise ValueError(
                "X must hold numbers; encode text columns (for instance one-hot) or drop them."
            ) from None
    if matrix.ndim != 2:
        raise ValueError(f"X must have two dimensions (samples, features), got {matrix.ndim}.")
    if not _moderate(values):
        _refuse_column(matrix, X, _usable)
    if matrix.shape[0] < 2 or matrix.shape[1] < 1:
        raise ValueError(
            f"X must hold at least two samples and one feature, got {matrix.shape[0]} and "
            f"{matrix.shape[1]}."
        )
    return matrix


def canonical(X: Any) -> Any:
    """Return a sparse matrix with each entry once: several of one place are their sum."""
    if sp.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _numbers(values: Any) -> FloatArray:
    """Return real numbers as float64; a TypeError or ValueError if they are something else."""
    kinds = {np.asarray(values).dtype.kind, getattr(getattr(values, "dtype", None), "kind", "")}
    if kinds & {
        "c",
        "m",
        "M",
    }:  # the second is that of pandas: dates with a zone are objects to NumPy
        raise TypeError("complex numbers and dates are no features")
    return np.ascontiguousarray(values, dtype=np.float64)


def frame_values(frame: Any) -> FloatArray:
    """Return the numbers of a data frame, or name the column that holds something else."""
    pandas = hasattr(frame, "iloc")
    if pandas and (values := frame.to_numpy()).dtype.kind in "biuf":
        return _numbers(values)
    columns: list[FloatArray] = []
    for i, name in enumerate(frame.columns):
        try:
            # by position in pandas, which allows a name twice
            columns.append(_numbers(frame.iloc[:, i] if pandas else frame[name]))
        except (TypeError, ValueError):
            raise ValueError(
                f"column {str(name)!r} must hold numbers; encode it (for instance one-hot) or drop "
                "it."
            ) from None
    return np.column_stack(columns) if columns else np.empty((len(frame), 0))


def _usable(values: Any) -> Any:
    return np.abs(np.asarray(values, dtype=np.float64)) <= LARGEST


def _present_is_usable(values: Any) -> Any:
    return ~(np.abs(np.asarray(values, dtype=np.float64)) > LARGEST)


def _moderate(values: Any) -> bool:
    """Whether all values are usable; quick, and False where one is missing."""
    return values.size == 0 or (float(values.min()) >= -LARGEST and float(values.max()) <= LARGEST)


def _refuse_column(matrix: Matrix, X: Any, usable: Callable[[Any], Any]) -> None:
    if sp.issparse(matrix):
        entries = matrix.tocoo()
        bad = ~usable(entries.data)
        rows, columns, values = entries.row[bad], entries.col[bad], entries.data[bad]
    else:
        rows, columns = np.nonzero(~usable(matrix))
        values = matrix[rows, columns]
    column = int(columns.min())
    row = rows[columns == column].min()
    n_bad = int((columns == column).sum())
    name = feature_names(X)[column] if hasattr(X, "columns") else column
    if np.isfinite(values[columns == column]).all():
        raise ValueError(
            f"column {name!r} holds values beyond {LARGEST:g}, whose squares are infinite; divide it."
        )
    raise ValueError(
        f"column {name!r} has {n_bad} "
        f"missing or infinite value{'s' * (n_bad > 1)}, first in row {row}; impute or drop them."
    )


def is_dask(X: Any) -> bool:
    """Whether a table is a collection of Dask, which is not imported to find out."""
    return type(X).__module__.partition(".")[0] == "dask" and hasattr(X, "dask")
