"""Data: the papers' artificial problems, a catalogue of their real ones, readers for users' files."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "CATALOGUE": "svmsieve.datasets.catalogue",
    "Dataset": "svmsieve.datasets.loading",
    "DataError": "svmsieve.datasets.errors",
    "DataWarning": "svmsieve.datasets.errors",
    "Encoded": "svmsieve.datasets.encoding",
    "SparseNumbers": "svmsieve.datasets.encoding",
    "Table": "svmsieve.datasets.table",
    "TableEncoder": "svmsieve.datasets.encoding",
    "encode": "svmsieve.datasets.encoding",
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

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'svmsieve.datasets' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
