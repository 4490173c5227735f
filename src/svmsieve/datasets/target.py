"""The target of a table: classes or numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmsieve.datasets.columns import CATEGORY, LEAST_ROWS, Column
from svmsieve.datasets.errors import DataError, listed, shown
from svmsieve.inputs.target import MOST_CLASSES, is_regression

TASKS = ("classification", "regression")


def has_text_classes(y: Any) -> bool:
    """Whether a target that was made is text."""
    return y is not None and np.asarray(y).dtype.kind == "U"


def make_y(
    column: Column, name: str, task: str | None, *, learnt: bool = False, lost: str = ""
) -> tuple[Any, str, list[str], list[str]]:
    """Return the target, the task, notes and warnings; the column has no missing values.

    Classes are text, booleans or whole numbers; a numeric target of many different values is a
    regression.  What cannot be learnt is refused, unless something was ``learnt`` already; ``lost``
    says which labels were read as missing.
    """
    if column.kind == "date":
        raise DataError(f"target {shown(name)} holds dates; turn them into numbers or classes.")
    if column.kind == CATEGORY:
        y = column.values.astype(object).to_numpy().astype(str)
        guess = "classification"
    else:
        y = column.values.to_numpy()
        exact = y.dtype.kind != "f" or bool((np.abs(y) < 2**53).all())  # larger ones are no labels
        if y.dtype.kind == "f" and exact and (y == np.round(y)).all():
            y = y.astype(np.int64)
        guess = "regression" if not exact or is_regression(y) else "classification"
    chosen = task or guess
    if chosen == "regression":
        if column.kind == CATEGORY:
            raise DataError(
                f"target {shown(name)} holds text ({listed(np.unique(y))}), which is no regression; "
                "choose classification, or another target."
            )
        if y.min() == y.max() and not learnt:
            raise DataError(f"target {shown(name)} is {y[0]} in every row; choose another target.")
        note = f"target {shown(name)}: numbers from {y.min():g} to {y.max():g}, a regression."
        return y.astype(np.float64), chosen, [note], []
    if learnt:
        return y, chosen, [], []
    return y, chosen, *_about_classes(y, name, lost)


def _about_classes(y: Any, name: str, lost: str) -> tuple[list[str], list[str]]:
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) == 1:
        raise DataError(
            f"target {shown(name)} has the class {shown(classes[0])} only"
            + (f": {lost}." if lost else "; a selection needs two classes.")
        )
    if len(y) >= LEAST_ROWS and len(classes) > len(y) / 2:
        raise DataError(
            f"target {shown(name)} has {len(classes)} different values in {len(y)} rows, too many to be "
            "classes; choose another target."
        )
    warnings = []
    if len(classes) > MOST_CLASSES:
        warnings.append(
            f"target {shown(name)} has {len(classes)} classes: a machine is trained for each pair of them."
        )
    alone = classes[counts == 1]
    if len(alone):
        which = "class" if len(alone) == 1 else "classes"
        warnings.append(
            f"target {shown(name)}: the {which} {listed(alone)} of one row each cannot be cross-validated; "
            "drop or merge them."
        )
    shares = ", ".join(
        f"{shown(label)} {count}" for label, count in list(zip(classes, counts, strict=True))[:5]
    )
    more = "" if len(classes) <= 5 else ", …"
    return [f"target {shown(name)}: {len(classes)} classes ({shares}{more})."], warnings
