"""Folds that tune and calibrate, and decision values of samples by machines that did not see them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.machines.dealt_groups import counts_of_groups, deal_groups
from svmsieve.engine.machines.machine import Dual, Machine
from svmsieve.engine.solvers.smo import FEW_SAMPLES
from svmsieve.runtime.threads import n_threads


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
            f"has {smallest}; lower cv."
        )
    if isinstance(seed, int):  # the same folds at every step
        known = _few_folds if len(labels) <= FEW_SAMPLES else _folds
        return list(known(labels.astype(np.intp).tobytes(), n_folds, seed))
    return _split(labels, n_folds, seed)


def _split(labels: IntArray, n_folds: int, seed: Any) -> list[IntArray]:
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    return [held_out for _, held_out in splitter.split(np.zeros(len(labels)), labels)]


def _split_of_bytes(labels: bytes, n_folds: int, seed: int) -> tuple[IntArray, ...]:
    return tuple(_split(np.frombuffer(labels, dtype=np.intp), n_folds, seed))


_few_folds = lru_cache(maxsize=4096)(_split_of_bytes)
"""Of pairs of many classes."""
_folds = lru_cache(maxsize=16)(_split_of_bytes)


def grouped_folds(
    groups: IntArray,
    n_folds: int,
    seed: int | np.random.RandomState | None = 0,
    labels: IntArray | None = None,
) -> list[IntArray]:
    """Return the held-out samples of each fold, shuffled, whole groups at a time.

    With ``labels`` (classes) the folds are stratified as far as the groups allow, and each leaves some of
    every class to train on; ValueError where that cannot be.
    """
    check_n_folds(n_folds)
    numbers = np.unique(groups, return_inverse=True)[1]
    counts = counts_of_groups(numbers, labels)
    folds = deal_groups(counts, n_folds, seed, stratify=labels is not None)[numbers]
    return [np.flatnonzero(folds == fold) for fold in range(n_folds)]


def inner_folds(
    groups: IntArray, most: int, seed: int, labels: IntArray | None = None
) -> list[IntArray] | None:
    """Return as many grouped folds as can be, at most ``most``; None, with a warning, where none can."""
    for n_folds in range(min(most, len(np.unique(groups))), 1, -1):
        try:
            return grouped_folds(groups, n_folds, seed, labels)
        except ValueError:
            continue
    warnings.warn(
        "too few groups of samples hold all classes: the folds that tune a machine or calibrate its "
        "probabilities split groups; pass an estimator, and a criterion without probabilities, to spare "
        "them.",
        UserWarning,
        stacklevel=2,
    )
    return None


def train_without_folds(
    machine: Machine,
    K: FloatArray,
    y: FloatArray,
    bounds: Sequence[FloatArray],
    starts: Sequence[Dual | None],
) -> list[Dual]:
    """Train the machine with the bounds of each fold, each from its own start, in threads.

    A bound of zero takes a fold's samples out: K is never copied and the samples' outputs come with
    the solution.
    """
    train = partial(machine.solve, K, y)
    if len(y) <= FEW_SAMPLES or n_threads() == 1:  # a pool takes longer than the machines
        return list(map(train, bounds, starts))
    with ThreadPoolExecutor(n_threads()) as pool:
        return list(pool.map(train, bounds, starts))


def held_out_decisions(duals: Sequence[Dual], folds: Sequence[IntArray], n: int) -> FloatArray:
    """Return each sample's decision value by the machine trained without its fold."""
    decisions = np.empty(n)
    for dual, held_out in zip(duals, folds, strict=True):
        decisions[held_out] = dual.decision[held_out]
    return decisions


def out_of_fold_decisions(
    machine: Machine,
    K: FloatArray,
    y: FloatArray,
    bounds: FloatArray,
    folds: Sequence[IntArray],
    start: Dual | None = None,
) -> FloatArray:
    """Return for each sample the decision value of the machine trained without its fold.

    Each fold starts from ``start``, the machine trained on everything.
    """
    within = [np.where(np.isin(np.arange(len(y)), held_out), 0.0, bounds) for held_out in folds]
    duals = train_without_folds(machine, K, y, within, [start] * len(folds))
    return held_out_decisions(duals, folds, len(y))


def corrected_error(scores: FloatArray, test_share: float) -> float:
    """Return the standard error of a mean over folds whose training samples overlap.

    Nadeau & Bengio (2003): the variance over J folds times 1/J + n_test/n_train.
    """
    n = len(scores)
    return float(np.sqrt(scores.var(ddof=1) * (1.0 / n + test_share))) if n > 1 else 0.0
