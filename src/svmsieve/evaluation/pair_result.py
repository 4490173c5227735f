"""The paired tests of two methods, and their sign in a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from svmsieve.evaluation.paired_tests import holm


@dataclass(frozen=True)
class PairResult:
    """Two methods at one size.

    One row of :meth:`Comparison.tests`.

    Parameters
    ----------
    first, second : str
        Names of the methods.
    size : int or None
        Number of features, None: the size each fold chose.
    mean_first, mean_second : float
        Means over the folds.
    gain : float
        By how much the first is better on average, negative where it is worse.
    t, p : float
        The paired t-test of the papers, which takes folds for independent.
    t_corrected, p_corrected : float
        The corrected resampled t-test of Nadeau & Bengio.
    p_holm : float
        ``p_corrected``, adjusted by Holm for all pairs it was asked for together with.
    sign : str
        ``"+"`` where the first wins, ``"-"`` where it loses, ``""`` for a tie, by ``p_holm``.
    paper_sign : str
        The same by ``p``, as in the tables of Yang & Ong 2010.

    See Also
    --------
    svmsieve.Comparison : Methods that were evaluated on the same outer folds.
    svmsieve.compare : Judge several methods on the same outer folds and test their differences.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve, compare
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> sieve = SVMSieve(SVC(), criterion="f-score", search="once", n_features_to_select=2)
    >>> (pair,) = compare({"two": sieve, "all": SVC()}, X, y, outer_cv=3).tests()
    >>> pair.first, pair.second, bool(0 <= pair.p_holm <= 1)
    ('two', 'all', True)
    """

    first: str
    second: str
    size: int | None
    mean_first: float
    mean_second: float
    gain: float
    t: float
    p: float
    t_corrected: float
    p_corrected: float
    p_holm: float
    sign: str
    paper_sign: str

    def to_dict(self) -> dict[str, Any]:
        """Return the values by name.

        Returns
        -------
        dict
            The values by name.
        """
        return asdict(self)


def adjusted(results: Sequence[PairResult], alpha: float) -> list[PairResult]:
    """The results as one family: those without a test, of a score not defined on some fold, stay so."""
    adjusted = np.array([result.p_corrected for result in results])
    defined = np.isfinite(adjusted)
    adjusted[defined] = holm(adjusted[defined])
    return [
        replace(result, p_holm=float(p), sign=sign(result.gain, float(p), alpha))
        for result, p in zip(results, adjusted, strict=True)
    ]


def sign(gain: float, p: float, alpha: float) -> str:
    if not p < alpha:
        return ""
    return "+" if gain > 0.0 else "-"
