"""The runs of a selection: the search on all samples, and on each fold's training samples."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from joblib import Parallel, delayed
from joblib.parallel import get_active_backend
from sklearn.model_selection import KFold, StratifiedKFold, check_cv

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.machines.folds import grouped_folds
from svmsieve.engine.machines.target import Classes, Target
from svmsieve.runtime.cluster_loops import cluster, spread, tell
from svmsieve.runtime.threads import one_blas_thread
from svmsieve.search.consensus import joint_scores
from svmsieve.search.contract import Step
from svmsieve.search.order import Order
from svmsieve.search.rankers import Ranker, with_voters
from svmsieve.selection.halves import by_best_rank
from svmsieve.selection.progress import Listener
from svmsieve.selection.record import RunRecord
from svmsieve.selection.task import Task

Fold: TypeAlias = tuple[IntArray, IntArray]
"""Training and held-out samples."""


def make_folds(cv: Any, target: Target, seed: int, name: str = "cv") -> list[Fold]:
    """Return training and held-out samples of each fold; a number means shuffled folds.

    Where samples have groups, a number means folds that keep them whole, and a splitter is given them; a
    warning says so where folds split some, by the ``name`` of who gave them.
    """
    n, groups = len(target), target.groups
    stratify = isinstance(target, Classes)
    if isinstance(cv, str) and cv == "auto":
        return auto_folds(target, seed)
    if isinstance(cv, int | np.integer):
        if cv < 2:
            raise ValueError(f"cv must be at least 2 folds, got {cv}.")
        if groups is not None:
            labels = target.codes if isinstance(target, Classes) else None
            held_out = grouped_folds(groups, int(cv), seed, labels)
            return [(np.delete(np.arange(n), rows), rows) for rows in held_out]
        most = int(np.bincount(target.codes).min()) if isinstance(target, Classes) else n
        if cv > most:
            what = "samples of the smallest class" if stratify else "samples"
            raise ValueError(f"cv={cv} folds are more than the {most} {what}; lower cv.")
        maker = StratifiedKFold if stratify else KFold
        splitter = maker(int(cv), shuffle=True, random_state=seed)
    elif isinstance(cv, Iterable) and not hasattr(cv, "split") and not isinstance(cv, str):
        folds = _checked_folds(list(cv), target, name)
        _warn_if_split(folds, groups, name)
        return folds
    else:
        splitter = check_cv(cv, classifier=stratify)
    y = target.codes if isinstance(target, Classes) else target.values
    with warnings.catch_warnings():  # what it means to split groups is told below
        warnings.filterwarnings("ignore", "The groups parameter is ignored by", UserWarning)
        folds = _checked_folds(list(splitter.split(np.zeros(n), y, groups)), target, name)
    _warn_if_split(folds, groups, name)
    return folds


def auto_folds(target: Target, seed: int) -> list[Fold]:
    """Return five folds, fewer where a class is small, repeated where there are few samples.

    With few samples one division into folds is itself chance: how the score depends on the size is known
    much better from several.  With many samples one is enough, and all there is time for.  Groups of
    samples stay whole.
    """
    n = len(target)
    smallest = int(np.bincount(target.codes).min()) if isinstance(target, Classes) else n
    if smallest < 2:
        what = "each class" if isinstance(target, Classes) else "the target"
        raise ValueError(f"cv='auto' needs at least two samples of {what}, the smallest has one.")
    n_folds, folds = min(5, smallest), []
    if target.groups is not None:
        n_folds = max(2, min(n_folds, len(np.unique(target.groups))))
    for repeat in range(n_repeats(n)):
        own = int(np.random.SeedSequence([seed, repeat]).generate_state(1)[0]) if repeat else seed
        folds += make_folds(n_folds, target, own)
    return folds


def n_repeats(n: int) -> int:
    """Return how often the folds of ``n`` samples are repeated: by their number alone, not by the clock.

    >>> [n_repeats(n) for n in (60, 300, 1000, 5000)]
    [4, 3, 2, 1]
    """
    return 4 if n < 100 else 3 if n <= 300 else 2 if n <= 1000 else 1


def n_split_groups(folds: Sequence[Fold], groups: IntArray) -> int:
    """Return how many groups of samples are on both sides of some fold."""
    both = [np.intersect1d(groups[train], groups[test]) for train, test in folds]
    return len(np.unique(np.concatenate(both))) if both else 0


def _warn_if_split(folds: Sequence[Fold], groups: IntArray | None, name: str) -> None:
    if groups is None:
        return
    n_split = n_split_groups(folds, groups)
    if n_split:
        warnings.warn(
            f"{name} splits {n_split} of the {len(np.unique(groups))} groups of samples between training "
            "and held-out samples: scores will be better than on new groups; give a number of folds or a "
            "splitter for groups, such as GroupKFold.",
            UserWarning,
            stacklevel=3,
        )


def _checked_folds(folds: list[Any], target: Target, name: str) -> list[tuple[IntArray, IntArray]]:
    """Return the folds of ``name`` with all their samples among those there are."""
    if not folds:
        raise ValueError(f"{name} must hold at least one fold, got none.")
    checked = [_checked_fold(number, fold, len(target), name) for number, fold in enumerate(folds)]
    if isinstance(target, Classes):
        for train, _ in checked:
            if len(np.unique(target.codes[train])) < 2:
                raise ValueError(
                    f"{name} must leave at least two classes to train on in each fold."
                )
    return checked


def _checked_fold(number: int, fold: Any, n: int, name: str) -> tuple[IntArray, IntArray]:
    """Return training and held-out samples as numbers of rows that there are."""
    try:
        train, held_out = fold
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} must hold pairs of (training, held-out) samples, fold {number} is none."
        ) from None
    rows = _rows(train, number, n, name), _rows(held_out, number, n, name)
    if not (len(rows[0]) and len(rows[1])):
        raise ValueError(f"{name} must give samples to both sides; fold {number} does not.")
    if np.intersect1d(*rows).size:
        raise ValueError(f"{name} must not test on training samples; fold {number} shares some.")
    return rows


def _rows(samples: Any, number: int, n: int, name: str) -> IntArray:
    rows = np.asarray(samples)
    if rows.dtype == np.bool_ and rows.shape == (n,):  # scikit-learn takes a mask too
        rows = np.flatnonzero(rows)
    if rows.shape == (0,):
        return rows.astype(np.intp)
    if rows.ndim != 1 or rows.dtype.kind not in "iu":
        given = f"{samples!r:.60}".partition("\n")[0]
        raise ValueError(f"{name} must hold lists of row numbers, fold {number} has {given}.")
    if rows.min() < -n or rows.max() >= n:
        bad = int(rows.max() if rows.max() >= n else rows.min())
        raise ValueError(f"{name} holds row {bad} in fold {number}, and there are only {n} rows.")
    return rows.astype(np.intp) % n


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
    """

    name: str
    fold: Fold | None
    path: int
    ranker: Ranker | None = None
    joins: tuple[str, ...] = ()
    half: IntArray | None = None
    judged: bool = True


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
    the others, and what joins other runs waits for them.
    """
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
    known: dict[bytes, list[float]] = {}
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
    known: dict[bytes, list[float]] | None = None,
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
    known: dict[bytes, list[float]] | None = None,
    given: FloatArray | None = None,
) -> Iterator[Step]:
    if run.half is not None:
        return iter(()) if done else iter([_choice_of_half(task, run.half, run.path)])
    train, held_out = (None, None) if run.fold is None else run.fold
    task = _of_run(task, run.name)
    judges = held_out if run.judged else None
    problem = task.problem(train, judges, run.path, run.ranker, known, given)
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
