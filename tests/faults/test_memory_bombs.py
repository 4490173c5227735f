"""The memory limit holds whatever a file is: bombs are refused, and tables that are read fit into it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="peaks of memory are asked of Unix")
from tests.faults.bombs import BOMBS, MB, TABLES
from tests.faults.counts import MANY, told

LIMIT = 50e6
FEW_TABLES = ("columns.npz", "digits.csv", "lines.jsonl", "text.parquet")


def format_and_name(name):
    return name.partition(".")[2], name


def peaks(folder, files, limit):
    """Read each file in a process of its own; return what each gave, and the peak with a small one."""
    for name, content in files.items():
        (folder / name).write_bytes(content())
    program = [sys.executable, Path(__file__).with_name("bombs.py"), folder, str(limit)]
    answer = subprocess.run(program, stdout=subprocess.PIPE, text=True, check=True).stdout
    results = [json.loads(line) for line in answer.splitlines()]
    assert {result["name"] for result in results} == set(files)
    return results


def test_bombs_are_refused_within_the_limit(tmp_path):
    names = sorted(BOMBS, key=format_and_name)[:: 1 if MANY else 5]
    results = peaks(tmp_path, {name: BOMBS[name] for name in names}, LIMIT)
    for result in results:
        assert (tmp_path / result["name"]).stat().st_size < 6 * MB
        assert result["peak"] <= LIMIT + 300 * MB, result
        assert isinstance(result["found"], str), result
        assert result["found"].startswith(f"'{tmp_path / result['name']}'"), result
    told(f"{len(results)} bombs, peak {max(r['peak'] for r in results) / MB:.0f} MB, limit 50 MB")


def test_a_table_that_is_read_fits_into_the_limit(tmp_path):
    """With the least limit that lets it pass, beside what the libraries take to read a small one."""
    names = sorted(TABLES) if MANY else FEW_TABLES
    results = peaks(tmp_path, {name: TABLES[name] for name in names}, 0)
    for result in results:
        assert "killed" not in str(result["found"]), result
        assert result["peak"] - result["before"] <= result["limit"] + 20 * MB, result
