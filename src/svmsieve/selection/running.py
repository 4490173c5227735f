"""The searches of a selection under a progress bar: all samples, folds, probes, half samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from svmsieve.inputs.folds import Fold, speak_for_all
from svmsieve.selection.outcome import chosen_ranker, points_to_keep
from svmsieve.selection.progress import Listener, Progress
from svmsieve.selection.record import RunRecord
from svmsieve.selection.runs import (
    all_samples,
    fold_runs,
    half_runs,
    run_all,
    turn_runs,
    with_points,
)
from svmsieve.selection.task import Task

_FIRST_FOLDS = 5
"""Folds in which every point of the grid is judged, where there are twice as many."""
_KEPT_POINTS = 3
"""Points of each size that the others judge: of 104 fits 103 end in the same columns (docs/quality)."""


def run_searches(sieve: Any, task: Task, folds: Sequence[Fold], record: RunRecord) -> None:
    """Run the searches under a progress bar."""
    groups = fold_runs(task, folds)
    per_run = task.n_steps()
    total = None if per_run is None else per_run * (1 + sum(map(len, groups)))
    if total is not None and task.n_turns:
        total += task.n_turns * (task.n_steps(with_probes=True) or 0)
    halves = half_runs(task)
    total = None if total is None else total + len(halves)
    title = f"{task.search.name}, {task.criterion.name}"
    with Progress(bool(sieve.verbose), total, title) as bar:
        listener = Listener(bar, sieve.callback, record.steps)
        if not (task.rankers and folds):
            others = [*groups, *turn_runs(task), *halves]
            run_all(task, others, record, listener, sieve.n_jobs, all_samples(task))
            return
        n_first = len(folds)
        if n_first >= 2 * _FIRST_FOLDS and speak_for_all(
            sieve.cv, folds, task.target, _FIRST_FOLDS
        ):
            n_first = _FIRST_FOLDS
        run_all(task, groups[:n_first], record, listener, sieve.n_jobs)
        kept = points_to_keep(task, folds[:n_first], record, _KEPT_POINTS)
        run_all(task, with_points(groups[n_first:], kept), record, listener, sieve.n_jobs)
        every = all_samples(task, chosen_ranker(task, folds, record))
        bar.expect((per_run or 0) * (len(every) - 1))
        run_all(task, [], record, listener, sieve.n_jobs, every)
