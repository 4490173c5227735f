"""How many features leave at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from numbers import Integral, Real
from typing import Any

from svmsieve.engine.arrays import check_count


class Schedule(ABC):
    """Says how many of the remaining features an elimination removes next.

    A number, a fraction or ``"auto"`` become one.

    See Also
    --------
    svmsieve.search.SeveralAtATime : ``k`` features at a time; 1 is the classical elimination one by
        one.
    svmsieve.search.FractionOfRemaining : A fraction of the features *that remain*.
    svmsieve.search.HalveThenOneByOne : Half of the features at a time until ``until`` remain, then
        one by one (Rakotomamonjy 2003).
    svmsieve.search.Tiers : Steps that shrink with the number of features: pairs (until, step),
        largest first.
    svmsieve.search.Thinning : A quarter to a third at a time, and one by one at the end: sizes that
        are told apart.

    Examples
    --------
    >>> from svmsieve.search import make_schedule
    >>> make_schedule(0.5).sizes(20, 2)
    [20, 10, 5, 3, 2]
    """

    @abstractmethod
    def n_to_remove(self, n_remaining: int) -> int:
        """Return the wished number, at least 1; the search never goes below the requested size.

        Parameters
        ----------
        n_remaining : int
            Number of features that are left.

        Returns
        -------
        int
            The wished number, at least 1; the search never goes below the requested size.
        """

    def sizes(self, n_features: int, smallest: int) -> list[int]:
        """Return the sizes an elimination from ``n_features`` down to ``smallest`` visits.

        Parameters
        ----------
        n_features : int
            Number of features at the start.
        smallest : int
            Number at the end.

        Returns
        -------
        list of int
            The sizes an elimination from ``n_features`` down to ``smallest`` visits.

        Examples
        --------
        >>> SeveralAtATime(3).sizes(10, 2)
        [10, 7, 4, 2]
        """
        sizes = [n_features]
        while sizes[-1] > smallest:
            sizes.append(max(smallest, sizes[-1] - self.n_to_remove(sizes[-1])))
        return sizes

    def __repr__(self) -> str:
        options = ", ".join(f"{key}={value!r}" for key, value in vars(self).items())
        return f"{type(self).__name__}({options})"


@dataclass(frozen=True)
class SeveralAtATime(Schedule):
    """``k`` features at a time; 1 is the classical elimination one by one.

    The last step may be smaller.

    Parameters
    ----------
    k : int, default=1
        Number of features that leave together.

    See Also
    --------
    svmsieve.search.FractionOfRemaining : A fraction of the features *that remain*.
    svmsieve.search.Tiers : Steps that shrink with the number of features: pairs (until, step),
        largest first.

    Examples
    --------
    >>> from svmsieve.search import SeveralAtATime
    >>> SeveralAtATime(3).sizes(10, 2)
    [10, 7, 4, 2]
    """

    k: int = 1

    def __post_init__(self) -> None:
        check_count(self.k, "step")

    def n_to_remove(self, n_remaining: int) -> int:
        """Return k."""
        return self.k


@dataclass(frozen=True)
class FractionOfRemaining(Schedule):
    """A fraction of the features *that remain*.

    A fraction in scikit-learn's RFE is of those it started with.  Steps
    shrink as the features do: O(log d) of them.

    Parameters
    ----------
    fraction : float
        Share of the remaining features that leaves, between 0 and 1.

    See Also
    --------
    svmsieve.search.SeveralAtATime : ``k`` features at a time; 1 is the classical elimination one by
        one.
    svmsieve.search.HalveThenOneByOne : Half of the features at a time until ``until`` remain, then
        one by one (Rakotomamonjy 2003).

    Examples
    --------
    >>> from svmsieve.search import FractionOfRemaining
    >>> FractionOfRemaining(0.5).sizes(20, 2)
    [20, 10, 5, 3, 2]
    """

    fraction: float

    def __post_init__(self) -> None:
        if not 0.0 < self.fraction < 1.0:
            raise ValueError(f"step must be between 0 and 1 as a fraction, got {self.fraction!r}.")

    def n_to_remove(self, n_remaining: int) -> int:
        """Return the fraction's number, at least 1."""
        return max(1, int(self.fraction * n_remaining))


@dataclass(frozen=True)
class HalveThenOneByOne(Schedule):
    """Half of the features at a time until ``until`` remain, then one by one (Rakotomamonjy 2003).

    What ``step="auto"`` means.

    Parameters
    ----------
    until : int, default=100
        Number of features from which on they leave one by one.

    See Also
    --------
    svmsieve.search.FractionOfRemaining : A fraction of the features *that remain*.
    svmsieve.search.Tiers : Steps that shrink with the number of features: pairs (until, step),
        largest first.

    Examples
    --------
    >>> from svmsieve.search import HalveThenOneByOne
    >>> HalveThenOneByOne(100).sizes(450, 98)
    [450, 225, 113, 100, 99, 98]
    """

    until: int = 100

    def __post_init__(self) -> None:
        check_count(self.until, "until")

    def n_to_remove(self, n_remaining: int) -> int:
        """Return half, not below ``until``, or 1."""
        return max(1, min(n_remaining // 2, n_remaining - self.until))


@dataclass(frozen=True)
class Tiers(Schedule):
    """Steps that shrink with the number of features: pairs (until, step), largest first.

    Shen et al. (2008) on MADELON, 100 at a time until 100 are left, then 20 until 20, then 1.

    Parameters
    ----------
    tiers : sequence of pairs of int
        Pairs (until, step): ``step`` features leave at a time until ``until`` are left.

    See Also
    --------
    svmsieve.search.HalveThenOneByOne : Half of the features at a time until ``until`` remain, then
        one by one (Rakotomamonjy 2003).
    svmsieve.search.SeveralAtATime : ``k`` features at a time; 1 is the classical elimination one by
        one.

    Examples
    --------
    >>> from svmsieve.search import Tiers
    >>> Tiers([(100, 100), (20, 20), (1, 1)]).sizes(500, 18)
    [500, 400, 300, 200, 100, 80, 60, 40, 20, 19, 18]
    """

    tiers: Sequence[tuple[int, int]]

    def __post_init__(self) -> None:
        for until, step in self.tiers:
            check_count(until, "until")
            check_count(step, "step")
        ends = [until for until, _ in self.tiers]
        if ends != sorted(ends, reverse=True) or len(set(ends)) < len(ends):
            raise ValueError(f"tiers must be given from the largest size down, got {self.tiers!r}.")

    def n_to_remove(self, n_remaining: int) -> int:
        """Return the step of the tier, not below its end."""
        for until, step in self.tiers:
            if n_remaining > until:
                return min(step, n_remaining - until)
        return 1


@dataclass(frozen=True)
class Thinning(Schedule):
    """A quarter to a third at a time, and one by one at the end: sizes that are told apart.

    What ``step="auto"`` means where machines follow the size.

    See Also
    --------
    svmsieve.search.HalveThenOneByOne : Half of the features at a time until ``until`` remain, then
        one by one (Rakotomamonjy 2003).
    svmsieve.search.FractionOfRemaining : A fraction of the features *that remain*.

    Examples
    --------
    >>> from svmsieve.search import Thinning
    >>> Thinning().sizes(30, 1)
    [30, 24, 20, 16, 12, 10, 8, 6, 5, 4, 3, 2, 1]
    """

    def n_to_remove(self, n_remaining: int) -> int:
        """Return the number down to the next of 1 to 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, …."""
        return n_remaining - next(size for size in _told_apart() if size < n_remaining)


@lru_cache(maxsize=1)
def _told_apart() -> list[int]:
    """The sizes, largest first."""
    doubled = [2**e for e in range(7, 40)]
    return [*doubled[::-1], 96, 64, 48, 32, 24, 20, 16, 12, 10, 8, 6, 5, 4, 3, 2, 1]


def make_schedule(step: Any) -> Schedule:
    """Return a schedule from a number of features, a fraction of the remaining, or ``"auto"``.

    ``"auto"`` halves until 100 features remain and then goes one by one.

    Parameters
    ----------
    step : int, float, "auto" or Schedule
        Number, fraction, ``"auto"`` or a schedule.

    Returns
    -------
    Schedule
        A schedule from a number of features, a fraction of the remaining, or ``"auto"``.
    """
    if isinstance(step, Schedule):
        return step
    if isinstance(step, str) and step == "auto":
        return HalveThenOneByOne()
    if isinstance(step, Integral) and not isinstance(step, bool):
        return SeveralAtATime(int(step))
    if isinstance(step, Real) and not isinstance(step, bool):
        return FractionOfRemaining(float(step))
    raise ValueError(
        f"step must be a number of features, a fraction, 'auto' or a Schedule, got {step!r}."
    )
