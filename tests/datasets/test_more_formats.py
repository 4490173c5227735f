"""Excel, Feather and JSON records give the table that the same CSV file gives."""

import datetime
import gzip
import json
import re
import warnings
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from svmsieve.datasets import DataError, DataWarning, read_table

FORMS = {
    "xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "feather": lambda frame, path: frame.to_feather(path),
    "json": lambda frame, path: frame.to_json(path, orient="records", double_precision=15),
    "jsonl": lambda frame, path: frame.to_json(
        path, orient="records", lines=True, double_precision=15
    ),
    "json.gz": lambda frame, path: path.write_bytes(
        gzip.compress(frame.to_json(orient="records", double_precision=15).encode())
    ),
}


def need(form):
    if form == "xlsx" and find_spec("openpyxl") is None:
        pytest.skip("Excel files need openpyxl")


COLUMNS = {
    "number": st.floats(-1000, 1000).map(lambda x: round(x, 3)),
    "whole": st.integers(-(10**6), 10**6),
    "text": st.sampled_from(["round", "long", 'Größe, in "cm"', "+ more", "ʻokina 🌿"]),
    "truth": st.booleans(),
}


@st.composite
def frames(draw):
    n = draw(st.integers(12, 30))
    kinds = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=5))
    columns = {}
    for i, kind in enumerate(kinds):
        values = draw(st.lists(COLUMNS[kind], min_size=n, max_size=n))
        gaps = draw(st.sets(st.integers(0, n - 1), max_size=2 if kind != "whole" else 0))
        columns[f"{kind} {i}"] = [None if row in gaps else v for row, v in enumerate(values)]
    columns["kind"] = ["a", "b"] * (n // 2) + ["a"] * (n % 2)
    return pd.DataFrame(columns)


def told(path, **options):
    """What is read, or why not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            table = read_table(path, "kind", **options)
        except DataError as error:
            return re.sub("'[^']*/table[^']*'", "the file", str(error))
    columns = {
        name: [None if pd.isna(v) else str(v) for v in table.X[name].tolist()]
        if table.kinds[name] in ("category", "boolean")
        else (table.X[name].to_numpy(dtype=float).round(9) + 0.0).tolist()  # -0.0 is 0.0
        for name in table.names
    }
    return json.dumps([columns, table.kinds, table.dropped, table.missing, table.y.tolist()])


@pytest.mark.parametrize("form", FORMS)
def test_the_same_table_as_from_csv(tmp_path_factory, form):
    need(form)
    folder = tmp_path_factory.mktemp("tables")

    @settings(phases=[Phase.explicit, Phase.generate])
    @given(frames())
    def check(frame):
        frame.to_csv(folder / "table.csv", index=False)
        path = folder / f"table.{form}"
        FORMS[form](frame, path)
        assert told(path) == told(folder / "table.csv")

    check()


@pytest.mark.parametrize("form", FORMS)
def test_without_an_ending_the_content_tells(tmp_path, form):
    need(form)
    frame = pd.DataFrame({"a": [1.5, 2.5, 3.0, 4.0], "kind": ["x", "y", "x", "y"]})
    named, bare = tmp_path / f"table.{form}", tmp_path / "table"
    FORMS[form](frame, named)
    bare.write_bytes(named.read_bytes())
    assert told(bare) == told(named)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1, 2]", "holds a number in row 1"),
        ("[[1, 2], [3, 4]]", "holds a list in row 1"),
        ('{"a": [1, 2], "kind": [1, 0]}', "has no column 'kind'|holds lists"),
        ('{\n "a": [1, 2],\n "kind": [1, 0]\n}', "holds an object from line 1, not records"),
        ('[{"a": 1, "kind": 0}\n{"a": 1}]', "damaged JSON in line 2"),
        ('{"a": 1, "kind": 0}\n{"a": 1, "kind": \n', "damaged JSON in line 2"),
        ('[{"a": {"b": 1}, "kind": 0}, {"a": {"b": 2}, "kind": 1}]', "'a' holds lists"),
        ("[]", "no rows|no column"),
        ("[" * 5000, "nested too deeply"),
    ],
)
def test_json_that_is_no_table(tmp_path, text, message):
    path = tmp_path / "table.json"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_table(path, "kind")


def test_records_may_lack_values_and_marks_are_missing(tmp_path):
    path = tmp_path / "table.json"
    rows = [{"a": i, "b": i % 3 + 0.5, "kind": "xy"[i % 2]} for i in range(8)]
    del rows[2]["b"]
    rows[3]["b"] = "NA"
    rows[4]["b"] = "none taken"
    path.write_text(json.dumps(rows))
    table = read_table(path, "kind", missing=["none taken"])
    assert table.missing == {"b": 3}
    assert table.kinds["b"] == "number"


class TestExcel:
    @pytest.fixture(autouse=True)
    def openpyxl(self):
        return pytest.importorskip("openpyxl")

    def write(self, path, *sheets):
        import openpyxl

        book = openpyxl.Workbook()
        book.remove(book.active)
        for i, rows in enumerate(sheets):
            sheet = book.create_sheet(f"sheet {i + 1}")
            for row in rows:
                sheet.append(row)
        book.save(path)
        return path

    def test_titles_gaps_dates_errors_and_other_sheets(self, tmp_path):
        day = datetime.datetime(2024, 3, 1)
        rows = [["Herbs of 2024"], [], ["height", None, "when", "share", "kind"]]
        rows += [
            [i + 0.5, None, day + datetime.timedelta(days=i), i % 3, "xy"[i % 2]] for i in range(12)
        ]
        rows[5][3] = "#DIV/0!"
        path = self.write(tmp_path / "a.xlsx", [], rows, [["other"]])
        with pytest.warns(DataWarning) as caught:
            table = read_table(path, "kind")
        said = " ".join(str(each.message) for each in caught)
        assert "only the sheet 'sheet 2' was read, not 'sheet 1', 'sheet 3'" in said
        assert table.names == ["height", "share"]
        assert table.missing == {"share": 1}
        assert "dates" in table.dropped["when"]
        assert any("title" in note for note in table.notes)

    def test_without_a_header(self, tmp_path):
        rows = [[i + 0.5, i % 5, "xy"[i % 2]] for i in range(12)]
        table = read_table(self.write(tmp_path / "a.xlsx", rows), -1, header=False)
        assert table.names == ["column 1", "column 2"]
        assert table.X.shape == (12, 2)

    def test_empty_books_and_other_archives(self, tmp_path):
        with pytest.raises(DataError, match="no rows in any sheet"):
            read_table(self.write(tmp_path / "a.xlsx", []))
        with pytest.raises(DataError, match="a header but no rows"):
            read_table(self.write(tmp_path / "a.xlsx", [["a", "b"]]))

    def test_without_openpyxl_the_remedy_is_named(self, tmp_path, monkeypatch):
        path = self.write(tmp_path / "a.xlsx", [["a", "b"], [1, 2]])
        monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
        with pytest.raises(DataError, match=r"needs openpyxl; install svmsieve\[excel\]"):
            read_table(path)


def test_feather_columns_that_hold_lists_can_be_dropped(tmp_path):
    path = tmp_path / "a.feather"
    pd.DataFrame(
        {"a": np.arange(12) % 5, "many": [[1, 2]] * 12, "kind": ["x", "y"] * 6}
    ).to_feather(path)
    assert read_table(path, "kind", drop=["many"]).names == ["a"]
    with pytest.raises(DataError, match="'many' holds lists"):
        read_table(path, "kind")


def test_what_cannot_be_read_is_told_with_what_to_do(tmp_path):
    for address in ("https://example.org/a.csv?x=*", "s3://bucket/a.csv", "HTTP://a.b/c"):
        with pytest.raises(DataError, match="is an address; download it first") as caught:
            read_table(address)
        assert address in str(caught.value)
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    (tmp_path / "b.xlsx").write_text("")
    with pytest.raises(DataError, match=r"a folder.*'a.csv', 'b.xlsx' \(1 csv, 1 excel\)"):
        read_table(tmp_path)
