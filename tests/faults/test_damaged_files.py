"""Files that were damaged on the way: a table or one sentence that names the file, never a traceback."""

import gzip
import io
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

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
}


def mutated(content, rng):
    """Flip bits, cut, lose, double or overwrite a piece, or put garbage in; one to three times."""
    content = bytearray(content)
    for _ in range(int(rng.integers(1, 4))):
        at, n = int(rng.integers(len(content) or 1)), int(rng.integers(1, 30))
        kind = rng.integers(6)
        if kind == 0:
            content[at : at + 1] = bytes(
                b ^ (1 << int(rng.integers(8))) for b in content[at : at + 1]
            )
        elif kind == 1:
            del content[at:]
        elif kind == 2:
            del content[at : at + n]
        elif kind == 3:
            content[at:at] = content[at : at + n]
        else:
            end = at if kind == 4 else at + n
            content[at:end] = rng.integers(256, size=n, dtype=np.uint8).tobytes()
    return bytes(content)


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_a_table_or_one_sentence(tmp_path, name):
    content = FILES[name]()
    file = tmp_path / name
    target = None if name.endswith(("npz", "libsvm")) else "kind"
    file.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert read_table(file, target).X.shape[0] == 30
    refused = 0
    for seed in range(N):
        file.write_bytes(mutated(content, np.random.default_rng([seed, len(name)])))
        message = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                read_table(file, target, memory=2e8)
            except DataError as error:
                message = str(error)
            except Exception as error:
                raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}") from error
        if message is not None:
            refused += 1
            assert name in message, (seed, message)
            assert "\n" not in message.strip(), (seed, message)
    told(f"{N} mutations of {name}, {refused} refused in one sentence")
