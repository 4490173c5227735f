"""Groups of samples dealt to folds, from how many samples of each class every group has."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from sklearn.utils import check_random_state

from svmsieve.engine.arrays import FloatArray, IntArray

Seed: TypeAlias = int | np.random.RandomState | None

_MOST_SHUFFLES = 20


def counts_of_groups(groups: IntArray, labels: IntArray | None) -> FloatArray:
    """Return how many samples of each class (without classes: of all) are in each group, by their numbers.

    >>> counts_of_groups(np.array([0, 1, 1]), np.array([1, 0, 1])).tolist()
    [[0.0, 1.0], [1.0, 1.0]]
    """
    codes = np.zeros(len(groups), dtype=np.intp) if labels is None else labels
    counts = np.zeros((groups.max() + 1, codes.max() + 1))
    np.add.at(counts, (groups, codes), 1.0)
    return counts


def deal_groups(counts: FloatArray, n_folds: int, seed: Seed, *, stratify: bool) -> IntArray:
    """Return the fold of each group; ValueError where the groups do not allow so many folds.

    Shuffled groups in equal numbers, as scikit-learn's GroupKFold deals them.  Stratified as its
    StratifiedGroupKFold: the groups whose classes are least even first, each to the fold with which the
    shares of the classes differ least between the folds; every fold leaves some of each class to train on.
    Where a fold holds out nothing of a class that enough groups have, the groups are shuffled again.

    Parameters
    ----------
    counts : samples of each class (or of all, one column) in each group
    n_folds, seed : how many, and what shuffles the groups
    stratify : by the classes
    """
    n_groups = len(counts)
    if n_groups < n_folds:
        raise ValueError(
            f"cv={n_folds} folds need at least {n_folds} groups of samples, got {n_groups}; lower cv."
        )
    order = np.arange(n_groups)
    random = check_random_state(seed)
    random.shuffle(order)
    folds = np.empty(n_groups, dtype=np.intp)
    if stratify:
        counts = counts[:, counts.any(axis=0)]
        folds[order] = _stratified(counts[order], n_folds)
        enough = counts[:, np.count_nonzero(counts, axis=0) >= n_folds]
        for _ in range(_MOST_SHUFFLES):
            if _hold_all(enough, folds, n_folds):
                break
            random.shuffle(order)
            folds[order] = _stratified(counts[order], n_folds)
    else:
        for fold, own in enumerate(np.array_split(order, n_folds)):
            folds[own] = fold
    held_out = np.zeros((n_folds, counts.shape[1]))
    np.add.at(held_out, folds, counts)
    few = stratify and (counts.sum(axis=0) < n_folds).all()
    if few or not held_out.any(axis=1).all() or (stratify and (held_out == counts.sum(0)).any()):
        raise ValueError(
            f"cv={n_folds} folds that keep the {n_groups} groups of samples whole leave nothing of a "
            "class to train on, or a fold empty; lower cv, or give folds that suit the groups."
        )
    return folds


def _hold_all(counts: FloatArray, folds: IntArray, n_folds: int) -> bool:
    """Return whether every fold holds out some of each class."""
    held_out = np.zeros((n_folds, counts.shape[1]))
    np.add.at(held_out, folds, counts)
    return bool(held_out.all())


def _stratified(counts: FloatArray, n_folds: int) -> IntArray:
    """Deal groups, the least even first, each to the fold with which shares of classes differ least."""
    totals = counts.sum(axis=0)
    shares = np.zeros((n_folds, counts.shape[1]))  # in samples
    folds = np.empty(len(counts), dtype=np.intp)
    every = np.arange(n_folds)
    for group in np.argsort(-np.std(counts, axis=1), kind="stable"):
        tried = np.repeat(shares[None], n_folds, axis=0)
        tried[every, every] += counts[group]
        spreads = np.std(tried / totals, axis=1).mean(axis=1).tolist()
        fold = _least(spreads, shares.sum(axis=1).tolist())
        shares[fold] += counts[group]
        folds[group] = fold
    return folds


def _least(spreads: list[float], sizes: list[float]) -> int:
    """Return the fold of the smallest spread, of about equal ones the smallest."""
    best = 0
    for fold in range(1, len(spreads)):
        gap = spreads[fold] - spreads[best]
        equal = abs(gap) <= 1e-8 + 1e-5 * abs(spreads[best])  # as NumPy's isclose
        if gap < 0.0 or (equal and sizes[fold] < sizes[best]):
            best = fold
    return best
