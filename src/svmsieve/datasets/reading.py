"""``read_table``: a user's file as a table, whatever its format."""

from __future__ import annotations

import struct
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from svmsieve.datasets.columns import CATEGORY
from svmsieve.datasets.errors import DataError, DataWarning, shown_path
from svmsieve.datasets.first_look import FirstLook, survey
from svmsieve.datasets.raw import Raw
from svmsieve.datasets.table import Table
from svmsieve.datasets.target import TASKS, has_text_classes
from svmsieve.datasets.understanding import understand_like, understand_table


def read_table(
    path: Any,
    target: str | int | None = None,
    *,
    task: str | None = None,
    format: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    missing: Sequence[str] = (),
    categorical: Sequence[str] = (),
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    groups: str | int | None = None,
    dates: bool = False,
    ids: Sequence[str] = (),
    like: Table | None = None,
    memory: float | None = None,
) -> Table:
    """Read a table from a CSV, TSV, Excel, Parquet, Feather, JSON, ARFF, LIBSVM, NPZ or AnnData file.

    Format, encoding, delimiter, decimal sign and header are found out; text files may be gzipped.
    Thousands separators and percent signs are taken out of numbers, and the features of a LIBSVM file are
    named by their indices, ``"x20"``.
    Nothing is imputed and nothing encoded here: see :class:`TableEncoder`.  Columns that are empty,
    constant, dates, identifiers or free text are left out, with a warning that names them.  Rows whose
    target is missing are left out too.  Messages count rows from 1, without the header.

    Parameters
    ----------
    path : path
        The file.
    target : str, int or None, default=None
        Name or number (from 0, or -1 for the last) of the target column; formats that keep the
        target apart (LIBSVM, NPZ with y) need none.
    task : str or None, default=None
        ``"classification"`` or ``"regression"``; None guesses from the target.
    format : str or None, default=None
        ``"csv"``, ``"excel"``, ``"parquet"``, ``"feather"``, ``"json"`` (records: a list of
        objects, or one a line), ``"arff"``, ``"libsvm"`` (SVMlight), ``"npz"`` or ``"h5ad"``
        (AnnData: the matrix X, and the target among ``obs``); None looks at the file.
    delimiter, decimal, encoding, header : str or None, default=None
        How a text file is written, ``header`` of a sheet too; None finds out.
    missing : sequence of str, default=()
        Marks of missing values beside the usual ones (empty, NA, NaN, null, ?).
    categorical : sequence of str, default=()
        Columns whose numbers are names of categories, and are read as they are written.
    drop : sequence of str, default=()
        Columns to leave out.
    keep : sequence of str, default=()
        Columns not to leave out although they look useless.
    groups : str, int or None, default=None
        Name or number of the column that says which rows belong together (patient, batch); it is no
        feature.
    dates : bool, default=False
        Dates become days since 1970-01-01, times and durations days; False leaves such columns out.
    ids : sequence of str, default=()
        Columns that name the rows (a sample's number): they are no features, and kept as they are
        written.
    like : Table or None, default=None
        A table that was read before: the same columns are taken, with the same kinds, and none of
        them is left out; what ``categorical``, ``drop`` and ``keep`` say does not count, and rows
        without a target stay.
    memory : float, str or None, default=None
        Bytes that reading may take; a file that would take more is refused before it is read, a
        compressed one as soon as that shows.

    Returns
    -------
    Table
        Columns with what they hold, the target, and what was left out.

    Raises
    ------
    DataError
        In one sentence: what is wrong, in which column or row, and what to do.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "herbs.csv"
    ...     _ = file.write_text("height;leaf;kind\\n1,5;round;a\\n2,5;long;b\\n;long;b\\n3,0;round;a\\n")
    ...     table = read_table(file, "kind")
    >>> table.kinds, table.missing, table.task
    ({'height': 'number', 'leaf': 'category'}, {'height': 1}, 'classification')
    """
    if task is not None and task not in TASKS:
        raise DataError(f"task must be 'classification' or 'regression', got {task!r}.")
    found = survey(path, format, encoding, memory)
    name = shown_path(found.path)
    with _named(name, found.format):
        named = (*categorical, *drop, *keep, *ids, *(like.names if like else ()))
        expected = (target, groups, *named)
        missing = [*missing, *(like.marks if like else ())]
        if found.format == "csv":
            from svmsieve.datasets.delimited import find_dialect, read_delimited

            dialect = find_dialect(
                found,
                delimiter=delimiter,
                decimal=decimal,
                header=header,
                expected=expected,
                usual="" if like is None else like.decimal,
            )
            texts = [*ids, *(categorical if like is None else _texts(like, target))]
            raw = read_delimited(found, dialect, missing=missing, texts=texts, memory=memory)
        elif found.format == "excel":
            from svmsieve.datasets.excel import read_excel

            raw = read_excel(
                found, header=header, expected=expected, missing=missing, memory=memory
            )
        elif found.format == "libsvm":
            from svmsieve.datasets.array_files import read_libsvm

            raw = read_libsvm(found, indices=None if like is None else like.indices, memory=memory)
        elif found.format == "h5ad":
            from svmsieve.datasets.h5ad import read_h5ad

            beside = [each for each in (groups, *ids) if each is not None]
            raw = read_h5ad(found, target, beside, learnt=like is not None, memory=memory)
        else:
            raw = _read_other(found, missing, memory)
        raw.dates, raw.ids = dates, tuple(ids)
        if raw.X.shape[0] == 0:
            raise DataError(f"{name} has columns but no rows; give a file with data.")
        if like is None:
            table = understand_table(raw, name, target, task, categorical, drop, keep, groups)
        else:
            table = understand_like(raw, name, target, like)
        table = replace(table, marks=tuple(missing))
    for sentence in table.warnings:
        warnings.warn(sentence, DataWarning, stacklevel=2)
    return table


def _read_other(found: FirstLook, missing: Sequence[str], memory: float | None) -> Raw:
    """Read a format that says all of itself."""
    if found.format == "arff":
        from svmsieve.datasets.arff import read_arff

        return read_arff(found, missing=missing, memory=memory)
    if found.format == "json":
        from svmsieve.datasets.json_records import read_json

        return read_json(found, missing=missing, memory=memory)
    if found.format == "npz":
        from svmsieve.datasets.array_files import read_npz

        return read_npz(found, memory=memory)
    if found.format == "feather":
        from svmsieve.datasets.feather import read_feather

        return read_feather(found, memory=memory)
    from svmsieve.datasets.parquet import read_parquet

    return read_parquet(found, memory=memory)


@contextmanager
def _named(name: str, format: str) -> Iterator[None]:
    """Let every error name the file; what a library says of a damaged one becomes a sentence."""
    try:
        yield
    except DataError as error:
        message = str(error)
        if name in message:
            raise
        raise DataError(f"{name}: {message}") from error
    except (
        ArithmeticError,
        AttributeError,
        EOFError,
        LookupError,
        RuntimeError,
        TypeError,
        ValueError,
        struct.error,
        zlib.error,
    ) as error:
        words = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise DataError(f"{name} is damaged, or no {format} file ({words}).") from error


def _texts(like: Table, target: str | int | None) -> list[str]:
    """Return the columns of categories of an earlier table, the target among them where it is text."""
    names = [name for name, kind in like.kinds.items() if kind == CATEGORY]
    return [*names, target] if isinstance(target, str) and has_text_classes(like.y) else names
