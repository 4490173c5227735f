"""Categories keep the text that the file has for them, numbers among them too."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from svmsieve.datasets import encode, read_table
from svmsieve.datasets.columns import number_text, understand


def write(folder, text, name="data.csv"):
    path = folder / name
    path.write_text(text)
    return path


def codes(*values, label="{}"):
    rows = "".join(f"{i * 7 % 5},{v},{label.format(i % 2)}\n" for i, v in enumerate(values))
    return "x,code,t\n" + rows


def test_numbers_lose_no_digit():
    numbers = [1000001.0, 1000002.0, -3.0, 0.1, 1e-7, 123456.75, float("inf")]
    assert [number_text(v) for v in numbers] == [
        "1000001",
        "1000002",
        "-3",
        "0.1",
        "1e-07",
        "123456.75",
        "inf",
    ]
    assert [float(number_text(v)) for v in numbers] == numbers


@pytest.mark.parametrize("dtype", ["float64", "Float64"])
def test_long_codes_of_a_frame_stay_apart(dtype):
    values = pd.Series([1000001.0, 1000002.0, None, 1000001.0], dtype=dtype)
    column = understand(values, "zip", declared="category")
    assert column.values.cat.categories.tolist() == ["1000001", "1000002"]
    assert column.values.isna().tolist() == [False, False, True, False]


def test_long_codes_of_an_npz_file_stay_apart(tmp_path):
    X = np.array([[1000001.0, 1.5], [1000002.0, 2.5], [1000001.0, 0.5], [1000002.0, 3.5]])
    np.savez(tmp_path / "data.npz", X=X, y=np.array([0, 1, 0, 1]))
    table = read_table(tmp_path / "data.npz", categorical=["x0"])
    assert encode(table).names == ["x0=1000001", "x0=1000002", "x1"]


def test_declared_categories_are_read_as_they_are_written(tmp_path):
    path = write(tmp_path, codes("007", "7", "", "NA", "-", "1e3", "007", "7"))
    table = read_table(path, "t", categorical=["code"], missing=["-"])
    assert table.X["code"].cat.categories.tolist() == ["007", "1e3", "7"]
    assert table.missing == {"code": 3}


def test_of_columns_of_one_name_the_one_that_is_meant(tmp_path):
    path = write(tmp_path, "c,c,t\n01,05,a\n02,06,b\n01,07,a\n02,05,b\n")
    with pytest.warns(UserWarning, match="were numbered: 'c'"):
        table = read_table(path, "t", categorical=["c (2)"])
    assert table.X["c"].tolist() == [1, 2, 1, 2]
    assert table.X["c (2)"].tolist() == ["05", "06", "07", "05"]


def test_a_declared_target_has_the_labels_of_the_file(tmp_path):
    table = read_table(write(tmp_path, codes(*"abab", label="{}")), "t", categorical=["t"])
    assert table.y.tolist() == ["0", "1", "0", "1"]
    table = read_table(write(tmp_path, codes(*"abab", label="0{}")), "t", categorical=["t"])
    assert table.y.tolist() == ["00", "01", "00", "01"]


def test_a_new_file_is_read_as_text_where_the_first_was(tmp_path):
    first = codes("007", "7", "007", "7", label="0{}")
    first = read_table(write(tmp_path, first), "t", categorical=["code", "t"])
    new = read_table(write(tmp_path, codes("007", "007", label="0{}"), "new.csv"), "t", like=first)
    assert new.X["code"].tolist() == ["007", "007"]
    assert new.y.tolist() == ["00", "01"]
    encoded = encode(first).encoder.transform(new.X)
    assert encoded["code=007"].tolist() == [1, 1]


def test_a_whole_number_written_as_a_decimal_is_the_same_category(tmp_path):
    first = read_table(write(tmp_path, codes("1", "02", "1", "02")), "t", categorical=["code"])
    text = codes("1.0", "02", "-3.00", "v1.0")
    new = read_table(write(tmp_path, text, "new.csv"), "t", like=first)
    assert new.X["code"].astype(str).tolist() == ["1", "02", "-3", "v1.0"]
