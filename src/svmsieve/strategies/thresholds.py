"""Thresholds on scores: found from gaps, each with the errors it was judged by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from svmsieve.engine.arrays import BoolArray, FloatArray, IntArray, check_vector

N_GAPS = 5
"""How many gaps between sorted scores are tried as thresholds."""


@dataclass(frozen=True)
class Thresholds:
    """Thresholds in falling order, how many features each keeps, and its validation errors.

    An attribute of Chen & Lin's strategies.

    Parameters
    ----------
    values : ndarray of float
        The thresholds, in falling order.
    sizes : ndarray of int
        Number of features that each keeps.
    split_errors : ndarray of float
        Balanced error of each threshold on each split.

    See Also
    --------
    svmsieve.FScoreSVC : A tuned RBF SVM on the features with the highest F-scores: "F+SVM".
    svmsieve.RMBoundSVC : An RBF machine with one γ for each feature, learned by gradient: "RM-SVM".

    Examples
    --------
    >>> tried = Thresholds(np.array([2.0, 1.0]), np.array([1, 3]), np.array([[0.2, 0.4], [0.1, 0.2]]))
    >>> tried.errors.round(2).tolist(), tried.best_value
    ([0.3, 0.15], 1.0)
    """

    values: FloatArray
    sizes: IntArray
    """Number of features whose score is at least the threshold."""
    split_errors: FloatArray
    """Balanced error of each threshold on each split or fold, shape (thresholds, splits)."""

    @property
    def errors(self) -> FloatArray:
        """Mean balanced error of each threshold."""
        return self.split_errors.mean(axis=1)

    @property
    def best(self) -> int:
        """Index of the threshold with the lowest mean error; among equals the fewest features."""
        errors = self.errors
        return int(np.flatnonzero(errors <= errors.min() + 1e-12)[0])

    @property
    def best_value(self) -> float:
        """The threshold with the lowest mean error."""
        return float(self.values[self.best])

    def __len__(self) -> int:
        return len(self.values)


def halved_sizes(n: int) -> list[int]:
    """Return n, n/2, n/4, … down to 1.

    >>> halved_sizes(13)
    [13, 6, 3, 1]
    """
    return [n >> shift for shift in range(n.bit_length())]


def gap_sizes(scores: FloatArray) -> list[int]:
    """Return the numbers of features above the clearest gaps of positive, falling scores.

    The gap below the k best is as clear as ``k (s_k − s_{k+1})``: what the eye sees where scores are
    drawn against the logarithm of their rank.  (If the scores were independent and exponential, as
    those of features without meaning nearly are, all of these would have the same distribution.)  At
    most one gap in each octave of k is taken, so that one steep slope does not take all places.

    >>> gap_sizes(np.array([9.0, 8.8, 5.0, 4.9, 4.8, 1.0, 0.9]))[:2]
    [5, 2]
    """
    sizes = np.arange(1, len(scores))
    clearness = sizes * (scores[:-1] - scores[1:])
    clearest: dict[int, int] = {}
    for position in np.argsort(-clearness, kind="stable"):
        size = int(sizes[position])
        if clearness[position] > 0.0:
            clearest.setdefault(size.bit_length(), size)
        if len(clearest) == N_GAPS:
            break
    return list(clearest.values())


def find_thresholds(scores: FloatArray) -> FloatArray:
    """Return thresholds to try, in falling order: the clearest gaps and a logarithmic set of sizes.

    Only positive scores count: a feature that scores zero tells nothing.  Where none is positive, the
    one threshold is zero and keeps all.

    >>> find_thresholds(np.array([0.1, 5.0, 4.0, 0.2, 0.0])).tolist()
    [5.0, 4.0, 0.1]
    """
    falling = np.sort(scores[scores > 0.0])[::-1]
    if len(falling) == 0:
        return np.zeros(1)
    sizes = [*halved_sizes(len(falling)), *gap_sizes(falling)]
    return np.unique(falling[np.array(sizes) - 1])[::-1]


def make_thresholds(thresholds: Any, scores: FloatArray) -> FloatArray:
    """Return the user's thresholds, checked and in falling order; None: those that are found."""
    if thresholds is None:
        return find_thresholds(scores)
    values = np.unique(check_vector(thresholds, np.size(thresholds), "thresholds"))[::-1]
    if len(values) == 0:
        raise ValueError("thresholds must hold at least one value, or be None to find them.")
    if values[0] > scores.max():
        raise ValueError(
            f"thresholds must keep at least one feature: {values[0]:g} is above the largest score, "
            f"{scores.max():g}; lower it."
        )
    return values


def best_features(scores: FloatArray, size: int) -> BoolArray:
    """Return the mask of the best features; among equal scores the first.

    >>> best_features(np.array([1.0, 3.0, 1.0]), 2).tolist()
    [True, True, False]
    """
    mask = np.zeros(len(scores), dtype=np.bool_)
    mask[np.argsort(-scores, kind="stable")[:size]] = True
    return mask
