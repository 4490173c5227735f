"""How long a study takes: told early, with what ``--quick`` would take, and shared out over processes."""

from __future__ import annotations

from dataclasses import replace
from multiprocessing import parent_process

import joblib

from svmsieve.runtime.cluster_loops import cluster
from svmsieve.studies.choices import QUICK_ROWS, Choices
from svmsieve.studies.data import StudyData
from svmsieve.studies.folds import FoldPlan, plan_folds
from svmsieve.studies.stages import Forecast, duration

LONG = 120.0
"""Seconds from which the wait is worth a word before it."""
_WORTH_A_PROCESS = 1.5
"""Seconds of a selection from which on its outer folds gain more than a process takes to start."""
_STEP, _STEP_OF_SQUARES = 1.7e-3, 3.5e-8
"""Seconds of a step of the default, about: of any, and for each square of the rows."""
_MOST_ROWS, _MOST_NUMBERS = 2000, 20_000_000
"""Rows from which on a selection uses the cores itself; numbers of a table that is not held several times."""
_MOST_PROCESSES = 8


def selections(folds: FoldPlan) -> float:
    """Return how many selections on all rows a study takes: one, and one in each outer fold of each repeat.

    A machine of n rows costs about n²: (J − 1)²/J² of that in each of J folds.

    >>> round(selections(FoldPlan(5, "auto")), 6)
    4.2
    """
    return 1.0 + folds.selections * ((folds.outer - 1) / folds.outer) ** 2


def n_processes(data: StudyData, choices: Choices, steps: int | None) -> int:
    """Return how many processes share the outer folds, this one included.

    As many as asked for; otherwise one for each core, where the selections, of so many ``steps``, are long
    enough, and the table is not so large that each of them uses all cores anyway.
    """
    if choices.jobs is not None:
        return int(joblib.effective_n_jobs(choices.jobs))
    rows, columns = data.encoded.X.shape
    if steps is None or cluster() is not None or parent_process() is not None:
        return 1
    seconds = steps * (_STEP + _STEP_OF_SQUARES * rows**2)
    if seconds < _WORTH_A_PROCESS or rows > _MOST_ROWS or rows * columns > _MOST_NUMBERS:
        return 1
    return min(_MOST_PROCESSES, joblib.cpu_count())


def forecast(
    data: StudyData,
    choices: Choices,
    steps: int | None,
    quick_steps: int | None,
    processes: int = 1,
) -> Forecast:
    """Return what to say of a study once it is known how long its selection takes.

    ``quick_steps`` are those of one selection with ``--quick``; the cost of it follows from them and from
    the rows, and is rough.
    """

    def sentence(seconds: float) -> str | None:
        whole = seconds * max(1.0, selections(data.folds) / processes)
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
