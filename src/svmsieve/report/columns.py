"""Columns of a user's table as numbers, and what they hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.inputs.scaling import filled


def dense_columns(X: Any, columns: IntArray, fill: Any = None) -> FloatArray:
    """Return some columns of a frame, array or sparse matrix as float64."""
    if sp.issparse(X):
        return np.asarray(X.tocsc()[:, columns].toarray(), dtype=np.float64)
    values = X.iloc[:, columns].to_numpy() if hasattr(X, "iloc") else np.asarray(X)[:, columns]
    return filled(np.ascontiguousarray(values, dtype=np.float64), fill)


def some_rows(X: Any, rows: IntArray) -> Any:
    """Return some rows of a frame, array or sparse matrix, ready to be asked for columns."""
    if sp.issparse(X):
        return X.tocsr()[rows].tocsc()
    return X.iloc[rows] if hasattr(X, "iloc") else np.asarray(X)[rows]


def is_one_hot(columns: FloatArray) -> bool:
    """Return whether columns are the levels of a category."""
    return bool(np.isin(columns, (0.0, 1.0)).all() and (columns.sum(axis=1) <= 1.0).all())


def level_of(column: str, name: str) -> str:
    """Return the level that a column of a category stands for.

    >>> level_of("colour=red", "colour")
    'red'
    """
    return column[len(name) + 1 :] if column.startswith(f"{name}=") else column


def with_means(part: FloatArray) -> FloatArray:
    """Return columns whose missing values are the means of the others."""
    present = ~np.isnan(part)
    means = np.nan_to_num(part).sum(axis=0) / np.maximum(present.sum(axis=0), 1)
    return np.where(present, part, means)


def standardised(part: FloatArray) -> FloatArray:
    """Return columns with mean 0 and deviation 1; of those that do not vary, 0."""
    deviation = part.std(axis=0)
    return (part - part.mean(axis=0)) / np.where(deviation > 0.0, deviation, 1.0)
