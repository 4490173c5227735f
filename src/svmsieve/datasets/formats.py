"""The formats of files: by the ending of a name, and by what a file begins with."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

from svmsieve.datasets.errors import DataError, listed, shown_path

FORMATS = ("arff", "csv", "excel", "feather", "h5ad", "json", "libsvm", "npz", "parquet")
BINARY = ("excel", "feather", "h5ad", "npz", "parquet")
READABLE = "CSV, Excel (.xlsx), Parquet, ARFF or NPZ"
"""What a person is advised to save a table as."""
_ENDINGS = {
    ".arff": "arff",
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".data": "csv",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".feather": "feather",
    ".arrow": "feather",
    ".h5ad": "h5ad",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".libsvm": "libsvm",
    ".svmlight": "libsvm",
    ".svm": "libsvm",
    ".npz": "npz",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_FOREIGN = {
    b"\xd0\xcf\x11\xe0": "an old Office file (.xls)",
    b"FEA1": "an old Feather file (version 1)",
    b"%PDF": "a PDF",
    b"\x93NUMPY": "a single array",
    b"\x80\x02": "a pickle, which is never loaded",
    b"\x80\x03": "a pickle, which is never loaded",
    b"\x80\x04": "a pickle, which is never loaded",
    b"\x80\x05": "a pickle, which is never loaded",
}
_PAIRS = re.compile(r"^\S+(\s+(qid:)?\d+:\S+)+\s*(#.*)?$")
_JSON = re.compile(rb"^(\xef\xbb\xbf)?\s*(\[\s*\{|\{\s*\")")
_ADDRESS = re.compile(r"^[a-z][a-z0-9+.-]+:/{1,2}[^/\\]", re.IGNORECASE)


def is_address(path: Any) -> bool:
    """Whether a path is an address of the web or of a store; a path of the system loses a slash of it.

    >>> is_address("https:/example.org/a.csv"), is_address("C:/a.csv"), is_address("a/b.csv")
    (True, False, False)
    """
    return bool(_ADDRESS.match(str(path)))


def shown_address(path: Any) -> str:
    """Return an address in quotes, with the slash that a path lost."""
    return shown_path(re.sub(":/+", "://", str(path), count=1))


def format_of_ending(path: Path) -> str | None:
    """Return the format that a file's name promises, None where it promises none."""
    endings = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    return _ENDINGS.get(endings[-1]) if endings else None


def tables_in(folder: Path) -> str:
    """Return in words the tables that a folder holds, to end a sentence; empty where it holds none."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and format_of_ending(path))
    if not files:
        return ""
    counts = Counter(format_of_ending(path) for path in files)
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items(), key=str))
    return f": it holds {listed(path.name for path in files)} ({kinds})"


def looks_like_json(head: bytes) -> bool:
    """Whether a file begins as records of JSON do, one object or a list of them."""
    return bool(_JSON.match(head[:1000]))


def binary_format(head: bytes, name: str) -> str | None:
    """Name the format of a binary file, None for text; refuse what cannot be read."""
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"ARROW1"):
        return "feather"
    if head.startswith(b"\x89HDF"):
        return "h5ad"
    if head.startswith(b"PK\x03\x04"):
        return _zip_format(head, name)
    for magic, what in _FOREIGN.items():
        if head.startswith(magic):
            raise DataError(f"{name} is {what}; save the table as {READABLE}.")
    return None


def _zip_format(head: bytes, name: str) -> str:
    if b".npy" in head[:2048]:
        return "npz"
    if b"opendocument" in head[:200]:
        raise DataError(f"{name} is an OpenDocument file; save the table as {READABLE}.")
    if b"xl/" in head or b"[Content_Types].xml" in head:
        return "excel"
    raise DataError(f"{name} is a zip archive; unpack it, and give the path of the table in it.")


def text_format(path: Path, sample: str) -> str:
    """Tell ARFF, LIBSVM and JSON from delimited text, by the ending of the name or by the content."""
    named = format_of_ending(path)
    lines = [line.strip() for line in sample.splitlines()[:50]]
    lines = [line for line in lines if line and not line.startswith("%")]
    if lines and lines[0].lower().startswith("@relation"):
        return "arff"
    if named in ("arff", "libsvm", "json"):
        return named
    if looks_like_json(sample[:1000].encode()):
        return "json"
    rows = [line for line in lines[:20] if not line.startswith("#")]
    if rows and all(_PAIRS.match(row) for row in rows[:-1] or rows):
        return "libsvm"
    return "csv"
