"""The features of a fitted sieve as people know them: a group of columns is one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from svmsieve.engine.arrays import IntArray
from svmsieve.search.order import Order
from svmsieve.units import make_units


@dataclass(frozen=True)
class Features:
    """Names and columns of the features (units) a sieve chose from.

    Attributes
    ----------
    names : of the features
    columns : of each feature, as indices
    column_names : of all columns
    """

    names: list[str]
    columns: tuple[IntArray, ...]
    column_names: list[str]

    @classmethod
    def of(cls, sieve: Any, column_names: Sequence[str] | None = None) -> Features:
        """Read them off a fitted sieve; names of the columns may be given where it has none."""
        d = len(sieve.support_)
        if column_names is None:
            column_names = getattr(sieve, "feature_names_in_", [f"x{i}" for i in range(d)])
        names = [str(name) for name in column_names]
        columns = make_units(sieve.groups, names)
        labels = _labels(sieve.groups, names)
        return cls([_unit_name(unit, names, labels) for unit in columns], columns, names)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def of_column(self) -> IntArray:
        """Feature that each column belongs to."""
        result = np.empty(len(self.column_names), dtype=np.intp)
        for number, unit in enumerate(self.columns):
            result[unit] = number
        return result

    def order(self, columns: IntArray) -> IntArray:
        """Return the features of columns in order, each where its first column stands."""
        units = self.of_column[columns]
        _, first = np.unique(units, return_index=True)
        return units[np.sort(first)]

    def chosen(self, columns: IntArray) -> IntArray:
        """Return the features that hold one of the columns."""
        return np.unique(self.of_column[columns])


def _labels(groups: Any, names: list[str]) -> dict[str, str]:
    """Names of the groups that were given as labels of columns."""
    if isinstance(groups, Mapping):
        return {str(column): str(label) for column, label in groups.items()}
    if groups is None:
        return {}
    listed = list(groups)
    if any(isinstance(each, list | tuple | set | np.ndarray) for each in listed):
        return {}
    return {name: str(label) for name, label in zip(names, listed, strict=True)}


def _unit_name(unit: IntArray, names: list[str], labels: dict[str, str]) -> str:
    first = names[unit[0]]
    if len(unit) == 1 and first not in labels:
        return first
    return labels.get(first, "+".join(names[i] for i in unit))


def fold_orders(sieve: Any, n_features: int) -> list[IntArray]:
    """Return the features of each of the sieve's own folds, best first; none where it had no folds."""
    folds = sorted((name for name in sieve.record_.steps if name != "all"), key=int)
    return [Order.of(sieve.record_.steps[name], n_features).units for name in folds]
