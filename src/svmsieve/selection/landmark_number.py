"""How many landmarks are enough: as many as rank the top of the features like twice as many do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from svmsieve.criteria import make_criterion
from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.machines.plan import Plan
from svmsieve.runtime.threads import one_blas_thread
from svmsieve.scale.chunks import RowChunks
from svmsieve.scale.driver import streamed_scores
from svmsieve.scale.prepared_rows import PreparedRows
from svmsieve.selection.streamed import preparing_of, tuned_rows

FEWEST_LANDMARKS = 125
MOST_LANDMARKS = 2000
_ROWS = 4_000
"""Rows of the sample that are ranked."""
_TOP = 5
"""Places whose features must be the same."""
_AGREE = 0.85
"""Mean share of the best, the two best and so on that two orders have in common."""


def with_enough_landmarks(sieve: Any, task: Any) -> tuple[Any, int]:
    """Return the task with as many landmarks as the user asks for, or as are enough, and their number."""
    if sieve.n_landmarks != "auto":
        return task, task.n_landmarks
    with one_blas_thread():
        number = enough_landmarks(task)
    return replace(task, n_landmarks=number), number


def enough_landmarks(task: Any) -> int:
    """Rank some rows with m and 2m landmarks, m doubling, until the tops of both orders agree."""
    raw = task.surveyed.raw
    n = raw.X.shape[0]
    rows = raw.at(np.linspace(0, n - 1, min(n, _ROWS)).astype(np.intp))
    chunks = RowChunks(rows.X, rows.y, rows.weight, groups=rows.groups)
    number, plan = FEWEST_LANDMARKS, None
    last, plan = _order(task, chunks, number, plan)
    while 2 * number <= min(MOST_LANDMARKS, rows.X.shape[0]):
        order, plan = _order(task, chunks, 2 * number, plan)
        if overlap(last, order) >= _AGREE:
            return number
        number, last = 2 * number, order
    return number


def overlap(one: IntArray, other: IntArray, depth: int = _TOP) -> float:
    """Return the mean share of the best, the two best, … that two orders have in common.

    >>> overlap(np.array([0, 1, 2]), np.array([1, 0, 2]), 2)
    0.5
    """
    depths = range(1, min(depth, len(one)) + 1)
    return float(np.mean([len(np.intersect1d(one[:k], other[:k])) / k for k in depths]))


def _order(task: Any, chunks: RowChunks, number: int, plan: Plan | None) -> tuple[IntArray, Plan]:
    """Return the units of some rows by their scores with so many landmarks, and the machine's plan."""
    prepared = PreparedRows.of(chunks, replace(preparing_of(task), n_landmarks=number))
    stream = prepared.stream
    criterion = task.criterion
    if criterion.machine is None:  # a filter has no landmarks, but machines judge its sizes
        criterion = make_criterion("auto", task.target.task)
    if plan is None:
        plan = task.plan(stream.sample.X, stream.target)
        if task.estimator is None:
            plan = tuned_rows(task, plan, prepared, task.seed)
    columns = stream.columns(np.arange(chunks.n_features))
    machines = columns.train(plan, probabilities=criterion.needs_probabilities)
    single = len(task.units) == chunks.n_features
    scores: FloatArray = streamed_scores(
        criterion, columns, machines, None if single else task.units, task.seed
    )
    return np.argsort(-scores, kind="stable"), plan
