"""``svmsieve reproduce``: a paper's numbers, published beside obtained."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from svmsieve.cli.selecting import recorded, repeat_command
from svmsieve.datasets import DataError
from svmsieve.papers import PAPERS, run, views
from svmsieve.report.content import describe_reproduction
from svmsieve.report.files import check_report_path, check_writable, write_report
from svmsieve.report.plain import plain, to_json
from svmsieve.report.terminal import plain_table

COLUMNS = ("row", "column", "published", "obtained", "standard error", "trials", "verdict")


def reproduce_paper(
    paper: str,
    table: str | None,
    figure: str | None,
    trials: int | None,
    jobs: int,
    report: Path | None,
    json: Path | None,
    resume: Path | None,
    *,
    quiet: bool,
) -> None:
    """Run the experiment behind a table or figure, print and write it."""
    if report is not None:
        check_report_path(report)
    if json is not None:
        check_writable(json)
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
            trials=trials,
            n_jobs=jobs,
            checkpoint=record,
            verbose=0 if quiet else 1,
        )
    what = f"table {table}" if table is not None else f"figure {figure}"
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
    title = f"{paper}, {what}"
    tables = [{"title": title, "columns": list(COLUMNS), "rows": rows}, *_claims(result)]
    console = Console()
    console.print(Text(f"{title}: published beside obtained", style="bold"))
    for number, table_of in enumerate(tables):
        if number:
            console.print(Text(f"\n{table_of['title']}", style="bold"))
        columns = table_of["columns"]
        shown = plain_table(*columns, right=columns[2:6] if number == 0 else columns[1:-1])
        for row in table_of["rows"]:
            shown.add_row(*map(Text, row))
        console.print(shown)
    content = describe_reproduction(
        title,
        tables,
        command=repeat_command(),
        seconds=time.monotonic() - start,
        seed=result.measurements.seed,
    )
    if json is not None:
        cells = [plain(vars(cell)) for cell in result.cells]
        json.write_text(to_json({**content, "cells": cells}), encoding="utf-8")
        print(f"JSON: {json}")
    if report is not None:
        write_report(content, report)
        print(f"Report: {report}")


def _claims(result: Any) -> list[dict[str, Any]]:
    if not result.claims:
        return []
    numbers = {
        "difference": [claim.difference for claim in result.claims],
        "p": [claim.p for claim in result.claims],
        "corrected p": [claim.corrected_p for claim in result.claims],
        "p by Holm": [claim.holm_p for claim in result.claims],
    }
    shown = {name: values for name, values in numbers.items() if any(v is not None for v in values)}
    rows = [
        [claim.text, *(_text(values[at]) for values in shown.values()), claim.verdict]
        for at, claim in enumerate(result.claims)
    ]
    return [{"title": "Claims", "columns": ["claim", *shown, "verdict"], "rows": rows}]


def _text(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"
