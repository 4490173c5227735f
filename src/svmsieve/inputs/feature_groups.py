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
        if names.count(column) > 1:
            raise ValueError(
                f"{what} names the column {column!r}, of which X has {names.count(column)}; give its index."
            )
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
    labels; columns it does not mention, or labels with None or NaN, are units of their own.
    """
    label_of: list[Any] = [("alone", i) for i in range(len(names))]
    for index, label in _labels(groups, names).items():
        label_of[index] = ("group", label)
    units: dict[Any, list[int]] = {}
    for index, label in enumerate(label_of):
        units.setdefault(label, []).append(index)
    return tuple(np.array(columns) for columns in units.values())


def joint_units(groups: Any, names: list[str]) -> tuple[IntArray, ...] | None:
    """Return the columns of each unit; None where each column is alone, however that was said."""
    units = make_units(groups, names)
    return None if len(units) == len(names) else units


def unit_names(groups: Any, names: list[str]) -> list[str]:
    """Return the units' names: a label that is text, else those of its columns, ``"red+green"``."""
    labels = _labels(groups, names)
    return [
        str(labels[unit[0]])
        if isinstance(labels.get(unit[0]), str)
        else "+".join(names[i] for i in unit)
        for unit in make_units(groups, names)
    ]


def _labels(groups: Any, names: list[str]) -> dict[int, Any]:
    """Return the label of each column that has one."""
    labels: dict[int, Any] = {}
    places = {name: i for i, name in enumerate(names)}
    alone = places if len(places) == len(names) else {}  # 100 000 names are not to be searched
    for label, column in _memberships(groups, names):
        index = (
            alone[column]
            if isinstance(column, str) and column in alone
            else column_index(column, names, "groups")
        )
        if labels.setdefault(index, label) != label:
            raise ValueError(f"groups must not overlap: column {names[index]!r} is in several.")
    return labels


def _memberships(groups: Any, names: list[str]) -> Iterable[tuple[Any, Any]]:
    """Yield (label, column) pairs of whatever form the groups were given in."""
    if groups is None:
        return []
    if hasattr(groups, "to_dict") and hasattr(
        groups, "index"
    ):  # a Series: its index names the columns
        groups = groups.to_dict()
    if isinstance(groups, Mapping):
        return _labelled((label, column) for column, label in groups.items())
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise ValueError(f"groups must be {_FORMS}, got {groups!r}.")
    listed = list(groups)
    lists = [_is_list(each) for each in listed]
    if all(lists):
        members = [list(group) for group in listed]
        if [] in members:
            raise ValueError(
                f"groups must hold at least one column each; group {members.index([])} is empty."
            )
        return [(label, column) for label, group in enumerate(members) for column in group]
    if any(lists):
        raise ValueError(f"groups must be {_FORMS}, not some of each.")
    if len(listed) != len(names):
        raise ValueError(
            f"groups must hold one label for each of the {len(names)} columns, or lists of columns, "
            f"got {len(listed)} labels."
        )
    return _labelled((label, column) for column, label in enumerate(listed))


_FORMS = "lists of columns, one label for each column, or a mapping from columns to labels"


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes)


def _labelled(pairs: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Return the (label, column) pairs that have a label; NaN is what tables write for none."""
    kept = []
    for label, column in pairs:
        if _is_list(label):
            raise ValueError(f"groups must be {_FORMS}; the label of {column!r} is {label!r}.")
        if not (label is None or label != label):
            kept.append((label, column))
    return kept


def kept_units(keep: Any, units: tuple[IntArray, ...], names: list[str]) -> frozenset[int]:
    """Return the units that hold a column of ``keep`` (names or indices, one or several).

    One column of a group keeps the whole group: its columns enter and leave together.
    """
    if keep is None:
        return frozenset()
    if isinstance(keep, str | Integral):
        keep = [keep]
    columns = {column_index(column, names, "keep") for column in keep}
    return frozenset(u for u, unit in enumerate(units) if columns.intersection(unit.tolist()))
