"""What the runs of a selection came to: one order of the features, and the path of its sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.kernels.kernel import gamma_of
from svmsieve.engine.machines.relative_grid import GRID
from svmsieve.engine.machines.scoring import DecisionScorer, guessing, spread_of_chance
from svmsieve.engine.machines.skill import skill_of_chance, skills_of_guessing
from svmsieve.engine.machines.target import Classes, Target
from svmsieve.engine.machines.tuned_grid import Tuning
from svmsieve.inputs.folds import Fold
from svmsieve.search.consensus import consensus, ranks_of
from svmsieve.search.contract import Step
from svmsieve.search.followed import Kept
from svmsieve.search.order import Order
from svmsieve.search.path import Path, Tried
from svmsieve.search.portfolio import Judged, choose_ranking
from svmsieve.search.rankers import Ranker
from svmsieve.selection.halves import times_chosen
from svmsieve.selection.record import RunRecord
from svmsieve.selection.runs import Run, fold_runs, half_name
from svmsieve.selection.streamed import what_to_beat
from svmsieve.selection.task import Task

Values = tuple[float, float | None, float | None]
"""C, γ and ε of a machine."""


@dataclass(frozen=True)
class Outcome:
    """The order of the units and what is known of each size.

    Attributes
    ----------
    order : units, best first, with their scores when they left (or entered)
    path : scores of the sizes
    values : C, γ and ε of the machine at each size; none where nothing was trained
    ranks : rank of each unit in each fold, 1 is the best; None where there were no folds
    tunings : the grid that set the machine of a size, where it follows the size
    frequency : share of the half samples that choose each unit; None where there were none
    """

    order: Order
    path: Path
    values: dict[int, Values]
    ranks: IntArray | None = None
    tunings: dict[int, Tuning] | None = None
    frequency: FloatArray | None = None


def single_outcome(task: Task, folds: Sequence[Fold], record: RunRecord) -> Outcome:
    """Return the outcome of one ranking, whose own machines were judged."""
    n_units, steps = len(task.units), record.steps["all"]
    paths = [record.steps[run.name] for group in fold_runs(task, folds) for run in group]
    values: dict[int, Values] = {}
    if task.trains_machines:
        values = {step.size: (step.C, step.gamma, step.epsilon) for step in steps}
    ranks = ranks_of([Order.of(path, n_units).units for path in paths]) if paths else None
    path = replace(Path.of(n_units, steps, paths), **_what_to_beat(task, folds))
    return Outcome(Order.of(steps, n_units), path, values, ranks)


def first_steps(record: RunRecord) -> list[Step]:
    """Return the first step on all samples of what ranked: of the members, where rankings were joined."""
    members = [steps[0] for name, steps in record.steps.items() if name.endswith(": all")]
    return members or [record.steps["all"][0]]


def stable_outcome(task: Task, record: RunRecord) -> Outcome:
    """Return the outcome of half samples: units by how many of them choose it, kept ones first.

    Of equal ones the order of all samples decides.
    """
    outcome = single_outcome(task, (), record)
    n_units, place = len(task.units), outcome.order.units.argsort()
    names = [half_name(number) for number in range(2 * task.rule.half_pairs)]
    times = times_chosen([record.steps[name][0].moved for name in names], n_units)
    free = ~np.isin(np.arange(n_units), list(task.keep))
    units = np.lexsort((place, -times, free))
    path = replace(
        outcome.path,
        times_chosen=times[units][len(task.keep) :],
        ranking="; ".join(ranker.name for ranker in task.rankers),
    )
    order = Order(units, outcome.order.scores[place[units]])
    return replace(outcome, order=order, path=path, frequency=times / len(names))


def chosen_ranker(task: Task, folds: Sequence[Fold], record: RunRecord) -> Ranker:
    """Return the ranking that goes on: the first, unless another is better in the folds."""
    return _taken_of(task, choose_ranking(_judged(task, folds, record)))


def points_to_keep(task: Task, folds: Sequence[Fold], record: RunRecord, n: int) -> dict[str, Kept]:
    """Return the best points of each size, of each ranking, by the folds that are done."""
    return {name: each.best_points(n) for name, each in _judged(task, folds, record).items()}


def _taken_of(task: Task, tried: Sequence[Tried]) -> Ranker:
    return next(ranker for ranker, row in zip(task.rankers, tried, strict=True) if row.taken)


def followed_outcome(task: Task, folds: Sequence[Fold], record: RunRecord) -> Outcome:
    """Return the outcome of the ranking that was chosen, judged by machines that follow the size.

    The order is the consensus of the folds' orders and that of all samples.
    """
    judged = _judged(task, folds, record)
    tried = choose_ranking(judged)
    ranker = _taken_of(task, tried)
    curve, n_units, steps = judged[ranker.name], len(task.units), record.steps["all"]
    every = Order.of(steps, n_units)
    runs = _runs_of(task, folds, ranker)
    orders = [Order.of(record.steps[run.name], n_units).units for run in runs]
    units = consensus([every.units, *orders], task.keep)
    scores = np.empty(n_units)
    scores[every.units] = every.scores
    regression = not isinstance(task.target, Classes)
    values: dict[int, Values] = {}
    tunings: dict[int, Tuning] = {}
    for i, unit in enumerate(_units(task, units, curve.sizes)):
        size = int(curve.sizes[i])
        C, gamma = GRID.points[curve.points[i]]
        values[size] = (C, gamma * unit, GRID.epsilon if regression else None)
        tunings[size] = GRID.as_tuning(curve.scores[i], unit, regression=regression)
    path = replace(
        Path.of(n_units, steps),
        fold_scores=curve.curve,
        fold_skills=curve.skill_curve,
        many_classes=task.target.task == "multiclass",
        C=np.array([C for C, _, _ in values.values()]),
        gamma=np.array([gamma for _, gamma, _ in values.values()], dtype=np.float64),
        **_what_to_beat(task, folds),
        ranking=ranker.name,
        tried=tuple(tried),
    )
    return Outcome(Order(units, scores[units]), path, values, ranks_of(orders), tunings)


def _runs_of(task: Task, folds: Sequence[Fold], ranker: Ranker) -> list[Run]:
    return [run for group in fold_runs(task, folds) for run in group if run.ranker == ranker]


def _judged(task: Task, folds: Sequence[Fold], record: RunRecord) -> dict[str, Judged]:
    return {
        ranker.name: Judged.of([record.steps[run.name] for run in _runs_of(task, folds, ranker)])
        for ranker in task.rankers
    }


def _units(task: Task, units: IntArray, sizes: IntArray) -> list[float]:
    """Return the γ that 1 stands for, at each size: that of the best units of all samples."""
    X = task.scaled()
    if task.sample_weight is not None:  # a sample without weight is as if it were not there
        X = X[task.sample_weight > 0.0]
    return [gamma_of("spread", X[:, task.columns(units[:size])]) for size in sizes]


def _what_to_beat(task: Task, folds: Sequence[Fold]) -> dict[str, Any]:
    """Return the path's ``test_share``, and ``guess`` and ``chance`` where the rule asks for them."""
    if not folds:
        return {}
    if task.n_landmarks is not None:
        return what_to_beat(task, folds)
    share = float(np.mean([len(held_out) / len(train) for train, held_out in folds]))
    if not task.rule.needs_guess:
        return {"test_share": share}
    scorer = DecisionScorer(task.scoring, task.target, task.sample_weight)
    weight = np.ones(len(task.target)) if task.sample_weight is None else task.sample_weight
    guess = [
        scorer(guessing(_taken(task.target, train), len(held_out), weight[train]), held_out)
        for train, held_out in folds
    ]
    told = {"test_share": share, "guess": np.array(guess), "chance": spread_of_chance(scorer)}
    skill, parts = task.skill(), [held_out for _, held_out in folds]
    if skill is not None:
        told["guess_skills"] = skills_of_guessing(skill, folds)
        told["skill_chance"] = skill_of_chance(skill, parts)
    return told


def _taken(target: Target, rows: IntArray) -> Target:
    """The target of some samples, its classes still all."""
    return (
        replace(target, codes=target.codes[rows])
        if isinstance(target, Classes)
        else target.take(rows)
    )
