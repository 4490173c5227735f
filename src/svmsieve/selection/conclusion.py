"""What a sieve says once its searches are done: fitted attributes from the record, and the final machine."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from svmsieve.engine.arrays import FloatArray, Matrix
from svmsieve.engine.machines.target import Numbers, Target
from svmsieve.inputs.estimators import user_C
from svmsieve.inputs.folds import Fold, most_grouped_folds, n_split_groups
from svmsieve.inputs.scaling import Scale, present_means, scale_of_target
from svmsieve.ranking.result import warn_of_zeros
from svmsieve.runtime.threads import one_blas_thread
from svmsieve.scale.parts import ListedRows, without_thinning
from svmsieve.scale.planned_estimators import nystroem_estimator
from svmsieve.scale.prepared_rows import PreparedRows
from svmsieve.search.consensus import ranks_of
from svmsieve.search.followed import MOST_ROWS
from svmsieve.search.stopping import GrowingSearch
from svmsieve.selection.final_machine import (
    Divided,
    divided,
    final_machine,
    fit_within_limits,
    machine_of_values,
    retuned_values,
    warn_where_rounding_decides,
)
from svmsieve.selection.outcome import (
    Outcome,
    first_steps,
    followed_outcome,
    single_outcome,
    stable_outcome,
)
from svmsieve.selection.record import RunRecord
from svmsieve.selection.runs import turn_name
from svmsieve.selection.specification import retunes
from svmsieve.selection.streamed import selected_rows, tuned_rows
from svmsieve.selection.task import Task
from svmsieve.sizing.rules import Choice


def conclude(sieve: Any, task: Task, folds: Sequence[Any], record: RunRecord) -> None:
    """Derive the fitted attributes from the record and fit the final machine."""
    turns = [
        task.probes_before(turn, record.steps[turn_name(turn)]) for turn in range(task.n_turns)
    ]
    none = np.zeros(len(task.units) - len(task.keep), dtype=np.intp)
    before = np.sum([none, *turns], axis=0) if task.rule.probe_copies else None
    outcome = _outcome(sieve, task, folds, record)
    path = outcome.path
    path = replace(path, C=user_C(sieve.estimator, path.C), probes_before=before)
    choice = task.rule.choose(path.from_size(max(1, len(task.keep))))
    if not (isinstance(choice, Choice) and 0 <= choice.size <= len(task.units)):
        raise ValueError(
            f"n_features_to_select must choose a Choice of 0 to {len(task.units)} features, "
            f"{task.rule!r} chose {choice!r}."
        )
    _set_ranking(sieve, task, outcome, choice.size)
    sieve.path_ = path
    sieve.size_reason_ = choice.reason + sieve._how_counted()
    sieve.record_ = record
    sieve._weighted = task.sample_weight is not None
    sieve._scoring = task.scoring if isinstance(task.scoring, str) else None
    _keep_account_of_groups(sieve, task, folds)
    if task.n_landmarks is not None and choice.size > 0:
        fit_to_rows(sieve, task, tune=retunes(sieve))
    else:
        fit_estimator(
            sieve,
            task.X,
            task.target,
            task.sample_weight,
            partial(_final_machine, sieve, task, folds, outcome),
        )
        warn_where_rounding_decides(sieve.estimator_)
    if choice.size == 0:
        warnings.warn(f"No feature is selected: {choice.reason}.", UserWarning, stacklevel=3)


def _outcome(sieve: Any, task: Task, folds: Sequence[Fold], record: RunRecord) -> Outcome:
    """Return what the searches came to; a warning says where no feature has a score."""
    if task.search.uses_criterion:
        largest = max(max(first.ranking_scores or [first.largest]) for first in first_steps(record))
        warn_of_zeros(largest, len(task.units), task.criterion, sieve.estimator)
    if task.rule.half_pairs:
        outcome = stable_outcome(task, record)
    elif task.rankers and folds:
        outcome = followed_outcome(task, folds, record)
    else:
        outcome = single_outcome(task, folds, record)
    return outcome


def _set_ranking(sieve: Any, task: Task, outcome: Outcome, size: int) -> None:
    """Set what is known of each feature, and which are selected."""
    d = task.X.shape[1]
    sieve.order_ = task.columns(outcome.order.units)
    sieve.ranking_ = np.empty(d, dtype=np.intp)
    sieve.ranking_[sieve.order_] = np.arange(1, d + 1)
    sieve._ends = np.cumsum([len(task.units[unit]) for unit in outcome.order.units])
    sieve._tuned_values = outcome.values
    sieve.fold_ranking_ = None
    if outcome.ranks is not None:
        sieve.fold_ranking_ = ranks_of([task.columns(units) for units in outcome.ranks.argsort()])
    sieve.scores_ = np.full(d, np.nan)
    for unit, score in zip(outcome.order.units, outcome.order.scores, strict=True):
        sieve.scores_[task.units[unit]] = score
    sieve.selection_frequency_ = None
    if outcome.frequency is not None:
        sieve.selection_frequency_ = np.empty(d)
        for unit, share in zip(task.units, outcome.frequency, strict=True):
            sieve.selection_frequency_[unit] = share
    sieve.support_ = np.zeros(d, dtype=np.bool_)
    if size > 0:
        sieve.support_[sieve.order_[: sieve._ends[size - 1]]] = True
    sieve.n_features_ = int(sieve.support_.sum())
    sieve.n_units_ = size


def _keep_account_of_groups(sieve: Any, task: Task, folds: Sequence[Any]) -> None:
    """Note how many groups of samples there are, and whether the folds kept them whole."""
    groups, counts = task.target.groups, task.group_counts
    sieve.n_sample_groups_ = None if counts is None else len(counts)
    sieve._most_whole_folds = None if groups is None else most_grouped_folds(task.target, groups)
    own = task.search.cv if isinstance(task.search, GrowingSearch) else folds
    given = own if isinstance(own, list) else []
    if groups is not None and task.n_landmarks is not None:
        parts = [(without_thinning(train), held_out) for train, held_out in given]
        given = [  # those that are dealt are whole
            (train.rows, held_out.rows)
            for train, held_out in parts
            if isinstance(train, ListedRows)
        ]
    sieve._groups_kept = groups is not None and n_split_groups(given, groups) == 0


def fit_estimator(
    sieve: Any,
    X: Matrix,
    target: Target,
    weight: FloatArray | None,
    machine: Callable[[Matrix, Target], Any],
) -> None:
    """Fit scikit-learn's machine, made for scaled columns and target, to the selected columns."""
    columns = X[:, sieve.support_]
    fill = present_means(columns, weight) if sieve._imputes(columns) else None
    d = columns.shape[1]
    scale = Scale.of(columns, weight, fill) if sieve.scale else Scale.none(d, fill)
    sieve.scale_mean_, sieve.scale_deviation_ = scale.mean, scale.deviation
    sieve.fill_values_ = fill
    columns = scale.apply(columns)
    target_scale = scale_of_target(target, weight, sieve.scale, sieve.estimator)
    sieve.target_mean_, sieve.target_deviation_ = target_scale.mean, target_scale.deviation
    target = target_scale.apply(target)
    sieve.estimator_ = machine(columns, target)
    fit_within_limits(sieve.estimator_, columns, target.labels, weight)
    take_over_classes(sieve)


def take_over_classes(sieve: Any) -> None:
    """Note the classes that the machine knows."""
    sieve.__dict__.pop("classes_", None)  # of an earlier fit
    if hasattr(sieve.estimator_, "classes_"):
        sieve.classes_ = sieve.estimator_.classes_


def fit_to_rows(sieve: Any, task: Task, *, tune: bool) -> None:
    """Fit the Nyström machine to the selected columns of all rows, in row chunks."""
    prepared = selected_rows(task, np.flatnonzero(sieve.support_))
    stream = prepared.stream
    take_over_scales(sieve, prepared)
    plan, sieve.tuning_ = task.plan(stream.sample.X, stream.target), None
    if task.estimator is None or tune:
        with one_blas_thread():
            plan = tuned_rows(task, plan, prepared, task.seed)
        tuning = plan.tuning
        if tuning is not None and isinstance(stream.target, Numbers):
            tuning = tuning.in_units(sieve.target_deviation_)
        sieve.tuning_ = tuning
    assert task.n_landmarks is not None
    machine = nystroem_estimator(plan, task.n_landmarks, task.seed)
    sieve.estimator_ = machine.fit_stream(stream, plan, memory=task.memory)
    take_over_classes(sieve)


def take_over_scales(sieve: Any, prepared: PreparedRows) -> None:
    """Note how the selected columns, and a numeric target, are filled and scaled."""
    scale, target_scale = prepared.scale, prepared.target_scale
    sieve.scale_mean_, sieve.scale_deviation_ = scale.mean, scale.deviation
    sieve.fill_values_ = scale.fill
    sieve.target_mean_, sieve.target_deviation_ = target_scale.mean, target_scale.deviation


def _final_machine(
    sieve: Any, task: Task, folds: Sequence[Fold], outcome: Outcome, columns: Matrix, target: Target
) -> Any:
    unscaled = task.X[:, sieve.support_]
    where = None
    if columns.shape[1] and outcome.tunings is not None:
        where = Divided(np.arange(len(target)), folds, sieve.cv)
    elif columns.shape[1] and task.rankers and task.tuning == "best":
        where = divided(task)
    if where is None:
        machine, tuning = final_machine(task, columns, unscaled, target, tune=retunes(sieve))
    else:
        if outcome.tunings is None or len(target) <= MOST_ROWS:
            values, tuning = retuned_values(task, where, columns, unscaled)
        else:
            values, tuning = outcome.values[sieve.n_units_], outcome.tunings[sieve.n_units_]
        tuning = replace(tuning, scored=True)
        machine = machine_of_values(task, values)
    if tuning is not None and isinstance(target, Numbers):
        tuning = tuning.in_units(sieve.target_deviation_)
    sieve.tuning_ = tuning
    return machine
