"""The filters of a weighted data set with missing values, by their definitions, on all rows at once."""

from __future__ import annotations

import numpy as np


def filled(X, weight):
    """Missing values replaced by the weighted mean of their column's present ones."""
    X = np.array(X, dtype=float)
    for i in range(X.shape[1]):
        there = ~np.isnan(X[:, i])
        X[~there, i] = np.average(X[there, i], weights=weight[there])
    return X


def _variance(x, w):
    mean = np.average(x, weights=w)
    return np.average((x - mean) ** 2, weights=w)


def correlation(X, y, weight):
    """|correlation| with y; for classes the largest over one against the rest."""
    X = filled(X, weight)
    targets = [y] if y.dtype.kind == "f" else [2.0 * (y == c) - 1.0 for c in np.unique(y)]
    best = []
    for x in X.T:
        values = []
        for t in targets:
            both = np.average(
                (x - np.average(x, weights=weight)) * (t - np.average(t, weights=weight)),
                weights=weight,
            )
            spread = np.sqrt(_variance(x, weight) * _variance(t, weight))
            values.append(abs(both) / spread if spread > 0 else 0.0)
        best.append(max(values))
    return np.array(best)


def s2n(X, y, weight):
    """|difference of means| over the sum of deviations, the largest over one class against the rest."""
    X = filled(X, weight)
    best = []
    for x in X.T:
        values = []
        for c in np.unique(y):
            a, b = y == c, y != c
            gap = abs(np.average(x[a], weights=weight[a]) - np.average(x[b], weights=weight[b]))
            spread = np.sqrt(_variance(x[a], weight[a])) + np.sqrt(_variance(x[b], weight[b]))
            values.append(gap / spread if spread > 0 else 0.0)
        best.append(max(values))
    return np.array(best)


def f_score(X, y, weight):
    """Equation (4) of Chen & Lin; a weighted sample counts as that many copies."""
    X = filled(X, weight)
    scores = []
    for x in X.T:
        mean = np.average(x, weights=weight)
        between = within = 0.0
        for c in np.unique(y):
            rows = y == c
            n = weight[rows].sum()
            between += (np.average(x[rows], weights=weight[rows]) - mean) ** 2
            within += _variance(x[rows], weight[rows]) * n / (n - 1)
        scores.append(between / within if within > 0 else 0.0)
    return np.array(scores)
