"""The command line on a cluster."""

from __future__ import annotations

import json
import socket

import dask
import numpy as np
import pandas as pd
import pytest

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
    from svmsieve.studies import running as study

    client = doomed.client()
    where = client.scheduler.address
    client.close()
    file, record = write_small(tmp_path), tmp_path / "run.jsonl"
    whole, resumed = tmp_path / "whole.json", tmp_path / "resumed.json"
    words = ("select", file, "--target", "kind", *QUICK[:6], "--criterion", "weight-gradient")
    really = study.nested_evaluate

    def lose(*arguments, **options):
        doomed.scheduler.kill()
        return really(*arguments, **options)

    monkeypatch.setattr(study, "nested_evaluate", lose)
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


@pytest.mark.parametrize("pattern", [False, True])
def test_a_folder_is_ranked_on_the_cluster(folder, address, tmp_path, pattern):
    file, ranked = tmp_path / "ranking.json", tmp_path / "ranking.csv"
    where = folder / "*.parquet" if pattern else folder
    words = ("select", where, "--target", "kind", "--task", "classification", "--C", "1", "--quiet")
    outputs = ("--json", file, "--ranking", ranked, "--size", "3")
    code, out, err = run(*words, *outputs, "--scheduler", address)
    assert (code, err) == (0, "")
    assert "Ranked once, on all rows" in out
    found = json.loads(file.read_text())["ranking"]
    assert sorted(found["names"]) == ["a", "b", "colour", "u", "v"]
    assert sorted(found["names"][:3]) == ["a", "b", "colour"]
    assert pd.read_csv(ranked)["selected"].tolist() == [True, True, True, False, False]
    here = tmp_path / "here.json"
    assert run(*words, "--json", here)[0] == 0
    assert json.loads(here.read_text())["ranking"] == found


def test_a_folder_by_a_filter_without_a_cluster(folder, tmp_path):
    file = tmp_path / "ranking.json"
    words = ("select", folder, "--target", "-1", "--criterion", "f-score", "--drop", "u", "--quiet")
    assert run(*words, "--json", file)[0] == 0
    assert json.loads(file.read_text())["ranking"]["names"][0] == "colour"


def test_a_scheduler_lost_while_texts_become_columns(folder, doomed, monkeypatch):
    from svmsieve.cli import partitioned

    client = doomed.client()
    where = client.scheduler.address
    client.close()
    known = partitioned._known

    def lose(frame, names, option):
        if option == "--categorical":  # the levels of the texts are looked for next
            doomed.scheduler.kill()
            doomed.scheduler.wait()
        return known(frame, names, option)

    monkeypatch.setattr(partitioned, "_known", lose)
    with dask.config.set({"distributed.comm.timeouts.connect": "5s"}):
        code, out, err = run("select", folder, "--target", "kind", "--scheduler", where, "--quiet")
    assert (code, out) == (2, "")
    assert err.startswith("svmsieve: The cluster's scheduler")
    assert "Traceback" not in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--report", "report.html"), "--report needs the rows in memory"),
        (("--search", "forward"), "--search forward needs the rows in memory"),
        (("--size", "best"), "--size best needs the rows in memory"),
        (("--tuning", "1se"), "--tuning 1se needs the rows in memory"),
        (("--C", "1"), "--C needs --task"),
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
