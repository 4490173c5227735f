"""Whatever a table holds and however it is written, it is read as it was."""

from __future__ import annotations

import csv
import io
import warnings

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from svmsieve.datasets import DataWarning, read_table

# Printable and not: quotes, delimiters, line ends, markup; no surrogates, which no file can hold.
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)
NUMBERS = st.one_of(
    st.none(),
    st.integers(-(10**6), 10**6),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
)


@st.composite
def tables(draw):
    names = draw(
        st.lists(NAMES.filter(lambda n: n.strip()), min_size=1, max_size=5, unique_by=str.strip)
    )
    names = [name for name in names if name.strip() != "the target"]
    n = draw(st.integers(4, 12))
    columns = [draw(st.lists(NUMBERS, min_size=n, max_size=n)) for _ in names]
    return ["a number", *names], [[i * 0.5 for i in range(n)], *columns], n


@given(
    tables(),
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_round_trip(tmp_path_factory, table, delimiter, end, quoting, encoding):
    names, columns, n = table
    if any("\r" in name for name in names):  # which csv.writer leaves bare, where it ends a line
        quoting = csv.QUOTE_ALL
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerow([*names, "the target"])
    for i in range(n):
        writer.writerow(["" if c[i] is None else repr(c[i]) for c in columns] + ["xy"[i % 2]])
    path = tmp_path_factory.mktemp("tables") / "data.csv"
    path.write_bytes(stream.getvalue().encode(encoding))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        read = read_table(path, "the target")
    assert read.y.tolist() == ["xy"[i % 2] for i in range(n)]
    assert len(read.names) + len(read.dropped) == len(names)
    for name, column in zip(names, columns, strict=True):
        if name.strip() in read.dropped:
            assert len({v for v in column if v is not None}) <= 1 or name != "a number"
            continue
        expected = np.array([np.nan if v is None else v for v in column], dtype=float)
        assert np.array_equal(read.X[name.strip()].to_numpy(dtype=float), expected, equal_nan=True)
