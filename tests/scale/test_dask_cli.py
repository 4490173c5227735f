"""The command line on a cluster."""

from __future__ import annotations

import json
import socket

import pytest

from tests.cli.running import QUICK, run, write_small


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
    import svmsieve.scale.cluster as module

    monkeypatch.setattr(module, "_PATIENCE", 0.5)
    file = write_small(tmp_path)
    where = f"tcp://127.0.0.1:{free_port()}"
    words = [file if word == "FILE" else word for word in words]
    code, out, err = run(*words, "--scheduler", where)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert f"no Dask scheduler answers at '{where}'" in err


def test_a_lost_scheduler_leaves_a_record_and_says_how_to_go_on(tmp_path, doomed, monkeypatch):
    from svmsieve.cli import study

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
