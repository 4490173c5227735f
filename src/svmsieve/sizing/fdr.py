"""A size at a given false-discovery level, judged by permuted copies of the features (probes)."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.search.contract import Search
from svmsieve.search.path import Path
from svmsieve.sizing.rules import Choice, SizeRule, refuse_growing


def estimated_fdp(probes_before: IntArray, n_probes: int) -> FloatArray:
    """Return the estimated share of false discoveries among the best k features, for each k.

    ``FDP(k) = (1 + V_k) · d/(m + 1) / k``: V_k of the m probes rank before the k-th of the d features.
    May exceed one.

    Examples
    --------
    >>> import numpy as np
    >>> estimated_fdp(np.array([0, 0, 2]), n_probes=5)
    array([0.5 , 0.25, 0.5 ])
    """
    d = len(probes_before)
    return (1.0 + probes_before) * d / ((n_probes + 1.0) * np.arange(1, d + 1))


@dataclass(frozen=True)
class FDR(SizeRule):
    """As many features as a false-discovery rate allows.

    Each feature has ``n_copies`` probes: its values, shuffled among the samples, each copy by a
    permutation of its own, so that it has the feature's distribution and no relation to anything (the
    probes of the NIPS 2003 challenge, Guyon et al. 2005, used for a test as by Stoppiglia et al. 2003).
    The features alone are ranked first: that is the order they are selected in.  Then features and
    probes of a fifth of them are ranked together, in random column order so that ties favour neither, in
    five turns for each copy.  With d features, m probes in all turns, and V_k of them ranked before the
    k-th best feature of their turn,

        FDP(k) = (1 + V_k) · d/(m + 1) / k      and      size = max {k : FDP(k) ≤ level}.

    This is the procedure of Benjamini & Hochberg (1995) on the p-values (1 + V_k)/(m + 1) of the features
    against the probes.  Where all probes are ranked at once, and null features and probes are
    exchangeable columns, given the target and the other features, the mean share of null features among
    the selected is at most ``level`` times the share of null features among all, for any number of
    samples and any criterion and search that treat columns alike (Bates et al. 2023; Marandon et al.
    2024).  The 1 in the numerator is what makes it hold for finite m, as in the knockoff+ filter of
    Barber & Candès (2015).  In turns it is not proven: a probe of each turn stands where a null feature
    would, and simulation is the evidence.  Over 40 data sets each (tests/paper: 150 samples, 20 features,
    RBF, ``fspp2``, level 0.1; null features independent, or in clusters) the mean share of false ones is
    0.08 and 0.05 without a signal, 0.06 and 0.01 for a linear one, 0.01 and 0 for XOR, 0.08 and 0.02 for a
    ring, 0.05 and 0.02 for XOR and a ring, its standard error 0.04 at most; found are 99, 89, 95 to 99
    and 51 to 71 % of the true features.
    What turns are for: many probes at once take the machine over.  Of the four features of XOR and a
    ring, among independent ones, the same 40 data sets find 24 % with as many probes at a time as there
    are features, 51 % with a fifth.

    What it assumes, and what it does not say:

    - A null feature is one that has to do neither with the target nor with the features that do, as
      probes have not.  A *redundant* feature, which repeats a relevant one, is no null feature: it
      counts as a true discovery.  Conditional independence is what knockoffs test; probes do not.
    - A null feature is exactly exchangeable with its own copies, so beyond any score as many null
      features are expected as copies of them.  Exchangeable with the copies of others it is where
      their distributions are alike; where they are not (binary columns among continuous ones), the
      guarantee is approximate.
    - Null features that depend on each other make the share of false discoveries more variable.
      Each probe has a permutation of its own: one for all of them would copy that dependence, and a
      cluster of null features would meet a cluster of probes as if in a single toss of a coin.
    - At least d/((m + 1)·level) features, about 1/(level·n_copies), can be selected, or none.  Each copy
      costs five searches among 1.2 times as many features, through ``n_jobs`` at a time; copies also make
      the result depend less on the seed.

    Where no size reaches the level, nothing is selected, with a warning: the fitted ``estimator_`` then
    predicts a constant, and ``transform`` gives no column, as scikit-learn's ``SelectFdr`` does.  Columns
    that were forced in by ``keep`` have no probes and do not count.

    Parameters
    ----------
    level : float, default=0.1
        The false-discovery rate, between 0 and 1.
    n_copies : int or "auto", default="auto"
        Probes for each feature, or ``"auto"``: 1/level of them, rounded up, so that a single
        feature can be selected.

    See Also
    --------
    svmsieve.Stable : The features that most half samples choose; the expected number of false ones
        is bounded.
    svmsieve.probe_report : Let a method choose among features and probes, and count the probes it
        selects.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 50)
    >>> X = rng.normal(size=(100, 60))
    >>> X[:, :20] += 2 * y[:, None]
    >>> sieve = SVMSieve(SVC(kernel="linear"), criterion="f-score", n_features_to_select=FDR(0.1))
    >>> int(sieve.fit(X, y).support_[:20].sum())
    20
    """

    level: float = 0.1
    n_copies: int | Literal["auto"] = "auto"

    def __post_init__(self) -> None:
        if not (isinstance(self.level, Real) and 0.0 < self.level < 1.0):
            raise ValueError(f"FDR's level must be between 0 and 1, got {self.level!r}.")
        if isinstance(self.n_copies, str) and self.n_copies == "auto":
            return
        if not (isinstance(self.n_copies, Integral) and self.n_copies >= 1):
            raise ValueError(
                f"FDR's n_copies must be a whole number from 1 or 'auto', got {self.n_copies!r}."
            )

    @property
    def probe_copies(self) -> int:
        """Probes for each feature."""
        # 1/0.1 and the like may be a little above the whole number they are.
        return int(np.ceil(1.0 / self.level - 1e-9)) if self.n_copies == "auto" else self.n_copies

    def refuse(self, task: str, search: Search) -> None:
        """A search that stops on its way does not rank probes and features alike."""
        refuse_growing(search, "FDR(...)")

    def choose(self, path: Path) -> Choice:
        """Return the largest size whose estimate is within the level; 0 where there is none."""
        before = path.probes_before
        assert before is not None
        n_probes = self.probe_copies * len(before)
        n_kept = path.n_units - len(before)
        estimate = estimated_fdp(before, n_probes)
        within = np.flatnonzero(estimate <= self.level)
        if len(within) == 0:
            fewest = int(np.ceil(len(before) / ((n_probes + 1.0) * self.level)))
            return Choice(
                n_kept,
                f"no size has an estimated false-discovery rate of at most {self.level:g}"
                + (f" ({estimate.min():.2g} is the lowest" if len(before) else " (nothing to test")
                + f"; fewer than {fewest} features cannot reach it with {n_probes} probes): raise "
                "level or n_copies",
            )
        size = int(within[-1]) + 1
        return Choice(
            n_kept + size,
            f"largest size with an estimated false-discovery rate of at most {self.level:g}: "
            f"{int(before[size - 1])} of {n_probes} probes rank before, {estimate[size - 1]:.2g}",
        )
