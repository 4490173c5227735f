"""What is wrong with a file or data set, in one sentence for the person who meets it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

_LONGEST = 60
"""Characters of a name or value that are shown."""
_LONGEST_PATH = 300
"""Characters of a path that are shown: its end tells more than its beginning."""


class DataError(ValueError):
    """A file or data set cannot be used as asked; the message says why, where, and what to do.

    The command line prints it and ends with exit code 2.

    See Also
    --------
    svmsieve.datasets.DataWarning : Something in a file that was set aside or that may mislead a
        selection.
    svmsieve.datasets.read_table : Read a table from a CSV, TSV, Excel, Parquet, Feather, JSON,
        ARFF, LIBSVM, NPZ or AnnData file.

    Examples
    --------
    >>> from svmsieve.datasets import DataError, load
    >>> try:
    ...     load("unheard-of")
    ... except DataError as error:
    ...     print(str(error).split(",")[0].split(";")[0].split(":")[0])
    there is no data set 'unheard-of' in the catalogue
    """


class DataWarning(UserWarning):
    """Something in a file that was set aside or that may mislead a selection.

    The report shows the same sentences.

    See Also
    --------
    svmsieve.datasets.DataError : A file or data set cannot be used as asked; the message says why,
        where, and what to do.
    svmsieve.datasets.read_table : Read a table from a CSV, TSV, Excel, Parquet, Feather, JSON,
        ARFF, LIBSVM, NPZ or AnnData file.

    Examples
    --------
    >>> import pathlib, tempfile, warnings
    >>> from svmsieve.datasets import DataWarning, read_table
    >>> with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as given:
    ...     warnings.simplefilter("always", DataWarning)
    ...     file = pathlib.Path(folder) / "herbs.csv"
    ...     _ = file.write_text("height,site,kind\\n1.5,A,a\\n2.5,A,b\\n2.0,A,b\\n3.0,A,a\\n")
    ...     table = read_table(file, "kind")
    >>> list(table.dropped)
    ['site']
    """


def shown(value: Any) -> str:
    """Return a name or value from a file in quotes, on one line, not too long.

    >>> print(shown("two\\nlines"))
    'two�lines'
    """
    text = "".join(c if c.isprintable() else "�" for c in str(value)[: _LONGEST + 1])
    return f"'{text}'" if len(text) <= _LONGEST else f"'{text[: _LONGEST - 1]}…'"


def shown_path(path: Any) -> str:
    """Return a path as it was given in quotes, on one line; of a very long one the end.

    >>> print(shown_path("tables/two\\nlines.csv"))
    'tables/two�lines.csv'
    """
    text = "".join(c if c.isprintable() else "�" for c in str(path))
    return f"'{text}'" if len(text) <= _LONGEST_PATH else f"'…{text[1 - _LONGEST_PATH :]}'"


def listed(values: Iterable[Any], most: int = 5) -> str:
    """Return the first few values in words.

    >>> print(listed(["a", "b", "c"], most=2))
    'a', 'b' and 1 more
    """
    values = list(values)
    text = ", ".join(map(shown, values[:most]))
    return text if len(values) <= most else f"{text} and {len(values) - most} more"


def plural(count: int, what: str) -> str:
    """Return a count with its noun.

    >>> plural(1, "row"), plural(3, "row")
    ('1 row', '3 rows')
    """
    return f"{count} {what}{'s' * (count != 1)}"


def nearest(name: str, names: Sequence[str]) -> str:
    """Return the end of a sentence that says which names there are."""
    close = get_close_matches(name, names[:2000], n=1)
    if close:
        return f"did you mean {shown(close[0])}?"
    return f"it has {listed(names)}." if names else "it has none."
