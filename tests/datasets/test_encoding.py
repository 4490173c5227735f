"""Tables become matrices with groups, the same way for new files, inside the folds."""

from __future__ import annotations

from datetime import date, time
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from svmsieve import SVMSieve
from svmsieve.datasets import DataError, SparseNumbers, TableEncoder, encode, read_table
from svmsieve.datasets.table import Table


def frame():
    return pd.DataFrame(
        {
            "n": [1.0, np.nan, 3.0, 8.0],
            "colour": ["red", "blue", None, "red"],
            "flag": [True, False, True, True],
            "k": [1, 2, 3, 4],
            "size": pd.Categorical(["s", "l", "s", "l"]),
        }
    )


def test_values_names_and_groups():
    encoder = TableEncoder()
    out = encoder.fit_transform(frame())
    assert list(out) == [
        "n",
        "colour=blue",
        "colour=red",
        "colour=(missing)",
        "flag",
        "k",
        "size=l",
        "size=s",
    ]
    assert list(encoder.get_feature_names_out()) == list(out)
    assert out.to_numpy().tolist() == [
        [1, 0, 1, 0, 1, 1, 0, 1],
        [4, 1, 0, 0, 0, 2, 1, 0],
        [3, 0, 0, 1, 1, 3, 0, 1],
        [8, 0, 1, 0, 1, 4, 1, 0],
    ]
    assert encoder.groups_["colour=(missing)"] == "colour"
    assert sorted(set(encoder.groups_.values())) == ["colour", "flag", "k", "n", "size"]


def test_against_scikit_learn():
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {name: rng.choice(["u", "v", "w", "x"], 50) for name in "abc"}, dtype=object
    )
    data.iloc[3, 1] = np.nan
    new = pd.DataFrame({name: rng.choice(["u", "x", "new"], 20) for name in "abc"}, dtype=object)
    theirs = OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(data)
    ours = TableEncoder().fit(data)
    assert np.array_equal(ours.transform(new).to_numpy(), theirs.transform(new))


def test_new_rows_unknown_levels_missing_values_other_columns():
    encoder = TableEncoder().fit(frame())
    new = pd.DataFrame(
        {
            "extra": ["a", "b"],
            "size": [None, "xl"],  # nothing was missing in training
            "colour": ["green", None],
            "k": [7, None],
            "flag": [False, None],
            "n": [None, 5.0],
        },
        index=[10, 20],
    )
    out = encoder.transform(new)
    assert out.index.tolist() == [10, 20]
    assert out.iloc[0].tolist() == [4.0, 0, 0, 0, 0, 7, 0, 0]
    assert out.iloc[1].tolist() == [5.0, 0, 0, 1, 0.75, 2.5, 0, 0]


def test_levels_that_look_like_numbers_are_found_again(tmp_path):
    (tmp_path / "old.csv").write_text("code,t\n1,x\n2,y\n1,x\n,y\n3,x\n")
    (tmp_path / "new.csv").write_text("code\n1\n2\n3\n1\n")
    table = read_table(tmp_path / "old.csv", "t", categorical=["code"])
    encoded = encode(table)
    assert encoded.names == ["code=1", "code=2", "code=3", "code=(missing)"]
    new = read_table(tmp_path / "new.csv")
    assert encoded.encoder.transform(new.X).to_numpy().argmax(axis=1).tolist() == [0, 1, 2, 0]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, object])
def test_categories_that_are_numbers_are_found_again(dtype):
    old = pd.DataFrame({"c": pd.Series([1.0, 2.5, 1.0], dtype=dtype).astype("category")})
    encoder = TableEncoder().fit(old)
    assert encoder.levels_ == {"c": ["1", "2.5"]}
    for new in ([1.0, 2.5], ["1", "2.5"]):
        assert encoder.transform(pd.DataFrame({"c": new})).to_numpy().tolist() == [[1, 0], [0, 1]]


def test_decimals_are_numbers():
    data = pd.DataFrame({"a": [Decimal("1.5"), None, Decimal("2.5")]})
    assert TableEncoder().fit_transform(data)["a"].tolist() == [1.5, 2.0, 2.5]


def test_missing_numbers_may_stay():
    out = TableEncoder(impute=False).fit_transform(frame())
    assert np.isnan(out["n"][1])
    assert out["colour=(missing)"].tolist() == [0, 0, 1, 0]


def test_a_column_without_a_value_is_zero():
    data = pd.DataFrame({"a": [np.nan, np.nan], "b": [1.0, 2.0]})
    assert TableEncoder().fit_transform(data)["a"].tolist() == [0.0, 0.0]


def test_names_that_collide_stay_apart():
    data = pd.DataFrame({"a": ["b=c", "x"], "a=b": ["c", "x"], "a=x": [1, 2]})
    encoder = TableEncoder().fit(data)
    assert len(set(encoder.feature_names_out_)) == 5
    assert list(encoder.groups_.values()) == ["a", "a", "a=b", "a=b", "a=x"]


def test_polars_and_arrays():
    data = frame().drop(columns=["size"])
    out = TableEncoder().fit_transform(data)
    columns = {name: [None if pd.isna(v) else v for v in data[name]] for name in data}
    other = TableEncoder().fit_transform(pl.DataFrame(columns))
    assert np.array_equal(out.to_numpy(), other.to_numpy())
    assert TableEncoder().fit_transform([[1.0, np.nan], [2.0, 3.0]]).tolist() == [[1, 3], [2, 3]]


def test_learnt_from_the_training_rows_only():
    data = frame()
    encoder = TableEncoder().fit(data.iloc[:2])
    assert encoder.means_["n"] == 1.0
    assert encoder.levels_["colour"] == ["blue", "red"]
    assert encoder.transform(data)["n"].tolist() == [1.0, 1.0, 3.0, 8.0]


def test_with_a_selector_in_folds():
    rng = np.random.default_rng(0)
    n = 80
    colour = rng.choice(["red", "green", "blue"], n)
    data = pd.DataFrame({"noise": rng.normal(size=n), "colour": colour, "x": rng.normal(size=n)})
    y = np.where((colour == "red") ^ (rng.random(n) < 0.05), "yes", "no")
    data.loc[rng.random(n) < 0.1, "x"] = np.nan
    encoder = TableEncoder().fit(data)
    sieve = SVMSieve(
        SVC(C=1.0), criterion="fspp2", n_features_to_select=1, groups=encoder.groups_, cv=3
    )
    pipeline = make_pipeline(TableEncoder(), sieve)
    assert cross_val_score(pipeline, data, y, cv=3).mean() > 0.85
    pipeline.fit(data, y)
    assert list(pipeline[-1].get_feature_names_out()) == [
        "colour=blue",
        "colour=green",
        "colour=red",
    ]
    # a plain machine after it
    assert (
        cross_val_score(make_pipeline(TableEncoder(), StandardScaler(), SVC()), data, y).mean()
        > 0.8
    )


def test_encode_a_sparse_table(tmp_path):
    (tmp_path / "data.svm").write_text("1 1:0.5 3:2\n-1 2:1.5\n1 1:1 3:1\n-1 3:4\n")
    table = read_table(tmp_path / "data.svm")
    encoded = encode(table)
    assert sp.issparse(encoded.X)
    assert encoded.groups is None
    assert encoded.names == ["x1", "x2", "x3"]


def test_encode_without_categories_has_no_groups():
    from svmsieve.datasets import Table

    data = pd.DataFrame({"a": [1.0, 2.0]})
    assert encode(Table(data, None, None, None, ["a"], {"a": "number"})).groups is None


@pytest.mark.parametrize(
    ("fit", "transform", "message"),
    [
        ({"a": [1.0]}, {"b": [1.0]}, "X lacks 'a', which the encoder was fitted with; add it"),
        ({"a": [1.0]}, {"a": ["x"]}, "column 'a' must hold numbers, as it did in training"),
        ({"a": [1.0]}, {"a": [np.inf]}, "column 'a' has an infinite value in row 1"),
        ({"a": pd.date_range("2024-01-01", periods=2)}, None, "column 'a' holds dates"),
        ({"a": [np.inf]}, None, "column 'a' has an infinite value in row 1"),
        ({}, None, "at least one column"),
    ],
)
def test_refusals(fit, transform, message):
    with pytest.raises(DataError, match=message):
        TableEncoder().fit(pd.DataFrame(fit)).transform(pd.DataFrame(transform))


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ([1 + 2j, 3.0], "complex numbers"),
        (pd.Series([1 + 2j, 3.0], dtype=object), "complex numbers"),
        ([date(2024, 1, 1), None], "dates"),
        (pl.Series([date(2024, 1, 1), None]), "dates"),
        (pd.to_timedelta(["1 day", "2 days"]), "dates"),
        (pd.period_range("2024-01", periods=2, freq="M"), "dates"),
        ([time(12, 30), time(13)], "dates"),
        ([[1, 2], [3]], "lists or bytes"),
        (pl.Series([[1, 2], [3]]), "lists or bytes"),
    ],
)
def test_what_is_neither_number_nor_category_is_refused(values, what):
    make = pl.DataFrame if isinstance(values, pl.Series) else pd.DataFrame
    frame = make({"fine": [1.0, 2.0], "a": values})
    with pytest.raises(DataError, match=f"^column 'a' holds {what}[^.]*drop it.$"):
        TableEncoder().fit(frame)
    encoder = TableEncoder().fit(pd.DataFrame({"fine": [1.0, 2.0], "a": [3.0, 4.0]}))
    with pytest.raises(DataError, match=f"^column 'a' holds {what}[^.]*drop it.$"):
        encoder.transform(frame)


def test_a_name_twice_is_refused():
    data = pd.DataFrame([[1.0, 2.0]], columns=["a", "a"])
    with pytest.raises(DataError, match="more than one column 'a'"):
        TableEncoder().fit(data)


@pytest.mark.parametrize("estimator", [TableEncoder(), SparseNumbers()])
def test_scikit_learn_checks(estimator):
    check_estimator(estimator, on_skip=None)


def test_columns_that_do_not_fit_are_refused_before_they_are_made():
    levels = [f"level {i % 4000}" for i in range(8000)]
    frame = pd.DataFrame({"leaf": pd.Categorical(levels)})
    table = Table(frame, None, None, None, ["leaf"], {"leaf": "category"})
    with pytest.raises(
        ValueError, match=r"4000 levels .* would need 244\.1 MiB, over the memory budget"
    ):
        encode(table, memory=1e8)
