"""Types of the engine and the checks made once at its edges."""

from __future__ import annotations

from datetime import date, timedelta
from math import isfinite
from operator import index
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.intp]
BoolArray: TypeAlias = NDArray[np.bool_]
Matrix: TypeAlias = Any  # a float64 C-ordered ndarray or a float64 scipy.sparse CSR matrix


def check_matrix(X: Any, name: str = "X") -> Matrix:
    """Return ``X`` as a finite float64 matrix: C-ordered when dense, CSR when sparse."""
    if sp.issparse(X):
        X = X.tocsr().astype(np.float64, copy=False)
        X.sum_duplicates()
        values = X.data
    else:
        refuse_no_numbers(X, name)
        try:
            X = np.ascontiguousarray(X, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{name} must be a table of numbers; encode text first.") from None
        values = X
    if X.ndim != 2:
        raise ValueError(f"{name} must have two dimensions (samples, features), got {X.ndim}.")
    if X.shape[0] == 0 or X.shape[1] == 0:
        raise ValueError(f"{name} must hold at least one sample and one feature, got {X.shape}.")
    # A finite sum of squares proves finite terms; only an overflow or a bad value pays for the full
    # look.  The BLAS sums them, without the warnings and the overhead of a reduction.
    if not isfinite(np.vdot(values, values)) and not np.isfinite(values).all():
        row, column = _first_not_finite(X)
        raise ValueError(
            f"{name} must be finite: row {row}, column {column} is missing or infinite; "
            "impute or drop it."
        )
    return X


def refuse_no_numbers(values: Any, name: str) -> None:
    """Refuse what NumPy would take for numbers, or not say what it is: dates, complex numbers, masks."""
    if isinstance(values, list | tuple):
        try:
            values = np.asarray(values)
        except ValueError:  # rows of different lengths, refused elsewhere
            return
    refuse_masked(values, name)
    kind = getattr(getattr(values, "dtype", None), "kind", "")
    times = (date, timedelta, np.datetime64, np.timedelta64)
    if kind in ("m", "M") or (
        kind == "O" and any(isinstance(value, times) for value in np.ravel(values))
    ):
        raise ValueError(
            f"{name} must hold numbers, not dates or spans of time; turn them into days."
        )
    if kind == "c":
        raise ValueError(f"{name} must hold numbers that are real. Complex data not supported.")


def refuse_masked(values: Any, name: str) -> None:
    """Refuse an array some of whose values are masked: NumPy forgets the mask on the way."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():
        raise ValueError(
            f"{name} is an array with masked values, which would be read as if they were not; fill them "
            "(values.filled(numpy.nan)) or drop their rows."
        )


def _first_not_finite(X: Matrix) -> tuple[int, int]:
    """Return row and column of the first stored value that is missing or infinite."""
    if not sp.issparse(X):
        row, column = np.argwhere(~np.isfinite(X))[0]
        return int(row), int(column)
    entry = int(np.flatnonzero(~np.isfinite(X.data))[0])
    row = int(np.searchsorted(X.indptr, entry, side="right")) - 1
    return row, int(X.indices[entry])


def check_vector(values: Any, length: int, name: str) -> FloatArray:
    """Return ``values`` as a finite float64 vector of the given length."""
    refuse_no_numbers(values, name)
    try:
        vector = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numeric.") from None
    if vector.shape != (length,):
        raise ValueError(f"{name} must have shape ({length},), got {vector.shape}.")
    if not np.isfinite(vector).all():
        row = int(np.flatnonzero(~np.isfinite(vector))[0])
        raise ValueError(f"{name} must be finite: entry {row} is {vector[row]}.")
    return vector


def check_sample_weight(values: Any, length: int) -> FloatArray:
    """Return sample weights as a vector without negative entries that is not all zero."""
    weights = check_vector(values, length, "sample_weight")
    if weights.min() < 0.0 or not weights.max() > 0.0:
        raise ValueError("sample_weight must not be negative and must be positive for some sample.")
    return weights


def check_positive(value: float, name: str) -> float:
    """Return ``value`` as a float that is finite and above zero."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a positive number, got {value!r}.") from None
    if isinstance(value, str) or not 0.0 < number < np.inf:
        raise ValueError(f"{name} must be a positive number, got {value!r}.")
    return number


def check_flag(value: Any, name: str) -> bool:
    """Return True or False, and refuse what only counts as one: "no" counts as True."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {value!r}.")
    return bool(value)


def check_count(value: Any, name: str, least: int = 1) -> int:
    """Return a whole number that is not below the least, or refuse it by name."""
    try:
        number = index(value)
    except TypeError:
        number = least - 1
    if number < least or isinstance(value, bool):
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}.")
    return number


def dense_columns(X: Matrix, columns: Any) -> FloatArray:
    """Return the given columns as a C-ordered dense array; a sparse matrix is never densified whole."""
    if sp.issparse(X):
        return np.ascontiguousarray(X[:, columns].toarray())
    if isinstance(columns, np.ndarray) and columns.dtype.kind == "i":
        return np.take(X, columns, axis=1)  # ten times as fast as X[:, columns]
    return np.ascontiguousarray(X[:, columns])
