"""The page of quality: methods that ran on some sets are compared on these, and shrink nothing."""

from __future__ import annotations

import json

import pytest

from benchmarks.quality import found, page
from benchmarks.quality.methods import METHODS

SETS = ("pima", "glass", "heart", "housing")
APART = [name for name, method in METHODS.items() if method.apart]
OTHERS = [name for name, method in METHODS.items() if not method.apart]


def keep(folder, name, method, scores, selected):
    pieces = [
        {"split": split, "columns": 4, "score": score, "seconds": 1.0, "selected": selected}
        for split, score in scores.items()
    ]
    file = folder / name / f"{method.lower().replace(' ', '-')}.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(pieces))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Every method of the comparison on four sets and two splits; the second split is easier by 10 points."""
    monkeypatch.setattr(found, "FOLDER", tmp_path)
    for name in SETS:
        for number, method in enumerate(OTHERS):
            keep(tmp_path, name, method, {0: 60.0 + number, 1: 70.0 + number}, [0, 1])
    return tmp_path


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def rows_of(method):
    return [cells(line) for line in page._affordable() if cells(line)[0] == method]


def test_a_method_that_ran_on_a_part_changes_neither_ranks_nor_tables(folder):
    before = page._ranks(found.collected()), page._summary(found.collected(), ("real",))
    assert "over the 4 sets that all" in before[0][0]
    for method in APART:
        keep(folder, "pima", method, {0: 99.0}, [0])
    assert (page._ranks(found.collected()), page._summary(found.collected(), ("real",))) == before


def test_it_is_compared_with_ours_on_its_own_sets_and_splits(folder):
    ours = OTHERS.index(page.OURS)
    keep(folder, "pima", "Stabl", {0: 60.0 + ours - 3.0}, [0])
    keep(folder, "glass", "Stabl", {1: 70.0 + ours - 5.0}, [0, 1, 2])
    ((_, data, sets, splits, widest, to_all, difference, kept, *_),) = rows_of("Stabl")
    assert (data, sets, splits, widest) == ("real", "2", "2", "4")
    assert to_all == f"{ours - 4.0:+.1f} ± 1.0"
    assert difference == "+4.0 ± 1.0"
    assert kept == "50 % (50 %)"


def test_splits_that_the_others_have_not_are_left_out(folder):
    keep(folder, "pima", "Stabl", {1: 50.0, 7: 0.0}, [0])
    ((_, _, sets, splits, *_),) = rows_of("Stabl")
    assert (sets, splits) == ("1", "1")
    keep(folder, "pima", "Stabl", {7: 0.0}, [0])
    assert not rows_of("Stabl")


def test_precision_and_recall_stand_beside_ours(folder):
    for method, selected in ((page.BASE, [0, 1, 2, 3]), (page.OURS, [0, 1]), ("Stabl", [0, 2])):
        keep(folder, "monks-1", method, {0: 50.0}, selected)
        file = folder / "monks-1" / f"{method.lower().replace(' ', '-')}.json"
        file.write_text(
            json.dumps([{**each, "true": [0, 1]} for each in json.loads(file.read_text())])
        )
    ((*_, precision, recall, _, seconds),) = rows_of("Stabl")
    assert (precision, recall, seconds) == ("0.50 (1.00)", "0.50 (1.00)", "1.0 (1.0)")
