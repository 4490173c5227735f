"""A target that was not named: asked for in a terminal, else refused with the columns there are."""

from __future__ import annotations

import sys

import typer

from svmsieve.cli.failure import say
from svmsieve.cli.reading import Reading
from svmsieve.datasets import DataError, Table
from svmsieve.datasets.errors import listed, nearest, shown_path
from svmsieve.runtime.text import one_line

_MOST_NAMED = 12
_MOST_SHOWN = 40


def with_target(reading: Reading, table: Table) -> Reading:
    """Return the options with the target that the user chooses of a table that was read without one."""
    asked_for = {*reading.drop, *reading.keep, *reading.ids, reading.sample_groups}
    columns = [name for name in (*table.names, *table.dropped) if name not in asked_for]
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise DataError(no_target(columns, shown_path(reading.file)))
    say(f"Which column of {shown_path(reading.file)} is to be predicted?")
    for number, name in enumerate(columns[:_MOST_SHOWN], 1):
        what = table.kinds.get(name) or table.dropped[name]
        say(f"  {number:3}  {one_line(name)} ({one_line(what, 60)})")
    if len(columns) > _MOST_SHOWN:
        say(f"  …  and {len(columns) - _MOST_SHOWN} more")
    while True:
        answer = typer.prompt("Its name or number", err=True).strip()
        if answer in columns:
            break
        if answer.isdecimal() and 1 <= int(answer) <= len(columns):
            answer = columns[int(answer) - 1]
            break
        say(f"There is no column {answer!r}; {nearest(answer, columns)}")
    sys.argv += ["--target", answer]  # so that the command that repeats the run says it
    return reading.of_target(answer)


def no_target(columns: list[str], file: str) -> str:
    """Return the sentence that names the columns one of which is to be the target."""
    return (
        f"a target is needed: name its column with --target; {file} has "
        f"{listed(columns, _MOST_NAMED)}."
    )
