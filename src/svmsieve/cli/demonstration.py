"""``svmsieve demo``: the whole way on data that come with scikit-learn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.datasets import load_wine

from svmsieve.cli.failure import say
from svmsieve.cli.outputs import Outputs
from svmsieve.cli.selecting import select_table
from svmsieve.datasets import Table
from svmsieve.report.files import check_report_path
from svmsieve.studies.choices import Choices


def demo_table() -> Table:
    """Return scikit-learn's wine data, each column also twice with its values shuffled, as a table.

    The 26 shuffled columns look like the others and say nothing of the wine: a selection must find that out.
    """
    data = load_wine(as_frame=True)
    X, y = data.data, data.target_names[data.target]
    rng = np.random.default_rng(0)
    shuffled = {
        f"{name} (shuffled {copy})": rng.permutation(X[name].to_numpy())
        for copy in ("once", "again")
        for name in X.columns
    }
    X = X.assign(**shuffled)
    names = [str(name) for name in X.columns]
    return Table(
        X,
        y.astype(str),
        "classification",
        "cultivar",
        names,
        dict.fromkeys(names, "number"),
        notes=[
            "178 rows, 39 numeric columns: the 13 of scikit-learn's wine data (Forina et al. 1988), and each "
            "twice more with its values shuffled, which says nothing."
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
        "wine and shuffled columns",
        choices,
        Outputs(report=report.resolve()),
        None,
        quiet=quiet,
        command="svmsieve demo",
    )
