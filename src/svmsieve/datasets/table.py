"""A table of a user's file: what it holds and what was understood of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Table:
    """Rows to select features from.

    What :func:`read_table` returns: columns that know what they hold, nothing filled in, nothing
    encoded.

    Parameters
    ----------
    X : data frame or CSR matrix
        Pandas frame of the usable columns (missing numbers are NaN, categories are categoricals),
        or a CSR matrix.
    y : ndarray or None
        Classes (text, booleans or whole numbers) or numbers; None where no target was asked for; of
        a table read like another None or NaN where a row has none.
    task : str or None
        ``"classification"``, ``"regression"``, or None without a target.
    target : str or None
        Name of the target column.
    names : list of str
        Names of the columns of X.
    kinds : dict of str to str
        ``"number"``, ``"integer"``, ``"boolean"``, ``"category"`` or ``"date"`` (days since 1970)
        of each column, by name.
    dropped : dict of str to str
        Columns that were left out, and why.
    missing : dict of str to int
        Number of missing values of each column that has some.
    notes : list of str
        What was understood.
    warnings : list of str
        What may mislead; the same sentences are given as :class:`DataWarning`.
    decimal : str, default=""
        Sign in the numbers of a text file; empty where its fields do not show it.
    indices : pair of int or None, default=None
        First and last of the features of a LIBSVM file, whose names keep them (``"x20"``).
    groups : ndarray or None, default=None
        Label of each row, where a column says which rows belong together; None without one.
    groups_name : str or None, default=None
        Name of that column.
    marks : tuple of str
        Marks of missing values that were given beside the usual ones.
    ids : dict
        Columns that name the rows, as they are written, by name; they are no features.

    See Also
    --------
    svmsieve.datasets.read_table : Read a table from a CSV, TSV, Excel, Parquet, Feather, JSON,
        ARFF, LIBSVM, NPZ or AnnData file.
    svmsieve.datasets.TableEncoder : Turn a frame into numbers: categories one-hot, missing numbers
        the training rows' mean.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from svmsieve.datasets import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "herbs.csv"
    ...     _ = file.write_text("height,leaf,kind\\n1.5,round,a\\n2.5,long,b\\n2.0,long,b\\n3.0,round,a\\n")
    ...     table = read_table(file, "kind")
    >>> table.names, table.kinds["leaf"], table.task
    (['height', 'leaf'], 'category', 'classification')
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
