"""Samples that a search does not see, on which its machines are judged."""

from __future__ import annotations

from dataclasses import dataclass

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix
from svmsieve.engine.machines.many_machines import decisions_of_others
from svmsieve.engine.machines.scoring import DecisionScorer
from svmsieve.engine.machines.target import Classes, Target
from svmsieve.engine.machines.trained import Trained


@dataclass(frozen=True)
class HeldOut:
    """Scores machines on samples that were held out."""

    X: Matrix
    rows: IntArray
    """The samples' places in the scorer's target."""
    scorer: DecisionScorer

    def __call__(self, trained: Trained, columns: IntArray) -> float:
        """Return the score of a machine over the given columns."""
        decisions = decisions_of_others(trained, self.X[:, columns])
        return self.score(decisions, trained.target)

    def score(self, decisions: FloatArray, target: Target) -> float:
        """Return the score of decision values (samples × machines) of machines trained on ``target``."""
        return judge(self.scorer, decisions, self.rows, target)


def judge(scorer: DecisionScorer, decisions: FloatArray, rows: IntArray, target: Target) -> float:
    """Return the score of decision values (``rows`` × machines) of machines trained on ``target``."""
    full, classes = scorer.target, None
    if isinstance(full, Classes) and isinstance(target, Classes):
        classes = None if len(target.classes) == len(full.classes) else target.classes
    return scorer(decisions, rows, classes)
