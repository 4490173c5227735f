"""Numbers with thousands separators, percent signs and decimal commas are numbers, where it is clear."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svmsieve.datasets import DataError, DataWarning, read_table
from svmsieve.datasets.written_numbers import number_of, written_numbers

AMOUNTS = np.array(
    [12345.6, 999.5, -1234.25, 7.0, 1234567.0, 0.5, 45678.9, 50.0, 100200.3, 31.0, 2e4, 3.0]
)
RATES = np.array([12.3, 45.0, 0.5, 7.25, 99.9, 33.0, 61.5, 2.0, 8.5, 71.0, 15.0, 27.5])


def german(text):
    return text.translate(str.maketrans(".,", ",."))


def file_of(folder, columns, delimiter=";", name="data.csv"):
    """Write texts by column, and a target of two classes."""
    n = len(next(iter(columns.values())))
    columns = {**columns, "t": [("x", "y")[i % 2] for i in range(n)]}
    rows = [delimiter.join(columns), *map(delimiter.join, zip(*columns.values(), strict=True))]
    path = folder / name
    path.write_text("\n".join(rows) + "\n")
    return path


def quiet(path, target="t", **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return read_table(path, target, **options)


def thousands():
    return [f"{v:,}" for v in AMOUNTS]


class TestThousands:
    @pytest.mark.parametrize("delimiter", [";", "\t", "|"])
    @pytest.mark.parametrize("write", [str, german])
    def test_in_a_file_of_another_delimiter(self, tmp_path, delimiter, write):
        columns = {
            "amount": [write(text) for text in thousands()],
            "b": [write(f"{v:.4f}") for v in RATES],
        }
        table = read_table(file_of(tmp_path, columns, delimiter), "t")
        assert table.X["amount"].tolist() == AMOUNTS.tolist()
        assert table.X["b"].tolist() == RATES.tolist()
        sign = "commas" if write is str else "points"
        assert f"'amount' had thousands separators ({sign}), which were taken out." in table.notes

    def test_quoted_in_a_comma_file(self, tmp_path):
        columns = {"amount": [f'"{text}"' for text in thousands()], "b": list(map(str, RATES))}
        table = read_table(file_of(tmp_path, columns, ","), "t")
        assert table.X["amount"].tolist() == AMOUNTS.tolist()

    def test_missing_values_stay_missing(self, tmp_path):
        texts = thousands()
        texts[1], texts[4] = "", "NA"
        table = read_table(file_of(tmp_path, {"amount": texts, "b": list(map(str, RATES))}), "t")
        assert table.missing == {"amount": 2}
        assert table.X["amount"].dropna().tolist() == np.delete(AMOUNTS, [1, 4]).tolist()

    @pytest.mark.parametrize("write", [str, german])
    def test_whole_ones_by_the_decimal_sign_of_the_other_columns(self, tmp_path, write):
        whole = [1234 + 1111 * i**2 for i in range(12)]
        columns = {
            "a": [write(f"{v:,}") for v in whole],
            "b": [write(f"{v:,}") for v in whole[::-1]],
            "c": [write(str(v)) for v in RATES],
        }
        table = read_table(file_of(tmp_path, columns), "t")
        assert table.X["a"].tolist() == whole
        assert table.kinds == {"a": "integer", "b": "integer", "c": "number"}
        sign = "commas" if write is str else "points"
        assert (
            f"each of 'a', 'b' had thousands separators ({sign}), which were taken out."
            in table.notes
        )

    def test_as_target(self, tmp_path):
        table = quiet(
            file_of(tmp_path, {"a": thousands(), "b": list(map(str, RATES))}), "a", drop=["t"]
        )
        assert table.task == "regression"
        assert table.y.tolist() == AMOUNTS.tolist()
        assert any(note.startswith("'a' had thousands separators") for note in table.notes)

    def test_in_a_new_file(self, tmp_path):
        columns = {"a": thousands(), "b": list(map(str, RATES))}
        first = read_table(file_of(tmp_path, columns), "t")
        new = file_of(tmp_path, {"a": ["1,234", "5,678"], "b": ["1", "2"]}, name="new.csv")
        table = read_table(new, like=first)
        assert table.X["a"].tolist() == [1234, 5678]
        assert "'a' had thousands separators (commas), which were taken out." in table.notes


class TestPercent:
    @pytest.mark.parametrize("space", ["", " "])
    @pytest.mark.parametrize(("delimiter", "write"), [(",", str), (";", german)])
    def test_signs_are_taken_out(self, tmp_path, delimiter, write, space):
        columns = {"p": [write(f"{v}{space}%") for v in RATES], "b": list("121212312131")}
        table = read_table(file_of(tmp_path, columns, delimiter), "t")
        assert table.X["p"].tolist() == RATES.tolist()
        assert "'p' had percent signs, which were taken out." in table.notes

    def test_whole_ones_are_clear_without_a_decimal_sign(self, tmp_path):
        columns = {"p": [f"{5 * i % 7}%" for i in range(12)], "b": list("121212312131")}
        assert read_table(file_of(tmp_path, columns, ","), "t").kinds["p"] == "integer"

    def test_a_bare_zero_is_one(self):
        assert written_numbers(["12%", "0", "7%"]).numbers.tolist() == [12, 0, 7]

    def test_a_number_without_its_sign_is_a_mistake(self, tmp_path):
        columns = {"p": [f"{v}%" for v in RATES[:-1]] + ["0.275"], "b": list("121212312131")}
        with pytest.raises(
            DataError,
            match=r"'p' holds numbers with percent signs, but '0\.275' in row 12; correct",
        ):
            read_table(file_of(tmp_path, columns, ","), "t")


class TestUnclear:
    WHOLE = tuple(f"{1234 + 1111 * i**2:,}" for i in range(12))

    @pytest.mark.parametrize("delimiter", ["\t", ","])
    def test_commas_that_may_be_either_are_not_guessed(self, tmp_path, delimiter):
        columns = {"a": [f'"{v}"' for v in self.WHOLE], "b": list("121212312131")}
        path = file_of(tmp_path, columns, delimiter)
        with pytest.warns(
            DataWarning,
            match="left out: 'a', which looks like numbers whose commas may .* 1,234 as",
        ):
            table = read_table(path, "t")
        assert table.names == ["b"]
        expected = [float(text.replace(",", "")) for text in self.WHOLE]
        assert read_table(path, "t", decimal=".").X["a"].tolist() == expected
        if delimiter != ",":
            thousandths = read_table(path, "t", decimal=",").X["a"].tolist()
            assert thousandths == [value / 1000 for value in expected]

    def test_between_semicolons_a_comma_is_the_decimal_sign(self, tmp_path):
        columns = {"a": ["12,345", "36,512", "1,234"] * 4, "b": list("121212312131")}
        table = read_table(file_of(tmp_path, columns, ";"), "t")
        assert table.X["a"].tolist() == [12.345, 36.512, 1.234] * 4

    def test_few_of_them_are_categories_with_a_note(self, tmp_path):
        columns = {"a": ["1,234", "5,678"] * 6, "b": list("121212312131")}
        table = read_table(file_of(tmp_path, columns, "\t"), "t")
        assert table.kinds["a"] == "category"
        assert any(n.startswith("'a' looks like numbers whose commas") for n in table.notes)

    def test_a_target_of_them_is_refused(self, tmp_path):
        path = file_of(tmp_path, {"a": self.WHOLE, "b": list("121212312131")}, "\t")
        with pytest.raises(DataError, match="target 'a' looks like numbers whose commas may"):
            quiet(path, "a")

    def test_a_mistake_among_them_is_named(self, tmp_path):
        texts = thousands()
        texts[7] = "about 50"
        with pytest.raises(
            DataError, match=r"with thousands separators \(commas\), but 'about 50' in row 8"
        ):
            read_table(file_of(tmp_path, {"a": texts, "b": list(map(str, RATES))}), "t")

    def test_answers_with_several_choices_stay_categories(self, tmp_path):
        columns = {
            "choice": [f'"{c}"' for c in ["1,2", "1,3", "2,3,4"] * 4],
            "b": list("121212312131"),
        }
        table = read_table(file_of(tmp_path, columns, ","), "t")
        assert table.kinds["choice"] == "category"


@given(
    st.floats(-1e9, 1e9).map(lambda v: round(v, 2)),
    st.sampled_from([str, german]),
    st.sampled_from(["", "%"]),
)
def test_what_python_writes_is_read_back(value, write, mark):
    assert number_of(write(f"{value:,}") + mark, "." if write is str else ",") == value


@pytest.mark.parametrize(
    "text", ["", "%", "1,23.4", "12,34,567", "0,123", "1.2.3", "1_000", "٣", "nan", "a"]
)
def test_what_is_no_number(text):
    assert number_of(text, ".") is None
