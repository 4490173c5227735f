"""``svmsieve demo``: the whole way on data that come with scikit-learn."""

from __future__ import annotations

from pathlib import Path

from sklearn.datasets import load_breast_cancer

from svmsieve.cli.failure import say
from svmsieve.cli.outputs import Outputs
from svmsieve.cli.selecting import select_table
from svmsieve.cli.study import Choices
from svmsieve.datasets import Table
from svmsieve.report.files import check_report_path


def demo_table() -> Table:
    """Return the breast-cancer data as a table that was read from a file."""
    data = load_breast_cancer(as_frame=True)
    X, y = data.data, data.target_names[data.target]
    names = [str(name) for name in X.columns]
    return Table(
        X,
        y.astype(str),
        "classification",
        "diagnosis",
        names,
        dict.fromkeys(names, "number"),
        notes=[
            "569 rows, 30 numeric columns: scikit-learn's breast-cancer data (Wolberg et al. 1995)."
        ],
    )


def demonstrate(report: Path, jobs: int, *, quiet: bool) -> None:
    """Select, print and write the report, whose path is the last line."""
    check_report_path(report)
    if not quiet:
        say("The first run on a machine compiles the numerical code, which takes some 20 seconds.")
    choices = Choices(jobs=jobs)
    select_table(
        demo_table(),
        "breast cancer",
        choices,
        Outputs(report=report.resolve()),
        None,
        quiet=quiet,
        command="svmsieve demo",
    )
