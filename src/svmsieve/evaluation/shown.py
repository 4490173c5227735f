"""How a measure is shown: accuracies as error rates, everything else in its own units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from svmsieve.evaluation.intervals import HeldOut, fold_interval, why_no_interval
from svmsieve.evaluation.metrics import Metric
from svmsieve.evaluation.results import NestedEvaluation

LEVEL = 0.95

_ERRORS = {"accuracy": "error rate", "balanced_accuracy": "balanced error rate"}
_NAMES = {"ber": "balanced error rate", "auc": "AUC", "mse": "mean squared error", "r2": "R²"}
_RATES = {"accuracy", "balanced_accuracy", "ber", "balanced_error_rate"}


def _digits(value: float, digits: int) -> str:
    """Return a number with a few digits; of hundreds and more all, for a power of ten hides their size.

    >>> _digits(3393.2, 3), _digits(0.01234, 3), _digits(4.2e7, 3)
    ('3393', '0.0123', '4.2e+07')
    """
    return f"{value:.0f}" if 1e2 <= abs(value) < 1e6 else f"{value:z.{digits}g}"


@dataclass(frozen=True)
class Shown:
    """A measure as people read it.

    Attributes
    ----------
    name : in words
    scoring : name of the scorer it comes from
    lower_is_better : whether it is an error
    percent : whether it is a rate, shown in per cent
    flipped : whether it is one minus the scorer's value
    sign : of the scorer's value
    """

    name: str
    scoring: str
    lower_is_better: bool
    percent: bool = False
    flipped: bool = False
    sign: float = 1.0

    @classmethod
    def of(cls, metric: Metric) -> Shown:
        """Choose the way a metric is shown."""
        name = metric.name
        if name in _ERRORS:
            return cls(_ERRORS[name], name, True, percent=True, flipped=True)
        plain = name.removeprefix("neg_")
        words = _NAMES.get(plain, plain.replace("_", " "))
        if metric.is_negated_error:
            return cls(words, name, True, percent=plain in _RATES, sign=-1.0)
        return cls(words, name, metric.lower_is_better, percent=name in _RATES)

    @classmethod
    def from_dict(cls, measure: Mapping[str, Any]) -> Shown:
        """Return it from what :meth:`to_dict` gave, for values that are as they are shown."""
        return cls(
            measure["name"], measure["scoring"], measure["lower_is_better"], measure["percent"]
        )

    @property
    def better(self) -> str:
        """Which direction is better, in words."""
        return "lower is better" if self.lower_is_better else "higher is better"

    def value(self, scores: Any) -> Any:
        """Return the shown values of a metric's values."""
        return 1.0 - np.asarray(scores) if self.flipped else self.sign * np.asarray(scores)

    def text(self, value: float | None) -> str:
        """Return a shown value in words.

        >>> Shown("error rate", "accuracy", True, percent=True).text(0.0512)
        '5.1 %'
        """
        if value is None or not np.isfinite(value):
            return "–"
        return f"{100.0 * value:.1f} %" if self.percent else _digits(value, 3)

    def tick(self, value: float) -> str:
        """Return a shown value for an axis.

        >>> Shown("error rate", "accuracy", True, percent=True).tick(0.05)
        '5 %'
        """
        return (f"{100.0 * value:.3g} %" if self.percent else _digits(value, 4)).replace("-", "−")

    def amount(self, difference: float) -> str:
        """Return the size of a difference of shown values.

        >>> Shown("error rate", "accuracy", True, percent=True).amount(-0.0123)
        '1.2 points'
        """
        size = abs(difference)
        return f"{100.0 * size:.2g} points" if self.percent else _digits(size, 2)

    def gain(self, value: float) -> str:
        """Return by how much something is better, or worse, in the measure's units.

        >>> Shown("error rate", "accuracy", True, percent=True).gain(-0.0123)
        '−1.2 points'
        """
        return f"{'−' if value < 0.0 else '+'}{self.amount(value)}"

    def difference(self, gain: float) -> str:
        """Return by how much a shown value differs where a score is higher by ``gain``.

        >>> Shown("error rate", "accuracy", True, percent=True).difference(0.05)
        '−5 points'
        """
        return self.gain(-gain if self.lower_is_better else gain)

    def limits(self, row: Mapping[str, Any]) -> str:
        """Return the limits of an interval in words; why there is none, where there is none."""
        if row["lower"] is None or row["upper"] is None:
            return f"none: {row['no_interval']}"
        return f"{self.text(row['lower'])} to {self.text(row['upper'])}"

    def to_dict(self) -> dict[str, Any]:
        """Return what a page needs to know."""
        return {
            "name": self.name,
            "scoring": self.scoring,
            "lower_is_better": self.lower_is_better,
            "percent": self.percent,
        }


def interval(scores: Any, test_per_train: float, shown: Shown, held_out: HeldOut) -> dict[str, Any]:
    """Return mean and 95 % interval of folds' scores, in shown units, and why there is none."""
    found = fold_interval(scores, test_per_train, shown.scoring, held_out, LEVEL)
    lower, upper = sorted(float(shown.value(limit)) for limit in found)
    reason = why_no_interval(scores, test_per_train, shown.scoring, held_out)
    return {
        "value": float(np.mean(shown.value(scores))),
        "lower": lower if reason is None else None,
        "upper": upper if reason is None else None,
        "no_interval": reason,
    }


def evaluation_interval(evaluation: NestedEvaluation, shown: Shown) -> dict[str, Any]:
    """Return mean and interval of an evaluation."""
    return interval(evaluation.scores, evaluation.test_per_train, shown, evaluation.held_out)
