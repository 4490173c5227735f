"""AnnData files (.h5ad), through h5py (the extra ``h5ad``).

The matrix X holds the features, its columns named by the index of ``var``; the target, the groups of rows and
their identifiers are columns of ``obs``.  Layers, embeddings and all else is left unread.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from svmsieve.datasets.cost import A_TEXT, frame_bytes, require, sparse_bytes
from svmsieve.datasets.errors import DataError, listed, nearest, shown, shown_path
from svmsieve.datasets.first_look import FirstLook
from svmsieve.datasets.raw import Raw

_DAMAGED = (OSError, KeyError, RuntimeError, ValueError, TypeError, AttributeError, IndexError)
"""What h5py raises for bytes that make no sense."""


def read_h5ad(
    found: FirstLook,
    target: str | int | None,
    beside: Sequence[str | int],
    *,
    learnt: bool = False,
    memory: float | None = None,
) -> Raw:
    """Read X, and of ``obs`` the target and the columns ``beside``; what was learnt needs no target."""
    name = shown_path(found.path)
    try:
        h5py = import_module("h5py")
    except ImportError:
        raise DataError(
            f"{name} is an AnnData file, which needs h5py; install svmsieve[h5ad], or save the table as CSV."
        ) from None
    where = "in its beginning"
    try:
        with h5py.File(found.path, "r") as file:
            if not all(isinstance(file.get(part), h5py.Group) for part in ("obs", "var")):
                raise DataError(
                    f"{name} is an HDF5 file without the groups 'obs' and 'var' that AnnData writes; "
                    "save the table as .h5ad or CSV."
                )
            columns = _names_of_columns(file["obs"])
            if target is None and not learnt:
                raise DataError(
                    f"{name} needs a target: name a column of its obs with --target; it has "
                    f"{listed(columns)}."
                )
            wanted = [each for each in (target, *beside) if each is not None]
            for each in wanted:
                if each not in columns:
                    raise DataError(
                        f"{name} has no column {shown(each)} in its obs for "
                        f"{'the target' if each == target else 'the rows'}; "
                        f"{nearest(str(each), columns)}"
                    )
            where = "in its part 'X'"
            X = _matrix(h5py, file["X"], found, memory)
            where = "in its part 'var'"
            names = _values(h5py, file["var"], _index_of(file["var"]), X.shape[1], memory, found)
            where = "in its part 'obs'"
            obs = {
                str(each): _values(h5py, file["obs"], str(each), X.shape[0], memory, found)
                for each in wanted
            }
    except DataError:
        raise
    except _DAMAGED:
        raise DataError(
            f"{name} is a damaged AnnData file, {where}; copy or save it again."
        ) from None
    frame = X if sp.issparse(X) else pd.DataFrame(X)
    y = (
        None
        if target is None
        else obs.pop(str(target))
        if str(target) not in beside
        else obs[str(target)]
    )
    return Raw(
        frame,
        [str(each) for each in names],
        y=y,
        y_name=str(target),
        beside=obs,
        notes=["AnnData."],
    )


def _names_of_columns(group: Any) -> list[str]:
    order = group.attrs.get("column-order", ())
    return [each.decode() if isinstance(each, bytes) else str(each) for each in order]


def _index_of(group: Any) -> str:
    return str(group.attrs.get("_index", "_index"))


def _matrix(h5py: Any, X: Any, found: FirstLook, memory: float | None) -> Any:
    """Return X, dense or CSR; what it takes is known from its shape before it is read."""
    if isinstance(X, h5py.Dataset):
        rows, columns = X.shape
        require(frame_bytes(rows, columns), memory, found.path)
        return np.asarray(X[()], dtype=np.float64)
    rows, columns = (int(each) for each in X.attrs["shape"])
    entries = float(X["data"].shape[0])
    require(
        2 * sparse_bytes(rows, columns, max(entries, X["indices"].shape[0])), memory, found.path
    )
    require(8.0 * X["indptr"].shape[0], memory, found.path)
    kind = {"csr_matrix": sp.csr_matrix, "csc_matrix": sp.csc_matrix}[str(X.attrs["encoding-type"])]
    parts = (X["data"][()].astype(np.float64), X["indices"][()], X["indptr"][()])
    matrix = kind(parts, shape=(rows, columns))
    matrix.check_format(full_check=True)
    return matrix.tocsr()


def _values(
    h5py: Any, group: Any, column: str, n: int, memory: float | None, found: FirstLook
) -> pd.Series:
    """Return a column: numbers, texts, categories, or numbers with a mask of the missing ones."""
    part = group[column]
    pieces = [part] if isinstance(part, h5py.Dataset) else list(part.values())
    # of texts of one length, which may be compressed, the type says how long they are
    cost = sum(float(np.prod(each.shape)) * (A_TEXT + 4.0 * each.dtype.itemsize) for each in pieces)
    require(2.0 * cost, memory, found.path)
    if isinstance(part, h5py.Dataset):
        values = pd.Series(_array(h5py, part))
    elif "codes" in part:
        categories = [str(each) for each in _array(h5py, part["categories"])]
        values = pd.Series(pd.Categorical.from_codes(part["codes"][()], categories=categories))
    else:
        values = pd.Series(_array(h5py, part["values"]).astype(object))
        values[part["mask"][()].astype(bool)] = None
        values = values.infer_objects()
    if len(values) != n:
        raise ValueError("another number of values than rows")
    return values


def _array(h5py: Any, data: Any) -> Any:
    is_text = h5py.check_string_dtype(data.dtype) is not None
    return data.asstr()[()] if is_text else data[()]
