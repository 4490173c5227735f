"""Choose C, γ (and ε) by cross-validation on the papers' grids.

Each fold is filled and scaled by its own training samples, as a pipeline in scikit-learn's ``GridSearchCV``
does it, and has a base matrix of its own, which all γ share.  For each γ and fold the machines run along
growing C, each from the last one's solution; once no dual variable is at its bound, every larger C has the
same solution and is not trained at all.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold

from svmsieve.engine.arrays import (
    FloatArray,
    IntArray,
    Matrix,
    check_matrix,
    check_positive,
    check_sample_weight,
    check_vector,
)
from svmsieve.engine.kernels.kernel import RBF, Kernel, Linear
from svmsieve.engine.machines.fit import encode_classes, sample_bounds
from svmsieve.engine.machines.folds import check_n_folds, stratified_folds
from svmsieve.engine.machines.growing_c import decisions_along_C, svr_decisions_along_C
from svmsieve.engine.machines.pair_machines import FlatPairs
from svmsieve.engine.machines.scaling import Scaling, split
from svmsieve.engine.machines.scoring import DecisionScorer
from svmsieve.engine.machines.target import Classes, Numbers, TargetScale, TargetScaling
from svmsieve.engine.machines.tuned_grid import Tuning
from svmsieve.runtime.cluster_loops import cluster_for, in_order
from svmsieve.runtime.memory import DEFAULT_BUDGET, check_memory, require_memory
from svmsieve.runtime.threads import n_threads

SVC_C = tuple(2.0**e for e in range(-5, 16, 2))
SVC_GAMMA = tuple(2.0**e for e in range(-15, 4, 2))
"""Chen & Lin 2006, section 2."""
SVR_C = tuple(2.0**e for e in range(-2, 7))
SVR_GAMMA = tuple(2.0**e for e in range(-6, 3))
SVR_EPSILON = tuple(2.0**e for e in range(-5, 3))
"""Yang & Ong 2010, section 5."""


_OPERATIONS = 20.0
"""Passes over the kernel matrix that one point of the grid takes, about."""

_FoldResult: TypeAlias = tuple[list[float], Any]
"""Scores and convergence along C."""


def _grid(values: Sequence[float], name: str) -> FloatArray:
    grid = np.unique([check_positive(value, name) for value in values])
    if len(grid) == 0:
        raise ValueError(f"{name} must hold at least one value.")
    return grid


def tune_svc(
    X: Any,
    y: Any,
    *,
    kernel: Kernel | None = None,
    C: Sequence[float] = SVC_C,
    gamma: Sequence[float] = SVC_GAMMA,
    cv: int | Sequence[IntArray] = 5,
    scoring: Any = "balanced_accuracy",
    loss: Literal["hinge", "squared_hinge"] = "hinge",
    scaling: Scaling | None = None,
    sample_weight: Any = None,
    class_weight: dict[Any, float] | Literal["balanced"] | None = None,
    seed: int = 0,
    tol: float = 1e-3,
    max_iter: int | None = None,
    memory: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Tuning:
    """Cross-validate an SVC over C and γ.

    Parameters
    ----------
    X, y : the samples and their classes
    kernel : an RBF or polynomial kernel whose γ is replaced by those of the grid, or a linear one
        (only C is tuned); by default RBF
    C, gamma : the grids; by default those of Chen & Lin (2006)
    cv : number of stratified folds, or the held-out indices of each
    scoring : ``"balanced_accuracy"`` (one minus the balanced error rate) or any scikit-learn scorer
    loss : of the machine
    sample_weight, class_weight : for the machines; the samples' also for the scores
    scaling : fills and scales each fold by its own training samples; None: ``X`` is as it should be
    seed : of the shuffle that makes the folds
    progress : called with (done, total) after each γ of each fold

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tuning = tune_svc(X, y, C=[0.1, 1, 10], gamma=[0.01, 0.1])
    >>> tuning.scores.shape
    (2, 1, 3)
    """
    X = check_matrix(X) if scaling is None else X  # what is missing is filled in the folds
    n = X.shape[0]
    classes, codes = encode_classes(y, n)
    folds = stratified_folds(codes, int(cv), seed) if isinstance(cv, int | np.integer) else list(cv)
    if sample_weight is not None:
        sample_weight = check_sample_weight(sample_weight, n)
        folds = _with_weight(folds, sample_weight)
    steps = _max_steps(n, max_iter)
    score = DecisionScorer(scoring, Classes(classes, codes), sample_weight)

    def fold(K: FloatArray, part: _Part, epsilon: float, grid: FloatArray) -> _FoldResult:
        own = codes[part.train]
        weights = np.ones(len(own))
        weight = None if sample_weight is None else sample_weight[part.train]
        weights *= sample_bounds(1.0, own, classes, weight, class_weight)
        K_train, K_held_out = K[: len(own)], K[len(own) :]
        values, converged = decisions_along_C(
            K_train,
            K_held_out,
            FlatPairs.of_codes(own, len(classes)),
            weights,
            grid,
            loss=loss,
            tol=tol,
            max_iter=steps,
        )
        return [score(each, part.held_out) for each in values], converged

    parts = _Parts(X, folds, scaling, sample_weight)
    return _search(parts, kernel, C, gamma, (0.0,), fold, memory, progress)


def tune_svr(
    X: Any,
    y: Any,
    *,
    kernel: Kernel | None = None,
    C: Sequence[float] = SVR_C,
    gamma: Sequence[float] = SVR_GAMMA,
    epsilon: Sequence[float] = SVR_EPSILON,
    cv: int | Sequence[IntArray] = 5,
    scoring: Any = "neg_mean_squared_error",
    scaling: Scaling | None = None,
    target_scaling: TargetScaling | None = None,
    sample_weight: Any = None,
    seed: int = 0,
    tol: float = 1e-3,
    max_iter: int | None = None,
    memory: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Tuning:
    """Cross-validate an ε-SVR over C, γ and ε; by default on the grid of Yang & Ong (2010).

    The parameters are those of :func:`tune_svc`; the folds are shuffled, the default score is the
    negative mean squared error.  ``target_scaling`` measures the target of each fold's training samples,
    which the machines learn on that scale; scores are in the units of ``y``.
    """
    X = check_matrix(X) if scaling is None else X  # what is missing is filled in the folds
    n = X.shape[0]
    y = check_vector(y, n, "y")
    if isinstance(cv, int | np.integer):
        cv = check_n_folds(int(cv))
        if n < cv:
            raise ValueError(f"cv={cv} folds need at least {cv} samples, got {n}.")
        folds = [held for _, held in KFold(cv, shuffle=True, random_state=seed).split(X)]
    else:
        folds = list(cv)
    weights = np.ones(n)
    if sample_weight is not None:
        sample_weight = weights = check_sample_weight(sample_weight, n)
        folds = _with_weight(folds, weights)
    target = Numbers(y)
    score = DecisionScorer(scoring, target, sample_weight)
    steps = _max_steps(n, max_iter)

    def fold(K: FloatArray, part: _Part, epsilon: float, grid: FloatArray) -> _FoldResult:
        own, n_train = target.take(part.train), len(part.train)
        scale = TargetScale()
        if target_scaling is not None:
            scale = target_scaling(own, None if sample_weight is None else weights[part.train])
        learned = scale.standardise(own.values)
        values, converged = svr_decisions_along_C(
            K[:n_train],
            K[n_train:],
            learned,
            epsilon,
            weights[part.train],
            grid,
            tol=tol,
            max_iter=steps,
        )
        judge = score.with_scale(scale)
        return [judge(each, part.held_out) for each in values], converged

    parts = _Parts(X, folds, scaling, sample_weight)
    return _search(parts, kernel, C, gamma, epsilon, fold, memory, progress)


def _with_weight(folds: Sequence[IntArray], weights: FloatArray) -> list[IntArray]:
    """Return the folds whose held-out samples have any weight: the others judge nothing."""
    return [held_out for held_out in folds if weights[held_out].any()]


def _max_steps(n: int, max_iter: int | None) -> int:
    """Steps one machine of the grid may take: its hopeless corners must not take all the time."""
    return max(100_000, 50 * n) if max_iter is None else max_iter


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
class _Grid:
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
    grid: _Grid, gammas: FloatArray, backend: Any | None, n_matrices: int
) -> Iterator[tuple[int, int, list[_FoldResult]]]:
    """Yield for each fold and γ the results of each ε: from threads, or from a cluster's tasks.

    With several kernel matrices the next γ is at hand when one comes to an end, and no thread waits for
    another.
    """
    places = [(f, g) for f in range(len(grid.parts)) for g in range(len(gammas))]
    if backend is not None:
        items = [(f, float(gammas[g])) for f, g in places]
        results = in_order(backend, _Grid.fold_points, items, grid)
        yield from ((*place, points) for place, points in zip(places, results, strict=True))
        return
    begun: deque[tuple[int, int, list[Future[_FoldResult]]]] = deque()
    base = np.empty((0, 0))
    with ThreadPoolExecutor(n_threads()) as pool:
        for f, g in places:
            if len(begun) == n_matrices:
                yield _results(*begun.popleft())
            if g == 0:
                base = grid.parts.base(grid.family, f)
            K = grid.matrix(base, float(gammas[g]))
            points = [pool.submit(grid.point, K, f, e) for e in range(len(grid.epsilons))]
            begun.append((f, g, points))
        while begun:
            yield _results(*begun.popleft())


def _results(
    f: int, g: int, points: list[Future[_FoldResult]]
) -> tuple[int, int, list[_FoldResult]]:
    return f, g, [point.result() for point in points]


def _search(
    parts: _Parts,
    kernel: Kernel | None,
    C: Sequence[float],
    gamma: Sequence[float],
    epsilon: Sequence[float],
    fold: Callable[[FloatArray, _Part, float, FloatArray], _FoldResult],
    memory: float | None,
    progress: Callable[[int, int], None] | None,
) -> Tuning:
    """Run all points of all folds, fold by fold and γ by γ."""
    n = parts.X.shape[0]
    require_memory(16.0 * n * n, memory, f"The kernel matrix of {n} samples")
    C_grid = _grid(C, "C")
    family = RBF(1.0) if kernel is None else kernel
    gammas = np.ones(1) if isinstance(family, Linear) else _grid(gamma, "gamma")
    epsilons = np.unique(np.asarray(epsilon, dtype=np.float64))
    if len(epsilons) == 0:
        raise ValueError("epsilon must hold at least one value.")
    if not (epsilons >= 0.0).all() or not np.isfinite(epsilons).all():
        raise ValueError("epsilon must be finite and not negative.")
    fold_scores = np.empty((len(gammas), len(epsilons), len(C_grid), len(parts)))
    converged = np.ones(fold_scores.shape[:-1], dtype=np.bool_)
    grid = _Grid(family, parts, fold, epsilons, C_grid)
    work = _OPERATIONS * n * n * fold_scores.size
    budget = check_memory(memory) or DEFAULT_BUDGET
    wanted = 1 + -(-n_threads() // len(epsilons))
    n_matrices = max(1, min(wanted, int(budget / (8.0 * n * n)) - 1))  # besides the base
    results = _fold_by_fold(grid, gammas, cluster_for(work), n_matrices)
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
