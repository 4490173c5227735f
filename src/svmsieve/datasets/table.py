"""A table of a user's file: what it holds and what was understood of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Table:
    """Rows to select features from.

    Attributes
    ----------
    X : pandas frame of the usable columns (missing numbers are NaN, categories are categoricals), or
        a CSR matrix
    y : classes (text, booleans or whole numbers) or numbers; None where no target was asked for; of a table
        read like another None or NaN where a row has none
    task : ``"classification"``, ``"regression"``, or None without a target
    target : name of the target column
    names : of the columns of X
    kinds : ``"number"``, ``"integer"``, ``"boolean"``, ``"category"`` or ``"date"`` (days since 1970) of each
        column, by name
    dropped : columns that were left out, and why
    missing : number of missing values of each column that has some
    decimal : sign in the numbers of a text file; empty where its fields do not show it
    indices : first and last of the features of a LIBSVM file, whose names keep them (``"x20"``)
    notes : what was understood
    marks : of missing values that were given beside the usual ones
    ids : columns that name the rows, as they are written, by name; they are no features
    groups : label of each row, where a column says which rows belong together; None without one
    groups_name : name of that column
    warnings : what may mislead; the same sentences are given as :class:`DataWarning`
    """

    X: Any
    y: Any
    task: str | None
    target: str | None
    names: list[str]
    kinds: dict[str, str]
    dropped: dict[str, str] = field(default_factory=dict)
    missing: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    decimal: str = ""
    indices: tuple[int, int] | None = None
    groups: Any = None
    groups_name: str | None = None
    marks: tuple[str, ...] = ()
    ids: dict[str, Any] = field(default_factory=dict)
