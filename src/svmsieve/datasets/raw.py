"""A table as a file holds it, before its columns are understood."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from svmsieve.datasets.errors import listed

MISSING = ("?",)
"""Marks of a missing value beside those of pandas (empty, NA, NaN, null, …)."""


@dataclass
class Raw:
    """What every format is read into.

    Attributes
    ----------
    X : a pandas frame whose columns count from 0, or a CSR matrix
    names : of the columns, as in the file; made unique by :func:`unique_names`
    y, y_name : the target and its name, where the format keeps it apart
    declared : kinds that the file itself declares, by column
    decimal : sign in the numbers of a text file; empty where its fields do not show it
    indices : first and last of the features of a LIBSVM file
    as_written : the fields of a column, by its number, before any was read as missing or as a number;
        None where the format does not keep them
    beside : columns of the rows that are no features, by name, where the format keeps them apart
    dates : whether dates are to become days
    ids : names of columns that name the rows
    notes : what was understood
    warnings : what may mislead
    """

    X: Any
    names: list[str]
    y: Any = None
    y_name: str = ""
    declared: dict[int, str] = field(default_factory=dict)
    decimal: str = ""
    indices: tuple[int, int] | None = None
    as_written: Callable[[int], Any] | None = None
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    repeated: frozenset[str] = frozenset()
    beside: dict[str, Any] = field(default_factory=dict)
    dates: bool = False
    ids: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.names, self.repeated = unique_names(self.names)
        if self.repeated:
            self.warnings.append(
                f"column names that appear more than once were numbered: "
                f"{listed(sorted(self.repeated))}."
            )


def unique_names(names: Iterable[Any]) -> tuple[list[str], frozenset[str]]:
    """Return names that are all different and not empty, and those that were not.

    >>> unique_names(["a", "", "a"])[0]
    ['a', 'column 2', 'a (2)']
    """
    given = [str(name).strip() or f"column {i + 1}" for i, name in enumerate(names)]
    taken = set(given)
    if len(taken) == len(given):
        return given, frozenset()
    seen: dict[str, int] = {}
    unique: list[str] = []
    repeated = set()
    for name in given:
        seen[name] = seen.get(name, 0) + 1
        if seen[name] == 1:
            unique.append(name)
            continue
        repeated.add(name)
        while (new := f"{name} ({seen[name]})") in taken:
            seen[name] += 1
        taken.add(new)
        unique.append(new)
    return unique, frozenset(repeated)
