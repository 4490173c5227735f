"""Decision values of samples by machines that did not see them."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from sklearn.model_selection import StratifiedKFold

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.machines import Dual, Machine
from svmsieve.engine.threads import n_threads


def check_n_folds(n_folds: int) -> int:
    """Return the number of folds, at least two."""
    if n_folds < 2:
        raise ValueError(f"cv must be at least 2 folds, got {n_folds}.")
    return n_folds


def stratified_folds(
    labels: IntArray, n_folds: int, seed: int | np.random.RandomState | None = 0
) -> list[IntArray]:
    """Return the held-out samples of each fold, shuffled and stratified by ``labels``."""
    check_n_folds(n_folds)
    smallest = int(np.bincount(labels)[np.unique(labels)].min())
    if smallest < n_folds:
        raise ValueError(
            f"cv={n_folds} folds need at least {n_folds} samples of each class; the smallest class "
            f"has {smallest}."
        )
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    return [held_out for _, held_out in splitter.split(np.zeros(len(labels)), labels)]


def out_of_fold_decisions(
    machine: Machine,
    K: FloatArray,
    y: FloatArray,
    bounds: FloatArray,
    folds: Sequence[IntArray],
    start: Dual | None = None,
) -> FloatArray:
    """Return for each sample the decision value of the machine trained without its fold.

    Each fold starts from ``start``, the machine trained on everything, and takes its samples out by
    a bound of zero: K is never copied and the samples' outputs come with the solution.  In threads.
    """
    decisions = np.empty(len(y))

    def one_fold(held_out: IntArray) -> None:
        fold_bounds = bounds.copy()
        fold_bounds[held_out] = 0.0
        dual = machine.solve(K, y, fold_bounds, start)
        decisions[held_out] = dual.decision[held_out]

    with ThreadPoolExecutor(n_threads()) as pool:
        list(pool.map(one_fold, folds))
    return decisions
