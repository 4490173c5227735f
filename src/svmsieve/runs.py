"""The runs of a selection: the search on all samples, and on each fold's training samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, check_cv

from svmsieve.criteria import Criterion
from svmsieve.engine.arrays import FloatArray, IntArray, Matrix
from svmsieve.engine.plan import Plan
from svmsieve.engine.scoring import DecisionScorer
from svmsieve.engine.spreading import spread, tell
from svmsieve.engine.target import Classes, Numbers, Target
from svmsieve.engine.threads import one_blas_thread
from svmsieve.engine.tuning import TuningRule
from svmsieve.estimators import make_plan
from svmsieve.preparation import Scale, present_means
from svmsieve.progress import Listener
from svmsieve.record import RunRecord
from svmsieve.scale.bench import NystroemBench
from svmsieve.scale.scores import refuse_criterion
from svmsieve.scale.stream import Stream, tuned_on_sample
from svmsieve.search.contract import Problem, Search, Step
from svmsieve.search.held_out import HeldOut
from svmsieve.sizing import SizeRule
from svmsieve.sizing.bound import radius_margin_bound


@dataclass(frozen=True)
class Task:
    """Everything a selection is made of, checked; what its runs share."""

    X: Matrix
    target: Target
    sample_weight: FloatArray | None
    estimator: Any
    criterion: Criterion
    search: Search
    rule: SizeRule
    units: tuple[IntArray, ...]
    keep: frozenset[int]
    scale: bool
    scoring: Any
    seed: int
    memory: float | None
    impute: bool = False
    n_landmarks: int | None = None
    """Landmarks of the Nyström machine; None: the exact machine."""
    tuning: TuningRule = "best"

    @property
    def smallest(self) -> int:
        """Size at which eliminations end."""
        fixed = self.rule.fixed_size(len(self.units))
        return max(1, len(self.keep)) if fixed is None else fixed

    @property
    def trains_machines(self) -> bool:
        """Whether a search that is not judged on held-out samples trains machines."""
        return self.criterion.machine is not None or self.search.forward

    @property
    def labels(self) -> Any:
        """The target as scikit-learn takes it."""
        if isinstance(self.target, Classes):
            return self.target.classes[self.target.codes]
        return self.target.values

    def columns(self, units: IntArray) -> IntArray:
        """Return the columns of some units, unit by unit."""
        return np.concatenate([self.units[unit] for unit in units])

    def n_steps(self) -> int | None:
        """Return the number of steps of one run, None where the data decide."""
        return self.search.n_steps(
            len(self.units), self.smallest, self.rule.fixed_size(len(self.units))
        )

    def problem(self, rows: IntArray | None, held_out: IntArray | None, path: int) -> Problem:
        """Return the problem of some samples (None: all), judged on the held-out ones.

        What fills missing values, scale, γ and tuning are those of the samples in it: nothing held out
        is looked at.
        """
        if rows is not None and self.sample_weight is not None:
            # A class may have no weight in a fold: it is as if it were not there.
            rows = rows[self.sample_weight[rows] > 0.0]
        X = self.X if rows is None else self.X[rows]
        target = self.target if rows is None else _take(self.target, rows)
        weight = self.sample_weight
        if weight is not None and rows is not None:
            weight = weight[rows]
        fill = present_means(X, weight) if self.impute else None
        scale = Scale.of(X, weight, fill) if self.scale else Scale.none(X.shape[1], fill)
        X = scale.apply(X)
        plan = replace(make_plan(self.estimator, X, target), tuning_rule=self.tuning)
        self.criterion.refuse_kernel(plan.kernel)
        if self.estimator is None and (self.trains_machines or held_out is not None):
            seed = int(np.random.SeedSequence([self.seed, path]).generate_state(1)[0])
            tuned = tuned_on_sample if self.n_landmarks is not None else Plan.tuned
            plan = tuned(plan, X, target, sample_weight=weight, seed=seed, memory=self.memory)
        bench = None
        if self.n_landmarks is not None:
            refuse_criterion(self.criterion, plan.kernel)
            stream = Stream.of_matrix(X, target, weight, self.n_landmarks, self.seed)
            bench = partial(NystroemBench, stream)
        evaluate = None
        if held_out is not None:
            scorer = DecisionScorer(self.scoring, self.target, self.sample_weight)
            evaluate = HeldOut(scale.apply(self.X[held_out]), held_out, scorer)
        fixed = self.rule.fixed_size(len(self.units))
        return Problem(
            X,
            target,
            self.criterion,
            plan,
            self.units,
            keep=self.keep,
            sample_weight=weight,
            seed=(self.seed, path),
            smallest=self.smallest,
            largest=fixed,
            scorer=DecisionScorer(self.scoring, target, weight),
            evaluate=evaluate,
            bound=radius_margin_bound if self.rule.needs_bound and held_out is None else None,
            memory=self.memory,
            bench=bench,
        )


def _take(target: Target, rows: IntArray) -> Target:
    if isinstance(target, Numbers):
        return Numbers(target.values[rows])
    return Classes.of(target.classes[target.codes[rows]])


def make_folds(cv: Any, target: Target, seed: int) -> list[tuple[IntArray, IntArray]]:
    """Return training and held-out samples of each fold; a number means shuffled folds."""
    n = len(target)
    stratify = isinstance(target, Classes)
    if isinstance(cv, int | np.integer):
        if cv < 2:
            raise ValueError(f"cv must be at least 2 folds, got {cv}.")
        most = int(np.bincount(target.codes).min()) if isinstance(target, Classes) else n
        if cv > most:
            what = "samples of the smallest class" if stratify else "samples"
            raise ValueError(f"cv={cv} folds are more than the {most} {what}; lower cv.")
        maker = StratifiedKFold if stratify else KFold
        splitter = maker(int(cv), shuffle=True, random_state=seed)
    else:
        splitter = check_cv(cv, classifier=stratify)
    y = target.codes if isinstance(target, Classes) else target.values
    return [(train, test) for train, test in splitter.split(np.zeros(n), y)]


def execute(
    task: Task,
    name: str,
    fold: tuple[IntArray, IntArray] | None,
    path: int,
    record: RunRecord,
    notify: Callable[[str, Step], None] | None,
) -> list[Step]:
    """Run the search of one path from where its record ends; return all its steps."""
    done: Sequence[Step] = tuple(record.steps.get(name, ()))
    if record.is_complete(name):
        return list(done)
    train, held_out = (None, None) if fold is None else fold
    with record.working(), one_blas_thread():
        steps = list(done)
        for step in task.search.run(task.problem(train, held_out, path), done):
            record.append(name, step)
            steps.append(step)
            if notify is not None:
                notify(name, step)
    record.complete(name)
    return steps


def execute_elsewhere(
    backend: Any,
    task: Task,
    folds: Sequence[tuple[IntArray, IntArray]],
    record: RunRecord,
    listener: Listener,
) -> None:
    """Run the search of all samples and of each fold as tasks of a cluster.

    The record is written here, step by step as the tasks tell of them: a worker may be on another machine.
    """
    names = ["all", *map(str, range(len(folds)))]
    items = [
        (name, None if name == "all" else folds[path - 1], path, tuple(record.steps.get(name, ())))
        for path, name in enumerate(names)
        if not record.is_complete(name)
    ]

    def hear(message: Any) -> None:
        name, number, step = message
        if record.append_next(name, number, Step(**step)):
            listener(name, record.steps[name][number])

    for number, steps in spread(backend, _steps_of, items, task, hear):
        name = items[number][0]
        for place in range(len(steps)):
            hear((name, place, steps[place].to_dict()))
        record.complete(name)


def _steps_of(
    task: Task,
    name: str,
    fold: tuple[IntArray, IntArray] | None,
    path: int,
    done: tuple[Step, ...],
) -> list[Step]:
    """Return all steps of one path, the first of which are done; tell of each new one."""
    train, held_out = (None, None) if fold is None else fold
    steps = list(done)
    for step in task.search.run(task.problem(train, held_out, path), done):
        tell([name, len(steps), step.to_dict()])
        steps.append(step)
    return steps
