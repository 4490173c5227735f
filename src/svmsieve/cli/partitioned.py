"""``svmsieve select`` on a folder of Parquet files: worked on where the rows are, not loaded here."""

from __future__ import annotations

import glob
import warnings
from pathlib import Path

from svmsieve.cli.frame_parts import form_of_parts
from svmsieve.cli.outputs import Outputs
from svmsieve.cli.reading import Reading
from svmsieve.cli.selecting import select_table
from svmsieve.cli.target_question import no_target
from svmsieve.datasets import DataError, DataWarning, Table
from svmsieve.datasets.errors import shown_path
from svmsieve.datasets.formats import format_of_ending, is_address, tables_in
from svmsieve.datasets.frames import table_of_frame
from svmsieve.runtime.cluster_loops import active_client
from svmsieve.runtime.cluster_loss import lost_in_one_sentence
from svmsieve.scale.connection import require_dask
from svmsieve.studies.choices import Choices
from svmsieve.studies.many_files import TABLE_ROWS, ManyFiles
from svmsieve.studies.stages import stage


def is_partitioned(file: Path) -> bool:
    """Whether a path is a folder, or a pattern of several files; an address is none of them."""
    return not is_address(file) and _is_many(file)


def _is_many(file: Path) -> bool:
    return file.is_dir() or (glob.has_magic(str(file)) and not file.exists())


def select_partitioned(
    reading: Reading, choices: Choices, outputs: Outputs, resume: Path | None, *, quiet: bool
) -> None:
    """Select the features of Parquet files, print what was found and write what was asked for."""
    _refuse_other_tables(reading.file)
    _refuse(reading, choices, outputs)
    require_dask("a folder of Parquet files")
    with (
        lost_in_one_sentence(active_client()),
        stage(f"Reading {reading.file.name}", quiet=quiet),
    ):
        many = ManyFiles.read(reading.file)
        table = _table(many, reading, choices.seed)
    name = reading.file.name
    select_table(table, name, choices, outputs, resume, quiet=quiet, source=many)


def _table(many: ManyFiles, reading: Reading, seed: int) -> Table:
    """Return some rows as a table: what its columns hold is understood as a file's are."""
    names = [str(name) for name in many.frame.columns]
    target = reading.target
    if target is None:
        raise DataError(no_target(names, "the folder"))
    for option, given in (("--drop", reading.drop), ("--categorical", reading.categorical)):
        for name in given:
            if name not in names:
                raise DataError(f"{option} {name!r} is not a column of the files.")
    if target not in names:
        try:
            target = names[int(target)]
        except (ValueError, IndexError):
            raise DataError(f"--target {target!r} is not a column of the files.") from None
    drawn = many.drawn(TABLE_ROWS, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # part of the table, not printed twice
        return table_of_frame(
            drawn,
            target,
            task=reading.task,
            categorical=reading.categorical,
            drop=reading.drop,
            keep=reading.keep,
            groups=reading.sample_groups,
        )


def _refuse_other_tables(path: Path) -> None:
    """Refuse a folder whose tables are not all Parquet: only those are read together."""
    if not path.is_dir():
        return
    held = tables_in(path)
    forms = {format_of_ending(each) for each in path.iterdir() if each.is_file()} - {None}
    if forms - {"parquet"}:
        alone = " ('folder/*.parquet' for those alone)" if "parquet" in forms else ""
        raise DataError(
            f"{shown_path(path)} is a folder, of which only Parquet files are read together{alone}{held}; "
            "give one file, or put the rows into one table first."
        )


def _refuse(reading: Reading, choices: Choices, outputs: Outputs) -> None:
    """Name what works on rows in memory only."""
    outputs.check()
    form_of_parts(outputs.out, "--out")
    given = {
        "--quick": choices.quick,
        "--missing": bool(reading.missing),
        "--dates": reading.dates,
        "--id": bool(reading.ids),
        f"--search {choices.search}": choices.search not in ("rfe", "once"),
        f"--size {choices.size}": choices.size in ("bound", "stable"),
    }
    for option, is_given in given.items():
        if is_given:
            raise DataError(
                f"{option} needs the rows in memory, and {reading.file} is a folder or pattern of files; "
                "leave it out, or give one file."
            )
