"""Cross-validation of all points of a grid, in threads or on a cluster: one base matrix for each fold."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from svmsieve.engine.arrays import BoolArray, FloatArray, IntArray, Matrix, check_positive
from svmsieve.engine.kernels.kernel import RBF, Kernel, Linear
from svmsieve.engine.machines.scaling import Scaling, split
from svmsieve.engine.machines.target import TargetScaling
from svmsieve.engine.machines.tuned_grid import Grid, Tuning
from svmsieve.runtime.cluster_loops import cluster_for, in_order
from svmsieve.runtime.memory import DEFAULT_BUDGET, check_memory, require_memory
from svmsieve.runtime.threads import n_threads

_OPERATIONS = 20.0
"""Passes over the kernel matrix that one point of the grid takes, about."""

_FoldResult: TypeAlias = tuple[list[float], Any]
"""Scores and convergence along C."""


@dataclass(frozen=True)
class Validation:
    """How the points of a grid are judged: the folds, what prepares the samples of each, and the score."""

    cv: int | Sequence[IntArray | tuple[IntArray, IntArray]] = 5
    """Number of folds, stratified where there are classes; or the held-out indices of each; or its training
    and held-out indices."""
    seed: int = 0
    """Of the shuffle that makes the folds."""
    scoring: Any = None
    """Any scikit-learn scorer; None is the papers': balanced accuracy (one minus the balanced error rate) or
    the negative mean squared error."""
    scaling: Scaling | None = None
    """Fills and scales each fold by its own training samples; None: they are as they should be."""
    target_scaling: TargetScaling | None = None
    """Measures the numeric target of each fold's training samples, which the machines learn on that scale;
    scores are in the units of the target."""
    kept: Mapping[int, float] = field(default_factory=dict)
    """After how many folds which share of the points, the best so far, is judged further; the others have no
    score in later folds.  By default all are judged in all folds."""


class _Part(NamedTuple):
    """Training and held-out samples of a fold."""

    train: IntArray
    held_out: IntArray

    @classmethod
    def of(cls, fold: IntArray | tuple[IntArray, IntArray], n: int) -> _Part:
        """Return those of a fold; held-out samples alone are told from all others of ``n``."""
        if isinstance(fold, tuple):
            return cls(*fold)
        return cls(np.delete(np.arange(n), fold), fold)


@dataclass(frozen=True)
class _Parts:
    """The samples and their folds, each filled and scaled by its own training samples."""

    X: Matrix
    parts: Sequence[_Part]
    scaling: Scaling | None
    sample_weight: FloatArray | None

    def __len__(self) -> int:
        return len(self.parts)

    def __getitem__(self, number: int) -> _Part:
        return self.parts[number]

    def base(self, family: Kernel, number: int) -> FloatArray:
        """Return the base matrix of a fold: training and held-out samples against those of the training."""
        part = self[number]
        train, held_out = split(self.X, *part, self.scaling, self.sample_weight)
        return np.concatenate([family.base(train, train), family.base(held_out, train)])


@dataclass(frozen=True)
class _Shared:
    """What all points of the grid share."""

    family: Kernel
    parts: _Parts
    fold: Callable[[FloatArray, _Part, float, FloatArray], _FoldResult]
    epsilons: FloatArray
    C: FloatArray

    def matrix(self, base: FloatArray, gamma: float, out: FloatArray | None = None) -> FloatArray:
        """Return the kernel matrix of one γ."""
        if isinstance(self.family, Linear):
            return self.family.of_base(base, out=out)
        return replace(self.family, gamma=gamma).of_base(base, out=out)

    def point(self, K: FloatArray, f: int, e: int, wanted: BoolArray) -> _FoldResult:
        """Train along the C that are wanted, for one fold and ε."""
        return self.fold(K, self.parts[f], float(self.epsilons[e]), self.C[wanted])

    def fold_points(self, f: int, gamma: float, wanted: BoolArray) -> list[_FoldResult]:
        """Train one fold for each ε."""
        base = self.parts.base(self.family, f)
        K = self.matrix(base, gamma, base)
        return [self.point(K, f, e, row) for e, row in enumerate(wanted) if row.any()]


def _fold_by_fold(
    shared: _Shared,
    gammas: FloatArray,
    folds: Sequence[int],
    wanted: BoolArray,
    backend: Any | None,
    n_matrices: int,
) -> Iterator[tuple[int, int, list[_FoldResult]]]:
    """Yield for each fold and γ the results of each ε: from threads, or from a cluster's tasks.

    With several kernel matrices the next γ is at hand when one comes to an end, and no thread waits for
    another.
    """
    places = [(f, g) for f in folds for g in range(len(gammas)) if wanted[g].any()]
    if backend is not None:
        items = [(f, float(gammas[g]), wanted[g]) for f, g in places]
        results = in_order(backend, _Shared.fold_points, items, shared)
        yield from ((*place, points) for place, points in zip(places, results, strict=True))
        return
    begun: deque[tuple[int, int, list[Future[_FoldResult]]]] = deque()
    base, base_of = np.empty((0, 0)), -1
    with ThreadPoolExecutor(n_threads()) as pool:
        for f, g in places:
            if len(begun) == n_matrices:
                yield _results(*begun.popleft())
            if f != base_of:
                base, base_of = shared.parts.base(shared.family, f), f
            K = shared.matrix(base, float(gammas[g]))
            points = [
                pool.submit(shared.point, K, f, e, row)
                for e, row in enumerate(wanted[g])
                if row.any()
            ]
            begun.append((f, g, points))
        while begun:
            yield _results(*begun.popleft())


def _results(
    f: int, g: int, points: list[Future[_FoldResult]]
) -> tuple[int, int, list[_FoldResult]]:
    return f, g, [point.result() for point in points]


def _search(
    parts: _Parts,
    grid: Grid,
    fold: Callable[[FloatArray, _Part, float, FloatArray], _FoldResult],
    kept: Mapping[int, float],
    memory: float | None,
    progress: Callable[[int, int], None] | None,
) -> Tuning:
    """Run the points fold by fold and γ by γ, after some folds only those that are kept."""
    n = parts.X.shape[0]
    require_memory(16.0 * n * n, memory, f"The kernel matrix of {n} samples")
    C_grid = _grid(grid.C, "C")
    family = RBF(1.0) if grid.kernel is None else grid.kernel
    gammas = np.ones(1) if isinstance(family, Linear) else _grid(grid.gamma, "gamma")
    epsilons = np.unique(np.asarray(grid.epsilon, dtype=np.float64))
    if len(epsilons) == 0:
        raise ValueError("epsilon must hold at least one value.")
    if not (epsilons >= 0.0).all() or not np.isfinite(epsilons).all():
        raise ValueError("epsilon must be finite and not negative.")
    fold_scores = np.full((len(gammas), len(epsilons), len(C_grid), len(parts)), np.nan)
    converged = np.ones(fold_scores.shape[:-1], dtype=np.bool_)
    wanted = np.ones(fold_scores.shape[:-1], dtype=np.bool_)
    shared = _Shared(family, parts, fold, epsilons, C_grid)
    backend = cluster_for(_OPERATIONS * n * n * fold_scores.size)
    budget = check_memory(memory) or DEFAULT_BUDGET
    matrices = 1 + -(-n_threads() // len(epsilons))
    n_matrices = max(1, min(matrices, int(budget / (8.0 * n * n)) - 1))  # besides the base
    ends = [*sorted(end for end in kept if end < len(parts)), len(parts)]
    done = 0
    for begin, end in pairwise([0, *ends]):
        total = done + (len(parts) - begin) * int(wanted.any(axis=(1, 2)).sum())
        for f, g, points in _fold_by_fold(
            shared, gammas, range(begin, end), wanted, backend, n_matrices
        ):
            for e, (scores, ok) in zip(np.flatnonzero(wanted[g].any(axis=1)), points, strict=True):
                fold_scores[g, e, wanted[g, e], f] = scores
                converged[g, e, wanted[g, e]] &= ok
            done += 1
            if progress is not None:
                progress(done, total)
        if end < len(parts):
            found = Tuning(C_grid, gammas, epsilons, fold_scores[..., :end], converged)
            wanted = found.best_points(max(1, round(kept[end] * wanted.size)))
    tuning = Tuning(C_grid, gammas, epsilons, fold_scores, converged)
    if not converged[tuning.best_index]:
        warnings.warn(
            f"The best point of the grid, C={tuning.best_C:g}, did not converge; standardise the "
            "features, leave out the largest C or raise max_iter.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return tuning


def _grid(values: Sequence[float], name: str) -> FloatArray:
    found = np.unique([check_positive(value, name) for value in values])
    if len(found) == 0:
        raise ValueError(f"{name} must hold at least one value.")
    return found
