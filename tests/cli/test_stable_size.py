"""``--size stable``: half samples on the command line, in all that is written."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from tests.cli.running import QUICK, run


def table(tmp_path, effect):
    """Twelve columns, two of which matter if there is an effect."""
    rng = np.random.default_rng(0)
    y = np.repeat(["no", "yes"], 30)
    frame = pd.DataFrame(rng.normal(size=(60, 12)), columns=[f"x{i}" for i in range(12)])
    frame[["x3", "x7"]] += effect * (y == "yes")[:, None]
    frame["kind"] = y
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    return path


def test_shares_of_the_half_samples_are_in_all_outputs(tmp_path):
    page, everything, ranking = (tmp_path / name for name in ("page.md", "all.json", "ranking.csv"))
    words = ["--report", page, "--json", everything, "--ranking", ranking]
    path = table(tmp_path, 3.0)
    code, out, err = run("select", path, "--target", "kind", "--size", "stable", *QUICK, *words)
    assert code == 0, err
    assert "half samples" in out
    assert "false expected" in out
    content = json.loads(everything.read_text())
    assert set(content["selection"]["features"]) == {"x3", "x7"}
    shares = content["ranking"]["half_samples"]
    assert shares[:2] == [1.0, 1.0]
    assert len(shares) == 12
    assert [rule["rule"] for rule in content["choices"] if rule["chosen"]] == ["stable"]
    assert "| half samples |" in page.read_text()
    assert "Shah" in page.read_text()
    assert "**Criterion: f-score**" in page.read_text()
    assert pd.read_csv(ranking)["half_samples"].tolist() == pytest.approx(shares)


def test_where_nothing_is_stable_the_files_say_so(tmp_path):
    everything, page = tmp_path / "all.json", tmp_path / "page.html"
    path = table(tmp_path, 0.0)
    words = ("--target", "kind", "--size", "stable", "--quiet", *QUICK, "--json", everything)
    code, out, err = run("select", path, *words, "--report", page)
    assert code == 0, err
    assert "0 of 12 features selected" in out
    assert (
        "there is none that at least" in json.loads(everything.read_text())["selection"]["reason"]
    )
    assert page.exists()
