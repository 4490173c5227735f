"""Users' files become tables: what is understood, what is left out, what is refused and how."""

from __future__ import annotations

import gzip
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from svmsieve.datasets import DataError, DataWarning, encode, read_table


def write(folder, content, name="data.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def quiet(path, *args, **options):
    """Read with the warnings noted in the table only."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return read_table(path, *args, **options)


PLAIN = "a,b,c\n1,2.5,x\n2,3.5,y\n3,1.5,x\n5,0.5,y\n"

SAME_TABLE = {
    "plain": (PLAIN, {}),
    "CRLF": (PLAIN.replace("\n", "\r\n"), {}),
    "CR": (PLAIN.replace("\n", "\r"), {}),
    "BOM": (b"\xef\xbb\xbf" + PLAIN.encode(), {}),
    "UTF-16": (PLAIN.encode("utf-16"), {}),
    "gzip": (gzip.compress(PLAIN.encode()), {}),
    "no newline at the end": (PLAIN.rstrip(), {}),
    "blank lines": (PLAIN.replace("\n", "\n\n"), {}),
    "semicolon": (PLAIN.replace(",", ";"), {}),
    "tab": (PLAIN.replace(",", "\t"), {}),
    "bar": (PLAIN.replace(",", "|"), {}),
    "spaces": (PLAIN.replace(",", "   "), {}),
    "space after comma": (PLAIN.replace(",", ", "), {}),
    "decimal comma": (PLAIN.replace(",", ";").replace(".", ","), {}),
    "decimal comma, tab": (PLAIN.replace(",", "\t").replace(".", ","), {}),
    "quoted": ('"a","b","c"\n' + "\n".join(PLAIN.split("\n")[1:]), {}),
    "delimiter said": (PLAIN, {"delimiter": ","}),
    "no header": (PLAIN.split("\n", 1)[1], {"header": False}),
}


@pytest.mark.parametrize("case", SAME_TABLE)
def test_the_same_table_however_it_is_written(tmp_path, case):
    content, options = SAME_TABLE[case]
    table = read_table(write(tmp_path, content), -1 if case == "no header" else "c", **options)
    expected = pd.DataFrame({"a": [1, 2, 3, 5], "b": [2.5, 3.5, 1.5, 0.5]})
    if case == "no header":
        expected.columns = ["column 1", "column 2"]
    pd.testing.assert_frame_equal(table.X, expected)
    assert table.y.tolist() == ["x", "y", "x", "y"]
    assert table.task == "classification"
    assert list(table.kinds.values()) == ["integer", "number"]
    assert not table.warnings
    assert not table.missing


def test_decimal_commas_in_every_column_are_not_delimiters(tmp_path):
    rows = "\n".join(f"{i},5;{i * i % 7},25;{i % 2}" for i in range(12))
    table = read_table(write(tmp_path, "x;y;t\n" + rows), "t")
    assert table.X["x"].tolist() == [i + 0.5 for i in range(12)]
    headerless = read_table(write(tmp_path, rows), -1)
    assert headerless.X["column 2"].tolist() == table.X["y"].tolist()


def test_text_with_semicolons_in_a_comma_file(tmp_path):
    rows = "".join(f"{i * 7 % 5},a;b,{i * 3 % 4},{'xy'[i % 2]}\n" for i in range(9))
    table = quiet(write(tmp_path, "n,text,m,t\n" + rows), "t")
    assert list(table.X) == ["n", "m"]
    assert table.dropped == {"text": "is constant"}


def test_quoted_newlines_and_delimiters(tmp_path):
    text = '"na\nme",b,t\n"x, 1\n2",1,0\n"y",3,1\n"y",2,0\n"x, 1\n2",5,1\n'
    table = read_table(write(tmp_path, text), "t")
    assert table.names == ["na\nme", "b"]
    assert table.X["na\nme"].tolist() == ["x, 1\n2", "y", "y", "x, 1\n2"]


@pytest.mark.parametrize(
    "name",
    [
        "<script>alert(1)</script>",
        'quo"te',
        "apo'strophe",
        "new\nline",
        "=1+1",
        "x" * 10_000,
        "[bold]",
        "Größe in µm",
        "a\x85b\u2028c",
    ],
)
def test_names_are_taken_as_they_are(tmp_path, name):
    quoted = name.replace('"', '""')
    table = read_table(write(tmp_path, f'"{quoted}",t\n1,x\n2,y\n4,x\n3,y\n'), "t")
    assert table.names == [name]
    # and shown on one short line
    with pytest.raises(DataError) as caught:
        read_table(write(tmp_path, f'"{quoted}",t\ninf,x\n2,y\n4,x\n3,y\n'), "t")
    message = str(caught.value).replace(str(tmp_path), "")
    assert message.isprintable()
    assert len(message) < 250
    assert "has an infinite value in row 1" in message


def test_kinds(tmp_path):
    text = (
        "whole,real,flag,word,code,gappy,half\n"
        "1,0.5,True,red,7,1,True\n"
        "1,1.5,False,blue,8,,\n"
        "2,2.5,True,red,7,3,False\n"
        "2,2.0,False,,9,2,True\n"
    )
    table = read_table(write(tmp_path, text), categorical=["code"])
    assert table.kinds == {
        "whole": "integer",
        "real": "number",
        "flag": "boolean",
        "word": "category",
        "code": "category",
        "gappy": "integer",
        "half": "boolean",
    }
    assert table.X["whole"].dtype == np.int64
    assert table.X["flag"].dtype == bool
    assert table.X["gappy"].isna().tolist() == [False, True, False, False]
    assert table.X["half"].tolist()[::2] == [1.0, 0.0]
    assert table.X["word"].cat.categories.tolist() == ["blue", "red"]
    assert table.X["code"].cat.categories.tolist() == ["7", "8", "9"]
    assert table.missing == {"word": 1, "gappy": 1, "half": 1}
    assert table.y is None
    assert table.task is None
    assert any("3 missing values in 3 columns" in note for note in table.notes)


@pytest.mark.parametrize("mark", ["", "NA", "NaN", "null", "?", "N/A"])
def test_missing_marks(tmp_path, mark):
    table = read_table(write(tmp_path, f"a,b,t\n1,2,x\n{mark},3,y\n4,1,x\n5,0,y\n"), "t")
    assert table.missing == {"a": 1}


def test_own_missing_marks_and_minus_is_a_class(tmp_path):
    path = write(tmp_path, "a,b,t\n1,2,+\n-99,3,-\ninf,1,+\n5,0,-\n")
    table = read_table(path, "t", missing=["-99", "inf"])
    assert table.missing == {"a": 2}
    assert sorted(set(table.y)) == ["+", "-"]


def rows(n=30, **columns):
    """A CSV of n rows: each column is a function of the row's number."""
    lines = [",".join(columns)]
    lines += [",".join(str(make(i)) for make in columns.values()) for i in range(n)]
    return "\n".join(lines) + "\n"


def noise(i):
    return (i * 7919 % 31) / 10


def label(i):
    return "ab"[i % 2]


LEFT_OUT = {
    "counted": (lambda i: i, "looks like an identifier"),
    "counted from 100": (lambda i: 100 + i, "looks like an identifier"),
    "patient_id": (lambda i: i * 7919 % 1009, "looks like an identifier"),
    "text id": (lambda i: f"P-{i:03d}", "looks like an identifier"),
    "constant": (lambda i: 3.5, "is constant"),
    "constant text": (lambda i: "same", "is constant"),
    "empty": (lambda i: "", "is empty"),
    "iso date": (lambda i: f"2024-01-{i % 28 + 1:02d}", "holds dates"),
    "date": (lambda i: f"{i % 28 + 1}.01.2024", "holds dates"),
    "us date and time": (lambda i: f"1/{i % 28 + 1}/24 12:30", "holds dates"),
    "free text": (lambda i: f"seen {i // 2 * 2} times" if i < 10 else f"x{i}y", "holds free text"),
}


@pytest.mark.parametrize("case", LEFT_OUT)
def test_useless_columns_are_left_out_with_a_warning(tmp_path, case):
    make, why = LEFT_OUT[case]
    path = write(tmp_path, rows(**{"x": noise, case: make, "t": label}))
    with pytest.warns(DataWarning, match=f"left out: '{case}', which {why}"):
        table = read_table(path, "t")
    assert table.names == ["x"]
    assert table.dropped[case].startswith(why)


def test_useful_columns_that_look_alike_stay(tmp_path):
    path = write(
        tmp_path,
        rows(
            population=lambda i: i * 7919 % 1009,  # all different, but not named so
            reverse=lambda i: 100 - 2 * i,
            id=lambda i: i % 5,  # named so, but not all different
            town=lambda i: f"town {i % 12}",
            t=label,
        ),
    )
    table = read_table(path, "t")
    assert table.names == ["population", "reverse", "id", "town"]


def test_keep_and_drop(tmp_path):
    path = write(tmp_path, rows(id=lambda i: i, x=noise, z=lambda i: i % 3, t=label))
    table = read_table(path, "t", keep=["id"], drop=["z"])
    assert table.names == ["id", "x"]
    assert table.dropped == {"z": "was dropped as asked"}


def test_wide_numeric_tables_are_understood_as_column_by_column(tmp_path):
    def both(extra):
        columns = {
            "id": lambda i: i,
            "x": lambda i: i % 4,
            "c": lambda i: 5,
            "sample_id": lambda i: i * 7919 % 1009,
            **extra,
        }
        return quiet(write(tmp_path, rows(**columns)))

    fast, slow = both({}), both({"word": label})
    assert fast.dropped == slow.dropped
    assert set(fast.dropped) == {"id", "c", "sample_id"}
    assert fast.kinds.items() <= slow.kinds.items()


def test_duplicate_and_empty_names(tmp_path):
    path = write(tmp_path, "a,a,,a (2),t\n1,2,3,4,x\n2,3,1,5,y\n3,1,2,4,x\n1,1,2,7,y\n")
    with pytest.warns(DataWarning, match="appear more than once were numbered: 'a'"):
        table = read_table(path, "t")
    assert table.names == ["a", "a (3)", "column 3", "a (2)"]
    with pytest.raises(DataError, match="more than one column 'a'; rename one, or give the number"):
        read_table(path, "a")


def test_row_names_as_r_writes_them(tmp_path):
    path = write(tmp_path, "a,t\nr1,1,x\nr2,2,y\nr3,4,x\nr4,3,y\n")
    table = read_table(path, "t", drop=["row name"])
    assert table.X["a"].tolist() == [1, 2, 4, 3]


def test_a_delimiter_at_the_end_of_each_row(tmp_path):
    path = write(tmp_path, "a,t\n1,x,\n2,y,\n4,x,\n3,y,\n")
    table = quiet(path, "t")
    assert table.X["a"].tolist() == [1, 2, 4, 3]


def test_non_utf8_is_read_and_said(tmp_path):
    path = write(tmp_path, "größe,art,t\n1,Bär,x\n2,Bär,y\n3,Löwe,x\n5,Löwe,y\n".encode("cp1252"))
    table = read_table(path, "t")
    assert table.names == ["größe", "art"]
    assert any("line 1 is not UTF-8: the file was read as cp1252" in note for note in table.notes)
    assert read_table(path, "t", encoding="latin-1").names == table.names


def test_headers_of_numbers_need_the_target(tmp_path):
    path = write(tmp_path, "400,402.5,class\n1,2,x\n2,3,y\n4,1,x\n3,1,y\n")
    assert read_table(path, "class").names == ["400", "402.5"]


def test_categories_without_a_header(tmp_path):
    path = write(tmp_path, "f,t,n,won\nt,f,n,lost\nf,t,w,won\nt,t,n,lost\nf,f,w,won\n")
    table = read_table(path, -1)
    assert table.names == ["column 1", "column 2", "column 3"]
    assert len(table.y) == 5


class TestTarget:
    def test_numbers_are_a_regression_where_there_are_many(self, tmp_path):
        path = write(tmp_path, rows(x=noise, few=lambda i: i % 3, many=lambda i: i * i, t=label))
        assert read_table(path, "many").task == "regression"
        assert read_table(path, "many").y.dtype == np.float64
        assert read_table(path, "few").task == "classification"
        assert read_table(path, "few").y.dtype == np.int64
        assert read_table(path, "few", task="regression").y.dtype == np.float64
        assert read_table(path, "x").task == "regression"
        huge = write(tmp_path, "a,t\n1,1e300\n2,-1e300\n4,1e300\n3,2e300\n", "huge.csv")
        assert read_table(huge, "t").task == "regression"
        # a category on request
        assert read_table(path, "few", categorical=["few"]).y.dtype.kind == "U"

    def test_by_number(self, tmp_path):
        path = write(tmp_path, PLAIN)
        for target in (2, -1, "2", "-1"):
            assert read_table(path, target).target == "c"

    def test_rows_without_it_are_left_out(self, tmp_path):
        path = write(tmp_path, "a,t\n1,x\n2,\n3,y\n7,?\n5,x\n4,y\n")
        with pytest.warns(
            DataWarning, match="2 rows without a value of the target 't' were left out"
        ):
            table = read_table(path, "t")
        assert table.X["a"].tolist() == [1, 3, 5, 4]
        assert table.y.tolist() == ["x", "y", "x", "y"]

    def test_rows_are_still_named_by_their_place_in_the_file(self, tmp_path):
        path = write(tmp_path, "a,t\n1,x\n2,\n3,y\ninf,x\n5,x\n4,y\n")
        with pytest.raises(DataError, match="infinite value in row 4"):
            read_table(path, "t")

    def test_a_class_with_one_row(self, tmp_path):
        path = write(tmp_path, "a,t\n1,x\n2,y\n3,y\n7,z\n5,x\n4,y\n")
        with pytest.warns(
            DataWarning, match="the class 'z' of one row each cannot be cross-validated"
        ):
            assert len(read_table(path, "t").y) == 6

    def test_two_hundred_classes(self, tmp_path):
        path = write(tmp_path, rows(n=800, x=noise, t=lambda i: f"class {i % 200}"))
        with pytest.warns(DataWarning, match="has 200 classes: a machine is trained for each pair"):
            table = read_table(path, "t")
        assert table.task == "classification"
        assert len(set(table.y)) == 200


REFUSED = {
    "no bytes": (b"", "t", {}, "data.csv' is empty"),
    "white space": (b"\n \n", "t", {}, "data.csv' is empty"),
    "header only": (b"a,b,t\n", "t", {}, "has a header but no rows"),
    "header only, without a newline": (b"a,b,t", "t", {}, "has a header but no rows"),
    "binary": (bytes(range(256)) * 20, "t", {}, "is a binary file of no known format"),
    "binary without zeros": (
        bytes([1, 2, 3, 200, 129, 141, 10]) * 50,
        "t",
        {},
        "is a binary file of no known format",
    ),
    "png": (b"\x89PNG\r\n\x1a\n\0\0\0", "t", {}, "is a binary file"),
    "zip": (b"PK\x03\x04" + b"word/document.xml" * 9, "t", {}, "is a zip archive"),
    "pickle": (pickle.dumps([1, 2]), "t", {}, "a pickle, which is never loaded"),
    "hdf5": (b"\x89HDF\r\n\x1a\n", "t", {}, "AnnData file"),
    "damaged gzip": (gzip.compress(PLAIN.encode() * 99)[:-20], "c", {}, "is a damaged gzip file"),
    "wrong delimiter": (PLAIN, "c", {"delimiter": ";"}, "only one column with the delimiter ';'"),
    "two delimiters": (PLAIN, "c", {"delimiter": ",,"}, "delimiter must be one character"),
    "same signs": (PLAIN, "c", {"delimiter": ",", "decimal": ","}, "must differ"),
    "decimal sign": (PLAIN, "c", {"decimal": "x"}, "decimal must be '.' or ','"),
    "no such target": (
        PLAIN,
        "klass",
        {},
        "has no column 'klass' for the target; it has 'a', 'b', 'c'",
    ),
    "near target": (PLAIN.replace("c\n", "class\n"), "clas", {}, "did you mean 'class'"),
    "target number": (PLAIN, 3, {}, "has 3 columns, there is no number 3"),
    "long row": (
        "a,b,t\n1,2,x\n1,2,3,4\n1,2,y\n",
        "t",
        {},
        "has 4 fields in line 3 where 3 are expected",
    ),
    "long first row": ("a,b,t\n1,2,3,x\n1,2,4\n1,2,y\n", "t", {}, "fields in line 2 where 3"),
    "short row": (
        "a,b,t\n1,2,x\n1,2\n1,2,y\n",
        "t",
        {},
        "has 2 fields in line 3 where 3 are expected",
    ),
    "row after quoted newlines": (
        'a,b,t\n"x\ny\nz",2,x\n1,2\n1,2,y\n',
        "t",
        {},
        "has 2 fields in line 5 where 3 are expected",
    ),
    "open quote": ('a,b,t\n1,2,x\n1,"2,y\n3,4,x\n', "t", {}, "in line 4 where 3|never closed"),
    "infinity": ("a,t\n1,x\n-inf,y\n3,x\n2,y\n", "t", {}, "'a' has an infinite value in row 2"),
    "infinite target": ("a,t\n1,2.5\n2,inf\n3,1\n", "t", {}, "'t' has an infinite value in row 2"),
    "text among numbers": (
        "a,t\n1,x\n2,y\n3,x\n4,y\n5,x\nabc,y\n",
        "t",
        {},
        "'a' holds numbers, but 'abc' in row 6; correct it, declare it missing",
    ),
    "text among a target's numbers": (
        "t,a\n1,1\n2,2\n3,5\n4,1\n5,1\nabc,2\n",
        "t",
        {},
        "'t' holds numbers, but 'abc' in row 6",
    ),
    "one class": ("a,t\n1,x\n2,x\n3,x\n", "t", {}, "has the class 'x' only"),
    "constant number": (
        "a,t\n1,2.5\n2,2.5\n3,2.5\n",
        "t",
        {"task": "regression"},
        "2.5 in every row",
    ),
    "empty target": ("a,t\n1,\n2,\n3,\n", "t", {}, "target 't' is empty"),
    "text target of a regression": (PLAIN, "c", {"task": "regression"}, "which is no regression"),
    "free text as target": (
        rows(x=noise, t=lambda i: f"name {i}"),
        "t",
        {},
        "'t' has 30 different values in 30 rows, too many",
    ),
    "dates as target": (
        rows(x=noise, t=lambda i: f"2024-01-{i % 28 + 1:02d}"),
        "t",
        {},
        "target 't' holds dates",
    ),
    "target alone": ("t\nx\ny\nx\n", "t", {}, "has no column beside the target"),
    "nothing usable": ("a,b,t\n1,,x\n1,,y\n1,,x\n", "t", {}, "no usable column: 'a' is constant"),
    "unknown drop": (
        PLAIN,
        "c",
        {"drop": ["zz"]},
        "drop names the column 'zz', which '.*data.csv'",
    ),
    "unknown keep": (PLAIN, "c", {"keep": ["zz"]}, "keep names the column 'zz'"),
    "text for a list": (PLAIN, "c", {"categorical": "a"}, "categorical must be a list"),
    "unknown encoding": (PLAIN, "c", {"encoding": "martian"}, "encoding must be one Python knows"),
    "wrong encoding": ("ä" + PLAIN, "c", {"encoding": "ascii"}, "is not ascii text"),
    "unknown format": (PLAIN, "c", {"format": "xls"}, "format must be one of arff, csv"),
    "unknown task": (PLAIN, "c", {"task": "ranking"}, "task must be 'classification' or"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_are_one_sentence(tmp_path, case):
    content, target, options, message = REFUSED[case]
    path = write(tmp_path, content)
    with pytest.raises(DataError, match=message) as caught:
        quiet(path, target, **options)
    text = str(caught.value)
    assert text.isprintable()
    assert len(text) < 300
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(DataError, match=r"there is no file .*nowhere\.csv"):
        read_table(tmp_path / "nowhere.csv", "t")
    with pytest.raises(DataError, match="is a folder; give the path of a file in it"):
        read_table(tmp_path, "t")


@pytest.mark.parametrize("compress", [False, True])
def test_a_file_over_the_memory_budget_is_refused_before_it_is_read(
    tmp_path, monkeypatch, compress
):
    text = rows(n=20_000, x=noise, y=noise, z=noise, t=label).encode()
    path = write(tmp_path, gzip.compress(text) if compress else text)
    monkeypatch.setattr(pd, "read_csv", lambda *a, **k: pytest.fail("it was read"))
    with pytest.raises(
        DataError, match=r"would take about .*iB, over the memory budget of 1\.0 MiB"
    ):
        read_table(path, "t", memory=2**20)
    monkeypatch.undo()
    assert len(read_table(path, "t", memory=2**24).y) == 20_000


def test_many_columns(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6, 8_000)).round(3)
    names = [f"a rather long name of a gene that has the number {i}" for i in range(X.shape[1])]
    lines = [",".join([*names, "t"])]
    lines += [",".join([*map(str, row), "xy"[i % 2]]) for i, row in enumerate(X)]
    table = read_table(write(tmp_path, "\n".join(lines)), "t")
    assert table.names == names
    assert np.array_equal(table.X.to_numpy(), X)


def test_libsvm(tmp_path):
    text = "+1 1:0.5 3:2 # first\n-1 2:1.5\n\n+1 1:1 3:1\n-1 qid:3 3:4\n"
    for content in (text.encode(), gzip.compress(text.encode())):
        for name in ("data.svm", "data.txt"):
            table = read_table(write(tmp_path, content, name))
            assert sp.issparse(table.X)
            assert table.X.toarray().tolist() == [[0.5, 0, 2], [0, 1.5, 0], [1, 0, 1], [0, 0, 4]]
            assert table.y.tolist() == [1, -1, 1, -1]
            assert table.names == ["x1", "x2", "x3"]
    zero_based = read_table(write(tmp_path, "1.5 0:1 1:2\n2.5 0:2\n3.25 1:4\n", "zero.svm"))
    assert zero_based.task == "regression"
    assert zero_based.X.shape == (3, 2)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("1 1:a\n-1 1:2\n", {}, "is not in the form 'label index:value …'.* in line 1"),
        ("1 1:1\n\n-1 1:2 # x\n1 2:1 1:3\n", {}, "in line 4"),
        ("1 1:1\n-1 12\n", {}, "in line 2"),
        ("1 1:inf\n-1 1:2\n", {}, "row 1 holds inf in feature 1"),
        ("x 1:1\n-1 1:2\n", {}, "is not in the form"),
        ("1 99999999:1\n-1 1:2\n", {"memory": 2**20}, "over the memory budget"),
        ("1 1:1\n-1 1:2\n" * 5000, {"memory": 10_000}, "over the memory budget"),
        ("1 1:1 2:3\n-1 1:2\n", {"target": "age"}, "keeps its target apart.*leave the target out"),
        ("1 1:1 2:3\n1 1:2\n", {}, "has the class '1' only"),
    ],
)
def test_libsvm_refusals(tmp_path, text, options, message):
    with pytest.raises(DataError, match=message):
        quiet(write(tmp_path, text, "data.svm"), **options)


ARFF = """% a comment
@relation 'a herb'
@attribute 'stem height' numeric
@ATTRIBUTE leaf {round, 'very long', "it''s"}
@attribute seen date "yyyy-MM-dd"
@attribute note string
@attribute whole INTEGER
@attribute kind {a,b}
@data
1.5,round,2024-01-01,'one, two',3,a
?,'very long',2024-01-02,?,4,b

% between
3.5,round,2024-01-03,'don\\'t',3,a
2,?,2024-01-04,"x",5,b
"""


def test_arff(tmp_path):
    table = quiet(write(tmp_path, ARFF, "herbs.arff"), "kind")
    assert table.kinds == {
        "stem height": "number",
        "leaf": "category",
        "note": "category",
        "whole": "integer",
    }
    assert table.X["note"].tolist()[0] == "one, two"
    assert table.X["note"].tolist()[2] == "don't"
    assert table.missing == {"stem height": 1, "leaf": 1, "note": 1}
    assert table.y.tolist() == ["a", "b", "a", "b"]
    assert "dates" in table.dropped["seen"]


def test_arff_by_content_and_gzipped(tmp_path):
    path = write(tmp_path, gzip.compress(ARFF.encode()), "herbs.txt.gz")
    assert quiet(path, "kind").names == ["stem height", "leaf", "note", "whole"]


def test_sparse_arff(tmp_path):
    head = "@relation s\n@attribute a numeric\n@attribute b numeric\n@attribute c {no,yes}\n@data\n"
    rows_ = "{0 1.5, 2 yes}\n{1 2}\n{}\n{0 3,1 4,2 yes}\n"
    table = read_table(write(tmp_path, head + rows_, "s.arff"), "c")
    assert sp.issparse(table.X)
    assert table.X.toarray().tolist() == [[1.5, 0], [0, 2], [0, 0], [3, 4]]
    assert table.y.tolist() == ["yes", "no", "no", "yes"]
    two = head.replace("b numeric", "b {u,v}")
    table = read_table(
        write(tmp_path, two + "{0 1, 1 v, 2 yes}\n{0 2}\n{2 yes}\n{1 v}", "t.arff"), "c"
    )
    assert table.X["b"].tolist() == ["v", "u", "u", "v"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("@data", "@dat"), "has no @attribute or @data in line 9"),
        ((ARFF[ARFF.index("@data") :], ""), "has no @data; the file is cut short"),
        ((ARFF[ARFF.index("1.5,") :], ""), "has no rows after @data"),
        (("1.5,round", "1.5,square"), "'leaf' holds 'square' in row 1, which is not among"),
        (("1.5,round", "abc,round"), "'stem height' is declared numeric but holds 'abc' in row 1"),
        (("3,a\n?", "3,a,9\n?"), "has 7 fields in line 10 where 6 are expected"),
        (("note string", "note relational"), "'note' has the type 'relational'"),
        (("'one, two'", "'one, two"), "line 10"),
    ],
)
def test_arff_refusals(tmp_path, change, message):
    with pytest.raises(DataError, match=message):
        quiet(write(tmp_path, ARFF.replace(*change, 1), "herbs.arff"), "kind")


class TestNpz:
    X = np.array([[1.0, 2.0], [2.0, np.nan], [5.0, 4.0], [3.0, 1.0]])
    y = np.array(["a", "b", "a", "b"])

    def save(self, folder, **arrays):
        path = folder / "data.npz"
        np.savez(path, **arrays)
        return path

    def test_dense(self, tmp_path):
        path = self.save(tmp_path, X=self.X, y=self.y, feature_names=np.array(["u", "v"]))
        for target in (None, "y"):
            table = read_table(path, target)
            assert table.names == ["u", "v"]
            assert table.missing == {"v": 1}
            assert table.y.tolist() == self.y.tolist()
        # another column can be the target
        assert quiet(path, "u").names == ["v"]

    def test_train_part_and_csr(self, tmp_path):
        path = self.save(tmp_path, X_train=self.X, y_train=self.y, X_valid=self.X)
        assert "only the training part was read." in read_table(path).notes
        sparse = sp.csr_matrix(np.nan_to_num(self.X))
        sp.save_npz(tmp_path / "csr.npz", sparse)
        assert (sparse != read_table(tmp_path / "csr.npz").X).nnz == 0

    def test_nothing_is_unpickled(self, tmp_path):
        class Bomb:
            def __reduce__(self):
                return pytest.fail, ("it was unpickled",)

        path = tmp_path / "data.npz"
        np.savez(path, X=np.array([[Bomb()]], dtype=object), allow_pickle=True)
        with pytest.raises(DataError, match="holds Python objects, which are never loaded"):
            read_table(path)

    @pytest.mark.parametrize(
        ("arrays", "message"),
        [
            ({"Z": np.zeros((2, 2))}, "must hold an array X .* it holds 'Z'; rename it"),
            ({"X": np.zeros(3)}, "X must have two dimensions, it has 1"),
            (
                {"X": np.zeros((3, 2)), "y": np.zeros(2)},
                "y must hold one value for each of the 3 rows",
            ),
            (
                {"X": np.eye(3), "feature_names": np.array(["a"])},
                "one name for each of the 3 columns",
            ),
            ({"X": np.eye(3, dtype=complex)}, "X must hold numbers or text, it holds complex128"),
            (
                {"data": np.ones(2), "indices": [0, 9], "indptr": [0, 1, 2], "shape": [2, 2]},
                "parts of a CSR matrix that do not fit",
            ),
        ],
    )
    def test_refusals(self, tmp_path, arrays, message):
        with pytest.raises(DataError, match=message):
            read_table(self.save(tmp_path, **arrays))

    def test_cut_short(self, tmp_path):
        path = self.save(tmp_path, X=self.X, y=self.y)
        path.write_bytes(path.read_bytes()[:-40])
        with pytest.raises(DataError, match="is a damaged NPZ file"):
            read_table(path)

    def test_memory(self, tmp_path, monkeypatch):
        path = tmp_path / "data.npz"
        np.savez_compressed(path, X=np.zeros((1000, 1000)), y=np.zeros(1000))
        monkeypatch.setattr(np, "load", lambda *a, **k: pytest.fail("it was read"))
        with pytest.raises(DataError, match=r"would take about 7\.6 MiB, over the memory budget"):
            read_table(path, memory=2**20)


class TestParquet:
    def test_needs_pyarrow(self, tmp_path, monkeypatch):
        monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
        with pytest.raises(DataError, match=r"needs pyarrow; install svmsieve\[parquet\]"):
            read_table(write(tmp_path, b"PAR1....PAR1", "data.parquet"), "t")

    def test_round_trip(self, tmp_path):
        pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
        frame = pd.DataFrame(
            {
                "n": [1, 2, 3, 5],
                "gap": [1.5, None, 2.5, 3.5],
                "flag": [True, False, None, True],
                "word": ["u", "v", "u", None],
                "cat": pd.Categorical(["p", "q", "p", "q"]),
                "when": pd.date_range("2024-01-01", periods=4),
                "t": ["x", "y", "x", "y"],
            }
        )
        frame.to_parquet(tmp_path / "data.parquet")
        table = quiet(tmp_path / "data.parquet", "t")
        assert table.kinds == {
            "n": "integer",
            "gap": "number",
            "flag": "boolean",
            "word": "category",
            "cat": "category",
        }
        assert list(table.dropped) == ["when"]
        with pytest.raises(DataError, match="over the memory budget"):
            read_table(tmp_path / "data.parquet", "t", memory=100)

    def test_damaged(self, tmp_path):
        pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
        with pytest.raises(DataError, match="is a damaged Parquet file"):
            read_table(write(tmp_path, b"PAR1" + b"x" * 99, "data.parquet"), "t")


class TestLike:
    """A second file is read as the first one was, for the encoder and the machine fitted to that."""

    def first(self, folder):
        text = "id,n,colour,c,t\n" + "".join(
            f"{i},{i * 7 % 5},{('red', 'blue', 'red')[i % 3]},{i % 2},{'xy'[i % 2]}\n"
            for i in range(12)
        )
        return quiet(write(folder, text, "first.csv"), "t", categorical=["c"])

    def test_nothing_is_left_out(self, tmp_path):
        first = self.first(tmp_path)
        assert first.names == ["n", "colour", "c"]
        # constant, an unknown level, a missing column of numbers, other order, a column more
        path = write(tmp_path, "c,extra,colour,n\n1,5,green,\n1,6,,\n", "new.csv")
        table = read_table(path, like=first)
        assert table.names == first.names
        assert table.kinds == first.kinds
        assert table.missing == {"n": 2, "colour": 1}
        assert table.y is None
        encoded = encode(first).encoder.transform(table.X)
        assert encoded["n"].tolist() == [first.X["n"].mean()] * 2
        assert encoded[["c=0", "c=1"]].to_numpy().tolist() == [[0, 1], [0, 1]]
        assert encoded[["colour=blue", "colour=red"]].to_numpy().sum() == 0

    def test_one_row_and_one_class(self, tmp_path):
        first = self.first(tmp_path)
        table = read_table(write(tmp_path, "n,colour,c,t\n3,red,1,x\n", "new.csv"), "t", like=first)
        assert table.y.tolist() == ["x"]
        assert table.X.shape == (1, 3)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("n,colour,t\n3,red,x\n", "new.csv' lacks 'c', which the first table has; add it"),
            ("n,colour,c,t\nabc,red,1,x\n", "column 'n' must hold numbers, as in the first table"),
        ],
    )
    def test_refusals(self, tmp_path, text, message):
        first = self.first(tmp_path)
        with pytest.raises(DataError, match=message):
            read_table(write(tmp_path, text, "new.csv"), "t", like=first)

    def test_rows_without_a_target_stay(self, tmp_path):
        first = self.first(tmp_path)
        text = "n,colour,c,t\n1,red,1,\n2,red,1,x\n"
        new = read_table(write(tmp_path, text, "new.csv"), "t", like=first)
        assert new.y.tolist() == [None, "x"]
        text = "n,colour,c,t\n1,red,1,\n2,red,1,\n"
        assert read_table(write(tmp_path, text, "new.csv"), "t", like=first).y is None

    def test_sparse(self, tmp_path):
        first = read_table(write(tmp_path, "1 1:0.5 3:2\n-1 2:1.5\n1 1:1\n-1 3:4\n", "first.svm"))
        new = read_table(write(tmp_path, "1 1:7\n", "new.svm"), like=first)
        assert new.X.toarray().tolist() == [[7, 0, 0]]
        with pytest.raises(DataError, match="is not sparse, unlike the first table"):
            read_table(write(tmp_path, PLAIN, "new.csv"), like=first)
