"""How much a selection depends on the samples: frequencies, Nogueira's index, rank correlation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t as student

from svmsieve.engine.arrays import FloatArray

_SHOWN = 10
_FEWEST_FOR_INTERVAL = 20
"""Replicates from which the index's interval covers at least 90 %."""


@dataclass(frozen=True)
class StabilityIndex:
    """Nogueira's index with its confidence interval; NaN where one or the other is not defined.

    What :func:`nogueira_index` returns.

    Parameters
    ----------
    value : float
        The index: 1 where all agree, 0 as chance.
    variance : float
        Its variance.
    lower : float
        Lower limit of the interval.
    upper : float
        Upper limit of the interval.
    level : float
        Level of the interval.

    See Also
    --------
    svmsieve.evaluation.nogueira_index : Return how stable the selection of features is over
        replicates.
    svmsieve.evaluation.Stability : What replicates of a selection agree on.

    Examples
    --------
    >>> from svmsieve.evaluation import nogueira_index
    >>> round(nogueira_index([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]]).value, 2)
    0.33
    """

    value: float
    variance: float
    lower: float
    upper: float
    level: float

    def __repr__(self) -> str:
        if not np.isfinite(self.lower):
            return f"{self.value:.3f}"
        return f"{self.value:.3f} [{self.lower:.3f}, {self.upper:.3f}] at {self.level:.0%}"


def nogueira_index(selected: Any, level: float = 0.95) -> StabilityIndex:
    """Return how stable the selection of features is over replicates.

    Nogueira, Sechidis & Brown (2018, JMLR 18(174), definition 4): with p_f the frequency of feature f over
    M replicates, d features and k̄ = Σ p_f the mean size,

        Φ = 1 − [(1/d) Σ_f M/(M−1) p_f (1 − p_f)] / [(k̄/d)(1 − k̄/d)].

    1 where all replicates agree, 0 in expectation for random selections; Kuncheva's index where all sizes
    are equal, Fleiss' κ in general.  Φ is asymptotically normal with variance
    ``(4/M²) Σ_i (φ_i − φ̄)²`` (their corollary 9),

        φ_i = [(1/d) Σ_f z_if p_f − k_i k̄/d² + (Φ/2)(2 k_i k̄/d² − k_i/d − k̄/d + 1)] / [(k̄/d)(1 − k̄/d)],

    z_if whether replicate i selected f and k_i its size.  The normal interval covers 40 to 90 % with 3 to 15
    replicates; here it is Student's t of M − 1 degrees with M/(M−1) of that variance, and is left out
    below 20 replicates, where this too covers less than 90 %, and where all replicates agree, which
    says nothing of the spread.  It takes the replicates for independent; folds and bootstrap replicates of
    one data set share samples, so it describes this data set's resampling, not new data sets.  Cost O(Md).

    Parameters
    ----------
    selected : array-like of bool
        Masks, shape (replicates, features).
    level : float, default=0.95
        Level of the confidence interval.

    Returns
    -------
    StabilityIndex
        NaN if every replicate selected everything, or nothing; limits NaN where they are left out.

    Examples
    --------
    >>> round(nogueira_index([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]]).value, 3)
    0.333
    """
    Z = np.asarray(selected, dtype=np.float64)
    if Z.ndim != 2 or Z.shape[0] < 2 or not np.isin(Z, (0.0, 1.0)).all():
        raise ValueError(
            "selected must hold masks of at least two replicates, shape (replicates, features)."
        )
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must be between 0 and 1, got {level!r}.")
    n_replicates, d = Z.shape
    frequency = Z.mean(axis=0)
    size = Z.sum(axis=1) / d
    mean_size = float(frequency.mean())
    chance = mean_size * (1.0 - mean_size)
    if not (0.0 < frequency.sum() < d):
        return StabilityIndex(np.nan, np.nan, np.nan, np.nan, level)
    spread = n_replicates / (n_replicates - 1) * np.mean(frequency * (1.0 - frequency))
    index = float(1.0 - spread / chance)
    agreement = Z @ frequency / d
    parts = (
        agreement
        - size * mean_size
        + index / 2.0 * (2.0 * size * mean_size - size - mean_size + 1.0)
    ) / chance
    variance = float(4.0 / n_replicates**2 * np.sum((parts - parts.mean()) ** 2))
    if n_replicates < _FEWEST_FOR_INTERVAL or variance <= 1e-24:
        return StabilityIndex(index, variance, np.nan, np.nan, level)
    quantile = float(student.ppf(0.5 + level / 2.0, n_replicates - 1))
    reach = quantile * float(np.sqrt(variance * n_replicates / (n_replicates - 1)))
    return StabilityIndex(index, variance, index - reach, index + reach, level)


def rank_correlations(orders: Any) -> FloatArray:
    """Return Spearman's correlation between the rankings of each two replicates.

    Parameters
    ----------
    orders : array-like of int
        Features of each replicate, best first, shape (replicates, features).

    Returns
    -------
    ndarray of float
        Spearman's correlation between the rankings of each two replicates.

    Examples
    --------
    >>> rank_correlations([[0, 1, 2], [2, 1, 0]]).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    orders = np.asarray(orders)
    ranks = np.argsort(orders, axis=1).astype(np.float64)
    if ranks.shape[1] < 2:
        raise ValueError("rankings of fewer than two features have no correlation.")
    centred = ranks - ranks.mean(axis=1, keepdims=True)
    return centred @ centred.T / (centred[0] @ centred[0])


@dataclass(frozen=True)
class Stability:
    """What replicates of a selection agree on.

    What :meth:`NestedEvaluation.stability` returns.

    Parameters
    ----------
    feature_names : list of str
        Names of all features.
    frequency : ndarray of float
        Share of the replicates that selected each.
    sizes : list of int
        Number of features each replicate selected.
    index : StabilityIndex
        Nogueira's index with its interval.
    correlation : ndarray of float or None, default=None
        Spearman's correlation between the rankings of each two replicates, None where the selector
        does not rank.
    mean_rank : ndarray of float or None, default=None
        Mean rank of each feature, 1 the best, None likewise.

    See Also
    --------
    svmsieve.NestedEvaluation : Scores of a method that was fitted anew, selection included, in
        every outer fold.
    svmsieve.evaluation.nogueira_index : Return how stable the selection of features is over
        replicates.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve, nested_evaluate
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> sieve = SVMSieve(SVC(), criterion="f-score", search="once", n_features_to_select=2)
    >>> evaluation = nested_evaluate(sieve, X, y, outer_cv=3)
    >>> evaluation.stability().sizes
    [2, 2, 2]
    """

    feature_names: list[str]
    frequency: FloatArray
    sizes: list[int]
    index: StabilityIndex
    correlation: FloatArray | None = None
    mean_rank: FloatArray | None = None

    @classmethod
    def of(
        cls,
        selected: Sequence[Any],
        orders: Sequence[Any] | None,
        feature_names: Sequence[str],
        level: float = 0.95,
    ) -> Stability:
        """Compute everything from the selected columns and, where there are any, the orders.

        Parameters
        ----------
        selected : sequence of arrays
            Selected columns of each replicate.
        orders : sequence of arrays or None
            All columns of each replicate, best first; None where nothing is ranked.
        feature_names : sequence of str
            Names of all features.
        level : float, default=0.95
            Level of the interval.

        Returns
        -------
        Stability
            Frequencies, index and correlations.
        """
        masks = np.zeros((len(selected), len(feature_names)), dtype=np.bool_)
        for mask, columns in zip(masks, selected, strict=True):
            mask[np.asarray(columns, dtype=np.intp)] = True
        correlation = mean_rank = None
        if orders is not None and len(feature_names) > 1:
            correlation = rank_correlations(orders)
            mean_rank = 1.0 + np.argsort(np.asarray(orders), axis=1).mean(axis=0)
        return cls(
            list(feature_names),
            masks.mean(axis=0),
            masks.sum(axis=1).tolist(),
            nogueira_index(masks, level),
            correlation,
            mean_rank,
        )

    @property
    def mean_correlation(self) -> float:
        """Mean rank correlation over the pairs of replicates; NaN without rankings."""
        if self.correlation is None:
            return float("nan")
        return float(self.correlation[np.triu_indices(len(self.correlation), 1)].mean())

    @property
    def _order(self) -> Any:
        """Features by frequency, then by mean rank, then by column."""
        second = np.zeros(len(self.frequency)) if self.mean_rank is None else self.mean_rank
        return np.lexsort((second, -self.frequency))

    def to_frame(self) -> Any:
        """Return a pandas frame, most frequent first: feature, frequency, mean rank, column.

        Returns
        -------
        DataFrame
            Feature, frequency, mean rank and column, most frequent first.
        """
        import pandas as pd

        order = self._order
        columns: dict[str, Any] = {
            "feature": [self.feature_names[i] for i in order],
            "frequency": self.frequency[order],
        }
        if self.mean_rank is not None:
            columns["mean_rank"] = self.mean_rank[order]
        columns["column"] = order
        return pd.DataFrame(columns)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, lists and strings.

        Returns
        -------
        dict
            Everything as plain numbers, lists and strings.
        """
        return {
            "feature_names": list(self.feature_names),
            "frequency": self.frequency.tolist(),
            "sizes": list(self.sizes),
            "index": dict(vars(self.index)),
            "mean_correlation": self.mean_correlation,
            "correlation": None if self.correlation is None else self.correlation.tolist(),
            "mean_rank": None if self.mean_rank is None else self.mean_rank.tolist(),
        }

    def __repr__(self) -> str:
        lines = [f"Stability over {len(self.sizes)} replicates: index {self.index!r}"]
        if self.correlation is not None:
            lines.append(f"mean rank correlation {self.mean_correlation:.3f}")
        for i in self._order[:_SHOWN]:
            if self.frequency[i] > 0.0:
                lines.append(f"  {self.frequency[i]:5.0%}  {self.feature_names[i]}")
        more = int((self.frequency > 0.0).sum()) - _SHOWN
        if more > 0:
            lines.append(f"         … {more} more")
        return "\n".join(lines)
