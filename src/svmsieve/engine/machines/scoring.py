"""Score decision values with any scikit-learn scorer."""

from __future__ import annotations

import copy
import warnings
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import get_scorer
from sklearn.utils.multiclass import _ovr_decision_function

from svmsieve.engine.arrays import BoolArray, FloatArray, IntArray
from svmsieve.engine.machines.expansion import vote
from svmsieve.engine.machines.target import Classes, Target, TargetScale

BALANCED = ("balanced_accuracy", "balanced_error", "ber")
"""Beginnings of the names of measures that count all classes the same."""


class NoProbabilitiesError(ValueError):
    """A scorer asks for probabilities."""


class _Decided(BaseEstimator):
    """What a scorer asks of an estimator, answered from decision values that are known already."""

    def __init__(self, decisions: FloatArray, classes: Any = None) -> None:
        self.decisions = decisions
        self.classes = classes

    def predict(self, X: IntArray) -> Any:
        return self.decisions[X, 0]

    def __sklearn_is_fitted__(self) -> bool:
        return True


class _DecidedClasses(ClassifierMixin, _Decided):
    @property
    def classes_(self) -> Any:
        return self.classes

    def predict(self, X: IntArray) -> Any:
        return self.classes[vote(self.decisions[X], len(self.classes))]

    def decision_function(self, X: IntArray) -> FloatArray:
        """Return what an SVC does: for more than two classes the votes of one against one."""
        if len(self.classes) == 2:
            return self.decisions[X, 0]
        values = self.decisions[X]
        return _ovr_decision_function(values > 0.0, values, len(self.classes))

    def predict_proba(self, X: IntArray) -> FloatArray:
        raise NoProbabilitiesError(
            "scoring by probabilities is not offered, as each of a search's machines would have to be "
            "trained five times more: use a scorer of predictions or decision values."
        )


class _DecidedNumbers(RegressorMixin, _Decided):
    pass


@lru_cache(maxsize=64)
def _judges_numbers(scoring: Any) -> bool:
    """Whether a scorer is one of numbers: found by letting it judge some."""
    scorer = get_scorer(scoring)
    if ".cluster" in scorer._score_func.__module__:  # takes numbers for labels
        return False
    truth, decisions = np.array([0.5, 1.5, 2.25, 3.0]), np.array([[0.6], [1.4], [2.5], [2.75]])
    try:
        scorer(_DecidedNumbers(decisions), np.arange(4), truth)
    except Exception:  # whatever a scorer of something else raises
        return False
    return True


def refuse_scoring(scoring: Any, name: str, *, regression: bool) -> None:
    """Refuse a scorer of scikit-learn that is for the other kind of target."""
    if _judges_numbers(scoring) == regression:
        return
    if regression:
        raise ValueError(
            f"scoring={name!r} is for classes, and the target holds numbers; use 'r2' or "
            "'neg_mean_squared_error'."
        )
    raise ValueError(
        f"scoring={name!r} is for numbers, and the target holds classes; use 'accuracy' or "
        "'balanced_accuracy'."
    )


_TOSSES = 100
"""Random decisions whose scores show what chance does."""
_STREAM = 0x5C0FE
"""Keeps the draws apart from all other random numbers, a user's own above all."""


class DecisionScorer:
    """Scores decision values of some samples against a target; higher is better.

    ``scoring`` is the name of a scikit-learn scorer or a scorer; None is accuracy for classes and R²
    for numbers, what scikit-learn's estimators answer to ``score``.  ``target`` is in the user's units;
    ``scale`` is that of the target the machines learned.
    """

    def __init__(
        self,
        scoring: Any,
        target: Target,
        sample_weight: FloatArray | None = None,
        scale: TargetScale | None = None,
    ) -> None:
        if scoring is None:
            scoring = "accuracy" if isinstance(target, Classes) else "r2"
        self.name = scoring if isinstance(scoring, str) else None
        self.scorer = get_scorer(scoring)
        if self.name is not None:
            refuse_scoring(scoring, self.name, regression=not isinstance(target, Classes))
        self.target = target
        self.sample_weight = sample_weight
        self.scale = scale

    def try_out(self) -> None:
        """Let the scorer judge random decision values, so that one that cannot is refused beforehand."""
        target, n, rng = self.target, len(self.target), np.random.default_rng(0)
        if isinstance(target, Classes):
            decisions = rng.normal(size=(n, len(target.pairs)))
        else:  # values such as the target has, for a scorer of positive ones
            decisions = rng.permutation(target.values)[:, None]
        name = self.name or self.scorer
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of these values
                value = self._by_scikit_learn(decisions, np.arange(n), None, None)
        except NoProbabilitiesError:
            raise
        except Exception as error:
            what = f"{len(target.classes)} classes" if isinstance(target, Classes) else "numbers"
            good = "'accuracy' or 'balanced_accuracy'" if isinstance(target, Classes) else "'r2'"
            reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
            raise ValueError(
                f"scoring {name!r} cannot judge a target of {what} ({reason}); use {good}."
            ) from error
        if not np.isfinite(value):
            raise ValueError(f"scoring {name!r} must give a finite number, it gave {value}.")

    def with_scale(self, scale: TargetScale) -> DecisionScorer:
        """Return the scorer of machines that learned the target at another scale."""
        other = copy.copy(self)
        other.scale = scale
        return other

    def __call__(self, decisions: FloatArray, rows: IntArray, classes: Any = None) -> float:
        """Return the score of ``decisions`` (samples × machines) of the samples ``rows``.

        ``classes`` are the machine's, where it was trained on samples that lack some of the target's.
        """
        if self.scale is not None and not isinstance(self.target, Classes):
            decisions = self.scale.restore(decisions)
        weight = None if self.sample_weight is None else self.sample_weight[rows]
        if weight is not None and not weight.any():
            raise ValueError("a fold's held-out samples have no weight; choose other folds.")
        if classes is None and self.name == "accuracy":
            return float(np.average(self._right(decisions, rows), weights=weight))
        if classes is None and self.name == "balanced_accuracy":
            return self._balanced_accuracy(decisions, rows, weight)
        if weight is None and self.name == "neg_mean_squared_error":
            assert not isinstance(self.target, Classes)
            return -float(np.mean((decisions[:, 0] - self.target.values[rows]) ** 2))
        if weight is None and self.name == "r2":
            assert not isinstance(self.target, Classes)
            truth = self.target.values[rows]
            centred = truth - truth.mean()
            unit = float(np.abs(centred).max())  # squares of the target's own units may overflow
            if unit > 0.0:  # what is said of equal values is scikit-learn's
                errors = (truth - decisions[:, 0]) / unit
                return 1.0 - float(errors @ errors / np.sum((centred / unit) ** 2))
        return self._by_scikit_learn(decisions, rows, classes, weight)

    def _by_scikit_learn(
        self, decisions: FloatArray, rows: IntArray, classes: Any, weight: FloatArray | None
    ) -> float:
        outcome: _Decided
        if isinstance(self.target, Classes):
            known = self.target.classes if classes is None else classes
            outcome = _DecidedClasses(decisions, known)
            truth = self.target.classes[self.target.codes[rows]]
        else:
            outcome, truth = _DecidedNumbers(decisions), self.target.values[rows]
        if weight is None:
            return float(self.scorer(outcome, np.arange(len(rows)), truth))
        try:
            value = self.scorer(outcome, np.arange(len(rows)), truth, sample_weight=weight)
        except TypeError as error:
            if "sample_weight" not in str(error):
                raise
            raise ValueError(
                f"scoring {self.name or self.scorer!r} takes no sample weights; choose another measure, or "
                "leave the weights out."
            ) from None
        return float(value)

    def _right(self, decisions: FloatArray, rows: IntArray) -> BoolArray:
        """Which samples are predicted right; scikit-learn's checks take longer than a small machine."""
        assert isinstance(self.target, Classes)
        return vote(decisions, len(self.target.classes)) == self.target.codes[rows]

    def _balanced_accuracy(
        self, decisions: FloatArray, rows: IntArray, weight: FloatArray | None
    ) -> float:
        assert isinstance(self.target, Classes)
        return balanced_share(self._right(decisions, rows), self.target.codes[rows], weight)


def balanced_share(outcomes: BoolArray, codes: IntArray, weight: FloatArray | None = None) -> float:
    """Return the mean over the classes of the share of their samples for which something is so.

    Of the samples predicted right it is the balanced accuracy, of those predicted wrong the balanced error
    rate; scikit-learn's checks take longer than a small machine.

    >>> balanced_share(np.array([True, True, False, True]), np.array([0, 0, 0, 1])).__round__(3)
    0.833
    """
    counts = np.bincount(codes, weights=weight)
    weighed = outcomes if weight is None else outcomes * weight
    hits = np.bincount(codes, weights=weighed)
    present = counts > 0
    return float(np.mean(hits[present] / counts[present]))


def default_scoring(target: Target, weight: FloatArray | None = None) -> str:
    """Return what judges where nobody asks for anything else; ``weight`` is that of the samples.

    R² for numbers, accuracy for classes, and balanced accuracy where the largest class has more than four
    times the samples of the smallest: there a machine that never finds the small class looks good.
    """
    if not isinstance(target, Classes):
        return "r2"
    return default_scoring_of_totals(np.bincount(target.codes, weight))


def default_scoring_of_totals(totals: FloatArray | IntArray) -> str:
    """Return what judges classes whose samples have these total weights."""
    return "balanced_accuracy" if totals.max() > (4.0 + 1e-9) * totals.min() else "accuracy"


def guessing(target: Target, n: int, weight: FloatArray | None = None) -> FloatArray:
    """Return decision values that say the same of all of ``n`` samples: the largest class, or the mean.

    ``weight`` is that of the target's samples.
    """
    if not isinstance(target, Classes):
        return np.full((n, 1), np.average(target.values, weights=weight))
    largest = int(np.bincount(target.codes, weight).argmax())
    pairs = combinations(range(len(target.classes)), 2)
    votes = [float(second == largest) - float(first == largest) for first, second in pairs]
    return np.tile(votes, (n, 1))


def spread_of_chance(scorer: DecisionScorer) -> float:
    """Return the standard deviation of the score that random decisions have on all samples of the target.

    Samples of one group count as one.  Zero for numbers: predictions that have nothing to do with them do
    not score about as well as their mean, but worse.
    """
    target, rng = scorer.target, np.random.default_rng(_STREAM)
    if not isinstance(target, Classes):
        return 0.0
    n = len(target)
    drawn = [scorer(rng.normal(size=(n, len(target.pairs))), np.arange(n)) for _ in range(_TOSSES)]
    alike = 1.0 if target.groups is None else n / len(np.unique(target.groups))
    return float(np.std(drawn) * np.sqrt(alike))
