"""The samples as the features show them: in two dimensions, and as a clustered heat map."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
from scipy.spatial.distance import pdist

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.report.columns import dense_columns, some_rows, standardised, with_means
from svmsieve.report.features import Features
from svmsieve.runtime.threads import one_blas_thread

MOST_SAMPLES = 400
_MOST_ROWS = 40
_MOST_COLUMNS = 120
_BLOCK = 1000
_FARTHEST = 2.5
"""Standard deviations at which a heat map's colours end."""


def projection(sieve: Any, features: Features, X: Any, y: Any) -> dict[str, Any] | None:
    """Return the samples on two principal components, of all columns and of the selected ones.

    Columns are standardised, missing numbers the mean; of many samples 400 are drawn, of each class its
    share.  The components come from the samples' inner products, so that columns may be many: O(n² d).
    """
    rows = _drawn(y, MOST_SAMPLES, getattr(sieve, "classes_", None))
    selected = np.flatnonzero(sieve.support_)
    if len(rows) < 3 or len(selected) == 0:
        return None
    with one_blas_thread():
        drawn = some_rows(X, rows)
        before = _components(drawn, np.arange(len(sieve.support_)))
        after = _components(drawn, selected)
    if before is None or after is None:
        return None
    return {"before": before, "after": after, "of": len(y), **_target(sieve, y, rows)}


def _drawn(y: Any, most: int, classes: Any) -> IntArray:
    """Rows, all of them or drawn at random; of each class about its share."""
    n = len(y)
    if n <= most:
        return np.arange(n)
    draw = np.random.default_rng(0)
    if classes is None or len(classes) > most // 2:
        return np.sort(draw.choice(n, most, replace=False))
    parts = []
    for label in classes:
        rows = np.flatnonzero(np.asarray(y) == label)
        wanted = max(1, round(most * len(rows) / n))
        parts.append(draw.choice(rows, min(wanted, len(rows)), replace=False))
    return np.sort(np.concatenate(parts))


def _target(sieve: Any, y: Any, rows: IntArray) -> dict[str, Any]:
    """Number of the class of each sample, or its target's place among all, from 0 to 1."""
    classes = getattr(sieve, "classes_", None)
    values = np.asarray(y)[rows]
    if classes is not None:
        codes = np.searchsorted(classes, values)
        return {"classes": [str(label) for label in classes], "codes": codes}
    numbers = values.astype(np.float64)
    low, high = float(numbers.min()), float(numbers.max())
    return {
        "classes": None,
        "codes": (numbers - low) / ((high - low) or 1.0),
        "range": [low, high],
    }


def _standard(X: Any, columns: IntArray) -> FloatArray:
    return standardised(with_means(dense_columns(X, columns)))


def _components(X: Any, columns: IntArray) -> dict[str, Any] | None:
    """The first two principal components from the Gram matrix of the standardised columns."""
    gram, varying = np.zeros((X.shape[0], X.shape[0])), 0
    for start in range(0, len(columns), _BLOCK):
        part = _standard(X, columns[start : start + _BLOCK])
        varying += int((part.std(axis=0) > 0.0).sum())
        gram += part @ part.T
    if varying == 0:
        return None
    values, vectors = np.linalg.eigh(gram)
    values = np.maximum(values[::-1], 0.0)
    places = vectors[:, ::-1][:, :2] * np.sqrt(values[:2])
    largest = np.abs(places).argmax(axis=0)
    places = places * np.where(places[largest, [0, 1]] < 0.0, -1.0, 1.0)  # else the sign is chance
    return {
        "columns": len(columns),
        "flat": bool(values[1] <= 1e-9 * values[0]),
        "x": places[:, 0],
        "y": places[:, 1],
        "share": values[:2] / values.sum(),
    }


def heat_map(sieve: Any, features: Features, X: Any, y: Any) -> dict[str, Any] | None:
    """Return the selected columns of some samples, standardised, both in the order of a clustering.

    Average linkage, of columns on 1 − r, of samples on Euclidean distance; at most 40 columns, those of the
    best features, and 120 samples, drawn of each class its share.  None for fewer than two columns.
    """
    order = features.order(sieve.order_)[: sieve.n_units_]
    columns = np.array([c for unit in order for c in features.columns[unit]], dtype=np.intp)
    rows = _drawn(y, _MOST_COLUMNS, getattr(sieve, "classes_", None))
    shown = columns[:_MOST_ROWS]
    if len(shown) < 2 or len(rows) < 3:
        return None
    values = _standard(X, shown)[rows].T
    with one_blas_thread():
        features_order = _clustered(values, "correlation")
        samples_order = _clustered(values.T, "euclidean")
    values = np.clip(values / _FARTHEST, -1.0, 1.0)
    target = _target(sieve, y, rows[samples_order])
    return {
        "names": [features.column_names[shown[i]] for i in features_order],
        "values": np.round(values[np.ix_(features_order, samples_order)], 2),
        "farthest": _FARTHEST,
        "columns": len(columns),
        "of": len(y),
        **target,
    }


def _clustered(values: FloatArray, metric: str) -> IntArray:
    """The order of the leaves of a clustering; rows that do not vary are unlike all others."""
    distances = np.nan_to_num(pdist(values, metric), nan=1.0)
    tree = linkage(distances, "average")
    return np.asarray(leaves_list(optimal_leaf_ordering(tree, distances)), dtype=np.intp)
