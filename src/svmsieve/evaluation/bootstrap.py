"""Bootstrap replicates as outer splits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from svmsieve.engine.arrays import IntArray
from svmsieve.inputs.target import is_regression
from svmsieve.runtime.seeds import seed_of


class Bootstrap:
    """Train on as many samples as there are, drawn with replacement; test on those never drawn.

    On average 1 − 1/e = 63 % of the samples are in a replicate.  Classes are drawn from separately, so that
    each keeps its number; floats are classes where they are few whole numbers, each more than once.
    A sample drawn twice can be on both sides of a split *inside* a replicate: a size chosen there by
    cross-validation is judged too kindly.  Where the size is chosen by cross-validation,
    ``StratifiedShuffleSplit(50, test_size=0.5)``, subsampling without replacement, is the better choice
    (Meinshausen & Bühlmann 2010).

    Parameters
    ----------
    n_replicates : int, default=50
        Number of replicates.
    random_state : int, RandomState or None, default=None
        Seed; None is 0.

    See Also
    --------
    svmsieve.nested_evaluate : Judge a method by samples that no part of it saw.
    svmsieve.compare : Judge several methods on the same outer folds and test their differences.

    Examples
    --------
    >>> train, test = next(Bootstrap(50).split(range(4), ["a", "a", "b", "b"]))
    >>> len(train), set(train) & set(test)
    (4, set())
    """

    def __init__(self, n_replicates: int = 50, random_state: Any = None) -> None:
        self.n_replicates = n_replicates
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of replicates.

        Parameters
        ----------
        X : ignored, default=None
            Not looked at.
        y : ignored, default=None
            Not looked at.
        groups : ignored, default=None
            Not looked at.

        Returns
        -------
        int
            The number of replicates.
        """
        return self.n_replicates

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield drawn samples and those left out; a draw that leaves none out is drawn again.

        Parameters
        ----------
        X : array-like
            The samples; only their number counts.
        y : array-like or None, default=None
            Classes, to draw from separately; None or numbers: all samples alike.
        groups : ignored, default=None
            Not looked at.

        Yields
        ------
        tuple of ndarray of int
            Drawn samples, and those left out.
        """
        rows = np.arange(X.shape[0] if hasattr(X, "shape") else len(X))
        labels = np.zeros(len(rows)) if y is None else np.asarray(y)
        strata = [rows]
        if _are_classes(labels):
            strata = [rows[labels == label] for label in np.unique(labels)]
        if max(map(len, strata)) < 2:
            raise ValueError(
                "Bootstrap needs at least two samples, of some class where y has classes."
            )
        for replicate in range(self.n_replicates):
            rng = np.random.default_rng([seed_of(self.random_state), replicate])
            test = rows[:0]
            while len(test) == 0:
                drawn = [rng.choice(stratum, len(stratum)) for stratum in strata]
                train = np.sort(np.concatenate(drawn))
                test = np.setdiff1d(rows, train)
            yield train, test


def _are_classes(labels: Any) -> bool:
    """Whether the target is drawn class by class: not numbers, nor floats that are no labels."""
    if labels.dtype.kind != "f":
        return True
    return not is_regression(labels) and bool(np.unique(labels, return_counts=True)[1].min() > 1)
