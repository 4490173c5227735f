"""How columns and targets are filled and scaled by the samples that are trained on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.sparsefuncs import inplace_column_scale, mean_variance_axis

from svmsieve.engine.arrays import BoolArray, FloatArray, IntArray, Matrix
from svmsieve.engine.columns import column_range
from svmsieve.engine.machines.target import Target, TargetScale
from svmsieve.inputs.table import LARGEST


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
