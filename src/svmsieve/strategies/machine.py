"""The SVM procedure of Chen & Lin (2006), section 2, and the random splits that judge with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.svm import SVC

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix
from svmsieve.engine.kernels.kernel import RBF
from svmsieve.engine.machines.fit import fit_svc
from svmsieve.engine.machines.grid_search import Validation
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.scaling import Scaling, split
from svmsieve.engine.machines.scoring import balanced_share
from svmsieve.engine.machines.target import Classes
from svmsieve.engine.machines.tuned_grid import Grid, Tuning
from svmsieve.engine.machines.tuning import SVC_C, SVC_GAMMA, tune_svc
from svmsieve.runtime.cluster_loops import cluster, in_order
from svmsieve.runtime.seeds import derived_seed
from svmsieve.runtime.threads import one_blas_thread

Split = tuple[IntArray, IntArray]


def balanced_error(truth: IntArray, predicted: IntArray) -> float:
    """Return the balanced error rate (1) of Chen & Lin, of codes.

    >>> balanced_error(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])).__round__(3)
    0.167
    """
    return balanced_share(predicted != truth, truth)


def random_splits(codes: IntArray, n_splits: int, fraction: float, seed: int) -> list[Split]:
    """Return training and validation samples of random splits, a share of each class held out.

    At least one sample of each class is held out and two stay.
    """
    counts = np.bincount(codes)
    if counts.min() < 3:
        raise ValueError(
            "y must hold at least three samples of each class, two to tune on and one to judge by; "
            f"the smallest class has {counts.min()}: drop that class."
        )
    held = np.clip(np.round(fraction * counts).astype(int), 1, counts - 2)
    rng = np.random.default_rng(derived_seed(seed, 0))
    splits = []
    for _ in range(n_splits):
        order = [rng.permutation(np.flatnonzero(codes == c)) for c in range(len(counts))]
        valid = np.concatenate([rows[:n] for rows, n in zip(order, held, strict=True)])
        train = np.concatenate([rows[n:] for rows, n in zip(order, held, strict=True)])
        splits.append((np.sort(train), np.sort(valid)))
    return splits


@dataclass(frozen=True)
class TunedSVC:
    """Chen & Lin's procedure: the C and γ of a grid with the lowest balanced error over five folds.

    Fewer folds where a class is small.  Samples are taken as they came: ``scaling`` scales them by those that
    are trained on, also in the folds of the grid.
    """

    C: Sequence[float] | None = None
    gamma: Sequence[float] | None = None
    memory: float | None = None
    scaling: Scaling | None = None

    def tune(self, X: Matrix, codes: IntArray, seed: int) -> Tuning:
        """Cross-validate over the grid."""
        grid = Grid(
            SVC_C if self.C is None else self.C,
            SVC_GAMMA if self.gamma is None else self.gamma,
        )
        n_folds = min(5, int(np.bincount(codes).min()))
        validation = Validation(n_folds, seed, scaling=self.scaling)
        return tune_svc(X, codes, grid, validation=validation, memory=self.memory)

    def fit(self, X: Matrix, target: Classes, seed: int) -> SVC:
        """Tune and return scikit-learn's machine, fitted."""
        with one_blas_thread():
            tuning = self.tune(X, target.codes, seed)
        machine = SVC(C=tuning.best_C, gamma=tuning.best_gamma)
        scaled = X if self.scaling is None else self.scaling(X, None).apply(X)
        return machine.fit(scaled, target.classes[target.codes])

    def error(self, X: Matrix, codes: IntArray, parts: Split, seed: int) -> float:
        """Tune and train on one part of a split; return the balanced error on the other."""
        train, valid = parts
        with one_blas_thread():
            tuning = self.tune(X[train], codes[train], seed)
            X_train, X_valid = split(X, train, valid, self.scaling)
            machine = fit_svc(
                X_train,
                codes[train],
                RBF(tuning.best_gamma),
                Machine(C=tuning.best_C),
                memory=self.memory,
            )
            return balanced_error(codes[valid], machine.predict(X_valid))


def of_all(
    function: Callable[..., Any], items: Sequence[tuple[Any, ...]], n_jobs: int | None
) -> list[Any]:
    """Return ``function(*item)`` for all items: in threads through joblib, or over a cluster."""
    backend = cluster()
    if backend is not None:
        return in_order(backend, _call, items, function)
    calls: list[Any] = [delayed(function)(*item) for item in items]
    return Parallel(n_jobs=n_jobs, prefer="threads")(calls)


def _call(function: Callable[..., Any], *item: Any) -> Any:
    return function(*item)


def errors_of_all(
    error: Callable[[int, int], float], n_candidates: int, n_splits: int, n_jobs: int | None
) -> FloatArray:
    """Return ``error(candidate, split)`` for all candidates and splits, in parallel."""
    items = [(candidate, split) for candidate in range(n_candidates) for split in range(n_splits)]
    errors = of_all(error, items, n_jobs)
    return np.array(errors).reshape(n_candidates, n_splits)
