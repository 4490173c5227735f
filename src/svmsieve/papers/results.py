"""A table or figure with what was printed, what was obtained, and the paper's claims tested."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from svmsieve.papers.cells import AGREES, CANNOT_TELL, GRADES, Cell, make_cell
from svmsieve.papers.claims import ClaimResult, StatementResult, claims_tested, statements_judged
from svmsieve.papers.measurements import Measurements
from svmsieve.papers.views import View

FEW_TRIALS = 10
"""Fewer than these, of those that the paper has, make windows so wide that next to nothing differs."""


@dataclass(frozen=True)
class Result:
    """A table or figure with published and obtained values.

    What :func:`run` returns.

    Parameters
    ----------
    paper : str
        Name of its module.
    view : View
        What is shown.
    cells : tuple of Cell
        Row by row.
    claims : tuple of ClaimResult
        The paper's statements about two methods, tested.
    statements : tuple of StatementResult
        Its other statements, judged.
    measurements : Measurements
        Measurements of the study behind it, from the first seed.
    others : tuple of Measurements, default=()
        Measurements from other seeds.

    See Also
    --------
    svmsieve.papers.run : Run the experiment behind a table or figure and put the obtained values
        beside the published.
    svmsieve.papers.Cell : One cell: what the paper printed, what was obtained, and whether the two
        agree.

    Examples
    --------
    >>> from svmsieve.papers import run
    >>> result = run("yang2010", table=1, trials=30)  # doctest: +SKIP
    >>> result.cell("SD-L-RFE", "200").verdict  # doctest: +SKIP
    """

    paper: str
    view: View
    cells: tuple[Cell, ...]
    claims: tuple[ClaimResult, ...]
    statements: tuple[StatementResult, ...]
    measurements: Measurements
    others: tuple[Measurements, ...] = ()

    @classmethod
    def of(
        cls, view: View, measurements: Measurements, others: Sequence[Measurements] = ()
    ) -> Result:
        """Fill the cells of a table or figure; ``others`` are runs of the study from other seeds.

        Parameters
        ----------
        view : View
            The table or figure.
        measurements : Measurements
            Measurements of the study behind it.
        others : sequence of Measurements, default=()
            Runs of the study from other seeds.

        Returns
        -------
        Result
            The filled table or figure.
        """
        runs = (measurements, *others)
        cells = tuple(
            make_cell(view, runs, row, column) for row in view.rows for column in view.columns
        )
        return cls(
            measurements.paper,
            view,
            cells,
            claims_tested(view, runs),
            statements_judged(view, measurements),
            measurements,
            tuple(others),
        )

    def cell(self, row: str, column: str) -> Cell:
        """Return one cell.

        Parameters
        ----------
        row : str
            Label of the row.
        column : str
            Label of the column.

        Returns
        -------
        Cell
            One cell.
        """
        return next(c for c in self.cells if (c.row, c.column) == (row, column))

    def warning(self) -> str:
        """Return what to know before one believes that cells agree; nothing where enough was run.

        Returns
        -------
        str
            What to know before one believes that cells agree; nothing where enough was run.
        """
        run = [cell for cell in self.cells if cell.verdict in GRADES and cell.n_trials]
        few = [c for c in run if c.n_trials < min(FEW_TRIALS, self.view.study.trials)]
        if not few:
            return ""
        inside = sum(cell.verdict in (AGREES, CANNOT_TELL) for cell in few)
        least = min(cell.n_trials for cell in few)
        return (
            f"{least} trial{'s' * (least > 1)} of {self.view.study.trials}: with so few the windows are "
            f"wide, and that {inside} of {len(few)} cells lie within them says little."
        )

    def to_frame(self) -> Any:
        """Return a pandas frame with a line for each cell.

        Returns
        -------
        DataFrame
            One row for each cell.
        """
        import pandas as pd

        return pd.DataFrame([asdict(cell) for cell in self.cells])

    def to_json(self, path: Any = None) -> str:
        """Return cells, claims and how they came about as JSON; write them too, where a path is given.

        Parameters
        ----------
        path : path or None, default=None
            File to write too; None writes none.

        Returns
        -------
        str
            Cells, claims and how they came about as JSON; write them too, where a path is given.
        """
        made = self.measurements
        content = {
            "paper": self.paper,
            "item": self.view.item,
            "title": self.view.title,
            "unit": self.view.unit,
            "date": made.date,
            "svmsieve": made.version,
            "seed": made.seed,
            "seconds": round(made.seconds, 1),
            "cells": [asdict(cell) for cell in self.cells],
            "claims": [asdict(claim) for claim in self.claims],
            "statements": [asdict(statement) for statement in self.statements],
        }
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def plot(self, ax: Any = None) -> Any:
        """Draw it; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        matplotlib Figure
            Where it was drawn.
        """
        from svmsieve.papers.drawing import draw

        return draw(self, ax)
