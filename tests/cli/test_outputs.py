"""Files that a command writes: never lost, never over the input, in the format of their name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from svmsieve.cli.tables import write_ranking
from svmsieve.datasets import read_table
from tests.cli.running import QUICK, run, small_table, write_small

SELECT = ("--target", "kind", "--size", "2", "--quiet", *QUICK)


def separate_process(*words, **options):
    """Start the command line in a process of its own."""
    command = [sys.executable, "-m", "svmsieve", *map(str, words)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **{"text": True, **options}
    )


def test_a_reader_that_goes_away_does_not_take_the_files_with_it(tmp_path):
    page = tmp_path / "report.md"
    process = separate_process("select", write_small(tmp_path), *SELECT, "--report", page)
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    process.wait()
    assert "2 of 6 features" in page.read_text()
    assert "Traceback" not in errors


def test_names_that_the_terminal_does_not_know(tmp_path):
    page = tmp_path / "report.md"
    path = tmp_path / "greek.csv"
    small_table().rename(columns={"a": "γ-globulin"}).to_csv(path, index=False)
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    words = ("select", path, *SELECT, "--report", page)
    process = separate_process(*words, env=environment, encoding="cp1252")
    out, errors = process.communicate()
    assert (process.returncode, errors) == (0, "")
    assert "?-globulin" in out
    assert "γ-globulin" in page.read_text(encoding="utf-8")


def test_a_file_that_cannot_be_written_is_named_and_the_others_are_written(tmp_path, monkeypatch):
    def fail(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("svmsieve.cli.selecting.write_ranking", fail)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    page, ranking, model = tmp_path / "r.md", tmp_path / "ranking.csv", tmp_path / "m.skops"
    words = ("--report", page, "--ranking", ranking, "--model", model)
    code, out, err = run("select", write_small(tmp_path), *SELECT, *words)
    assert code == 2
    assert f"Report: {page}" in out
    assert f"{ranking}: No space left on device" in err
    assert page.is_file()
    assert model.is_file()
    record = Path(err.rpartition("--resume ")[2].strip())
    assert record.is_file()
    monkeypatch.setattr("svmsieve.cli.selecting.write_ranking", write_ranking)
    other = run("select", tmp_path / "small.csv", *SELECT, "--seed", 7, "--resume", record)
    assert "another run" in other[2]
    assert record.is_file()  # the right command may still come
    code, _, err = run("select", tmp_path / "small.csv", *SELECT, *words, "--resume", record)
    assert (code, err) == (0, "")
    assert ranking.is_file()
    assert list((tmp_path / "cache").rglob("*.jsonl*")) == []  # nobody needs it any more


def test_a_record_that_the_user_chose_stays(tmp_path):
    record = tmp_path / "mine.jsonl"
    for _ in range(2):
        assert run("select", write_small(tmp_path), *SELECT, "--resume", record)[0] == 0
        assert record.is_file()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--out", "small.csv"], "--out and the file that is read are the same file"),
        (["--out", "x.csv", "--ranking", "./x.csv"], "--ranking and --out are the same file"),
        (["--json", "x.jsonl", "--resume", "x.jsonl"], "--json and --resume are the same file"),
    ],
)
def test_nothing_is_written_over(tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    before = write_small(tmp_path).read_bytes()
    code, _, err = run("select", "small.csv", *SELECT, *options)
    assert code == 2
    assert message in err
    assert (tmp_path / "small.csv").read_bytes() == before


def test_a_model_needs_the_selected_columns_only(tmp_path):
    path = write_small(tmp_path)
    model, reduced = tmp_path / "m.skops", tmp_path / "reduced.csv"
    words = [*SELECT, "--keep", "colour", "--model", model, "--out", reduced]
    assert run("select", path, *words)[0] == 0
    assert list(pd.read_csv(reduced).columns) == ["a", "colour", "kind"]
    code, out, err = run("apply", model, reduced, "--quiet")
    assert (code, err) == (0, "")
    assert out == run("apply", model, path, "--quiet")[1]
    lacking = tmp_path / "lacking.csv"
    pd.read_csv(reduced).drop(columns="a").to_csv(lacking, index=False)
    code, _, err = run("apply", model, lacking)
    assert code == 2
    assert "lacks 'a'" in err


@pytest.mark.parametrize(
    "ending", ["parquet", "arff", "npz", "tsv", "xlsx", "feather", "json", "jsonl"]
)
def test_the_ending_says_the_format(tmp_path, ending):
    if ending == "xlsx":
        pytest.importorskip("openpyxl")
    path, out = write_small(tmp_path), tmp_path / f"reduced.{ending}"
    words = [*SELECT, "--keep", "colour", "--out", out]
    code, _, err = run("select", path, *words)
    assert (code, err) == (0, "")
    read = read_table(out, None if ending == "npz" else "kind")
    assert read.names == ["a", "colour"]
    original = pd.read_csv(path)
    np.testing.assert_allclose(read.X["a"].to_numpy(dtype=float), original.a)
    assert read.X["colour"].astype(str).tolist() == original.colour.tolist()
    assert read.y.tolist() == original.kind.tolist()


def test_sparse_tables_stay_sparse(tmp_path):
    lines = [f"{i % 2} 1:{1 + i % 2} 2:{(i * 7) % 5} 3:{(i * 3) % 4}" for i in range(40)]
    path = tmp_path / "data.svm"
    path.write_text("\n".join(lines) + "\n")
    words = ("--size", "1", "--quiet", *QUICK)
    code, _, err = run("select", path, *words, "--out", tmp_path / "reduced.csv")
    assert code == 2
    assert "a sparse table is written as .npz or .libsvm" in err
    assert run("select", path, *words, "--out", tmp_path / "reduced.npz")[0] == 0
    assert read_table(tmp_path / "reduced.npz").X.shape == (40, 1)
    code, _, err = run("select", write_small(tmp_path), *SELECT, "--out", tmp_path / "x.libsvm")
    assert code == 2
    assert "has no names for the columns" in err
    X = sp.csr_matrix(np.eye(40)[:, :5] + np.arange(40)[:, None] % 3)
    parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
    np.savez(tmp_path / "text.npz", **parts, y=np.array(["no", "yes"] * 20))
    code, _, err = run("select", tmp_path / "text.npz", *words, "--out", tmp_path / "x.libsvm")
    assert code == 2
    assert "the target of a .libsvm file is a number" in err


def test_apply_writes_over_nothing(tmp_path):
    path, model = write_small(tmp_path), tmp_path / "m.skops"
    assert run("select", path, *SELECT, "--model", model)[0] == 0
    for target, message in ((path, "the file that is read"), (model, "--out and the model are")):
        before = target.read_bytes()
        code, _, err = run("apply", model, path, "--out", target)
        assert code == 2
        assert message in err
        assert target.read_bytes() == before


@pytest.mark.parametrize("decimal", [",", "."])
def test_a_reduced_table_is_written_as_the_input_was_said_to_be(tmp_path, decimal):
    rng = np.random.default_rng(0)
    label = np.repeat(["no", "yes"], 20)
    values = 5.0 + rng.normal(size=(40, 2)).round(3) + 3.0 * (label == "yes")[:, None]
    texts = [[f"{v:.3f}".replace(".", ",") for v in row] for row in values]  # three digits: 1,234
    lines = ["\t".join([*row, kind]) for row, kind in zip(texts, label, strict=True)]
    path, out, model = tmp_path / "d.tsv", tmp_path / "out.tsv", tmp_path / "m.skops"
    path.write_text("\n".join(["a\tb\tkind", *lines]) + "\n")
    words = ("--decimal", decimal, *SELECT, "--out", out, "--model", model)
    code, _, err = run("select", path, *words)
    assert (code, err) == (0, "")
    expected = values * (1.0 if decimal == "," else 1000.0)
    read = read_table(out, "kind", decimal=decimal)
    np.testing.assert_allclose(read.X.to_numpy(dtype=float), expected)
    assert run("apply", model, out, "--quiet")[1] == run("apply", model, path, "--quiet")[1]


def test_a_file_without_names_can_be_applied_to(tmp_path):
    path, model = tmp_path / "d.csv", tmp_path / "m.skops"
    small_table()[["a", "b", "kind"]].to_csv(path, index=False, header=False)
    words = ("--no-header", "--target", "2", *SELECT[2:], "--model", model)
    code, _, err = run("select", path, *words)
    assert (code, err) == (0, "")
    code, out, err = run("apply", model, path, "--no-header", "--quiet")
    assert (code, err) == (0, "")
    assert len(out.splitlines()) == 41


@pytest.mark.parametrize(
    ("ending", "library"), [("parquet", "pyarrow"), ("feather", "pyarrow"), ("xlsx", "openpyxl")]
)
def test_a_format_without_its_library_is_refused_before_the_work(
    tmp_path, monkeypatch, ending, library
):
    monkeypatch.setattr("svmsieve.cli.frame_files.find_spec", lambda name: None)
    for option in ("--out", "--ranking"):
        words = (option, tmp_path / f"x.{ending}")
        code, _, err = run("select", write_small(tmp_path), *SELECT, *words)
        assert code == 2
        assert f"needs {library}; install svmsieve[" in err


@pytest.mark.parametrize("option", ["--out", "--ranking"])
@pytest.mark.parametrize("name", ["x.pdf", "x.DOCX", "x.xls", "x.pkl"])
def test_a_name_that_promises_no_table_is_refused_before_the_work(tmp_path, option, name):
    code, _, err = run("select", write_small(tmp_path), *SELECT, option, tmp_path / name)
    assert code == 2
    assert f"not written as {Path(name).suffix}; choose .csv" in " ".join(err.split())
    assert not (tmp_path / name).exists()
