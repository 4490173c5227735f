"""Intervals of the scores of overlapping folds: of shares, of errors of numbers, of R²."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.machines.scoring import BALANCED

_FEWEST_FOR_LOSSES = 50
_FEWEST_FOR_R2 = 100
"""Independent samples from which the intervals of errors of numbers cover, by simulation."""
_FEWEST_OF_A_FOLD = 10
"""Held-out samples of a fold from which the mean R² has a variance worth the name."""
_MOST_FREEDOM = 2
"""Degrees of freedom of the intervals of errors of numbers, at most."""
_LOSSES = ("mse", "mean_squared_error", "root_mean_squared_error", "mean_absolute_error")
_R2 = ("r2", "r2_score")
_RATES = ("accuracy", "zero_one")
_SHARES = ("auc", "roc_auc", "average_precision", "f1", "precision", "recall", "jaccard", "top_k")
"""Beginnings of the names of measures between 0 and 1: of all samples, others."""


class Interval(NamedTuple):
    """Limits, NaN where nothing can be said.

    What the functions of this module return.

    Parameters
    ----------
    lower : float
        Lower limit.
    upper : float
        Upper limit.

    See Also
    --------
    svmsieve.evaluation.fold_interval : Return the interval of the measure's expected value at the
        folds' number of training samples.
    svmsieve.evaluation.share_interval : Return Wilson's interval of a share, for the number of
        samples that overlapping folds are worth.

    Examples
    --------
    >>> from svmsieve.evaluation import Interval
    >>> Interval(0.1, 0.2).upper
    0.2
    """

    lower: float
    upper: float


NO_INTERVAL = Interval(np.nan, np.nan)


@dataclass(frozen=True)
class HeldOut:
    """What a fold holds out, on average over the folds, in independent samples.

    It says how many samples an error rate is a share of, and so how wide its interval is.

    Parameters
    ----------
    samples : float
        Number of samples.
    classes : ndarray of float or None, default=None
        Number of each class, None for numbers.

    See Also
    --------
    svmsieve.evaluation.fold_interval : Return the interval of the measure's expected value at the
        folds' number of training samples.
    svmsieve.evaluation.mean_group_size : Return the size of the group that a sample is in, on
        average over the samples.

    Examples
    --------
    >>> from svmsieve.evaluation import HeldOut
    >>> HeldOut.of([[0, 0, 1], [0, 1, 1]], [0, 1]).samples
    3.0
    """

    samples: float
    classes: FloatArray | None = None

    @classmethod
    def of(cls, folds: Any, classes: Any, group_size: float = 1.0) -> HeldOut:
        """Count the targets that each fold holds out.

        Samples of a group (a patient) may all be right or wrong together: a group counts as one sample.
        ``group_size`` is :func:`mean_group_size`.

        Parameters
        ----------
        folds : sequence of arrays
            Targets that each fold holds out.
        classes : array-like or None
            The classes; None for numbers.
        group_size : float, default=1.0
            What :func:`mean_group_size` gives; 1 without groups.

        Returns
        -------
        HeldOut
            Their mean numbers.
        """
        if classes is None:
            return cls(float(np.mean([len(y) for y in folds])) / group_size)
        counts = [[np.sum(np.asarray(y) == label) for label in classes] for y in folds]
        means = np.mean(np.array(counts, dtype=np.float64), axis=0) / group_size
        return cls(float(means.sum()), means)

    def counted(self, measure: str) -> float | None:
        """Return how many samples a measure is a share of; None where it is no share.

        All samples for an accuracy; for the mean over k classes k times the smallest class, since
        ``(1/k²) Σ p_c(1−p_c)/n_c ≤ p̄(1−p̄)/(k min n_c)``; for AUC, F and the like the smallest class.

        Parameters
        ----------
        measure : str
            Name of the measure.

        Returns
        -------
        float or None
            How many samples a measure is a share of; None where it is no share.
        """
        if self.classes is None:
            return None
        if measure.startswith(BALANCED):
            return float(len(self.classes) * self.classes.min())
        if measure.startswith(_RATES):
            return self.samples
        return float(self.classes.min()) if measure.startswith(_SHARES) else None


def mean_group_size(groups: Any) -> float:
    """Return the size of the group that a sample is in, on average over the samples.

    ``Σ n_g² / n`` (Kish 1965): the mean of n samples whose groups are each of one mind varies as that of
    ``n² / Σ n_g²`` independent ones.

    Parameters
    ----------
    groups : array-like
        Label of each sample.

    Returns
    -------
    float
        The size of the group that a sample is in, on average over the samples.

    Examples
    --------
    >>> mean_group_size(["a", "a", "a", "b"])
    2.5
    """
    sizes = np.unique(np.asarray(groups), return_counts=True)[1]
    return float(np.sum(sizes.astype(np.float64) ** 2) / sizes.sum())


def fold_interval(
    scores: Any, test_per_train: float, measure: str, held_out: HeldOut, level: float = 0.95
) -> Interval:
    """Return the interval of the measure's expected value at the folds' number of training samples.

    :func:`share_interval` for shares, :func:`loss_interval` for mean squared and absolute errors and their
    root, and for R² that of the loss 1 − R².  None where :func:`why_no_interval` says why.

    Parameters
    ----------
    scores : array-like of float
        Measure of each fold.
    test_per_train : float
        Number of test samples of a fold over its training samples.
    measure : str
        Name of the measure.
    held_out : HeldOut
        What a fold holds out, on average.
    level : float, default=0.95
        Probability that the interval shall cover with.

    Returns
    -------
    Interval
        The interval of the measure's expected value at the folds' number of training samples.
    """
    if why_no_interval(scores, test_per_train, measure, held_out):
        return NO_INTERVAL
    counted = held_out.counted(measure)
    if counted is not None:
        return share_interval(scores, test_per_train, counted, level)
    values = np.asarray(scores, dtype=np.float64)
    if measure in _R2:
        lower, upper = loss_interval(1.0 - values, test_per_train, level)
        return Interval(1.0 - upper, 1.0 - lower)
    lower, upper = loss_interval(np.abs(values), test_per_train, level)
    # A scorer's errors are negative, so that higher is better.
    return Interval(lower, upper) if values.max() > 0.0 else Interval(-upper, -lower)


def why_no_interval(
    scores: Any, test_per_train: float, measure: str, held_out: HeldOut
) -> str | None:
    """Return why :func:`fold_interval` gives none, in a few words; None where it gives one.

    What simulation (tests/paper) has not shown to cover in at least 90 % of data sets is not told:
    measures of other kinds, and errors of numbers from few samples, which large errors are too rare in.

    Parameters
    ----------
    scores : array-like of float
        Measure of each fold.
    test_per_train : float
        Number of test samples of a fold over its training samples.
    measure : str
        Name of the measure.
    held_out : HeldOut
        What a fold holds out, on average.

    Returns
    -------
    str or None
        Why :func:`fold_interval` gives none, in a few words; None where it gives one.
    """
    values = np.asarray(scores, dtype=np.float64)
    if len(values) < 2:
        return "a single fold"
    if not np.isfinite(values).all():
        return "a fold has no score"
    if not np.isfinite(held_out.samples):
        return "held-out samples not known"
    if held_out.counted(measure) is not None:
        return None if held_out.counted(measure) else "a class is not held out"
    is_r2, is_loss = measure in _R2, measure.removeprefix("neg_") in _LOSSES
    if not (is_r2 or is_loss) or held_out.classes is not None:
        return "not known for this measure"
    fewest = _FEWEST_FOR_R2 if is_r2 else _FEWEST_FOR_LOSSES
    # All samples: the n_test of a fold and its n_train; whole but for rounding.
    if round(held_out.samples * (1.0 + 1.0 / test_per_train), 6) < fewest:
        return f"fewer than {fewest} independent samples"
    if is_r2 and held_out.samples < _FEWEST_OF_A_FOLD:
        return f"fewer than {_FEWEST_OF_A_FOLD} independent samples in a fold"
    if values.std() <= 1e-12 * np.abs(values).max():
        return "all folds alike"
    return None


def share_interval(
    scores: Any, test_per_train: float, counted: float, level: float = 0.95
) -> Interval:
    """Return Wilson's interval of a share, for the number of samples that overlapping folds are worth.

    The mean p of J folds, each a share of m samples, has a variance of ``(1/J + n_test/n_train)·v``
    (Nadeau & Bengio 2003), v that of one fold: what is counted among m samples varies by at least
    ``p(1−p)/m``, and the folds tell how much more, φ = max(1, s²/(p̃(1−p̃)/m)), p̃ = (Jmp + 2)/(Jm + 4).
    So it is worth ``N = (m/φ)/(1/J + n_test/n_train)`` independent samples, and the limits are

        (p + z²/2N ± z √(p(1−p)/N + z²/4N²)) / (1 + z²/N).

    They do not collapse where no errors are seen.  By simulation (tests/paper) they cover the expected
    error in at least 90 % of data sets of 30 to 1000 samples in 3 to 50 folds at errors of 0.5 to 50 %.

    Parameters
    ----------
    scores : array-like of float
        Share of each fold.
    test_per_train : float
        Number of test samples of a fold over its training samples.
    counted : float
        How many samples of a fold the share is of.
    level : float, default=0.95
        Probability that the interval shall cover with.

    Returns
    -------
    Interval
        Wilson's interval of a share, for the number of samples that overlapping folds are worth.

    Examples
    --------
    >>> lower, upper = share_interval([0.0] * 5, 0.25, counted=10)
    >>> round(lower, 3), round(upper, 3)
    (0.0, 0.147)
    """
    values = np.asarray(scores, dtype=np.float64)
    folds = len(values)
    if folds < 2 or counted <= 0.0 or not np.isfinite(values).all():
        return NO_INTERVAL
    p = float(values.mean())
    shrunk = (folds * counted * p + 2.0) / (folds * counted + 4.0)
    overdispersion = max(1.0, float(values.var(ddof=1)) * counted / (shrunk * (1.0 - shrunk)))
    worth = counted / overdispersion / (1.0 / folds + test_per_train)
    z = float(norm.ppf(0.5 + level / 2.0))
    centre = p + z**2 / (2.0 * worth)
    reach = z * np.sqrt(max(0.0, p * (1.0 - p)) / worth + z**2 / (4.0 * worth**2))
    whole = 1.0 + z**2 / worth
    # Limits that are 0, 1 or the share itself are so but for rounding.
    return Interval(
        float(min(max((centre - reach) / whole, 0.0), p)),
        float(max(min((centre + reach) / whole, 1.0), p)),
    )


def loss_interval(losses: Any, test_per_train: float, level: float = 0.95) -> Interval:
    """Return Student's interval of a mean loss, none of them negative, on the logarithmic scale.

    ``m exp(± t_f √(1/J + n_test/n_train) s/m)``, m and s mean and deviation of J folds (Nadeau & Bengio
    2003), with ``f = min(2, J − 1)`` degrees of freedom: the variance of squared errors is mostly that of
    a few large ones, which a data set may not have, so that J folds know less of it than J − 1 would say.
    By simulation (tests/paper: 3 to 50 folds, noise normal, of t with 3 degrees of freedom and lognormal)
    it covers in at least 90 % of data sets of 50 to 1000 samples; J − 1 degrees on the plain scale cover in
    72 to 99 %.  Outliers that are rarer than one in the sample no interval can know of.

    Parameters
    ----------
    losses : array-like of float
        Mean loss of each fold.
    test_per_train : float
        Number of test samples of a fold over its training samples.
    level : float, default=0.95
        Probability that the interval shall cover with.

    Returns
    -------
    Interval
        Student's interval of a mean loss, none of them negative, on the logarithmic scale.

    Examples
    --------
    >>> lower, upper = loss_interval([1.0, 1.2, 1.4], 0.5)
    >>> round(lower, 2), round(upper, 2)
    (0.62, 2.31)
    """
    values = np.asarray(losses, dtype=np.float64)
    folds, mean = len(values), float(np.mean(losses))
    error = float(np.sqrt(1.0 / folds + test_per_train) * values.std(ddof=1)) / mean
    reach = float(student.ppf(0.5 + level / 2.0, min(_MOST_FREEDOM, folds - 1))) * error
    return Interval(mean * float(np.exp(-reach)), mean * float(np.exp(reach)))
