"""Features of a LIBSVM file keep the file's own indices, from 0 or 1."""

from __future__ import annotations

import pytest

from svmsieve.datasets import DataError, read_table

FROM_0 = "1 0:4 2:3 5:1\n-1 0:1 2:2\n1 2:5 5:2\n-1 0:2 5:3\n"
FROM_1 = "1 1:4 2:3 5:1\n-1 1:1 2:2\n1 2:5 5:2\n-1 1:2 5:3\n"


def write(folder, text, name="data.svm"):
    path = folder / name
    path.write_text(text)
    return path


def read(folder, text, keep=(), **options):
    with pytest.warns(UserWarning, match="left out: .* is constant"):
        return read_table(write(folder, text), keep=keep, **options)


@pytest.mark.parametrize(("text", "first"), [(FROM_0, 0), (FROM_1, 1)])
def test_names_are_the_indices_of_the_file(tmp_path, text, first):
    table = read(tmp_path, text)
    assert table.names == [f"x{first}", "x2", "x5"]
    assert table.X.toarray()[0].tolist() == [4, 3, 1]
    assert table.indices == (first, 5)
    assert f"LIBSVM format, indices from {first}." in table.notes
    assert ("x1" in table.dropped) == (first == 0)


def test_an_index_0_without_a_value_counts_too(tmp_path):
    assert read(tmp_path, "1 0:0 2:3\n-1 2:1\n1 2:2\n-1 2:4\n").indices == (0, 2)


@pytest.mark.parametrize("text", [FROM_0, FROM_1])
def test_a_new_file_is_counted_as_the_first_was(tmp_path, text):
    first = read(tmp_path, text)
    # neither the index 0 nor the last occurs
    new = read_table(write(tmp_path, "1 2:7\n-1\n", "new.svm"), like=first)
    assert new.names == first.names
    assert new.X.toarray().tolist() == [[0, 7, 0], [0, 0, 0]]
    assert new.indices == first.indices
    assert new.notes == first.notes[:1]


@pytest.mark.parametrize(
    ("text", "new", "message"),
    [
        (FROM_0, "1 2:7\n1 0:1 6:2\n", "new.svm': row 2 has the index 6, .* table are 0 to 5"),
        (FROM_1, "1 2:7\n\n1\n1 0:1 2:2\n", "row 3 has the index 0, .* table are 1 to 5; leave"),
    ],
)
def test_an_index_beyond_the_first_file_is_refused(tmp_path, text, new, message):
    first = read(tmp_path, text)
    with pytest.raises(DataError, match=message):
        read_table(write(tmp_path, new, "new.svm"), like=first)


def test_a_file_of_labels_alone_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"data\.svm' has labels but no 'index:value'"):
        read_table(write(tmp_path, "1\n-1\n1\n-1\n"))


@pytest.mark.parametrize("index", [2**31, 10**12, 10**19, 10**40])
def test_an_index_that_is_too_large_is_named_with_its_line(tmp_path, index):
    file = write(tmp_path, f"1 1:2 3:4\n# of these\n-1 2:1\n1 1:1 {index}:3\n")
    with pytest.raises(DataError) as caught:
        read_table(file)
    assert str(caught.value) == (
        f"'{file}' has the index '{index}' in line 4, larger than 2147483647; correct it, or number the "
        "features from 1 without gaps."
    )


def test_an_infinite_value_is_named_by_its_index(tmp_path):
    with pytest.raises(DataError, match="row 2 holds inf in feature 2"):
        read_table(write(tmp_path, "1 0:1 2:1\n-1 2:inf\n"))
