"""``svmsieve.study``: the command line's procedure, from a notebook."""

import json

import numpy as np
import pandas as pd
import pytest

import svmsieve
from svmsieve.datasets import DataError
from svmsieve.datasets.errors import DataWarning

RNG = np.random.default_rng(2)
N = 120
FRAME = pd.DataFrame(
    {
        "age": RNG.normal(size=N),
        "colour": RNG.choice(["red", "green", "blue"], N),
        "noise": RNG.normal(size=N),
        "id": [f"patient {i}" for i in range(N)],
    }
)
FRAME["kind"] = np.where(FRAME["age"] + (FRAME["colour"] == "red") > 0.3, "yes", "no")
FRAME.loc[3, "age"] = np.nan
FRAME.loc[[5, 9], "kind"] = None
OPTIONS = {"quick": True, "quiet": True}


@pytest.fixture(scope="module")
def found():
    return svmsieve.study(FRAME, "kind", **OPTIONS)


def test_a_frame_and_its_file_come_to_the_same(found, tmp_path):
    FRAME.to_csv(tmp_path / "table.csv", index=False)
    read = svmsieve.study(tmp_path / "table.csv", "kind", **OPTIONS)
    assert read.features == found.features
    assert read.verdict == found.verdict
    assert read.name == "table.csv"
    told = [" ".join(each.warnings) for each in (read, found)]
    assert all("2 rows without a value of the target" in each for each in told)
    assert all("'id'" in each for each in told)


def test_what_was_found(found, tmp_path):
    assert "age" in found.features
    assert found.verdict.startswith(f"{found.sieve.n_units_} of 3 features")
    assert found.evaluation.mean > 0.5
    found.report(tmp_path / "report.json")
    assert json.loads((tmp_path / "report.json").read_text())["selection"]
    assert "<" in found._repr_html_()
    assert found.verdict in repr(found)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"target": "kindd"}, DataError, "kind"),
        ({"task": "regresion"}, DataError, "task must be"),
        ({"criterium": "fspp2"}, TypeError, "did you mean 'criterion'"),
        ({"cv": "three"}, ValueError, "cv must be a whole number"),
    ],
)
def test_what_is_wrong_is_said(options, error, words):
    target = options.pop("target", "kind")
    with pytest.raises(error, match=words):
        svmsieve.study(FRAME, target, **OPTIONS, **options)


def test_a_table_that_misleads_warns():
    from svmsieve.datasets.frames import table_of_frame

    with pytest.warns(DataWarning, match="id"):
        table_of_frame(FRAME.dropna(), "kind")
