"""Run the command line in this process, and problems to run it on."""

from __future__ import annotations

import contextlib
import io
import sys

import numpy as np
import pandas as pd


def run(*words):
    """Return exit code, standard output and standard error."""
    from svmsieve.cli.app import app

    out, err = io.StringIO(), io.StringIO()
    before = sys.argv
    sys.argv = ["svmsieve", *map(str, words)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = app(list(map(str, words)), prog_name="svmsieve", standalone_mode=True)
            except SystemExit as end:
                code = end.code
    finally:
        sys.argv = before
    return code or 0, out.getvalue(), err.getvalue()


QUICK = ("--C", "1", "--gamma", "scale", "--cv", "2", "--criterion", "f-score", "--search", "once")


def small_table(n=40, seed=0):
    """Two columns that matter, one category, three that do not; one value missing."""
    rng = np.random.default_rng(seed)
    y = np.repeat(["no", "yes"], n // 2)
    frame = pd.DataFrame(rng.normal(size=(n, 5)), columns=["a", "b", "u", "v", "w"]).round(4)
    frame["a"] += 2.0 * (y == "yes")
    frame["b"] -= 2.0 * (y == "yes")
    frame["colour"] = np.where(rng.random(n) < 0.5, "red", "blue")
    frame.loc[3, "u"] = np.nan
    frame["kind"] = y
    return frame.sample(frac=1.0, random_state=seed).reset_index(drop=True)


def write_small(folder, name="small.csv", **options):
    """Write the small table and return its path."""
    path = folder / name
    small_table().to_csv(path, index=False, **options)
    return path
