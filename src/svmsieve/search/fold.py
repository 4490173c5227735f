"""The folds in which a growing set is cross-validated: what each learns, it learns from its training part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix, dense_columns
from svmsieve.engine.machines.folds import grouped_folds, stratified_folds
from svmsieve.engine.machines.plan import Plan
from svmsieve.engine.machines.scaling import Measured
from svmsieve.engine.machines.scoring import DecisionScorer
from svmsieve.engine.machines.target import Classes, Target
from svmsieve.engine.machines.weights import sample_weights
from svmsieve.search.contract import Problem
from svmsieve.search.held_out import judge

_FIRST_SEED = 2**31
"""Step whose seed makes the folds; those of their tunings follow.  No search has so many steps."""

_NOT_MUCH = 2**21
"""Values of a table that each fold may keep a copy of."""


@dataclass(frozen=True)
class Fold:
    """Training and held-out samples of a fold, and what the training samples alone decide.

    Attributes
    ----------
    X : all samples of the problem as they came
    rows : the training samples, then the held-out ones
    n_train : how many of them are for training
    measured : what fills and scales both; None: nothing does
    target, weights : of the training samples, the weight of their class in it
    plan : the machine, tuned on the training samples where it is to be tuned
    scorer : judges decision values of the held-out samples
    """

    X: Matrix
    rows: IntArray
    n_train: int
    measured: Measured | None
    target: Target
    weights: FloatArray
    plan: Plan
    scorer: DecisionScorer

    @property
    def shape(self) -> tuple[int, int]:
        """Of its kernel matrix: all its samples against those of the training."""
        return len(self.rows), self.n_train

    def columns(self, columns: IntArray) -> FloatArray:
        """Return some columns, filled and scaled: the training samples, then the held-out ones."""
        if self._every_column is not None:
            return dense_columns(self._every_column, columns)
        return self._prepared(columns)

    @cached_property
    def _every_column(self) -> FloatArray | None:
        """All columns, made once where they are not many."""
        return self._prepared(np.arange(self.X.shape[1])) if self.is_small else None

    @property
    def is_small(self) -> bool:
        """Whether something of the size of the table may be kept."""
        return len(self.rows) * self.X.shape[1] <= _NOT_MUCH

    def _prepared(self, columns: IntArray) -> FloatArray:
        values = dense_columns(self.X, columns)[self.rows]
        return values if self.measured is None else self.measured.columns(columns).apply(values)

    def score(self, decisions: FloatArray) -> float:
        """Return the score of the held-out samples' decision values (samples × machines)."""
        return judge(self.scorer, decisions, self.rows[self.n_train :], self.target)


def make_folds(problem: Problem, cv: Any) -> list[Fold]:
    """Return the folds of a search's own cross-validation: ``cv`` of them, or those that are given."""
    X = problem.as_it_came
    by_columns = X.tocsc() if sp.issparse(X) else X
    scorer = DecisionScorer(None, problem.target) if problem.scorer is None else problem.scorer
    return [
        _fold(problem, by_columns, scorer, train, held_out, number)
        for number, (train, held_out) in enumerate(_samples(problem, cv))
    ]


def _fold(
    problem: Problem,
    by_columns: Matrix,
    scorer: DecisionScorer,
    train: IntArray,
    held_out: IntArray,
    number: int,
) -> Fold:
    weight = problem.sample_weight
    if weight is not None:
        train = train[weight[train] > 0.0]  # as if the others were not there
        weight = weight[train]
    if isinstance(problem.target, Classes) and len(np.unique(problem.target.codes[train])) < 2:
        raise ValueError("cv must leave at least two classes to train on in each fold.")
    target, plan, measured = problem.target.take(train), problem.plan, None
    if problem.target_scaling is not None:
        given = scorer.target.take(train)
        target_scale = problem.target_scaling(given, weight)
        target, scorer = target_scale.apply(given), scorer.with_scale(target_scale)
    if problem.scaling is not None:
        measured = problem.scaling(problem.as_it_came[train], weight)
    if plan.tuning is not None:
        plan = plan.tuned(
            problem.as_it_came[train],
            target,
            scaling=problem.scaling,
            target_scaling=problem.target_scaling,
            sample_weight=weight,
            seed=problem.step_seed(_FIRST_SEED + 1 + number),
            memory=problem.memory,
        )
    rows = np.concatenate([train, held_out])
    weights = sample_weights(plan.machine, target, weight)
    return Fold(by_columns, rows, len(train), measured, target, weights, plan, scorer)


def _samples(problem: Problem, cv: Any) -> Sequence[tuple[IntArray, IntArray]]:
    """Return training and held-out samples of each fold, the same at every step."""
    if hasattr(cv, "split"):
        raise ValueError(
            "the search's cv must be a number of folds or a list of (training, held-out) samples; a "
            "splitter is for SVMSieve(cv=...)."
        )
    if not isinstance(cv, Integral):
        return list(cv)
    target, n_folds, n = problem.target, int(cv), len(problem.target)
    seed = problem.step_seed(_FIRST_SEED)
    if target.groups is not None:
        labels = target.codes if isinstance(target, Classes) else None
        held_out = grouped_folds(target.groups, n_folds, seed, labels)
    elif isinstance(target, Classes):
        held_out = stratified_folds(target.codes, n_folds, seed)
    elif n < n_folds:
        raise ValueError(f"cv={n_folds} folds need at least {n_folds} samples, got {n}.")
    else:
        order = np.random.default_rng(seed).permutation(n)
        held_out = [np.sort(part) for part in np.array_split(order, n_folds)]
    return [(np.setdiff1d(np.arange(n), each), each) for each in held_out]
