"""The report of a selection: run record → dict → HTML, Markdown, JSON or terminal."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "describe": "svmsieve.report.content",
    "to_html": "svmsieve.report.html",
    "to_json": "svmsieve.report.plain",
    "to_markdown": "svmsieve.report.markdown",
    "write_report": "svmsieve.report.files",
}
"""Public names and where they live; imported on first use."""

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'svmsieve.report' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
