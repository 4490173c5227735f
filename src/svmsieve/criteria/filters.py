"""Criteria that look at one feature and the target at a time, without a machine."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from svmsieve.criteria.contract import CLASSIFICATION, EVERY_TASK, Criterion, Data, Fitted, Task
from svmsieve.engine.arrays import FloatArray, Matrix
from svmsieve.engine.machines.target import Classes

_FLOOR = 1e-12


def _products(weights: FloatArray, X: Matrix) -> tuple[FloatArray, FloatArray]:
    """Return ``weights @ X`` and ``weights @ X²``, O(n d) for each row of weights."""
    squares = X.multiply(X).tocsr() if sp.issparse(X) else X**2
    return np.asarray(weights @ X), np.asarray(weights @ squares)


def _class_moments(data: Data) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the classes' sizes (k; sums of weights), means and variances (k × d) of every feature.

    The columns are centred first, so that the variance loses no digits to a far-off mean (dense
    input; a sparse column's mean is near its zeros anyway).
    """
    assert isinstance(data.target, Classes)
    weights = data.copies
    membership = np.zeros((len(data.target.classes), len(weights)))
    membership[data.target.codes, np.arange(len(weights))] = weights
    counts = membership.sum(axis=1)
    shift = np.zeros(data.X.shape[1]) if sp.issparse(data.X) else data.X.mean(axis=0)
    sums, squares = _products(membership, data.X if sp.issparse(data.X) else data.X - shift)
    means = sums / counts[:, None]
    variances = np.maximum(squares / counts[:, None] - means**2, 0.0)
    return counts, means + shift, variances


def _ratio(numerator: FloatArray, denominator: FloatArray, scale: FloatArray) -> FloatArray:
    """Divide; a spread of zero counts as a trillionth of the feature's scale, so nothing is infinite."""
    floor = _FLOOR * scale
    safe = np.maximum(denominator, floor)
    return np.divide(numerator, safe, out=np.zeros_like(numerator), where=safe > 0.0)


def correlation_of_moments(
    covariances: FloatArray, deviations: FloatArray, variances: FloatArray
) -> FloatArray:
    """Return the largest absolute correlation of each column with the targets (rows of covariances)."""
    spread = deviations[:, None] * np.sqrt(variances)
    values = np.divide(
        np.abs(covariances), spread, out=np.zeros_like(covariances), where=spread > 0.0
    )
    return np.minimum(values.max(axis=0), 1.0)


def signal_to_noise_of_moments(
    counts: FloatArray, means: FloatArray, variances: FloatArray
) -> FloatArray:
    """Return the signal-to-noise ratios from the classes' sizes (k), means and variances (k × d)."""
    scores = np.zeros(means.shape[1])
    for c in range(1 if len(counts) == 2 else 0, len(counts)):
        rest = np.arange(len(counts)) != c
        share = counts[rest] / counts[rest].sum()
        rest_mean = share @ means[rest]
        rest_variance = share @ (variances[rest] + (means[rest] - rest_mean) ** 2)
        gap = np.abs(means[c] - rest_mean)
        spread = np.sqrt(variances[c]) + np.sqrt(rest_variance)
        scores = np.maximum(scores, _ratio(gap, spread, gap))
    return scores


def f_score_of_moments(counts: FloatArray, means: FloatArray, variances: FloatArray) -> FloatArray:
    """Return the F-scores from the classes' sizes (k), means and variances (k × d)."""
    overall = counts @ means / counts.sum()
    between = ((means - overall) ** 2).sum(axis=0)
    # Weights may be fractions: a size below 2 has no n − 1 to speak of.
    unbiased = np.maximum(counts / np.maximum(counts - 1.0, 1.0), 1.0)
    within = (variances * unbiased[:, None]).sum(axis=0)
    return _ratio(between, within, between)


class Correlation(Criterion):
    """Absolute Pearson correlation with the target.

    ``|Σ_j (x_ji − x̄_i)(y_j − ȳ)| / (n σ(x_i) σ(y))``; for classes y is ±1, for more than two the
    largest over one class against the rest.  O(n d).  The baseline of Rakotomamonjy (2003) and
    Yang & Ong (2010).
    """

    name: ClassVar[str] = "correlation"
    tasks: ClassVar[frozenset[Task]] = EVERY_TASK
    machine: ClassVar[None] = None
    uses_kernel: ClassVar[bool] = False
    paper: ClassVar[str] = "Rakotomamonjy 2003, section 3"

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the absolute correlations."""
        target = data.target
        if isinstance(target, Classes):
            first = 1 if len(target.classes) == 2 else 0
            columns = range(first, len(target.classes))
            Y = np.array([np.where(target.codes == c, 1.0, -1.0) for c in columns])
        else:
            Y = target.values[None, :]
        weights = data.weights
        Y = Y - (Y @ weights)[:, None]
        deviation = np.sqrt((Y**2) @ weights)
        X = data.X
        if not sp.issparse(X):
            X = X - weights @ X
        covariances = np.asarray((Y * weights) @ X)
        sums, squares = _products(weights[None, :], X)
        variances = np.maximum(squares - sums**2, 0.0)[0]
        variances[variances <= _FLOOR * squares[0]] = 0.0
        return data.max_groups(correlation_of_moments(covariances, deviation, variances))


class SignalToNoise(Criterion):
    """Signal-to-noise ratio ``|μ₊ − μ₋| / (σ₊ + σ₋)`` of each feature.

    More than two classes: the largest over one class against the rest.  O(n d).
    """

    name: ClassVar[str] = "s2n"
    tasks: ClassVar[frozenset[Task]] = CLASSIFICATION
    machine: ClassVar[None] = None
    uses_kernel: ClassVar[bool] = False
    paper: ClassVar[str] = "Golub et al. 1999"

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the signal-to-noise ratios."""
        counts, means, variances = _class_moments(data)
        return data.max_groups(signal_to_noise_of_moments(counts, means, variances))


class FScore(Criterion):
    """F-score: distance of the class means over the spread within the classes.

    ``Σ_c (x̄_c − x̄)² / Σ_c [Σ_{j∈c} (x_j − x̄_c)² / (n_c − 1)]``, for two classes equation (4) of
    Chen & Lin (2006).  A weighted sample counts as that many copies.  O(n d).
    """

    name: ClassVar[str] = "f-score"
    tasks: ClassVar[frozenset[Task]] = CLASSIFICATION
    machine: ClassVar[None] = None
    uses_kernel: ClassVar[bool] = False
    paper: ClassVar[str] = "Chen & Lin 2006, eq. (4)"

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the F-scores."""
        counts, means, variances = _class_moments(data)
        return data.max_groups(f_score_of_moments(counts, means, variances))
