"""The options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

File = Annotated[
    Path,
    typer.Argument(
        help="CSV, TSV, Excel (.xlsx), Parquet, Feather, JSON, ARFF, LIBSVM, NPZ or AnnData (.h5ad) file, "
        "or - for standard input; text may be gzipped."
    ),
]
Target = Annotated[
    str | None,
    typer.Option("--target", "-t", help="Column to predict, by name or number (from 0; -1: last)."),
]
Task = Annotated[
    str | None,
    typer.Option(help="classification or regression; guessed from the target."),
]
Delimiter = Annotated[str | None, typer.Option(help="Delimiter of a text file.")]
Decimal = Annotated[str | None, typer.Option(help="Decimal sign of a text file: . or ,")]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether the first line of a text file holds names."),
]
Encoding = Annotated[
    str | None, typer.Option(help="Encoding of a text file, such as latin-1; found out.")
]
Missing = Annotated[
    list[str] | None,
    typer.Option(help="Further mark of a missing value; may be repeated."),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(help="Column whose numbers are names of categories; may be repeated."),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(help="Column to leave out; may be repeated."),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(help="Feature that always stays, its whole group with it; may be repeated."),
]
Id = Annotated[
    list[str] | None,
    typer.Option(help="Column that names the rows: no feature, copied to --out; may be repeated."),
]
Dates = Annotated[
    bool, typer.Option("--dates", help="Use dates, as days since 1970; else they are left out.")
]
Criterion = Annotated[
    str,
    typer.Option(help="What ranks the features; see svmsieve criteria."),
]
Search = Annotated[str, typer.Option(help="rfe, once, hill-climb or forward.")]
Size = Annotated[
    str,
    typer.Option(help="auto, 1se, best, stable, bound, threshold, a number or a fraction."),
]
Kernel = Annotated[str, typer.Option(help="rbf, linear or poly.")]
C = Annotated[str, typer.Option("--C", help="Cost; auto tunes it.")]
Gamma = Annotated[str, typer.Option(help="Kernel width; auto tunes it with C.")]
Tuning = Annotated[
    str,
    typer.Option(
        help="Tuned C and gamma of the search: best, or 1se, the smoothest within one standard error."
    ),
]
Repeats = Annotated[
    int | None,
    typer.Option(
        help="How often the rows are divided into outer folds. Default: once; 3 times where the table is "
        "small.",
        show_default=False,
        min=1,
    ),
]
Cv = Annotated[
    int | None,
    typer.Option(
        help="Folds, outer and inner. Default: 5 outer ones; inside each the folds choose themselves, "
        "repeated where rows are few.",
        show_default=False,
        min=2,
    ),
]
Scoring = Annotated[
    str | None,
    typer.Option(
        help="accuracy, ber, auc, r2, mse, or any scorer of scikit-learn that needs no probabilities."
    ),
]
GroupByPrefix = Annotated[
    str | None,
    typer.Option(
        metavar="SEPARATOR",
        help="Columns with the same text before the last SEPARATOR stay together.",
    ),
]
SampleGroups = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column, no feature, whose equal values mark rows that belong together (patient, batch): "
        "folds keep them whole.",
    ),
]
Seed = Annotated[int, typer.Option(help="The same seed gives the same result.", min=0)]


def _not_none(jobs: int | None) -> int | None:
    if jobs == 0:
        raise typer.BadParameter("0 is none at all; give a number from 1, or -1 for all cores.")
    return jobs


Jobs = Annotated[
    int | None,
    typer.Option(
        help="Processes that share the outer folds; -1: all cores, which is the default where it pays.",
        show_default=False,
        callback=_not_none,
    ),
]
TrialJobs = Annotated[
    int, typer.Option("--jobs", help="Trials at a time; -1: all cores.", callback=_not_none)
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Run on the Dask cluster of this scheduler, such as tcp://host:8786.",
    ),
]
Memory = Annotated[
    str | None, typer.Option(help="Most memory for the table and the kernel, such as 500MB or 4GB.")
]
Quick = Annotated[
    bool,
    typer.Option(
        "--quick", help="A first look: at most 1000 rows, three folds, C and gamma not tuned."
    ),
]
Resume = Annotated[
    Path | None,
    typer.Option(
        metavar="RECORD",
        help="Record every step in this file, and go on from it where the run was interrupted.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Results only, no progress.")]
Report = Annotated[
    Path | None,
    typer.Option(help="Report: .html, .md or .json."),
]
Json = Annotated[Path | None, typer.Option("--json", help="Everything, as JSON.")]
Out = Annotated[
    Path | None,
    typer.Option(
        help="The chosen columns and the target, as a table: .csv, .tsv, .xlsx, .parquet, .feather, .json, "
        ".jsonl, .arff, .npz."
    ),
]
RankingFile = Annotated[
    Path | None, typer.Option("--ranking", help="The ranking: .csv, .xlsx, .json, …")
]
Model = Annotated[
    Path | None,
    typer.Option(
        help="The fitted selection and machine (.skops, not a pickle; needs skops), for svmsieve apply."
    ),
]


def parse_memory(text: str | None) -> float | None:
    """Return the bytes of ``--memory``."""
    from svmsieve.runtime.memory import check_memory  # the help does not wait for the engine

    return check_memory(text, "--memory")
