"""``svmsieve reproduce``: a paper's numbers, published beside obtained."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.text import Text

from svmsieve.cli.outputs import Outputs, write_each
from svmsieve.cli.selecting import recorded, repeat_command
from svmsieve.datasets import DataError
from svmsieve.papers import PAPERS, run, views
from svmsieve.report.content import describe_reproduction
from svmsieve.report.files import write_report
from svmsieve.report.plain_values import plain, to_json
from svmsieve.report.terminal import plain_table

COLUMNS = ("row", "column", "published", "obtained", "standard error", "trials", "verdict")


class Files(NamedTuple):
    """What is written: a report, the numbers as JSON, the record of the trials."""

    report: Path | None
    json: Path | None
    resume: Path | None


class Trials(NamedTuple):
    """How many trials, how many of them at a time, and from which seed."""

    number: int | None
    jobs: int
    seed: int


def reproduce_paper(
    paper: str,
    table: str | None,
    figure: str | None,
    trials: Trials,
    files: Files,
    *,
    quiet: bool,
) -> None:
    """Run the experiment behind a table or figure, print and write it."""
    report, json, resume = files
    Outputs(report=report, json=json).check(resume=resume)
    if paper not in PAPERS:
        raise DataError(f"{paper!r} is not among the papers: {', '.join(PAPERS)}.")
    if (table is None) == (figure is None):
        known = ", ".join(str(each) for each in views(paper))
        raise DataError(f"give either --table or --figure; {paper} has: {known}.")
    start = time.monotonic()
    with recorded(resume) as record:
        result = run(
            paper,
            table=table,
            figure=figure,
            trials=trials.number,
            n_jobs=trials.jobs,
            seed=trials.seed,
            checkpoint=record,
            verbose=0 if quiet else 1,
        )
        what = f"table {table}" if table is not None else f"figure {figure}"
        title = f"{paper}, {what}"
        tables = [_cells(result, title), *_remarks(result), *_statements(result), *_claims(result)]
        content = describe_reproduction(
            title,
            tables,
            command=repeat_command(),
            seconds=time.monotonic() - start,
            seed=result.measurements.seed,
        )
        warning = result.warning()
        whole = {
            **content,
            "cells": [plain(vars(cell)) for cell in result.cells],
            "warning": warning,
        }
        tell = write_each(
            {
                "JSON": (json, lambda path: path.write_text(to_json(whole), encoding="utf-8")),
                "Report": (report, lambda path: write_report(content, path)),
            }
        )
        _print(tables)
        if warning:
            Console(stderr=True).print(Text(f"Warning: {warning}", style="yellow"), soft_wrap=True)
        tell()


def _print(tables: list[dict[str, Any]]) -> None:
    console = Console()
    for number, table in enumerate(tables):
        heading = (
            f"\n{table['title']}" if number else f"{table['title']}: published beside obtained"
        )
        console.print(Text(heading, style="bold"))
        columns = table["columns"]
        shown = plain_table(*columns, right=table["right"])
        for row in table["rows"]:
            shown.add_row(*map(Text, row))
        console.print(shown)


def _cells(result: Any, title: str) -> dict[str, Any]:
    rows = [
        [
            cell.row,
            cell.column,
            _text(cell.published),
            _text(cell.obtained),
            _text(cell.standard_error),
            str(cell.n_trials),
            cell.verdict,
        ]
        for cell in result.cells
    ]
    return {"title": title, "columns": list(COLUMNS), "rows": rows, "right": COLUMNS[2:6]}


def _remarks(result: Any) -> list[dict[str, Any]]:
    """Why cells differ, cannot tell or are left out, cells with the same remark together."""
    by_text: dict[str, list[str]] = {}
    for cell in result.cells:
        if cell.remark:
            by_text.setdefault(cell.remark, []).append(f"{cell.row}/{cell.column}")
    if not by_text:
        return []
    rows = [[", ".join(cells), text] for text, cells in by_text.items()]
    return [{"title": "Remarks", "columns": ["cells", "remark"], "rows": rows, "right": ()}]


def _statements(result: Any) -> list[dict[str, Any]]:
    if not result.statements:
        return []
    rows = [[each.text, each.found, each.verdict] for each in result.statements]
    columns = ["statement", "found", "verdict"]
    return [{"title": "Statements", "columns": columns, "rows": rows, "right": ()}]


def _claims(result: Any) -> list[dict[str, Any]]:
    if not result.claims:
        return []
    numbers = {
        "difference": [claim.difference for claim in result.claims],
        "p printed": [claim.printed_p for claim in result.claims],
        "p": [claim.p for claim in result.claims],
        "corrected p": [claim.corrected_p for claim in result.claims],
        "p by Holm": [claim.holm_p for claim in result.claims],
    }
    shown = {name: values for name, values in numbers.items() if any(v is not None for v in values)}
    rows = [
        [claim.text, *(_text(values[at]) for values in shown.values()), claim.verdict]
        for at, claim in enumerate(result.claims)
    ]
    columns = ["claim", *shown, "verdict"]
    return [{"title": "Claims", "columns": columns, "rows": rows, "right": tuple(shown)}]


def _text(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"
