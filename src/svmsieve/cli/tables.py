"""Tables that are written: the ranking, the reduced table in the input's format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from svmsieve.cli.frame_files import plain_form, require_writer, write_frame
from svmsieve.cli.reading import Reading
from svmsieve.datasets import DataError, Table
from svmsieve.datasets.array_files import feature_index
from svmsieve.datasets.delimited import find_dialect
from svmsieve.datasets.first_look import survey
from svmsieve.datasets.formats import format_of_ending
from svmsieve.runtime.text import one_line


def write_ranking(path: Path, content: dict[str, Any]) -> None:
    """Write the ranking, names as text that no spreadsheet takes for a formula."""
    ranking, size = content["ranking"], content["selection"]["size"]
    n = len(ranking["names"])
    columns: dict[str, Any] = {
        "rank": range(1, n + 1),
        "feature": ranking["names"],
        **({ranking["by"]: ranking["positions"]} if ranking.get("positions") else {}),
        "score": ranking["scores"],
        "selected": [i < size for i in range(n)],
    }
    if ranking.get("half_samples") is not None:
        columns["half_samples"] = ranking["half_samples"]
    if ranking["frequency"] is not None:
        for key in ("frequency", "mean_rank", "lowest_rank", "highest_rank"):
            columns[key] = ranking[key]
    write_frame(path, pd.DataFrame(columns), plain_form(path, "--ranking"))


def form_of(path: Path, table: Table, reading: Reading | None) -> str:
    """Return the format of a reduced table: by the ending of its name, else that of the input.

    A sparse table stays sparse: what cannot hold one is refused.
    """
    form = format_of_ending(path)
    if form is None or (reading is not None and path.suffixes == reading.file.suffixes):
        form = "csv" if reading is None else survey(reading.file, memory=reading.memory).format
    if form == "h5ad":
        raise DataError(
            f"--out {one_line(path, 200)!r} is not written as .h5ad; choose .csv, .parquet or .npz."
        )
    require_writer(path, form, "--out", table.X.shape)
    if sp.issparse(table.X) and form not in ("libsvm", "npz"):
        raise DataError(
            f"--out {one_line(path, 200)!r}: a sparse table is written as .npz or .libsvm; "
            "choose one of these endings."
        )
    if not sp.issparse(table.X) and form == "libsvm":
        raise DataError(
            f"--out {one_line(path, 200)!r}: a .libsvm file has no names for the columns; choose .csv, "
            ".parquet, .arff or .npz."
        )
    if form == "libsvm" and np.asarray(table.y).dtype.kind not in "biuf":
        raise DataError(
            f"--out {one_line(path, 200)!r}: the target of a .libsvm file is a number, this one is text; "
            "choose .npz."
        )
    return form


def write_reduced(path: Path, *, table: Table, chosen: list[str], reading: Reading | None) -> None:
    """Write the chosen columns and the target (:func:`form_of` says in which format)."""
    form = form_of(path, table, reading)
    if sp.issparse(table.X):
        places = [table.names.index(name) for name in chosen]
        _write_sparse(path, table, table.X[:, places], chosen, form)
        return
    target = table.target or "target"
    frame = pd.DataFrame({**table.ids, **{name: table.X[name] for name in chosen}})
    if target in frame.columns:
        raise DataError(f"the target's name {target!r} is that of a column too; rename one.")
    frame[target] = table.y
    if form == "npz":
        numeric = all(pd.api.types.is_numeric_dtype(frame[name]) for name in chosen)
        values = frame[chosen].to_numpy(dtype=np.float64 if numeric else None)
        with path.open("wb") as file:
            X = values if numeric else _texts(values)
            np.savez_compressed(file, X=X, y=table.y, feature_names=np.array(chosen))
    elif form == "arff":
        path.write_text(_arff(frame, table), encoding="utf-8")
    elif form == "csv":
        write_frame(path, frame, form, *_signs(path, table, reading))
    else:
        write_frame(path, frame, form)


def _texts(values: Any) -> Any:
    """Return the values as text that holds no Python objects; a missing one is empty."""
    return np.where(pd.isna(values), "", values.astype(str)).astype(str)


def _signs(path: Path, table: Table, reading: Reading | None) -> tuple[str, str]:
    """Return delimiter and decimal sign: those of the input, but that a .tsv has tabs and a .csv none."""
    found = None if reading is None else survey(reading.file, memory=reading.memory)
    if reading is None or found is None or found.format != "csv":
        return ("\t" if ".tsv" in path.suffixes else ","), "."
    dialect = find_dialect(
        found,
        delimiter=reading.delimiter,
        decimal=reading.decimal,
        header=reading.header,
        expected=(table.target,),
    )
    if path.suffixes == reading.file.suffixes:
        return dialect.delimiter, dialect.decimal
    if ".tsv" in path.suffixes:
        return "\t", dialect.decimal
    return (";" if dialect.decimal == "," else ","), dialect.decimal


def _write_sparse(path: Path, table: Table, X: Any, chosen: list[str], form: str) -> None:
    if form == "libsvm":
        from sklearn.datasets import dump_svmlight_file

        # the features of a LIBSVM file keep their indices, by which a model finds them again
        indices = np.arange(1, len(chosen) + 1)
        if table.indices is not None:
            indices = np.array([feature_index(name) for name in chosen])
        X = X.tocsr()
        shape = (X.shape[0], indices.max() + 1)
        wide = sp.csr_matrix((X.data, indices[X.indices], X.indptr), shape=shape)
        dump_svmlight_file(wide, table.y, str(path), zero_based=True)
        return
    X = X.tocsr()
    parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape)}
    with path.open("wb") as file:
        np.savez_compressed(file, y=table.y, feature_names=np.array(chosen), **parts)


def _arff(frame: pd.DataFrame, table: Table) -> str:
    lines = [f"@relation {_quoted('selected by svmsieve')}", ""]
    numeric = []
    for name in frame.columns:
        column = frame[name]
        is_number = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
        if name == table.target and table.task == "classification":
            is_number = False
        numeric.append(is_number)
        levels = sorted({str(value) for value in column.dropna()})
        kind = "numeric" if is_number else "{" + ",".join(map(_quoted, levels)) + "}"
        lines.append(f"@attribute {_quoted(name)} {kind}")
    lines += ["", "@data"]
    for row in frame.itertuples(index=False):
        fields = [
            "?" if pd.isna(value) else repr(float(value)) if number else _quoted(value)
            for value, number in zip(row, numeric, strict=True)
        ]
        lines.append(",".join(fields))
    return "\n".join(lines) + "\n"


def _quoted(value: Any) -> str:
    text = " ".join(str(value).split("\n"))
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
