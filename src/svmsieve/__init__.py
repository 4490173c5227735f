"""Feature selection with support vector machines."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "Criterion": "svmsieve.criteria",
    "Ranking": "svmsieve.ranking",
    "ResponseCurves": "svmsieve.curves",
    "SVMSieve": "svmsieve.selector",
    "rank": "svmsieve.ranking",
    "response": "svmsieve.curves",
}
"""Public names and where they live; imported on first use, so that ``import svmsieve`` is quick."""

__all__ = ["Criterion", "Ranking", "ResponseCurves", "SVMSieve", "__version__", "rank", "response"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'svmsieve' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
