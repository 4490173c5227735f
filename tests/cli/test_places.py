"""Where a table comes from: standard input, an address, a folder."""

from __future__ import annotations

import io
import sys

import pandas as pd
import pytest

from tests.cli.running import QUICK, run, small_table, write_small

SELECT = ("--target", "kind", "--size", "2", "--quiet", *QUICK)


class Piped(io.TextIOWrapper):
    """Standard input that is no terminal."""

    def isatty(self):
        return False


def pipe(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", Piped(io.BytesIO(content)))


def test_standard_input_is_read_as_the_file_is(tmp_path, monkeypatch):
    path, model = write_small(tmp_path), tmp_path / "a.skops"
    code, expected, _ = run("select", path, *SELECT)
    assert code == 0
    pipe(monkeypatch, path.read_bytes())
    out = tmp_path / "x.csv"
    code, printed, err = run("select", "-", *SELECT, "--model", model, "--out", out)
    assert (code, err) == (0, "")
    own = ("Time", "Next:", "    svmsieve")  # how to go on depends on what was asked for
    lines = [line for line in expected.splitlines()[1:] if not any(word in line for word in own)]
    same = [line for line in lines if line]
    assert [line for line in printed.splitlines() if line in same] == same
    assert printed.splitlines()[0].endswith("standard input")
    assert pd.read_csv(out).columns.tolist() == ["a", "b", "kind"]
    pipe(monkeypatch, path.read_bytes())
    _, piped, _ = run("apply", model, "-", "--quiet")
    assert piped == run("apply", model, path, "--quiet")[1]


def test_what_is_wrong_with_standard_input_is_told_by_that_name(tmp_path, monkeypatch):
    pipe(monkeypatch, b"a,b\n1,2\n3,4\n")
    code, _, err = run("select", "-", "--target", "kind")
    assert code == 2
    assert "standard input has no column 'kind'" in err
    pipe(monkeypatch, b"a,b\n" + b"1,2\n" * 10**6)
    code, _, err = run("select", "-", "--target", "b", "--memory", "1MB")
    assert code == 2
    assert "standard input would take more than" in err


@pytest.mark.parametrize("command", ["select", "compare"])
def test_addresses_and_folders_of_mixed_files(tmp_path, command):
    code, _, err = run(command, "https://example.org/a.csv?b=[1]", "--target", "kind")
    assert code == 2
    assert "'https://example.org/a.csv?b=[1]' is an address; download it first" in err
    folder = tmp_path / "data"
    folder.mkdir()
    small_table().to_csv(folder / "a.csv", index=False)
    code, _, err = run(command, folder, "--target", "kind")
    assert code == 2
    assert "'a.csv' (1 csv)" in err
    assert "give" in err
    small_table().to_parquet(folder / "b.parquet")
    code, _, err = run(command, folder, "--target", "kind")
    assert code == 2
    assert "'a.csv', 'b.parquet' (1 csv, 1 parquet)" in err
