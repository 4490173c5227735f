"""How far one method is ahead of another on the same outer folds, and what the folds cannot tell."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student
from sklearn.dummy import DummyClassifier, DummyRegressor

from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.machines.scoring import BALANCED
from svmsieve.evaluation.results import NestedEvaluation
from svmsieve.evaluation.shown import LEVEL

_RATES = ("accuracy", *BALANCED)


@dataclass(frozen=True)
class Margin:
    """By how much a method is better than another, in the measure's units, with the limits of the folds.

    Attributes
    ----------
    gain : mean over the folds, negative where the first is worse
    lower, upper : 95 % limits
    """

    gain: float
    lower: float
    upper: float

    @property
    def is_gain(self) -> bool:
        """Whether the first is better beyond what chance would do."""
        return self.lower > 0.0

    @property
    def is_likely(self) -> bool:
        """Whether the first is better by at least half of what would be beyond chance."""
        return self.gain > 0.0 and 2.0 * self.gain >= self.gain - self.lower

    @property
    def is_loss(self) -> bool:
        """Whether the first is worse beyond what chance would do."""
        return self.upper < 0.0


def margin(first: NestedEvaluation, second: NestedEvaluation) -> Margin:
    """Return how far the first is ahead of the second.

    The mean gain ḡ of J folds has the variance ``(1/J + n_test/n_train)·v`` (Nadeau & Bengio 2003), v that
    of one fold.  Where the measure counts rows (accuracy, balanced error), v is at least what the rows that
    one method gets right and the other wrong make, Σ w² over them (and one more), w the weight of a row in
    its fold; with that known the limits are ḡ ± z √var.  Else v is the folds' own variance, and the limits
    are Student's with J − 1 degrees of freedom.
    """
    gains = np.asarray(first.metric.gain(first.scores, second.scores), dtype=np.float64)
    return margin_of(gains, first.test_per_train, _counted_variance(first, second))


def margin_of(gains: Any, test_per_train: float, counted: float | None = None) -> Margin:
    """Return the margin of the folds' gains; ``counted``: least variance of one, where rows are counted.

    >>> margin_of([0.1, 0.1, 0.1], 0.5, counted=0.01).lower < 0.0
    True
    """
    gains = np.asarray(gains, dtype=np.float64)
    folds, mean = len(gains), float(gains.mean())
    variance = float(gains.var(ddof=1)) if folds > 1 else np.inf
    quantile = float(student.ppf(0.5 + LEVEL / 2.0, max(1, folds - 1)))
    if counted is not None and np.isfinite(variance):
        variance, quantile = max(variance, counted), float(norm.ppf(0.5 + LEVEL / 2.0))
    reach = quantile * float(np.sqrt((1.0 / folds + test_per_train) * variance))
    return Margin(mean, mean - reach, mean + reach)


def _counted_variance(first: NestedEvaluation, second: NestedEvaluation) -> float | None:
    """Return the least variance of a fold's gain by the rows that differ; None where rows do not count."""
    if first.classes is None or not first.metric.name.startswith(_RATES):
        return None
    squares, largest = 0.0, 0.0
    for one, other in zip(first.folds, second.folds, strict=True):
        y = first.y[one.test]
        weight = _row_weights(y, balanced=first.metric.name.startswith(BALANCED))
        differ = (one.predictions == y) != (other.predictions == y)
        squares += float(np.sum(weight[differ] ** 2))
        largest = max(largest, float(weight.max() ** 2))
    # Rows of a group are right or wrong together.
    return (squares + largest) * first.group_size / len(first.folds)


def _row_weights(y: Any, *, balanced: bool) -> FloatArray:
    if not balanced:
        return np.full(len(y), 1.0 / len(y))
    classes, codes = np.unique(y, return_inverse=True)
    return 1.0 / (len(classes) * np.bincount(codes)[codes])


def guessed(evaluation: NestedEvaluation) -> NestedEvaluation | None:
    """Return the evaluation of guessing on the same folds: the largest class, or the mean, of other rows.

    None where the measure asks for more than predictions.
    """
    rows, folds = np.arange(len(evaluation.y)), []
    for fold in evaluation.folds:
        train = np.setdiff1d(rows, fold.test)
        guess = DummyRegressor() if evaluation.classes is None else DummyClassifier()
        guess.fit(np.zeros((len(train), 1)), evaluation.y[train])
        predictions = guess.predict(np.zeros((len(fold.test), 1)))
        try:
            score = evaluation.metric.of_predictions(
                evaluation.y[fold.test], predictions, None, evaluation.classes
            )
        except ValueError:
            return None
        folds.append(
            replace(fold, score=score, predictions=predictions, decisions=None, selected=None)
        )
    return replace(evaluation, folds=tuple(folds))
