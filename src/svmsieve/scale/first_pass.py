"""What one pass over the row chunks tells: moments and range of the columns, labels, what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.machines.target import TargetScale
from svmsieve.inputs.scaling import Scale
from svmsieve.inputs.table import LARGEST
from svmsieve.inputs.target import refuse_extremes
from svmsieve.scale.chunks import Chunk, Chunks

MOST_LABELS = 1000
"""Distinct values of a target above which they are numbers, not classes."""
_NONE = -1
"""Row number that stands for no row."""


@dataclass(frozen=True)
class Moments:
    """Sums of the columns of some rows, mergeable with those of other rows.

    Rows count with their weights.  Two parts are merged by the formula of Chan, Golub & LeVeque (1983),
    which loses no digits where a mean is far from zero.
    """

    n_rows: int
    weight: float
    """Sum of the rows' weights."""
    present: FloatArray
    """Sum of the weights of the rows whose value is not missing."""
    mean: FloatArray
    """Mean of the values that are not missing; 0 where all are."""
    squares: FloatArray
    """Weighted sum of the squared deviations from the mean."""
    lower: FloatArray
    upper: FloatArray
    n_missing: IntArray
    first_missing: IntArray
    """Number of the first row whose value is missing, −1 where none is."""
    rest: FloatArray
    """What the mean's double precision leaves off: far beyond the spread, that is one of its first digits."""

    @property
    def centre(self) -> FloatArray:
        """The mean to its last digit, however the rows are cut."""
        return self.mean + self.rest

    @classmethod
    def of(cls, chunk: Chunk, names: Sequence[str]) -> Moments:
        """Sum up one chunk; infinite values are refused by the names of their columns."""
        n, d = chunk.X.shape
        weight = chunk.copies
        total = float(weight.sum())
        if sp.issparse(chunk.X):
            X = chunk.X.tocsc()
            _refuse_large(X.data, chunk, names)
            if np.isnan(X.data).any():
                raise ValueError(
                    "X must not have missing values where it is sparse; fill them in or drop them."
                )
            stored = weight[X.indices]
            columns = np.repeat(np.arange(d), np.diff(X.indptr))
            mean = np.bincount(columns, stored * X.data, d) / (total or 1.0)
            gaps = X.data - mean[columns]
            # A column without zeros must not have a weight of rounding for them.
            zeros = np.where(np.diff(X.indptr) < n, total - np.bincount(columns, stored, d), 0.0)
            squares = np.bincount(columns, stored * gaps**2, d) + zeros * mean**2
            dense = chunk.X.min(axis=0).toarray().ravel(), chunk.X.max(axis=0).toarray().ravel()
            present, nothing = np.full(d, total), np.zeros(d, dtype=np.intp)
            none = nothing + _NONE
            return cls(n, total, present, mean, squares, *dense, nothing, none, np.zeros(d))
        _refuse_large(chunk.X, chunk, names)
        missing = np.isnan(chunk.X)
        n_missing = missing.sum(axis=0)
        values, shares = chunk.X, weight[:, None]
        if n_missing.any():
            values, shares = np.where(missing, 0.0, values), ~missing * shares
        present = np.broadcast_to(shares, values.shape).sum(axis=0)
        divisor = np.where(present > 0.0, present, 1.0)
        mean = (shares * values).sum(axis=0) / divisor
        gaps = values - mean
        rest = (shares * gaps).sum(axis=0) / divisor
        squares = np.maximum((shares * gaps**2).sum(axis=0) - present * rest**2, 0.0)
        lower = np.where(missing, np.inf, chunk.X).min(axis=0)
        upper = np.where(missing, -np.inf, chunk.X).max(axis=0)
        first = np.where(n_missing > 0, chunk.start + missing.argmax(axis=0), _NONE)
        return cls(n, total, present, mean, squares, lower, upper, n_missing, first, rest)

    def merge(self, other: Moments) -> Moments:
        """Return the moments of both parts' rows."""
        present = self.present + other.present
        share = other.present / np.where(present > 0.0, present, 1.0)
        gap = (other.mean - self.mean) + (other.rest - self.rest)
        mean = self.mean + share * gap
        rest = (self.mean - mean) + share * gap + self.rest
        first = np.where(self.first_missing == _NONE, other.first_missing, self.first_missing)
        return Moments(
            self.n_rows + other.n_rows,
            self.weight + other.weight,
            present,
            mean,
            self.squares + other.squares + gap**2 * share * self.present,
            np.minimum(self.lower, other.lower),
            np.maximum(self.upper, other.upper),
            self.n_missing + other.n_missing,
            first,
            rest,
        )

    def scale(self, *, standardise: bool, impute: bool, sparse: bool) -> Scale:
        """Return centre, spread and fill of the columns: what :meth:`Scale.of` finds in memory.

        A missing value is filled with the mean, so that it adds nothing to the spread.
        """
        centre = self.centre
        fill = centre if impute else None
        if not standardise:
            return Scale.none(len(self.mean), fill)
        variance = self.squares / self.weight
        variance = np.where(variance <= (1e-14 * np.abs(self.mean)) ** 2, 0.0, variance)
        deviation = np.where(variance > 0.0, np.sqrt(variance), 1.0)
        return Scale(np.zeros_like(centre) if sparse else centre, deviation, fill)

    @property
    def varies(self) -> Any:
        """Mask of the columns that are not constant."""
        return self.upper > self.lower

    def refuse_tiny(self, names: Sequence[str]) -> None:
        """Name the first column whose values are so small that they have no squares."""
        largest = np.maximum(np.abs(self.lower), np.abs(self.upper))
        bad = self.varies & (largest < 1.0 / LARGEST)
        if bad.any():
            column = int(np.flatnonzero(bad)[0])
            raise ValueError(
                f"column {names[column]!r} holds values of about {largest[column]:.0e}, whose squares are "
                "zero; multiply it."
            )

    def refuse_missing(self, names: Sequence[str]) -> None:
        """Name the first column that has missing values."""
        if self.n_missing.any():
            column = int(np.flatnonzero(self.n_missing)[0])
            n = int(self.n_missing[column])
            raise ValueError(
                f"column {names[column]!r} has {n} missing value{'s' * (n > 1)}, first in row "
                f"{self.first_missing[column]}; fill them before, "
                "for instance with the column's mean (X.fillna(X.mean()) of a data frame), or drop the rows."
            )


def _refuse_large(values: FloatArray, chunk: Chunk, names: Sequence[str]) -> None:
    if (np.abs(values) > LARGEST).any():
        bad = abs(chunk.X) > LARGEST
        row, column = (int(i[0]) for i in bad.nonzero())
        if np.isfinite(chunk.X[row, column]):
            raise ValueError(
                f"column {names[column]!r} holds values beyond {LARGEST:g}, whose squares are infinite; "
                "divide it."
            )
        raise ValueError(
            f"column {names[column]!r} has an infinite value in row {chunk.start + row}; replace it or "
            "drop the row."
        )


@dataclass(frozen=True)
class Labels:
    """The distinct values of a target, how often and with which weight; None: too many to list."""

    values: Any
    counts: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, chunk: Chunk) -> Labels:
        """List the labels of one chunk; a missing one is refused."""
        y = np.asarray(chunk.y)
        if y.dtype.kind == "f" and not np.isfinite(y).all():
            row = chunk.start + int(np.flatnonzero(~np.isfinite(y))[0])
            raise ValueError(f"y has a missing or infinite value in row {row}; drop that row.")
        if y.dtype.kind == "O":
            missing = [value is None or value != value for value in y]
            if any(missing):
                row = chunk.start + missing.index(True)
                raise ValueError(f"y has a missing value in row {row}; drop that row.")
            y = y.astype(str) if any(isinstance(value, str) for value in y) else y
        values, codes = np.unique(y, return_inverse=True)
        if len(values) > MOST_LABELS:
            return cls(None, np.empty(0), np.empty(0))
        counts = np.bincount(codes).astype(np.float64)
        return cls(values, counts, np.bincount(codes, chunk.copies).astype(np.float64))

    def merge(self, other: Labels) -> Labels:
        """Return the labels of both parts."""
        if self.values is None or other.values is None:
            return Labels(None, np.empty(0), np.empty(0))
        both = np.concatenate([self.values, other.values])
        values, codes = np.unique(both, return_inverse=True)
        if len(values) > MOST_LABELS:
            return Labels(None, np.empty(0), np.empty(0))
        counts, weights = np.zeros(len(values)), np.zeros(len(values))
        np.add.at(counts, codes, np.concatenate([self.counts, other.counts]))
        np.add.at(weights, codes, np.concatenate([self.weights, other.weights]))
        return Labels(values, counts, weights)


@dataclass(frozen=True)
class FirstPass:
    """Moments of the columns, moments and labels of the target, of all rows."""

    moments: Moments
    labels: Labels
    sparse: bool
    target: Moments | None
    """Moments of a target that holds numbers, as those of a table with this one column."""

    @classmethod
    def of(cls, chunks: Chunks) -> FirstPass:
        """Look at all chunks once, O(n d)."""
        found = chunks.total(survey_chunk, chunks.names)
        if found is None:
            raise ValueError("a part of the rows is empty; give more rows, or fewer folds.")
        survey: FirstPass = found
        return survey

    def merge(self, other: FirstPass) -> FirstPass:
        """Return the survey of both parts' rows."""
        target = None
        if self.target is not None and other.target is not None:
            with np.errstate(over="ignore", invalid="ignore"):  # refused where it is a target
                target = self.target.merge(other.target)
        return FirstPass(
            self.moments.merge(other.moments), self.labels.merge(other.labels), self.sparse, target
        )

    __add__ = merge

    def target_scale(self) -> TargetScale:
        """Return centre and spread of a numeric target: what :meth:`TargetScale.of` finds in memory."""
        if self.target is None:
            raise ValueError("y must be numeric.")
        centre, squares, lower, upper = (
            float(getattr(self.target, name)[0]) for name in ("centre", "squares", "lower", "upper")
        )
        refuse_extremes(lower, upper, "y")
        return TargetScale.of_moments(centre, squares / self.target.weight)


def survey_chunk(chunk: Chunk, names: Sequence[str]) -> FirstPass:
    """Look at one chunk; ``names`` of the columns are for messages."""
    if chunk.weight is not None and not (chunk.weight >= 0.0).all():
        row = chunk.start + int(np.flatnonzero(~(chunk.weight >= 0.0))[0])
        raise ValueError(f"sample_weight must not be negative or missing, it is in row {row}.")
    labels = Labels.of(chunk)
    try:
        numbers = np.asarray(chunk.y, dtype=np.float64)[:, None]
    except ValueError:
        target = None
    else:
        with np.errstate(over="ignore", invalid="ignore"):  # refused where it is a target
            if LARGEST < np.abs(numbers).max(initial=0.0) < np.inf:
                refuse_extremes(float(numbers.min()), float(numbers.max()), "y")
            target = Moments.of(chunk._replace(X=numbers), ["y"])
    return FirstPass(Moments.of(chunk, names), labels, sp.issparse(chunk.X), target)
