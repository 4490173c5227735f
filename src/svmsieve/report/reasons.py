"""Why a size was chosen, in the measure that the report shows: rules speak of scores, higher where better."""

from __future__ import annotations

import re

from svmsieve.evaluation import Metric
from svmsieve.evaluation.shown import Shown

_NUMBER = r"(-?\d[\d.]*(?:e[-+]?\d+)?)"
_SCORE = re.compile(rf"(best )?(cross-validated |smoothed )?score, {_NUMBER}")
_GUESS = re.compile(rf"guessing \({_NUMBER}\)")
_NEAR = re.compile(rf"(within |standard error )(\(?){_NUMBER}")


class Reasons:
    """Tells reasons in the units of a measure.

    >>> from svmsieve.evaluation import make_metric
    >>> Reasons(make_metric("accuracy", regression=False))("best cross-validated score, 0.956")
    'best cross-validated error rate, 4.4 %'
    """

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self.shown = Shown.of(metric)

    def __call__(self, reason: str) -> str:
        reason = _SCORE.sub(self._best, reason)
        reason = _GUESS.sub(lambda found: f"guessing ({self.text(float(found[1]))})", reason)
        return _NEAR.sub(self._near, reason)

    def text(self, score: float) -> str:
        """Return a score in the measure's units."""
        return self.shown.text(float(self.shown.value(self.metric.of_scores(score))))

    def _best(self, found: re.Match[str]) -> str:
        return f"{found[1] or ''}{found[2] or ''}{self.shown.name}, {self.text(float(found[3]))}"

    def _near(self, found: re.Match[str]) -> str:
        return f"{found[1]}{found[2]}{self.shown.amount(float(found[3]))}"
