"""A table with its columns encoded, by one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import scipy.sparse as sp

from svmsieve.datasets.encoding import TableEncoder
from svmsieve.datasets.sparse_numbers import SparseNumbers
from svmsieve.datasets.table import Table
from svmsieve.runtime.memory import require_memory


@dataclass(frozen=True)
class Encoded:
    """A table as a selector takes it.

    What :func:`encode` returns.

    Parameters
    ----------
    X : data frame or CSR matrix
        Frame of float64, or CSR matrix.
    names : list of str
        Names of its columns.
    groups : dict of str to str or None
        Column of the table that each column comes from; None where none was split.
    encoder : transformer
        The fitted transformer, for new files.

    See Also
    --------
    svmsieve.datasets.encode : Encode a table whole; inside a cross-validation put the encoder into
        a pipeline instead.
    svmsieve.datasets.TableEncoder : Turn a frame into numbers: categories one-hot, missing numbers
        the training rows' mean.

    Examples
    --------
    >>> import pandas as pd
    >>> from svmsieve.datasets import Table, encode
    >>> frame = pd.DataFrame({"leaf": ["round", "long", "long"]})
    >>> encoded = encode(Table(frame, None, None, None, ["leaf"], {"leaf": "category"}))
    >>> encoded.groups
    {'leaf=long': 'leaf', 'leaf=round': 'leaf'}
    """

    X: Any
    names: list[str]
    groups: dict[str, str] | None
    encoder: Any


def encode(table: Table, *, impute: bool = True, memory: float | None = None) -> Encoded:
    """Encode a table whole; inside a cross-validation put the encoder into a pipeline instead.

    Parameters
    ----------
    table : Table
        What :func:`read_table` returns.
    impute : bool, default=True
        False leaves missing numbers NaN.
    memory : float, str or None, default=None
        Bytes that the columns may take; more are refused before they are made.

    Returns
    -------
    Encoded
        Columns of numbers, their names and groups, and the fitted encoder.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"leaf": ["round", "long", None]})
    >>> encoded = encode(Table(frame, None, None, None, ["leaf"], {"leaf": "category"}))
    >>> encoded.names
    ['leaf=long', 'leaf=round', 'leaf=(missing)']
    """
    if sp.issparse(table.X):
        encoder: Any = SparseNumbers().fit(table.X)
        return Encoded(encoder.transform(table.X), list(table.names), None, encoder)
    encoder = TableEncoder(impute=impute).fit(table.X)
    groups = encoder.groups_ if encoder.levels_ else None
    if groups is not None:
        require_memory(
            8.0 * len(table.X) * len(groups),
            memory,
            f"a column for each of the {len(groups)} levels of the table",
            "drop the categorical columns that have the most",
        )
    return Encoded(encoder.transform(table.X), list(encoder.feature_names_out_), groups, encoder)
