"""From the user's table to what the engine works on: a matrix, names, a scale, a target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.sparsefuncs import inplace_column_scale, mean_variance_axis

from svmsieve.engine.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    Matrix,
    check_vector,
    refuse_no_numbers,
)
from svmsieve.engine.columns import column_range
from svmsieve.engine.target import Classes, Numbers, Target, TargetScale

LARGEST = 1e150
"""Largest absolute value whose square is still a number."""
MOST_CLASSES = 20
"""A numeric target with more distinct values than this is a regression, unless one says otherwise."""


def feature_names(X: Any) -> list[str]:
    """Return the columns' names: those of a data frame, else x0, x1, …"""
    columns = getattr(X, "columns", None)
    if columns is not None:
        return [str(name) for name in columns]
    return [f"x{i}" for i in range(X.shape[1])]


def is_dask(X: Any) -> bool:
    """Whether a table is a collection of Dask, which is not imported to find out."""
    return type(X).__module__.partition(".")[0] == "dask" and hasattr(X, "dask")


def refuse_unusable(X: Any, allow_missing: bool = False) -> None:
    """Say in one sentence which column of a data frame or matrix cannot be used, and why."""
    if is_dask(X):
        raise ValueError(
            "X is a collection of Dask, whose rows may not fit into memory: rank its features with "
            "svmsieve.rank(X, y, machine='nystroem'), or take X.compute()."
        )
    refuse_no_numbers(X, "X")
    if hasattr(X, "columns"):
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


@dataclass(frozen=True)
class Scale:
    """Centre and spread of each column; a sparse matrix is not centred, so that it stays sparse.

    Attributes
    ----------
    mean, deviation : of each column
    fill : what a missing value of each column becomes first; None where nothing may be missing
    """

    mean: FloatArray
    deviation: FloatArray
    fill: FloatArray | None = None

    @classmethod
    def of(
        cls, X: Matrix, sample_weight: FloatArray | None = None, fill: FloatArray | None = None
    ) -> Scale:
        """Measure the columns, missing values filled; a constant one keeps its unit."""
        mean, deviation = _spread(filled(X, fill), sample_weight)
        return cls(mean, np.where(deviation > 0.0, deviation, 1.0), fill)

    @classmethod
    def none(cls, n_features: int, fill: FloatArray | None = None) -> Scale:
        """Leave everything as it is, but for missing values."""
        return cls(np.zeros(n_features), np.ones(n_features), fill)

    def columns(self, columns: IntArray | BoolArray) -> Scale:
        """Return the scale of some columns."""
        fill = None if self.fill is None else self.fill[columns]
        return Scale(self.mean[columns], self.deviation[columns], fill)

    def apply(self, X: Matrix) -> Matrix:
        """Return the scaled matrix; a dense one is not copied where all stays as it is.

        A read-only one is: functions would have to be compiled again for it.
        """
        X = filled(X, self.fill)
        if sp.issparse(X):
            scaled = X.copy()
            inplace_column_scale(scaled, 1.0 / self.deviation)
            return scaled
        if X.flags.writeable and not self.mean.any() and (self.deviation == 1.0).all():
            return X
        scaled = X - self.mean
        scaled /= self.deviation  # in place: the samples may be most of the memory
        return scaled


def _spread(X: Matrix, sample_weight: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Return centre and deviation of each column, of a constant one 0; of a sparse matrix 0 as centre."""
    if sp.issparse(X):
        _, variance = mean_variance_axis(X, axis=0, weights=sample_weight)
        mean = np.zeros(X.shape[1])
    elif sample_weight is None:
        mean, variance = X.mean(axis=0), X.var(axis=0)
    else:
        mean = np.average(X, axis=0, weights=sample_weight)
        variance = np.average((X - mean) ** 2, axis=0, weights=sample_weight)
    # A column that differs from its mean by rounding only is constant.
    deviation = np.sqrt(np.where(variance <= (1e-14 * np.abs(mean)) ** 2, 0.0, variance))
    tiny, roots = _without_squares(X, variance)
    if len(tiny):  # divided twice by the root of their unit, whose own inverse may be infinite
        root = Scale(np.zeros(len(tiny)), roots)
        deviation[tiny] = _spread(root.apply(root.apply(X[:, tiny])), sample_weight)[1] * roots**2
    return mean, deviation


def _without_squares(X: Matrix, variance: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the columns whose values are so small that their squares vanish, and √unit of each.

    The unit is about the column's largest value, the root a power of two: no digit changes.
    """
    suspects = np.flatnonzero(variance < 1.0 / LARGEST)
    if len(suspects) == 0:
        return suspects, np.empty(0)
    lower, upper = column_range(X[:, suspects])
    largest = np.maximum(np.abs(lower), np.abs(upper))
    tiny = (upper > lower) & (largest < np.sqrt(1.0 / LARGEST))
    _, exponents = np.frexp(largest[tiny])
    return suspects[tiny], np.ldexp(1.0, exponents // 2)


@dataclass(frozen=True)
class Standardising:
    """Measures samples: the means that fill them (``impute``), then mean and deviation (``scale``)."""

    scale: bool = True
    impute: bool = False

    def __call__(self, X: Matrix, sample_weight: FloatArray | None = None) -> Scale:
        """Measure samples, given their weights."""
        fill = present_means(X, sample_weight) if self.impute else None
        return Scale.of(X, sample_weight, fill) if self.scale else Scale.none(X.shape[1], fill)


def scale_of_target(
    target: Target, sample_weight: FloatArray | None, scale: bool, estimator: Any
) -> TargetScale:
    """Return how machines see the target: standardised with ``scale``, and where they are tuned.

    The grid that tunes them is made for a standardised target; a given machine without ``scale`` gets the
    user's numbers as they are.
    """
    return TargetScale.of(target, sample_weight) if scale or estimator is None else TargetScale()


def present_means(X: FloatArray, sample_weight: FloatArray | None = None) -> FloatArray:
    """Return the (weighted) mean of each column's present values, 0 where none is present."""
    weight = ~np.isnan(X) if sample_weight is None else ~np.isnan(X) * sample_weight[:, None]
    total = weight.sum(axis=0)
    return (weight * np.nan_to_num(X)).sum(axis=0) / np.where(total > 0.0, total, 1.0)


def filled(X: Matrix, fill: FloatArray | None) -> Matrix:
    """Return the matrix with its missing values replaced by those of their columns."""
    return X if fill is None else np.where(np.isnan(X), fill, X)


def is_continuous(y: Any) -> bool:
    """Return whether the target holds numbers that cannot be class labels."""
    values = np.asarray(y)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        return True  # make_target names the row
    with np.errstate(invalid="ignore"):  # it compares with whole numbers, which 1e200 has none of
        return type_of_target(y).startswith("continuous")


def is_regression(y: Any) -> bool:
    """Guess the task from the target: numbers with decimals, or with many distinct values."""
    values = np.asarray(y)
    many = values.dtype.kind in "iuf" and len(np.unique(values)) > MOST_CLASSES
    return is_continuous(y) or many


def check_weights(sample_weight: Any, n: int) -> FloatArray:
    """Return the samples' weights: one for each, none negative, not all zero."""
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n, float(sample_weight))
    weights = check_vector(sample_weight, n, "sample_weight")
    if weights.min() < 0.0 or weights.max() == 0.0:
        raise ValueError("sample_weight must not be negative, nor zero for all samples.")
    return weights


def check_sample_groups(groups: Any, n: int) -> IntArray | None:
    """Return the number of each sample's group, groups counted as they come; None where there are none.

    What a group is called changes nothing.
    """
    if groups is None:
        return None
    labels = np.asarray(groups)
    if labels.shape != (n,):
        raise ValueError(
            f"groups of samples must have shape ({n},), one for each row of X, got {labels.shape}; groups "
            "of columns are given to the constructor."
        )
    numbers: dict[Any, int] = {}
    codes = np.empty(n, dtype=np.intp)
    for row, label in enumerate(labels.tolist()):
        if label is None or label != label:
            raise ValueError(
                f"groups of samples have a missing value in row {row}; name its group."
            )
        codes[row] = numbers.setdefault(label, len(numbers))
    if len(numbers) < 2:
        raise ValueError("groups of samples must be at least two; all samples are in one.")
    return codes


def refuse_weightless_class(target: Target, weights: FloatArray) -> None:
    """Refuse weights that leave nothing of a class."""
    if isinstance(target, Classes):
        totals = np.bincount(target.codes, weights, minlength=len(target.classes))
        if (totals == 0.0).any():
            label = target.classes.tolist()[int(totals.argmin())]
            raise ValueError(
                f"sample_weight must not be zero for a whole class: that of class {label!r} is; "
                "give it a weight or drop its samples."
            )


def check_target_shape(y: Any, n: int) -> Any:
    """Return the target as a vector with one value for each row."""
    refuse_no_numbers(y, "y")
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.shape != (n,):
        raise ValueError(f"y must have shape ({n},), one target for each row of X, got {y.shape}.")
    return y


def refuse_extremes(lower: float, upper: float, name: str) -> None:
    """Refuse a numeric target by its range: no score can be computed where differences have no square."""
    spread = upper - lower
    if max(-lower, upper) > LARGEST or 0.0 < spread < 1.0 / LARGEST:
        raise ValueError(
            f"{name} has values from {lower:.3g} to {upper:.3g}, the squares of whose differences a "
            "computer cannot hold; give it another unit."
        )


def make_target(y: Any, regression: bool, n: int) -> Target:
    """Return the checked target."""
    y = check_target_shape(y, n)
    if y.dtype.kind == "O":
        missing = [value is None or value != value for value in y]
        if any(missing):
            raise ValueError(f"y has a missing value in row {missing.index(True)}; drop that row.")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        row = int(np.flatnonzero(~np.isfinite(y))[0])
        raise ValueError(f"y has a missing or infinite value in row {row}; drop that row.")
    if regression:
        target = Numbers.of(y)
        refuse_extremes(float(target.values.min()), float(target.values.max()), "y")
        return target
    if type_of_target(y, input_name="y", raise_unknown=True).startswith("continuous"):
        raise ValueError(
            "y holds continuous values (Unknown label type: continuous); a classifier needs class "
            "labels: use an SVR, or turn the values into classes."
        )
    return Classes.of(y)
