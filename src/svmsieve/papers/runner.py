"""Run a paper's study: its units in parallel, each seeded on its own, written down as they are done."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import date
from importlib import import_module
from typing import Any, NamedTuple

from joblib import Parallel, delayed

from svmsieve.engine.arrays import check_count
from svmsieve.papers.measurements import Measurements
from svmsieve.papers.results import Result
from svmsieve.papers.studies import Study
from svmsieve.papers.views import View
from svmsieve.runtime.cluster_loops import cluster, spread
from svmsieve.runtime.interruption import as_interrupt
from svmsieve.runtime.journal import Journal, alone
from svmsieve.runtime.version import __version__
from svmsieve.selection.progress import Progress
from svmsieve.selection.record import make_header

PAPERS = ("chen2006", "heiler2001", "rakotomamonjy2003", "shen2008", "yang2010")
"""The papers, by the names of their modules."""


class Only(NamedTuple):
    """Some of a study's methods and conditions; None is all of them.

    An argument of :func:`collect`.

    Parameters
    ----------
    methods : tuple of str or None, default=None
        Names of methods; None is all.
    conditions : tuple of str or None, default=None
        Names of conditions; None is all.

    See Also
    --------
    svmsieve.papers.collect : Run the units of a study that are not in the checkpoint yet; return
        all of its measurements.

    Examples
    --------
    >>> from svmsieve.papers import Only
    >>> Only(methods=("FSPP2",))
    Only(methods=('FSPP2',), conditions=None)
    """

    methods: tuple[str, ...] | None = None
    conditions: tuple[str, ...] | None = None


def views(paper: str) -> dict[str, View]:
    """Return the tables and figures of a paper by item, such as ``"table 1"``."""
    if paper not in PAPERS:
        raise ValueError(f"paper must be one of {', '.join(PAPERS)}, got {paper!r}.")
    return {view.item: view for view in import_module(f"svmsieve.papers.{paper}").VIEWS}


def studies(paper: str) -> dict[str, Study]:
    """Return the studies behind the tables and figures of a paper, by name."""
    return {view.study.name: view.study for view in views(paper).values()}


def find_view(paper: str, table: Any = None, figure: Any = None) -> View:
    """Return the table or figure of that number."""
    known = views(paper)
    if (table is None) == (figure is None):
        raise ValueError(f"give either table or figure; {paper} has: {', '.join(known)}.")
    item = f"figure {figure}" if table is None else f"table {table}"
    if item not in known:
        raise ValueError(f"{paper} has no {item} here; it has: {', '.join(known)}.")
    return known[item]


def run(
    paper: str,
    *,
    table: Any = None,
    figure: Any = None,
    trials: int | None = None,
    n_jobs: int | None = None,
    seed: int = 0,
    checkpoint: Any = None,
    verbose: int = 0,
) -> Result:
    """Run the experiment behind a table or figure and put the obtained values beside the published.

    Parameters
    ----------
    paper : str
        One of :data:`svmsieve.papers.PAPERS`.
    table, figure : int, str or None, default=None
        Its number; parts of a figure have a letter, such as ``"1a"``.
    trials : int or None, default=None
        Number of trials; None is the paper's.
    n_jobs : int or None, default=None
        Units to run at a time, through joblib.
    seed : int, default=0
        Seed of all trials.
    checkpoint : path or None, default=None
        File that every unit is written to as it is done; a run that was interrupted, or one with
        fewer trials, goes on from it.
    verbose : int, default=0
        1 shows a progress bar.

    Returns
    -------
    Result
        Published and obtained values, cell by cell.

    Examples
    --------
    >>> from svmsieve.papers import run
    >>> result = run("yang2010", table=1, trials=30, n_jobs=2)  # doctest: +SKIP
    >>> result.cell("SD-L-RFE", "200").obtained  # doctest: +SKIP
    30.0
    """
    view = find_view(paper, table, figure)
    measurements = collect(
        paper,
        view.study.name,
        trials=trials,
        n_jobs=n_jobs,
        seed=seed,
        checkpoint=checkpoint,
        verbose=verbose,
    )
    return Result.of(view, measurements)


def collect(
    paper: str,
    study_name: str,
    *,
    trials: int | None = None,
    n_jobs: int | None = None,
    seed: int = 0,
    checkpoint: Any = None,
    verbose: int = 0,
    only: Only | None = None,
) -> Measurements:
    """Run the units of a study that are not in the checkpoint yet; return all of its measurements.

    The parameters are those of :func:`run`; ``only`` runs some methods or conditions.

    Parameters
    ----------
    paper : str
        One of :data:`svmsieve.papers.PAPERS`.
    study_name : str
        One of :func:`studies` of the paper.
    trials : int or None, default=None
        Number of trials; None is the paper's.
    n_jobs : int or None, default=None
        Units to run at a time, through joblib.
    seed : int, default=0
        Seed of all trials.
    checkpoint : path or None, default=None
        File that every unit is written to as it is done, and read from.
    verbose : int, default=0
        1 shows a progress bar.
    only : Only or None, default=None
        Some methods or conditions; None is all.

    Returns
    -------
    Measurements
        All that was measured, those of the checkpoint included.
    """
    study = studies(paper)[study_name]
    n_trials = study.trials if trials is None else check_count(trials, "trials")
    if study.most_trials is not None and n_trials > study.most_trials:
        raise ValueError(
            f"trials must be at most {study.most_trials}, the folds of {paper}'s study {study_name!r}, "
            f"got {trials!r}."
        )
    header = make_header({"paper": paper, "study": study_name, "seed": seed}, "papers")
    with alone(checkpoint), as_interrupt():
        log = _Log(checkpoint, header)
        methods, conditions = Only() if only is None else only
        wanted = study.method_names if methods is None else methods
        where = study.conditions if conditions is None else conditions
        tunings = [
            (c, "", t) for c, t in study.tunings() if c in where and (c, "", t) not in log.done
        ]
        units = [
            (condition, method, trial)
            for trial in range(n_trials)
            for condition in where
            for method in wanted
            if study.runs(condition, method) and (condition, method, trial) not in log.done
        ]
        with Progress(bool(verbose), len(tunings) + len(units), f"{paper}, {study_name}") as bar:
            for todo in (tunings, units):
                tuned = log.tuned(study)
                items = [(unit, tuned.get(unit[0], [])) for unit in todo]
                for line in _lines((paper, study_name, seed), items, n_jobs):
                    log.add(line)
                    bar.advance()
    return _measurements(paper, study, log, seed, n_trials)


def _lines(
    which: tuple[str, str, int], items: list[Any], n_jobs: int | None
) -> Iterator[dict[str, Any]]:
    """Yield what units found, in any order, from this machine's processes or a cluster."""
    backend = cluster()
    if backend is not None:
        yield from (line for _, line in spread(backend, _unit, items, which))
        return
    jobs = (delayed(_unit)(which, *item) for item in items)
    yield from Parallel(n_jobs=n_jobs, return_as="generator_unordered")(jobs)


def _unit(
    which: tuple[str, str, int], unit: tuple[str, str, int], tuned: list[dict[str, Any]]
) -> dict[str, Any]:
    """Run one unit; the study is looked up by name, so that any process can."""
    paper, study_name, seed = which
    study = studies(paper)[study_name]
    condition, method, trial = unit
    start = time.perf_counter()
    if method:
        values: Any = study.measure(condition, method, trial, seed, tuned)
    else:
        values = study.tune(condition, trial, seed)
    seconds = time.perf_counter() - start
    return {
        "condition": condition,
        "method": method,
        "trial": trial,
        "values": values,
        "seconds": round(seconds, 4),
    }


class _Log:
    """The units that are done, in memory and, where a path is given, in a file of JSON lines."""

    def __init__(self, path: Any, header: dict[str, Any]) -> None:
        self.done: dict[tuple[str, str, int], dict[str, Any]] = {}
        self.journal = None if path is None else Journal(path, header)
        for line in [] if self.journal is None else self.journal.read():
            self._keep(line)

    def _keep(self, line: dict[str, Any]) -> None:
        self.done[line["condition"], line["method"], line["trial"]] = line

    def add(self, line: dict[str, Any]) -> None:
        """Keep a unit; it is on disk when this returns."""
        self._keep(line)
        if self.journal is not None:
            self.journal.append(line)

    def tuned(self, study: Study) -> dict[str, list[dict[str, Any]]]:
        """Return the tunings of each condition, in the order of the trials."""
        found: dict[str, list[dict[str, Any]]] = {}
        for condition, trial in study.tunings():
            line = self.done.get((condition, "", trial))
            if line is not None:
                found.setdefault(condition, []).append(line["values"])
        return found

    def units(self) -> Iterator[dict[str, Any]]:
        """Yield the measured units."""
        return (line for line in self.done.values() if line["method"])


def _measurements(paper: str, study: Study, log: _Log, seed: int, n_trials: int) -> Measurements:
    values: dict[str, Any] = {
        c: {m: {} for m in study.method_names if study.runs(c, m)} for c in study.conditions
    }
    seconds = sum(line["seconds"] for key, line in log.done.items() if not key[1])
    for line in sorted(log.units(), key=lambda line: line["trial"]):
        if line["trial"] >= n_trials:
            continue
        seconds += line["seconds"]
        measures = values[line["condition"]][line["method"]]
        for name, value in line["values"].items():
            measures.setdefault(name, {})[line["trial"]] = value
    chosen = {c: study.chosen(c, tuned) for c, tuned in log.tuned(study).items()}
    today = date.today().isoformat()
    return Measurements(paper, study.name, values, chosen, seconds, today, __version__, seed)
