"""What the fitted machine does with its features: response, redundancy, tuning."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from svmsieve.engine.arrays import FloatArray
from svmsieve.evaluation import make_metric
from svmsieve.evaluation.shown import Shown
from svmsieve.ranking.curves import response
from svmsieve.report.columns import dense_columns, is_one_hot, level_of, standardised, with_means
from svmsieve.report.features import Features
from svmsieve.report.reasons import Reasons
from svmsieve.runtime.threads import one_blas_thread

_MOST_RESPONSES = 8
_MOST_LINES = 40
_GRID = 24
_BUDGET = 2e8
"""Bytes the responses may take."""
_MOST_CORRELATED = 30
_LEAST_CORRELATED = 10
_REDUNDANT = 0.9
"""Absolute correlation from which features are called redundant."""


def responses(sieve: Any, features: Features, X: Any, y: Any) -> dict[str, Any] | None:
    """Return how the machine's output follows each of the best selected features.

    Numbers: its output at values of the feature, all else as it is, for some samples (ICE) and on
    average.  Categories: the share of the samples it would give to each class (or its mean prediction)
    if all of them had a level.  None for a Nyström machine: the curves train an exact one.
    """
    selected = np.flatnonzero(sieve.support_)
    if len(selected) == 0 or sieve.machine == "nystroem":
        return None
    matrix = dense_columns(X, selected, sieve.fill_values_)
    place = {int(column): i for i, column in enumerate(selected)}
    order = features.order(sieve.order_)[: sieve.n_units_][:_MOST_RESPONSES]
    classes = getattr(sieve, "classes_", None)
    numeric: list[tuple[str, int]] = []
    shown: dict[str, dict[str, Any]] = {}
    for unit in order:
        columns = [place[int(column)] for column in features.columns[unit]]
        name = features.names[unit]
        if len(columns) > 1 and is_one_hot(matrix[:, columns]):
            levels = [level_of(features.column_names[selected[i]], name) for i in columns]
            shown[name] = _of_levels(sieve, matrix, columns, levels, classes) | {"name": name}
        else:
            for i in columns[: 1 if len(columns) == 1 else 2]:
                column_name = features.column_names[selected[i]]
                label = name if len(columns) == 1 else f"{name}: {column_name}"
                numeric.append((label, i))
                shown[label] = {}
    numeric = _that_fit(numeric, len(matrix), classes)
    if numeric:
        curves = _of_numbers(sieve, matrix, y, [i for _, i in numeric])
        for (label, _), curve in zip(numeric, curves, strict=True):
            shown[label] = curve | {"name": label}
    return {
        "output": "prediction" if classes is None else "probability",
        "classes": None if classes is None else [str(label) for label in classes],
        "features": [each for each in shown.values() if each],
    }


def _that_fit(numeric: list[tuple[str, int]], n: int, classes: Any) -> list[tuple[str, int]]:
    k = 2 if classes is None else len(classes)
    each = 8.0 * n * _GRID * max(k * (k - 1) // 2, k)
    return numeric[: int(_BUDGET // each)]


def _of_numbers(sieve: Any, matrix: FloatArray, y: Any, columns: list[int]) -> list[dict[str, Any]]:
    classes = getattr(sieve, "classes_", None)
    if (
        classes is None
    ):  # what the machine learned; it is standardised whether or not the columns are
        y = sieve._target_scale.standardise(np.asarray(y, dtype=np.float64))
    with one_blas_thread():
        curves = response(
            matrix, y, columns, _GRID, sieve.estimator_, scale=bool(sieve.scale), random_state=0
        )
    individual, mean = curves.individual, curves.mean
    if classes is None:
        individual, mean = (sieve._target_scale.restore(part) for part in (individual, mean))
    lines = np.random.default_rng(0).choice(
        matrix.shape[0], min(_MOST_LINES, matrix.shape[0]), replace=False
    )
    result = []
    for i, column in enumerate(columns):
        several = mean.ndim == 3
        values = matrix[:, column]
        result.append(
            {
                "kind": "number",
                "grid": curves.grid[i],
                "mean": mean[i].T if several else mean[i][None, :],
                "lines": [] if several else individual[i][:, lines].T,
                "quantiles": np.quantile(values, np.linspace(0.1, 0.9, 9)),
            }
        )
    return result


def _of_levels(
    sieve: Any, matrix: FloatArray, columns: list[int], levels: list[str], classes: Any
) -> dict[str, Any]:
    means = []
    for at in range(len(columns)):
        changed = matrix.copy()
        changed[:, columns] = 0.0
        changed[:, columns[at]] = 1.0
        scaled = (changed - sieve.scale_mean_) / sieve.scale_deviation_
        predicted = sieve.estimator_.predict(scaled)
        if classes is None:
            means.append([float(sieve._target_scale.restore(predicted).mean())])
        else:
            means.append([float(np.mean(predicted == label)) for label in classes])
    counts = matrix[:, columns].sum(axis=0).astype(int)
    return {"kind": "category", "levels": levels, "means": means, "counts": counts}


def correlation(sieve: Any, features: Features, X: Any) -> dict[str, Any] | None:
    """Return the correlation among the best features, and which of them say the same.

    Of groups the square root of the RV coefficient counts.  Clusters: average linkage
    on 1 − \\|r\\|, cut at 0.1.
    """
    n_shown = min(_MOST_CORRELATED, max(sieve.n_units_, _LEAST_CORRELATED), len(features))
    order = features.order(sieve.order_)[:n_shown]
    if n_shown < 2:
        return None
    parts = [with_means(dense_columns(X, features.columns[unit])) for unit in order]
    matrix = np.eye(n_shown)
    standard = [standardised(part) for part in parts]
    for i in range(n_shown):
        for j in range(i):
            matrix[i, j] = matrix[j, i] = _association(standard[i], standard[j])
    distance = squareform(1.0 - np.abs(matrix), checks=False)
    labels = fcluster(linkage(distance, "average"), 1.0 - _REDUNDANT, "distance")
    names = [features.names[unit] for unit in order]
    clusters = []
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        if len(members) > 1:
            inside = np.abs(matrix[np.ix_(members, members)])
            clusters.append({"features": [names[i] for i in members], "least": float(inside.min())})
    return {
        "names": names,
        "selected": [bool(i < sieve.n_units_) for i in range(n_shown)],
        "matrix": matrix,
        "clusters": clusters,
        "threshold": _REDUNDANT,
    }


def _association(A: FloatArray, B: FloatArray) -> float:
    """Pearson's r of two columns; of groups √RV = ‖A'B‖ / √(‖A'A‖‖B'B‖) (Escoufier 1973), which is |r|
    for single ones.
    """
    between = A.T @ B
    size = np.sqrt(np.linalg.norm(A.T @ A) * np.linalg.norm(B.T @ B))
    if size == 0.0:
        return 0.0
    r = float(between[0, 0] if between.size == 1 else np.linalg.norm(between)) / float(size)
    return float(np.clip(r, -1.0, 1.0))


def tuning(sieve: Any, told: Reasons) -> dict[str, Any] | None:
    """Return the cross-validated grid that set the final machine; None where it was not tuned.

    Its errors are by the measure of the selection, or the papers' (balanced, squared).
    """
    grid = getattr(sieve, "tuning_", None)
    if grid is None:
        return None
    _, e, _ = grid.best_index
    metric = told.metric
    if not grid.scored:
        regression = not hasattr(sieve, "classes_")
        metric = make_metric("mse" if regression else "balanced_accuracy", regression)
    shown = Shown.of(metric)
    return {
        "measure": shown.to_dict(),
        "C": grid.C,
        "gamma": grid.gamma,
        "epsilon": None if len(grid.epsilon) == 1 else float(grid.epsilon[e]),
        "values": shown.value(metric.of_scores(grid.scores[:, e, :])),
        "best": {"C": grid.best_C, "gamma": grid.best_gamma},
    }
