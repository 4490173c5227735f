"""``svmsieve select`` on a folder of Parquet files: ranked where the rows are, not loaded here."""

from __future__ import annotations

import glob
from collections.abc import Callable
from pathlib import Path
from typing import Any

from svmsieve.cli.outputs import Outputs, write_each
from svmsieve.cli.reading import Reading
from svmsieve.cli.tables import write_ranking
from svmsieve.cli.target_question import no_target
from svmsieve.datasets import DataError
from svmsieve.datasets.errors import shown_path
from svmsieve.datasets.formats import format_of_ending, is_address, tables_in
from svmsieve.report.plain_values import to_json
from svmsieve.runtime.cluster_loops import active_client
from svmsieve.runtime.cluster_loss import lost_in_one_sentence
from svmsieve.scale.connection import require_dask
from svmsieve.studies.choices import Choices, machine_of_text, size_of_text
from svmsieve.studies.data import prefix
from svmsieve.studies.running import collected
from svmsieve.studies.stages import stage

MOST_CATEGORIES = 1000
"""Different texts of a column above which it is a name, not a category."""


def is_partitioned(file: Path) -> bool:
    """Whether a path is a folder, or a pattern of several files; an address is none of them."""
    return not is_address(file) and _is_many(file)


def _is_many(file: Path) -> bool:
    return file.is_dir() or (glob.has_magic(str(file)) and not file.exists())


def select_partitioned(
    reading: Reading, choices: Choices, outputs: Outputs, resume: Path | None, *, quiet: bool
) -> None:
    """Rank the columns of Parquet files once, print the ranking and write what was asked for."""
    _refuse_other_tables(reading.file)
    _refuse(reading, choices, outputs, resume)
    require_dask("a folder of Parquet files")
    from svmsieve.ranking.collections import rank_collection

    lost = lost_in_one_sentence(active_client())
    with lost, stage(f"Reading {reading.file.name}", quiet=quiet):
        frame = _read(reading.file)
        target = _target(frame, reading.target)
        X = frame.drop(columns=[target, *_known(frame, reading.drop, "--drop")])
        X, labels = _encoded(X, reading.categorical)
    if choices.group_by_prefix:
        labels = [prefix(label, choices.group_by_prefix) for label in labels]
    with collected() as sentences, stage("Ranking, partitions", quiet=quiet) as shown:
        ranking = rank_collection(
            X,
            frame[target],
            choices.criterion,
            _machine(reading, choices),
            sample_weight=None,
            groups=labels,
            machine="nystroem",
            missing="mean",
            progress=shown.step,
            random_state=choices.seed,
            memory=choices.memory,
        )
    tell = _write(ranking, choices, outputs)
    print(ranking)
    for sentence in [_NOTE, *sentences]:
        print(sentence)
    tell()


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


_NOTE = (
    "Ranked once, on all rows, by the Nyström machine (a filter needs none): how many features are enough "
    "is not judged here; --size takes a number."
)


def _refuse(reading: Reading, choices: Choices, outputs: Outputs, resume: Path | None) -> None:
    """Name what works on rows in memory only."""
    outputs.check()
    given = {
        "--out": outputs.out is not None,
        "--report": outputs.report is not None,
        "--model": outputs.model is not None,
        "--resume": resume is not None,
        "--quick": choices.quick,
        "--keep": bool(choices.keep),
        "--sample-groups": reading.sample_groups is not None,
        "--missing": bool(reading.missing),
        "--dates": reading.dates,
        "--id": bool(reading.ids),
        "--scoring": choices.scoring is not None,
        f"--tuning {choices.tuning}": choices.tuning != "best",
        f"--search {choices.search}": choices.search not in ("rfe", "once"),
        f"--size {choices.size}": isinstance(size_of_text(choices.size), str)
        and choices.size != "auto",
    }
    for option, is_given in given.items():
        if is_given:
            raise DataError(
                f"{option} needs the rows in memory, and {reading.file} is a folder or pattern of files; "
                "leave it out, or give one file."
            )
    if choices.C != "auto" and reading.task is None:
        raise DataError("--C needs --task classification or regression with a folder of files.")
    if choices.C == "auto" and choices.gamma != "auto":
        raise DataError("--gamma needs --C too with a folder of files.")


def _read(path: Path) -> Any:
    """Return the files as a Dask data frame."""
    import dask.dataframe as dd

    pattern = str(path / "**" / "*.parquet") if path.is_dir() else str(path)
    files = sorted(glob.glob(pattern, recursive=True))
    if not files:
        raise DataError(f"no Parquet file is at {path}.")
    try:
        return dd.read_parquet(files, split_row_groups="adaptive", blocksize="128MiB")
    except (ValueError, TypeError, RuntimeError) as error:
        raise DataError(f"{path} cannot be read as Parquet files: {error}") from error


def _target(frame: Any, target: str | int | None) -> Any:
    """Return the target's column, by name or number."""
    names = list(frame.columns)
    if target is None:
        raise DataError(no_target(list(map(str, names)), "the folder"))
    if target in names:
        return target
    try:
        return names[int(target)]
    except (ValueError, IndexError):
        raise DataError(f"--target {target!r} is not a column of the files.") from None


def _known(frame: Any, names: tuple[str, ...], option: str) -> list[str]:
    for name in names:
        if name not in frame.columns:
            raise DataError(f"{option} {name!r} is not a column of the files.")
    return list(names)


def _encoded(frame: Any, categorical: tuple[str, ...]) -> tuple[Any, list[str]]:
    """Return the columns as numbers, categories one-hot, and the column that each comes from."""
    import dask.dataframe as dd

    kinds = {name: getattr(dtype, "kind", "O") for name, dtype in frame.dtypes.items()}
    dates = [name for name, kind in kinds.items() if kind in "mMc"]
    if dates:
        raise DataError(
            f"column {dates[0]!r} is no number and no category; leave it out by --drop."
        )
    named = _known(frame, categorical, "--categorical")
    texts = [name for name in frame.columns if kinds[name] not in "biuf" or name in named]
    if not texts:
        return frame, [str(name) for name in frame.columns]
    frame = frame.categorize(columns=texts, index=False)
    labels = [str(name) for name in frame.columns if name not in texts]
    for name in texts:
        n = len(frame[name].cat.categories)
        if n > MOST_CATEGORIES:
            raise DataError(f"column {name!r} holds {n} different texts; leave it out by --drop.")
        labels += [str(name)] * n
    return dd.get_dummies(frame, columns=texts, dtype=float), labels


def _machine(reading: Reading, choices: Choices) -> Any:
    """Return the machine; None is an RBF machine, tuned on a sample."""
    if choices.C == "auto":
        if choices.kernel != "rbf":
            raise DataError(
                f"--kernel {choices.kernel} needs --C and --task with a folder of files."
            )
        return None
    return machine_of_text(choices, regression=reading.task == "regression")


def _write(ranking: Any, choices: Choices, outputs: Outputs) -> Callable[[], None]:
    """Write ranking and JSON; return what says where they are."""
    wanted = size_of_text(choices.size)
    n = len(ranking)
    size = n if isinstance(wanted, str) else round(wanted * n) if wanted < 1 else wanted
    content = {
        "ranking": {
            "names": [ranking.names[i] for i in ranking.order],
            "scores": ranking.scores[ranking.order].tolist(),
            "frequency": None,
        },
        "selection": {"size": min(max(int(size), 1), n)},
        "criterion": ranking.criterion,
        "machine": ranking.machine,
    }
    return write_each(
        {
            "Ranking": (outputs.ranking, lambda path: write_ranking(path, content)),
            "JSON": (
                outputs.json,
                lambda path: path.write_text(to_json(content), encoding="utf-8"),
            ),
        }
    )
