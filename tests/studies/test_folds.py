"""Folds adapt to small classes and few groups, say so, and refuse only what cannot be."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import svmsieve
from svmsieve.datasets import DataError
from svmsieve.datasets.frames import table_of_frame
from svmsieve.engine.machines.target import Classes
from svmsieve.inputs.folds import make_folds
from svmsieve.inputs.target import make_target
from svmsieve.studies.choices import Choices
from svmsieve.studies.data import prepare
from svmsieve.studies.folds import plan_folds


def table(counts, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([f"kind {i}" for i in range(len(counts))], counts)
    frame = pd.DataFrame(rng.normal(size=(len(y), 4)), columns=list("abcd"))
    frame["a"] += 2.0 * np.unique(y, return_inverse=True)[1]
    return frame.assign(kind=y)


def plan(frame, **choices):
    return plan_folds(table_of_frame(frame, "kind"), Choices.of(**choices))


@pytest.mark.parametrize("smallest", [4, 5, 6, 8, 11, 30])
@pytest.mark.parametrize("cv", [None, 2, 3, 5, 12])
@pytest.mark.parametrize("quick", [False, True])
def test_every_fold_holds_out_and_trains_on_every_class(smallest, cv, quick):
    frame = table([smallest, 20, 31])
    found = plan(frame, cv=cv, quick=quick)
    y = frame["kind"].to_numpy()
    for train, test in make_folds(found.outer, make_target(y, False, len(y)), 0):
        assert len(set(y[test])) == 3
        target = make_target(y[train], False, len(train))
        assert isinstance(target, Classes)
        for inside, held_out in make_folds(found.inner, target, 0):
            assert len(set(target.codes[held_out])) == 3
            assert np.bincount(target.codes[inside]).min() >= 2
    asked = Choices.of(cv=cv, quick=quick)
    changed = (found.outer, found.inner) != (asked.folds, asked.inner)
    assert changed == bool(found.notes)
    assert all("'kind 0'" in note and str(smallest) in note for note in found.notes)
    assert all(
        ("more rows to train on" in note) == (found.outer > asked.folds) for note in found.notes
    )
    if smallest >= 4 * asked.folds:
        assert not changed


def test_what_cannot_be_is_refused_by_name():
    with pytest.raises(
        DataError, match=r"4 of each: kind 0 \(3\), kind 1 \(2\); merge or drop them"
    ):
        plan(table([3, 2, 20]))
    few = table([10, 10]).assign(patient=np.arange(20) % 2)
    with pytest.raises(DataError, match="marks 2 groups of rows, too few"):
        plan_folds(table_of_frame(few, "kind", groups="patient"), Choices())


def test_few_groups_have_fewer_folds():
    frame = table([20, 20]).assign(patient=np.arange(40) % 4)
    found = plan_folds(table_of_frame(frame, "kind", groups="patient"), Choices(cv=5))
    assert (found.outer, found.inner) == (4, 3)
    assert "'patient' marks 4 groups of rows" in found.notes[0]


@pytest.mark.parametrize("counts", [(8, 12, 20, 23), (4, 16)])
def test_small_classes_are_studied(counts):
    """The classes of SRBCT, refused before; and the smallest there can be."""
    choices = {"criterion": "fspp2", "C": 1, "gamma": "scale", "size": 2, "quiet": True}
    found = svmsieve.study(table(counts), "kind", **choices)
    assert len(found.evaluation.folds) == 3 * min(5, min(counts))
    assert "a" in found.features


@pytest.mark.parametrize("seed", range(3))
def test_classes_that_few_groups_have_are_studied_at_a_glance_too(seed):
    """A class that one row of a training part has: sigmoids could not be fitted there."""
    rng = np.random.default_rng(seed)
    counts = [[10, 3, 0], [10, 0, 2], [8, 4, 1], [20, 0, 0], [5, 1, 3], [7, 2, 2]]
    rows = [
        (kind, at)
        for at, each in enumerate(counts)
        for kind, n in enumerate(each)
        for _ in range(n)
    ]
    y, centre = np.array(rows).T
    frame = pd.DataFrame(rng.normal(size=(len(y), 5)), columns=list("abcde"))
    frame["a"] += 2.0 * y
    frame = frame.assign(kind=np.array(["A", "B", "C"])[y], centre=centre)
    found = svmsieve.study(
        frame, "kind", sample_groups="centre", quick=True, quiet=True, seed=seed, jobs=1
    )
    assert len(found.evaluation.folds) == 3


def test_very_different_classes_are_judged_alike():
    frame = table([289, 11])
    found = svmsieve.study(frame, "kind", quick=True, quiet=True, size=1, criterion="f-score")
    assert found.evaluation.metric.name == "ber"
    assert found.result.baselines["guessing"].mean == pytest.approx(0.5)
    (note,) = [each for each in found.warnings if "balanced" in each]
    assert "11 to 289 rows" in note
    y, recall = found.evaluation.y, found.evaluation.recall
    predicted = found.evaluation.predictions_frame().set_index("row")["prediction"].sort_index()
    for label in ("kind 0", "kind 1"):
        assert recall[label] == pytest.approx(np.mean(predicted[y == label] == label))
    told = {each["label"]: each for each in found.content["evaluation"]["recall"]}
    assert told["kind 1"]["rows"] == 11
    plain = svmsieve.study(frame, "kind", quick=True, quiet=True, size=1, scoring="accuracy")
    assert plain.evaluation.metric.name == "accuracy"
    even = svmsieve.study(table([30, 30]), "kind", quick=True, quiet=True, size=1)
    assert even.evaluation.metric.name == "accuracy"


@pytest.mark.parametrize(
    ("rows", "columns", "choices", "repeats"),
    [
        (60, 4, {}, 3),
        (100, 200, {}, 3),
        (60, 2000, {}, 1),
        (101, 4, {}, 1),
        (60, 4, {"cv": 5}, 1),
        (60, 4, {"quick": True}, 1),
        (300, 4, {"repeats": 7}, 7),
        (60, 4, {"cv": 3, "quick": True, "repeats": 2}, 2),
    ],
)
def test_small_tables_are_divided_several_times(rows, columns, choices, repeats):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(rows, columns)))
    frame = frame.rename(columns="c{}".format).assign(kind=np.arange(rows) % 2)
    assert plan(frame, **choices).repeats == repeats


@pytest.mark.parametrize("patients", [False, True])
def test_each_division_tests_every_row_once_and_the_first_is_that_of_one(patients):
    frame = table([12, 15]).assign(patient=np.arange(27) // 3)
    options = {"cv": 3, "criterion": "f-score", "search": "once", "C": 1, "quiet": True}
    if patients:
        options["sample_groups"] = "patient"
    else:
        frame = frame.drop(columns="patient")
    once = svmsieve.study(frame, "kind", **options).evaluation
    found = svmsieve.study(frame, "kind", repeats=4, **options)
    tests = [fold.test for fold in found.evaluation.folds]
    for own, alone in zip(tests[:3], once.folds, strict=True):
        np.testing.assert_array_equal(own, alone.test)
    for first in range(0, 12, 3):
        assert sorted(np.concatenate(tests[first : first + 3])) == list(range(27))
    assert len({tuple(sorted(map(tuple, tests[i : i + 3]))) for i in range(0, 12, 3)}) >= 3
    assert once.repeats == 1
    assert found.evaluation.repeats == 4
    assert "12 outer folds (3, divided anew 4 times)" in found.summary()
    if patients:
        groups = frame["patient"].to_numpy()
        for test in tests:
            assert set(groups[test]).isdisjoint(np.delete(groups, test))


def test_a_number_of_repeats_that_is_none_is_refused():
    for bad in (0, -1, 2.0, True, "3"):
        with pytest.raises(ValueError, match="repeats must be a whole number"):
            svmsieve.study(table([20, 20]), "kind", repeats=bad)


def test_a_column_of_so_many_texts_that_they_may_be_names_is_told():
    rng = np.random.default_rng(0)
    frame = table([60, 60])
    frame["who"] = [f"p{i}" for i in rng.permutation(np.repeat(np.arange(40), 3))]
    frame["colour"] = rng.choice(["red", "green", "blue"], size=120)
    choices = Choices.of(quick=True)
    (note,) = prepare(table_of_frame(frame, "kind"), choices).notes
    assert note.startswith("Column 'who' has 40 texts in 120 rows, 3.0 rows each")
    assert "--sample-groups who" in note
    assert "--drop who" in note
    assert not prepare(table_of_frame(frame.drop(columns="who"), "kind"), choices).notes
    told = prepare(table_of_frame(frame, "kind", groups="who"), choices).notes
    assert not any("texts in" in each for each in told)
