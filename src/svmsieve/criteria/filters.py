"""Criteria that look at one feature and the target at a time, without a machine."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from svmsieve.criteria.contract import CLASSIFICATION, EVERY_TASK, MomentCriterion, Task
from svmsieve.criteria.drivers import Moments
from svmsieve.engine.arrays import FloatArray

_FLOOR = 1e-12


def _ratio(numerator: FloatArray, denominator: FloatArray, scale: FloatArray) -> FloatArray:
    """Divide; a spread of zero counts as a trillionth of the feature's scale, so nothing is infinite."""
    floor = _FLOOR * scale
    safe = np.maximum(denominator, floor)
    return np.divide(numerator, safe, out=np.zeros_like(numerator), where=safe > 0.0)


def _weighted_sum(weights: FloatArray, rows: FloatArray) -> FloatArray:
    """Add rows up; in a matrix product the last digits of a column would depend on its place."""
    total: FloatArray = (weights[:, None] * rows).sum(axis=0)
    return total


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
        rest_mean = _weighted_sum(share, means[rest])
        rest_variance = _weighted_sum(share, variances[rest] + (means[rest] - rest_mean) ** 2)
        gap = np.abs(means[c] - rest_mean)
        spread = np.sqrt(variances[c]) + np.sqrt(rest_variance)
        scores = np.maximum(scores, _ratio(gap, spread, gap))
    return scores


def f_score_of_moments(counts: FloatArray, means: FloatArray, variances: FloatArray) -> FloatArray:
    """Return the F-scores from the classes' sizes (k), means and variances (k × d)."""
    overall = _weighted_sum(counts, means) / counts.sum()
    between = ((means - overall) ** 2).sum(axis=0)
    # Weights may be fractions: a size below 2 has no n − 1 to speak of.
    unbiased = np.maximum(counts / np.maximum(counts - 1.0, 1.0), 1.0)
    within = _weighted_sum(unbiased, variances)
    return _ratio(between, within, between)


class Correlation(MomentCriterion):
    """Absolute Pearson correlation with the target.

    ``|Σ_j (x_ji − x̄_i)(y_j − ȳ)| / (n σ(x_i) σ(y))``; for classes y is ±1, for more than two the
    largest over one class against the rest.  O(n d).  The baseline of Rakotomamonjy (2003) and
    Yang & Ong (2010).

    See Also
    --------
    svmsieve.criteria.SignalToNoise : Signal-to-noise ratio ``|μ₊ − μ₋| / (σ₊ + σ₋)`` of each
        feature.
    svmsieve.criteria.FScore : F-score: distance of the class means over the spread within the
        classes.
    svmsieve.criteria.Lasso : The penalty at which a feature enters the lasso.

    Examples
    --------
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import Correlation
    >>> from svmsieve.datasets import make_weston_linear
    >>> X, y = make_weston_linear(60, 10, random_state=0)
    >>> rank(X, y, Correlation()).order[:3].tolist()
    [2, 1, 0]
    """

    name: ClassVar[str] = "correlation"
    tasks: ClassVar[frozenset[Task]] = EVERY_TASK
    paper: ClassVar[str] = "Rakotomamonjy 2003, section 3"

    def of_moments(self, moments: Moments) -> FloatArray:
        """Return the absolute correlations."""
        return correlation_of_moments(*moments.with_target())


class SignalToNoise(MomentCriterion):
    """Signal-to-noise ratio ``|μ₊ − μ₋| / (σ₊ + σ₋)`` of each feature.

    More than two classes: the largest over one class against the rest.  O(n d).

    See Also
    --------
    svmsieve.criteria.FScore : F-score: distance of the class means over the spread within the
        classes.
    svmsieve.criteria.Correlation : Absolute Pearson correlation with the target.

    Examples
    --------
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import SignalToNoise
    >>> from svmsieve.datasets import make_weston_linear
    >>> X, y = make_weston_linear(60, 10, random_state=0)
    >>> rank(X, y, SignalToNoise()).order[:3].tolist()
    [2, 1, 0]
    """

    name: ClassVar[str] = "s2n"
    tasks: ClassVar[frozenset[Task]] = CLASSIFICATION
    paper: ClassVar[str] = "Golub et al. 1999"

    def of_moments(self, moments: Moments) -> FloatArray:
        """Return the signal-to-noise ratios."""
        return signal_to_noise_of_moments(*moments.by_class())


class FScore(MomentCriterion):
    """F-score: distance of the class means over the spread within the classes.

    ``Σ_c (x̄_c − x̄)² / Σ_c [Σ_{j∈c} (x_j − x̄_c)² / (n_c − 1)]``, for two classes equation (4) of
    Chen & Lin (2006).  A weighted sample counts as that many copies.  O(n d).

    See Also
    --------
    svmsieve.criteria.SignalToNoise : Signal-to-noise ratio ``|μ₊ − μ₋| / (σ₊ + σ₋)`` of each
        feature.
    svmsieve.criteria.Correlation : Absolute Pearson correlation with the target.
    svmsieve.FScoreSVC : A tuned RBF SVM on the features with the highest F-scores: "F+SVM".

    Examples
    --------
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import FScore
    >>> from svmsieve.datasets import make_weston_linear
    >>> X, y = make_weston_linear(60, 10, random_state=0)
    >>> rank(X, y, FScore()).order[:3].tolist()
    [2, 1, 0]
    """

    name: ClassVar[str] = "f-score"
    tasks: ClassVar[frozenset[Task]] = CLASSIFICATION
    paper: ClassVar[str] = "Chen & Lin 2006, eq. (4)"

    def of_moments(self, moments: Moments) -> FloatArray:
        """Return the F-scores."""
        return f_score_of_moments(*moments.by_class())
