"""C, γ and ε of the Nyström machine: cross-validated with its own squared loss, on samples that grow.

A grid is judged on 1000 rows, then on twice as many, until the point that fewer rows chose is as good as the
best within one standard error.  In every fold rows are filled and scaled by its training rows, whose own
landmarks span the space.  Their kernel values are computed once for all ε and C; along growing C each machine
starts from the last one, with its sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix
from svmsieve.engine.kernels.kernel import Kernel, Linear, gamma_of
from svmsieve.engine.machines.fit import balanced_weights, sample_bounds
from svmsieve.engine.machines.folds import inner_folds, stratified_folds
from svmsieve.engine.machines.plan import Plan
from svmsieve.engine.machines.scaling import Scaling, split
from svmsieve.engine.machines.scoring import DecisionScorer
from svmsieve.engine.machines.target import Classes, Target, TargetScale, TargetScaling
from svmsieve.engine.machines.tuned_grid import Tuning
from svmsieve.scale.chunks import Chunk, RowChunks
from svmsieve.scale.descent import Solution
from svmsieve.scale.landmarks import LandmarkSpace, choose_landmarks
from svmsieve.scale.losses import Losses
from svmsieve.scale.nystroem import solve, solve_with_other_C

FIRST_ROWS = 1_000
MOST_ROWS = 8_000
"""Rows of the first and of the last sample."""
_LANDMARKS = 200
_FOLDS = 5
C_GRID = tuple(2.0**e for e in range(-7, 10, 2))
GAMMAS = (1 / 64, 1 / 16, 1 / 4, 1.0, 4.0)
"""Relative to one over the sum of the columns' variances."""
EPSILONS = (0.03, 0.1, 0.3)
"""Of a standardised target."""


@dataclass(frozen=True)
class TuningRows:
    """Rows that C, γ and ε are tuned on, as they came.

    Attributes
    ----------
    X, target, weight : the rows; the target as machines learn it
    scaling, target_scaling : measure the training rows of a fold; None: they stay as they are
    """

    X: Matrix
    target: Target
    weight: FloatArray | None
    scaling: Scaling | None = None
    target_scaling: TargetScaling | None = None

    def take(self, rows: IntArray) -> TuningRows:
        """Return some of the rows, with all classes."""
        weight = None if self.weight is None else self.weight[rows]
        groups = None if self.target.groups is None else self.target.groups[rows]
        target: Target
        if isinstance(self.target, Classes):
            target = Classes(self.target.classes, self.target.codes[rows], groups)
        else:
            target = replace(self.target, values=self.target.values[rows], groups=groups)
        return replace(self, X=self.X[rows], target=target, weight=weight)

    def folds(self, seed: int) -> Sequence[IntArray]:
        """Return the held-out rows of each fold, groups of samples whole, classes stratified."""
        codes = self.target.codes if isinstance(self.target, Classes) else None
        few = len(self.target)
        if codes is not None:
            few = int(np.bincount(codes, minlength=len(self.target.classes)).min())  # type: ignore[union-attr]
            if few < 2:
                raise ValueError(
                    f"tuning needs two rows of each class among {len(codes)} drawn ones; pass an "
                    "estimator to fix C and gamma."
                )
        if self.target.groups is not None:
            whole = inner_folds(self.target.groups, min(_FOLDS, few), seed, codes)
            if whole is not None:
                return whole
        if codes is not None:
            return stratified_folds(codes, min(_FOLDS, few), seed)
        splitter = KFold(min(_FOLDS, few), shuffle=True, random_state=seed)
        return [held_out for _, held_out in splitter.split(np.zeros((few, 1)))]


def tuned_plan(plan: Plan, rows: TuningRows, seed: int) -> Plan:
    """Return the plan with the C, γ and ε that samples of growing numbers of rows agree on."""
    n = len(rows.target)
    order = np.random.default_rng([seed, 3]).permutation(n)
    size, chosen = min(FIRST_ROWS, n), None
    while True:
        sample = rows.take(np.sort(order[:size]))
        tuning = _judged(plan, sample, seed)
        if chosen is not None and _is_as_good(tuning, chosen):
            break
        chosen = tuning.index(plan.tuning_rule)
        if size >= min(n, MOST_ROWS):
            break
        size = min(2 * size, n, MOST_ROWS)
    g, e, c = chosen
    epsilon = None if isinstance(rows.target, Classes) else float(tuning.epsilon[e])
    found = plan.with_values(float(tuning.C[c]), float(tuning.gamma[g]), epsilon)
    return replace(found, gamma_rule=None, tuning=tuning)


def _is_as_good(tuning: Tuning, point: tuple[int, int, int]) -> bool:
    """Whether a point that fewer rows chose is within one standard error of the best of more."""
    folds = tuning.fold_scores[tuning.best_index]
    error = folds.std(ddof=1) / np.sqrt(len(folds)) if len(folds) > 1 else 0.0
    return bool(tuning.scores[point] >= tuning.best_score - error)


def _judged(plan: Plan, rows: TuningRows, seed: int) -> Tuning:
    """Cross-validate all points of the grid."""
    classes = isinstance(rows.target, Classes)
    measured = rows.X if rows.scaling is None else rows.scaling(rows.X, rows.weight).apply(rows.X)
    linear = isinstance(plan.kernel, Linear)
    unit = 1.0 if linear else gamma_of("spread", measured)
    gammas = np.ones(1) if linear else unit * np.array(GAMMAS)
    epsilons = np.zeros(1) if classes else np.array(EPSILONS)
    held_out = rows.folds(seed)
    scores = np.empty((len(gammas), len(epsilons), len(C_GRID), len(held_out)))
    for f, held in enumerate(held_out):
        fold = _Fold.of(rows, held, seed)
        for g, gamma in enumerate(gammas):
            kernel: Any = plan.kernel
            kernel = kernel if linear else replace(kernel, gamma=float(gamma))
            scores[g, :, :, f] = fold.scores(kernel, epsilons, plan.machine.class_weight)
    return Tuning(
        np.array(C_GRID), gammas, epsilons, scores, np.ones(scores.shape[:-1], dtype=np.bool_)
    )


@dataclass(frozen=True)
class _Fold:
    """Training rows of a fold, scaled by themselves, their landmarks, and the rows that judge."""

    train: Chunk
    landmarks: Matrix
    held_out: Matrix
    rows: IntArray
    labels: Any
    scorer: DecisionScorer

    @classmethod
    def of(cls, rows: TuningRows, held_out: IntArray, seed: int) -> _Fold:
        train = np.delete(np.arange(len(rows.target)), held_out)
        own = rows.take(train)
        X, others = split(rows.X, train, held_out, rows.scaling, rows.weight)
        scale, y, labels = TargetScale(), own.target.labels, None
        scoring = "neg_mean_squared_error"
        if isinstance(own.target, Classes):
            y, labels = own.target.codes, np.arange(len(own.target.classes))
            scoring = "balanced_accuracy"
        elif rows.target_scaling is not None:
            scale = rows.target_scaling(own.target, own.weight)
            y = scale.standardise(own.target.values)
        chunk = Chunk(X, y, own.weight, 0)
        scorer = DecisionScorer(scoring, rows.target, rows.weight, scale)
        return cls(
            chunk, choose_landmarks(chunk, _LANDMARKS, seed), others, held_out, labels, scorer
        )

    def scores(self, kernel: Kernel, epsilons: FloatArray, class_weight: Any) -> FloatArray:
        """Return the score of each ε and C with one kernel."""
        space = LandmarkSpace.of(kernel, self.landmarks)
        K = space.kernel_values(self.held_out)
        own = space.kernel_values(self.train.X)  # once for all ε and C
        chunks, space = RowChunks(own, self.train.y, self.train.weight), replace(space, known=True)
        found = np.empty((len(epsilons), len(C_GRID)))
        for e, epsilon in enumerate(epsilons):
            last: list[Solution] = []
            for c, C in enumerate(C_GRID):
                losses = Losses(C, self.labels, self._weights(class_weight), float(epsilon))
                if c == 0:
                    last = solve(chunks, space, losses)
                else:
                    last = solve_with_other_C(chunks, space, losses, C / C_GRID[c - 1], last)
                coef = np.column_stack([space.coef(each.w) for each in last])
                decisions = K @ coef + [each.intercept for each in last]
                found[e, c] = self.scorer(decisions, self.rows)
        return found

    def _weights(self, class_weight: Any) -> FloatArray | None:
        """Factors of the classes in the training rows."""
        if self.labels is None or class_weight is None:
            return None
        target = self.scorer.target
        assert isinstance(target, Classes)
        if class_weight == "balanced":
            counts = np.bincount(self.train.y, minlength=len(self.labels))
            return balanced_weights(np.maximum(counts, 1).astype(np.float64))
        return np.array(
            np.broadcast_to(
                sample_bounds(1.0, self.labels, target.classes, None, class_weight),
                len(self.labels),
            ),
            dtype=np.float64,
        )
