"""What a user asks for without saying it: the task, the kind of machine."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from svmsieve.criteria import make_criterion
from svmsieve.inputs.target import MOST_CLASSES, is_continuous, is_regression

_OFTEN = 3
"""Times that each value of a class comes at least."""


def asks_for_regression(y: Any, criterion: Any) -> bool:
    """Guess the task; a criterion for one kind of target settles what the values leave open.

    As in scikit-learn text, booleans and whole numbers are classes, numbers with decimals are not; nor are
    more than 20 different whole numbers.
    """
    if criterion != "auto":
        tasks = make_criterion(criterion, "binary").tasks
        if tasks == {"regression"}:
            return True
        if "regression" not in tasks:
            return is_continuous(y)
    return is_regression(y)


def guessed_regression(y: Any, criterion: Any) -> bool:
    """Guess the task as :func:`asks_for_regression`; say so where numbers look like classes.

    They do where each of them comes often: then another unit of the target would mean another task.
    """
    regression = asks_for_regression(y, criterion)
    values = np.asarray(y)
    settled = criterion != "auto" and make_criterion(criterion, "binary").tasks == {"regression"}
    if regression and not settled and values.dtype.kind in "iuf":
        different, counts = np.unique(values, return_counts=True)
        if len(different) > 1 and counts.min() >= _OFTEN:
            warnings.warn(
                f"y holds {len(different)} different numbers, each at least {counts.min()} times, and is "
                "taken for a regression, as they have decimals or are more than "
                f"{MOST_CLASSES}; for classes give text or an SVC with whole numbers, for numbers an SVR.",
                UserWarning,
                stacklevel=3,
            )
    return regression


def is_nystroem(machine: Any) -> bool:
    """Whether a machine's name is that of the Nyström machine; an unknown name is refused."""
    if machine not in ("exact", "nystroem"):
        raise ValueError(f"machine must be 'exact' or 'nystroem', got {machine!r}.")
    return bool(machine == "nystroem")
