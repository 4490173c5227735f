"""How long a study takes, told early: the selection, the outer folds, and what ``--quick`` would take."""

from __future__ import annotations

from dataclasses import replace

from svmsieve.studies.choices import QUICK_ROWS, Choices
from svmsieve.studies.data import StudyData
from svmsieve.studies.folds import FoldPlan, plan_folds
from svmsieve.studies.stages import Forecast, duration

LONG = 120.0
"""Seconds from which the wait is worth a word before it."""


def selections(folds: FoldPlan) -> float:
    """Return how many selections on all rows a study takes: one, and one in each outer fold of each repeat.

    A machine of n rows costs about n²: (J − 1)²/J² of that in each of J folds.

    >>> round(selections(FoldPlan(5, "auto")), 6)
    4.2
    """
    return 1.0 + folds.selections * ((folds.outer - 1) / folds.outer) ** 2


def forecast(
    data: StudyData, choices: Choices, steps: int | None, quick_steps: int | None
) -> Forecast:
    """Return what to say of a study once it is known how long its selection takes.

    ``quick_steps`` are those of one selection with ``--quick``; the cost of it follows from them and from
    the rows, and is rough.
    """

    def sentence(seconds: float) -> str | None:
        whole = seconds * selections(data.folds)
        if whole < LONG:
            return None
        text = f"The whole run takes about {duration(whole)}, selection and outer folds"
        if choices.quick or not steps or not quick_steps:
            return f"{text}."
        folds = plan_folds(data.table, replace(choices, quick=True))
        rows = min(1.0, QUICK_ROWS / len(data.y))
        share = quick_steps * selections(folds) * rows**2 / (steps * selections(data.folds))
        return f"{text}; with --quick, roughly {duration(max(1.0, whole * share))}."

    return sentence
