"""``svmsieve compare``: several criteria on the same outer folds."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from svmsieve.cli.option_names import in_options
from svmsieve.cli.outputs import with_names, write_each
from svmsieve.cli.reading import Reading
from svmsieve.cli.selecting import read, recorded, repeat_command
from svmsieve.cli.wait import waited
from svmsieve.criteria import make_criterion
from svmsieve.criteria.registry import refuse_task
from svmsieve.datasets import DataError
from svmsieve.evaluation import Comparison
from svmsieve.evaluation.nested import Running
from svmsieve.report.content import describe_comparison
from svmsieve.report.files import write_report
from svmsieve.report.plain_values import plain, to_json
from svmsieve.report.terminal import print_report
from svmsieve.studies.choices import Choices
from svmsieve.studies.data import prepare
from svmsieve.studies.running import collected, in_outer_folds, make_sieve, n_steps
from svmsieve.studies.waiting import n_processes

DEFAULTS = {
    "classification": "fspp2,weight-gradient,f-score",
    "regression": "sd-gauss,weight,correlation",
}


def compare_file(
    reading: Reading,
    choices: Choices,
    criteria: str,
    report: Path | None,
    json: Path | None,
    resume: Path | None,
    *,
    quiet: bool,
) -> None:
    """Compare criteria, and all features, on a file."""
    table = read(reading, quiet=quiet)
    choices = replace(
        choices, cv=choices.folds
    )  # many selections: one division into folds is enough
    prepared = prepare(table, choices)
    names = [name.strip() for name in (criteria or DEFAULTS[str(table.task)]).split(",")]
    names = [name for name in dict.fromkeys(names) if name]
    if len(names) < 2:
        raise DataError(
            f"--criteria must name at least two, separated by commas, got {criteria!r}."
        )
    task = "regression" if prepared.regression else "binary"
    for name in names:
        refuse_task(make_criterion(name, task), task)
    sieves: dict[str, Any] = {name: make_sieve(prepared, choices, name) for name in names}
    steps = [n_steps(prepared, sieve) for sieve in sieves.values()]
    known = None if None in steps else sum(each or 0 for each in steps)
    title = f"Comparing {len(names)} criteria ({prepared.folds})"
    parameters = {**asdict(choices), "criteria": names, "random_state": choices.seed}
    parameters.pop("jobs")  # changes nothing
    with recorded(resume) as record:
        running = Running(checkpoint=record, n_processes=n_processes(prepared, choices, known))
        with collected() as sentences:
            evaluations, _ = in_outer_folds(
                prepared, choices, sieves, running, title, known, quiet=quiet
            )
        first = evaluations[names[0]]
        if prepared.n_units in first.sizes:
            evaluations["all features"] = first.at_size(prepared.n_units)
        content = describe_comparison(
            Comparison(evaluations),
            table=prepared.table,
            parameters=parameters,
            name=reading.file.name,
            command=repeat_command(),
            seconds=waited(),
            warnings=[*prepared.notes, *map(in_options, sentences)],
        )
        folds = with_names(Comparison(evaluations).to_dict(), prepared.encoded.names)
        whole = {**content, "outer_folds": plain(folds)}
        tell = write_each(
            {
                "JSON": (json, lambda path: path.write_text(to_json(whole), encoding="utf-8")),
                "Report": (report, lambda path: write_report(content, path)),
            }
        )
        print_report(content)
        tell()
