"""Tables and figures as data: which cell shows which measurement, and what the paper printed there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Literal, NamedTuple

from svmsieve.papers.measurements import Measurements, Place
from svmsieve.papers.studies import Study

CellName = tuple[str, str]
"""Row and column."""


class Published(NamedTuple):
    """A printed value and, where the paper gives it, the standard deviation over its trials.

    ``error`` is the standard error of the value itself, where it follows from how it was counted.
    """

    value: float
    deviation: float | None = None
    error: float | None = None


@dataclass(frozen=True)
class Claim:
    """A statement of the paper about two methods, with its own paired t-test over the trials.

    Attributes
    ----------
    text : the statement
    lower, higher : the method said to have the lower measure, and the other
    level : significance level
    says : ``"lower"``: the first is below the second, which holds if it is and p is below the level;
        ``"equal"``: the two do not differ, which holds if p is not below the level; ``"not above"``: the
        first is not above the second, which holds unless a one-tailed test finds that it is.  Of several
        claims of the last kind p adjusted by Holm's method is shown too
    one_tailed : whether ``"lower"`` is tested on one side
    overlap : test samples over training samples where the trials are splits of one data set; the
        corrected resampled t-test is then shown too
    printed_p : the p that the paper prints
    """

    text: str
    lower: Place
    higher: Place
    level: float = 0.05
    says: Literal["lower", "equal", "not above"] = "lower"
    one_tailed: bool = False
    overlap: float | None = None
    printed_p: float | None = None


class Finding(NamedTuple):
    """What was found about a statement, in words, and whether it holds."""

    found: str
    holds: bool


@dataclass(frozen=True)
class Statement:
    """A sentence of the paper that our measurements confirm or contradict.

    Attributes
    ----------
    text : the sentence
    judge : what the measurements of the view's study say of it
    """

    text: str
    judge: Callable[[Measurements], Finding]


@dataclass(frozen=True)
class Remark:
    """Why some cells differ from the paper: these and no others."""

    cells: frozenset[CellName]
    text: str


def remark(rows: Iterable[str] | str, columns: Iterable[str] | str, text: str) -> Remark:
    """Return a remark on all cells of some rows and some columns.

    >>> sorted(remark("a", ("1", "2"), "why").cells)
    [('a', '1'), ('a', '2')]
    """
    rows, columns = ((each,) if isinstance(each, str) else each for each in (rows, columns))
    return Remark(frozenset(product(rows, columns)), text)


class Omitted(NamedTuple):
    """Numbers of a paper that are not judged here, and why."""

    what: str
    numbers: int
    why: str


@dataclass(frozen=True)
class View:
    """A table or a figure of a paper.

    Attributes
    ----------
    item : ``"table 1"``, ``"figure 2"``; a part of a figure has a letter
    title : what it shows
    study : the computation behind it
    rows, columns : labels
    place : where the measurements of (row, column) are; None for an empty cell
    published : printed values by (row, column)
    unit : ``""`` or ``"%"``: values are then shown times 100
    statistic : ``"mean"`` over the trials, ``"count"`` of the trials in which a measure is 1, or the
        standard ``"deviation"`` over the trials
    exact : rows or columns that are counts of the data: they agree only if they are equal
    whole : of which a cell's value is a share; its window is judged by the smaller of the share and the rest
    claims, statements : what the paper says of it
    findings : sentences that the measurements fill in
    remarks : why cells differ from the paper
    reasons : why printed cells have no measurements
    notes : what else to know about how this was run
    kind : how it is drawn: ``"table"``, ``"curves"`` (columns are sizes) or ``"bars"``
    x_label, y_label, log_y : of the axes
    lines : horizontal lines of a figure, by label
    printed_in : where the paper has its numbers; empty: in the table or figure that ``item`` begins with
    beside : whether it is something of ours beside the paper's, not counted on the scoreboard
    """

    item: str
    title: str
    study: Study
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    place: Callable[[str, str], Place | None]
    published: Mapping[CellName, Published] = field(default_factory=dict)
    unit: Literal["", "%"] = ""
    statistic: Literal["mean", "count", "deviation"] = "mean"
    exact: frozenset[str] = frozenset()
    whole: Callable[[str, str], float | None] | None = None
    claims: tuple[Claim, ...] = ()
    statements: tuple[Statement, ...] = ()
    findings: tuple[Callable[[Measurements], str], ...] = ()
    remarks: tuple[Remark, ...] = ()
    reasons: tuple[Remark, ...] = ()
    notes: tuple[str, ...] = ()
    kind: Literal["table", "curves", "bars"] = "table"
    x_label: str = "number of features"
    y_label: str = "test error"
    log_y: bool = False
    lines: Mapping[str, float] = field(default_factory=dict)
    printed_in: str = ""
    beside: bool = False

    def remark(self, row: str, column: str) -> str:
        """Return the sentence about a cell that differs."""
        return _text(self.remarks, row, column)

    def reason(self, row: str, column: str) -> str:
        """Return why a cell has no measurements."""
        return _text(self.reasons, row, column)

    def is_exact(self, row: str, column: str) -> bool:
        """Whether the cell is a count of the data."""
        return row in self.exact or column in self.exact

    def whole_of(self, row: str, column: str) -> float | None:
        """Return what the cell's value is a share of, if it is one."""
        if self.whole is not None:
            return self.whole(row, column)
        return 1.0 if self.unit == "%" else None


def _text(remarks: tuple[Remark, ...], row: str, column: str) -> str:
    return next((each.text for each in remarks if (row, column) in each.cells), "")


def printed(
    rows: tuple[str, ...], columns: tuple[str, ...], text: str, scale: float = 1.0
) -> dict[CellName, Published]:
    """Read a printed table: a line for each row, values as ``mean`` or ``mean±deviation``, ``*`` for none.

    >>> printed(("a",), ("1", "2"), "3.5±1 *", scale=0.01)
    {('a', '1'): Published(value=0.035, deviation=0.01, error=None)}
    """
    cells = {}
    lines = [line.split() for line in text.strip().splitlines()]
    if len(lines) != len(rows) or any(len(line) != len(columns) for line in lines):
        raise ValueError(f"text must hold {len(rows)} lines of {len(columns)} values.")
    for row, line in zip(rows, lines, strict=True):
        for column, entry in zip(columns, line, strict=True):
            if entry == "*":
                continue
            value, _, deviation = entry.partition("±")
            cells[row, column] = Published(
                round(float(value) * scale, 12),
                round(float(deviation) * scale, 12) if deviation else None,
            )
    return cells


def printed_deviations(
    rows: tuple[str, ...], columns: tuple[str, ...], text: str, scale: float = 1.0
) -> dict[CellName, Published]:
    """Read the deviations of a printed table, each with the error of having been rounded.

    >>> printed_deviations(("a",), ("1", "2"), "3.5±1 2", scale=0.01)
    {('a', '1'): Published(value=0.01, deviation=None, error=0.002886751346)}
    """
    cells = {}
    for row, line in zip(rows, text.strip().splitlines(), strict=True):
        for column, entry in zip(columns, line.split(), strict=True):
            deviation = entry.partition("±")[2]
            if deviation:
                unit = scale * 10.0 ** -len(deviation.partition(".")[2])
                error = round(unit / math.sqrt(12.0), 12)
                cells[row, column] = Published(round(float(deviation) * scale, 12), None, error)
    return cells
