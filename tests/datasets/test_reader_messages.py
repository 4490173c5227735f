"""Sentences of the reader that say what happened, and a remedy that works."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svmsieve.datasets import DataError, DataWarning, read_table
from svmsieve.datasets.cost import require

ROWS = [f"{i * 7 % 5},{i * 3 % 4}" for i in range(12)]


def write(folder, labels, head="a,b,t\n"):
    path = folder / "data.csv"
    path.write_text(head + "".join(f"{r},{t}\n" for r, t in zip(ROWS, labels, strict=False)))
    return path


@pytest.mark.parametrize("target", ["²", "--1", "1-", "-", "٣", "9" * 5000])
def test_a_target_that_only_looks_like_a_number(tmp_path, target):
    with pytest.raises(
        DataError, match=r"data\.csv' has no column .* for the target; it has 'a', 'b'"
    ):
        read_table(write(tmp_path, "xyxyxyxyxyxy"), target)


@pytest.mark.parametrize(
    "path", ["data.csv", "tables/data.csv", "../x/data.csv", "/tmp/x/data.csv"]
)
def test_a_file_is_named_as_it_was_given(tmp_path, monkeypatch, path):
    (tmp_path / "x" / "tables").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "x")
    if not Path(path).is_absolute():
        write(Path(path).parent, "xyxyxyxyxyxy")
        with pytest.raises(DataError, match=re.escape(f"'{path}' has no column 'z'")):
            read_table(path, "z")
    with pytest.raises(DataError, match=re.escape(f"'{path}' would take ")):
        require(2e9, 1e9, Path(path))


@settings(max_examples=50, derandomize=True, database=None, deadline=None)
@given(
    extra=st.binary(min_size=1, max_size=200),
    at=st.sampled_from(["X", "y", "feature_names"]),
    compression=st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]),
)
def test_an_array_longer_than_its_header_says_is_refused(tmp_path_factory, extra, at, compression):
    file = tmp_path_factory.getbasetemp() / "data.npz"
    arrays = {
        "X": np.eye(4)[:, :3],
        "y": np.array([0, 1, 0, 1]),
        "feature_names": np.array(["a", "b", "c"]),
    }
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, array)
            archive.writestr(f"{name}.npy", content.getvalue() + extra * (name == at))
    n = arrays[at].nbytes
    told = f"its array '{at}': it is of shape {arrays[at].shape} by its header, but {n + len(extra)} bytes"
    with pytest.raises(DataError, match=re.escape(told)) as caught:
        read_table(file)
    assert str(file) in str(caught.value)


@pytest.mark.parametrize(
    ("value", "option", "mark"),
    [("inf", "--missing inf", "inf"), ("-Infinity", "--missing=-inf", "-inf")],
)
def test_the_remedy_for_an_infinite_value(tmp_path, value, option, mark):
    path = write(tmp_path, "xyxyxyxyxyxy")
    path.write_text(path.read_text() + f"{value},3,x\n")
    with pytest.raises(DataError) as caught:
        read_table(path, "t")
    assert "'a' has an infinite value in row 13" in str(caught.value)
    assert f"({option}, in Python missing=['{mark}'])" in str(caught.value)
    assert read_table(path, "t", missing=[mark]).missing == {"a": 1}


class TestLabelsReadAsMissing:
    def read(self, path, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            return read_table(path, "t", **options)

    @pytest.mark.parametrize("head", ["a,b,t\n", "a,b,t\n\n"])
    @pytest.mark.parametrize("options", [{}, {"categorical": ["t"]}])
    def test_one_class_is_left(self, tmp_path, head, options):
        path = write(tmp_path, ["US", "NA", "US", "NA", "US", "", "US", "null"], head)
        with pytest.raises(DataError) as caught:
            self.read(path, **options)
        assert str(caught.value).removeprefix(f"'{tmp_path / 'data.csv'}': ") == (
            "target 't' has the class 'US' only: 3 rows had a label that was read as missing "
            "('NA', 'null'); spell it otherwise."
        )

    def test_none_is_left(self, tmp_path):
        with pytest.raises(DataError) as caught:
            self.read(write(tmp_path, ["None", "NA", "NA", ""]))
        assert str(caught.value).removeprefix(f"'{tmp_path / 'data.csv'}': ") == (
            "target 't' is empty: 3 rows had a label that was read as missing ('None', 'NA'); spell it "
            "otherwise."
        )

    def test_some_are_left(self, tmp_path):
        path = write(tmp_path, ["US", "NA", "UK", "US", "UK", "NA"])
        with pytest.warns(
            DataWarning, match="2 rows .* left out, first row 2; read as missing: 'NA'"
        ):
            assert len(read_table(path, "t").y) == 4

    def test_without_a_header_and_with_spaces(self, tmp_path):
        path = tmp_path / "data.txt"
        path.write_text("0.5  1.5 yes\n0.7 2.5  None\n0.1 1.0 yes\n0.3 9.5 None\n")
        with pytest.raises(DataError, match=r"2 rows had a label .* \('None'\)"):
            read_table(path, -1)

    def test_empty_fields_are_no_labels(self, tmp_path):
        with pytest.raises(DataError, match="has the class 'US' only; a selection needs two"):
            self.read(write(tmp_path, ["US", "", "US", ""]))
