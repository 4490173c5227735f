"""The columns of a table that can be features: understood, useless ones named with the reason."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp

from svmsieve.datasets.columns import (
    CATEGORY,
    DATE,
    NUMBER,
    Column,
    understand,
    understand_numbers,
)
from svmsieve.datasets.errors import DataError, listed, plural, shown
from svmsieve.datasets.raw import Raw


class Features(NamedTuple):
    """The usable columns; by name, their kinds, why others are useless, missing values, remarks."""

    X: Any
    names: list[str]
    kinds: dict[str, str]
    useless: dict[str, str]
    gaps: dict[str, int]
    notes: dict[str, str]


def usable_features(
    X: Any, raw: Raw, kept: list[int], rows: Any, categorical: set[str], keep: set[str]
) -> Features:
    """Return the columns ``kept`` that can be features, as they are understood."""
    of = _sparse_features if sp.issparse(X) else _frame_features
    return of(X, raw, kept, rows, categorical, keep)


def _frame_features(
    X: Any, raw: Raw, kept: list[int], rows: Any, categorical: set[str], keep: set[str]
) -> Features:
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
            frame.iloc[:, k],
            name,
            declared=declared.get(k, ""),
            rows=rows,
            decimal=raw.decimal,
            dates=raw.dates,
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
    return Features(
        table,
        list(used),
        {name: column.kind for name, column in used.items()},
        useless,
        {str(name): int(count) for name, count in gaps[gaps > 0].items()},
        {name: column.note for name, column in used.items()},
    )


def _can_be_kept(column: Column) -> bool:
    return column.kind != DATE and column.useless != "is empty"


def _sparse_features(
    X: Any, raw: Raw, kept: list[int], rows: Any, categorical: set[str], keep: set[str]
) -> Features:
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
    return Features(matrix[:, used].tocsr(), chosen, dict.fromkeys(chosen, NUMBER), useless, {}, {})


def _names_by_remark(remarks: dict[str, str]) -> dict[str, list[str]]:
    by_remark: dict[str, list[str]] = {}
    for name, remark in remarks.items():
        by_remark.setdefault(remark, []).append(name)
    return by_remark


def about(remarks: dict[str, str]) -> list[str]:
    """One sentence for each remark that is not empty, naming the columns."""
    return [
        f"{'' if len(names) == 1 else 'each of '}{listed(names)} {remark}."
        for remark, names in _names_by_remark(remarks).items()
        if remark
    ]


def about_useless(useless: dict[str, str]) -> list[str]:
    """One sentence for each reason, naming the columns."""
    return [
        f"left out: {listed(names)}, which {reason}."
        if len(names) == 1
        else f"left out: {listed(names)}, each of which {reason}."
        for reason, names in _names_by_remark(useless).items()
    ]


def _about_kinds(kinds: dict[str, str], n_rows: int) -> str:
    counts = Counter(kinds.values())
    words = {CATEGORY: "categorical", NUMBER: "numeric", DATE: "of dates"}
    text = ", ".join(f"{count} {words.get(kind, kind)}" for kind, count in counts.most_common())
    return f"{plural(n_rows, 'row')}, {plural(len(kinds), 'column')} ({text})."


def about_features(features: Features) -> list[str]:
    """Return what was understood of the features, in sentences."""
    sentences = [_about_kinds(features.kinds, features.X.shape[0]), *about(features.notes)]
    if features.gaps:
        total, gaps = sum(features.gaps.values()), features.gaps
        sentences.append(
            f"{plural(total, 'missing value')} in {plural(len(gaps), 'column')} ({listed(gaps)}): numbers "
            "are to be imputed inside the folds, categories get a level of their own."
        )
    return sentences
