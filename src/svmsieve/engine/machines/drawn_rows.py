"""Some of many samples, each class with its share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from svmsieve.engine.arrays import IntArray
from svmsieve.engine.machines.target import Classes, Target

_LEAST = 2
"""Samples of each class that are drawn at least: one to learn from and one to hold out."""


def drawn_rows(target: Target, most: int, seed: Sequence[int]) -> IntArray:
    """Return all samples, or about ``most`` that are drawn; of each class its share, and at least two.

    >>> target = Classes.of(np.repeat(["a", "b"], [500, 2]))
    >>> rows = drawn_rows(target, 100, (0,))
    >>> int((rows < 500).sum()), int((rows >= 500).sum())
    (100, 2)
    """
    n = len(target)
    if n <= most:
        return np.arange(n)
    order = np.random.default_rng(seed).permutation(n)
    if not isinstance(target, Classes):
        return np.sort(order[:most])
    order = order[np.argsort(target.codes[order], kind="stable")]
    codes = target.codes[order]
    drawn = order[np.linspace(0, n - 1, most).round().astype(np.intp)]
    first = np.searchsorted(codes, np.unique(codes))
    places = first[:, None] + np.arange(_LEAST)
    own = codes[np.minimum(places, n - 1)] == codes[first][:, None]
    return np.union1d(drawn, order[places[own & (places < n)]])
