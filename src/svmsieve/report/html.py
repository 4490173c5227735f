"""A report's content as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from svmsieve.report.drawing.palette import css
from svmsieve.report.methods import ORDERED_BY
from svmsieve.report.page import parts
from svmsieve.report.templates import environment, source
from svmsieve.runtime.text import one_line, script_json

_LONGEST_NAME = 300
_SCRIPTS = ("page.js", "sizes.js", "tables.js", "exports.js")
_MOST_RANKED_BYTES = 3_000_000
"""Bytes that the ranking may take in the page; what is longer is cut, and the page says so."""


def to_html(content: dict[str, Any]) -> str:
    """Return the report as an HTML page.

    Plots and tables are drawn here, so that they are there without a script too; the script sorts, searches,
    saves.  Style and script are in the page, and a policy in it forbids every request.  Names from data are
    escaped by the template, stand in the script's data as JSON without angle brackets, and are put into
    the page as text.

    Parameters
    ----------
    content : dict
        What :func:`describe` returns.

    Returns
    -------
    str
        The report as an HTML page.
    """
    shown = _shortened(content)
    made = parts(shown)
    script = "".join(source(name) for name in _SCRIPTS)
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            **shown,
            **made,
            script_json=Markup(script_json(made["script_data"])),
            style=Markup(css() + source("style.css")),
            script=Markup(script),
            ordered_by=ORDERED_BY,
        )
    )


def _shortened(content: dict[str, Any]) -> dict[str, Any]:
    """Cut names that nobody could read, and a ranking that would not fit."""
    short = _cut(content)
    ranking = short.get("ranking")
    if ranking:
        total, n = 0, 0
        names = [one_line(name, _LONGEST_NAME) for name in content["ranking"]["names"]]
        ranking = {**ranking, "names": names}
        for name in names:
            total += len(name.encode()) + 50
            if total > _MOST_RANKED_BYTES:
                break
            n += 1
        short["ranking"] = {
            key: value[:n] if isinstance(value, list) else value for key, value in ranking.items()
        } | {"of": len(ranking["names"])}
        selection = short["selection"]
        # the page takes the features of a size from the ranking
        short["selection"] = {**selection, "features": selection["features"][:50]}
    return short


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_NAME and value.isprintable() else _readable(value)
    if isinstance(value, Mapping):
        return {one_line(key, _LONGEST_NAME): _cut(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_cut(each) for each in value]
    return value


def _readable(text: str) -> str:
    """Sentences may be long, and have line ends; what has no spaces is a name."""
    longest = 4000 if " " in text else _LONGEST_NAME
    return one_line(text.replace("\n", " "), longest)


def inline(content: dict[str, Any], height: int = 640) -> str:
    """Return the report as a frame of a notebook's page, whose styles it neither meets nor changes.

    Parameters
    ----------
    content : dict
        What :func:`describe` returns.
    height : int, default=640
        Height of the frame in pixels.

    Returns
    -------
    str
        The report as a frame of a notebook's page, whose styles it neither meets nor changes.
    """
    page = Markup.escape(to_html(content))
    return (
        f'<iframe srcdoc="{page}" style="width:100%;height:{height}px;border:1px solid #8884" '
        'sandbox="allow-scripts allow-downloads" title="svmsieve report"></iframe>'
    )
