"""The runs of a selection: the search on all samples, and on each fold's training samples."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.inputs.folds import Fold
from svmsieve.runtime.cluster_loops import cluster, spread, tell
from svmsieve.runtime.threads import one_blas_thread
from svmsieve.search.consensus import joint_scores
from svmsieve.search.contract import Step
from svmsieve.search.followed import Kept, Known
from svmsieve.search.order import Order
from svmsieve.search.rankers import Ranker, with_voters
from svmsieve.selection.halves import by_best_rank
from svmsieve.selection.progress import Listener
from svmsieve.selection.record import RunRecord
from svmsieve.selection.task import Task


def turn_name(turn: int) -> str:
    """Return the name of the run that ranks the probes of a turn along with the features."""
    return f"probes {turn}"


def _of_run(task: Task, name: str) -> Task:
    """The task of a run, with its probes where it has any."""
    turns = {turn_name(turn): turn for turn in range(task.n_turns)}
    return task.with_probes(turns[name]) if name in turns else task


class Run(NamedTuple):
    """One search.

    Attributes
    ----------
    name : in the record
    fold : its samples; None: all
    path : of its seed
    ranker : what ranks; None: the criterion of the task
    joins : names of runs of the same samples whose orders it joins, in place of ranking itself
    half : the samples of a half: its searches, one for each ranking, end in a single step
    judged : whether machines along its path are judged on the samples held out
    kept : the points at which they are; None: all
    """

    name: str
    fold: Fold | None
    path: int
    ranker: Ranker | None = None
    joins: tuple[str, ...] = ()
    half: IntArray | None = None
    judged: bool = True
    kept: Kept | None = None


def all_samples(task: Task, ranker: Ranker | None = None) -> list[Run]:
    """Return the searches on all samples that come to the order of a ranking, or of the first.

    Where half samples choose, by the criterion: its scores are what is told of the features.
    """
    if ranker is None and task.rankers:
        ranker = Ranker(task.criterion, "rbf") if task.rule.half_pairs else task.rankers[0]
    members = () if ranker is None else ranker.members
    runs = [Run(f"{member.name}: all", None, 0, member) for member in members]
    return [*runs, Run("all", None, 0, ranker, tuple(run.name for run in runs))]


def fold_runs(task: Task, folds: Sequence[Fold]) -> list[list[Run]]:
    """Return the searches of each fold: one, or one for each ranking, those that join others last.

    A ranking that only votes is not judged.
    """
    if len(task.rankers) < 2:
        ranker = task.rankers[0] if task.rankers else None
        return [[Run(str(number), fold, number + 1, ranker)] for number, fold in enumerate(folds)]
    return [
        [
            Run(
                f"{ranker.name}: {number}",
                fold,
                number + 1,
                ranker,
                tuple(f"{member.name}: {number}" for member in ranker.members),
                judged=ranker in task.rankers,
            )
            for ranker in with_voters(task.rankers)
        ]
        for number, fold in enumerate(folds)
    ]


def with_points(groups: Sequence[Sequence[Run]], kept: Mapping[str, Kept]) -> list[list[Run]]:
    """Return the searches of folds, judged at the points that are kept of each ranking only."""
    return [
        [
            run._replace(kept=kept[run.ranker.name]) if run.judged and run.ranker else run
            for run in group
        ]
        for group in groups
    ]


def turn_runs(task: Task) -> list[list[Run]]:
    """Return the searches with probes, on all samples."""
    ranker = task.rankers[0] if task.rankers else None
    return [[Run(turn_name(turn), None, turn + 1, ranker)] for turn in range(task.n_turns)]


def half_name(number: int) -> str:
    """Return the name of the run of a half sample."""
    return f"half {number}"


def half_runs(task: Task) -> list[list[Run]]:
    """Return the searches on half samples."""
    return [
        [Run(half_name(number), None, number + 1, half=half)]
        for number, half in enumerate(task.halves())
    ]


def run_all(
    task: Task,
    groups: Sequence[Sequence[Run]],
    record: RunRecord,
    listener: Listener,
    n_jobs: int | None,
    first: Sequence[Run] = (),
) -> None:
    """Run searches, those of a group one after the other, groups side by side.

    The ``first`` ones, on all samples, have the machine to themselves; on a cluster they are tasks like
    the others, and what joins other runs waits for them.  Where rows are not in memory all run side by
    side and share their passes over the rows.
    """
    if task.collection is not None:
        every = [first, *groups] if first else groups
        task.collection.run(
            [partial(execute_group, task, group, record, listener) for group in every]
        )
        return
    backend = cluster()
    if backend is not None and groups:
        runs = [*first, *(run for group in groups for run in group)]
        for wave in ([run for run in runs if not run.joins], [run for run in runs if run.joins]):
            execute_elsewhere(backend, task, wave, record, listener)
        return
    execute_group(task, first, record, listener)
    jobs = [delayed(execute_group)(task, group, record, listener) for group in groups]
    if not jobs:
        return
    backend, _ = get_active_backend(prefer="threads")
    one_by_one = "generator" if backend.supports_return_generator else "list"
    results = Parallel(n_jobs=n_jobs, prefer="threads", return_as=one_by_one)(jobs)
    try:
        for group, paths in zip(groups, results, strict=True):
            for run, steps in zip(group, paths, strict=True):
                record.take_over(run.name, steps)
                listener.catch_up(run.name, steps)
    except BaseException:
        with warnings.catch_warnings():  # joblib's, of the folds that are given up
            warnings.simplefilter("ignore", UserWarning)
            del results
        raise


def execute_group(
    task: Task,
    group: Sequence[Run],
    record: RunRecord,
    notify: Callable[[str, Step], None] | None,
) -> list[list[Step]]:
    """Run searches of the same samples, which share the scores of the sets they both come to."""
    known: Known = {}
    done: dict[str, list[Step]] = {}
    for run in group:
        done[run.name] = execute(task, run, record, notify, known, _joined(task, run, done))
    return list(done.values())


def _joined(task: Task, run: Run, done: Mapping[str, Sequence[Step]]) -> FloatArray | None:
    """Return the scores of the orders that a run joins; None where it ranks itself."""
    if not run.joins:
        return None
    return joint_scores([Order.of(done[name], len(task.units)).units for name in run.joins])


def execute(
    task: Task,
    run: Run,
    record: RunRecord,
    notify: Callable[[str, Step], None] | None,
    known: Known | None = None,
    given: FloatArray | None = None,
) -> list[Step]:
    """Run the search of one path from where its record ends; return all its steps."""
    done: Sequence[Step] = tuple(record.steps.get(run.name, ()))
    if record.is_complete(run.name):
        return list(done)
    with record.working(), one_blas_thread():
        steps = list(done)
        for step in _steps(task, run, done, known, given):
            record.append(run.name, step)
            steps.append(step)
            if notify is not None:
                notify(run.name, step)
    record.complete(run.name)
    return steps


def _steps(
    task: Task,
    run: Run,
    done: Sequence[Step],
    known: Known | None = None,
    given: FloatArray | None = None,
) -> Iterator[Step]:
    if run.half is not None:
        return iter(()) if done else iter([_choice_of_half(task, run.half, run.path)])
    train, held_out = (None, None) if run.fold is None else run.fold
    task = _of_run(task, run.name)
    judges = held_out if run.judged else None
    problem = task.problem(train, judges, run.path, run.ranker, known, given, run.kept)
    return task.search.run(problem, done)


def _choice_of_half(task: Task, rows: IntArray, path: int) -> Step:
    """What a half sample chooses of the units that may leave: the best of any of its rankings."""
    start = time.perf_counter()
    paths = [
        list(task.search.run(task.problem(rows, None, path, ranker)))
        for ranker in task.rankers or (None,)
    ]
    orders = [Order.of(steps, len(task.units)).units for steps in paths]
    chosen = by_best_rank(orders, task.n_chosen, task.keep)
    first = paths[0][0]
    return Step(
        size=len(chosen),
        moved=chosen.tolist(),
        scores=np.arange(len(chosen), 0.0, -1.0).tolist(),
        largest=float(len(chosen)),
        C=first.C,
        gamma=first.gamma,
        epsilon=first.epsilon,
        seconds=time.perf_counter() - start,
        n_trainings=sum(step.n_trainings for steps in paths for step in steps),
    )


def execute_elsewhere(
    backend: Any, task: Task, runs: Sequence[Run], record: RunRecord, listener: Listener
) -> None:
    """Run searches as tasks of a cluster.

    The record is written here, step by step as the tasks tell of them: a worker may be on another machine.
    """
    items = [
        (run, tuple(record.steps.get(run.name, ())), _joined(task, run, record.steps))
        for run in runs
        if not record.is_complete(run.name)
    ]

    def hear(message: Any) -> None:
        name, number, step = message
        if record.append_next(name, number, Step(**step)):
            listener(name, record.steps[name][number])

    for number, steps in spread(backend, _steps_of, items, task, hear):
        name = items[number][0].name
        for place in range(len(steps)):
            hear((name, place, steps[place].to_dict()))
        record.complete(name)


def _steps_of(task: Task, run: Run, done: tuple[Step, ...], given: FloatArray | None) -> list[Step]:
    """Return all steps of one path, the first of which are done; tell of each new one."""
    steps = list(done)
    for step in _steps(task, run, done, given=given):
        tell([run.name, len(steps), step.to_dict()])
        steps.append(step)
    return steps
