"""``svmsieve select``: read, select, evaluate, print, write."""

from __future__ import annotations

import os
import shlex
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from glob import escape
from pathlib import Path
from typing import Any

from svmsieve.cli.failure import told
from svmsieve.cli.frame_parts import written
from svmsieve.cli.option_names import in_options
from svmsieve.cli.outputs import Outputs, with_names, write_each
from svmsieve.cli.reading import Reading
from svmsieve.cli.tables import form_of, write_ranking, write_reduced
from svmsieve.cli.target_question import with_target
from svmsieve.cli.wait import waited
from svmsieve.datasets import DataWarning, Table
from svmsieve.datasets.store import cache_folder
from svmsieve.report.files import write_report
from svmsieve.report.plain_values import plain, to_json
from svmsieve.report.terminal import print_report
from svmsieve.studies.choices import Choices
from svmsieve.studies.data import StudyData, prepare
from svmsieve.studies.many_files import ManyFiles
from svmsieve.studies.running import StudyResult, collected, run
from svmsieve.studies.stages import stage
from svmsieve.studies.study import Study


def read(reading: Reading, *, quiet: bool) -> Table:
    """Read the file; what may mislead is part of the table, not printed twice."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        with stage(f"Reading {reading.file.name}", quiet=quiet):
            table = reading.read()
        return table if table.y is not None else with_target(reading, table).read()


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
    table = read(reading, quiet=quiet)
    if outputs.out is not None:
        form_of(outputs.out, table, reading)
    select_table(
        table,
        reading.file.name,
        choices,
        outputs,
        resume,
        quiet=quiet,
        command=command,
        source=reading,
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
    source: Reading | ManyFiles | None = None,
) -> None:
    """Select the features of a table; ``source`` is what it was read from, of many files some rows."""
    many = source if isinstance(source, ManyFiles) else None
    command = repeat_command() if command is None else command
    prepared = prepare(table, choices)
    with recorded(resume) as record:
        with collected() as sentences:
            result = run(prepared, choices, record, many=many, quiet=quiet)
        with stage("Describing", quiet=quiet):
            notes = tuple([*prepared.notes, *map(in_options, sentences)])
            if many is not None:
                notes = (about_many(many, len(prepared.y), result.sieve), *notes)
            n_rows = None if many is None else many.n_rows
            content = Study(name, prepared, result, waited(), notes, command, n_rows).content
        content["done"]["seconds"] = round(waited(), 1)  # describing takes its time too
        if isinstance(source, ManyFiles):
            reduce = partial(write_reduced_parts, many=source, target=str(table.target))
        else:
            reduce = partial(write_reduced, table=table, reading=source)
        tell = _write(content, prepared, result, outputs, reduce)
        print_report(content)
        tell()


def about_many(many: ManyFiles, n_drawn: int, sieve: Any) -> str:
    """Say how rows that are not in memory were selected on, and judged."""
    drawn = "all rows"
    if n_drawn < many.n_rows:
        drawn = f"{n_drawn} rows drawn at random, which also say what the columns hold"
    return (
        f"The Nyström machine ({sieve.n_landmarks_} landmarks) selected on all {many.n_rows} rows; the outer "
        f"folds repeat it on {drawn}."
    )


def write_reduced_parts(path: Path, *, chosen: list[str], many: ManyFiles, target: str) -> None:
    """Write the chosen columns and the target of many files, partition by partition."""
    with written(path, "--out") as write:
        for part in many.parts([*chosen, target]):
            if len(part):
                write(part.dropna(subset=[target]))


def _write(
    content: dict[str, Any],
    prepared: StudyData,
    result: StudyResult,
    outputs: Outputs,
    reduce: Callable[..., None],
) -> Callable[[], None]:
    """Write the files that were asked for; return what says where they are."""

    def write_json(path: Path) -> None:
        folds = with_names(result.evaluation.to_dict(), prepared.encoded.names)
        everything = {**content, "outer_folds": plain(folds)}
        path.write_text(to_json(everything), encoding="utf-8")

    def write_model(path: Path) -> None:
        from svmsieve.cli.models import Model

        Model.of(prepared, result.sieve).write(path)

    chosen = prepared.sources(result.sieve)
    return write_each(
        {
            "Reduced table": (outputs.out, lambda path: reduce(path, chosen=chosen)),
            "Ranking": (outputs.ranking, lambda path: write_ranking(path, content)),
            "JSON": (outputs.json, write_json),
            "Model": (outputs.model, write_model),
            "Report": (outputs.report, lambda path: write_report(content, path)),
        }
    )


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

    So is one in the cache from which an interrupted run went on.  After Ctrl-C, when a cluster went away, or
    when a file could not be written it stays, and the user is told how to go on from it.
    """
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.jsonl"
    folder = cache_folder() / "runs"
    record = folder / name if path is None else path
    ours = record.resolve().parent == folder.resolve()
    record.parent.mkdir(parents=True, exist_ok=True)
    if not record.exists():  # whoever removed it wants to start again: so does what belongs to it
        _remove_files(record, ".evaluation*")

    def how_to_go_on() -> str:
        again = f"{repeat_command()} --resume {shlex.quote(str(record))}"
        return f"What was done is recorded; go on with:\n  {again}"

    with told(how_to_go_on):
        try:
            yield record
        except BrokenPipeError:  # who read the output went away; the files are written
            if ours:
                _remove_files(record, "*")
            raise
        except (KeyboardInterrupt, OSError):
            raise
        except BaseException:
            if path is None:  # one from before may be of use to another command
                _remove_files(record, "*")
            raise
    if ours:
        _remove_files(record, "*")


def _remove_files(record: Path, ending: str) -> None:
    for file in record.parent.glob(f"{escape(record.name)}{ending}"):
        file.unlink(missing_ok=True)
