"""What a user asks for without saying it: the task, the kind of machine."""

from __future__ import annotations

from typing import Any

from svmsieve.criteria import make_criterion
from svmsieve.inputs.target import is_continuous, is_regression


def asks_for_regression(y: Any, criterion: Any) -> bool:
    """Guess the task; a criterion for one kind of target settles what the values leave open."""
    if criterion != "auto":
        tasks = make_criterion(criterion, "binary").tasks
        if tasks == {"regression"}:
            return True
        if "regression" not in tasks:
            return is_continuous(y)
    return is_regression(y)


def is_nystroem(machine: Any) -> bool:
    """Whether a machine's name is that of the Nyström machine; an unknown name is refused."""
    if machine not in ("exact", "nystroem"):
        raise ValueError(f"machine must be 'exact' or 'nystroem', got {machine!r}.")
    return bool(machine == "nystroem")
