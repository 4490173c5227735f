"""The size rules, written out slowly."""

from __future__ import annotations

from math import exp


def middle_size(sizes, means, error):
    """The weighted median of the sizes near the best score, one weight after the other."""
    best = max(range(len(sizes)), key=lambda i: means[i])
    weights = [
        exp(-(means[best] - mean) / max(0.5 * error, 1e-12)) / k**0.7
        for k, mean in zip(sizes, means, strict=True)
    ]
    for i, k in enumerate(sizes):
        if sum(weights[: i + 1]) >= sum(weights) / 2.0:
            return min(k, sizes[best])
    raise AssertionError("half of the weight is somewhere")
