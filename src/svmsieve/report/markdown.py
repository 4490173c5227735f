"""A report's content as Markdown."""

from __future__ import annotations

import re
from typing import Any

from svmsieve.evaluation.shown import Shown
from svmsieve.report.methods import ORDERED_BY, p_value
from svmsieve.report.templates import environment
from svmsieve.report.warned import all_warnings
from svmsieve.runtime.text import one_line

MOST_RANKED = 200
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|&~$])")


def escaped(name: Any, longest: int = 120) -> str:
    """Return a name on one line, as text and not as Markdown or HTML.

    >>> print(escaped("a|b <i>"))
    a\\|b \\<i\\>
    """
    return _SPECIAL.sub(r"\\\1", one_line(name, longest))


def to_markdown(content: dict[str, Any]) -> str:
    """Return the report as Markdown.

    Parameters
    ----------
    content : dict
        What :func:`describe` returns.

    Returns
    -------
    str
        The report as Markdown.
    """
    measure = content["measure"]
    shown = None
    if measure is not None:
        shown = Shown.from_dict(measure)
    template = environment().get_template("report.md.j2")
    return template.render(
        **content,
        esc=escaped,
        shown=shown,
        p_value=p_value,
        ordered_by=ORDERED_BY,
        most=MOST_RANKED,
        warned=all_warnings(content),
        sizes_of_folds=_sizes_of_folds(content),
    )


def _sizes_of_folds(content: dict[str, Any]) -> list[int]:
    """Features that each outer fold chose; none where it is not known."""
    stability = content["stability"]
    return stability["sizes"] if stability and stability["source"] == "outer folds" else []
