"""Groups of samples in row chunks: known by hashes, listed in one pass, dealt to folds as those in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold
from sklearn.svm import SVC, SVR
from sklearn.utils import check_random_state

from svmsieve import SVMSieve
from svmsieve.engine.machines.dealt_groups import counts_of_groups, deal_groups
from svmsieve.inputs.folds import auto_folds, make_folds
from svmsieve.inputs.target import check_sample_groups
from svmsieve.ranking.chunks import rank_chunks
from svmsieve.scale.chunks import Chunk, RowChunks
from svmsieve.scale.parquet_chunks import ParquetChunks
from svmsieve.scale.sample_groups import NumberedGroups, SampleGroups, hashed_groups, list_groups
from svmsieve.selection import streamed
from tests.scale.problems import binary, numbers

da = pytest.importorskip("dask.array")

N_ROWS = 220


@pytest.mark.filterwarnings("ignore:The least populated class")
@given(st.integers(0, 10**6), st.integers(2, 5), st.booleans())
def test_groups_are_dealt_as_scikit_learn_deals_them(
    seed: int, n_folds: int, stratify: bool
) -> None:
    """Its splitters look at samples one by one; StratifiedGroupKFold is given groups already shuffled."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 80))
    groups = np.unique(rng.integers(0, int(rng.integers(n_folds, 20)), n), return_inverse=True)[1]
    labels = rng.integers(0, 3, n)
    try:
        counts = counts_of_groups(groups, labels if stratify else None)
        found = deal_groups(counts, n_folds, seed, stratify=stratify)[groups]
    except ValueError:
        return
    if stratify:
        order = np.arange(groups.max() + 1)
        check_random_state(seed).shuffle(order)
        split = StratifiedGroupKFold(n_folds).split(labels, labels, np.argsort(order)[groups])
    else:
        split = GroupKFold(n_folds, shuffle=True, random_state=seed).split(labels, None, groups)
    for fold, (_, held_out) in enumerate(split):
        np.testing.assert_array_equal(np.flatnonzero(found == fold), held_out)


@given(st.integers(0, 10**6))
def test_groups_are_numbered_as_they_come_however_the_rows_are_cut(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 40))
    labels = rng.integers(0, 6, n)
    labels[:2] = 0, 1
    y = rng.integers(0, 3, n)
    chunks = RowChunks(
        np.zeros((n, 1)), y, memory=8 * int(rng.integers(1, n + 1)), groups=hashed_groups(labels, 0)
    )
    groups = list_groups(chunks, np.arange(3))
    codes = check_sample_groups(labels, n)
    assert codes is not None
    numbered = NumberedGroups(chunks, groups)
    np.testing.assert_array_equal(numbered.take(np.arange(n)).groups, codes)
    expected = np.zeros((codes.max() + 1, 3))
    for code, own in zip(codes, y, strict=True):
        expected[code, own] += 1
    np.testing.assert_array_equal(groups.in_order(), expected)


def test_a_label_has_one_hash_whatever_holds_it() -> None:
    whole = hashed_groups(np.array([3, 2**40, -1]), 0)
    assert len(set(whole.tolist())) == 3
    assert (whole >= 0).all()
    for kind in (np.float64, np.int64, object):
        same = hashed_groups(np.array([3, 2**40, -1], dtype=kind), 0)
        if kind is not object:
            np.testing.assert_array_equal(same, whole)
    texts = hashed_groups(["a", "b", "a"], 0)
    np.testing.assert_array_equal(texts, hashed_groups(np.array(["a", "b", "a"], dtype=object), 5))
    np.testing.assert_array_equal(
        texts, hashed_groups(pd.Series(["a", "b", "a"], dtype="category"), 5)
    )
    assert texts[0] == texts[2] != texts[1]
    assert hashed_groups([0.5], 0) != hashed_groups([0.25], 0)
    with pytest.raises(ValueError, match="missing value in row 8"):
        hashed_groups(np.array(["a", None], dtype=object), 7)


def test_parts_that_are_merged_count_a_group_once() -> None:
    one, other = (
        SampleGroups.of(
            Chunk(np.zeros((3, 1)), np.zeros(3), None, start, groups=np.array(ids)), None
        )
        for start, ids in ((0, [5, 5, 2]), (3, [9, 2, 2]))
    )
    both = one + other
    assert both.hashes.tolist() == [2, 5, 9]
    assert both.first.tolist() == [2, 0, 3]
    assert both.in_order().ravel().tolist() == [2.0, 3.0, 1.0]


@pytest.mark.parametrize("kind", ["two", "numbers"])
@pytest.mark.parametrize("cv", ["auto", 3])
def test_groups_are_dealt_to_the_folds_of_samples_in_memory(kind: str, cv: Any) -> None:
    """The folds are those of the exact machine: stratified, of whole groups, in the order of their rows."""
    X, y = (binary if kind == "two" else numbers)(N_ROWS, 4)
    groups = np.random.default_rng(3).integers(0, 25, N_ROWS)
    seen: list[Any] = []
    specify = streamed.row_folds

    def look(task: Any, cv: Any) -> Any:
        seen.append((task.target, specify(task, cv)))
        return seen[-1][1]

    machine = SVC(gamma=0.2) if kind == "two" else SVR(gamma=0.2)
    sieve = SVMSieve(machine, machine="nystroem", n_landmarks=20, cv=cv)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("svmsieve.selection.selector.row_folds", look)
        sieve.fit(X, y, groups=groups)
    ((target, folds),) = seen
    expected = auto_folds(target, 0) if cv == "auto" else make_folds(cv, target, 0)
    assert len(folds) == len(expected) == (15 if cv == "auto" else 3)
    rows = np.arange(N_ROWS)
    for own, wanted in zip(folds, expected, strict=True):
        for part, numbers_ in zip(own, wanted, strict=True):
            np.testing.assert_array_equal(np.flatnonzero(part.holds(rows, target.groups)), numbers_)
            assert part.share == pytest.approx(len(numbers_) / N_ROWS, rel=1e-12)


def test_folds_of_ones_own_are_given_as_groups() -> None:
    """As many groups as folds: each fold is one of them."""
    X, y = binary(N_ROWS, 4)
    fold = np.random.default_rng(0).integers(0, 3, N_ROWS)
    lists = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]
    sieve = SVMSieve(SVC(gamma=0.2), criterion="fspp1", machine="nystroem", n_landmarks=30)
    here = clone(sieve).set_params(cv=lists).fit(X, y)
    there = clone(sieve).set_params(cv=3).fit(da.from_array(X, chunks=(90, 4)), y, groups=fold)
    for ours, theirs in zip(there.path_.fold_scores, here.path_.fold_scores, strict=True):
        np.testing.assert_allclose(np.sort(ours), np.sort(theirs), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (np.r_[np.arange(59.0), np.nan], "groups of samples have a missing value in row 59"),
        (np.zeros(60), "groups of samples must be at least two"),
        (np.arange(30), r"groups of samples must have shape \(60,\)"),
        (np.r_[np.zeros(30), np.ones(30)], "cv=3 folds need at least 3 groups"),
    ],
)
def test_groups_that_cannot_be_are_named(groups: Any, message: str) -> None:
    X, y = binary(60)
    sieve = SVMSieve(SVC(), machine="nystroem", n_landmarks=20, cv=3)
    with pytest.raises(ValueError, match=message):
        sieve.fit(da.from_array(X, chunks=(25, 6)), y, groups=groups)


def test_more_groups_than_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = binary(60)
    monkeypatch.setattr("svmsieve.scale.sample_groups.MOST_GROUPS", 20)
    sieve = SVMSieve(SVC(), criterion="fspp1", machine="nystroem", n_landmarks=20, cv=3)
    table, groups = da.from_array(X, chunks=(13, 6)), np.arange(60)
    with pytest.raises(ValueError, match=r"groups of samples are more than 20, .* modulo"):
        sieve.fit(table, y, groups=groups)
    assert sieve.fit(table, y, groups=groups % 20).n_sample_groups_ == 20


def test_a_run_is_not_resumed_with_other_groups(tmp_path: Path) -> None:
    X, y = binary(60)
    table, groups = da.from_array(X, chunks=(25, 6)), np.arange(60) // 4
    sieve = SVMSieve(SVC(), criterion="fspp1", machine="nystroem", n_landmarks=20, cv=3)
    sieve.set_params(checkpoint=tmp_path / "run.jsonl")
    first = clone(sieve).fit(table, y, groups=groups)
    again = clone(sieve).fit(table, y, groups=[f"group {group}" for group in groups])
    np.testing.assert_array_equal(first.path_.fold_scores, again.path_.fold_scores)
    with pytest.raises(ValueError, match=r"is of another run: .*sample_groups"):
        clone(sieve).fit(table, y, groups=np.arange(60) // 5)
    with pytest.raises(ValueError, match=r"is of another run: .*sample_groups"):
        clone(sieve).fit(table, y)


def test_a_ranking_of_files_calibrates_in_whole_groups(tmp_path: Path) -> None:
    X, y = binary(N_ROWS, 4)
    patient = np.random.default_rng(0).integers(0, 20, N_ROWS)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=y, patient=patient)
    frame.to_parquet(tmp_path / "rows.parquet")
    machine: dict[str, Any] = {"n_landmarks": 30, "random_state": 0}
    path = [tmp_path / "rows.parquet"]
    grouped = ParquetChunks(path, "y", groups="patient", memory=2000)
    assert grouped.names == list("abcd")
    found = rank_chunks(grouped, "fspp2", SVC(gamma=0.2), **machine)
    own = hashed_groups(patient, 0)
    memory = rank_chunks(RowChunks(X, y, groups=own), "fspp2", SVC(gamma=0.2), **machine)
    alone = rank_chunks(RowChunks(X, y), "fspp2", SVC(gamma=0.2), **machine)
    np.testing.assert_allclose(found.scores, memory.scores, rtol=0, atol=1e-12)
    assert np.abs(found.scores - alone.scores).max() > 1e-6
