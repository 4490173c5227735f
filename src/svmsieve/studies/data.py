"""The table of a study, ready for the sieve: drawn, checked, its columns and groups named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from svmsieve.datasets import DataError, Encoded, Table, encode
from svmsieve.engine.machines.scoring import BALANCED, default_scoring
from svmsieve.evaluation import Metric, make_metric
from svmsieve.inputs.feature_groups import make_units
from svmsieve.inputs.folds import repeated_folds
from svmsieve.inputs.target import check_sample_groups, make_target, refuse_extremes
from svmsieve.runtime.text import one_line
from svmsieve.selection.selector import SVMSieve
from svmsieve.studies.choices import QUICK_ROWS, Choices
from svmsieve.studies.folds import FoldPlan, plan_folds

_MANY_TEXTS, _FEW_ROWS = 20, 5
"""Texts of a column, and rows of each, from and below which they may be names."""


@dataclass(frozen=True)
class StudyData:
    """A table as a selector takes it.

    Attributes
    ----------
    table : what was read
    encoded : its columns as numbers
    y : the target
    groups : label of each encoded column
    keep : encoded columns that never leave
    folds : how many folds there are
    metric : what is measured
    notes : what was done to the table
    """

    table: Table
    encoded: Encoded
    y: Any
    groups: list[str] | None
    keep: list[int]
    folds: FoldPlan
    metric: Metric
    notes: list[str]

    @property
    def regression(self) -> bool:
        """Whether the target is a number."""
        return self.table.task == "regression"

    @property
    def class_weight(self) -> Literal["balanced"] | None:
        """How machines that are not tuned by the sieve weigh the classes: as those that are."""
        alike = not self.regression and self.metric.name.startswith(BALANCED)
        return "balanced" if alike else None

    @property
    def n_units(self) -> int:
        """Number of features, a group counting as one."""
        return len(make_units(self.groups, self.encoded.names))

    @property
    def values(self) -> Any:
        """The encoded columns without their names: scikit-learn checks a wide frame column by column."""
        X = self.encoded.X
        return X.to_numpy(dtype=np.float64) if hasattr(X, "columns") else X

    def outer_folds(self, seed: int) -> Any:
        """Return the outer folds as an evaluation takes them: their number, or all of several divisions."""
        plan, groups, n = self.folds, self.table.groups, len(self.y)
        if plan.repeats == 1:
            return plan.outer
        target = make_target(self.y, self.regression, n)
        target = replace(target, groups=check_sample_groups(groups, n))
        return repeated_folds(plan.outer, plan.repeats, target, seed)

    def sources(self, sieve: SVMSieve) -> list[str]:
        """Return the table's columns that the selected columns come from, in the table's order."""
        origin = self.encoded.groups or {}
        names = [self.encoded.names[i] for i in sieve.get_support(indices=True)]
        chosen = {origin.get(name, name) for name in names}
        return [name for name in self.table.names if name in chosen]


def prepare(table: Table, choices: Choices) -> StudyData:
    """Encode a table: categories one-hot in groups, missing numbers left for the folds to fill."""
    if table.y is None:
        raise DataError("a target is needed: name its column with --target.")
    notes: list[str] = []
    if choices.quick and table.X.shape[0] > QUICK_ROWS:
        notes.append(f"--quick: {QUICK_ROWS} of {table.X.shape[0]} rows were drawn at random.")
        table = _drawn(table, choices.seed)
    encoded = encode(table, impute=False, memory=choices.memory)
    sources = encoded.groups or {}
    labels = [sources.get(name, name) for name in encoded.names]
    keep = [i for i, label in enumerate(labels) if label in choices.keep]
    if choices.group_by_prefix:
        labels = [prefix(label, choices.group_by_prefix) for label in labels]
    groups = labels if len(set(labels)) < len(labels) else None
    if table.task == "regression":
        _refuse_extremes(table)
    folds = plan_folds(table, choices)
    metric, why = _metric(table, choices)
    notes += [*folds.notes, *why, *_like_names(table, sources)]
    return StudyData(table, encoded, table.y, groups, keep, folds, metric, notes)


def _like_names(table: Table, sources: Mapping[str, str]) -> list[str]:
    """Tell columns of so many texts that they may be names of patients, each of a few rows."""
    if table.groups is not None:
        return []
    rows = table.X.shape[0]
    return [
        f"Column {name!r} has {n} texts in {rows} rows, {rows / n:.1f} rows each: if it says whose rows "
        f"these are, give --sample-groups {name}; if it is a name of rows, --drop {name}."
        for name, n in Counter(sources.values()).items()
        if n >= _MANY_TEXTS and rows < _FEW_ROWS * n
    ]


def _metric(table: Table, choices: Choices) -> tuple[Metric, list[str]]:
    """Return the measure asked for, else the usual one, and why it is not that.

    The usual one is what the sieve itself goes by (:func:`default_scoring`).
    """
    regression = table.task == "regression"
    if choices.scoring is None and not regression:
        target = make_target(table.y, regression, len(table.y))
        if default_scoring(target) == "balanced_accuracy":
            counts = np.unique(table.y, return_counts=True)[1]
            guess = 100.0 * (1.0 - 1.0 / len(counts))
            why = (
                f"Classes of {counts.min()} to {counts.max()} rows: the balanced error rate is told, the "
                f"mean over the classes ({guess:.0f} % by guessing), for the plain one hardly sees "
                "the small class; --scoring accuracy tells the plain one."
            )
            return make_metric("ber", regression), [why]
    return make_metric(choices.scoring, regression), []


def _refuse_extremes(table: Table) -> None:
    """Refuse a numeric target that no selection takes, by its name."""
    y = np.asarray(table.y, dtype=np.float64)
    try:
        refuse_extremes(float(y.min()), float(y.max()), f"target {one_line(table.target)!r}")
    except ValueError as error:
        raise DataError(str(error)) from None


def prefix(label: str, separator: str) -> str:
    """Return the label without what follows its last separator."""
    return label.rpartition(separator)[0] or label


def _drawn(table: Table, seed: int) -> Table:
    """Draw rows at random, of each class its share."""
    from sklearn.model_selection import train_test_split

    rows = np.arange(table.X.shape[0])
    classes, counts = np.unique(table.y, return_counts=True)
    stratify = table.y if table.task != "regression" and counts.min() > 1 else None
    if stratify is not None and len(classes) > QUICK_ROWS // 2:
        stratify = None
    drawn, _ = train_test_split(rows, train_size=QUICK_ROWS, random_state=seed, stratify=stratify)
    drawn = np.sort(drawn)
    X = table.X.iloc[drawn].reset_index(drop=True) if hasattr(table.X, "iloc") else table.X[drawn]
    groups = None if table.groups is None else table.groups[drawn]
    return replace(table, X=X, y=np.asarray(table.y)[drawn], groups=groups)
