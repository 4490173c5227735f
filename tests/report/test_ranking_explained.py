"""The ranking is the order of something the table shows, and no rank is outside its own interval."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console
from sklearn.svm import SVC

from svmsieve import SVMSieve
from svmsieve.evaluation import nested_evaluate
from svmsieve.report import describe, to_markdown
from svmsieve.report.terminal import print_report

SIEVES = {
    "default": (SVMSieve(cv=2), "mean rank"),
    "kept": (SVMSieve(cv=2, keep=[5], groups=[[0, 6], [2, 3]]), "mean rank"),
    "elimination": (SVMSieve(SVC(), criterion="fspp2", cv=3), "leaves at"),
    "elimination by halves": (SVMSieve(SVC(), criterion="fspp2", step=0.5, cv=3), "leaves at"),
    "to a size": (
        SVMSieve(SVC(), criterion="weight-gradient", n_features_to_select=3),
        "leaves at",
    ),
    "once": (SVMSieve(SVC(), criterion="f-score", search="once", cv=3), "score"),
    "forward": (SVMSieve(SVC(), search="forward", cv=3, n_features_to_select=4), "enters at"),
    "hill-climb": (SVMSieve(SVC(), criterion="f-score", search="hill-climb", cv=3), "enters at"),
    "stable": (
        SVMSieve(SVC(), criterion="f-score", n_features_to_select="stable"),
        "half samples",
    ),
}


def data():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 30)
    X = rng.normal(size=(60, 8))
    X[:, 1] += 1.0 * (y == "b")
    X[:, 6] -= 0.7 * (y == "b")
    return X, y


@pytest.mark.parametrize("name", SIEVES)
def test_the_table_goes_down_in_what_it_says(name):
    X, y = data()
    sieve, by = SIEVES[name]
    content = describe(sieve.fit(X, y), X, y, evaluation=nested_evaluate(sieve, X, y, 3))
    ranking = content["ranking"]
    assert ranking["by"] == by
    kept = 1 if name == "kept" else 0
    if by in ("score", "half samples"):
        values = -np.array(ranking["scores" if by == "score" else "half_samples"])
        assert ranking["positions"] is None
    else:
        values = np.array([np.inf if at is None else at for at in ranking["positions"]])
    finite = values[np.isfinite(values)]
    assert (np.diff(finite[kept:]) >= -1e-9).all()
    assert np.isfinite(values[: len(finite)]).all()  # what never entered is last
    ranks = np.arange(1, len(values) + 1)
    assert (np.array(ranking["lowest_rank"]) <= ranks).all()
    assert (np.array(ranking["highest_rank"]) >= ranks).all()


@pytest.mark.parametrize("name", ["default", "elimination", "once"])
def test_every_view_says_what_the_rank_is(name):
    X, y = data()
    sieve, by = SIEVES[name]
    content = describe(sieve.fit(X, y))
    console = Console(width=200, record=True, file=io.StringIO())
    print_report(content, console)
    for text in (console.export_text(), to_markdown(content)):
        assert by in text
        assert "Rank: " in text
