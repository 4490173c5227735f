"""The commands; each imports what it needs when it runs, so that ``--help`` is quick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from svmsieve.cli import early, options
from svmsieve.cli.failure import told
from svmsieve.cli.wait import begin

app = typer.Typer(
    name="svmsieve",
    help="Which columns of a table matter to a support vector machine, how many are enough, and how sure "
    "one can be.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help is three times as quick
)
datasets_app = typer.Typer(
    help="The papers' data sets: list, fetch, show.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(datasets_app, name="datasets")


def _version(wanted: bool) -> None:
    if wanted:
        from svmsieve.runtime.version import __version__

        typer.echo(f"svmsieve {__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Options of the program itself."""
    begin()


@app.command(short_help="Select the features of a table.")
def select(
    file: options.File,
    target: options.Target = None,
    task: options.Task = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    header: options.Header = None,
    encoding: options.Encoding = None,
    missing: options.Missing = None,
    categorical: options.Categorical = None,
    drop: options.Drop = None,
    keep: options.Keep = None,
    id: options.Id = None,
    dates: options.Dates = False,
    criterion: options.Criterion = "auto",
    search: options.Search = "rfe",
    size: options.Size = "auto",
    kernel: options.Kernel = "rbf",
    C: options.C = "auto",
    gamma: options.Gamma = "auto",
    tuning: options.Tuning = "best",
    cv: options.Cv = None,
    repeats: options.Repeats = None,
    scoring: options.Scoring = None,
    group_by_prefix: options.GroupByPrefix = None,
    sample_groups: options.SampleGroups = None,
    quick: options.Quick = False,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    scheduler: options.Scheduler = None,
    memory: options.Memory = None,
    resume: options.Resume = None,
    out: options.Out = None,
    ranking: options.RankingFile = None,
    report: options.Report = None,
    json: options.Json = None,
    model: options.Model = None,
    quiet: options.Quiet = False,
) -> None:
    """Select the features of a table: rank, choose how many, and say how good they are.

    A folder of Parquet files, or a pattern such as 'folder/*.parquet', is ranked without being loaded.
    """
    with told():
        from svmsieve.cli.first_checks import check_files
        from svmsieve.cli.outputs import Outputs

        outputs = Outputs(out, ranking, report, json, model)
        check_files(file, outputs, resume)
        early.start(jobs, quick=quick or scheduler is not None)
        from svmsieve.cli.partitioned import is_partitioned, select_partitioned
        from svmsieve.cli.reading import Reading
        from svmsieve.cli.selecting import select_file
        from svmsieve.cli.standard_input import given
        from svmsieve.scale.connection import connected
        from svmsieve.studies.choices import Choices

        reading = Reading.of(
            file,
            target=target,
            task=task,
            delimiter=delimiter,
            decimal=decimal,
            header=header,
            encoding=encoding,
            missing=missing,
            categorical=categorical,
            drop=drop,
            keep=keep,
            dates=dates,
            ids=id,
            memory=memory,
            sample_groups=sample_groups,
        )
        choices = Choices(
            criterion=criterion,
            search=search,
            size=size,
            kernel=kernel,
            C=C,
            gamma=gamma,
            tuning=tuning,
            cv=cv,
            repeats=repeats,
            scoring=scoring,
            group_by_prefix=group_by_prefix,
            keep=tuple(keep or ()),
            seed=seed,
            jobs=jobs,
            memory=reading.memory,
            quick=quick,
        )
        with connected(scheduler), given(file, memory) as path:
            if is_partitioned(path):
                select_partitioned(reading, choices, outputs, resume, quiet=quiet)
                return
            select_file(reading.of_file(path), choices, outputs, resume, quiet=quiet)


@app.command(short_help="Predict a new file with a written model.")
def apply(
    model: Annotated[Path, typer.Argument(help="File that svmsieve select --model wrote.")],
    file: options.File,
    out: Annotated[
        Path | None, typer.Option(help="Predictions: .csv, .xlsx, .json, …; else they are printed.")
    ] = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    header: options.Header = None,
    encoding: options.Encoding = None,
    id: options.Id = None,
    memory: options.Memory = None,
    quiet: options.Quiet = False,
) -> None:
    """Predict the rows of a new file with a model that select wrote; its target may be empty or absent."""
    with told():
        from svmsieve.cli.first_checks import check_files
        from svmsieve.cli.outputs import Outputs

        check_files(model, Outputs())
        check_files(file, Outputs(out))
        from svmsieve.cli.applying import NewFile, apply_model
        from svmsieve.cli.standard_input import given

        limit = options.parse_memory(memory)
        with given(file, memory) as path:
            new = NewFile(path, delimiter, decimal, header, encoding, limit, tuple(id or ()))
            apply_model(model, new, out, quiet=quiet)


@app.command(short_help="Compare criteria side by side.")
def compare(
    file: options.File,
    target: options.Target = None,
    criteria: Annotated[
        str, typer.Option(help="Criteria, separated by commas; see svmsieve criteria.")
    ] = "",
    task: options.Task = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    header: options.Header = None,
    encoding: options.Encoding = None,
    missing: options.Missing = None,
    categorical: options.Categorical = None,
    drop: options.Drop = None,
    keep: options.Keep = None,
    id: options.Id = None,
    dates: options.Dates = False,
    search: options.Search = "rfe",
    size: options.Size = "auto",
    kernel: options.Kernel = "rbf",
    C: options.C = "auto",
    gamma: options.Gamma = "auto",
    tuning: options.Tuning = "best",
    cv: options.Cv = None,
    repeats: options.Repeats = None,
    scoring: options.Scoring = None,
    group_by_prefix: options.GroupByPrefix = None,
    sample_groups: options.SampleGroups = None,
    quick: options.Quick = False,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    scheduler: options.Scheduler = None,
    memory: options.Memory = None,
    resume: options.Resume = None,
    report: options.Report = None,
    json: options.Json = None,
    quiet: options.Quiet = False,
) -> None:
    """Compare criteria side by side: nested error, tests of the differences, stability."""
    with told():
        from svmsieve.cli.first_checks import check_files
        from svmsieve.cli.outputs import Outputs

        check_files(file, Outputs(report=report, json=json), resume)
        early.start(jobs, quick=quick or scheduler is not None)
        from svmsieve.cli.comparing import compare_file
        from svmsieve.cli.reading import Reading
        from svmsieve.cli.standard_input import given
        from svmsieve.scale.connection import connected
        from svmsieve.studies.choices import Choices

        reading = Reading.of(
            file,
            target=target,
            task=task,
            delimiter=delimiter,
            decimal=decimal,
            header=header,
            encoding=encoding,
            missing=missing,
            categorical=categorical,
            drop=drop,
            keep=keep,
            dates=dates,
            ids=id,
            memory=memory,
            sample_groups=sample_groups,
        )
        choices = Choices(
            search=search,
            size=size,
            kernel=kernel,
            C=C,
            gamma=gamma,
            tuning=tuning,
            cv=cv,
            repeats=repeats,
            scoring=scoring,
            group_by_prefix=group_by_prefix,
            keep=tuple(keep or ()),
            seed=seed,
            jobs=jobs,
            memory=reading.memory,
            quick=quick,
        )
        with connected(scheduler), given(file, memory) as path:
            compare_file(
                reading.of_file(path), choices, criteria, report, json, resume, quiet=quiet
            )


@app.command(short_help="Repeat a paper's experiments.")
def reproduce(
    paper: Annotated[str, typer.Argument(help="Name of the paper, such as yang2010.")],
    table: Annotated[str | None, typer.Option(help="Table to reproduce.")] = None,
    figure: Annotated[str | None, typer.Option(help="Figure to reproduce.")] = None,
    trials: Annotated[
        int | None, typer.Option(help="Repetitions; fewer are quicker.", min=1)
    ] = None,
    jobs: options.TrialJobs = 1,
    seed: options.Seed = 0,
    scheduler: options.Scheduler = None,
    resume: options.Resume = None,
    report: options.Report = None,
    json: options.Json = None,
    quiet: options.Quiet = False,
) -> None:
    """Repeat the experiments of a paper: published numbers beside obtained ones."""
    with told():
        from svmsieve.cli.reproducing import Files, Trials, reproduce_paper
        from svmsieve.scale.connection import connected

        with connected(scheduler):
            files = Files(report, json, resume)
            asked = Trials(trials, jobs, seed)
            reproduce_paper(paper, table, figure, asked, files, quiet=quiet)


@app.command(short_help="List the criteria.")
def criteria() -> None:
    """List the criteria: what each measures, for which targets, and from which paper."""
    with told():
        from svmsieve.cli.listing import list_criteria

        list_criteria()


@app.command(short_help="Try it: no file, no network.")
def demo(
    report: Annotated[Path, typer.Option(help="Where to write the report.")] = Path(
        "svmsieve-demo.html"
    ),
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
) -> None:
    """Select among the columns of iris data and shuffled copies of them, and write the report; no network."""
    with told():
        from svmsieve.cli.demonstration import demonstrate

        demonstrate(report, jobs, quiet=quiet)


DataFolder = Annotated[
    Path | None, typer.Option("--folder", help="Folder of the data; by default the user's cache.")
]
DatasetName = Annotated[str, typer.Argument(help="Name; see svmsieve datasets list.")]


@datasets_app.command("list")
def list_() -> None:
    """List the data sets."""
    with told():
        from svmsieve.cli.listing import list_datasets

        list_datasets()


@datasets_app.command()
def show(name: DatasetName) -> None:
    """Show what is known of a data set."""
    with told():
        from svmsieve.cli.listing import show_dataset

        show_dataset(name)


@datasets_app.command()
def fetch(name: DatasetName, folder: DataFolder = None, quiet: options.Quiet = False) -> None:
    """Download a data set, unless it is there already, and say where it is."""
    with told():
        from svmsieve.cli.listing import fetch_dataset

        fetch_dataset(name, folder, quiet=quiet)
