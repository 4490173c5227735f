"""Columns that belong together and columns that must stay: from what users say to indices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any

import numpy as np

from svmsieve.engine.arrays import IntArray


def column_index(column: Any, names: list[str], what: str) -> int:
    """Return the index of a column given by name or index, or refuse it by name."""
    if isinstance(column, str):
        if column not in names:
            raise ValueError(f"{what} names the column {column!r}, which X does not have.")
        return names.index(column)
    if isinstance(column, bool | np.bool_) or not isinstance(column, Integral):
        raise ValueError(f"{what} must hold names or indices of columns, got {column!r}.")
    index = int(column)
    if not -len(names) <= index < len(names):
        raise ValueError(f"{what} names the column {column}, but X has {len(names)} columns.")
    return index % len(names)


def make_units(groups: Any, names: list[str]) -> tuple[IntArray, ...]:
    """Return the columns of each unit, units in the order of their first column.

    ``groups`` is None, lists of columns, one label for each column, or a mapping from columns to
    labels; columns it does not mention are units of their own.
    """
    label_of: list[Any] = [("alone", i) for i in range(len(names))]
    taken: dict[int, Any] = {}
    for label, column in _memberships(groups, names):
        index = column_index(column, names, "groups")
        if index in taken and taken[index] != label:
            raise ValueError(f"groups must not overlap: column {names[index]!r} is in several.")
        taken[index] = label
        label_of[index] = ("group", label)
    units: dict[Any, list[int]] = {}
    for index, label in enumerate(label_of):
        units.setdefault(label, []).append(index)
    return tuple(np.array(columns) for columns in units.values())


def _memberships(groups: Any, names: list[str]) -> Iterable[tuple[Any, Any]]:
    """Yield (label, column) pairs of whatever form the groups were given in."""
    if groups is None:
        return []
    if isinstance(groups, Mapping):
        return [(label, column) for column, label in groups.items()]
    listed = list(groups)
    if all(isinstance(g, list | tuple | set | np.ndarray) for g in listed):
        return [(label, column) for label, group in enumerate(listed) for column in group]
    if len(listed) != len(names):
        raise ValueError(
            f"groups must hold one label for each of the {len(names)} columns, or lists of columns, "
            f"got {len(listed)} labels."
        )
    return [(label, column) for column, label in enumerate(listed) if label is not None]


def kept_units(keep: Any, units: tuple[IntArray, ...], names: list[str]) -> frozenset[int]:
    """Return the units that hold a column of ``keep`` (names or indices, one or several)."""
    if keep is None:
        return frozenset()
    if isinstance(keep, str | Integral):
        keep = [keep]
    columns = {column_index(column, names, "keep") for column in keep}
    return frozenset(u for u, unit in enumerate(units) if columns.intersection(unit.tolist()))
