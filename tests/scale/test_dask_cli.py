"""The command line on a cluster."""

from __future__ import annotations

import json
import socket

import dask
import numpy as np
import pandas as pd
import pytest

from svmsieve import SVMSieve
from tests.cli.running import QUICK, run, write_small

# pandas' word to Dask, whose Parquet reader it concerns
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@pytest.fixture
def address(client):
    return client.scheduler.address


def without_time(path):
    content = json.loads(path.read_text())
    folds = content["outer_folds"]
    for fold in folds.get("folds", []):
        fold.pop("seconds")
    return content["ranking"], content["selection"], folds


def test_select_on_a_cluster_finds_the_same(tmp_path, address):
    file = write_small(tmp_path)
    there, here = tmp_path / "there.json", tmp_path / "here.json"
    words = ("select", file, "--target", "kind", *QUICK, "--quiet")
    code, _, err = run(*words, "--scheduler", address, "--json", there)
    assert (code, err) == (0, "")
    assert run(*words, "--json", here)[0] == 0
    assert without_time(there) == without_time(here)


def test_reproduce_on_a_cluster(tmp_path, address):
    words = ("reproduce", "yang2010", "--table", "1", "--trials", "1", "--quiet")
    file = tmp_path / "cells.json"
    code, out, _ = run(*words, "--scheduler", address, "--json", file)
    assert code == 0
    assert "published beside obtained" in out


@pytest.mark.parametrize(
    "words",
    [
        ("select", "FILE", "--target", "kind"),
        ("compare", "FILE", "--target", "kind"),
        ("reproduce", "yang2010", "--table", "1"),
    ],
    ids=lambda words: words[0],
)
def test_nothing_answers(tmp_path, words, monkeypatch):
    import svmsieve.scale.connection as module

    monkeypatch.setattr(module, "_PATIENCE", 0.5)
    file = write_small(tmp_path)
    where = f"tcp://127.0.0.1:{free_port()}"
    words = [file if word == "FILE" else word for word in words]
    code, out, err = run(*words, "--scheduler", where)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert f"no Dask scheduler answers at '{where}'" in err


def test_a_lost_scheduler_leaves_a_record_and_says_how_to_go_on(tmp_path, doomed, monkeypatch):
    from svmsieve.evaluation.fold_jobs import Begun

    client = doomed.client()
    where = client.scheduler.address
    client.close()
    file, record = write_small(tmp_path), tmp_path / "run.jsonl"
    whole, resumed = tmp_path / "whole.json", tmp_path / "resumed.json"
    words = ("select", file, "--target", "kind", *QUICK[:6], "--criterion", "weight-gradient")
    really = Begun.end

    def lose(*arguments, **options):
        doomed.scheduler.kill()
        return really(*arguments, **options)

    monkeypatch.setattr(Begun, "end", lose)
    code, _, err = run(*words, "--scheduler", where, "--resume", record, "--quiet")
    monkeypatch.undo()
    assert code == 2
    assert err.startswith("svmsieve: The cluster's scheduler at tcp://")
    assert f"--resume {record}" in err
    assert "Traceback" not in err
    assert record.exists()
    assert run(*words, "--resume", record, "--json", resumed, "--quiet")[0] == 0
    assert run(*words, "--json", whole, "--quiet")[0] == 0
    assert without_time(resumed) == without_time(whole)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of Parquet files: numbers, a category, a missing value, texts as target."""
    path = tmp_path_factory.mktemp("parquet")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 4)), columns=["a", "b", "u", "v"])
    colours = np.array(["red", "green", "blue"])[rng.integers(0, 3, 300)]
    noise = 0.2 * rng.normal(size=300)
    frame["colour"] = colours
    frame["kind"] = np.where(
        frame["a"] * frame["b"] + (colours == "red") + noise > 0.3, "yes", "no"
    )
    frame.loc[7, "u"] = np.nan
    for number in range(3):
        rows = frame.iloc[100 * number : 100 * (number + 1)]
        rows.to_parquet(path / f"part-{number}.parquet", index=False)
    return path


FEW = ("--cv", "2", "--task", "classification", "--C", "1", "--quiet")


@pytest.mark.parametrize("pattern", [False, True])
def test_a_folder_is_selected_on_the_cluster_as_without_one(folder, address, tmp_path, pattern):
    there, here, ranked = (tmp_path / name for name in ("there.json", "here.json", "ranking.csv"))
    report, model = tmp_path / "report.html", tmp_path / "model.skops"
    words = ("select", folder / "*.parquet" if pattern else folder, "--target", "kind", *FEW)
    outputs = ("--json", there, "--ranking", ranked, "--report", report, "--model", model)
    code, out, err = run(*words, *outputs, "--scheduler", address)
    assert (code, err) == (0, "")
    assert "landmarks) selected on all 300 rows" in out
    assert "error rate in 2 outer folds" in out
    found = json.loads(there.read_text())
    assert sorted(found["ranking"]["names"]) == ["a", "b", "colour", "u", "v"]
    assert sorted(found["ranking"]["names"][:3]) == ["a", "b", "colour"]
    assert pd.read_csv(ranked)["selected"].sum() == found["selection"]["size"]
    assert "colour" in report.read_text(encoding="utf-8")
    if pattern:
        return
    assert run(*words, "--json", here)[0] == 0
    assert without_time(here) == without_time(there)
    # the model predicts the rows of a file as of the folder
    file = folder / "part-0.parquet"
    code, out, err = run("apply", model, file)
    assert code == 0
    assert out.count("\n") == 101
    code, all_of_them, _ = run("apply", model, folder)
    assert code == 0
    assert all_of_them.startswith(out)
    assert all_of_them.count("\n") == 301


def test_a_folder_gives_what_its_rows_in_one_table_do(folder, tmp_path):
    from svmsieve.datasets.frames import table_of_frame
    from svmsieve.studies.choices import Choices
    from svmsieve.studies.data import prepare
    from svmsieve.studies.running import make_sieve

    file = tmp_path / "found.json"
    assert run("select", folder, "--target", "kind", *FEW, "--size", "3", "--json", file)[0] == 0
    found = json.loads(file.read_text())
    frame = pd.concat([pd.read_parquet(each) for each in sorted(folder.glob("*.parquet"))])
    choices = Choices.of(cv=2, C=1, size=3)
    data = prepare(table_of_frame(frame, "kind", task="classification"), choices)
    sieve = make_sieve(data, choices).set_params(machine="nystroem", n_landmarks="auto")
    sieve.fit(data.encoded.X, data.y)
    assert sorted(data.sources(sieve)) == sorted(found["ranking"]["names"][:3])
    assert str(sieve.n_landmarks_) in str(found["done"]["warnings"])


def test_a_folder_keeps_groups_of_rows_whole(tmp_path, monkeypatch):
    """Rows that give their patient away, whose kind is drawn: nothing is known of new patients."""
    rng = np.random.default_rng(0)
    patient = rng.permutation(np.repeat(np.arange(30), 8))
    X = rng.normal(size=(30, 3))[patient] + 0.01 * rng.normal(size=(240, 3))
    frame = pd.DataFrame(X, columns=list("abc")).assign(
        patient=[f"p{number:02}" for number in patient],
        kind=np.array(["ill", "well"])[rng.permutation(np.arange(30) % 2)[patient]],
    )
    (tmp_path / "rows").mkdir()
    for number, rows in enumerate(np.split(np.arange(240), [50, 51, 180])):
        frame.iloc[rows].to_parquet(tmp_path / "rows" / f"{number}.parquet", index=False)
    words = ("select", tmp_path / "rows", "--target", "kind", "--criterion", "fspp1", *FEW)
    fitted, fit = [], SVMSieve.fit

    def look(self, X, y, **beside):
        fitted.append(fit(self, X, y, **beside))
        return self

    monkeypatch.setattr(SVMSieve, "fit", look)
    for option in ("--drop", "--sample-groups"):
        fitted.clear()
        file = tmp_path / f"found{option}.json"
        code, out, err = run(*words, option, "patient", "--json", file)
        assert (code, err) == (0, "")
        whole, grouped = fitted[0], option == "--sample-groups"
        assert whole.n_sample_groups_ == (30 if grouped else None)
        assert (whole.path_.mean_score.max() < 0.75) == grouped  # the folds of all rows
        assert ("2 outer folds of whole groups (30 groups)" in out) == grouped
        found = json.loads(file.read_text())
        assert sorted(found["ranking"]["names"]) == list("abc")
        assert (found["evaluation"]["value"] > 0.25) == grouped  # the error in the outer folds


def test_a_scheduler_killed_in_an_elimination_and_resumed(folder, tmp_path, doomed, monkeypatch):
    from svmsieve.selection.record import RunRecord

    client = doomed.client()
    where = client.scheduler.address
    client.close()
    record, whole, resumed = (tmp_path / name for name in ("run.jsonl", "a.json", "b.json"))
    words = ("select", folder, "--target", "kind", *FEW, "--criterion", "fspp1")
    append, heard = RunRecord.append, []

    def lose(self, name, step):
        append(self, name, step)
        heard.append(name)
        if len(heard) == 6:
            doomed.scheduler.kill()
            doomed.scheduler.wait()

    monkeypatch.setattr(RunRecord, "append", lose)
    with dask.config.set({"distributed.comm.timeouts.connect": "5s"}):
        code, out, err = run(*words, "--scheduler", where, "--resume", record)
    monkeypatch.undo()
    assert (code, out) == (2, "")
    assert err.startswith("svmsieve: The cluster's scheduler")
    assert f"--resume {record}" in err
    assert "Traceback" not in err
    assert len(record.read_text().splitlines()) >= 7
    assert run(*words, "--resume", record, "--json", resumed)[0] == 0
    assert run(*words, "--json", whole)[0] == 0
    assert without_time(resumed) == without_time(whole)


def test_a_folder_by_a_filter_and_its_reduced_table(folder, tmp_path):
    file, out = tmp_path / "found.json", tmp_path / "reduced.parquet"
    words = ("select", folder, "--target", "-1", "--criterion", "f-score", "--drop", "u")
    outputs = ("--json", file, "--out", out, "--size", "2")
    assert run(*words, *FEW, *outputs)[0] == 0
    assert json.loads(file.read_text())["ranking"]["names"][0] == "colour"
    reduced = pd.read_parquet(out)
    assert reduced.shape == (300, 3)
    assert {"colour", "kind"} < set(reduced.columns)


def test_a_scheduler_lost_while_rows_are_drawn(folder, doomed, monkeypatch):
    from svmsieve.studies.many_files import ManyFiles

    client = doomed.client()
    where = client.scheduler.address
    client.close()
    drawn = ManyFiles.drawn

    def lose(self, n, seed):
        doomed.scheduler.kill()
        doomed.scheduler.wait()
        return drawn(self, n, seed)

    monkeypatch.setattr(ManyFiles, "drawn", lose)
    with dask.config.set({"distributed.comm.timeouts.connect": "5s"}):
        code, out, err = run("select", folder, "--target", "kind", "--scheduler", where, "--quiet")
    assert (code, out) == (2, "")
    assert err.startswith("svmsieve: The cluster's scheduler")
    assert "Traceback" not in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--quick",), "--quick needs the rows in memory"),
        (("--search", "forward"), "--search forward needs the rows in memory"),
        (("--size", "bound"), "--size bound needs the rows in memory"),
        (("--id", "a"), "--id needs the rows in memory"),
        (("--drop", "w"), "--drop 'w' is not a column"),
        (("--target", "w"), "--target 'w' is not a column"),
        (("--criterion", "hsic"), "'hsic' needs the kernel matrix"),
    ],
)
def test_what_a_folder_does_not_allow_is_named(folder, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    code, _, err = run("select", folder, "--target", "kind", *words, "--quiet")
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


def test_an_empty_folder(tmp_path):
    code, _, err = run("select", tmp_path, "--target", "kind")
    assert (code, "no Parquet file is at" in err) == (2, True)


def test_files_that_do_not_go_together_are_named(folder, tmp_path):
    frame = pd.read_parquet(folder / "part-0.parquet")
    frame.to_parquet(tmp_path / "a.parquet", index=False)
    for other, message in (
        (frame.drop(columns="u"), "b.parquet lacks the column 'u', unlike"),
        (frame.assign(more=1.0), "b.parquet has the column 'more', unlike"),
    ):
        other.to_parquet(tmp_path / "b.parquet", index=False)
        code, _, err = run("select", tmp_path, "--target", "kind", "--quiet")
        assert (code, message in err, err.count("\n")) == (2, True, 1), err
    (tmp_path / "b.parquet").write_bytes(b"PAR1 no more")
    code, _, err = run("select", tmp_path, "--target", "kind", "--quiet")
    assert (code, "b.parquet is not a Parquet file" in err, err.count("\n")) == (2, True, 1), err


def test_files_without_rows(folder, tmp_path):
    pd.read_parquet(folder / "part-0.parquet")[:0].to_parquet(tmp_path / "a.parquet", index=False)
    code, _, err = run("select", tmp_path, "--target", "kind", "--quiet")
    assert (code, "no row is in the Parquet files at" in err) == (2, True), err


def test_the_report_tells_all_rows_not_those_that_were_drawn(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("svmsieve.cli.partitioned.TABLE_ROWS", 150)
    file, report = tmp_path / "found.json", tmp_path / "report.md"
    outputs = ("--json", file, "--report", report)
    assert run("select", folder, "--target", "kind", *FEW, "--size", "3", *outputs)[0] == 0
    found = json.loads(file.read_text())
    assert (found["data"]["rows"], found["data"]["described"]) == (300, 150)
    assert "candidates in 300 samples" in found["paragraph"]
    assert "Selected on all 300 rows; 150 of them, drawn at random" in report.read_text()
