"""One order out of several: of the same features, ranked on different samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray


def ranks_of(orders: Sequence[IntArray]) -> IntArray:
    """Return the rank of each unit in each order, 1 is the best: shape (orders, units)."""
    ranks = np.empty((len(orders), len(orders[0])), dtype=np.intp)
    for rank, order in zip(ranks, orders, strict=True):
        rank[order] = np.arange(1, len(order) + 1)
    return ranks


def consensus(orders: Sequence[IntArray], keep: frozenset[int] = frozenset()) -> IntArray:
    """Return the units by their mean log rank, best first; of equal ones the first order decides.

    The logarithm makes the head of the orders count: between ranks 1 and 2 lies as much as between 100
    and 200.  Units of ``keep`` come first.

    >>> consensus([np.array([0, 1, 2]), np.array([1, 0, 2]), np.array([1, 2, 0])])
    array([1, 0, 2])
    """
    scores = joint_scores(orders)
    kept = np.isin(np.arange(len(scores)), list(keep))
    return np.lexsort((-scores, ~kept))


def joint_scores(orders: Sequence[IntArray]) -> FloatArray:
    """Return one by the geometric mean of each unit's ranks; of equal ones the first order decides.

    >>> joint_scores([np.array([0, 1, 2]), np.array([1, 2, 0])]).round(3)
    array([0.577, 0.707, 0.408])
    """
    ranks = ranks_of(orders)
    # Sums of the same logarithms in another order differ in their last digits.
    mean: FloatArray = np.round(np.log(ranks).mean(axis=0), 8)
    return np.exp(-mean) * (1.0 - 1e-9 * ranks[0] / ranks.shape[1])
