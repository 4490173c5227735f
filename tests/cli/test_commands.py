"""The commands do what they say."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

import svmsieve
from svmsieve import SVMSieve, papers
from svmsieve.cli.models import Model
from svmsieve.datasets import read_table
from tests.cli.running import QUICK, run, small_table, write_small


def test_version():
    assert run("--version") == (0, f"svmsieve {svmsieve.__version__}\n", "")


def test_help_imports_nothing_heavy():
    code = "import sys; from svmsieve.cli.app import app; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"numpy", "pandas", "sklearn", "numba", "jinja2"} & set(loaded)


def test_usage_errors_are_2():
    assert run("select")[0] == 2
    assert run("nonsense")[0] == 2


def test_criteria_are_all_listed():
    from svmsieve.criteria import CRITERIA

    code, out, _ = run("criteria")
    assert code == 0
    assert all(name in out for name in CRITERIA)


def test_datasets():
    assert "monks-1" in run("datasets", "list")[1]
    assert "432" in run("datasets", "show", "monks-1")[1]
    assert run("datasets", "show", "nothing")[0] == 2


def test_fetch_says_where(shared_data):
    code, out, _ = run("datasets", "fetch", "monks-1", "--folder", shared_data, "--quiet")
    assert (code, out.strip()) == (0, str(shared_data / "monks-1.npz"))


@pytest.fixture(scope="module")
def selected(tmp_path_factory):
    """Files of one selection, and what it printed."""
    folder = tmp_path_factory.mktemp("selected")
    path = write_small(folder)
    files = {
        "--out": folder / "reduced.csv",
        "--ranking": folder / "ranking.csv",
        "--report": folder / "report.md",
        "--json": folder / "all.json",
        "--model": folder / "model.skops",
    }
    words = [word for pair in files.items() for word in pair]
    code, out, err = run("select", path, "--target", "kind", "--size", 2, "--quiet", *QUICK, *words)
    assert (code, err) == (0, "")
    return path, files, out


def test_select_finds_what_matters(selected):
    _, files, out = selected
    content = json.loads(files["--json"].read_text())
    assert set(content["selection"]["features"]) == {"a", "b"}
    assert [b["name"] for b in content["evaluation"]["baselines"]] == [
        "all features",
        "as many by F-score",
        "linear machine, all features",
        "guessing",
    ]
    assert content["evaluation"]["baselines"][-1]["value"] == pytest.approx(0.5)
    assert content["evaluation"]["value"] < 0.25
    assert "2 of 6 features selected" in out
    assert "guessing" in out


def test_reduced_table_holds_the_same_rows(selected):
    path, files, _ = selected
    reduced, original = pd.read_csv(files["--out"]), pd.read_csv(path)
    pd.testing.assert_frame_equal(reduced, original[["a", "b", "kind"]])


def test_ranking_is_complete(selected):
    ranking = pd.read_csv(selected[1]["--ranking"])
    assert sorted(ranking.feature) == ["a", "b", "colour", "u", "v", "w"]
    assert ranking.selected.sum() == 2


def test_model_predicts_what_the_sieve_does(selected, tmp_path):
    path, files, _ = selected
    out = tmp_path / "predictions.csv"
    code, _, err = run("apply", files["--model"], path, "--out", out)
    assert code == 0
    predicted = pd.read_csv(out)["predicted kind"].to_numpy()
    wrong = 100 * np.mean(predicted != pd.read_csv(path).kind)
    assert f"{wrong:.1f} %" in err
    without = tmp_path / "new.csv"
    pd.read_csv(path).drop(columns="kind").to_csv(without, index=False)
    code, out_text, err = run("apply", files["--model"], without, "--quiet")
    assert (code, err) == (0, "")
    assert out_text == out.read_text()


def test_only_models_are_loaded(selected, tmp_path):
    pytest.importorskip("skops")
    import skops.io
    from sklearn.linear_model import LogisticRegression

    other = tmp_path / "other.skops"
    skops.io.dump({"encoder": LogisticRegression(), "sieve": 1, "schema": {}}, other)
    pickled = tmp_path / "pickle.skops"
    pickled.write_bytes(b"\x80\x04\x95")
    code = skops.io.dumps(print)
    (tmp_path / "function.skops").write_bytes(code)
    for file in (other, pickled, tmp_path / "function.skops", tmp_path / "nothing.skops"):
        code, _, err = run("apply", file, selected[0])
        assert code == 2
        assert err.startswith("svmsieve: ")


@pytest.mark.parametrize("form", ["parquet", "arff", "npz", "csv.gz", "tsv"])
def test_reduced_table_is_in_the_format_of_the_input(form, tmp_path):
    frame = small_table().drop(columns=["colour", "u"])
    path, out = tmp_path / f"data.{form}", tmp_path / f"reduced.{form}"
    if form == "parquet":
        pytest.importorskip("pyarrow")
        frame.to_parquet(path)
    elif form == "npz":
        X = frame.drop(columns="kind")
        np.savez(path, X=X.to_numpy(), y=frame.kind.to_numpy().astype("U3"), feature_names=list(X))
    elif form == "arff":
        head = [f"@attribute {name} numeric" for name in frame.columns[:-1]]
        rows = [",".join(map(str, row)) for row in frame.itertuples(index=False)]
        text = ["@relation x", *head, "@attribute kind {no,yes}", "@data", *rows]
        path.write_text("\n".join(text) + "\n")
    else:
        frame.to_csv(path, index=False, sep="\t" if form == "tsv" else ",")
    target = () if form == "npz" else ("--target", "kind")
    code, _, err = run("select", path, *target, "--size", 2, "--quiet", *QUICK, "--out", out)
    assert (code, err) == (0, "")
    read = read_table(out, None if form == "npz" else "kind")
    assert list(read.names) == ["a", "b"]
    np.testing.assert_allclose(read.X.to_numpy(dtype=float), frame[["a", "b"]].to_numpy())
    np.testing.assert_array_equal(read.y, frame.kind)
    if form == "tsv":
        assert "\t" in out.read_text().splitlines()[0]


def test_sparse_file(tmp_path):
    lines = [f"{i % 2} 1:{1 + i % 2} 2:{(i * 7) % 5} 3:{(i * 3) % 4}" for i in range(40)]
    path, out = tmp_path / "data.svm", tmp_path / "reduced.svm"
    path.write_text("\n".join(lines) + "\n")
    model = tmp_path / "model.skops"
    words = ("--size", 1, "--quiet", *QUICK, "--out", out, "--model", model)
    code, _, err = run("select", path, *words)
    assert (code, err) == (0, "")
    assert read_table(out).X.shape == (40, 1)
    code, text, err = run("apply", model, path, "--quiet")
    assert (code, err) == (0, "")
    assert len(text.splitlines()) == 41


def test_regression_is_in_the_units_of_the_file(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc"))
    frame["price"] = 1e5 + 2e4 * frame.a + 1e3 * rng.normal(size=40)
    path, out, model = tmp_path / "d.csv", tmp_path / "all.json", tmp_path / "m.skops"
    frame.to_csv(path, index=False)
    words = ("--C", 100, "--gamma", "scale", "--cv", 2, "--scoring", "mse", "--size", 1, "--quiet")
    code, _, err = run("select", path, "--target", "price", *words, "--json", out, "--model", model)
    assert (code, err) == (0, "")
    content = json.loads(out.read_text())
    assert content["selection"]["features"] == ["a"]
    guess = {b["name"]: b["value"] for b in content["evaluation"]["baselines"]}["guessing"]
    assert guess == pytest.approx(frame.price.var(), rel=0.2)
    assert content["evaluation"]["value"] < 0.2 * guess
    code, text, _ = run("apply", model, path, "--quiet")
    predicted = pd.read_csv(pd.io.common.StringIO(text))["predicted price"]
    assert np.corrcoef(predicted, frame.price)[0, 1] > 0.95
    assert predicted.mean() == pytest.approx(1e5, rel=0.1)
    before = Model.read(model)  # as the command wrote it when it standardised the target itself
    scale = {"centre": before.sieve.target_mean_, "spread": before.sieve.target_deviation_}
    before.schema.update(scale, format=3)
    del before.sieve.target_mean_, before.sieve.target_deviation_
    before.write(model)
    assert run("apply", model, path, "--quiet")[1] == text


def test_groups_keep_and_drop(tmp_path):
    frame = small_table().rename(columns={"u": "probe_1", "v": "probe_2"})
    path, out = tmp_path / "d.csv", tmp_path / "all.json"
    frame.to_csv(path, index=False)
    words = ("--keep", "colour", "--drop", "w", "--group-by-prefix", "_", "--size", 2, "--quiet")
    code, _, err = run("select", path, "--target", "kind", *words, *QUICK, "--json", out)
    assert (code, err) == (0, "")
    content = json.loads(out.read_text())
    assert sorted(content["ranking"]["names"]) == ["a", "b", "colour", "probe"]
    assert "colour" in content["selection"]["features"]


def test_linear_kernel_is_tuned(tmp_path):
    words = ("--kernel", "linear", "--cv", "2", "--criterion", "weight", "--size", 2, "--quiet")
    out = tmp_path / "all.json"
    code, _, err = run("select", write_small(tmp_path), "-t", "kind", *words, "--json", out)
    assert (code, err) == (0, "")
    content = json.loads(out.read_text())
    assert content["used"]["tuned"]
    assert set(content["selection"]["features"]) == {"a", "b"}


def test_the_rule_of_tuning_reaches_the_sieve(tmp_path, monkeypatch):
    seen = []

    def made(*given, **options):
        seen.append(options["tuning"])
        return SVMSieve(*given, **options)

    monkeypatch.setattr("svmsieve.studies.running.SVMSieve", made)
    words = ("--kernel", "linear", "--cv", 2, "--criterion", "weight", "--size", 2, "--quiet")
    code, _, err = run("select", write_small(tmp_path), "-t", "kind", *words, "--tuning", "1se")
    assert (code, err) == (0, "")
    assert set(seen) == {"1se"}


@pytest.mark.parametrize("search", ["forward", "hill-climb"])
def test_forward_searches_are_compared_with_all_features(search, tmp_path):
    out = tmp_path / "all.json"
    options = {**dict(zip(QUICK[::2], QUICK[1::2], strict=True)), "--search": search}
    words = [word for pair in options.items() for word in pair]
    code, _, err = run(
        "select", write_small(tmp_path), "-t", "kind", *words, "--size", 2, "--quiet", "--json", out
    )
    assert (code, err) == (0, "")
    names = [b["name"] for b in json.loads(out.read_text())["evaluation"]["baselines"]]
    assert names[0] == "all features"
    assert names[-1] == "guessing"


def test_how_a_file_is_written_may_be_said(tmp_path):
    frame = small_table()[["a", "b", "kind"]]
    frame["a"] = [f"{value:.3f}".replace(".", ",") for value in frame.a + 10]
    path, out = tmp_path / "d.csv", tmp_path / "all.json"
    frame.to_csv(path, index=False, header=False, sep="\t")
    words = ("--decimal", ",", "--no-header", "--size", 2, "--quiet", *QUICK, "--json", out)
    code, _, err = run("select", path, "--target", "2", *words)
    assert (code, err) == (0, "")
    content = json.loads(out.read_text())
    assert len(content["ranking"]["names"]) == 2
    assert content["data"]["rows"] == 40
    code, _, err = run("select", path, "--target", "2", "--decimal", "x", *QUICK)
    assert code == 2
    assert "decimal must be" in err


def test_compare(tmp_path):
    out, page = tmp_path / "all.json", tmp_path / "report.html"
    options = dict(zip(QUICK[::2], QUICK[1::2], strict=True))
    del options["--criterion"]
    words = [word for pair in options.items() for word in pair]
    code, text, err = run(
        *("compare", write_small(tmp_path), "-t", "kind", "--criteria", "f-score,s2n", *words),
        *("--size", 2, "--quiet", "--json", out, "--report", page),
    )
    assert (code, err) == (0, "")
    assert "f-score" in text
    content = json.loads(out.read_text())
    assert [m["name"] for m in content["comparison"]["methods"]][:2] == ["f-score", "s2n"]
    assert len(content["comparison"]["tests"]) == 3
    assert 'id="tests"' in page.read_text()
    code, _, err = run("compare", tmp_path / "small.csv", "-t", "kind", "--criteria", "f-score")
    assert code == 2
    assert "--criteria" in err


def test_reproduce_refuses_what_there_is_not():
    assert run("reproduce", "nobody1999", "--table", "1")[0] == 2
    assert run("reproduce", "yang2010")[0] == 2
    assert run("reproduce", "yang2010", "--table", "99")[0] == 2


def test_reproduce_prints_and_writes_cells_and_claims(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    out, page = tmp_path / "all.json", tmp_path / "report.html"
    words = ("reproduce", "shen2008", "--figure", "2b", "--trials", 2, "--quiet")
    code, text, _ = run(*words, "--json", out, "--report", page)
    assert code == 0
    result = papers.run("shen2008", figure="2b", trials=2)
    content = json.loads(out.read_text())
    assert [cell["obtained"] for cell in content["cells"]] == [c.obtained for c in result.cells]
    claim = result.claims[1]
    (row,) = [line for line in text.splitlines() if line.startswith(claim.text)]
    shown = [f"{claim.difference:.4g}", f"{claim.p:.4g}", claim.verdict]
    assert row.removeprefix(claim.text).rstrip().split(maxsplit=2) == shown
    assert claim.text in page.read_text()


def test_reproduce_warns_of_few_trials_and_shows_remarks(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    study = papers.studies("rakotomamonjy2003")["linear"]
    monkeypatch.setattr(type(study), "method_names", ("SVM", "Corr"))
    words = ("reproduce", "rakotomamonjy2003", "--table", "1", "--trials", 2, "--quiet")
    code, text, err = run(*words)
    assert code == 0
    assert "2 trials of 100" in err
    assert "as ‖w_i‖²: one result" in text
    other = run(*words, "--seed", 1)[1]
    assert other != text
    assert run(*words, "--seed", 0)[1] == text
    help_text = run("reproduce", "--help")[1]
    assert "Trials at a time" in help_text


def test_progress_is_plain_lines_without_a_terminal(tmp_path, monkeypatch):
    monkeypatch.setattr("svmsieve.studies.stages._QUIET_FOR", 0.0)
    code, out, err = run("select", write_small(tmp_path), "-t", "kind", "--size", 2, *QUICK)
    assert code == 0
    assert "Selecting (40 rows, 6 features)" in err
    assert "left" in err
    assert "\x1b" not in err + out


def test_a_run_goes_on_from_its_record(tmp_path, monkeypatch):
    path, record = write_small(tmp_path), tmp_path / "run.jsonl"
    words = ("select", path, "-t", "kind", "--size", 2, "--quiet", *QUICK)
    first, second = tmp_path / "1.json", tmp_path / "2.json"
    assert run(*words, "--resume", record, "--json", first)[0] == 0
    lines = record.read_text().splitlines()
    record.write_text("\n".join(lines[:3]) + "\n")
    assert run(*words, "--resume", record, "--json", second)[0] == 0
    results = [json.loads(file.read_text()) for file in (first, second)]
    for key in ("selection", "ranking", "curve", "confusion"):
        assert results[0][key] == results[1][key]
    code, _, err = run(*words, "--seed", "1", "--resume", record)
    assert code == 2
    assert "another run" in err
    record.unlink()
    assert run(*words, "--seed", "1", "--resume", record)[0] == 0  # removed: started again, wholly


def has_a_step(record):
    return record.exists() and record.read_bytes().count(b"\n") > 1  # the first line is the header


def test_interrupted_run_says_how_to_go_on(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 40)), columns=[f"x{i}" for i in range(40)])
    frame["kind"] = rng.integers(0, 2, 300)
    path, record = tmp_path / "d.csv", tmp_path / "run.jsonl"
    frame.to_csv(path, index=False)
    command = [sys.executable, "-m", "svmsieve.cli", "select", str(path), "-t", "kind"]
    command += ["--resume", str(record)]
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
        preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.SIG_DFL
        ),  # a job in the background has none
    )
    while process.poll() is None and not has_a_step(record):  # however long the machine takes
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert f"--resume {record}" in err
    assert "Traceback" not in err
    assert record.stat().st_size > 0
