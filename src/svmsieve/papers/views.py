"""Tables and figures as data: which cell shows which measurement, and what the paper printed there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from svmsieve.papers.studies import Study


class Place(NamedTuple):
    """Where a cell's measurements are found in a study; ``"a / b"`` as method is the ratio of two."""

    condition: str
    method: str
    measure: str


class Published(NamedTuple):
    """A printed value and, where the paper gives it, the standard deviation over its trials."""

    value: float
    deviation: float | None = None


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
        first is not above the second, which holds unless a one-tailed test finds that it is, at a p
        adjusted by Holm's method where a view has several such claims
    overlap : test samples over training samples where the trials are splits of one data set; the
        corrected resampled t-test is then shown too
    """

    text: str
    lower: Place
    higher: Place
    level: float = 0.05
    says: Literal["lower", "equal", "not above"] = "lower"
    overlap: float | None = None


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
    statistic : ``"mean"`` over the trials, or ``"count"`` of the trials in which a measure is 1
    claims : the paper's statements
    remarks : why cells differ from the paper, by (row, column), by row, or ``"*"``; one sentence each
    notes : what else to know about how this was run
    kind : how it is drawn: ``"table"``, ``"curves"`` (columns are sizes) or ``"bars"``
    x_label, y_label : of the axes
    """

    item: str
    title: str
    study: Study
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    place: Callable[[str, str], Place | None]
    published: Mapping[tuple[str, str], Published] = field(default_factory=dict)
    unit: Literal["", "%"] = ""
    statistic: Literal["mean", "count"] = "mean"
    claims: tuple[Claim, ...] = ()
    remarks: Mapping[tuple[str, str] | str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    kind: Literal["table", "curves", "bars"] = "table"
    x_label: str = "number of features"
    y_label: str = "test error"

    def remark(self, row: str, column: str) -> str:
        """Return the sentence about a cell, the most specific there is."""
        for key in ((row, column), row, column, "*"):
            if key in self.remarks:
                return self.remarks[key]
        return ""


def printed(
    rows: tuple[str, ...], columns: tuple[str, ...], text: str, scale: float = 1.0
) -> dict[tuple[str, str], Published]:
    """Read a printed table: a line for each row, values as ``mean`` or ``mean±deviation``, ``*`` for none.

    >>> printed(("a",), ("1", "2"), "3.5±1 *", scale=0.01)
    {('a', '1'): Published(value=0.035, deviation=0.01)}
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
