"""Lists of what there is: criteria, data sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text


def make_table(*columns: str, right: tuple[str, ...] = ()) -> RichTable:
    """Return an empty table of plain lines."""
    table = RichTable(box=None, pad_edge=False, header_style="bold")
    for number, column in enumerate(columns):  # the first one is a name to copy: never broken
        justify: Any = "right" if column in right else "left"
        table.add_column(column, justify=justify, overflow="fold", no_wrap=number == 0)
    return table


def add_row(table: RichTable, *cells: Any) -> None:
    """Add a row of plain text: nothing in it is markup."""
    table.add_row(*[Text(str(each)) for each in cells])


def list_criteria() -> None:
    """Print the criteria."""
    from svmsieve.criteria import CRITERIA

    table = make_table("criterion", "for", "what it measures", "from")
    for name, criterion in CRITERIA.items():
        targets = "numbers" if criterion.tasks == {"regression"} else "classes"
        if {"regression", "binary"} <= criterion.tasks:
            targets = "any"
        words = (criterion.__doc__ or "").strip().split("\n")[0].replace("``", "")
        add_row(table, name, targets, words, criterion.paper)
    Console().print(table)


def list_datasets() -> None:
    """Print the catalogue."""
    from svmsieve.datasets import CATALOGUE

    table = make_table("data set", "task", "rows", "columns", "from", right=("rows", "columns"))
    for entry in CATALOGUE.values():
        rows = " + ".join(str(n) for n in entry.parts.values())
        add_row(table, entry.name, entry.task, rows, entry.n_features, entry.citation)
    Console().print(table)


def show_dataset(name: str) -> None:
    """Print what the catalogue knows of a data set."""
    from svmsieve.datasets.catalogue import find
    from svmsieve.datasets.store import folders

    entry = find(name)
    table = make_table("", "")
    table.show_header = False
    here = [folder / entry.file for folder in folders() if (folder / entry.file).is_file()]
    facts = {
        "name": entry.name,
        "task": entry.task,
        "rows": ", ".join(f"{part} {n}" for part, n in entry.parts.items()),
        "columns": entry.n_features,
        "classes": ""
        if entry.classes is None
        else ", ".join(f"{label}: {n}" for label, n in entry.classes.items()),
        "source": entry.source or "not among the public archives",
        "licence": entry.licence,
        "citation": entry.citation,
        "note": entry.note,
        "file": here[0] if here else f"not here yet: svmsieve datasets fetch {entry.name}",
    }
    for key, value in facts.items():
        if value != "":
            add_row(table, key, value)
    Console().print(table)


def fetch_dataset(name: str, folder: Path | None, *, quiet: bool) -> None:
    """Load a data set and print its place."""
    from svmsieve.datasets import load

    print(load(name, folder, verbose=not quiet).path)
