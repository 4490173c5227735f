"""The features that half samples agree on, with a bound on the expected number of false ones."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np

from svmsieve.search.contract import Search
from svmsieve.search.path import Path
from svmsieve.sizing.rules import Choice, SizeRule, refuse_growing
from svmsieve.sizing.tail_bound import noise_tail, tail_bound

_USUAL = 0.6
"""Share of the half samples that must choose a feature, unless each may then choose very few."""
_HIGHEST = 0.9
"""Share that may be asked for so that they choose more."""
_FEW = 6
"""How many each half should be able to choose: several true features, by several rankings."""
_LIKELY = 0.1
"""Probability beyond which no feature is let in by chance, however many false ones are asked for."""


@dataclass(frozen=True)
class Stable(SizeRule):
    """The features that most half samples choose; the expected number of false ones is bounded.

    The samples are divided into two halves at random, ``n_pairs`` times (classes evenly, groups of samples
    whole).  On each half the search is repeated, and the best q of the p features are chosen.  Selected are
    the features that at least a share τ of the 2·n_pairs halves choose (complementary pairs stability
    selection, Shah & Samworth 2013).  A feature that does so is chosen by both halves of at least
    (2τ − 1)·n_pairs pairs; halves of a pair have no sample in common, so that one that each half chooses
    with a probability of at most q/p is chosen by both with at most (q/p)², and

        E(number of such features selected) ≤ p · D((q/p)², 2τ − 1, n_pairs) ≤ expected_false.

    D is the largest probability of as many pairs for a number of pairs that is −½-concave with this mean
    (:func:`~svmsieve.sizing.tail_bound.tail_bound`).  q is the largest that allows τ = 0.6,
    but no fewer than six where a larger τ, up to 0.9, allows it; ``size_reason_`` has both.

    Without an estimator and with ``criterion="auto"`` each half has three rankings: by ``hsic`` with an RBF
    kernel (numbers: ``sd-gauss`` of an RBF machine), by ``lasso``, and by a filter.
    It chooses the q features with the best rank in any of them: that is one procedure, and the bound is
    untouched.  Nothing is tuned on the halves.  A criterion by name, or an estimator, ranks alone.

    What it says, and what it does not:

    - False are the features that a half sample chooses no more often than chance, q/p, would.  Noise is, on
      average; a feature that depends on a true one is chosen more often and does not count as false.
    - The bound rests on −½-concavity, which is not proven (Shah & Samworth argue for it); simulation is the
      evidence, and ``docs/quality/stable.md`` has it.  For independent normal noise and a filter the
      probability is known; D is never taken to be less than that.  Their second bound, from −¼-concavity of
      all halves, fails for such noise at small τ and is not used.
    - It is an expected number over all selected features, not a share: :class:`FDR` bounds the share.
      No feature is let in with a probability above 0.1 by chance, however large ``expected_false`` is.
    - A true feature that half the samples do not show is not selected, and no more than q/τ can be: it is
      for many features of which few matter.

    Where no feature reaches τ, nothing is selected, with a warning, as with :class:`FDR`.  Columns that were
    forced in by ``keep`` do not count.  ``selection_frequency_`` has the share of the halves that choose
    each feature; the order is by it.  The cost is 2·n_pairs searches of half the samples, through ``n_jobs``
    at a time.

    Parameters
    ----------
    expected_false : float, default=1.0
        Bound on the expected number of false features.
    n_pairs : int, default=50
        Pairs of half samples, at least 10.

    See Also
    --------
    svmsieve.FDR : As many features as a false-discovery rate allows.
    svmsieve.sizing.Enough : The smallest size that is nearly as good as the best, the scores
        averaged with their neighbours'.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 20))
    >>> y = X[:, 3] * X[:, 7] > 0
    >>> sieve = SVMSieve(SVC(), n_features_to_select=Stable(0.5, n_pairs=10)).fit(X, y)
    >>> sieve.get_support(indices=True).tolist()
    [3, 7]
    """

    expected_false: float = 1.0
    n_pairs: int = 50

    def __post_init__(self) -> None:
        wish = self.expected_false
        if not (isinstance(wish, Real) and not isinstance(wish, bool) and 0.0 < wish < np.inf):
            raise ValueError(f"Stable's expected_false must be a positive number, got {wish!r}.")
        if not (isinstance(self.n_pairs, Integral) and self.n_pairs >= 10):
            raise ValueError(
                f"Stable's n_pairs must be a whole number from 10, got {self.n_pairs!r}."
            )

    @property
    def half_pairs(self) -> int:
        """Pairs of half samples."""
        return int(self.n_pairs)

    def bound(self, n_tested: int, n_chosen: int, least: int) -> float:
        """Return the bound on the expected number of false features that ``least`` halves choose.

        Parameters
        ----------
        n_tested : int
            Number of features that may leave.
        n_chosen : int
            How many each half chooses.
        least : int
            How many halves must choose a feature.

        Returns
        -------
        float
            The bound on the expected number of false features that ``least`` halves choose.
        """
        share, pairs = n_chosen / n_tested, self.half_pairs
        agreeing = tail_bound(share**2, least - pairs, pairs)
        return n_tested * max(agreeing, noise_tail(share, least, 2 * pairs))

    def _holds(self, n_tested: int, n_chosen: int, least: int) -> bool:
        asked = min(float(self.expected_false), _LIKELY * n_tested)
        return self.bound(n_tested, n_chosen, least) <= asked

    def n_chosen(self, n_tested: int) -> int:
        """Return the most that each half may choose for the bound to hold at the usual share.

        Where that is very few, a few more, which more halves must then choose.
        """
        usual, more = (self._most(n_tested, share) for share in (_USUAL, _HIGHEST))
        return max(usual, min(_FEW, more))

    def _most(self, n_tested: int, share: float) -> int:
        """The most that each half may choose for the bound to hold at a share of the halves."""
        least = int(np.ceil(share * 2 * self.half_pairs))
        low = min(1, n_tested)
        high = max(low, n_tested // 2)
        while low < high:
            middle = (low + high + 1) // 2
            fits = self._holds(n_tested, middle, least)
            low, high = (middle, high) if fits else (low, middle - 1)
        return low

    def least(self, n_tested: int) -> int | None:
        """Return how many halves must choose a feature; None where no number is enough.

        Parameters
        ----------
        n_tested : int
            Number of features that may leave.

        Returns
        -------
        int or None
            How many halves must choose a feature; None where no number is enough.
        """
        chosen, pairs = self.n_chosen(n_tested), self.half_pairs
        times = range(pairs + 1, 2 * pairs + 1) if n_tested else ()
        return next((k for k in times if self._holds(n_tested, chosen, k)), None)

    def refuse(self, task: str, search: Search) -> None:
        """A search that stops on its way does not rank all features."""
        refuse_growing(search, "'stable'")

    def choose(self, path: Path) -> Choice:
        """Return the number of features that enough half samples choose; 0 where there is none."""
        times = path.times_chosen
        assert times is not None
        n_tested, halves = len(times), 2 * self.half_pairs
        n_kept, least = path.n_units - n_tested, self.least(n_tested)
        if least is None:
            return Choice(
                n_kept,
                f"half samples cannot tell which of {n_tested} feature{'s' * (n_tested != 1)} are false with "
                f"at most {self.expected_false:g} expected: raise expected_false or n_pairs, or use another "
                "rule",
            )
        chosen = self.n_chosen(n_tested)
        size, expected = int((times >= least).sum()), self.bound(n_tested, chosen, least)
        each = f"each of them {chosen} of {n_tested} features"
        how = f"at least {least} of {halves} half samples choose, {each}"
        if size == 0:
            return Choice(
                n_kept, f"there is none that {how} (the most is {int(times.max())} half samples)"
            )
        return Choice(n_kept + size, f"all that {how}: at most {expected:.2g} false expected")
