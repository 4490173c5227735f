"""SVMSieve.fit on Dask arrays, data frames and Parquet files: what the same rows in memory give."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.svm import SVC, SVR

from svmsieve import SVMSieve
from svmsieve.criteria.fspp import FSPP1
from svmsieve.scale.chunks import RowChunks
from svmsieve.scale.parquet_chunks import ParquetChunks
from svmsieve.selection import streamed
from tests.scale.problems import binary, classes, numbers

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")

PROBLEMS: dict[str, Any] = {
    "two classes": (binary, SVC(gamma=0.2)),
    "three classes": (classes, SVC(gamma=0.2, class_weight="balanced")),
    "numbers": (numbers, SVR(C=3.0, gamma=0.2)),
}
OPTIONS: dict[str, Any] = {"machine": "nystroem", "n_landmarks": 40, "cv": 3}


def agree(there: SVMSieve, here: SVMSieve, tol: float = 1e-12) -> None:
    """What was selected is the same, and all scores are to ``tol``."""
    np.testing.assert_array_equal(there.order_, here.order_)
    np.testing.assert_array_equal(there.support_, here.support_)
    np.testing.assert_allclose(there.scores_, here.scores_, rtol=0, atol=tol)
    np.testing.assert_allclose(there.path_.fold_scores, here.path_.fold_scores, rtol=0, atol=tol)
    assert there.size_reason_ == here.size_reason_
    np.testing.assert_array_equal(there.fold_ranking_, here.fold_ranking_)


def cut(X: Any, y: Any, sizes: list[int]) -> tuple[Any, Any]:
    """A Dask data frame with partitions of some sizes, among them none at all."""
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])]).assign(y=y)
    edges = np.cumsum([0, *sizes])
    parts = [frame.iloc[a:b] for a, b in pairwise(edges)]
    table = dd.concat([dd.from_pandas(part, npartitions=1) for part in parts])
    return table.drop(columns="y"), table["y"]


@pytest.mark.parametrize("kind", PROBLEMS)
def test_unequal_chunks_select_what_the_rows_in_memory_do(kind: str) -> None:
    make, machine = PROBLEMS[kind]
    X, y = make(300, 5)
    sieve = SVMSieve(machine, **OPTIONS)
    here = clone(sieve).fit(X, y)
    there = clone(sieve).fit(
        da.from_array(X, chunks=((1, 130, 169), 3)), da.from_array(y, chunks=90)
    )
    agree(there, here)
    if kind == "numbers":
        np.testing.assert_allclose(there.predict(X), here.predict(X), rtol=0, atol=1e-10)
    else:
        np.testing.assert_array_equal(there.predict(X), here.predict(X))
    assert here.n_features_ < 5


def test_empty_partitions_and_partitions_of_one_class() -> None:
    X, y = binary(300, 5)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    first = int((y == 0).sum())
    sieve = SVMSieve(SVC(gamma=0.2), **OPTIONS)
    here = clone(sieve).fit(pd.DataFrame(X, columns=[f"c{i}" for i in range(5)]), y)
    there = clone(sieve).fit(*cut(X, y, [first, 0, 300 - first - 7, 0, 7]))
    agree(there, here)
    assert there.feature_names_in_.tolist() == here.feature_names_in_.tolist()


@pytest.mark.parametrize("what", ["weights", "groups", "missing", "sparse", "filter", "scorer"])
def test_what_rows_in_memory_may_have(what: str) -> None:
    X, y = binary(300, 6)
    weight = None
    sieve = SVMSieve(SVC(gamma=0.2), **OPTIONS)
    if what == "weights":
        weight = np.where(np.arange(300) % 7 == 0, 0.0, np.linspace(0.5, 2.0, 300))
    elif what == "groups":
        sieve.set_params(groups=[[0, 3], [4, 5]], keep=[4])
    elif what == "missing":
        X[::11, 2] = np.nan
        sieve.set_params(missing="mean")
    elif what == "filter":
        sieve.set_params(criterion="f-score")
    elif what == "scorer":
        sieve.set_params(scoring="roc_auc", criterion="fspp1")
    table = da.from_array(X, chunks=((40, 200, 60), 6))
    if what == "sparse":
        X = np.where(np.abs(X) > 0.4, X, 0.0)
        table = da.from_array(X, chunks=((40, 200, 60), 6)).map_blocks(sp.csr_array, dtype=float)
        X = sp.csr_array(X)
    here = clone(sieve).fit(X, y, sample_weight=weight)
    there = clone(sieve).fit(table, da.from_array(y, chunks=100), sample_weight=weight)
    agree(there, here)


def test_parquet_files_are_row_chunks(tmp_path: Path) -> None:
    X, y = classes(300, 5)
    frame = pd.DataFrame(X, columns=list("abcde")).assign(y=y)
    paths = [tmp_path / "1.parquet", tmp_path / "2.parquet", tmp_path / "3.parquet"]
    for path, part in zip(paths, (frame[:110], frame[110:110], frame[110:]), strict=True):
        part.to_parquet(path)
    sieve = SVMSieve(SVC(gamma=0.2), **OPTIONS)
    there = clone(sieve).fit(ParquetChunks(paths, "y", memory=3000), None)
    agree(there, clone(sieve).fit(frame.drop(columns="y"), y))
    assert there.feature_names_in_.tolist() == list("abcde")


def test_searches_of_all_rows_and_of_the_folds_share_their_passes() -> None:
    """A step of a fold takes its training (here one pass, which confirms the sample's), scores, judging."""
    X, y = binary(300, 6)
    sieve = SVMSieve(SVC(gamma=0.2), step=1, **OPTIONS)
    tasks = []
    specify = streamed.row_folds

    def look(task: Any, cv: Any) -> Any:
        tasks.append(task)
        return specify(task, cv)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("svmsieve.selection.selector.row_folds", look)
        sieve.fit(da.from_array(X, chunks=(100, 6)), y)
    (task,) = tasks
    steps = len(sieve.record_.steps["all"])
    assert steps == 6
    assert task.collection.n_passes == PASSES_BEFORE + PASSES_A_STEP * steps + PASSES_AFTER
    assert task.collection.n_questions > 3 * task.collection.n_passes  # four searches shared them


PASSES_BEFORE = 4
"""Survey and sample of all rows, and of the folds' rows."""
PASSES_A_STEP = 3
"""Training, scores, judging."""
PASSES_AFTER = 5
"""What guessing scores (two), survey and sample of the selected columns, the final machine."""


def test_rows_of_a_fold_are_thinned(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = binary(2000, 5)
    sieve = SVMSieve(SVC(gamma=0.2), criterion=FSPP1(), **OPTIONS)
    monkeypatch.setattr(streamed, "FOLD_ROWS", 300)
    here = clone(sieve).fit(X, y)
    there = clone(sieve).fit(da.from_array(X, chunks=(700, 5)), y)
    agree(there, here)
    monkeypatch.setattr(streamed, "FOLD_ROWS", 10**6)
    whole = clone(sieve).fit(X, y)
    assert (whole.path_.fold_scores != here.path_.fold_scores).any()
    np.testing.assert_array_equal(whole.scores_, here.scores_)  # those of all rows


def test_an_interrupted_run_goes_on_with_the_same_bits(tmp_path: Path) -> None:
    X, y = binary(300, 6)
    table = da.from_array(X, chunks=(100, 6))
    sieve = SVMSieve(SVC(gamma=0.2), step=1, **OPTIONS)
    whole = clone(sieve).fit(table, y)
    steps = []

    def stop(step: Any) -> None:
        steps.append(step)
        if len(steps) == 9:
            raise KeyboardInterrupt

    file = tmp_path / "run.jsonl"
    with pytest.raises(KeyboardInterrupt):
        clone(sieve).set_params(checkpoint=file, callback=stop).fit(table, y)
    told = []
    resumed = clone(sieve).set_params(checkpoint=file, callback=told.append).fit(table, y)
    agree(resumed, whole, tol=0.0)
    assert len(told) <= 4 * 6 - 8  # what was recorded was not done again


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"machine": "exact"}, "machine='exact' needs all rows in memory"),
        ({"cv": [(np.arange(5), np.arange(5, 9))]}, "cv must be 'auto' or a number of folds"),
        ({"cv": 1000}, "cv must be 2 folds to the"),
        ({"n_features_to_select": "stable"}, "draws samples in memory"),
        ({"search": "forward"}, "search 'forward' cross-validates kernel matrices"),
        ({"criterion": "lasso"}, "'lasso' is not a sum over rows"),
    ],
)
def test_what_needs_rows_in_memory_is_named(options: dict[str, Any], message: str) -> None:
    X, y = binary(60)
    with pytest.raises(ValueError, match=message):
        SVMSieve(SVC(), **{**OPTIONS, **options}).fit(da.from_array(X, chunks=30), y)


def test_a_missing_value_is_named_by_its_row() -> None:
    X, y = binary(60)
    X[33, 1] = np.nan
    with pytest.raises(ValueError, match="'x1' has 1 missing value, first in row 33"):
        SVMSieve(SVC(), **OPTIONS).fit(da.from_array(X, chunks=(30, 6)), y)
    with pytest.raises(
        ValueError, match="y, sample_weight and groups must be None with row chunks"
    ):
        SVMSieve(SVC(), **OPTIONS).fit(RowChunks(X, y), y)


@pytest.mark.parametrize("kind", PROBLEMS)
@pytest.mark.parametrize("form", ["array", "frame"])
def test_a_collection_is_predicted_and_reduced_lazily(kind: str, form: str) -> None:
    make, machine = PROBLEMS[kind]
    X, y = make(240, 5)
    X[7, 3] = np.nan
    sieve = SVMSieve(machine, n_features_to_select=3, missing="mean", **OPTIONS)
    if form == "array":
        table: Any = da.from_array(X, chunks=((100, 40, 100), 3))
        own: Any = X
        there = clone(sieve).fit(table, y)
    else:
        table, labels = cut(X, y, [100, 0, 140])
        own = table.compute()
        there = clone(sieve).fit(table, labels)
    for method in ("predict", "decision_function"):
        if not hasattr(there, method):
            continue
        lazy = getattr(there, method)(table)
        assert isinstance(lazy, da.Array)
        np.testing.assert_allclose(
            *(_numbers(each) for each in (lazy.compute(), getattr(there, method)(own))), rtol=1e-12
        )
    reduced = there.transform(table)
    np.testing.assert_array_equal(reduced.compute(), there.transform(own))
    assert there.score(table, y) == pytest.approx(there.score(own, y), rel=1e-12)
    with pytest.raises(ValueError, match=r"X has 4 features|X must have the columns of the fit"):
        there.predict(table[:, :4] if form == "array" else table[list(table.columns)[:4]])


def _numbers(values: Any) -> Any:
    return np.unique(values, return_inverse=True)[1] if values.dtype.kind in "OU" else values


def test_the_program_says_how_many_landmarks_are_enough() -> None:
    X, y = binary(900, 8)
    sieve = SVMSieve(SVC(gamma=0.1), search="once", n_features_to_select=3, machine="nystroem")
    sieve.set_params(n_landmarks="auto")
    here = clone(sieve).fit(X, y)
    there = clone(sieve).fit(da.from_array(X, chunks=(400, 8)), y)
    assert here.n_landmarks_ == there.n_landmarks_
    assert 125 <= here.n_landmarks_ <= 450
    assert here.estimator_.n_landmarks == here.n_landmarks_
    assert sorted(np.flatnonzero(here.support_)) == [0, 1, 2]


def test_products_of_columns_need_more_landmarks_than_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where few landmarks see the features only in part, more are taken."""
    from svmsieve.selection import landmark_number

    monkeypatch.setattr(landmark_number, "FEWEST_LANDMARKS", 4)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 12))
    sums = X[:, 0] + 0.8 * X[:, 1] + 0.6 * X[:, 2] + 0.4 * X[:, 3] > 0
    products = X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] > 0
    sieve = SVMSieve(SVC(gamma=0.05), search="once", n_features_to_select=4, machine="nystroem")
    sieve.set_params(n_landmarks="auto")
    few, many = (clone(sieve).fit(X, y).n_landmarks_ for y in (sums, products))
    assert few < many


def test_what_is_no_table_and_no_number_is_refused_in_our_words() -> None:
    X, y = binary(60, 4)
    table, target = cut(X, np.where(y > 0, "yes", "no"), [20, 40])
    with pytest.raises(ValueError, match="two dimensions"):
        SVMSieve(SVC(), machine="nystroem").fit(table["c0"], target)
    for wrong in (target, target.compute().to_numpy()):
        with pytest.raises(ValueError, match="y must be numeric"):
            SVMSieve(SVR(), machine="nystroem").fit(table, wrong)
