"""How the selected features are distributed: by class, or against a numeric target."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.report.columns import dense_columns, is_one_hot, level_of
from svmsieve.report.features import Features

MOST_SHOWN = 12
MOST_CLASSES = 12
_MOST_DOTS = 60
_MOST_POINTS = 300
_MOST_LEVELS = 14
_STEPS = 8


def distributions(sieve: Any, features: Features, X: Any, y: Any) -> dict[str, Any] | None:
    """Return the distribution of each of the best selected features.

    Numbers by class: the quartiles, the 5 % and 95 % points and some of the values; against a numeric
    target: some of the pairs, and the mean of the target in eighths of the feature.  Categories: the share
    of each level in each class, or the quartiles of the target at each level.  Missing values are left out
    and counted.
    """
    order = features.order(sieve.order_)[: sieve.n_units_][:MOST_SHOWN]
    if len(order) == 0:
        return None
    classes = getattr(sieve, "classes_", None)
    y = np.asarray(y)
    parts = _classes(classes, y)
    shown = []
    for unit in order:
        columns = features.columns[unit]
        values = dense_columns(X, columns)
        name = features.names[unit]
        if len(columns) > 1 and is_one_hot(np.nan_to_num(values)):
            levels = [level_of(features.column_names[i], name) for i in columns]
            shown.append({"name": name, **_of_levels(values, levels, y, parts)})
            continue
        for i, column in enumerate(columns[: 1 if len(columns) == 1 else 2]):
            label = name if len(columns) == 1 else f"{name}: {features.column_names[column]}"
            shown.append({"name": label, **_of_numbers(values[:, i], y, parts)})
    return {
        "classes": None if parts is None else [label for label, _ in parts],
        "left_out": 0 if parts is None or classes is None else len(classes) - len(parts),
        "of": int(sieve.n_units_),
        "features": shown[:MOST_SHOWN],
    }


def _classes(classes: Any, y: Any) -> list[tuple[str, IntArray]] | None:
    """Rows of each class, of many classes the largest; None for numbers."""
    if classes is None:
        return None
    rows = [(str(label), np.flatnonzero(y == label)) for label in classes]
    if len(rows) > MOST_CLASSES:
        large = sorted(range(len(rows)), key=lambda i: -len(rows[i][1]))[:MOST_CLASSES]
        rows = [rows[i] for i in sorted(large)]
    return rows


def _of_numbers(
    values: FloatArray, y: Any, parts: list[tuple[str, IntArray]] | None
) -> dict[str, Any]:
    known = ~np.isnan(values)
    found: dict[str, Any] = {"kind": "number", "missing": int(len(values) - known.sum())}
    if parts is None:
        return found | _against(values[known], np.asarray(y, dtype=np.float64)[known])
    found["classes"] = [_five(values[rows][known[rows]]) for _, rows in parts]
    return found


def _five(values: FloatArray) -> dict[str, Any]:
    if len(values) == 0:
        return {"rows": 0, "quantiles": None, "dots": []}
    drawn = values
    if len(values) > _MOST_DOTS:
        drawn = np.random.default_rng(0).choice(values, _MOST_DOTS, replace=False)
    quantiles = np.quantile(values, [0.05, 0.25, 0.5, 0.75, 0.95])
    return {"rows": len(values), "quantiles": quantiles, "dots": drawn}


def _against(values: FloatArray, y: FloatArray) -> dict[str, Any]:
    drawn = np.arange(len(values))
    if len(values) > _MOST_POINTS:
        drawn = np.random.default_rng(0).choice(len(values), _MOST_POINTS, replace=False)
    levels = np.unique(values)
    if len(levels) <= _STEPS:
        parts = [np.flatnonzero(values == level) for level in levels]
    else:
        parts = np.array_split(
            np.argsort(values, kind="stable"), min(_STEPS, len(values) // 5 or 1)
        )
    return {
        "x": values[drawn],
        "y": y[drawn],
        "steps": [[values[rows].mean(), y[rows].mean()] for rows in parts if len(rows)],
    }


def _of_levels(
    values: FloatArray, levels: list[str], y: Any, parts: list[tuple[str, IntArray]] | None
) -> dict[str, Any]:
    at = np.nan_to_num(values) > 0.5
    counts = at.sum(axis=0)
    kept = np.sort(np.argsort(-counts, kind="stable")[:_MOST_LEVELS])
    found: dict[str, Any] = {
        "kind": "category",
        "levels": [levels[i] for i in kept],
        "counts": counts[kept],
        "left_out": len(levels) - len(kept),
        "missing": int(np.isnan(values).any(axis=1).sum()),
    }
    if parts is None:
        numbers = np.asarray(y, dtype=np.float64)
        return found | {"target": [_five(numbers[at[:, i]]) for i in kept]}
    return found | {"shares": [at[rows][:, kept].mean(axis=0) for _, rows in parts]}
