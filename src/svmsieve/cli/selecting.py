"""``svmsieve select``: read, select, evaluate, print, write."""

from __future__ import annotations

import os
import shlex
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from svmsieve.cli.failure import say, told
from svmsieve.cli.reading import Reading
from svmsieve.cli.stages import stage
from svmsieve.cli.study import MANY_ROWS, Choices, Prepared, Result, collected, prepare, run
from svmsieve.datasets import DataWarning, Table
from svmsieve.datasets.store import cache_folder
from svmsieve.report.content import describe
from svmsieve.report.files import check_report_path, check_writable, write_report
from svmsieve.report.plain import plain, to_json
from svmsieve.report.terminal import print_report


@dataclass(frozen=True)
class Outputs:
    """Files to write."""

    out: Path | None = None
    ranking: Path | None = None
    report: Path | None = None
    json: Path | None = None
    model: Path | None = None

    def check(self) -> None:
        """Refuse what could not be written before hours of work."""
        if self.report is not None:
            check_report_path(self.report)
        for path in (self.out, self.ranking, self.json, self.model):
            if path is not None:
                check_writable(path)
        if self.model is not None:
            from svmsieve.cli.models import require_skops

            require_skops()


def read(reading: Reading, *, quiet: bool) -> Table:
    """Read the file; what may mislead is part of the table, not printed twice."""
    with stage(f"Reading {reading.file.name}", quiet=quiet), warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return reading.read()


def select_file(
    reading: Reading,
    choices: Choices,
    outputs: Outputs,
    resume: Path | None,
    *,
    quiet: bool,
    command: str | None = None,
) -> None:
    """Select the features of a file, print what was found and write what was asked for."""
    outputs.check()
    table = read(reading, quiet=quiet)
    select_table(
        table,
        reading.file.name,
        choices,
        outputs,
        resume,
        quiet=quiet,
        command=command,
        reading=reading,
    )


def select_table(
    table: Table,
    name: str,
    choices: Choices,
    outputs: Outputs,
    resume: Path | None,
    *,
    quiet: bool,
    command: str | None = None,
    reading: Reading | None = None,
) -> None:
    """Select the features of a table."""
    start = time.monotonic()
    command = repeat_command() if command is None else command
    prepared = prepare(table, choices)
    if not quiet:
        _warn_of_time(prepared, choices)
    with recorded(resume) as record, collected() as sentences:
        result = run(prepared, choices, record, quiet=quiet)
    with stage("Describing", quiet=quiet):
        content = describe(
            result.sieve,
            prepared.encoded.X,
            prepared.y,
            evaluation=result.evaluation,
            baselines=result.baselines,
            table=prepared.table,
            column_names=prepared.encoded.names,
            name=name,
            command=command,
            seconds=time.monotonic() - start,
            warnings=[*prepared.notes, *sentences],
            units=(prepared.centre, prepared.spread),
        )
    print_report(content)
    write_outputs(content, table, prepared, result, outputs, reading)


def _warn_of_time(prepared: Prepared, choices: Choices) -> None:
    n = len(prepared.y)
    if n > MANY_ROWS and choices.C == "auto" and not choices.quick:
        tunings = (1 + choices.folds) * (1 + choices.folds)
        say(
            f"{n} rows: about {tunings} machines of this size are tuned, which takes long; --quick takes "
            "1000 rows and no tuning, --C and --gamma spare the tuning."
        )


def write_outputs(
    content: dict[str, Any],
    table: Table,
    prepared: Prepared,
    result: Result,
    outputs: Outputs,
    reading: Reading | None,
) -> None:
    """Write the files that were asked for, and say where they are."""
    if outputs.out is not None:
        from svmsieve.cli.tables import write_reduced

        write_reduced(outputs.out, table, chosen_sources(prepared, result), reading)
        print(f"Reduced table: {outputs.out}")
    if outputs.ranking is not None:
        from svmsieve.cli.tables import write_ranking

        write_ranking(outputs.ranking, content)
        print(f"Ranking: {outputs.ranking}")
    if outputs.json is not None:
        everything = {**content, "outer_folds": plain(result.evaluation.to_dict())}
        outputs.json.write_text(to_json(everything), encoding="utf-8")
        print(f"JSON: {outputs.json}")
    if outputs.model is not None:
        from svmsieve.cli.models import Model

        Model.of(prepared, result.sieve).write(outputs.model)
        print(f"Model: {outputs.model}")
    if outputs.report is not None:
        write_report(content, outputs.report)
        print(f"Report: {outputs.report}")


def chosen_sources(prepared: Prepared, result: Result) -> list[str]:
    """Return the table's columns that the selected columns come from, in the table's order."""
    sources = prepared.encoded.groups or {}
    names = [prepared.encoded.names[i] for i in result.sieve.get_support(indices=True)]
    chosen = {sources.get(name, name) for name in names}
    return [name for name in prepared.table.names if name in chosen]


def repeat_command() -> str:
    """Return the command line that repeats this run, without the record of an interrupted one."""
    words, skip = ["svmsieve"], False
    for word in sys.argv[1:]:
        if skip or word.startswith("--resume="):
            skip = False
            continue
        if word == "--resume":
            skip = True
            continue
        words.append(word)
    return " ".join(map(shlex.quote, words))


@contextmanager
def recorded(path: Path | None) -> Iterator[Path]:
    """Give a record of the run: the user's, or one in the cache that is removed when the run is done.

    After Ctrl-C, or when a cluster went away, it stays, and the user is told how to go on from it.
    """
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.jsonl"
    record = cache_folder() / "runs" / name if path is None else path
    record.parent.mkdir(parents=True, exist_ok=True)

    def how_to_go_on() -> str:
        again = f"{repeat_command()} --resume {shlex.quote(str(record))}"
        return f"What was done is recorded; go on with:\n  {again}"

    with told(how_to_go_on):
        try:
            yield record
        except (KeyboardInterrupt, ConnectionError):
            raise
        except BaseException:
            _remove(record, path)
            raise
    _remove(record, path)


def _remove(record: Path, given: Path | None) -> None:
    if given is None:
        for file in record.parent.glob(f"{record.name}*"):
            file.unlink(missing_ok=True)
