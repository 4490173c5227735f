"""Running a study: units in any order, anywhere, interrupted or not."""

from __future__ import annotations

import pytest
from joblib import parallel_backend

from svmsieve.papers import PAPERS, Only, collect, run, studies, views

QUICK = {"trials": 2, "only": Only(("Corr", "∇‖w‖²"))}


@pytest.fixture(scope="module")
def uninterrupted():
    return collect("rakotomamonjy2003", "nonlinear", **QUICK)


def test_result_does_not_depend_on_the_number_of_workers(uninterrupted):
    with parallel_backend("threading"):
        parallel = collect("rakotomamonjy2003", "nonlinear", n_jobs=2, **QUICK)
    assert parallel.values == uninterrupted.values


def test_an_interrupted_run_goes_on_and_ends_the_same(uninterrupted, tmp_path):
    record = tmp_path / "run.jsonl"
    collect("rakotomamonjy2003", "nonlinear", checkpoint=record, trials=1, only=Only(("Corr",)))
    lines = record.read_bytes().splitlines(keepends=True)
    record.write_bytes(b"".join(lines[:4]) + lines[4][:20])  # cut short in the middle of a line
    resumed = collect("rakotomamonjy2003", "nonlinear", checkpoint=record, **QUICK)
    assert resumed.values == uninterrupted.values
    assert len(record.read_bytes().splitlines()) == 1 + 2 * 2 * 6
    again = collect("rakotomamonjy2003", "nonlinear", checkpoint=record, **QUICK)
    assert again.seconds == resumed.seconds  # nothing was run again


def test_a_record_of_another_seed_is_refused(tmp_path):
    record = tmp_path / "run.jsonl"
    options = {"trials": 1, "only": Only(("Corr",)), "checkpoint": record}
    collect("rakotomamonjy2003", "nonlinear", **options)
    with pytest.raises(ValueError, match="seed"):
        collect("rakotomamonjy2003", "nonlinear", seed=1, **options)


def test_run_puts_published_beside_obtained(monkeypatch):
    study = studies("rakotomamonjy2003")["nonlinear"]
    monkeypatch.setattr(type(study), "method_names", ("Corr",))
    result = run("rakotomamonjy2003", table=2, trials=2)
    cell = result.cell("Corr", "100")
    assert cell.published == 0.4948
    assert 0.3 < cell.obtained < 0.6
    assert cell.n_trials == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "either table or figure; yang2010 has: table 1, table 2"),
        ({"table": 1, "figure": 2}, "either table or figure"),
        ({"table": 9}, "yang2010 has no table 9"),
        ({"table": 1, "trials": 0}, "trials must be a whole number of at least 1, got 0"),
        ({"table": 1, "trials": 1.5}, "trials must be a whole number of at least 1, got 1.5"),
        ({"table": 1, "trials": "2"}, "trials must be a whole number of at least 1, got '2'"),
    ],
)
def test_what_is_not_there_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        run("yang2010", **options)


def test_no_more_trials_than_folds():
    with pytest.raises(ValueError, match=r"trials must be at most 10, the folds of .* got 11\.$"):
        run("heiler2001", table=1, trials=11)
    most = {study.most_trials for paper in PAPERS for study in studies(paper).values()}
    assert most == {None, 1, 10}


def test_some_conditions_may_be_run(uninterrupted):
    only = Only(QUICK["only"].methods, ("20",))
    some = collect("rakotomamonjy2003", "nonlinear", trials=2, only=only)
    assert some.values["20"] == uninterrupted.values["20"]
    assert not any(some.values["10"].values())


@pytest.mark.parametrize("paper", PAPERS)
def test_methods_that_a_study_does_not_run_are_not_asked_for(paper):
    for study in studies(paper).values():
        for condition in study.conditions:
            assert any(study.runs(condition, method) for method in study.method_names)


def test_an_unknown_paper_is_refused():
    with pytest.raises(ValueError, match="paper must be one of"):
        views("knuth1968")
