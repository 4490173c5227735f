"""Slow, obvious twins of the evaluation's formulas."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def balanced_error_rate(y_true, y_pred):
    """Count the errors of each class by hand."""
    shares = []
    for label in sorted(set(y_true)):
        predicted = [p for t, p in zip(y_true, y_pred, strict=True) if t == label]
        shares.append(sum(p != label for p in predicted) / len(predicted))
    return sum(shares) / len(shares)


def holm_by_closed_testing(p_values):
    """Adjusted p of each hypothesis: the largest Bonferroni p of any set of hypotheses it is in."""
    m = len(p_values)
    adjusted = [0.0] * m
    for size in range(1, m + 1):
        for subset in combinations(range(m), size):
            p = min(1.0, size * min(p_values[i] for i in subset))
            for i in subset:
                adjusted[i] = max(adjusted[i], p)
    return adjusted


def stability_of_pairs(masks):
    """Nogueira's index as the mean over the pairs of replicates of their agreement beyond chance.

    (1/d) Σ_f (M/(M−1)) p_f (1−p_f) is half the mean squared distance between two replicates.
    """
    d = masks.shape[1]
    distances = [np.sum(a != b) / d for a, b in combinations(masks, 2)]
    share = masks.mean()
    return 1.0 - 0.5 * np.mean(distances) / (share * (1.0 - share))


def kuncheva_index(masks):
    """Kuncheva's consistency index, for replicates that all select k features."""
    d, k = masks.shape[1], masks[0].sum()
    values = [
        (np.sum(a & b) - k**2 / d) / (k - k**2 / d) for a, b in combinations(masks.astype(bool), 2)
    ]
    return np.mean(values)


def stability_variance_by_weights(masks, index, step=1e-5):
    """Variance of Φ = 1 − A/B by the delta method for a ratio, ∂Φ = −(∂A − (1−Φ) ∂B)/B.

    The derivatives by the weight of each replicate (infinitesimal jackknife) are finite differences.
    """

    def spread_and_chance(weights):
        p = weights / weights.sum() @ masks
        return np.array([np.mean(p * (1.0 - p)), p.mean() * (1.0 - p.mean())])

    M = len(masks)
    B = spread_and_chance(np.ones(M))[1]
    influences = []
    for i in range(M):
        up, down = np.ones(M), np.ones(M)
        up[i] += step
        down[i] -= step
        dA, dB = (spread_and_chance(up) - spread_and_chance(down)) / (2.0 * step)
        influences.append(-(dA - (1.0 - index) * dB) / B)
    return float(np.sum(np.square(influences)))


def largest_size_within(level, is_probe, n_features):
    """Walk down the ranking of features and probes; keep the largest size whose estimate is low enough."""
    n_probes = sum(is_probe)
    best = features = probes = 0
    for probe in is_probe:
        if probe:
            probes += 1
            continue
        features += 1
        if (1 + probes) * n_features / (n_probes + 1) / features <= level:
            best = features
    return best
