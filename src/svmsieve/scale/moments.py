"""Moments of the columns, by class and with the target, in one pass over row chunks.

Each chunk gives the weight, mean and squared deviations of every column for every class (and the products
with a numeric target); two parts merge by the formulas of Chan, Golub & LeVeque (1983) and Pébay (2008),
which lose no digits where a mean is far from zero.  A value that is missing is filled with the mean of its
column, which is known only after the pass: it then joins its class as one more part.  O(n d).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmsieve.criteria.drivers import Moments
from svmsieve.engine.arrays import FloatArray
from svmsieve.scale.chunks import Chunk
from svmsieve.scale.first_pass import FirstPass, survey_chunk


@dataclass(frozen=True)
class ColumnSums:
    """Weight, mean and squared deviations of the columns of some rows; only values that are present."""

    rows: float
    """Weight of all rows, whether or not a value is missing."""
    weight: FloatArray
    mean: FloatArray
    squares: FloatArray

    def merge(self, other: ColumnSums) -> ColumnSums:
        """Return those of both parts' rows."""
        weight = self.weight + other.weight
        share = other.weight / np.where(weight > 0.0, weight, 1.0)
        gap = other.mean - self.mean
        return ColumnSums(
            self.rows + other.rows,
            weight,
            self.mean + share * gap,
            self.squares + other.squares + gap**2 * share * self.weight,
        )

    def filled(self, values: FloatArray) -> ColumnSums:
        """Return those of the rows with missing values filled."""
        missing = np.maximum(self.rows - self.weight, 0.0)
        return self.merge(ColumnSums(0.0, missing, values, np.zeros_like(values)))


@dataclass(frozen=True)
class Products:
    """Sums of a numeric target over some rows, and its products with the columns."""

    weight: float
    mean: float
    squares: float
    present: FloatArray
    """Weight of the rows whose value is present, for each column; the next two are of those rows."""
    means: FloatArray
    """Mean of the column and of the target, shape (2, d)."""
    products: FloatArray
    """Products of both deviations from these means."""

    def merge(self, other: Products) -> Products:
        """Return those of both parts' rows."""
        weight = self.weight + other.weight
        share = other.weight / (weight or 1.0)
        gap = other.mean - self.mean
        present = self.present + other.present
        shares = other.present / np.where(present > 0.0, present, 1.0)
        gaps = other.means - self.means
        return Products(
            weight,
            self.mean + share * gap,
            self.squares + other.squares + gap**2 * share * self.weight,
            present,
            self.means + shares * gaps,
            self.products + other.products + gaps[0] * gaps[1] * shares * self.present,
        )


@dataclass(frozen=True)
class FilterSums:
    """All that one pass finds for the filters; classes or products are None where y has no such."""

    survey: FirstPass
    classes: dict[Any, ColumnSums] | None
    products: Products | None

    def merge(self, other: FilterSums) -> FilterSums:
        """Return the sums of both parts' rows."""
        survey = self.survey.merge(other.survey)
        classes, products = None, None
        if survey.labels.values is not None and self.classes is not None and other.classes:
            classes = dict(self.classes)
            for label, part in other.classes.items():
                classes[label] = classes[label].merge(part) if label in classes else part
        if self.products is not None and other.products is not None:
            products = self.products.merge(other.products)
        return FilterSums(survey, classes, products)

    __add__ = merge


def _present(chunk: Chunk) -> tuple[Any, Any]:
    """Return the values, missing ones zero, and a mask of those that are present (None: all)."""
    if sp.issparse(chunk.X):
        return chunk.X, None
    missing = np.isnan(chunk.X)
    if not missing.any():
        return chunk.X, None
    return np.where(missing, 0.0, chunk.X), (~missing).astype(np.float64)


def _parts(values: Any, present: Any, weight: FloatArray) -> ColumnSums:
    """Sum up rows in two passes over them: means, then deviations."""
    total, d = float(weight.sum()), values.shape[1]
    weights = np.full(d, total) if present is None else weight @ present
    mean = np.asarray(weight @ values) / np.where(weights > 0.0, weights, 1.0)
    if sp.issparse(values):
        X = values.tocsc()
        columns = np.repeat(np.arange(d), np.diff(X.indptr))
        stored = weight[X.indices]
        zeros = np.where(
            np.diff(X.indptr) < X.shape[0], total - np.bincount(columns, stored, d), 0.0
        )
        squares = np.bincount(columns, stored * (X.data - mean[columns]) ** 2, d) + zeros * mean**2
        return ColumnSums(total, weights, mean, squares)
    deviations = (values - mean) ** 2
    if present is not None:
        deviations *= present
    return ColumnSums(total, weights, mean, weight @ deviations)


def _products(values: Any, present: Any, weight: FloatArray, y: FloatArray) -> Products:
    total, d = float(weight.sum()), values.shape[1]
    mean = float(weight @ y) / (total or 1.0)
    squares = float(weight @ (y - mean) ** 2)
    if present is None:
        weights = np.full(d, total)
        y_means = np.full(d, mean)
    else:
        weights = weight @ present
        y_means = (weight * y) @ present / np.where(weights > 0.0, weights, 1.0)
    x_means = np.asarray(weight @ values) / np.where(weights > 0.0, weights, 1.0)
    if sp.issparse(values):
        # Σ w (x − x̄)(y − ȳ) = Σ w x (y − ȳ): the deviations of y add up to zero.
        products = np.asarray((weight * (y - mean)) @ values)
    else:
        gaps = values - x_means
        gaps *= y[:, None] - y_means
        if present is not None:
            gaps *= present
        products = weight @ gaps
    return Products(total, mean, squares, weights, np.stack([x_means, y_means]), products)


def filter_sums(chunk: Chunk, names: Sequence[str]) -> FilterSums:
    """Sum up one chunk; ``names`` of the columns are for messages."""
    survey = survey_chunk(chunk, names)
    values, present = _present(chunk)
    weight = chunk.copies
    y = np.asarray(chunk.y)
    classes = None
    if survey.labels.values is not None:
        codes = np.searchsorted(survey.labels.values, y.astype(survey.labels.values.dtype))
        classes = {}
        for code, label in enumerate(survey.labels.values.tolist()):
            rows = np.flatnonzero(codes == code)
            part = None if present is None else present[rows]
            classes[label] = _parts(values[rows], part, weight[rows])
    products = None
    if y.dtype.kind in "biuf":
        products = _products(values, present, weight, y.astype(np.float64))
    return FilterSums(survey, classes, products)


class ChunkMoments(Moments):
    """Moments from the sums of one pass, missing values filled with the means of their columns."""

    def __init__(self, sums: FilterSums, regression: bool) -> None:
        self.sums, self.regression = sums, regression

    def by_class(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the classes' sizes, means and variances of every column."""
        classes = self.sums.classes
        assert classes is not None
        fill = self.sums.survey.moments.mean
        parts = [classes[label].filled(fill) for label in sorted(classes)]
        counts = np.array([part.rows for part in parts])
        if (counts == 0.0).any():
            label = sorted(classes)[int(counts.argmin())]
            raise ValueError(f"sample_weight must not be zero for a whole class: {label!r}.")
        means = np.array([part.mean for part in parts])
        return counts, means, np.array([part.squares for part in parts]) / counts[:, None]

    def with_target(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return covariances, the targets' deviations, and the columns' variances."""
        return self._with_numbers() if self.regression else self._with_classes()

    def _with_numbers(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        found, moments = self.sums.products, self.sums.survey.moments
        if found is None:
            raise ValueError("y must hold numbers for a regression.")
        # A filled value is the mean: it adds nothing to the products nor to the squares.
        covariances = found.products[None, :] / moments.weight
        deviations = np.sqrt([found.squares / moments.weight])
        return covariances, deviations, moments.squares / moments.weight

    def _with_classes(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        counts, means, variances = self.by_class()
        shares = counts / counts.sum()
        mean = shares @ means
        chosen = slice(1 if len(counts) == 2 else 0, None)
        # y is ±1: its covariance with a column is 2 p_c (x̄_c − x̄), its variance 4 p_c (1 − p_c).
        covariances = (2.0 * shares[:, None] * (means - mean))[chosen]
        deviations = 2.0 * np.sqrt(shares * (1.0 - shares))[chosen]
        return covariances, deviations, shares @ (variances + (means - mean) ** 2)
