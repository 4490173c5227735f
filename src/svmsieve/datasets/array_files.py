"""Formats that hold matrices: NPZ and LIBSVM (SVMlight)."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

from svmsieve.datasets.cost import A_TEXT, frame_bytes, require, sparse_bytes
from svmsieve.datasets.errors import DataError, listed, shown, shown_path
from svmsieve.datasets.first_look import FirstLook
from svmsieve.datasets.raw import Raw

_MOST_INDEX = 2**31 - 1
"""The largest index of a LIBSVM file: scikit-learn counts in 32 bits."""
_CSR = ("data", "indices", "indptr", "shape")
_MOST_MEMBERS = 1000
_MOST_HEADER = 10_000
"""Bytes of an array's header: NumPy refuses longer ones too, but only once they are read."""


_DAMAGED = (
    ValueError,
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    EOFError,
    KeyError,
    OSError,
    NotImplementedError,
    RuntimeError,
)
"""What NumPy and zipfile raise for bytes that make no sense."""


class _LongerThanDeclaredError(ValueError):
    """An array has more bytes than its header says."""


def load_arrays(path: Path, memory: float | None = None) -> dict[str, Any]:
    """Return the arrays of an NPZ file; nothing is unpickled, nothing too large is read."""
    with _part(path, "in its directory"):
        refuse_many_members(path, "arrays; keep X and y")
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            cost = 0.0
            for member in members:
                with _part(path, f"in its array {shown(member.filename.removesuffix('.npy'))}"):
                    cost += _declared_bytes(archive, member)
        require(cost, memory, path)
        arrays = {}
        with np.load(path, allow_pickle=False) as file:
            for key in file.files:
                with _part(path, f"in its array {shown(key)}"):
                    arrays[key] = file[key]
        return arrays


@contextmanager
def _part(path: Path, where: str) -> Iterator[None]:
    """Let errors of a part of an NPZ file name the file and the part."""
    try:
        yield
    except DataError:
        raise
    except _DAMAGED as error:
        name = shown_path(path)
        if isinstance(error, _LongerThanDeclaredError):
            where = f"{where}: it is {error}"
        if "pickle" in str(error).lower():
            raise DataError(
                f"{name} holds Python objects, which are never loaded, {where}; save its text as arrays of "
                "strings (dtype 'U')."
            ) from None
        raise DataError(f"{name} is a damaged NPZ file, {where}; copy or save it again.") from None


def refuse_many_members(path: Path, what: str) -> None:
    """Refuse an archive whose directory alone would fill the memory; it is read as one piece."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 2**16 - 22))
        tail = file.read()
    end = tail.rfind(b"PK\5\6")
    if end >= 0 and struct.unpack_from("<H", tail, end + 10)[0] > _MOST_MEMBERS:
        raise DataError(f"{shown_path(path)} holds more than {_MOST_MEMBERS} {what}.")


def _declared_bytes(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> float:
    """Return the bytes of an array as its header declares them, and those of its text as objects."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError("compressed as NumPy does not")
    with archive.open(member) as file:
        start = file.read(12)
        (length,) = struct.unpack_from("<H" if start[6:7] == b"\1" else "<I", start, 8)
        if length > _MOST_HEADER:
            raise ValueError("a header that is too long")
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0
        if version != (1, 0):
            read = np.lib.format.read_array_header_2_0
        shape, _, dtype = read(file)
        head = file.tell()
    cells = float(np.prod([float(size) for size in shape]))
    if not dtype.hasobject and member.file_size > head + cells * dtype.itemsize:
        # NumPy would read what is declared, and check nothing of the rest
        raise _LongerThanDeclaredError(
            f"of shape {shape} by its header, but {member.file_size - head} bytes long instead of "
            f"{cells * dtype.itemsize:.0f}"
        )
    return cells * (dtype.itemsize + A_TEXT * (dtype.kind in "USV"))


def csr_part(arrays: dict[str, Any], prefix: str) -> Any:
    """Return the CSR matrix whose parts carry a prefix."""
    data, indices, indptr, shape = (arrays[prefix + part] for part in _CSR)
    matrix = sp.csr_matrix((data.astype(np.float64), indices, indptr), shape=tuple(shape))
    matrix.check_format(full_check=True)
    return matrix


def read_npz(found: FirstLook, *, memory: float | None = None) -> Raw:
    """Read X (dense or CSR parts), y and feature_names from an NPZ file."""
    name = shown_path(found.path)
    arrays = load_arrays(found.path, memory)
    prefix = "" if "X" in arrays or "data" in arrays else "train_"
    suffix = "" if "X" in arrays else "_train"
    notes = ["NPZ."]
    try:
        if f"X{suffix}" in arrays:
            X = arrays[f"X{suffix}"]
        elif prefix + "indptr" in arrays:
            X = csr_part(arrays, prefix)
        else:
            raise DataError(
                f"{name} must hold an array X (or the parts of a CSR matrix), it holds "
                f"{listed(arrays)}; rename it."
            )
    except DataError:
        raise
    except (KeyError, ValueError, TypeError):
        raise DataError(
            f"{name} holds parts of a CSR matrix that do not fit; save it again."
        ) from None
    if suffix and any(key.endswith("_train") for key in arrays):
        notes.append("only the training part was read.")
    if X.ndim != 2:
        raise DataError(f"{name}: X must have two dimensions, it has {X.ndim}; reshape it.")
    if not sp.issparse(X) and X.dtype.kind not in "biufUS":
        raise DataError(f"{name}: X must hold numbers or text, it holds {X.dtype}; convert it.")
    y = arrays.get(f"y{suffix}", arrays.get("y"))
    if y is not None and y.shape != (X.shape[0],):
        raise DataError(
            f"{name}: y must hold one value for each of the {X.shape[0]} rows of X, its shape is "
            f"{y.shape}."
        )
    rows, columns = X.shape
    cost = sparse_bytes(rows, columns, X.nnz) if sp.issparse(X) else frame_bytes(rows, columns)
    require(cost, memory, found.path)
    names = arrays.get("feature_names")
    if names is not None and names.shape != (X.shape[1],):
        raise DataError(
            f"{name}: feature_names must hold one name for each of the {X.shape[1]} columns of X."
        )
    given = [f"x{i}" for i in range(X.shape[1])] if names is None else [str(n) for n in names]
    frame = X if sp.issparse(X) else pd.DataFrame(X)
    target = None if y is None else pd.Series(y)
    return Raw(frame, given, y=target, y_name="y", notes=notes)


def feature_name(index: int) -> str:
    """Return the name of a LIBSVM file's feature: it keeps its number, from 0 or 1.

    >>> feature_name(20), feature_index("x20")
    ('x20', 20)
    """
    return f"x{index}"


def feature_index(name: str) -> int:
    """Return the index of a feature that :func:`feature_name` named."""
    return int(name[1:])


def read_libsvm(
    found: FirstLook, *, indices: tuple[int, int] | None = None, memory: float | None = None
) -> Raw:
    """Read a LIBSVM (SVMlight) file into a CSR matrix and its target.

    ``indices`` are the first and the last that there may be, as in an earlier file; None takes the
    last that there is, and counts from 0 where that occurs, else from 1.
    """
    name = shown_path(found.path)
    entries = float(found.counts[ord(":")])
    cost = sparse_bytes(found.lines, 0, entries) + found.size
    require(cost, memory, found.path)
    try:
        with found.open_bytes() as file:
            X, y = load_svmlight_file(file, zero_based=True)
    except (ValueError, OverflowError, TypeError):
        line, index = _first_bad_line(found)
        if index > _MOST_INDEX:
            raise DataError(
                f"{name} has the index {shown(index)} in line {line}, larger than {_MOST_INDEX}; correct it, "
                "or number the features from 1 without gaps."
            ) from None
        raise DataError(
            f"{name} is not in the form 'label index:value …', indices from 0 or 1 and rising, in line "
            f"{line}; correct it or say another format."
        ) from None
    if X.shape[0] == 0:
        raise DataError(f"{name} has no rows; give a file with data.")
    if indices is None:
        if not len(X.indices):
            raise DataError(f"{name} has labels but no 'index:value'; give a file with data.")
        indices = 0 if (X.indices == 0).any() else 1, X.shape[1] - 1
    first, last = indices
    require(sparse_bytes(X.shape[0], last - first + 1, X.nnz), memory, found.path)
    if not np.isfinite(X.data).all():
        entries = X.tocoo()
        bad = int(np.flatnonzero(~np.isfinite(entries.data))[0])
        raise DataError(
            f"{name}: row {entries.row[bad] + 1} holds {entries.data[bad]} in feature "
            f"{entries.col[bad]}; replace it by a number or leave the entry out."
        )
    _refuse_beyond(X, first, last, name)
    shape = (X.shape[0], last - first + 1)
    return Raw(
        sp.csr_matrix((X.data, X.indices - first, X.indptr), shape=shape),
        [feature_name(i) for i in range(first, last + 1)],
        y=pd.Series(y),
        y_name="label",
        indices=indices,
        notes=[f"LIBSVM format, indices from {first}."],
    )


def _refuse_beyond(X: Any, first: int, last: int, name: str) -> None:
    """Refuse an index that an earlier file cannot have had."""
    beyond = np.flatnonzero((X.indices < first) | (X.indices > last))
    if len(beyond):
        row = int(np.searchsorted(X.indptr, beyond[0], side="right"))
        raise DataError(
            f"{name}: row {row} has the index {X.indices[beyond[0]]}, but the indices of the first table "
            f"are {first} to {last}; leave the entry out, or number the features as there."
        )


def _first_bad_line(found: FirstLook) -> tuple[int, int]:
    """Return the number of the first line that is not a label and pairs of rising indices, and its largest
    index where it has pairs, else -1."""
    number = 0
    for number, line in enumerate(found.text_lines(), start=1):
        fields = line.split("#", 1)[0].split()
        if not fields:
            continue
        try:
            float(fields[0])
            pairs = [field.split(":") for field in fields[1:] if not field.startswith("qid:")]
            indices = [int(index) for index, _ in pairs]
            _ = [float(value) for _, value in pairs]
        except ValueError:
            return number, -1
        largest = max(indices, default=0)
        if sorted(set(indices)) != indices or not 0 <= largest <= _MOST_INDEX:
            return number, largest
    return number, -1
