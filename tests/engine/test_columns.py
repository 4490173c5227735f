"""Ranges and distinct values of single columns."""

import numpy as np
import pytest
import scipy.sparse as sp

from svmsieve.engine import columns
from svmsieve.engine.columns import column_range, count_distinct


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    return np.column_stack(
        [
            rng.normal(size=30),
            np.full(30, 2.5),
            np.arange(30) % 2,
            -(np.arange(30) % 3.0),
            np.where(np.arange(30) % 7 == 0, 4.0, 0.0),
            np.zeros(30),
        ]
    )


@pytest.mark.jitless
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csr_matrix])
def test_range(X, kind):
    lower, upper = column_range(kind(X))
    np.testing.assert_array_equal(lower, X.min(axis=0))
    np.testing.assert_array_equal(upper, X.max(axis=0))


@pytest.mark.jitless
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("most", [1, 2, 3, 29, 30, 64])
def test_count_distinct(X, kind, most):
    exact = np.array([len(np.unique(column)) for column in X.T])
    np.testing.assert_array_equal(count_distinct(kind(X), most), np.minimum(exact, most + 1))


@pytest.mark.jitless
def test_both_zeros_are_one_value():
    np.testing.assert_array_equal(count_distinct(np.array([[0.0], [-0.0], [1.0]]), 5), [2])


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_block_by_block(X, kind, monkeypatch):
    whole = count_distinct(kind(X), 10)
    monkeypatch.setattr(columns, "_BLOCK", 2)
    np.testing.assert_array_equal(count_distinct(kind(X), 10), whole)
