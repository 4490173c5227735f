"""Choose C, γ (and ε) by cross-validation on the papers' grids.

Each fold is filled and scaled by its own training samples, as a pipeline in scikit-learn's ``GridSearchCV``
does it, and has a base matrix of its own, which all γ share.  For each γ and fold the machines run along
growing C, each from the last one's solution; once no dual variable is at its bound, every larger C has the
same solution and is not trained at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

from svmsieve.engine.arrays import (
    FloatArray,
    check_matrix,
    check_sample_weight,
    check_vector,
)
from svmsieve.engine.machines.fit import encode_classes, sample_bounds
from svmsieve.engine.machines.folds import check_n_folds, stratified_folds
from svmsieve.engine.machines.grid_search import Validation, _FoldResult, _Part, _Parts, _search
from svmsieve.engine.machines.growing_c import decisions_along_C, svr_decisions_along_C
from svmsieve.engine.machines.machine import EPSILON, HINGE, Machine, check_loss
from svmsieve.engine.machines.pair_machines import FlatPairs
from svmsieve.engine.machines.scoring import DecisionScorer
from svmsieve.engine.machines.target import Classes, Numbers, TargetScale
from svmsieve.engine.machines.tuned_grid import Grid, Tuning

SVC_C = tuple(2.0**e for e in range(-5, 16, 2))
SVC_GAMMA = tuple(2.0**e for e in range(-15, 4, 2))
"""Chen & Lin 2006, section 2."""
SVR_C = tuple(2.0**e for e in range(-2, 7))
SVR_GAMMA = tuple(2.0**e for e in range(-6, 3))
SVR_EPSILON = tuple(2.0**e for e in range(-5, 3))
"""Yang & Ong 2010, section 5."""


SVC_GRID = Grid(SVC_C, SVC_GAMMA)
SVR_GRID = Grid(SVR_C, SVR_GAMMA, SVR_EPSILON)
FIVE_FOLDS = Validation()


def tune_svc(
    X: Any,
    y: Any,
    grid: Grid = SVC_GRID,
    machine: Machine = HINGE,
    *,
    validation: Validation = FIVE_FOLDS,
    sample_weight: Any = None,
    memory: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Tuning:
    """Cross-validate an SVC over C and γ.

    Parameters
    ----------
    X, y : the samples and their classes
    grid : the points; by default those of Chen & Lin (2006)
    machine : loss, class weights, and when to stop; its C is that of the grid
    validation : how the points are judged
    sample_weight : for the machines and the scores
    memory : bytes the kernel matrices may take
    progress : called with (done, total) after each γ of each fold

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tuning = tune_svc(X, y, Grid([0.1, 1, 10], [0.01, 0.1]))
    >>> tuning.scores.shape
    (2, 1, 3)
    """
    check_loss(machine, "hinge", "squared_hinge")
    cv, scaling, class_weight = validation.cv, validation.scaling, machine.class_weight
    X = check_matrix(X) if scaling is None else X  # what is missing is filled in the folds
    n = X.shape[0]
    classes, codes = encode_classes(y, n)
    folds = (
        stratified_folds(codes, int(cv), validation.seed)
        if isinstance(cv, int | np.integer)
        else cv
    )
    parts = [_Part.of(fold, n) for fold in folds]
    if sample_weight is not None:
        sample_weight = check_sample_weight(sample_weight, n)
        parts = _with_weight(parts, sample_weight)
    machine = replace(machine, max_iter=_max_steps(n, machine.max_iter))
    scoring = "balanced_accuracy" if validation.scoring is None else validation.scoring
    score = DecisionScorer(scoring, Classes(classes, codes), sample_weight)

    def fold(K: FloatArray, part: _Part, epsilon: float, growing: FloatArray) -> _FoldResult:
        own = codes[part.train]
        weights = np.ones(len(own))
        weight = None if sample_weight is None else sample_weight[part.train]
        weights *= sample_bounds(1.0, own, classes, weight, class_weight)
        K_train, K_held_out = K[: len(own)], K[len(own) :]
        pairs = FlatPairs.of_codes(own, len(classes))
        values, converged = decisions_along_C(K_train, K_held_out, pairs, weights, growing, machine)
        return [score(each, part.held_out) for each in values], converged

    every = _Parts(X, parts, scaling, sample_weight)
    return _search(every, replace(grid, epsilon=(0.0,)), fold, validation.kept, memory, progress)


def tune_svr(
    X: Any,
    y: Any,
    grid: Grid = SVR_GRID,
    machine: Machine = EPSILON,
    *,
    validation: Validation = FIVE_FOLDS,
    sample_weight: Any = None,
    memory: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Tuning:
    """Cross-validate an ε-SVR over C, γ and ε; by default on the grid of Yang & Ong (2010).

    The parameters are those of :func:`tune_svc`; ε is that of the grid.
    """
    check_loss(machine, "epsilon")
    cv, scaling, target_scaling = validation.cv, validation.scaling, validation.target_scaling
    X = check_matrix(X) if scaling is None else X  # what is missing is filled in the folds
    n = X.shape[0]
    y = check_vector(y, n, "y")
    if isinstance(cv, int | np.integer):
        cv = check_n_folds(int(cv))
        if n < cv:
            raise ValueError(f"cv={cv} folds need at least {cv} samples, got {n}.")
        cv = [held for _, held in KFold(cv, shuffle=True, random_state=validation.seed).split(X)]
    parts = [_Part.of(fold, n) for fold in cv]
    weights = np.ones(n)
    if sample_weight is not None:
        sample_weight = weights = check_sample_weight(sample_weight, n)
        parts = _with_weight(parts, weights)
    target = Numbers(y)
    scoring = "neg_mean_squared_error" if validation.scoring is None else validation.scoring
    score = DecisionScorer(scoring, target, sample_weight)
    machine = replace(machine, max_iter=_max_steps(n, machine.max_iter))

    def fold(K: FloatArray, part: _Part, epsilon: float, growing: FloatArray) -> _FoldResult:
        own, n_train = target.take(part.train), len(part.train)
        scale = TargetScale()
        if target_scaling is not None:
            scale = target_scaling(own, None if sample_weight is None else weights[part.train])
        learned = scale.standardise(own.values)
        values, converged = svr_decisions_along_C(
            K[:n_train],
            K[n_train:],
            learned,
            weights[part.train],
            growing,
            replace(machine, epsilon=epsilon),
        )
        judge = score.with_scale(scale)
        return [judge(each, part.held_out) for each in values], converged

    every = _Parts(X, parts, scaling, sample_weight)
    return _search(every, grid, fold, validation.kept, memory, progress)


def _with_weight(parts: Sequence[_Part], weights: FloatArray) -> list[_Part]:
    """Return the folds whose held-out samples have any weight: the others judge nothing."""
    return [part for part in parts if weights[part.held_out].any()]


def _max_steps(n: int, max_iter: int | None) -> int:
    """Steps one machine of the grid may take: its hopeless corners must not take all the time."""
    return max(100_000, 50 * n) if max_iter is None else max_iter
