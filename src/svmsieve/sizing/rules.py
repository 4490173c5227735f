"""The rules: how many of the ranked features to keep, and why."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from svmsieve.engine.arrays import FloatArray
from svmsieve.search.contract import Search
from svmsieve.search.path import Path

_ROUNDING = 1e-12
"""Relative difference up to which two scores are equal."""


class Choice(NamedTuple):
    """A size and the reason for it, in words."""

    size: int
    reason: str


class SizeRule(ABC):
    """Chooses a size from the path of a search.

    A subclass implements :meth:`choose`, and says what it needs to know.

    See Also
    --------
    svmsieve.sizing.Enough : The smallest size that is nearly as good as the best, the scores
        averaged with their neighbours'.
    svmsieve.sizing.Fixed : A given number of features.

    Examples
    --------
    >>> from svmsieve.sizing import SizeRule, make_rule
    >>> isinstance(make_rule("1se"), SizeRule)
    True
    """

    needs_cv: ClassVar[bool] = False
    """Whether the rule looks at cross-validated scores."""
    needs_guess: ClassVar[bool] = False
    """Whether the rule looks at the score of guessing in the same folds."""
    needs_bound: ClassVar[bool] = False
    """Whether the rule looks at the bound on the leave-one-out error."""

    @property
    def probe_copies(self) -> int:
        """Permuted copies of each feature that are ranked along with them, in turns, for the rule."""
        return 0

    @property
    def half_pairs(self) -> int:
        """Pairs of half samples that choose features for the rule."""
        return 0

    def n_chosen(self, n_tested: int) -> int:
        """Return how many of the features that may leave each half sample chooses.

        Parameters
        ----------
        n_tested : int
            Number of features that may leave.

        Returns
        -------
        int
            How many of the features that may leave each half sample chooses.
        """
        return 0

    def fixed_size(self, n_units: int) -> int | None:
        """Return the size if it does not depend on the path, so that the search can end there.

        Parameters
        ----------
        n_units : int
            Number of features, a group counting as one.

        Returns
        -------
        int or None
            The size if it does not depend on the path, so that the search can end there.
        """
        return None

    def refuse(self, task: str, search: Search) -> None:  # noqa: B027
        """Raise a ValueError if the rule cannot choose for this kind of target or search.

        Parameters
        ----------
        task : str
            ``"binary"``, ``"multiclass"`` or ``"regression"``.
        search : Search
            The search that makes the path.
        """

    @abstractmethod
    def choose(self, path: Path) -> Choice:
        """Return the chosen size and why; a size of 0 selects nothing.

        Parameters
        ----------
        path : Path
            What was found at each size.

        Returns
        -------
        Choice
            Size and reason.
        """

    def __repr__(self) -> str:
        options = ", ".join(f"{key}={value!r}" for key, value in vars(self).items())
        return f"{type(self).__name__}({options})"


def refuse_growing(search: Search, rule: str) -> None:
    """Refuse a search that stops on its way, and ranks not all features alike, for a rule of this name."""
    if search.forward:
        raise ValueError(
            f"n_features_to_select={rule} needs a search that ranks all features, 'rfe' or 'once', got "
            f"{search.name!r}."
        )


def asked_for(size: int) -> str:
    """Why a size is taken that somebody asked for, in words."""
    return f"{size} feature{' was' if size == 1 else 's were'} asked for"


@dataclass(frozen=True)
class Fixed(SizeRule):
    """A given number of features.

    No folds are needed, so that the search ends there.

    Parameters
    ----------
    n : int
        How many, a group counting as one.

    See Also
    --------
    svmsieve.sizing.Fraction : A fraction of the features, at least one.
    svmsieve.sizing.Enough : The smallest size that is nearly as good as the best, the scores
        averaged with their neighbours'.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> from svmsieve.sizing import Fixed
    >>> int(SVMSieve(SVC(), n_features_to_select=Fixed(2)).fit(X, y).n_features_)
    2
    """

    n: int

    def fixed_size(self, n_units: int) -> int:
        """Return the number; more than there are features is refused."""
        if not 1 <= self.n <= n_units:
            raise ValueError(
                f"n_features_to_select must be between 1 and the {n_units} features there are, got "
                f"{self.n}."
            )
        return int(self.n)

    def choose(self, path: Path) -> Choice:
        """Return the number."""
        return Choice(int(self.n), asked_for(self.n))


@dataclass(frozen=True)
class Fraction(SizeRule):
    """A fraction of the features, at least one.

    No folds are needed, so that the search ends there.

    Parameters
    ----------
    fraction : float
        Share of the features, between 0 and 1.

    See Also
    --------
    svmsieve.sizing.Fixed : A given number of features.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> from svmsieve.sizing import Fraction
    >>> int(SVMSieve(SVC(), n_features_to_select=Fraction(0.4)).fit(X, y).n_features_)
    2
    """

    fraction: float

    def __post_init__(self) -> None:
        if not 0.0 < self.fraction <= 1.0:
            raise ValueError(
                f"n_features_to_select must be between 0 and 1 as a fraction, got {self.fraction!r}."
            )

    def fixed_size(self, n_units: int) -> int:
        """Return the fraction's number of features."""
        return max(1, int(self.fraction * n_units))

    def choose(self, path: Path) -> Choice:
        """Return the fraction's number of features."""
        size = self.fixed_size(path.n_units)
        return Choice(size, f"a fraction of {self.fraction:g} was asked for")


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
