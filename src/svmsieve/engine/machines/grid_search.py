"""Cross-validation of all points of a grid, in threads or on a cluster: one base matrix for each fold."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix, check_positive
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

    cv: int | Sequence[IntArray] = 5
    """Number of folds, stratified where there are classes, or the held-out indices of each."""
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


class _Part(NamedTuple):
    """Training and held-out samples of a fold."""

    train: IntArray
    held_out: IntArray


@dataclass(frozen=True)
class _Parts:
    """The samples and their folds, each filled and scaled by its own training samples."""

    X: Matrix
    held_out: Sequence[IntArray]
    scaling: Scaling | None
    sample_weight: FloatArray | None

    def __len__(self) -> int:
        return len(self.held_out)

    def __getitem__(self, number: int) -> _Part:
        held_out = self.held_out[number]
        return _Part(np.delete(np.arange(self.X.shape[0]), held_out), held_out)

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

    def point(self, K: FloatArray, f: int, e: int) -> _FoldResult:
        """Train along C for one fold and ε."""
        return self.fold(K, self.parts[f], float(self.epsilons[e]), self.C)

    def fold_points(self, f: int, gamma: float) -> list[_FoldResult]:
        """Train one fold for each ε."""
        base = self.parts.base(self.family, f)
        K = self.matrix(base, gamma, base)
        return [self.point(K, f, e) for e in range(len(self.epsilons))]


def _fold_by_fold(
    shared: _Shared, gammas: FloatArray, backend: Any | None, n_matrices: int
) -> Iterator[tuple[int, int, list[_FoldResult]]]:
    """Yield for each fold and γ the results of each ε: from threads, or from a cluster's tasks.

    With several kernel matrices the next γ is at hand when one comes to an end, and no thread waits for
    another.
    """
    places = [(f, g) for f in range(len(shared.parts)) for g in range(len(gammas))]
    if backend is not None:
        items = [(f, float(gammas[g])) for f, g in places]
        results = in_order(backend, _Shared.fold_points, items, shared)
        yield from ((*place, points) for place, points in zip(places, results, strict=True))
        return
    begun: deque[tuple[int, int, list[Future[_FoldResult]]]] = deque()
    base = np.empty((0, 0))
    with ThreadPoolExecutor(n_threads()) as pool:
        for f, g in places:
            if len(begun) == n_matrices:
                yield _results(*begun.popleft())
            if g == 0:
                base = shared.parts.base(shared.family, f)
            K = shared.matrix(base, float(gammas[g]))
            points = [pool.submit(shared.point, K, f, e) for e in range(len(shared.epsilons))]
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
    memory: float | None,
    progress: Callable[[int, int], None] | None,
) -> Tuning:
    """Run all points of all folds, fold by fold and γ by γ."""
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
    fold_scores = np.empty((len(gammas), len(epsilons), len(C_grid), len(parts)))
    converged = np.ones(fold_scores.shape[:-1], dtype=np.bool_)
    shared = _Shared(family, parts, fold, epsilons, C_grid)
    work = _OPERATIONS * n * n * fold_scores.size
    budget = check_memory(memory) or DEFAULT_BUDGET
    wanted = 1 + -(-n_threads() // len(epsilons))
    n_matrices = max(1, min(wanted, int(budget / (8.0 * n * n)) - 1))  # besides the base
    results = _fold_by_fold(shared, gammas, cluster_for(work), n_matrices)
    for done, (f, g, points) in enumerate(results, start=1):
        for e, (scores, ok) in enumerate(points):
            fold_scores[g, e, :, f] = scores
            converged[g, e] &= ok
        if progress is not None:
            progress(done, len(parts) * len(gammas))
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
