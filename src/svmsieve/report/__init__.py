"""The report of a selection: run record → dict → HTML, Markdown, JSON or terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from svmsieve.runtime.lazy import lazy_names

_HOME = {
    "describe": "svmsieve.report.content",
    "inline": "svmsieve.report.html",
    "summarise": "svmsieve.report.answer",
    "to_html": "svmsieve.report.html",
    "to_json": "svmsieve.report.plain_values",
    "to_markdown": "svmsieve.report.markdown",
    "write_report": "svmsieve.report.files",
}
"""Public names and where they live; imported on first use."""

__all__ = [
    "describe",
    "inline",
    "summarise",
    "to_html",
    "to_json",
    "to_markdown",
    "write_report",
]

if TYPE_CHECKING:  # a type checker cannot follow names that are looked up at run time
    from svmsieve.report.answer import summarise
    from svmsieve.report.content import describe
    from svmsieve.report.files import write_report
    from svmsieve.report.html import inline, to_html
    from svmsieve.report.markdown import to_markdown
    from svmsieve.report.plain_values import to_json
else:
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
