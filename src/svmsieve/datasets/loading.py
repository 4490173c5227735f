"""``load``: a data set of the catalogue, from a folder or from its archive."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from svmsieve.datasets.array_files import csr_part
from svmsieve.datasets.catalogue import find
from svmsieve.datasets.entries import Entry
from svmsieve.datasets.errors import DataError
from svmsieve.datasets.raw import MISSING
from svmsieve.datasets.store import checksum, folders, read_arrays, write_arrays


class StoredPart(NamedTuple):
    """Rows of a data set: X (array, frame or CSR matrix) and y, None where labels are not public."""

    X: Any
    y: Any


@dataclass(frozen=True)
class Dataset:
    """A data set of the catalogue.

    What :func:`load` returns.

    Parameters
    ----------
    X, y : data frame, ndarray or CSR matrix
        The first part: all rows, or the training rows.
    parts : dict of str to StoredPart
        Every part by name: ``"all"``, or ``"train"``, ``"valid"``, ``"test"``.
    feature_names : list of str
        As the source spells them; not always all different.
    splits : list of pairs of ndarray
        Pairs of training and test rows that the papers use.
    extras : dict
        Further arrays of the file.
    entry : Entry
        What the catalogue says.
    path : Path
        File it was read from.

    See Also
    --------
    svmsieve.datasets.load : Load a data set of the catalogue.

    Examples
    --------
    >>> from svmsieve.datasets import load
    >>> data = load("monks-1")  # doctest: +SKIP
    >>> data.X.shape  # doctest: +SKIP
    """

    X: Any
    y: Any
    parts: dict[str, StoredPart]
    feature_names: list[str]
    splits: list[tuple[Any, Any]]
    extras: dict[str, Any]
    entry: Entry
    path: Path


def load(
    name: str,
    data_home: Any = None,
    *,
    download: bool = True,
    timeout: float = 30.0,
    retries: int = 3,
    verbose: bool = True,
) -> Dataset:
    """Load a data set of the catalogue.

    Looked for in ``data_home``, then in the folder that the environment variable ``SVMSIEVE_DATA``
    names, then in the user's cache; then downloaded from its public archive into ``data_home`` or the
    cache.  Its content must have the catalogue's checksum.  Numbers come as float64.

    Parameters
    ----------
    name : str
        One of :data:`svmsieve.datasets.CATALOGUE`.
    data_home : path or None, default=None
        A folder, or None.
    download : bool, default=True
        False looks in the folders only.
    timeout : float, default=30.0
        Seconds after which a silent server counts as stalled.
    retries : int, default=3
        How often to try again.
    verbose : bool, default=True
        Show a bar of the download.

    Returns
    -------
    Dataset
        Samples, target, and what the catalogue says.

    Raises
    ------
    DataError
        If the data set is unknown, damaged, or nowhere to be had; the message says which file to put
        where.

    Examples
    --------
    >>> from svmsieve.datasets import load
    >>> data = load("monks-1")  # doctest: +SKIP
    >>> data.X.shape, data.parts["test"].X.shape  # doctest: +SKIP
    ((124, 6), (432, 6))
    """
    entry = find(name)
    searched = folders(data_home)
    for folder in searched:
        path = folder / entry.file
        if path.is_file():
            return _dataset(entry, _checked(entry, read_arrays(path), path), path)
    home = searched[0] if data_home is not None else searched[-1]
    path = home / entry.file
    where = ", ".join(str(folder) for folder in searched)
    if not download or entry.source is None or entry.recipe is None:
        why = "it is not among the public archives" if entry.source is None else "download is off"
        raise DataError(f"{entry.file} is not in {where}, and {why}; put it into {home}.")
    arrays = _download(entry, where, home, timeout=timeout, retries=retries, verbose=verbose)
    try:
        write_arrays(path, arrays)
    except OSError as error:
        raise DataError(
            f"{str(path)!r} cannot be written ({error.strerror}); give a data_home that can be."
        ) from None
    return _dataset(entry, arrays, path)


def _download(entry: Entry, where: str, home: Path, **options: Any) -> dict[str, Any]:
    """Fetch and convert; every failure ends in one sentence that says which file to put where."""
    from svmsieve.datasets.archives import download

    assert entry.source is not None
    assert entry.recipe is not None
    try:
        files = download(entry.source, title=entry.name, **options)
        arrays = entry.recipe(files)
        _refuse_other_content(entry, arrays)
    except DataError as error:
        why = str(error).rstrip(".")
    except (KeyError, ValueError, IndexError, TypeError) as error:
        why = f"{entry.source} serves it in another form than expected ({type(error).__name__})"
    else:
        return arrays
    raise DataError(
        f"{entry.file} is not in {where} and could not be downloaded ({why}); put it into {home}."
    )


def _refuse_other_content(entry: Entry, arrays: Mapping[str, Any]) -> None:
    if entry.checksum is not None:
        if checksum(arrays) != entry.checksum:
            raise DataError("its content has another checksum than the catalogue's")
        return
    for part, rows in entry.parts.items():
        if arrays[f"X_{part}"].shape != (rows, entry.n_features):
            raise DataError(f"its {part} part has another size than the catalogue's")


def _checked(entry: Entry, arrays: dict[str, Any], path: Path) -> dict[str, Any]:
    try:
        _refuse_other_content(entry, arrays)
    except DataError as error:
        raise DataError(
            f"{str(path)!r} is not the data set {entry.name}: {error}; replace it, or remove it to "
            "download it again."
        ) from None
    return arrays


def _dataset(entry: Entry, arrays: dict[str, Any], path: Path) -> Dataset:
    if "text" in arrays:
        parts, names = _table_parts(arrays["text"])
        rest: dict[str, Any] = {}
    else:
        parts, used = _array_parts(entry, arrays)
        rest = {key: value for key, value in arrays.items() if key not in used}
        names = [str(name) for name in rest.pop("feature_names", [])]
    splits = [
        (train.astype(np.intp), test.astype(np.intp))
        for train, test in zip(rest.pop("train_idx", ()), rest.pop("test_idx", ()), strict=True)
    ]
    first = next(iter(parts.values()))
    names = names or [f"x{i}" for i in range(entry.n_features)]
    return Dataset(first.X, first.y, parts, names, splits, rest, entry, path)


def _table_parts(text: str) -> tuple[dict[str, StoredPart], list[str]]:
    """Return the columns as they are: text as categories, numbers as numbers."""
    frame = pd.read_csv(io.StringIO(text), na_values=list(MISSING), keep_default_na=False)
    y = frame.pop("class").to_numpy().astype(str)
    for column in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[column].dtype):
            frame[column] = frame[column].astype("category")
    return {"all": StoredPart(frame, y)}, [str(column) for column in frame.columns]


def _array_parts(entry: Entry, arrays: dict[str, Any]) -> tuple[dict[str, StoredPart], set[str]]:
    parts: dict[str, StoredPart] = {}
    used: set[str] = set()
    for part in entry.parts:
        ending = "" if part == "all" else f"_{part}"
        y = arrays.get(f"y{ending}")
        if f"{part}_indptr" in arrays:
            X = csr_part(arrays, f"{part}_")
            used |= {f"{part}_{piece}" for piece in ("data", "indices", "indptr", "shape")}
        else:
            X = arrays[f"X{ending}"].astype(np.float64)
            used.add(f"X{ending}")
        if y is not None:
            y = y.astype(np.float64 if entry.task == "regression" else np.intp)
            used.add(f"y{ending}")
        parts[part] = StoredPart(X, y)
    return parts, used
