"""What the runs of a selection are with the Nyström machine: sums over row chunks, wherever they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np

from svmsieve.engine.machines.dealt_groups import deal_groups
from svmsieve.engine.machines.plan import Plan
from svmsieve.engine.machines.scoring import DecisionScorer, spread_of_chance
from svmsieve.engine.machines.target import Classes, Numbers, Target, TargetScale
from svmsieve.inputs.folds import make_folds, n_repeats, seed_of_repeat
from svmsieve.inputs.scaling import Scale
from svmsieve.scale.active_set import NystroemActiveSet
from svmsieve.scale.chunks import Chunks, PreparedChunks, restricted
from svmsieve.scale.driver import refuse_criterion
from svmsieve.scale.first_pass import FirstPass
from svmsieve.scale.held_out import ChunkHeldOut, SameForAll
from svmsieve.scale.parts import (
    ListedRows,
    Part,
    PartChunks,
    RowFold,
    folds_of_groups,
    folds_of_rows,
    thinned,
)
from svmsieve.scale.prepared_rows import PreparedRows, Preparing
from svmsieve.scale.shared_passes import SharedPasses
from svmsieve.scale.tuning import TuningRows, tuned_plan
from svmsieve.search.contract import Problem

FOLD_ROWS = 20_000
"""Rows that a search inside a fold is trained on, at most: sizes are compared, not the last per mille found.
All held-out rows judge it."""


def preparing_of(task: Any) -> Preparing:
    """Return how the rows of a task are made ready."""
    regression = not isinstance(task.target, Classes)
    scale_target = task.scale or task.estimator is None
    return Preparing(task.scale, task.impute, regression, scale_target, task.n_landmarks, task.seed)


def _part(task: Any, rows: Any) -> Part:
    """Rows as a part: one already, or those that are listed."""
    return rows if isinstance(rows, Part) else ListedRows(np.sort(rows), task.source.n_rows)


def prepared_rows(task: Any, rows: Any) -> PreparedRows:
    """Return some rows of a task (None: all), scaled by themselves."""
    preparing = preparing_of(task)
    if rows is None:
        return PreparedRows.of(task.source, preparing, task.surveyed)
    return PreparedRows.of(PartChunks(task.source, _part(task, rows)), preparing)


def streamed_problem(task: Any, rows: Any, held_out: Any, path: int) -> Problem:
    """Return the problem of some rows (None: all), judged on the held-out ones.

    What fills missing values, the scales, landmarks, γ and tuning are those of the rows in it.
    """
    prepared = prepared_rows(task, rows)
    stream, raw = prepared.stream, prepared.raw
    criterion = task.criterion
    plan = replace(task.plan(stream.sample.X, stream.target), tuning_rule=task.tuning)
    criterion.refuse_kernel(plan.kernel)
    refuse_criterion(criterion, plan.kernel)
    if task.estimator is None and (task.trains_machines or held_out is not None):
        seed = int(np.random.SeedSequence([task.seed, path]).generate_state(1)[0])
        plan = tuned_rows(task, plan, prepared, seed).following(stream.sample.X)
    evaluate: Any = None
    if held_out is not None:
        chunks = PartChunks(task.source, _part(task, held_out))
        every = np.arange(chunks.n_features)
        own = prepared.target_scale if isinstance(stream.target, Numbers) else None
        evaluate = ChunkHeldOut(
            PreparedChunks(chunks, prepared.scale, every, own),
            task.scoring,
            task.labels,
            prepared.target_scale,
        )
    return Problem(
        stream.sample.X,
        stream.target,
        criterion,
        plan,
        task.units,
        keep=task.keep,
        sample_weight=stream.sample.weight,
        seed=(task.seed, path),
        smallest=task.smallest,
        largest=task.rule.fixed_size(len(task.units)),
        evaluate=evaluate,
        memory=task.memory,
        active_set=partial(NystroemActiveSet, stream),
        unscaled=raw.X,
        scaling=task.scaling,
        target_scaling=task.target_scaling,
    )


def tuned_rows(task: Any, plan: Plan, prepared: PreparedRows, seed: int) -> Plan:
    """Return the plan with C, γ and ε tuned on a sample of prepared rows."""
    raw = prepared.raw
    rows = TuningRows(raw.X, prepared.stream.target, raw.weight, task.scaling, task.target_scaling)
    return tuned_plan(plan, rows, seed)


def row_folds(task: Any, cv: Any) -> list[RowFold]:
    """Return the folds of the rows: by number or group, or as a splitter of rows in memory has them."""
    n = task.source.n_rows
    smallest = n
    if isinstance(task.target, Classes):
        smallest = int(task.surveyed.survey.labels.counts.min())
    auto = isinstance(cv, str) and cv == "auto"
    number = isinstance(cv, Integral) and not isinstance(cv, bool)
    parts: list[RowFold]
    if not (auto or number):
        if task.collection is not None:
            raise ValueError(
                f"cv must be 'auto' or a number of folds where rows are not in memory, got {cv!r}: a row's "
                "fold follows from its number, or from its group; folds of your own are given as groups, "
                "fit(X, y, groups=fold_of_each_row), with cv their number."
            )
        folds = make_folds(cv, task.target, task.seed)
        parts = [(ListedRows(np.sort(a), n), ListedRows(np.sort(b), n)) for a, b in folds]
    elif auto:
        if smallest < 2:
            raise ValueError("cv='auto' needs at least two samples of each class.")
        n_folds = min(5, smallest)
        if task.group_counts is not None:
            n_folds = max(2, min(n_folds, len(task.group_counts)))
        repeats = range(n_repeats(n))
        parts = [fold for repeat in repeats for fold in _divided(task, n_folds, repeat)]
    else:
        if not 2 <= cv <= smallest:
            what = "samples of the smallest class" if smallest < n else "samples"
            raise ValueError(f"cv must be 2 folds to the {smallest} {what}, got {cv}.")
        parts = _divided(task, int(cv), 0)
    key = (task.seed,)
    return [(thinned(train, n, FOLD_ROWS, key), held_out) for train, held_out in parts]


def _divided(task: Any, n_folds: int, repeat: int) -> list[RowFold]:
    """Divide the rows into folds: by their numbers, or in whole groups of samples."""
    counts = task.group_counts
    if counts is None:
        return folds_of_rows(n_folds, (task.seed, repeat))
    stratify = isinstance(task.target, Classes)
    dealt = deal_groups(counts, n_folds, seed_of_repeat(task.seed, repeat), stratify=stratify)
    return folds_of_groups(dealt, counts.sum(axis=1))


def what_to_beat(task: Any, folds: Sequence[Any]) -> dict[str, Any]:
    """Return the path's ``test_share``, and ``guess`` and ``chance`` where the rule asks for them."""
    share = float(np.mean([held_out.share / train.share for train, held_out in folds]))
    if not task.rule.needs_guess:
        return {"test_share": share}
    guess = np.zeros(len(folds))

    def judge(number: int) -> None:
        guess[number] = _guess(task, *folds[number])

    together(task.source, [partial(judge, number) for number in range(len(folds))])
    known, raw = prepared_target(task), task.surveyed.raw
    scorer = DecisionScorer(task.scoring, known, raw.weight)
    groups = task.group_counts
    alone = task.source.n_rows if groups is None else len(groups)  # rows of a group count as one
    chance = spread_of_chance(scorer) * np.sqrt(len(known) / alone)
    return {"test_share": share, "guess": guess, "chance": float(chance)}


def together(source: Chunks, jobs: Sequence[Callable[[], Any]]) -> None:
    """Do jobs that ask for sums over the rows: in the same passes, where these are shared."""
    if isinstance(source, SharedPasses):
        source.run(jobs)
        return
    for job in jobs:
        job()


def prepared_target(task: Any) -> Target:
    """Return the target of the sample of all rows, each by itself."""
    target: Target = replace(task.target, groups=None)
    whole = len(target) == task.surveyed.raw.X.shape[0]
    return target if whole else target.take(task.surveyed.raw.rows)


def _guess(task: Any, train: Part, held_out: Part) -> float:
    """Return the score of the largest class, or of the mean, of a fold's training rows."""
    survey = FirstPass.of(PartChunks(task.source, train))
    scale: TargetScale | None = None
    known: Target = task.target
    if isinstance(known, Classes):
        largest = survey.labels.values[survey.labels.counts.argmax()]
        value = float(np.searchsorted(task.labels, largest))
    else:
        scale, value = survey.target_scale(), 0.0
    held = PartChunks(task.source, held_out)
    rows = PreparedChunks(held, Scale.none(held.n_features), np.arange(0), scale)
    judge = ChunkHeldOut(rows, task.scoring, task.labels, scale or TargetScale())
    return judge.score(SameForAll(known, value), rows)


def selected_rows(task: Any, columns: Any) -> PreparedRows:
    """Return all rows with the selected columns only, made ready anew."""
    return PreparedRows.of(restricted(task.source, columns), preparing_of(task))
