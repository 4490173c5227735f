"""``svmsieve demo``: the whole way on data that come with scikit-learn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris

from svmsieve.cli.failure import say
from svmsieve.cli.outputs import Outputs
from svmsieve.cli.selecting import select_table
from svmsieve.datasets import Table
from svmsieve.report.files import check_report_path
from svmsieve.studies.choices import Choices

COPIES = 5


def demo_table() -> Table:
    """Return scikit-learn's iris data, each column also five times with its values shuffled, as a table.

    The 20 shuffled columns look like the others and say nothing of the flower: a selection must find that
    out.
    """
    data = load_iris(as_frame=True)
    X, y = data.data, data.target_names[data.target]
    rng = np.random.default_rng(0)
    shuffled = {
        f"{name} (shuffled {copy})": rng.permutation(X[name].to_numpy())
        for copy in range(1, COPIES + 1)
        for name in X.columns
    }
    X = X.assign(**shuffled)
    names = [str(name) for name in X.columns]
    return Table(
        X,
        y.astype(str),
        "classification",
        "species",
        names,
        dict.fromkeys(names, "number"),
        notes=[
            "150 rows, 24 numeric columns: the 4 of scikit-learn's iris data (Anderson 1935, Fisher 1936), "
            "and each five times more with its values shuffled, which says nothing."
        ],
    )


def demonstrate(report: Path, jobs: int | None, *, quiet: bool) -> None:
    """Select, print and write the report, whose path is the last line."""
    check_report_path(report)
    if not quiet:
        say("The first run on a machine compiles the numerical code, which takes half a minute.")
    choices = Choices(jobs=jobs)
    select_table(
        demo_table(),
        "iris and shuffled columns",
        choices,
        Outputs(report=report.resolve()),
        None,
        quiet=quiet,
        command="svmsieve demo",
    )
