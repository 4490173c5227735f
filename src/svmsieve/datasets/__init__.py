"""Data: the papers' artificial problems, a catalogue of their real ones, readers for users' files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from svmsieve.runtime.lazy import lazy_names

_HOME = {
    "CATALOGUE": "svmsieve.datasets.catalogue",
    "Dataset": "svmsieve.datasets.loading",
    "DataError": "svmsieve.datasets.errors",
    "DataWarning": "svmsieve.datasets.errors",
    "Encoded": "svmsieve.datasets.encoded",
    "SparseNumbers": "svmsieve.datasets.sparse_numbers",
    "Table": "svmsieve.datasets.table",
    "TableEncoder": "svmsieve.datasets.encoding",
    "encode": "svmsieve.datasets.encoded",
    "load": "svmsieve.datasets.loading",
    "make_led24": "svmsieve.datasets.rules",
    "make_madelon": "svmsieve.datasets.madelon",
    "make_monk": "svmsieve.datasets.rules",
    "make_weston_linear": "svmsieve.datasets.toys",
    "make_weston_nonlinear": "svmsieve.datasets.toys",
    "make_yang": "svmsieve.datasets.toys",
    "read_table": "svmsieve.datasets.reading",
}
"""Public names and where they live; imported on first use, for not all of them need pandas."""

__all__ = [
    "CATALOGUE",
    "DataError",
    "DataWarning",
    "Dataset",
    "Encoded",
    "SparseNumbers",
    "Table",
    "TableEncoder",
    "encode",
    "load",
    "make_led24",
    "make_madelon",
    "make_monk",
    "make_weston_linear",
    "make_weston_nonlinear",
    "make_yang",
    "read_table",
]

if TYPE_CHECKING:  # a type checker cannot follow names that are looked up at run time
    from svmsieve.datasets.catalogue import CATALOGUE
    from svmsieve.datasets.encoded import Encoded, encode
    from svmsieve.datasets.encoding import TableEncoder
    from svmsieve.datasets.errors import DataError, DataWarning
    from svmsieve.datasets.loading import Dataset, load
    from svmsieve.datasets.madelon import make_madelon
    from svmsieve.datasets.reading import read_table
    from svmsieve.datasets.rules import make_led24, make_monk
    from svmsieve.datasets.sparse_numbers import SparseNumbers
    from svmsieve.datasets.table import Table
    from svmsieve.datasets.toys import make_weston_linear, make_weston_nonlinear, make_yang
else:
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
