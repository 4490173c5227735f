"""From what a file holds to a table: target apart, columns understood, useless ones left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp

from svmsieve.datasets.columns import CATEGORY, DATE, OPEN_COMMAS, Column, understand
from svmsieve.datasets.dates import OPEN_ORDER
from svmsieve.datasets.errors import DataError, listed, nearest, plural, shown
from svmsieve.datasets.features import about, about_features, about_useless, usable_features
from svmsieve.datasets.raw import Raw
from svmsieve.datasets.table import Table
from svmsieve.datasets.target import has_text_classes, make_y


def understand_table(
    raw: Raw,
    file: str,
    target: str | int | None,
    task: str | None,
    categorical: Sequence[str],
    drop: Sequence[str],
    keep: Sequence[str],
    groups: str | int | None = None,
) -> Table:
    """Separate the target and the rows' groups, understand the columns, leave the useless ones out."""
    place = None if target is None else _place(target, raw, file)
    lists = {"categorical": categorical, "drop": drop, "keep": keep, "ids": raw.ids}
    for what, given in lists.items():
        _refuse_unknown(what, given, [*raw.names, *raw.beside], file)
    learned = _target_apart(raw, place, task, categorical)
    notes, cautions = [*raw.notes, *learned.notes], [*raw.warnings, *learned.warnings]
    X, rows = learned.X, learned.rows
    left_out = {place} if place is not None and place >= 0 else set()
    labels = groups_name = None
    if groups is not None and groups in raw.beside:
        groups_name = str(groups)
        labels = _labels_of_rows(raw.beside[groups_name].iloc[rows - 1], groups_name, rows)
    elif groups is not None:
        at = _column_place(groups, raw, file, "the groups of rows")
        groups_name = raw.names[at]
        if at in left_out or groups_name in (*drop, *keep):
            raise DataError(
                f"column {shown(groups_name)} says which rows belong together; it cannot be the target, "
                "nor dropped or kept as a feature."
            )
        labels = _labels_of_rows(_column(X, at), groups_name, rows)
        left_out.add(at)
    if labels is not None:
        notes.append(
            f"{plural(len(set(labels)), 'group')} of rows by {shown(groups_name)}, which is no feature: "
            "folds keep them whole."
        )
    left_out |= {raw.names.index(name) for name in (*drop, *raw.ids) if name not in raw.beside}
    kept = [i for i in range(X.shape[1]) if i not in left_out]
    if not kept:
        raise DataError(
            f"{file} has no column beside the target{' and the groups' * (groups is not None)}; check the "
            "delimiter."
        )
    features = usable_features(X, raw, kept, rows, set(categorical), set(keep))
    if not features.names:
        first = next(iter(features.useless.items()))
        raise DataError(
            f"{file} has no usable column: {shown(first[0])} {first[1]}, and so on; keep or convert one."
        )
    return Table(
        features.X,
        learned.y,
        learned.task,
        learned.name,
        features.names,
        features.kinds,
        {name: "was dropped as asked" for name in drop} | features.useless,
        features.gaps,
        [*notes, *about_features(features)],
        [*cautions, *about_useless(features.useless)],
        raw.decimal,
        raw.indices,
        labels,
        groups_name,
        ids=_ids(X, raw, rows),
    )


class _Learned(NamedTuple):
    """The target, apart from the rows that have one."""

    X: Any
    rows: Any
    """Their numbers in the file, from 1."""
    y: Any = None
    task: str | None = None
    name: str | None = None
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()


def _target_apart(
    raw: Raw, place: int | None, task: str | None, categorical: Sequence[str]
) -> _Learned:
    """Take the target apart and leave out the rows without one."""
    X, rows = raw.X, np.arange(1, raw.X.shape[0] + 1)
    values, name = raw.y, raw.y_name
    declared = "category" if raw.y_name in categorical else ""
    if place is not None and place >= 0:
        name, values = raw.names[place], _column(raw.X, place)
        declared = raw.declared.get(place, "")
    if values is None:
        return _Learned(X, rows)
    cautions = []
    gone = pd.Series(values).isna().to_numpy()
    marks = _marks_of_missing(raw, place, gone)
    lost = (
        f"{plural(sum(marks.values()), 'row')} had a label that was read as missing "
        f"({listed(marks)}); spell it otherwise"
        if marks
        else ""
    )
    if gone.all():
        raise DataError(
            f"target {shown(name)} is empty"
            + (f": {lost}." if lost else "; choose another target.")
        )
    if gone.any():
        cautions.append(
            f"{plural(int(gone.sum()), 'row')} without a value of the target {shown(name)} "
            f"{'were' if gone.sum() > 1 else 'was'} left out, first row {rows[gone][0]}"
            + (f"; read as missing: {listed(marks)}." if marks else ".")
        )
        rows = rows[~gone]
        X = X[~gone] if sp.issparse(X) else X.loc[~gone].reset_index(drop=True)
        values = pd.Series(values)[~gone].reset_index(drop=True)
    if name in categorical:
        declared = "category"
    column = understand(pd.Series(values), name, declared=declared, rows=rows, decimal=raw.decimal)
    if OPEN_COMMAS in (column.useless, column.note):
        raise DataError(f"target {shown(name)} {OPEN_COMMAS}.")
    y, found, more, careful = make_y(column, name, task, lost=lost)
    notes = [*about({name: column.note}), *more]
    return _Learned(
        X, rows, y, found, name if y is not None else None, notes, [*cautions, *careful]
    )


def _labels_of_rows(values: Any, name: str, rows: Any) -> Any:
    """Return the label of each row's group; a missing one is refused by its row."""
    gone = values.isna().to_numpy()
    if gone.any():
        raise DataError(
            f"column {shown(name)} says which rows belong together, but is missing in row "
            f"{rows[gone][0]}; name its group."
        )
    return values.to_numpy()


def understand_like(raw: Raw, file: str, target: str | int | None, like: Table) -> Table:
    """Take the columns of another table, with its kinds, whatever they hold here."""
    place = {name: i for i, name in enumerate(raw.names)}
    _refuse_unknown("ids", raw.ids, [*raw.names, *raw.beside], file)
    rows = np.arange(1, raw.X.shape[0] + 1)
    y = task = y_name = None
    if target is not None:
        at = _place(target, raw, file)
        y_name = raw.y_name if at < 0 else raw.names[at]
        values = pd.Series(raw.y) if at < 0 else _column(raw.X, at)
        y, task = _known_target(values, y_name, rows, raw, like)
    sparse = sp.issparse(raw.X)
    if sparse != sp.issparse(like.X):
        raise DataError(f"{file} is {'' if sparse else 'not '}sparse, unlike the first table.")
    table = Table(
        None,
        y,
        task,
        y_name,
        list(like.names),
        dict(like.kinds),
        notes=list(raw.notes),
        indices=raw.indices,
        ids=_ids(raw.X, raw, rows),
    )
    if sparse:
        return replace(table, X=_sparse_like(raw, place, like))
    absent = [name for name in like.names if name not in place]
    if absent:
        raise DataError(
            f"{file} lacks {listed(absent)}, which the first table has; add "
            f"{'it' if len(absent) == 1 else 'them'}."
        )
    frame, remarks = _frame_like(raw, file, place, like)
    gaps = frame.isna().sum()
    missing = {str(name): int(count) for name, count in gaps[gaps > 0].items()}
    notes = [*raw.notes, *about(remarks)]
    return replace(table, X=frame, missing=missing, notes=notes, decimal=raw.decimal, indices=None)


def _known_target(
    values: Any, name: str, rows: Any, raw: Raw, like: Table
) -> tuple[Any, str | None]:
    """Return the target of the rows that have one, None or NaN where they have none, and the task."""
    known = values.notna().to_numpy()
    if not known.any():
        return None, None
    present = values[known].reset_index(drop=True)
    if present.dtype == object:  # numbers among which some were missing
        present = present.infer_objects()
    declared = CATEGORY if has_text_classes(like.y) else ""
    column = understand(present, name, declared=declared, rows=rows[known], decimal=raw.decimal)
    y, task, _, _ = make_y(column, name, like.task, learnt=True)
    if known.all():
        return y, task
    full = np.full(len(values), np.nan if task == "regression" else None)
    full[known] = y
    return full, task


def _ids(X: Any, raw: Raw, rows: Any) -> dict[str, Any]:
    """Return the columns that name the rows ``rows``, of the matrix or beside it."""
    return {
        name: raw.beside[name].iloc[rows - 1].reset_index(drop=True)
        if name in raw.beside
        else _column(X, raw.names.index(name))
        for name in raw.ids
    }


def _sparse_like(raw: Raw, place: dict[str, int], like: Table) -> Any:
    """Return the columns of another table; a feature that no row of a sparse file mentions is zero."""
    known = [name for name in like.names if name in place]
    at_new = {name: i for i, name in enumerate(like.names)}
    chosen = raw.X[:, [place[name] for name in known]].tocoo()
    columns = np.array([at_new[name] for name in known], dtype=np.intp)[chosen.col]
    shape = (raw.X.shape[0], len(like.names))
    return sp.csr_matrix((chosen.data, (chosen.row, columns)), shape=shape)


def _frame_like(
    raw: Raw, file: str, place: dict[str, int], like: Table
) -> tuple[Any, dict[str, str]]:
    """Return the columns of another table with its kinds, and a remark on each."""
    rows = np.arange(1, raw.X.shape[0] + 1)
    series, remarks = {}, {}
    for name in like.names:
        values = _column(raw.X, place[name])
        kind = CATEGORY if like.kinds[name] == CATEGORY else ""
        is_date = like.kinds[name] == DATE
        column = understand(
            values, name, declared=kind, rows=rows, decimal=raw.decimal, dates=is_date
        )
        remarks[name] = column.note
        if column.useless == "is empty":
            column = Column(pd.Series(np.full(len(rows), np.nan)), column.kind)
        elif is_date and (column.kind != DATE or column.useless == OPEN_ORDER):
            raise DataError(
                f"{file}: column {shown(name)} must hold dates, as in the first table; write them as "
                "2024-12-31."
            )
        elif kind != CATEGORY and column.kind in (CATEGORY, DATE) and not is_date:
            raise DataError(
                f"{file}: column {shown(name)} must hold numbers, as in the first table; correct it."
            )
        series[name] = getattr(column.values, "array", column.values)
    return pd.DataFrame(series), remarks


def _place(target: str | int, raw: Raw, file: str) -> int:
    """Return the index of the target column, -1 where the format keeps the target apart."""
    names = raw.names
    if raw.y is not None:
        if target in (raw.y_name, "y", "target", "class", "label", -1):
            return -1
        if target not in names:
            raise DataError(
                f"{file} keeps its target apart, so that no column {shown(target)} is needed; leave the "
                "target out."
            )
    return _column_place(target, raw, file, "the target")


def _column_place(column: str | int, raw: Raw, file: str, what: str) -> int:
    """Return the index of a column given by name or number."""
    names = raw.names
    if isinstance(column, str):
        if column in raw.repeated:
            raise DataError(
                f"{file} has more than one column {shown(column)}; rename one, or give the number of "
                f"{what} (from 0)."
            )
        if column in names:
            return names.index(column)
        if not re.fullmatch("-?[0-9]{1,9}", column):
            raise DataError(
                f"{file} has no column {shown(column)} for {what}; {nearest(column, names)}"
            )
    number = int(column)
    if not -len(names) <= number < len(names):
        raise DataError(
            f"{file} has {plural(len(names), 'column')}, there is no number {number}; give a name or a "
            "number from 0."
        )
    return number % len(names)


def _marks_of_missing(raw: Raw, place: int | None, gone: Any) -> dict[str, int]:
    """Return what stands in the file for the missing values of a column, and in how many rows."""
    if raw.as_written is None or place is None or not gone.any():
        return {}
    counts = Counter(raw.as_written(place)[gone])
    return {text: count for text, count in counts.items() if text}


def _refuse_unknown(what: str, given: Sequence[str], names: list[str], file: str) -> None:
    if isinstance(given, str):
        raise DataError(f"{what} must be a list of column names, got {given!r}.")
    known = set(names)
    for name in given:
        if name not in known:
            raise DataError(
                f"{what} names the column {shown(name)}, which {file} does not have; "
                f"{nearest(str(name), names)}"
            )


def _column(X: Any, i: int) -> Any:
    if sp.issparse(X):
        return pd.Series(X[:, [i]].toarray()[:, 0])
    return X.iloc[:, i]
