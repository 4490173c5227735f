"""Paired tests of two methods judged on the same splits, and corrections for many of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import t as student

from svmsieve.engine.arrays import FloatArray


class PairedTest(NamedTuple):
    """Result of a two-sided t-test.

    What :func:`paired_t_test` and :func:`corrected_t_test` return.

    Parameters
    ----------
    mean : float
        Mean difference.
    t : float
        Student's t.
    degrees : int
        Degrees of freedom.
    p : float
        Two-sided p-value.

    See Also
    --------
    svmsieve.evaluation.paired_t_test : Test whether the mean of paired differences is zero, as the
        papers do.
    svmsieve.evaluation.corrected_t_test : Test whether the mean difference over overlapping splits
        is zero.

    Examples
    --------
    >>> from svmsieve.evaluation import paired_t_test
    >>> test = paired_t_test([0.1, 0.3, 0.2, 0.2])
    >>> round(test.mean, 2), test.degrees
    (0.2, 3)
    """

    mean: float
    """Mean difference."""
    t: float
    degrees: int
    p: float


def paired_t_test(differences: Any) -> PairedTest:
    """Test whether the mean of paired differences is zero, as the papers do.

    ``t = mean / sqrt(s²/J)`` with J−1 degrees of freedom, s² the variance of the J differences.  It takes
    the differences for independent; those of cross-validation folds or resampled splits are not, since
    their training samples overlap, and the test then rejects far too often (Nadeau & Bengio 2003).
    It is right for independent realisations, as in Yang & Ong 2010.

    Where all differences are equal, and not zero, t is infinite and p that of the sign test, ``2^(1−J)``:
    a variance that was not seen in J differences is not known to be none.

    Parameters
    ----------
    differences : array-like of float
        One for each realisation.

    Returns
    -------
    PairedTest
        Mean, t, degrees of freedom and p.

    Examples
    --------
    >>> paired_t_test([0.1, 0.3, 0.2, 0.2]).p < 0.05
    True
    """
    values = _check(differences)
    return _test(values, 1.0 / len(values), len(values))


def corrected_t_test(differences: Any, test_per_train: float) -> PairedTest:
    """Test whether the mean difference over overlapping splits is zero.

    The corrected resampled t-test of Nadeau & Bengio (2003, Machine Learning 52, 239–281):

        t = mean / sqrt((1/J + n_test/n_train) s²),   J − 1 degrees of freedom,

    J random splits, or J = rk folds of r times k-fold cross-validation (Bouckaert & Frank 2004).
    ``n_test/n_train`` stands for ρ/(1−ρ), ρ the correlation of the differences of two splits, taken to
    be ``n_test/(n_test + n_train)``: an approximation, not a bound.  In simulations of two equal methods
    (tests/paper) it rejects at 5 % in 3.4 to 4.7 % of data sets with repeated splits, in up to 7 % where
    the methods are hardly better than chance, and with a single round of folds in 1 to 3 %; the
    paired test rejects in 20 to 60 % with repeated splits.  Equal differences have the
    p of the sign test of as many splits as have test samples of their own, at most ``1 + n_train/n_test``.

    Parameters
    ----------
    differences : array-like of float
        One for each split.
    test_per_train : float
        Number of test samples of a split over its training samples.

    Returns
    -------
    PairedTest
        Mean, t, degrees of freedom and p.

    Examples
    --------
    >>> corrected_t_test([0.1, 0.3, 0.2, 0.2], 1 / 3).p > paired_t_test([0.1, 0.3, 0.2, 0.2]).p
    True
    """
    if not 0.0 < test_per_train < np.inf:
        raise ValueError(f"test_per_train must be positive, got {test_per_train!r}.")
    values = _check(differences)
    n_apart = (
        1.0 + 1.0 / test_per_train
    )  # splits whose test samples do not overlap: more know no more
    return _test(values, 1.0 / len(values) + test_per_train, min(len(values), n_apart))


def _check(differences: Any) -> FloatArray:
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or len(values) < 2:
        raise ValueError(
            f"differences must hold at least two numbers, got shape {values.shape}; use more splits."
        )
    if not np.isfinite(values).all():
        raise ValueError("differences must be finite; a score of some split is not.")
    return values


def _test(values: FloatArray, factor: float, n_signs: float) -> PairedTest:
    mean, degrees = float(values.mean()), len(values) - 1
    error = float(np.sqrt(factor * values.var(ddof=1)))
    # Equal differences have a variance of zero but for rounding.
    if error <= 1e-12 * abs(mean) or error == 0.0:
        if mean == 0.0:
            return PairedTest(mean, 0.0, degrees, 1.0)
        # No variance was seen, which is not to know that there is none: equal signs are what is known.
        p = min(1.0, 2.0 ** (1.0 - n_signs))
        return PairedTest(mean, float(np.copysign(np.inf, mean)), degrees, p)
    t = mean / error
    return PairedTest(mean, t, degrees, float(2.0 * student.sf(abs(t), degrees)))


def holm(p_values: Sequence[float] | FloatArray) -> FloatArray:
    """Return p-values adjusted for their number (Holm 1979), in the order given.

    The i-th smallest of m becomes ``max_{j ≤ i} min(1, (m − j + 1) p_(j))``: rejecting those at most α
    keeps the probability of any false rejection at most α, whatever their dependence.

    Parameters
    ----------
    p_values : sequence of float or ndarray of float
        The p-values of one family.

    Returns
    -------
    ndarray of float
        P-values adjusted for their number (Holm 1979), in the order given.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0.0) & (p <= 1.0)).all():
        raise ValueError("p_values must be numbers from 0 to 1.")
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * (len(p) - np.arange(len(p))))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted
