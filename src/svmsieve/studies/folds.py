"""How many folds a study can have: as many as asked for, fewer where classes, groups or rows are few."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from svmsieve.datasets import DataError, Table
from svmsieve.runtime.text import one_line
from svmsieve.studies.choices import Choices

_MOST_LISTED = 5
_LEAST_OF_A_CLASS = 4
"""One held out, one held out inside, and two for the probabilities of what is left."""
_FEW_ROWS, _FEW_CELLS, _REPEATS = 100, 20_000, 3
"""Tables up to which the outer folds are repeated without asking, and how often."""


@dataclass(frozen=True)
class FoldPlan:
    """Number of outer folds, of the folds inside each, and what was changed to make them possible.

    Attributes
    ----------
    outer : number of outer folds
    inner : number of folds inside each, or ``"auto"``
    repeats : how often the rows are divided into outer folds
    notes : what is not as it was asked for
    """

    outer: int
    inner: Any
    notes: tuple[str, ...] = ()
    repeats: int = 1

    @property
    def selections(self) -> int:
        """Number of selections in the outer folds."""
        return self.outer * self.repeats

    def __str__(self) -> str:
        times = "" if self.repeats == 1 else f", {self.repeats} times"
        return f"{self.outer} outer folds{times}"


def plan_folds(table: Table, choices: Choices) -> FoldPlan:
    """Return the folds of a study; refuse a table of which no folds can be made.

    Each outer fold holds out some of every class (every group once, two rows of numbers), and leaves enough
    of it that two inner folds can do the same.
    """
    if table.task == "regression":
        n, each, what = len(table.y), 2, f"the table has {len(table.y)} rows with a target"
        if n < 2 * each:
            raise DataError(f"{what}, too few to be held out in folds, which need {2 * each}.")
    else:
        n, each, what = _smallest_class(table)
    plan = _plan(n, each, what, choices.folds, choices.inner, 3 if n > 3 else 2)
    if table.groups is not None:
        plan = _whole_groups(table, plan)
    return replace(plan, repeats=_repeats(table, choices))


def _repeats(table: Table, choices: Choices) -> int:
    """Return how often to divide the rows: several times where they are few and each time is short.

    With few rows one division is itself chance.  By the size of the table, not by the clock: the same
    table has the same answer everywhere.
    """
    if choices.repeats is not None:
        return choices.repeats
    rows, columns = table.X.shape
    short = rows <= _FEW_ROWS and rows * columns <= _FEW_CELLS
    return _REPEATS if short and choices.cv is None and not choices.quick else 1


def _smallest_class(table: Table) -> tuple[int, int, str]:
    """Return the rows of the smallest class, how many a fold holds out, and both in words."""
    classes, counts = np.unique(table.y, return_counts=True)
    small = counts < _LEAST_OF_A_CLASS
    if small.any():
        which = ", ".join(
            one_line(f"{label!s} ({count})", 60)
            for label, count in zip(
                classes[small][:_MOST_LISTED], counts[small][:_MOST_LISTED], strict=True
            )
        )
        more = f" and {small.sum() - _MOST_LISTED} more" if small.sum() > _MOST_LISTED else ""
        raise DataError(
            f"target {one_line(table.target)!r} has classes with too few rows to be held out in folds and "
            f"still be trained on, which needs {_LEAST_OF_A_CLASS} of each: {which}{more}; merge or drop "
            "them."
        )
    at = int(np.argmin(counts))
    return int(counts[at]), 1, f"class {one_line(classes[at])!r} has {counts[at]} rows"


def _whole_groups(table: Table, plan: FoldPlan) -> FoldPlan:
    n_groups = len(set(table.groups.tolist()))
    what = f"column {one_line(table.groups_name)!r} marks {n_groups} groups of rows"
    least_left = 3 if n_groups > 3 else 2
    if table.task != "regression":
        of_class = {
            label: set(table.groups[table.y == label].tolist()) for label in np.unique(table.y)
        }
        rarest = min(of_class, key=lambda label: len(of_class[label]))
        if len(of_class[rarest]) < n_groups:
            n_groups, least_left = len(of_class[rarest]), 2
            what += f", {n_groups} of them with class {one_line(rarest)!r}"
    if n_groups < 3:
        raise DataError(
            f"{what}, too few to be held out whole and still be trained on, which needs 3."
        )
    fewer = _plan(n_groups, 1, what, plan.outer, plan.inner, least_left)
    return replace(fewer, notes=plan.notes + fewer.notes)


def _plan(n: int, each: int, what: str, outer: int, inner: Any, least_left: int) -> FoldPlan:
    """Return the folds of ``n`` rows of which each holds out at least ``each``, and leaves enough."""
    possible = _folds(n, outer, n // each, least_left)
    left = _left(n, possible)
    inside = inner if inner == "auto" else _folds(left, inner, left, 2)
    changed = []
    if possible != outer:
        changed.append(f"{possible} outer folds, not {outer}")
    if inside != inner:
        changed.append(f"{inside} inner folds, not {inner}")
    more = ", which leave more rows to train on" if possible > outer else ""
    note = f"{what}: {', and '.join(changed)}{more}."
    return FoldPlan(possible, inside, (note[0].upper() + note[1:],) if changed else ())


def _folds(n: int, asked: int, most: int, least_left: int) -> int:
    """Return the number of folds next to that asked for that leaves enough of ``n`` rows to train on."""
    folds = max(2, min(asked, most))
    while _left(n, folds) < least_left and folds < most:
        folds += 1
    return folds


def _left(n: int, folds: int) -> int:
    """Rows that the fullest of the folds leaves to train on."""
    return n - -(-n // folds)
