"""Files that were damaged on the way: a table or one sentence that names the file, never a traceback."""

import gzip
import io
import re
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from svmsieve.datasets import DataError, read_table
from tests.faults.counts import count, told

N = count(60, 600)
RNG = np.random.default_rng(8)
FRAME = pd.DataFrame(
    {
        "height": RNG.normal(size=30).round(3),
        "count": RNG.integers(0, 2000, 30),
        "leaf": RNG.choice(["round", "long", "Größe, in cm"], 30),
        "kind": RNG.choice(["a", "b"], 30),
    }
)


def csv():
    return FRAME.to_csv(index=False).encode()


def arff():
    head = "@relation r\n@attribute height real\n@attribute count integer\n@attribute leaf string\n"
    head += "@attribute kind {a,b}\n@data\n"
    return (head + FRAME.to_csv(index=False, header=False)).encode()


def libsvm():
    rows = FRAME[["height", "count"]].to_numpy()
    return "".join(f"{i % 2} 1:{a:g} 7:{b:g}\n" for i, (a, b) in enumerate(rows)).encode()


def parquet():
    file = io.BytesIO()
    FRAME.to_parquet(file)
    return file.getvalue()


def npz(save=np.savez_compressed):
    file = io.BytesIO()
    save(file, X=FRAME[["height", "count"]].to_numpy(), y=np.arange(30) % 2)
    return file.getvalue()


def sparse_npz():
    file = io.BytesIO()
    X = sp.csr_matrix(np.where(RNG.random((30, 6)) < 0.4, 1.5, 0.0))
    parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
    np.savez(file, **parts, y=np.arange(30) % 2)
    return file.getvalue()


def excel():
    file = io.BytesIO()
    FRAME.to_excel(file, index=False)
    return file.getvalue()


def feather(compression):
    file = io.BytesIO()
    FRAME.to_feather(file, compression=compression)
    return file.getvalue()


def json(**options):
    return FRAME.to_json(orient="records", **options).encode()


FILES = {
    "a.csv": csv,
    "b.csv.gz": lambda: gzip.compress(csv()),
    "c.arff": arff,
    "d.libsvm": libsvm,
    "e.parquet": parquet,
    "f.npz": npz,
    "g.npz": lambda: npz(np.savez),
    "h.npz": sparse_npz,
    "i.csv": lambda: FRAME.to_csv(index=False).encode("utf-16"),
    "j.xlsx": excel,
    "k.feather": lambda: feather("zstd"),
    "l.feather": lambda: feather("uncompressed"),
    "m.json": lambda: json(indent=1),
    "n.jsonl": lambda: json(lines=True),
    "o.json.gz": lambda: gzip.compress(json()),
}


EDITS = st.lists(
    st.tuples(
        st.sampled_from(["bit", "cut", "lost", "doubled", "put in", "overwritten"]),
        st.floats(0, 1, exclude_max=True),
        st.integers(0, 7),
        st.binary(min_size=1, max_size=30),
    ),
    min_size=1,
    max_size=3,
)
PLACE = re.compile(
    r"(line|row) \d|its (array|column|directory|footer|beginning|part|sheet)|near its|column '"
    r"|attribute '|target '|array X|has no @data|is empty|zip archive|no rows|more than 1000 (arrays|parts)"
    r"|'index:value'|memory budget|; save the table as"
)
"""What tells where a file is damaged: a row, a part, or its end; or that it declares itself far
too large, or begins as a file of another format does."""


def mutated(content, edits):
    """Flip bits, cut, lose, double or overwrite a piece, or put garbage in."""
    content = bytearray(content)
    for kind, place, bit, garbage in edits:
        at, n = int(place * len(content)), len(garbage)
        if kind == "bit":
            content[at : at + 1] = bytes(byte ^ (1 << bit) for byte in content[at : at + 1])
        elif kind == "cut":
            del content[at:]
        elif kind == "lost":
            del content[at : at + n]
        elif kind == "doubled":
            content[at:at] = content[at : at + n]
        else:
            content[at : at if kind == "put in" else at + n] = garbage
    return bytes(content)


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_a_table_or_one_sentence(tmp_path, name):
    if name.endswith("xlsx"):
        pytest.importorskip("openpyxl")
    content = FILES[name]()
    file = tmp_path / name
    target = None if name.endswith(("npz", "libsvm")) else "kind"
    tried, refused = 0, 0

    def read():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return read_table(file, target, memory=2e8)

    @settings(max_examples=N, derandomize=True, database=None, deadline=None)
    @given(edits=EDITS)
    def try_to_read(edits):
        nonlocal tried, refused
        tried += 1
        file.write_bytes(mutated(content, edits))
        try:
            read()
        except DataError as error:
            message = str(error)
            refused += 1
            assert str(file) in message
            assert "\n" not in message.strip()
            assert PLACE.search(message.replace(str(file), "")), message

    file.write_bytes(content)
    assert read().X.shape[0] == 30
    try_to_read()
    told(f"{tried} mutations of {name}, {refused} refused in one sentence")
