"""From the user's table to a matrix, names, a scale and a target."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler

from svmsieve.engine.machines.target import Classes, Numbers
from svmsieve.inputs.scaling import Scale
from svmsieve.inputs.table import as_matrix, feature_names, refuse_unusable
from svmsieve.inputs.target import check_weights, is_continuous, is_regression, make_target

VALUES = [[1.0, 2.0, 0.0], [3.0, 5.0, 1.0], [0.0, 7.0, 1.0]]


def frames():
    table = np.array(VALUES)
    names = ["a", "b", "c"]
    return {
        "array": table,
        "fortran": np.asfortranarray(table),
        "float32": table.astype(np.float32),
        "int": table.astype(np.int8),
        "list": VALUES,
        "csr": sp.csr_matrix(table),
        "csc": sp.csc_array(table),
        "coo": sp.coo_matrix(table),
        "pandas": pd.DataFrame(table, columns=names),
        "pandas-mixed": pd.DataFrame({"a": table[:, 0], "b": [2, 5, 7], "c": [False, True, True]}),
        "pandas-nullable": pd.DataFrame(table, columns=names).convert_dtypes(),
        "pandas-category": pd.DataFrame(table, columns=names).astype("category"),
        "polars": pl.DataFrame(table, schema=names),
        "polars-mixed": pl.DataFrame({"a": table[:, 0], "b": [2, 5, 7], "c": [False, True, True]}),
    }


@pytest.mark.parametrize("kind", frames())
def test_every_kind_of_table_is_the_same_matrix(kind):
    matrix = as_matrix(frames()[kind])
    assert matrix.dtype == np.float64
    if sp.issparse(matrix):
        assert matrix.format == "csr"
        matrix = matrix.toarray()
    else:
        assert matrix.flags.c_contiguous
    assert matrix.tolist() == VALUES


def test_the_users_table_is_not_touched():
    table = sp.coo_matrix(([1.0, 2.0, 3.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2)).tocsr()
    table.has_canonical_format = False
    before = table.data.copy()
    as_matrix(table)
    assert table.data.tolist() == before.tolist()
    dense = np.array(VALUES)
    Scale.of(dense).apply(as_matrix(dense))
    assert dense.tolist() == VALUES


def test_names():
    assert feature_names(pd.DataFrame(VALUES, columns=["a", 2, ("b", 3)])) == ["a", "2", "('b', 3)"]
    assert feature_names(pl.DataFrame({"x": [1], "y": [2]})) == ["x", "y"]
    assert feature_names(np.zeros((2, 3))) == ["x0", "x1", "x2"]


@pytest.mark.parametrize(
    "column",
    [
        ["u", "v", "w"],
        [None, "v", "w"],
        pd.Categorical(["u", "v", "u"]),
        pd.date_range("2020-01-01", periods=3),
        pd.to_timedelta([1, 2, 3]),
        [1j, 2.0, 3.0],
    ],
    ids=["text", "object", "category", "date", "duration", "complex"],
)
def test_a_column_without_numbers_is_named(column):
    frame = pd.DataFrame(VALUES, columns=["a", "b", "c"])
    frame["b"] = column
    for check in (as_matrix, refuse_unusable):
        with pytest.raises(ValueError, match=r"^column 'b' must hold numbers; encode it"):
            check(frame)


@pytest.mark.parametrize(
    "column",
    [["u", "v", "w"], [None, "v", "w"], pl.Series(["2020-01-01"] * 3).str.to_date()],
    ids=["text", "null", "date"],
)
def test_a_polars_column_without_numbers_is_named(column):
    frame = pl.DataFrame({"a": [1.0, 2.0, 3.0], "b": column})
    with pytest.raises(ValueError, match=r"^column 'b' must hold numbers; encode it"):
        as_matrix(frame)


@pytest.mark.parametrize(
    "table",
    [
        [["a", 1], ["b", 2]],
        np.array([["a", "b"]]),
        np.array([["2020-01-01"], ["2020-01-02"]], dtype="datetime64[D]"),
        np.array([[1j], [2.0]]),
        [[1, 2], [3]],
    ],
    ids=["list", "text", "dates", "complex", "ragged"],
)
def test_arrays_without_numbers_are_refused(table):
    with pytest.raises(ValueError, match="X must hold numbers"):
        as_matrix(table)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("kind", ["array", "list", "csr", "csc"])
def test_a_missing_value_is_named_by_column_and_row(bad, kind):
    table = np.array(VALUES)
    table[[1, 2], 2] = bad
    given = {"array": table, "list": table.tolist(), "csr": sp.csr_matrix(table)}
    given["csc"] = sp.csc_array(table)
    message = "^column 2 has 2 missing or infinite values, first in row 1; impute or drop them.$"
    with pytest.raises(ValueError, match=message):
        as_matrix(given[kind])


def test_a_missing_value_of_a_frame_is_named_by_its_column():
    frame = pd.DataFrame(VALUES, columns=["a", "b", "c"])
    frame.loc[2, "b"] = np.nan
    nullable = frame.convert_dtypes()
    for given in (frame, nullable, pl.from_pandas(frame)):
        for check in (as_matrix, refuse_unusable):
            with pytest.raises(
                ValueError, match=r"^column 'b' has 1 missing or infinite value, first"
            ):
                check(given)


@pytest.mark.parametrize("kind", ["frame", "array", "sparse"])
@pytest.mark.parametrize("allow_missing", [False, True])
def test_values_without_a_square_are_named_by_their_column(kind, allow_missing):
    table = np.ones((4, 3))
    table[2, 1] = -1e200
    makers = {"frame": lambda t: pd.DataFrame(t, columns=list("abc")), "array": np.array}
    X = makers.get(kind, sp.csr_matrix)(table)
    name = "'b'" if kind == "frame" else "1"
    message = f"^column {name} holds values beyond 1e.150, whose squares are infinite; divide it.$"
    with pytest.raises(ValueError, match=message):
        refuse_unusable(X, allow_missing=allow_missing)
    with pytest.raises(ValueError, match=message):
        as_matrix(X)
    table[2, 1] = 1e149
    refuse_unusable(makers.get(kind, sp.csr_matrix)(table), allow_missing=allow_missing)


def test_frames_with_a_name_twice():
    frame = pd.DataFrame(VALUES, columns=["a", "a", "c"])
    assert as_matrix(frame).tolist() == VALUES
    mixed = frame.astype(object)
    assert as_matrix(mixed).tolist() == VALUES


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.zeros(3), r"X must have two dimensions \(samples, features\), got 1"),
        (np.zeros((2, 2, 2)), "X must have two dimensions .*, got 3"),
        (np.zeros((1, 3)), "at least two samples and one feature, got 1 and 3"),
        (pd.DataFrame(index=range(3)), "at least two samples and one feature, got 3 and 0"),
        (pl.DataFrame(), "at least two samples and one feature, got 0 and 0"),
        (np.zeros((3, 0)), "at least two samples and one feature, got 3 and 0"),
    ],
)
def test_shapes_are_refused(table, message):
    with pytest.raises(ValueError, match=message):
        as_matrix(table)


# Scale ---------------------------------------------------------------------------------------


def test_scale_is_that_of_scikit_learn():
    X = np.random.default_rng(0).normal(2.0, 3.0, size=(20, 4))
    weights = np.random.default_rng(1).uniform(size=20)
    np.testing.assert_allclose(Scale.of(X).apply(X), StandardScaler().fit_transform(X))
    expected = StandardScaler().fit(X, sample_weight=weights).transform(X)
    np.testing.assert_allclose(Scale.of(X, weights).apply(X), expected)


def test_a_sparse_matrix_is_not_centred():
    X = sp.random(30, 5, density=0.4, format="csr", random_state=0)
    scale = Scale.of(X)
    scaled = scale.apply(X)
    assert scaled.nnz == X.nnz
    assert not scale.mean.any()
    expected = StandardScaler(with_mean=False).fit_transform(X)
    np.testing.assert_allclose(scaled.toarray(), expected.toarray())


def test_a_constant_column_keeps_its_unit():
    X = np.column_stack([np.full(10, 0.1), np.full(10, 1e9 + 0.1), np.arange(10.0)])
    for table in (X, sp.csr_matrix(X)):
        assert Scale.of(table).deviation[:2].tolist() == [1.0, 1.0]


def test_no_scale():
    X = np.array(VALUES)
    scale = Scale.none(X.shape[1])
    assert scale.apply(X) is X
    assert scale.apply(sp.csr_matrix(X)).toarray().tolist() == VALUES
    X.flags.writeable = False
    copy = scale.apply(X)
    assert copy.flags.writeable
    assert copy.tolist() == VALUES
    filled = Scale.none(1, np.array([7.0])).apply(np.array([[1.0], [np.nan]]))
    assert filled.tolist() == [[1.0], [7.0]]


# Target --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "regression"),
    [
        ([0.5, 1.0, 2.0], True),
        ([1.0, 2.0, 1.0], False),
        (list(range(20)), False),
        (list(range(21)), True),
        ([float(i) for i in range(21)], True),
        (["a", "b", "c"], False),
        ([str(i) for i in range(40)], False),
        ([True, False, True], False),
        (pd.Series([0.5, 1.5, 2.5]), True),
        (pl.Series([1, 2, 1]), False),
    ],
)
def test_the_task_is_guessed_from_the_values(y, regression):
    assert is_regression(y) is regression


def test_many_whole_numbers_may_still_be_classes():
    assert not is_continuous(np.arange(40))
    assert isinstance(make_target(np.arange(40), False, 40), Classes)
    assert isinstance(make_target(np.arange(40), True, 40), Numbers)


def test_a_column_is_a_target():
    assert make_target([[1], [2], [1]], False, 3).codes.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("y", "regression", "message"),
    [
        ([1, 2], False, r"y must have shape \(3,\), one target for each row of X, got \(2,\)"),
        ([[1, 2], [3, 4], [5, 6]], False, r"y must have shape \(3,\).*got \(3, 2\)"),
        ([0.5, np.nan, 1.0], True, "y has a missing or infinite value in row 1; drop that row"),
        ([0.5, 1.0, np.inf], True, "y has a missing or infinite value in row 2"),
        ([1.0, np.nan, 1.0], False, "y has a missing or infinite value in row 1"),
        (np.array(["a", None, "b"], dtype=object), False, "y has a missing value in row 1"),
        (pd.Series(["a", "b", None]), False, "y has a missing value in row 2"),
        ([0.5, 1.5, 2.5], False, "y holds continuous values .* use an SVR"),
        (["a", "b", "c"], True, "y must be numeric"),
        ([1, 1, 1], False, "y must hold at least two classes, got only 1"),
        (["a", "a", "a"], False, "y must hold at least two classes, got only 'a'"),
    ],
)
def test_bad_targets_are_refused(y, regression, message):
    with pytest.raises(ValueError, match=message):
        make_target(y, regression, 3)


def test_a_missing_number_does_not_stop_the_guess():
    assert is_regression([1.0, np.nan, 2.0])


# Weights -------------------------------------------------------------------------------------


def test_weights():
    assert check_weights([1, 0, 2], 3).tolist() == [1.0, 0.0, 2.0]
    assert check_weights(2, 3).tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, -1.0, 1.0], "sample_weight must not be negative"),
        ([0.0, 0.0, 0.0], "nor zero for all samples"),
        ([1.0, 2.0], r"sample_weight must have shape \(3,\), got \(2,\)"),
        ([1.0, np.nan, 2.0], "sample_weight must be finite: entry 1"),
    ],
)
def test_bad_weights_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        check_weights(weights, 3)
