"""What a selection is compared with: in the same folds, honestly, recorded."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import SVC

import svmsieve.evaluation.fold_jobs as fold_jobs
from svmsieve.datasets.frames import table_of_frame
from svmsieve.evaluation import nested_evaluate
from svmsieve.studies.baselines import ALL, GUESSING, LINEAR, UNIVARIATE
from svmsieve.studies.choices import Choices
from svmsieve.studies.data import prepare
from svmsieve.studies.running import run

CHOICES = Choices(C="1", gamma="scale", cv=3, criterion="f-score", search="once")


def frame(regression=False, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(60, 6)), columns=list("abcdef"))
    X["kind"] = rng.choice(["red", "green", "blue"], 60)
    signal = X["a"] - X["c"] + 1.0 * (X["kind"] == "red")
    X["target"] = (
        signal + 0.1 * rng.normal(size=60) if regression else np.where(signal > 0, "y", "n")
    )
    return X


def studied(regression=False, choices=CHOICES, record=None, table=None):
    task = "regression" if regression else "classification"
    if regression:
        choices = Choices(**{**vars(choices), "criterion": "correlation"})
    table = frame(regression) if table is None else table
    prepared = prepare(table_of_frame(table, "target", task=task, groups=None, keep=()), choices)
    return prepared, run(prepared, choices, record, quiet=True)


@pytest.mark.parametrize("regression", [False, True])
def test_all_are_there_and_of_the_same_folds(regression):
    _, result = studied(regression)
    assert list(result.baselines) == [ALL, UNIVARIATE[regression], LINEAR, GUESSING]
    for each in result.baselines.values():
        for fold, other in zip(result.evaluation.folds, each.folds, strict=True):
            np.testing.assert_array_equal(fold.test, other.test)


def test_the_univariate_one_keeps_as_many_as_its_fold_the_best_of_its_own_rows():
    prepared, result = studied()
    units = [
        np.flatnonzero([g == name for g in prepared.groups])
        for name in dict.fromkeys(prepared.groups)
    ]
    X, y = prepared.values, prepared.y
    for fold, filtered in zip(
        result.evaluation.folds, result.baselines[UNIVARIATE[False]].folds, strict=True
    ):
        train = np.setdiff1d(np.arange(len(y)), fold.test)
        chosen = {tuple(unit) for unit in units if set(unit) & set(filtered.selected)}
        size = sum(bool(set(unit) & set(fold.selected)) for unit in units)
        assert len(chosen) == size
        a, b = (X[train][y[train] == label] for label in ("n", "y"))
        means = X[train].mean(axis=0)
        between = (a.mean(axis=0) - means) ** 2 + (b.mean(axis=0) - means) ** 2
        scores = between / (a.var(axis=0, ddof=1) + b.var(axis=0, ddof=1))
        single = [unit for unit in units if len(unit) == 1]
        best = sorted(single, key=lambda unit: -scores[unit[0]])
        inside = [unit for unit in best if tuple(unit) in chosen]
        assert [tuple(unit) for unit in inside] == [tuple(unit) for unit in best[: len(inside)]]


def test_held_out_rows_change_nothing_of_what_is_predicted_for_them():
    _, before = studied()
    changed = frame()
    held_out = before.evaluation.folds[0].test
    names = ["a", "b", "c", "d", "e", "f"]
    changed.loc[held_out, names] = changed.loc[held_out, names] * 3.0 + 1.0
    _, after = studied(table=changed)
    for name in (UNIVARIATE[False], LINEAR):
        first, second = (r.baselines[name].folds[0] for r in (before, after))
        np.testing.assert_array_equal(first.test, second.test)
        np.testing.assert_array_equal(first.selected, second.selected)


def test_a_linear_machine_is_not_compared_with_itself():
    _, result = studied(choices=Choices(**{**vars(CHOICES), "kernel": "linear"}))
    assert LINEAR not in result.baselines


def test_what_is_recorded_is_not_done_again(tmp_path, monkeypatch):
    record = tmp_path / "run.jsonl"
    _, first = studied(record=record)
    fitted = []
    evaluate = fold_jobs.evaluate_fold

    def noted(estimator, *args):
        fitted.append(type(estimator).__name__)
        return evaluate(estimator, *args)

    monkeypatch.setattr(fold_jobs, "evaluate_fold", noted)
    _, second = studied(record=record)
    assert set(fitted) <= {"DummyClassifier"}
    for name, each in first.baselines.items():
        np.testing.assert_array_equal(each.scores, second.baselines[name].scores)


def test_a_method_for_each_fold():
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2
    machines = [SVC(C=0.01), SVC(C=1.0), SVC(C=100.0)]
    found = nested_evaluate(machines, X, y, 3)
    for number, machine in enumerate(machines):
        alone = nested_evaluate(machine, X, y, 3)
        np.testing.assert_array_equal(found.folds[number].decisions, alone.folds[number].decisions)
    with pytest.raises(ValueError, match="one method for each of 3 folds, got 2"):
        nested_evaluate(machines[:2], X, y, 3)
