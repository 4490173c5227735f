"""``svmsieve.study``: what ``svmsieve select`` does, for a notebook."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from svmsieve.datasets.frames import table_of_frame
from svmsieve.datasets.reading import read_table
from svmsieve.datasets.table import Table
from svmsieve.evaluation import NestedEvaluation
from svmsieve.evaluation.verdict import Verdict
from svmsieve.runtime.hooks import provider
from svmsieve.selection.selector import SVMSieve
from svmsieve.studies.choices import Choices
from svmsieve.studies.data import StudyData, prepare
from svmsieve.studies.running import StudyResult, collected, run


@dataclass(frozen=True)
class Study:
    """A selection with its honest evaluation: everything a person needs to decide.

    What :func:`study` returns: the data as understood, the selection, its nested evaluation, the
    verdict. A notebook shows the report.

    Parameters
    ----------
    name : str
        Name of the data.
    data : StudyData
        The table as it was understood and encoded.
    result : StudyResult
        The fitted sieve, its nested evaluation and the baselines.
    seconds : float
        The whole wait.
    warnings : tuple of str
        What may mislead.
    command : str or None, default=None
        The command that repeats it; None for a data frame.
    n_rows : int or None, default=None
        Rows that were selected on, where the data are some of them.

    See Also
    --------
    svmsieve.study : Select the features of a table and evaluate the selection, as ``svmsieve
        select`` does.
    svmsieve.SVMSieve : Select the features that matter to a support vector machine.
    svmsieve.NestedEvaluation : Scores of a method that was fitted anew, selection included, in
        every outer fold.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svmsieve import study
    >>> frame = load_iris(as_frame=True).frame
    >>> found = study(frame, "target", task="classification", quick=True, quiet=True)
    >>> found.summary().splitlines()[0].endswith(".")
    True
    """

    name: str
    data: StudyData
    result: StudyResult
    seconds: float
    warnings: tuple[str, ...] = ()
    command: str | None = None
    """The command line that repeats it."""
    n_rows: int | None = None
    """Rows that were selected on, where the data are some of them."""

    @property
    def sieve(self) -> SVMSieve:
        """The sieve, fitted to all rows."""
        return self.result.sieve

    @property
    def evaluation(self) -> NestedEvaluation:
        """What the whole procedure is worth on rows it had not seen."""
        return self.result.evaluation

    @property
    def features(self) -> list[str]:
        """The selected columns of the table, in its order."""
        return self.data.sources(self.sieve)

    @cached_property
    def content(self) -> dict[str, Any]:
        """All of it as plain numbers, lists and texts: what every report is a view of."""
        described: dict[str, Any] = provider("report").describe(
            self.sieve,
            self.data.encoded.X,
            self.data.y,
            evaluation=self.evaluation,
            baselines=self.result.baselines,
            table=self.data.table,
            column_names=self.data.encoded.names,
            name=self.name,
            command=self.command,
            seconds=self.seconds,
            warnings=list(self.warnings),
            n_rows=self.n_rows,
        )
        return described

    @property
    def verdict(self) -> str:
        """What was found, in one sentence; :meth:`summary` has its evidence and what to do next."""
        return str(self.content["verdict"]["sentence"])

    def summary(self) -> str:
        """Return the verdict with its evidence and what to do next.

        Returns
        -------
        str
            Several lines.
        """
        return str(Verdict.from_dict(self.content["verdict"]))

    def report(self, path: str | PathLike[str]) -> Any:
        """Write the report; the name's ending (.html, .md, .json) says in which form.

        Parameters
        ----------
        path : str or path
            File to write.

        Returns
        -------
        Path
            The path.
        """
        return provider("report").write_report(self.content, Path(path))

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        shown: str = provider("report").inline(self.content)
        return shown

    def __repr__(self) -> str:
        return f"<Study of {self.name}: {self.verdict}>"


def study(
    table: Any,
    target: str | int | None = None,
    *,
    task: str | None = None,
    sample_groups: str | int | None = None,
    name: str = "",
    resume: str | PathLike[str] | None = None,
    quiet: bool = False,
    **choices: Any,
) -> Study:
    """Select the features of a table and evaluate the selection, as ``svmsieve select`` does.

    Parameters
    ----------
    table : path, data frame or Table
        Path of a file, a data frame of pandas or polars, or a :class:`~svmsieve.datasets.Table`.
    target : str, int or None, default=None
        Name or number of the target column.
    task : str or None, default=None
        ``"classification"`` or ``"regression"``; None guesses from the target.
    sample_groups : str, int or None, default=None
        Column that says which rows belong together (patients, batches).
    name : str, default=""
        Name of the data, for the report; that of the file without one.
    resume : str, path or None, default=None
        File that records the run; one that was interrupted goes on from it.
    quiet : bool, default=False
        Show no progress.
    **choices : dict
        The options of ``svmsieve select`` by name: ``criterion``, ``search``, ``size``, ``kernel``,
        ``C``, ``gamma``, ``tuning``, ``cv``, ``repeats``, ``scoring``, ``group_by_prefix``, ``keep``,
        ``seed``, ``jobs``, ``memory``, ``quick`` (:class:`~svmsieve.studies.choices.Choices`).

    Returns
    -------
    Study
        With ``verdict``, ``sieve``, ``evaluation``, ``features`` and ``report(path)``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> frame = load_iris(as_frame=True).frame
    >>> found = study(frame, "target", task="classification", quick=True, quiet=True)
    >>> "petal width (cm)" in found.features
    True
    """
    start = time.monotonic()
    chosen = Choices.of(**choices)
    with collected() as sentences:
        read = _table(table, target, task, sample_groups, chosen)
        data = prepare(read, chosen)
        record = None if resume is None else Path(resume)
        result = run(data, chosen, record, quiet=quiet)
    path = isinstance(table, str | PathLike)
    called = name or (Path(table).name if path else "a table")
    seconds = time.monotonic() - start
    return Study(called, data, result, seconds, tuple([*data.notes, *sentences]))


def _table(
    table: Any,
    target: str | int | None,
    task: str | None,
    groups: str | int | None,
    choices: Choices,
) -> Table:
    if isinstance(table, Table):
        return table
    options: dict[str, Any] = {"task": task, "groups": groups, "keep": choices.keep}
    if isinstance(table, str | PathLike):
        return read_table(table, target, memory=choices.memory, **options)
    return table_of_frame(table, target, **options)
