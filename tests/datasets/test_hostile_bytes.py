"""Damaged files end in a table or in a DataError, never in anything else."""

from __future__ import annotations

import gzip
import io
import warnings

import numpy as np
import pytest

from svmsieve.datasets import DataError, DataWarning, encode, read_table
from tests.datasets.test_read_table import ARFF, PLAIN

SPARSE_ARFF = (
    b"@relation s\n@attribute a numeric\n@attribute c {no,yes}\n@data\n{0 1.5, 1 yes}\n{0 2}\n{}\n"
)
DAMAGES = 60


def npz() -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, X=np.arange(12.0).reshape(4, 3) ** 2, y=np.array([0, 1, 0, 1]))
    return buffer.getvalue()


FILES = {
    "data.csv": PLAIN.encode() * 3,
    "quoted.csv": b'"a","b;,",t\r\n1,"x\n",u\r\n2,"y",v\r\n3,"x\n",u\r\n' * 2,
    "utf16.csv": PLAIN.encode("utf-16"),
    "data.csv.gz": gzip.compress(PLAIN.encode() * 3),
    "data.arff": ARFF.encode(),
    "sparse.arff": SPARSE_ARFF,
    "data.svm": b"1 1:0.5 3:2\n-1 2:1.5\n1 1:1 3:1\n-1 3:4\n",
    "data.npz": npz(),
}
PIECES = [b"", b"\0", b'"', b"'", b"\n", b"\r", b",", b";", b"{", b"}", b":", b"?", b"inf", b"nan"]
PIECES += [b"@", b"\xff\xfe", b"\xe9", b"1e999", b"-", b" " * 50, b"9" * 400, b"%", b"\x1f\x8b"]


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    for _ in range(rng.integers(1, 5)):
        place = int(rng.integers(0, len(content) + 1))
        piece = PIECES[rng.integers(len(PIECES))]
        content = content[:place] + piece + content[place + int(rng.integers(0, 8)) :]
    return content[: rng.integers(1, len(content) + 1)] if rng.random() < 0.2 else content


@pytest.mark.parametrize("name", FILES)
def test_damaged_files(tmp_path, name):
    path = tmp_path / name
    messages = []
    for seed in range(DAMAGES):
        rng = np.random.default_rng([seed, len(name)])
        path.write_bytes(damaged(FILES[name], rng))
        target = [None, -1, "t", "kind", 0][rng.integers(5)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            try:
                table = read_table(path, target, memory=2**26)
                encode(table)
            except DataError as error:
                messages.append(str(error))
    assert messages
    assert all(message.isprintable() and len(message) < 400 for message in messages)
