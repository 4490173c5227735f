"""The filters ``correlation``, ``s2n`` and ``f-score`` in one pass over row chunks.

Each chunk gives the weight, mean and squared deviations of every column for every class (and the products
with a numeric target); two parts merge by the formulas of Chan, Golub & LeVeque (1983) and Pébay (2008),
which lose no digits where a mean is far from zero.  A value that is missing is filled with the mean of its
column, which is known only after the pass: it then joins its class as one more part.  O(n d).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmsieve.criteria import Criterion, make_criterion
from svmsieve.criteria.contract import checked_scores
from svmsieve.criteria.filters import (
    Correlation,
    FScore,
    SignalToNoise,
    correlation_of_moments,
    f_score_of_moments,
    signal_to_noise_of_moments,
)
from svmsieve.engine.arrays import FloatArray
from svmsieve.preparation import make_target
from svmsieve.ranking import Ranking, asks_for_regression, warn_of_zeros
from svmsieve.scale.chunks import Chunk, Chunks
from svmsieve.scale.survey import Survey, survey_chunk
from svmsieve.units import joint_units, unit_names

IN_ONE_PASS = ("correlation", "s2n", "f-score")
"""Filters that are sums over rows."""


@dataclass(frozen=True)
class Parts:
    """Weight, mean and squared deviations of the columns of some rows; only values that are present."""

    rows: float
    """Weight of all rows, whether or not a value is missing."""
    weight: FloatArray
    mean: FloatArray
    squares: FloatArray

    def merge(self, other: Parts) -> Parts:
        """Return those of both parts' rows."""
        weight = self.weight + other.weight
        share = other.weight / np.where(weight > 0.0, weight, 1.0)
        gap = other.mean - self.mean
        return Parts(
            self.rows + other.rows,
            weight,
            self.mean + share * gap,
            self.squares + other.squares + gap**2 * share * self.weight,
        )

    def filled(self, values: FloatArray) -> Parts:
        """Return those of the rows with missing values filled."""
        missing = np.maximum(self.rows - self.weight, 0.0)
        return self.merge(Parts(0.0, missing, values, np.zeros_like(values)))


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

    survey: Survey
    classes: dict[Any, Parts] | None
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


def _present(chunk: Chunk) -> tuple[Any, Any]:
    """Return the values, missing ones zero, and a mask of those that are present (None: all)."""
    if sp.issparse(chunk.X):
        return chunk.X, None
    missing = np.isnan(chunk.X)
    if not missing.any():
        return chunk.X, None
    return np.where(missing, 0.0, chunk.X), (~missing).astype(np.float64)


def _parts(values: Any, present: Any, weight: FloatArray) -> Parts:
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
        return Parts(total, weights, mean, squares)
    deviations = (values - mean) ** 2
    if present is not None:
        deviations *= present
    return Parts(total, weights, mean, weight @ deviations)


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


def rank_by_filter(
    chunks: Chunks,
    criterion: str | Criterion,
    *,
    missing: str = "error",
    groups: Any = None,
    regression: bool | None = None,
) -> Ranking:
    """Rank the features of a data set in row chunks by a filter, in one pass.

    Parameters
    ----------
    chunks : the rows
    criterion : one of :data:`IN_ONE_PASS`
    missing : ``"error"`` refuses missing values, ``"mean"`` fills them with the means of their columns
    groups : columns that are scored as one, as for :func:`svmsieve.rank`
    regression : whether the target is a number; None guesses as :func:`svmsieve.rank` does

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svmsieve.scale.chunks import RowChunks
    >>> X, y = load_iris(return_X_y=True)
    >>> rank_by_filter(RowChunks(X, y, memory=1000), "f-score").order.tolist()
    [2, 3, 0, 1]
    """
    if missing not in ("error", "mean"):
        raise ValueError(f"missing must be 'error' or 'mean', got {missing!r}.")
    grouped = joint_units(groups, chunks.names)
    sums = reduce(FilterSums.merge, chunks.map(filter_sums, chunks.names))
    moments, labels = sums.survey.moments, sums.survey.labels
    moments.refuse_tiny(chunks.names)
    if missing == "error":
        moments.refuse_missing(chunks.names)
    if not moments.weight > 0.0:
        raise ValueError("sample_weight must not be zero for all samples.")
    if regression is None:
        regression = labels.values is None or asks_for_regression(labels.values, criterion)
    task = "regression"
    if not regression:
        if labels.values is None:
            raise ValueError("y holds too many different values for classes; they are numbers.")
        task = make_target(labels.values, False, len(labels.values)).task
    chosen = make_criterion(criterion, task)
    chosen.refuse_task(task)
    scores = _scores(chosen, sums, regression)
    scores = np.where(moments.varies, scores, 0.0)
    if grouped is not None:
        scores = np.array([scores[group].max() for group in grouped])
    scores = checked_scores(chosen, scores)
    warn_of_zeros(scores.max(), len(scores), chosen, None)
    order = np.argsort(-scores, kind="stable")
    names = unit_names(groups, chunks.names)
    return Ranking(scores, order, names, chosen.name, "no machine", grouped)


def _scores(criterion: Criterion, sums: FilterSums, regression: bool) -> FloatArray:
    if regression:
        if not isinstance(criterion, Correlation):
            raise ValueError(_other(criterion))
        found = sums.products
        if found is None:
            raise ValueError("y must hold numbers for a regression.")
        # A filled value is the mean: it adds nothing to the products nor to the squares.
        total = sums.survey.moments.weight
        return correlation_of_moments(
            found.products[None, :] / total,
            np.sqrt([found.squares / total]),
            sums.survey.moments.squares / total,
        )
    assert sums.classes is not None
    fill = sums.survey.moments.mean
    parts = [sums.classes[label].filled(fill) for label in sorted(sums.classes)]
    counts = np.array([part.rows for part in parts])
    if (counts == 0.0).any():
        label = sorted(sums.classes)[int(counts.argmin())]
        raise ValueError(f"sample_weight must not be zero for a whole class: {label!r}.")
    means = np.array([part.mean for part in parts])
    variances = np.array([part.squares for part in parts]) / counts[:, None]
    if isinstance(criterion, SignalToNoise):
        return signal_to_noise_of_moments(counts, means, variances)
    if isinstance(criterion, FScore):
        return f_score_of_moments(counts, means, variances)
    if not isinstance(criterion, Correlation):
        raise ValueError(_other(criterion))
    shares = counts / counts.sum()
    mean = shares @ means
    chosen = slice(1 if len(counts) == 2 else 0, None)
    # y is ±1: its covariance with a column is 2 p_c (x̄_c − x̄), its variance 4 p_c (1 − p_c).
    covariances = (2.0 * shares[:, None] * (means - mean))[chosen]
    deviations = 2.0 * np.sqrt(shares * (1.0 - shares))[chosen]
    variance = shares @ (variances + (means - mean) ** 2)
    return correlation_of_moments(covariances, deviations, variance)


def _other(criterion: Criterion) -> str:
    return (
        f"criterion {criterion.name!r} is not a sum over rows; over row chunks use one of "
        f"{', '.join(IN_ONE_PASS)}, or a criterion of machine='nystroem'."
    )
