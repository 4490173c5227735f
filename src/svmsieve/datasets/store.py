"""A data folder: one file for each data set, NPZ or gzipped CSV, known by the checksum of its content."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import tempfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from svmsieve.datasets.array_files import load_arrays
from svmsieve.datasets.errors import DataError
from svmsieve.datasets.fetch import MOST_BYTES

_NAMES = ("feature_names", "class_names")
"""Arrays that are no part of the checksum: archives spell names differently."""


def cache_folder() -> Path:
    """Return the user's cache: ``XDG_CACHE_HOME``, ``LOCALAPPDATA``, or ``~/.cache``."""
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return Path(base or Path.home() / ".cache") / "svmsieve"


def folders(data_home: Any = None) -> list[Path]:
    """Return the folders that are searched, in this order: given, ``SVMSIEVE_DATA``, the cache."""
    given = [data_home, os.environ.get("SVMSIEVE_DATA") or None, cache_folder()]
    return [Path(folder).expanduser() for folder in given if folder is not None]


def read_arrays(path: Path) -> dict[str, Any]:
    """Return what a file of a data folder holds: arrays, or the text of a table."""
    if path.suffix == ".npz":
        return load_arrays(path)
    try:
        with gzip.open(path, "rb") as file:
            text = file.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise EOFError
        return {"text": text.decode("utf-8")}
    except (OSError, EOFError, zlib.error, UnicodeDecodeError):
        raise DataError(f"{str(path)!r} is damaged; remove it to download it again.") from None


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """Write a file of a data folder, whole or not at all."""
    buffer = io.BytesIO()
    if path.suffix == ".npz":
        np.savez_compressed(buffer, **arrays)
    else:
        buffer.write(gzip.compress(arrays["text"].encode(), mtime=0))
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(buffer.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        os.chmod(part, 0o644)
        os.replace(part, path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise


def checksum(arrays: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the content, whatever the types and the compression it is stored with.

    Numbers count as float32 (missing ones as one NaN), text as UTF-8, arrays in the order of their
    names.
    """
    digest = hashlib.sha256()
    for name in sorted(set(arrays) - set(_NAMES)):
        digest.update(f"{name}\0".encode())
        value = arrays[name]
        if isinstance(value, str):
            digest.update(value.replace("\r\n", "\n").strip().encode())
            continue
        array = np.asarray(value)
        digest.update(f"{array.shape}\0".encode())
        if array.dtype.kind in "US":
            digest.update("\0".join(array.ravel().astype(str)).encode())
        else:
            numbers = np.ascontiguousarray(array, dtype="<f4")
            numbers = np.where(np.isnan(numbers), np.float32(np.nan), numbers + np.float32(0.0))
            digest.update(np.ascontiguousarray(numbers, dtype="<f4").tobytes())
    return digest.hexdigest()
