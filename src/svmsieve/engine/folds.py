"""Decision values of samples by machines that did not see them."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from sklearn.model_selection import StratifiedKFold

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.machines import Dual, train_svc
from svmsieve.engine.threads import n_threads


def stratified_folds(
    labels: IntArray, n_folds: int, seed: int | np.random.RandomState | None = 0
) -> list[IntArray]:
    """Return the held-out samples of each fold, shuffled and stratified by ``labels``."""
    smallest = int(np.bincount(labels)[np.unique(labels)].min())
    if smallest < n_folds:
        raise ValueError(
            f"cv={n_folds} folds need at least {n_folds} samples of each class; the smallest class "
            f"has {smallest}."
        )
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    return [held_out for _, held_out in splitter.split(np.zeros(len(labels)), labels)]


def out_of_fold_decisions(
    K: FloatArray,
    y: FloatArray,
    C: float | FloatArray,
    folds: Sequence[IntArray],
    *,
    start: Dual | None = None,
    tol: float = 1e-3,
    max_iter: int | None = None,
) -> FloatArray:
    """Return for each sample the decision value of the SVC trained without its fold.

    Each fold starts from ``start``, the machine trained on everything: a bound of zero takes the
    fold's samples out, so K is never copied, and their outputs come out of the solver for free.
    """
    bounds = np.full(len(y), C) if np.ndim(C) == 0 else np.asarray(C, dtype=np.float64)
    decisions = np.empty(len(y))

    def one_fold(held_out: IntArray) -> None:
        fold_bounds = bounds.copy()
        fold_bounds[held_out] = 0.0
        alpha = None if start is None else start.alpha
        dual = train_svc(K, y, fold_bounds, start=alpha, tol=tol, max_iter=max_iter)
        decisions[held_out] = dual.outputs[held_out] + dual.intercept

    with ThreadPoolExecutor(n_threads()) as pool:
        list(pool.map(one_fold, folds))
    return decisions
