"""The rules: how many of the ranked features to keep, and why."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from svmsieve.search.contract import Search
from svmsieve.search.path import Path


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
