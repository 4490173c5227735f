"""The outer folds of an evaluation as jobs: one by one, in threads, in other processes, or on a cluster."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path as FilePath
from typing import Any

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend
from sklearn.base import clone

from svmsieve.engine.arrays import IntArray
from svmsieve.engine.machines.judged_points import compile_ahead
from svmsieve.evaluation.fold_result import FoldResult
from svmsieve.evaluation.folds import evaluate_fold
from svmsieve.evaluation.metrics import Metric
from svmsieve.runtime.cluster_loops import cluster, spread, tell
from svmsieve.runtime.interruption import Workers
from svmsieve.runtime.journal import Journal
from svmsieve.runtime.other_processes import SharedOut, shared_out
from svmsieve.search.contract import Step
from svmsieve.selection.progress import Progress


@dataclass(frozen=True)
class _Job:
    """What the folds of all methods share."""

    X: Any
    y: Any
    folds: list[tuple[IntArray, IntArray]]
    metric: Metric
    journal: Journal | None
    groups: IntArray | None = None
    workers: Workers = field(default_factory=Workers)

    def run(self, name: str, number: int, place: int, selector: Any) -> FoldResult:
        """Run one method on one fold and record it."""
        self.workers.go_on()
        with self.workers.working():
            inner = self._inner_checkpoints(selector, f"{place}-{number}")
            prepared = clone(selector).set_params(**inner, **self._stopping(selector))
            try:
                result = evaluate_fold(
                    prepared, self.X, self.y, *self.folds[number], self.metric, self.groups
                )
            except Exception as error:
                error.add_note(f"in fold {number} of the evaluation of {name!r}")
                raise
            self.record(name, number, result)
            for path in inner.values():
                if path is not None:
                    FilePath(path).unlink(missing_ok=True)
            return result

    def record(self, name: str, number: int, result: FoldResult) -> None:
        """Write down that a fold is done."""
        if self.journal is not None:
            self.journal.append({"method": name, "fold": number, **result.to_dict()})

    def _inner_checkpoints(self, selector: Any, place: str) -> dict[str, str | None]:
        """A file of its own for each sieve inside: one file would be of several runs."""
        keys = _keys(selector, "checkpoint")
        if self.journal is None:
            return dict.fromkeys(keys)
        return {key: f"{self.journal.path}.{place}.{i}" for i, key in enumerate(keys)}

    def _stopping(self, selector: Any) -> dict[str, Callable[[Any], None]]:
        """Sieves look at each step whether they are to stop."""
        parameters = selector.get_params()
        return {
            key: _AskBetweenSteps(self.workers, parameters[key])
            for key in _keys(selector, "callback")
            if _has_sibling(parameters, key, "checkpoint")
        }


@dataclass(frozen=True)
class _AskBetweenSteps:
    """A sieve's callback that lets Ctrl-C end it at its next step."""

    workers: Workers
    callback: Callable[[Any], None] | None

    def __call__(self, step: Any) -> None:
        if self.callback is not None:
            self.callback(step)
        self.workers.go_on()

    def __deepcopy__(self, memo: dict[int, Any]) -> _AskBetweenSteps:
        return self  # a cloned sieve has to hear of the same Ctrl-C


def of_fold(selector: Any, number: int) -> Any:
    """Return the method of one fold: of a list, which has one for each fold, its own."""
    return selector[number] if isinstance(selector, list) else selector


def _keys(selector: Any, name: str) -> list[str]:
    """The (nested) parameters of this name."""
    return [key for key in selector.get_params() if key.split("__")[-1] == name]


def _has_sibling(parameters: Mapping[str, Any], key: str, name: str) -> bool:
    return "__".join([*key.split("__")[:-1], name]) in parameters


_Folds = list[tuple[str, int, int]]
"""Name of the method, number of the fold, place of the method."""


@dataclass(frozen=True)
class Begun:
    """Outer folds that are under way.

    Attributes
    ----------
    job, selectors : what is run
    done : the folds that were in the record
    missing : the others
    shared : the missing ones, where other processes take part
    """

    job: _Job
    selectors: Mapping[str, Any]
    done: dict[tuple[str, int], FoldResult]
    missing: _Folds
    shared: SharedOut | None = None

    @property
    def share(self) -> float:
        """Folds that are left to this process, about."""
        return len(self.missing) if self.shared is None else self.shared.share

    def end(self, n_jobs: int | None, verbose: int) -> dict[tuple[str, int], FoldResult]:
        """Run what is left; return all folds."""
        found = dict(self.done)
        total = len(self.selectors) * len(self.job.folds)
        with Progress(bool(verbose), total, "outer folds") as bar:
            bar.advance(len(found))
            for place, result in self._results(n_jobs):
                name, number, _ = self.missing[place]
                found[name, number] = result
                bar.advance()
        return found

    def _results(self, n_jobs: int | None) -> Iterator[tuple[int, FoldResult]]:
        job, selectors = self.job, self.selectors
        if self.shared is not None:
            return self.shared.results(partial(_fold_here, job, selectors))
        backend = cluster()
        if backend is None:
            return _parallel(job, selectors, self.missing, n_jobs)
        return _elsewhere(backend, job, selectors, self.missing)


@contextmanager
def begun(job: _Job, selectors: Mapping[str, Any], n_processes: int) -> Iterator[Begun]:
    """Begin the folds that are not in the record yet: in other processes at once, in this one at the end."""
    done = _read(job.journal, job.y.dtype)
    missing = [
        (name, number, place)
        for place, name in enumerate(selectors)
        for number in range(len(job.folds))
        if (name, number) not in done
    ]
    if n_processes < 2 or not missing or cluster() is not None:
        yield Begun(job, selectors, done, missing)
        return
    apart = partial(_fold_apart, replace(job, workers=Workers()), _all_silent(job, selectors))
    with shared_out(apart, missing, n_processes) as shared:
        yield Begun(job, selectors, done, missing, shared)


def _fold_here(
    job: _Job, selectors: Mapping[str, Any], name: str, number: int, place: int
) -> FoldResult:
    return job.run(name, number, place, of_fold(selectors[name], number))


def _fold_apart(
    job: _Job, selectors: Mapping[str, Any], name: str, number: int, place: int
) -> FoldResult:
    """Run a fold in another process; the first compiles what the process that asked needs last."""
    if getattr(of_fold(selectors[name], number), "estimator", number) is None:  # tuned machines
        compile_ahead()
    return _fold_here(job, selectors, name, number, place)


def _parallel(
    job: _Job, selectors: Mapping[str, Any], folds: _Folds, n_jobs: int | None
) -> Iterator[tuple[int, FoldResult]]:
    """Yield the results in order; when something ends this, nothing is left running."""
    if not folds:
        return
    calls = [delayed(job.run)(*fold, of_fold(selectors[fold[0]], fold[1])) for fold in folds]
    backend, _ = get_active_backend(prefer="threads")
    one_by_one = "generator" if backend.supports_return_generator else "list"
    results = Parallel(n_jobs=n_jobs, prefer="threads", return_as=one_by_one)(calls)
    try:
        yield from enumerate(results)
    except BaseException:
        with warnings.catch_warnings():  # joblib's, of the folds that are given up
            warnings.simplefilter("ignore", UserWarning)
            del results
        job.workers.stop()
        raise


def _elsewhere(
    backend: Any, job: _Job, selectors: Mapping[str, Any], folds: _Folds
) -> Iterator[tuple[int, FoldResult]]:
    """Yield the results of a cluster's tasks as they come, each recorded here.

    Workers may be on other machines: they write no files, and tell of the sieves' steps.
    """
    callbacks = {
        name: [each for key in _keys(first, "callback") if (each := first.get_params()[key])]
        for name, selector in selectors.items()
        for first in [of_fold(selector, 0)]
    }
    silent = _all_silent(job, selectors)
    remote = replace(job, journal=None, workers=Workers())

    def hear(message: Any) -> None:
        name, step = message
        for callback in callbacks[name]:
            callback(Step(**step))

    for place, result in spread(backend, _fold_of, folds, (remote, silent), hear):
        name, number, _ = folds[place]
        job.record(name, number, result)
        yield place, result


def _all_silent(job: _Job, selectors: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The methods of every fold as they go to another process, or machine."""
    return {
        name: [_silent(of_fold(selector, number)) for number in range(len(job.folds))]
        for name, selector in selectors.items()
    }


def _silent(selector: Any) -> Any:
    silent = {key: None for name in ("n_jobs", "callback") for key in _keys(selector, name)}
    return clone(selector).set_params(**silent, **dict.fromkeys(_keys(selector, "verbose"), False))


def _fold_of(shared: tuple[_Job, dict[str, Any]], name: str, number: int, place: int) -> FoldResult:
    """Run one method on one fold in a task of a cluster."""
    job, selectors = shared
    selector = of_fold(selectors[name], number)
    heard = {
        key: _TellOfSteps(name)
        for key in _keys(selector, "callback")
        if _has_sibling(selector.get_params(), key, "checkpoint")
    }
    return job.run(name, number, place, clone(selector).set_params(**heard))


@dataclass(frozen=True)
class _TellOfSteps:
    """A sieve's callback in a task of a cluster."""

    name: str

    def __call__(self, step: Step) -> None:
        tell([self.name, step.to_dict()])


def _read(journal: Journal | None, dtype: Any) -> dict[tuple[str, int], FoldResult]:
    """Return the folds that are done already; start the record where there is none."""
    if journal is None:
        return {}
    lines = journal.read()
    if not lines:
        journal.append()
    return {
        (line.pop("method"), line.pop("fold")): FoldResult.from_dict(line, dtype) for line in lines
    }
