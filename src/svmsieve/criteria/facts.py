"""What a class of criteria has to state about itself."""

from __future__ import annotations

from typing import Any


def refuse_facts(cls: Any, tasks: frozenset[str], kernels: frozenset[str]) -> None:
    """Refuse a class without a name, or whose tasks, kernels or machine are none of the known ones."""
    name = getattr(cls, "name", None)
    if not (isinstance(name, str) and name):
        raise TypeError(f"criterion {cls.__name__} must have a name: name = 'my-criterion'.")
    _refuse_unless_set_of(cls, "tasks", tasks)
    _refuse_unless_set_of(cls, "kernels", kernels)
    if cls.machine not in ("svm", "squared-hinge", None):
        raise TypeError(
            f"criterion {cls.__name__} must have machine 'svm', 'squared-hinge' or None, got "
            f"{cls.machine!r}."
        )


def _refuse_unless_set_of(cls: Any, fact: str, known: frozenset[str]) -> None:
    """Refuse a fact that is not a set of some of the known words; a string would be one of letters."""
    value = getattr(cls, fact, None)
    if not (isinstance(value, set | frozenset) and value and value <= known):
        got = f"got {value!r}" if hasattr(cls, fact) else "which it lacks"
        raise TypeError(
            f"criterion {cls.__name__} must have {fact}, a set of some of {sorted(known)}, {got}."
        )
