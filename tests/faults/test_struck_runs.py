"""Runs that are killed, or stopped by Ctrl-C, at random moments, and resumed: the result is the same."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.faults.counts import MANY, count, told

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="its runs are forked"),
    pytest.mark.timeout(3600),
]
SEED = 20
LINES = re.compile(r"lines? (is|are) (lost|out of order|doubled|left out)")


def struck(kind, folder, n, *names):
    """Strike runs n times; return what became of them."""
    program = [sys.executable, Path(__file__).with_name("runs.py"), kind, folder]
    threads = {f"{each}_NUM_THREADS": "1" for each in ("OMP", "OPENBLAS", "NUMBA")}
    output = subprocess.run(  # a process with threads is better not forked
        [*program, str(n), str(SEED), *names],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env={**os.environ, **threads},
    ).stdout
    results = [json.loads(line) for line in output.splitlines()]
    for result in results:
        assert result["same"], result
        said = result["messages"] + result["last"]
        assert "Traceback" not in said, result
        # A record that ends early is whole, also one that workers wrote side by side.
        assert not LINES.search(said), result
    by_name = Counter({name: 0 for name in names})
    for result in results:
        by_name[result["name"]] += len(result["codes"])
    assert by_name.total() >= n
    told(f"{by_name.total()} runs struck by {kind}: {dict(by_name)}")
    return results


def test_a_killed_run_goes_on_to_the_same_result(tmp_path):
    names = ("fit", "nested", *2 * ("select", "compare", "fit", "nested"), "reproduce")
    for result in struck("kill", tmp_path, count(4, 110), *names[: count(2, 11)]):
        assert set(result["codes"]) <= {-9}


def test_ctrl_c_ends_a_command_at_once_and_says_how_to_go_on(tmp_path):
    names = (*3 * ("select", "tuned", "compare"), "reproduce")
    results = struck("ctrl-c", tmp_path, count(3, 100), *names[: count(1, 10)])
    delays = sorted(delay for result in results for delay in result["delays"])
    told(f"ended after {delays[len(delays) // 2]:.2f} s (median), {delays[-1]:.2f} s (longest)")
    for result in results:
        assert set(result["codes"]) <= {130}, result
        assert result["messages"].count("Interrupted.") == len(result["codes"])
        assert result["messages"].count("--resume") == len(result["codes"])
        if MANY:  # a machine that does other things meanwhile may take any time
            assert max(result["delays"], default=0) <= 3
    assert not list(tmp_path.glob("*/*.lock"))
