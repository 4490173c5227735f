"""``select`` whose outer folds are shared out over processes."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from svmsieve import study
from tests.runtime.test_other_processes import alive

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(90, 4)), columns=list("abcd"))
    return X.assign(kind=np.where(X.a * X.b + 0.2 * rng.normal(size=90) > 0, "up", "down"))


def without_time(content):
    """The answer without seconds and dates, and the number of processes in the command that repeats it."""
    times = ("seconds", "created")
    if isinstance(content, dict):
        return {key: without_time(value) for key, value in content.items() if key not in times}
    if isinstance(content, list):
        return [without_time(value) for value in content]
    return content.replace("--jobs 2", "--jobs 1") if isinstance(content, str) else content


def test_ctrl_c_ends_all_of_them_and_the_rest_goes_on_to_the_same_answer(table, tmp_path):
    file, record = tmp_path / "table.csv", tmp_path / "run.jsonl"
    table.to_csv(file, index=False)
    command = [sys.executable, "-m", "svmsieve", "select", file, "-t", "kind", "--resume", record]
    command += ["--cv", "2"]
    began = time.monotonic()
    with subprocess.Popen(
        [*command, "--jobs", "2"], stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as program:
        while not list(tmp_path.glob("*.evaluation.0-*")):  # the other process has begun a fold
            assert program.poll() is None, program.stderr.read()
            assert time.monotonic() - began < 120
            time.sleep(0.02)
        group = os.getpgid(program.pid)
        members = subprocess.run(["pgrep", "-g", str(group)], capture_output=True, text=True)
        os.killpg(group, signal.SIGINT)
        said = program.communicate(timeout=60)[1]
    assert program.returncode == 130
    assert said.count("Interrupted.") == 1
    assert "Traceback" not in said
    processes = [int(word) for word in members.stdout.split()]
    assert len(processes) > 1
    until = time.monotonic() + 20
    while any(map(alive, processes)) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(map(alive, processes))
    assert record.exists()
    found = []
    for jobs in ("2", "1"):
        json_file = tmp_path / "found.json"
        words = [*command, "--jobs", jobs, "--json", json_file, "--quiet"]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        found.append(without_time(json.loads(json_file.read_text())))
        record.unlink()
    assert found[0] == found[1]


@pytest.mark.parametrize("how", ["wrong target", "Ctrl-C", "kill"])
def test_processes_that_began_early_do_not_outlive_the_command(how, table, tmp_path):
    file = tmp_path / "table.csv"
    table.to_csv(file, index=False)
    target = "nothing" if how == "wrong target" else "kind"
    command = [sys.executable, "-m", "svmsieve", "select", file, "-t", target, "--jobs", "3"]
    processes = set()
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as it:
        while len(processes) < 3 and it.poll() is None:
            members = subprocess.run(["pgrep", "-g", str(it.pid)], capture_output=True, text=True)
            processes.update(map(int, members.stdout.split()))
        if how != "wrong target":
            os.killpg(it.pid, signal.SIGINT) if how == "Ctrl-C" else it.kill()
        said = it.communicate(timeout=60)[1]
    assert it.returncode == {"wrong target": 2, "Ctrl-C": 130, "kill": -signal.SIGKILL}[how]
    assert "Traceback" not in said
    assert len(processes) > 2
    until = time.monotonic() + 20
    while subprocess.run(["pgrep", "-g", str(it.pid)], capture_output=True).stdout:
        assert time.monotonic() < until, processes
        time.sleep(0.1)


def test_a_study_does_not_know_how_many_processes_made_it(table):
    options = {"criterion": "weight", "C": 1, "kernel": "linear", "cv": 2, "quiet": True}
    one, two = (study(table, "kind", jobs=jobs, **options) for jobs in (1, 2))
    np.testing.assert_array_equal(one.evaluation.scores, two.evaluation.scores)
    one, two = (json.loads(json.dumps(each.content, default=str)) for each in (one, two))
    assert without_time(one) == without_time(two)


@pytest.mark.parametrize("ignored", [False, True])
def test_what_cleans_up_is_silent_where_ctrl_c_is_ignored_too(ignored):
    program = (
        "import os; from svmsieve.cli import interrupt as i; i.end_at_ctrl_c(); print(os.environ)"
    )
    before = signal.signal(signal.SIGINT, signal.SIG_IGN if ignored else signal.default_int_handler)
    try:
        found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    finally:
        signal.signal(signal.SIGINT, before)
    assert "ignore:resource_tracker:UserWarning" in found.stdout, found.stderr
