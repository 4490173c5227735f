"""Parts of the rows by their numbers: every row in one fold, however the rows are cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svmsieve.scale.chunks import RowChunks
from svmsieve.scale.parts import (
    FoldRows,
    ListedRows,
    PartChunks,
    Thinned,
    folds_of_rows,
    row_draws,
    thinned,
)


@given(st.integers(2, 7), st.integers(1, 200), st.integers(0, 10**12), st.integers(0, 5))
def test_every_row_is_in_one_fold_whatever_rows_it_is_asked_with(
    n_folds: int, n: int, first: int, seed: int
) -> None:
    rows = np.arange(first, first + n)
    folds = folds_of_rows(n_folds, (seed,))
    held = np.array([held_out.holds(rows) for _, held_out in folds])
    assert (held.sum(axis=0) == 1).all()
    for own, (train, _) in zip(held, folds, strict=True):
        np.testing.assert_array_equal(train.holds(rows), ~own)
    sizes = held.sum(axis=1)
    assert sizes.max() - sizes.min() <= 2  # blocks at both ends may be cut
    some = rows[:: max(1, n // 5)]
    for own, (_, held_out) in zip(held, folds, strict=True):
        np.testing.assert_array_equal(held_out.holds(some), own[some - first])
        np.testing.assert_array_equal(
            np.concatenate([held_out.holds(rows[i : i + 1]) for i in range(n)]), own
        )


def test_folds_are_drawn_anew_by_another_key_and_mix_sorted_rows() -> None:
    rows = np.arange(5000)
    one, other = (FoldRows(0, 5, (key,)).holds(rows) for key in (0, 1))
    assert 0.1 < (one & other).mean() / one.mean() < 0.3
    for part in np.split(one, 10):  # rows that are sorted by class
        assert part.sum() == 100
    pairs = one[:-1] & one[1:]
    assert 0.0 < pairs.mean() < 0.1  # not every fifth row


def test_thinned_rows_are_some_of_the_part_and_as_many_as_asked_for() -> None:
    rows = np.arange(100_000)
    whole = FoldRows(1, 5, (0,), others=True)
    assert thinned(whole, 100_000, 80_000, (0,)) is whole
    fewer = thinned(whole, 100_000, 20_000, (0,))
    assert isinstance(fewer, Thinned)
    held = fewer.holds(rows)
    assert not (held & ~whole.holds(rows)).any()
    assert held.sum() == pytest.approx(20_000, rel=0.03)
    assert fewer.density == pytest.approx(held.mean(), rel=0.03)
    assert fewer.share == whole.share


def test_listed_rows() -> None:
    part = ListedRows(np.array([1, 4, 5]), 8)
    np.testing.assert_array_equal(np.flatnonzero(part.holds(np.arange(8))), [1, 4, 5])
    assert repr(part) == repr(ListedRows(np.array([1, 4, 5]), 8))
    assert repr(part) != repr(ListedRows(np.array([1, 4, 6]), 8))


def test_draws_of_rows_depend_on_their_numbers_alone() -> None:
    whole = row_draws((3, 1), np.arange(50, 90))
    np.testing.assert_array_equal(row_draws((3, 1), np.array([60, 61, 80])), whole[[10, 11, 30]])


def column_sums(chunk: Any) -> Any:
    return chunk.X.sum(axis=0), chunk.rows.sum(), float(len(chunk.rows))


@pytest.mark.parametrize("memory", [60, 400, 10**6])
def test_chunks_of_a_part_have_its_rows_with_their_numbers(memory: int) -> None:
    X = np.random.default_rng(0).normal(size=(90, 3))
    weight = np.where(np.arange(90) % 10 == 0, 0.0, 1.0)
    part = FoldRows(2, 4, (7,), others=True)
    held = part.holds(np.arange(90)) & (weight > 0.0)
    chunks = PartChunks(RowChunks(X, np.arange(90), weight, memory=memory), part)
    sums, numbers, n = chunks.total(column_sums)
    np.testing.assert_allclose(sums, X[held].sum(axis=0), rtol=1e-12)
    assert (numbers, n) == (np.flatnonzero(held).sum(), held.sum())
    everything = chunks.sample(1000, 0)
    np.testing.assert_array_equal(everything.rows, np.flatnonzero(held))
    np.testing.assert_array_equal(everything.X, X[held])
    some = chunks.sample(20, 5)
    assert set(some.rows.tolist()) <= set(np.flatnonzero(held).tolist())
    assert len(some.rows) == 20
    again = PartChunks(RowChunks(X, np.arange(90), weight, memory=100), part).sample(20, 5)
    np.testing.assert_array_equal(some.rows, again.rows)


def test_a_part_without_rows_is_told() -> None:
    chunks = PartChunks(RowChunks(np.eye(3), np.arange(3)), ListedRows(np.array([7]), 10))
    with pytest.raises(ValueError, match="a part of the rows is empty"):
        chunks.sample(2, 0)
