"""The wait is told early and whole, with what --quick would take."""

from __future__ import annotations

import io
import json
import time
from dataclasses import replace

import numba
import numpy as np
import pandas as pd
import pytest

from svmsieve.cli.reading import Reading
from svmsieve.datasets.frames import table_of_frame
from svmsieve.runtime.compiled import seconds_compiling
from svmsieve.studies.choices import Choices
from svmsieve.studies.data import prepare
from svmsieve.studies.folds import FoldPlan
from svmsieve.studies.stages import Stage, _Lines
from svmsieve.studies.waiting import LONG, forecast, n_processes, selections
from tests.cli.running import QUICK, run, write_small


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc"))
    return prepare(table_of_frame(frame.assign(kind=["x", "y"] * 20), "kind"), Choices(repeats=1))


def test_a_short_wait_is_not_worth_a_word(data):
    say = forecast(data, Choices(), 1000, 100)
    assert say(0.99 * LONG / selections(data.folds)) is None
    assert say(1.01 * LONG / selections(data.folds)) is not None


@pytest.mark.parametrize(
    ("choices", "steps", "cores", "expected"),
    [
        (Choices(), 10_000, "4", 4),
        (Choices(), 10_000, "64", 8),  # each holds the table
        (Choices(), 10_000, "1", 1),
        (Choices(), 100, "4", 1),  # over before a process has begun
        (Choices(), None, "4", 1),
        (Choices(jobs=3), 100, "4", 3),
        (Choices(jobs=1), 10_000, "4", 1),
        (Choices(jobs=-1), 100, "4", 4),
    ],
)
def test_processes_share_the_folds_where_it_pays(
    data, choices, steps, cores, expected, monkeypatch
):
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", cores)
    monkeypatch.setattr("os.cpu_count", lambda: 64)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(64)), raising=False)
    assert n_processes(data, choices, steps) == expected


@pytest.mark.parametrize("jobs", [0, -2, 2.5, "2", True])
def test_a_number_of_processes_that_is_none_is_refused(jobs):
    with pytest.raises(ValueError, match="jobs must be a number of processes from 1, -1 for all"):
        Choices.of(jobs=jobs)


def test_processes_that_share_the_folds_shorten_what_is_told(data):
    alone, shared = (forecast(data, Choices(), 1000, 100, n) for n in (1, 2))
    assert alone(1000.0).startswith("The whole run takes about 1 h 10 min")
    assert shared(1000.0).startswith("The whole run takes about 35 min")


def test_the_whole_wait_is_told_with_that_of_quick(data):
    say = forecast(data, Choices(), 1000, 100)
    # one selection and five of four fifths of the rows: 4.2; with --quick 1 + 3·(2/3)² = 2.33
    assert say(100.0) == (
        "The whole run takes about 7 min 0 s, selection and outer folds; with --quick, roughly 23 s."
    )
    assert "--quick" not in forecast(data, Choices(quick=True), 1000, 100)(100.0)
    assert "--quick" not in forecast(data, Choices(), 1000, None)(100.0)
    more = forecast(replace(data, folds=FoldPlan(10, "auto")), Choices(), 1000, 100)(100.0)
    assert "15 min" in more


def test_it_is_said_once_when_a_tenth_is_done():
    said, file = [], io.StringIO()

    def words(seconds):
        said.append(seconds)
        return "The whole run takes long."

    stage = _Lines("Selecting", 50, words, file)
    for done in range(1, 51):
        stage.step()
        assert len(said) == (done >= 5)
    assert file.getvalue().count("The whole run takes long.") == 1


def test_the_time_includes_reading(tmp_path, monkeypatch):
    read = Reading.read

    def slow(self):
        time.sleep(0.4)
        return read(self)

    monkeypatch.setattr(Reading, "read", slow)
    out = tmp_path / "all.json"
    words = ("--target", "kind", "--size", 2, "--quiet", *QUICK, "--json", out)
    code, printed, err = run("select", write_small(tmp_path), *words)
    assert (code, err) == (0, "")
    content = json.loads(out.read_text())
    inside = content["evaluation"]["seconds"]
    assert content["done"]["seconds"] >= 0.4 + inside - 0.1
    assert f"Time: {content['done']['seconds']:.1f} s" in printed


def test_what_is_compiled_once_does_not_count():
    """A first run that compiled for 20 s said that the whole took 20 minutes."""
    told = []
    stage = Stage("Selecting", 1000, lambda seconds: told.append(seconds))
    before = seconds_compiling()
    numba.njit(lambda x: np.sort(x)[::2].sum())(np.arange(3.0))
    compiling = seconds_compiling() - before
    stage.done = 99
    stage.step()
    elapsed = time.monotonic() - stage.begun
    assert 0.0 < compiling < elapsed
    assert len(told) == 1
    assert 0.0 <= told[0] <= 10 * (elapsed - compiling) + 1e-6
