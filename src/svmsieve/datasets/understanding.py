"""From what a file holds to a table: target apart, columns understood, useless ones left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp

from svmsieve.datasets.columns import (
    BOOLEAN,
    CATEGORY,
    NUMBER,
    OPEN_COMMAS,
    Column,
    understand,
    understand_numbers,
)
from svmsieve.datasets.errors import DataError, listed, nearest, plural, shown
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
    for what, given in (("categorical", categorical), ("drop", drop), ("keep", keep)):
        _refuse_unknown(what, given, raw.names, file)
    y_values, y_name = raw.y, raw.y_name
    if place is not None and place >= 0:
        y_name = raw.names[place]
        y_values = _column(raw.X, place)
        declared = raw.declared.get(place, "")
    else:
        declared = "category" if raw.y_name in categorical else ""
    notes, cautions = list(raw.notes), list(raw.warnings)
    rows = np.arange(1, raw.X.shape[0] + 1)
    y = found_task = None
    X = raw.X
    if y_values is not None:
        gone = pd.Series(y_values).isna().to_numpy()
        marks = _marks_of_missing(raw, place, gone)
        lost = (
            f"{plural(sum(marks.values()), 'row')} had a label that was read as missing "
            f"({listed(marks)}); spell it otherwise"
            if marks
            else ""
        )
        if gone.all():
            raise DataError(
                f"target {shown(y_name)} is empty"
                + (f": {lost}." if lost else "; choose another target.")
            )
        if gone.any():
            cautions.append(
                f"{plural(int(gone.sum()), 'row')} without a value of the target {shown(y_name)} "
                f"{'were' if gone.sum() > 1 else 'was'} left out, first row {rows[gone][0]}"
                + (f"; read as missing: {listed(marks)}." if marks else ".")
            )
            rows = rows[~gone]
            X = X[~gone] if sp.issparse(X) else X.loc[~gone].reset_index(drop=True)
            y_values = pd.Series(y_values)[~gone].reset_index(drop=True)
        if y_name in categorical:
            declared = "category"
        column = understand(
            pd.Series(y_values), y_name, declared=declared, rows=rows, decimal=raw.decimal
        )
        if OPEN_COMMAS in (column.useless, column.note):
            raise DataError(f"target {shown(y_name)} {OPEN_COMMAS}.")
        y, found_task, more, careful = make_y(column, y_name, task, lost=lost)
        notes += [*_about({y_name: column.note}), *more]
        cautions += careful
    left_out = {place} if place is not None and place >= 0 else set()
    labels = groups_name = None
    if groups is not None:
        at = _column_place(groups, raw, file, "the groups of rows")
        groups_name = raw.names[at]
        if at in left_out or groups_name in (*drop, *keep):
            raise DataError(
                f"column {shown(groups_name)} says which rows belong together; it cannot be the target, "
                "nor dropped or kept as a feature."
            )
        labels = _labels_of_rows(_column(X, at), groups_name, rows)
        notes.append(
            f"{plural(len(set(labels)), 'group')} of rows by {shown(groups_name)}, which is no feature: "
            "folds keep them whole."
        )
        left_out.add(at)
    left_out |= {raw.names.index(name) for name in drop}
    kept = [i for i in range(X.shape[1]) if i not in left_out]
    if not kept:
        raise DataError(
            f"{file} has no column beside the target{' and the groups' * (groups is not None)}; check the "
            "delimiter."
        )
    understand_features = _sparse_features if sp.issparse(X) else _frame_features
    features = understand_features(X, raw, kept, rows, set(categorical), set(keep))
    X, useless, gaps = features.X, features.useless, features.gaps
    if not features.names:
        first = next(iter(useless.items()))
        raise DataError(
            f"{file} has no usable column: {shown(first[0])} {first[1]}, and so on; keep or convert one."
        )
    cautions += _about_useless(useless)
    notes.append(_about_kinds(features.kinds, X.shape[0]))
    notes += _about(features.notes)
    if gaps:
        total = sum(gaps.values())
        notes.append(
            f"{plural(total, 'missing value')} in {plural(len(gaps), 'column')} ({listed(gaps)}): numbers "
            "are to be imputed inside the folds, categories get a level of their own."
        )
    dropped = {name: "was dropped as asked" for name in drop} | useless
    return Table(
        X,
        y,
        found_task,
        y_name if y is not None else None,
        features.names,
        features.kinds,
        dropped,
        gaps,
        notes,
        cautions,
        raw.decimal,
        raw.indices,
        labels,
        groups_name,
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
    rows = np.arange(1, raw.X.shape[0] + 1)
    y = task = y_name = None
    if target is not None:
        at = _place(target, raw, file)
        y_name = raw.y_name if at < 0 else raw.names[at]
        values = pd.Series(raw.y) if at < 0 else _column(raw.X, at)
        if values.isna().any():
            row = int(np.flatnonzero(values.isna())[0]) + 1
            raise DataError(f"target {shown(y_name)} is missing in row {row}; drop that row.")
        declared = CATEGORY if has_text_classes(like.y) else ""
        column = understand(values, y_name, declared=declared, rows=rows, decimal=raw.decimal)
        y, task, _, _ = make_y(column, y_name, like.task, learnt=True)
    absent = [name for name in like.names if name not in place]
    sparse = sp.issparse(raw.X)
    if sparse != sp.issparse(like.X):
        raise DataError(f"{file} is {'' if sparse else 'not '}sparse, unlike the first table.")
    if sparse:
        # a feature that no row of a sparse file mentions is zero
        known = [name for name in like.names if name in place]
        at_new = {name: i for i, name in enumerate(like.names)}
        chosen = raw.X[:, [place[name] for name in known]].tocoo()
        columns = np.array([at_new[name] for name in known], dtype=np.intp)[chosen.col]
        shape = (raw.X.shape[0], len(like.names))
        X: Any = sp.csr_matrix((chosen.data, (chosen.row, columns)), shape=shape)
        return Table(
            X,
            y,
            task,
            y_name,
            list(like.names),
            dict(like.kinds),
            notes=list(raw.notes),
            indices=raw.indices,
        )
    if absent:
        raise DataError(
            f"{file} lacks {listed(absent)}, which the first table has; add "
            f"{'it' if len(absent) == 1 else 'them'}."
        )
    series, remarks = {}, {}
    for name in like.names:
        values = _column(raw.X, place[name])
        kind = CATEGORY if like.kinds[name] == CATEGORY else ""
        column = understand(values, name, declared=kind, rows=rows, decimal=raw.decimal)
        remarks[name] = column.note
        if column.useless == "is empty":
            column = Column(pd.Series(np.full(len(rows), np.nan)), column.kind)
        elif kind != CATEGORY and column.kind in (CATEGORY, "date"):
            raise DataError(
                f"{file}: column {shown(name)} must hold numbers, as in the first table; correct it."
            )
        series[name] = getattr(column.values, "array", column.values)
    frame = pd.DataFrame(series)
    gaps = frame.isna().sum()
    missing = {str(name): int(count) for name, count in gaps[gaps > 0].items()}
    return Table(
        frame,
        y,
        task,
        y_name,
        list(like.names),
        dict(like.kinds),
        missing=missing,
        notes=[*raw.notes, *_about(remarks)],
        decimal=raw.decimal,
    )


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


class _Features(NamedTuple):
    """The usable columns; by name, their kinds, why others are useless, missing values, remarks."""

    X: Any
    names: list[str]
    kinds: dict[str, str]
    useless: dict[str, str]
    gaps: dict[str, int]
    notes: dict[str, str]


def _frame_features(
    X: Any, raw: Raw, kept: list[int], rows: Any, categorical: set[str], keep: set[str]
) -> _Features:
    names = [raw.names[i] for i in kept]
    frame = X.iloc[:, kept]
    declared = dict.fromkeys(
        (k for k, name in enumerate(names) if name in categorical), CATEGORY
    ) | {k: raw.declared[i] for k, i in enumerate(kept) if i in raw.declared}
    plain = understand_numbers(frame, names)
    columns = [
        plain[k]
        if k in plain and k not in declared
        else understand(
            frame.iloc[:, k], name, declared=declared.get(k, ""), rows=rows, decimal=raw.decimal
        )
        for k, name in enumerate(names)
    ]
    useless = {
        name: column.useless
        for name, column in zip(names, columns, strict=True)
        if column.useless and not (name in keep and _can_be_kept(column))
    }
    used = {n: c for n, c in zip(names, columns, strict=True) if n not in useless}
    table = pd.DataFrame(
        {name: getattr(column.values, "array", column.values) for name, column in used.items()}
    )
    gaps = table.isna().sum()
    return _Features(
        table,
        list(used),
        {name: column.kind for name, column in used.items()},
        useless,
        {str(name): int(count) for name, count in gaps[gaps > 0].items()},
        {name: column.note for name, column in used.items()},
    )


def _can_be_kept(column: Column) -> bool:
    return column.kind != "date" and column.useless != "is empty"


def _sparse_features(
    X: Any, raw: Raw, kept: list[int], rows: Any, categorical: set[str], keep: set[str]
) -> _Features:
    """Columns of a sparse matrix are numbers; those without an entry are constant."""
    if categorical & set(raw.names):
        raise DataError("columns of a sparse file cannot be categorical; leave categorical out.")
    matrix = X[:, kept] if len(kept) < X.shape[1] else X
    names = [raw.names[i] for i in kept]
    if not np.isfinite(matrix.data).all():
        entries = matrix.tocoo()
        bad = int(np.flatnonzero(~np.isfinite(entries.data))[0])
        raise DataError(
            f"column {shown(names[entries.col[bad]])} has a missing or infinite value in row "
            f"{rows[entries.row[bad]]}; a sparse file cannot have one: replace it by a number."
        )
    lower = matrix.min(axis=0).toarray().ravel()
    upper = matrix.max(axis=0).toarray().ravel()
    constant = {i for i in np.flatnonzero(lower == upper) if names[i] not in keep}
    used = [i for i in range(len(names)) if i not in constant]
    useless = {names[i]: "is constant" for i in sorted(constant)}
    chosen = [names[i] for i in used]
    return _Features(
        matrix[:, used].tocsr(), chosen, dict.fromkeys(chosen, NUMBER), useless, {}, {}
    )


def _names_by_remark(remarks: dict[str, str]) -> dict[str, list[str]]:
    by_remark: dict[str, list[str]] = {}
    for name, remark in remarks.items():
        by_remark.setdefault(remark, []).append(name)
    return by_remark


def _about(remarks: dict[str, str]) -> list[str]:
    """One sentence for each remark that is not empty, naming the columns."""
    return [
        f"{'' if len(names) == 1 else 'each of '}{listed(names)} {remark}."
        for remark, names in _names_by_remark(remarks).items()
        if remark
    ]


def _about_useless(useless: dict[str, str]) -> list[str]:
    """One sentence for each reason, naming the columns."""
    return [
        f"left out: {listed(names)}, which {reason}."
        if len(names) == 1
        else f"left out: {listed(names)}, each of which {reason}."
        for reason, names in _names_by_remark(useless).items()
    ]


def _about_kinds(kinds: dict[str, str], n_rows: int) -> str:
    counts = Counter(kinds.values())
    words = {CATEGORY: "categorical", BOOLEAN: "boolean", NUMBER: "numeric", "integer": "integer"}
    text = ", ".join(f"{count} {words[kind]}" for kind, count in counts.most_common())
    return f"{plural(n_rows, 'row')}, {plural(len(kinds), 'column')} ({text})."
