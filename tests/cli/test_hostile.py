"""Files nobody wishes to meet: each works, or gets one sentence and exit code 2."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from tests.cli.running import QUICK, run, small_table, write_small

SCRIPT = "<script>alert('x')</script>"


def _renamed(names):
    frame = small_table()
    return frame.rename(columns=dict(zip(["a", "b", "u"], names, strict=True)))


def _csv(frame, **options):
    return lambda path: frame.to_csv(path, index=False, **options)


def _bytes(content):
    return lambda path: path.write_bytes(content)


def _classes(n_classes, rows_each, extra=()):
    rng = np.random.default_rng(0)
    labels = [f"c{i}" for i in range(n_classes) for _ in range(rows_each)] + list(extra)
    lines = ["a,b,kind"] + [f"{rng.normal():.4f},{rng.normal():.4f},{label}" for label in labels]
    return _bytes("\n".join(lines).encode())


def _with_column(name, values):
    frame = small_table()
    frame[name] = values
    return frame


REFUSED = {
    "no file": (None, "no file"),
    "empty": (_bytes(b""), "empty"),
    "header only": (_bytes(b"a,b,kind\n"), "no rows"),
    "binary": (_bytes(bytes(range(256)) * 40), ""),
    "truncated gzip": (_bytes(gzip.compress(b"a,b,kind\n1,2,x\n" * 50)[:40]), ""),
    "missing target": (_csv(small_table().drop(columns="kind")), "no column 'kind'"),
    "target twice": (_bytes(b"a,kind,kind\n1,x,y\n2,y,x\n3,x,y\n4,y,x\n"), "more than one column"),
    "one class": (_csv(small_table().assign(kind="no")), "two classes"),
    "a class with one row": (_classes(2, 10, ["alone"]), "alone (1)"),
    "200 classes": (_classes(200, 2), "too few rows"),
    "dates as target": (
        _csv(small_table().assign(kind=[f"2020-01-{i % 28 + 1:02d}" for i in range(40)])),
        "dates",
    ),
    "infinite": (_csv(_with_column("inf", [np.inf] + [1.5] * 20 + [2.5] * 19)), "infinite"),
    "ragged": (_bytes(b"a,b,kind\n1,2,x\n1,2,3,4,x\n2,1,y\n"), "line 3"),
    "only the target": (_csv(small_table()[["kind"]]), ""),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_in_one_sentence(case, tmp_path):
    write, words = REFUSED[case]
    path = tmp_path / "data.csv"
    if write is not None:
        write(path)
    code, out, err = run("select", path, "--target", "kind", "--quiet", *QUICK)
    assert code == 2
    assert words in err
    assert err.startswith("svmsieve: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert out == ""


USED = {
    "markup": _csv(_renamed([SCRIPT, "b & 'c' \"d\"", "</script><img src=x>"])),
    "newline": _csv(_renamed(["two\nlines", "tab\there", "\x1b[31mred"])),
    "10 000 characters": _csv(_renamed(["n" * 10_000, "b", "u"])),
    "formula": _csv(_renamed(["=cmd|' /C calc'!A0", "@sum(1)", "+1+1"])),
    "semicolons": _csv(small_table(), sep=";", decimal=","),
    "tabs": _csv(small_table(), sep="\t"),
    "duplicate names": lambda path: (
        small_table().rename(columns={"b": "a"}).to_csv(path, index=False)
    ),
    "dates among the features": _csv(
        _with_column("day", [f"2020-01-{i % 28 + 1:02d}" for i in range(40)])
    ),
    "Latin-1": lambda path: (
        small_table().rename(columns={"a": "Größe"}).to_csv(path, index=False, encoding="latin-1")
    ),
    "12 classes": _classes(12, 4),
}


@pytest.mark.parametrize("case", USED)
def test_used(case, tmp_path):
    path = tmp_path / "data.csv"
    USED[case](path)
    files = {end: tmp_path / f"result.{end}" for end in ("html", "json", "csv")}
    code, out, err = run(
        *("select", path, "--target", "kind", "--quiet", "--size", 2, *QUICK),
        *("--report", files["html"], "--json", files["json"], "--ranking", files["csv"]),
    )
    assert (code, err) == (0, "")
    assert "2 of " in out
    assert "\x1b" not in out
    page = files["html"].read_text()
    assert "<script>alert" not in page
    assert "<img src=x>" not in page
    content = json.loads(files["json"].read_text())
    assert content["selection"]["size"] == 2
    for line in files["csv"].read_text().splitlines():
        fields = line.replace('"', "").split(",")
        assert len(fields) < 2 or not fields[1].startswith(("=", "@", "+1"))


def test_wrong_delimiter_is_named(tmp_path):
    path = write_small(tmp_path)
    code, _, err = run("select", path, "--target", "kind", "--delimiter", ";", "--quiet")
    assert code == 2
    assert "','" in err


def test_file_larger_than_the_memory_is_not_read(tmp_path):
    path = tmp_path / "large.csv"
    row = ",".join(["0.123456"] * 50) + ",x\n"
    path.write_text(",".join(f"c{i}" for i in range(50)) + ",kind\n" + row * 4000)
    code, _, err = run("select", path, "--target", "kind", "--memory", "500kB", "--quiet")
    assert code == 2
    assert "memory" in err


def test_kernel_larger_than_the_memory_is_refused(tmp_path):
    path = write_small(tmp_path)
    code, _, err = run("select", path, "--target", "kind", "--memory", "20kB", "--quiet", *QUICK)
    assert code == 2
    assert "memory" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--memory", "lots"), "--memory"),
        (("--criterion", "fspp9"), "fspp"),
        (("--search", "brute"), "search"),
        (("--size", "half"), "--size must be a number"),
        (("--kernel", "sigmoid"), "--kernel"),
        (("--C", "-1"), "--C"),
        (("--gamma", "wide"), "--gamma"),
        (("--tuning", "1se"), "leave out --C and --quick, or --tuning"),
        (("--scoring", "beauty"), "scoring"),
        (("--keep", "nothing"), "nothing"),
        (("--drop", "nothing"), "nothing"),
        (("--report", "report.pdf"), ".html"),
        (("--out", "no/such/folder/x.csv"), "folder"),
        (("--task", "guess"), "task"),
    ],
)
def test_bad_options(words, said, tmp_path):
    options = dict(zip(QUICK[::2], QUICK[1::2], strict=True)) | {words[0]: words[1]}
    given = [word for pair in options.items() for word in pair]
    code, _, err = run("select", write_small(tmp_path), "--target", "kind", "--quiet", *given)
    assert code == 2
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--keep", "kind"], "--keep names the target 'kind'"),
        (["--drop", "kind"], "--drop names the target 'kind'"),
        (["--keep", "a", "--drop", "a"], "--keep and --drop both name 'a'"),
        (["--jobs", "0"], "give a number from 1, or -1 for all cores"),
        (["--scoring", "r2"], "--scoring r2 is for numbers, and the target holds classes"),
        (["--scoring", "mse"], "--scoring mse is for numbers"),
    ],
)
def test_options_that_make_no_sense(tmp_path, options, message):
    code, _, err = run("select", write_small(tmp_path), "--target", "kind", *QUICK, *options)
    assert code == 2
    assert message in " ".join(err.split())


def _numbers(scale, n=20):
    rng = np.random.default_rng(0)
    lines = [f"{rng.normal():.4f},{rng.normal():.4f},{scale * rng.normal()!r}" for _ in range(n)]
    return "\n".join(["a,b,price", *lines]) + "\n"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (_numbers(1e300), [], "target 'price' has values from"),
        (_numbers(1e-300), [], "give it another unit"),
        (_numbers(1.0, n=3), [], "has 3 rows with a target, too few to be held out"),
        (_numbers(1.0), ["--scoring", "auc"], "--scoring auc is for classes"),
        (_numbers(1.0).replace("-0.1321", "-1e300", 1), [], "holds values beyond 1e+150"),
    ],
)
def test_numbers_that_cannot_be_used(tmp_path, text, options, message):
    path = tmp_path / "numbers.csv"
    path.write_text(text)
    words = ("--task", "regression", "--C", 1, "--gamma", "scale", "--cv", 2, "--size", 1)
    code, _, err = run("select", path, "--target", "price", *words, "--quiet", *options)
    assert code == 2
    assert message in " ".join(err.split())
