"""The checks at the engine's edges: one sentence that names the argument and the place."""

import numpy as np
import pytest
import scipy.sparse as sp

from svmsieve.engine.arrays import (
    check_matrix,
    check_positive,
    check_sample_weight,
    check_vector,
    dense_columns,
)


@pytest.mark.parametrize(
    "X",
    [
        [[1, 2], [3, 4]],
        np.array([[1, 2], [3, 4]], dtype=np.uint8),
        np.asfortranarray([[1.0, 2.0], [3.0, 4.0]]),
        np.array([["1", "2"], ["3", "4"]], dtype=object),
        sp.csc_array([[1.0, 2.0], [3.0, 4.0]]),
        sp.coo_matrix([[1, 2], [3, 4]]),
    ],
    ids=["list", "uint8", "fortran", "digits", "csc", "coo"],
)
def test_matrices_become_float64(X):
    checked = check_matrix(X)
    assert checked.dtype == np.float64
    np.testing.assert_array_equal(dense_columns(checked, [1, 0]), [[2, 1], [4, 3]])
    if sp.issparse(checked):
        assert checked.format == "csr"
    else:
        assert checked.flags.c_contiguous


def test_duplicate_entries_are_summed():
    X = sp.coo_array(([1.0, 2.0], ([0, 0], [1, 1])), shape=(1, 2))
    np.testing.assert_array_equal(check_matrix(X).toarray(), [[0.0, 3.0]])


def test_huge_finite_values_pass():
    X = np.full((3, 2), 1e308)
    np.testing.assert_array_equal(check_matrix(X), X)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, sp.csr_array, sp.csc_array])
def test_not_finite_matrix(bad, kind):
    X = np.zeros((4, 3))
    X[0, 0], X[2, 1] = 5.0, bad
    with pytest.raises(ValueError, match=r"^Z must be finite: row 2, column 1 is missing.*\.$"):
        check_matrix(kind(X), "Z")


def test_infinities_that_cancel_are_found():
    with pytest.raises(ValueError, match="X must be finite: row 0, column 0"):
        check_matrix([[np.inf], [-np.inf]])


@pytest.mark.parametrize("X", [[1.0, 2.0], 3.0, np.zeros((2, 2, 2))])
def test_wrong_number_of_dimensions(X):
    with pytest.raises(ValueError, match="X must have two dimensions"):
        check_matrix(X)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_empty_matrix(shape, kind):
    with pytest.raises(ValueError, match="X must hold at least one sample and one feature"):
        check_matrix(kind(np.zeros(shape)))


@pytest.mark.parametrize("X", [[["a", "b"]], [[1.0], [1.0, 2.0]], [[None]], [[{}]]])
def test_not_a_table_of_numbers(X):
    with pytest.raises(ValueError, match=r"X must be (a table of numbers|finite)"):
        check_matrix(X)


def test_vectors_become_float64():
    vector = check_vector([1, 2, 3], 3, "y")
    assert vector.dtype == np.float64


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, 2.0], r"y must have shape \(3,\), got \(2,\)"),
        ([[1.0, 2.0, 3.0]], r"y must have shape \(3,\)"),
        ([1.0, np.nan, 3.0], "y must be finite: entry 1 is nan"),
        ([1.0, 2.0, -np.inf], "y must be finite: entry 2 is -inf"),
        (["a", "b", "c"], "y must be numeric"),
        ([1.0, None, "x"], "y must be numeric"),
    ],
)
def test_bad_vector(values, message):
    with pytest.raises(ValueError, match=message):
        check_vector(values, 3, "y")


@pytest.mark.parametrize("weight", [[-1.0, 1.0], [0.0, 0.0]])
def test_bad_sample_weight(weight):
    with pytest.raises(ValueError, match="sample_weight must not be negative and must be positive"):
        check_sample_weight(weight, 2)


@pytest.mark.parametrize("value", [0, -1, np.nan, np.inf, None, "many", [1.0]])
def test_not_a_positive_number(value):
    with pytest.raises(ValueError, match="C must be a positive number, got"):
        check_positive(value, "C")


def test_dense_columns_of_sparse():
    X = np.arange(12.0).reshape(3, 4)
    for kind in (np.asarray, sp.csr_array, sp.csc_array):
        block = dense_columns(kind(X), np.array([3, 1]))
        assert block.flags.c_contiguous
        np.testing.assert_array_equal(block, X[:, [3, 1]])
        np.testing.assert_array_equal(dense_columns(kind(X), slice(1, 3)), X[:, 1:3])
