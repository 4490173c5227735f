"""Pairs of half samples, and the features that each half chooses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from svmsieve.engine.arrays import IntArray
from svmsieve.engine.machines.target import Classes, Target
from svmsieve.search.consensus import ranks_of

_STREAM = 0x5AB1E
"""Keeps the draws apart from all other random numbers of a seed."""
_LEAST = 2
"""Samples of each class in a half."""
_TRIES = 100
"""Draws of whole groups after which no half is expected to have every class."""


def half_samples(target: Target, n_pairs: int, seed: int) -> list[IntArray]:
    """Return the samples of 2·n_pairs halves; each two that follow each other have no sample in common.

    Classes are divided evenly, and groups of samples stay whole: what is dealt to the two halves in turn,
    in random order, are samples, or groups by their most frequent class.
    """
    halves: list[IntArray] = []
    for pair in range(n_pairs):
        halves += _pair(target, np.random.default_rng([seed, _STREAM, pair]))
    return halves


def _pair(target: Target, rng: np.random.Generator) -> list[IntArray]:
    n = len(target)
    codes = target.codes if isinstance(target, Classes) else np.zeros(n, dtype=np.intp)
    members = np.arange(n) if target.groups is None else target.groups
    of_item = codes if target.groups is None else _most_frequent(codes, target.groups)
    for _ in range(1 if target.groups is None else _TRIES):
        items = rng.permutation(len(of_item))
        items = items[np.argsort(of_item[items], kind="stable")]
        second = np.isin(members, items[1::2])
        halves = [np.flatnonzero(~second), np.flatnonzero(second)]
        counts = [np.bincount(codes[half], minlength=codes.max() + 1) for half in halves]
        if np.min(counts) >= _LEAST:
            return halves
    what = "of each class " if isinstance(target, Classes) else ""
    how = "" if target.groups is None else " that keeps groups of samples whole"
    raise ValueError(
        f"n_features_to_select='stable' needs {_LEAST} samples {what}in each half{how}; give more samples, "
        "merge or drop small classes, or use another rule."
    )


def _most_frequent(codes: IntArray, groups: IntArray) -> IntArray:
    """The class that most samples of each group have."""
    table = np.zeros((groups.max() + 1, codes.max() + 1), dtype=np.intp)
    np.add.at(table, (groups, codes), 1)
    return table.argmax(axis=1)


def by_best_rank(
    orders: Sequence[IntArray], n: int, kept: frozenset[int] = frozenset()
) -> IntArray:
    """Return the ``n`` units with the best rank in any of the orders; of equal ones the first order's.

    Kept units, which come first in every order, are left out.

    >>> by_best_rank([np.array([0, 1, 2, 3]), np.array([0, 3, 2, 1])], 3)
    array([0, 1, 3])
    """
    ranks = ranks_of(orders)
    is_kept = np.isin(np.arange(ranks.shape[1]), list(kept))
    return np.lexsort((ranks.argmin(axis=0), ranks.min(axis=0), is_kept))[:n]


def times_chosen(halves: Sequence[Sequence[int]], n_units: int) -> IntArray:
    """Return how many of the halves choose each unit."""
    chosen = np.concatenate([np.asarray(units, dtype=np.intp) for units in halves])
    return np.bincount(chosen, minlength=n_units)
