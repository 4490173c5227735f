"""Rules that go by the scores of the path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from svmsieve.engine.arrays import FloatArray
from svmsieve.search.contract import Search
from svmsieve.search.path import Path
from svmsieve.sizing.rules import Choice, SizeRule

_ROUNDING = 1e-12
"""Relative difference up to which two scores are equal."""


def mean_scores(path: Path) -> FloatArray:
    """The mean scores, none of them undefined."""
    means = path.mean_score
    if not np.isfinite(means).all():
        raise ValueError(
            "scoring must give a finite number on every fold; choose another scoring, or a cv whose "
            "folds hold more samples."
        )
    return means


def _first_best(means: FloatArray, largest: FloatArray) -> int:
    """The first of the means that equal the highest but for rounding.

    Sums of the same numbers in another order differ by their rounding, which grows with the largest of
    the numbers that each is the mean of.
    """
    best = int(np.argmax(means))
    equal = means >= means[best] - _ROUNDING * np.maximum(largest, largest[best])
    return int(np.flatnonzero(equal)[0])


def _best_size(path: Path) -> tuple[int, FloatArray]:
    """Place of the best size in the path, of equal ones the smallest, and the mean scores."""
    means = mean_scores(path)
    return _first_best(means, np.abs(path.fold_scores).max(axis=1)), means


@dataclass(frozen=True)
class Best(SizeRule):
    """The size with the best cross-validated score; of equal ones, but for rounding, the smallest.

    It keeps more features than rules that allow a little loss.

    See Also
    --------
    svmsieve.sizing.OneStandardError : The smallest size whose mean score is within one standard
        error of the best size's.
    svmsieve.sizing.Enough : The smallest size that is nearly as good as the best, the scores
        averaged with their neighbours'.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> from svmsieve.sizing import Best
    >>> sieve = SVMSieve(SVC(), n_features_to_select=Best(), cv=3).fit(X, y)
    >>> sieve.size_reason_
    'best cross-validated score, 0.9667'
    """

    needs_cv: ClassVar[bool] = True

    def choose(self, path: Path) -> Choice:
        """Return the best size."""
        best, means = _best_size(path)
        size = int(path.n_features[best])
        return Choice(size, f"best cross-validated score, {means[best]:.4g}")


@dataclass(frozen=True)
class OneStandardError(SizeRule):
    """The smallest size whose mean score is within one standard error of the best size's.

    The standard error is that of the best size's mean over its folds; of equal best sizes the smallest's.

    See Also
    --------
    svmsieve.sizing.Enough : The smallest size that is nearly as good as the best, the scores
        averaged with their neighbours'.
    svmsieve.sizing.Best : The size with the best cross-validated score; of equal ones, but for
        rounding, the smallest.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> from svmsieve.sizing import OneStandardError
    >>> sieve = SVMSieve(SVC(), n_features_to_select=OneStandardError(), cv=3).fit(X, y)
    >>> int(sieve.n_features_)
    2
    """

    needs_cv: ClassVar[bool] = True

    def choose(self, path: Path) -> Choice:
        """Return the smallest size that is as good as the best within its error."""
        best, means = _best_size(path)
        error = float(path.se_score[best])
        error = error if np.isfinite(error) else 0.0
        # A score that equals the limit but for rounding counts as within.
        rounding = _ROUNDING * np.abs(path.fold_scores).max(axis=1)
        within = means >= means[best] - error - np.maximum(rounding, rounding[best])
        size = int(path.n_features[within].min())
        return Choice(
            size,
            f"smallest size within one standard error ({error:.2g}) of the best score, "
            f"{means[best]:.4g} with {int(path.n_features[best])} "
            f"feature{'' if path.n_features[best] == 1 else 's'}",
        )


@dataclass(frozen=True)
class Bound(SizeRule):
    """The size with the smallest bound R²‖w‖²/n on the leave-one-out error (Rakotomamonjy 2003, 4.1).

    The bound is loose: the paper finds it to choose worse than validation.

    See Also
    --------
    svmsieve.sizing.Enough : The smallest size that is nearly as good as the best, the scores
        averaged with their neighbours'.
    svmsieve.sizing.Best : The size with the best cross-validated score; of equal ones, but for
        rounding, the smallest.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> from svmsieve.sizing import Bound
    >>> sieve = SVMSieve(SVC(), n_features_to_select=Bound()).fit(X, y)
    >>> 0 < sieve.n_features_ <= 5
    True
    """

    needs_bound: ClassVar[bool] = True

    def refuse(self, task: str, search: Search) -> None:
        """Only machines of an elimination for classes have the bound."""
        if task == "regression" or search.forward:
            raise ValueError(
                "n_features_to_select='bound' needs classes and search='rfe' or 'once', got "
                f"{task} and {search.name!r}; use 'best' or '1se'."
            )

    def choose(self, path: Path) -> Choice:
        """Return the size of the smallest bound."""
        best = _first_best(-path.bound, np.abs(path.bound))
        size = int(path.n_features[best])
        return Choice(size, f"smallest radius/margin bound, {path.bound[best]:.3g}")


@dataclass(frozen=True)
class Threshold(SizeRule):
    """Remove features as long as their score stays small (Rakotomamonjy 2003, 4.1).

    The elimination goes on while the scores of the features that leave are below ``fraction`` of the
    largest score of that step.

    Parameters
    ----------
    fraction : float, default=0.05
        Share of the largest score that counts as small.

    See Also
    --------
    svmsieve.sizing.Bound : The size with the smallest bound R²‖w‖²/n on the leave-one-out error
        (Rakotomamonjy 2003, 4.1).

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> from svmsieve.sizing import Threshold
    >>> sieve = SVMSieve(SVC(), n_features_to_select=Threshold(0.2)).fit(X, y)
    >>> 0 < sieve.n_features_ <= 5
    True
    """

    fraction: float = 0.05

    def refuse(self, task: str, search: Search) -> None:
        """A search without a criterion has no ranking term."""
        if not search.uses_criterion:
            raise ValueError(
                "n_features_to_select='threshold' looks at the criterion, which plays no part in "
                f"search={search.name!r}; use 'best' or '1se'."
            )

    def choose(self, path: Path) -> Choice:
        """Return the size before the first removal of a feature that matters."""
        ratios = path.criterion / np.maximum(path.largest, np.finfo(np.float64).tiny)
        for i in range(len(ratios) - 1, -1, -1):
            if ratios[i] >= self.fraction:
                return Choice(
                    int(path.n_features[i]),
                    f"removing more would take features with at least {self.fraction:g} of the "
                    "largest score",
                )
        return Choice(int(path.n_features[0]), "no removed feature reached the threshold")
