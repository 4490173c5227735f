"""Dask arrays and data frames, on a cluster and without one."""

from __future__ import annotations

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.svm import SVC, SVR

from svmsieve import rank
from svmsieve.ranking.chunks import rank_chunks
from svmsieve.ranking.collections import rank_collection
from svmsieve.scale.chunks import RowChunks
from svmsieve.scale.dask_chunks import as_chunks

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

# pandas' word to Dask, whose Parquet reader it concerns
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")

NAMES = ["a", "b", "c", "d", "e"]
NYSTROEM = {"machine": "nystroem", "n_landmarks": 40, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    y = np.where(X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=400) > 0, "yes", "no")
    return X, y


def arrays(data, size=90):
    X, y = data
    return da.from_array(X, chunks=(size, 3)), da.from_array(y, chunks=size)


@pytest.fixture
def folder(data, tmp_path):
    frame = pd.DataFrame(data[0], columns=NAMES).assign(kind=data[1])
    for part, first in enumerate(range(0, 400, 130)):
        frame.iloc[first : first + 130].to_parquet(tmp_path / f"part-{part}.parquet")
    return tmp_path


def where_rows_are(chunk):
    return chunk.start, chunk.X.shape, float(chunk.X.sum()), chunk.y.tolist()


@pytest.mark.parametrize("memory", [10**9, 800])
def test_chunks_are_the_rows_in_order(data, client, memory):
    X, y = data
    for own in (None, client):
        chunks = as_chunks(*arrays(data), client=own, memory=memory)
        assert (chunks.n_rows, chunks.n_features) == (400, 5)
        size = min(90, chunks.size)
        found = list(chunks.map(where_rows_are))
        starts = [s + i for s in range(0, 400, 90) for i in range(0, min(90, 400 - s), size)]
        assert [start for start, *_ in found] == starts
        assert [label for *_, labels in found for label in labels] == y.tolist()
        np.testing.assert_allclose(chunks.total(column_sums), X.sum(axis=0), rtol=1e-12)


def column_sums(chunk):
    return chunk.X.sum(axis=0)


@pytest.mark.parametrize("criterion", ["fspp2", "f-score", "s2n", "correlation"])
def test_the_cluster_gives_the_bits_of_this_process(data, client, criterion):
    X, y = arrays(data)
    with joblib.parallel_config("dask", client=client):
        there = rank(X, y, criterion, SVC(), **NYSTROEM)
    with joblib.parallel_config("sequential"):
        here = rank(X, y, criterion, SVC(), **NYSTROEM)
    assert there.scores.tolist() == here.scores.tolist()
    if criterion == "fspp2":
        assert sorted(there.order[:2].tolist()) == [0, 1]


@pytest.mark.parametrize("kind", ["plain", "weights", "groups", "sparse"])
def test_rows_in_memory_give_the_same_ranking(data, kind):
    X, y = data
    weight = np.linspace(0.5, 2.0, 400) if kind == "weights" else None
    groups = [[0, 4], [1], [2, 3]] if kind == "groups" else None
    if kind == "sparse":
        X = np.where(np.abs(X) > 0.5, X, 0.0)
    table = da.from_array(X, chunks=(90, 5))
    if kind == "sparse":
        table = table.map_blocks(sp.csr_array, dtype=float)
    options = {"groups": groups, "sample_weight": weight}
    there = rank(table, da.from_array(y, chunks=70), "fspp2", SVC(), **NYSTROEM, **options)
    here = rank(
        sp.csr_array(X) if kind == "sparse" else X, y, "fspp2", SVC(), **NYSTROEM, **options
    )
    np.testing.assert_allclose(there.scores, here.scores, rtol=1e-6)
    assert there.names == here.names


def test_a_folder_of_parquet_files(data, folder, on_dask):
    frame = dd.read_parquet(folder)
    there = rank(frame[NAMES], frame["kind"], "fspp2", SVC(), **NYSTROEM)
    assert there.names == NAMES
    here = rank_chunks(RowChunks(*data), "fspp2", SVC(), n_landmarks=40, random_state=0)
    np.testing.assert_allclose(there.scores, here.scores, rtol=1e-6)
    by_filter = rank(frame[NAMES], frame["kind"], "f-score")
    np.testing.assert_allclose(by_filter.scores, rank(*data, "f-score").scores, rtol=1e-9)


def test_rows_that_stay_on_the_workers(data, on_dask):
    X, y = on_dask.persist(list(arrays(data)))
    there = rank(X, y, "fspp2", SVC(), **NYSTROEM)
    with joblib.parallel_config("sequential"):
        here = rank(*arrays(data), "fspp2", SVC(), **NYSTROEM)
    assert there.scores.tolist() == here.scores.tolist()


def test_missing_values_are_filled_or_named(data, client):
    X, y = data[0].copy(), data[1]
    X[200, 3] = np.nan
    table = da.from_array(X, chunks=(90, 5))
    for criterion in ("fspp2", "s2n"):
        with pytest.raises(
            ValueError, match="'x3' has 1 missing value, first in row 200; fill them before"
        ) as found:
            rank(table, y, criterion, SVC(), **NYSTROEM)
        assert "missing=" not in str(found.value)  # which rank does not take
        options = {"sample_weight": None, "groups": None, "missing": "mean"}
        found = rank_collection(
            table, y, criterion, SVC(), machine="nystroem", n_landmarks=40, **options
        )
        assert np.isfinite(found.scores).all()


def test_a_numeric_target(data):
    X, _ = arrays(data)
    y = X[:, 0] ** 2 + X[:, 1]
    ranking = rank(X, y, "sd-gauss", SVR(), **NYSTROEM)
    assert sorted(ranking.order[:2].tolist()) == [0, 1]
    by_filter = rank(X, y, "correlation")
    whole = rank(X.compute(), y.compute(), "correlation")
    np.testing.assert_allclose(by_filter.scores, whole.scores, rtol=1e-9)


def refusals():
    X = da.ones((10, 2), chunks=(5, 2))
    frame = dd.from_pandas(pd.DataFrame({"a": [1.0, 2.0], "b": ["u", "v"]}), npartitions=1)
    y = np.arange(10) % 2
    varied = da.arange(20, chunks=20).reshape(10, 2)
    yield X, y, {}, "machine='exact' needs all rows in memory"
    yield varied, y, {"criterion": "hsic", **NYSTROEM}, "'hsic' needs the kernel matrix"
    yield X, y, {"criterion": "forest"}, "'forest' is not a sum over rows"
    yield X, y[:9], NYSTROEM, r"y must have shape \(10,\)"
    yield X, None, NYSTROEM, "y must not be None"
    yield X, X, NYSTROEM, "y must have one dimension"
    yield X, da.zeros(9, chunks=3), NYSTROEM, "y must have the partitions of X"
    yield da.ones(10), y, NYSTROEM, "two dimensions"
    yield frame, y[:2], NYSTROEM, "column 'b' must hold numbers"
    yield X, y, NYSTROEM, "all of its columns are constant"


@pytest.mark.parametrize(("X", "y", "options", "message"), list(refusals()))
def test_what_does_not_work_is_refused_by_name(X, y, options, message):
    with pytest.raises(ValueError, match=message):
        rank(X, y, **options)


def test_dask_is_not_imported_before_it_is_used():
    import subprocess
    import sys

    code = "import svmsieve, sys; from svmsieve import rank, SVMSieve; print('dask' in sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert printed.stdout.strip() == b"False"
