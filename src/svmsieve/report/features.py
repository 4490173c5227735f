"""The features of a fitted sieve as people know them: a group of columns is one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from svmsieve.engine.arrays import IntArray
from svmsieve.inputs.feature_groups import make_units, unit_names
from svmsieve.report.searched import search_of
from svmsieve.search.consensus import joint_scores
from svmsieve.search.order import Order


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
        return cls(unit_names(sieve.groups, names), make_units(sieve.groups, names), names)

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


def fold_orders(sieve: Any, n_features: int) -> list[IntArray]:
    """Return the features of each of the sieve's own folds, best first; none where it had no folds."""
    start = f"{sieve.path_.ranking}: "  # of several rankings the one that was taken
    names = (name.removeprefix(start) for name in sieve.record_.steps)
    numbers = sorted({int(name) for name in names if name.isdigit()})
    several = len(sieve.path_.tried) > 1
    folds = [f"{start}{number}" if several else str(number) for number in numbers]
    return [Order.of(sieve.record_.steps[name], n_features).units for name in folds]


def ordered_by(sieve: Any, order: IntArray) -> tuple[str, list[float | None]]:
    """Return what the ranking is the order of, in words, and its value for each feature, best first.

    Never better further down, but for features that were kept by order.
    """
    n, path, steps = len(order), sieve.path_, sieve.record_.steps["all"]
    if path.tried:
        orders = [Order.of(steps, n).units, *fold_orders(sieve, n)]
        means = 1.0 / joint_scores(orders)
        return "mean rank", [float(round(means[unit], 4)) for unit in order]
    search = search_of(sieve)
    if search.name == "once":
        return "score", []
    size = {unit: step.size for step in steps for unit in step.moved}
    if not search.forward:  # what stays to the end leaves with the last step
        return "leaves at", [float(size.get(int(unit), steps[-1].size)) for unit in order]
    return "enters at", [size.get(int(unit)) for unit in order]
