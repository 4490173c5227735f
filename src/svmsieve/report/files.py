"""Write a report: the ending of the file's name says in which form."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any


def _html(content: dict[str, Any]) -> str:
    from svmsieve.report.html import to_html

    return to_html(content)


def _markdown(content: dict[str, Any]) -> str:
    from svmsieve.report.markdown import to_markdown

    return to_markdown(content)


def _json(content: dict[str, Any]) -> str:
    from svmsieve.report.plain_values import to_json

    return to_json(content)


FORMS: dict[str, Callable[[dict[str, Any]], str]] = {
    ".html": _html,
    ".htm": _html,
    ".md": _markdown,
    ".json": _json,
}


def check_report_path(path: str | os.PathLike[str]) -> Path:
    """Return the path; an ending that says no form, or a folder that is not there, is refused."""
    file = Path(path)
    if file.suffix.lower() not in FORMS:
        raise ValueError(f"a report's name must end in {', '.join(FORMS)}, got {str(file)!r}.")
    return check_writable(file)


def check_writable(path: str | os.PathLike[str]) -> Path:
    """Return the path; one that cannot be written is refused before the work, not after it."""
    file = Path(path)
    if not file.parent.is_dir():
        raise ValueError(
            f"the folder {str(file.parent)!r} is not there; make it, or choose another."
        )
    if file.is_dir():
        raise ValueError(f"{str(file)!r} is a folder; give the name of a file.")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise ValueError(f"{str(file)!r} cannot be written; choose another place.")
    return file


def write_report(content: dict[str, Any], path: str | os.PathLike[str]) -> Path:
    """Write a report's content as HTML, Markdown or JSON, by the ending of the name.

    Parameters
    ----------
    content : dict
        What :func:`describe` returns.
    path : str or path
        File to write: .html, .md or .json.

    Returns
    -------
    Path
        The path.
    """
    file = check_report_path(path)
    file.write_text(FORMS[file.suffix.lower()](content), encoding="utf-8")
    return file
