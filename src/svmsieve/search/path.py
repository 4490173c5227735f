"""The path of a search: what is known of each size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.search.contract import Step


def smoothed(curve: FloatArray) -> FloatArray:
    """Return scores of growing sizes (sizes × folds) averaged with neighbours they do not differ from.

    A size counts ½, a neighbour ¼ if the mean difference over the folds is within its standard error: a
    plateau becomes flat, and a peak that the folds agree on stays a peak.  The ends stay as they are, for
    one feature and all features have no like on their other side.
    """
    n_sizes, n_folds = curve.shape
    result = curve.copy()
    for i in range(1, n_sizes - 1):
        total = 0.5
        result[i] *= 0.5
        for j in (i - 1, i + 1):
            differences = curve[i] - curve[j]
            error = differences.std(ddof=1) / np.sqrt(n_folds) if n_folds > 1 else 0.0
            if abs(differences.mean()) <= error + 1e-12:
                result[i] += 0.25 * curve[j]
                total += 0.25
        result[i] /= total
    return result


@dataclass(frozen=True)
class Tried:
    """One of the rankings that were tried.

    Attributes
    ----------
    ranking : criterion and machine in words
    n_features : its best size
    score : mean over the folds there
    difference, se : to the first ranking's best, fold by fold, and the standard error of that; of the skill,
        where skill decides
    taken : whether the selection goes on with it
    skill : mean over the folds there; None where the scores decide
    """

    ranking: str
    n_features: int
    score: float
    difference: float
    se: float
    taken: bool
    skill: float | None = None


@dataclass(frozen=True)
class Path:
    """Sizes in growing order and what was found at each; NaN where something was not computed.

    Attributes
    ----------
    n_units : number of features (of units, where there are groups) the search chose from
    n_features : the sizes
    fold_scores : scores of the folds, shape (sizes, folds), higher is better
    fold_skills : how much better than guessing the folds' held-out samples are told, by squared errors, in
        the shape of the scores; None where the scores decide
    mean_score, se_score : their mean and the standard error of that mean *over the folds*
    criterion : largest score among the features that leave (or enter) at this size
    largest : largest score of all features at this size
    bound : bound on the leave-one-out error
    C, gamma : parameters of the machine
    seconds : time of the step
    test_share : held-out samples of a fold by its training samples
    guess : the folds' scores of guessing; None where it is not known
    chance : standard deviation of the score that random decisions have; zero where it is not known
    guess_skills : the folds' skills of guessing; None where they are not known
    skill_chance : skill that random decisions hardly ever have; zero where it is not known
    many_classes : whether there are more than two
    ranking : what ranked the features, in words, where several rankings may be tried
    tried : the rankings that were tried, the first of them the one to beat
    times_chosen : how many half samples choose the best feature that may leave, the second best and so on;
        None where there are no half samples
    probes_before : how many probes, of all turns, rank before the best feature that may leave, the second
        best and so on, each in its own turn; None where there are no probes
    """

    n_units: int
    n_features: IntArray
    fold_scores: FloatArray
    criterion: FloatArray
    largest: FloatArray
    bound: FloatArray
    C: FloatArray
    gamma: FloatArray
    seconds: FloatArray
    probes_before: IntArray | None = None
    test_share: float = 0.0
    guess: FloatArray | None = None
    chance: float = 0.0
    guess_skills: FloatArray | None = None
    skill_chance: float = 0.0
    many_classes: bool = False
    ranking: str = ""
    tried: tuple[Tried, ...] = ()
    times_chosen: IntArray | None = None
    fold_skills: FloatArray | None = None

    @classmethod
    def of(cls, n_units: int, steps: Sequence[Step], folds: Sequence[Sequence[Step]] = ()) -> Path:
        """Join the steps on all samples with those of the folds, which visit the same sizes."""

        def column(values: Sequence[float | None]) -> FloatArray:
            return np.array([np.nan if v is None else v for v in values], dtype=np.float64)

        order = sorted(steps, key=lambda step: step.size)
        if folds:
            by_size = [{step.size: step.test_score for step in fold} for fold in folds]
            fold_scores = np.array(
                [column([scores[step.size] for scores in by_size]) for step in order]
            )
        else:
            fold_scores = np.array([column(step.fold_scores) for step in order])
            fold_scores = fold_scores.reshape(len(order), -1)
        return cls(
            n_units,
            np.array([step.size for step in order]),
            fold_scores,
            column([max(step.scores) for step in order]),
            column([step.largest for step in order]),
            column([step.bound for step in order]),
            column([step.C for step in order]),
            column([step.gamma for step in order]),
            column([step.seconds for step in order]),
        )

    def from_size(self, smallest: int) -> Path:
        """Return the path without the sizes below ``smallest``."""
        wanted = self.n_features >= smallest
        whole = (
            "n_units",
            "probes_before",
            "times_chosen",
            "test_share",
            "guess",
            "chance",
            "guess_skills",
            "skill_chance",
            "many_classes",
            "ranking",
            "tried",
        )
        columns = {
            name: value
            for name, value in vars(self).items()
            if name not in whole and value is not None
        }
        return replace(self, **{name: value[wanted] for name, value in columns.items()})

    @property
    def mean_score(self) -> FloatArray:
        """Mean over the folds."""
        if self.fold_scores.shape[1] == 0:
            return np.full(len(self.n_features), np.nan)
        return self.fold_scores.mean(axis=1)

    @property
    def se_score(self) -> FloatArray:
        """Standard error of the mean over the folds."""
        n_folds = self.fold_scores.shape[1]
        if n_folds < 2:
            return np.full(len(self.n_features), np.nan)
        return self.fold_scores.std(axis=1, ddof=1) / np.sqrt(n_folds)

    def to_dict(self) -> Mapping[str, Any]:
        """Return the columns by name, like scikit-learn's ``cv_results_``."""
        columns = {
            name: getattr(self, name)
            for name in (
                "n_features",
                "mean_score",
                "se_score",
                "criterion",
                "bound",
                "C",
                "gamma",
                "seconds",
            )
        }
        for fold in range(self.fold_scores.shape[1]):
            columns[f"split{fold}_score"] = self.fold_scores[:, fold]
        return columns
