"""``--sample-groups``: a column that is no feature keeps rows together."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from tests.cli.running import run

FAST = ("--C", "1", "--gamma", "scale", "--criterion", "f-score", "--search", "once", "--quiet")


@pytest.fixture
def table(tmp_path):
    """Rows of twelve patients, each with a target of its own that its rows' columns give away."""
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(12), 6)
    X = rng.normal(size=(12, 4))[patient] + 0.01 * rng.normal(size=(72, 4))
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.insert(0, "patient", [f"p{number:02}" for number in patient])
    frame["kind"] = np.array(["ill", "well"])[rng.permutation(np.arange(12) % 2)[patient]]
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    return path, frame


def outer_folds(path):
    return json.loads(path.read_text())["outer_folds"]


def test_select_keeps_groups_whole_and_says_so(table, tmp_path):
    path, frame = table
    out, report = tmp_path / "all.json", tmp_path / "report.md"
    options = ("--json", out, "--report", report, "--sample-groups", "patient", "--cv", "3")
    code, printed, err = run("select", path, "-t", "kind", *FAST, *options)
    assert code == 0, err
    assert "3 outer folds of whole groups (12 groups)" in printed
    content = json.loads(out.read_text())
    assert sorted(content["ranking"]["names"]) == list("abcd")
    assert content["evaluation"]["groups"] == 12
    for fold in content["outer_folds"]["folds"]:
        held_out = set(frame["patient"][fold["test"]])
        assert not held_out & set(frame["patient"].drop(fold["test"]))
    assert "Folds kept the 12 groups of samples whole" in report.read_text()
    told = "In 3-fold nested cross-validation that kept 12 groups of samples whole, in which"
    assert content["paragraph"].count(told) == 1
    assert content["evaluation"]["value"] > 0.2  # nothing of a new patient is known


def test_compare_keeps_groups_whole(table, tmp_path):
    path, frame = table
    out = tmp_path / "all.json"
    words = ("compare", path, "-t", "kind", "--criteria", "f-score,s2n", "--sample-groups", "0")
    options = ("--C", "1", "--gamma", "scale", "--search", "once", "--quiet", "--cv", "3")
    code, printed, err = run(*words, *options, "--json", out)
    assert code == 0, err
    assert "of whole groups (12 groups)" in printed
    content = json.loads(out.read_text())
    assert content["comparison"]["groups"] == 12
    for method in content["outer_folds"]["evaluations"].values():
        for fold in method["folds"]:
            assert len(set(frame["patient"][fold["test"]])) == 4


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (None, ("--sample-groups", "patent"), "no column 'patent' for the groups of rows"),
        (None, ("--sample-groups", "kind"), "it cannot be the target"),
        (None, ("--sample-groups", "patient", "--drop", "patient"), "nor dropped or kept"),
        (
            "two",
            ("--sample-groups", "patient"),
            "marks 2 groups of rows, too few to be held out whole",
        ),
        ("missing", ("--sample-groups", "patient"), "is missing in row 8; name its group"),
    ],
)
def test_what_cannot_be_is_refused(table, tmp_path, change, options, message):
    path, frame = table
    if change == "missing":
        frame.loc[7, "patient"] = None
    if change == "two":
        frame["patient"] = np.where(np.arange(len(frame)) % 2, "x", "y")
    if change is not None:
        frame.to_csv(path, index=False)
    code, _, err = run("select", path, "-t", "kind", *FAST, *options)
    assert code == 2
    assert message in " ".join(err.split())


def test_another_column_of_groups_is_another_run(table, tmp_path):
    path, frame = table
    frame["batch"] = np.arange(72) % 12
    frame.to_csv(path, index=False)
    record = tmp_path / "run.jsonl"
    words = ("select", path, "-t", "kind", *FAST, "--cv", "3", "--resume", record)
    code, _, err = run(*words, "--sample-groups", "patient", "--drop", "batch")
    assert code == 0, err
    code, _, err = run(*words, "--sample-groups", "batch", "--drop", "patient")
    assert code == 2
    assert "another run" in err
