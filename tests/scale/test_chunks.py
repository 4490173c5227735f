"""Row chunks: every row once and in order, the same samples however they are cut."""

from __future__ import annotations

import tracemalloc

import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp

from svmsieve.inputs.scaling import Scale
from svmsieve.scale.chunks import Chunk, PreparedChunks, RowChunks, rows_of_chunk
from svmsieve.scale.dask_chunks import as_chunks


def _sums(chunk: Chunk, factor: float) -> tuple[object, float]:
    return factor * np.asarray(chunk.X.sum(axis=0)).ravel(), float(chunk.copies.sum())


def _itself(chunk: Chunk) -> Chunk:
    return chunk


@pytest.fixture
def X() -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.normal(size=(57, 4)) * (rng.random((57, 4)) < 0.6)


@pytest.mark.parametrize("memory", [1, 320, 10**9])
@pytest.mark.parametrize("sparse", [False, True])
def test_every_row_comes_once_and_in_order(X: np.ndarray, memory: int, sparse: bool) -> None:
    y, weight = np.arange(57), np.linspace(0.0, 2.0, 57)
    chunks = RowChunks(sp.csr_matrix(X) if sparse else X, y, weight, memory=memory)
    found = list(chunks.map(_itself))
    dense = [part.X.toarray() if sparse else part.X for part in found]
    np.testing.assert_array_equal(np.concatenate(dense), X)
    np.testing.assert_array_equal(np.concatenate([part.rows for part in found]), y)
    np.testing.assert_array_equal(np.concatenate([part.weight for part in found]), weight)
    sums, total = chunks.total(_sums, 2.0)
    np.testing.assert_allclose(sums, 2.0 * X.sum(axis=0), atol=1e-12)
    assert total == pytest.approx(weight.sum())


def test_single_precision_is_made_double_a_chunk_at_a_time() -> None:
    """Rows that are single precision stay so: the same numbers, and no copy of all of them."""
    X = np.random.default_rng(0).normal(size=(60_000, 20)).astype(np.float32)
    y = np.zeros(60_000)
    double = X.astype(np.float64)
    collections = {
        "array": RowChunks(X, y, memory=10**5),
        "dask": as_chunks(da.from_array(X, chunks=-1), y, memory=10**5),
    }
    for chunks in collections.values():
        found = list(chunks.map(_itself))
        assert {part.X.dtype for part in found} == {np.dtype(np.float64)}
        np.testing.assert_array_equal(np.concatenate([part.X for part in found]), double)
        del found
        tracemalloc.start()
        chunks.total(_sums, 1.0)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 0.5 * X.nbytes


def test_chunks_keep_to_their_memory() -> None:
    assert rows_of_chunk(10, 800.0) == 10
    assert rows_of_chunk(10**9, 800.0) == 1


@pytest.mark.parametrize("sparse", [False, True])
def test_a_sample_does_not_depend_on_the_chunks(X: np.ndarray, sparse: bool) -> None:
    made = sp.csr_matrix(X) if sparse else X
    y = np.array([f"row {i}" for i in range(57)])
    samples = [RowChunks(made, y, memory=memory).sample(20, 3) for memory in (1, 500, 10**9)]
    for each in samples:
        assert each.X.shape == (20, 4)
        assert len(set(each.y)) == 20
        np.testing.assert_array_equal(each.y, samples[0].y)
        rows = [int(label.split()[1]) for label in each.y]
        np.testing.assert_array_equal(each.X.toarray() if sparse else each.X, X[rows])
    other = RowChunks(made, y).sample(20, 4)
    assert other.y.tolist() != samples[0].y.tolist()


def test_a_sample_of_more_than_all_rows_is_all_rows(X: np.ndarray) -> None:
    chunk = RowChunks(X, np.arange(57), memory=100).sample(100, 0)
    np.testing.assert_array_equal(chunk.y, np.arange(57))


def test_prepared_chunks_are_filled_scaled_and_reduced(X: np.ndarray) -> None:
    X = X.copy()
    X[3, 1] = np.nan
    fill, mean, deviation = np.full(4, 7.0), np.arange(4.0), np.array([1.0, 2.0, 3.0, 4.0])
    scale = Scale(mean, deviation, fill)
    base = RowChunks(X, np.zeros(57), names=list("abcd"), memory=100)
    prepared = PreparedChunks(base, scale, np.array([1, 3]))
    assert prepared.names == ["b", "d"]
    found = np.concatenate([part.X for part in prepared.map(_itself)])
    np.testing.assert_allclose(found, scale.apply(X)[:, [1, 3]])
    assert found[3, 0] == (7.0 - 1.0) / 2.0
