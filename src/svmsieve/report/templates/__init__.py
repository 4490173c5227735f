"""The templates of the report, and the environment that renders them."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined


@cache
def environment() -> Environment:
    """Return the environment: everything is escaped in HTML, nothing may be undefined."""
    made = Environment(
        loader=PackageLoader("svmsieve.report", "templates"),
        autoescape=lambda name: name is not None and ".html" in name,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["together"] = together
    return made


def together(text: str) -> str:
    """Return a text in which no line ends between a number and its unit.

    >>> together("5.1 % of 3 points")
    '5.1\\xa0% of 3\\xa0points'
    """
    return re.sub(r"(?<=\d) (?=%|points)", "\u00a0", text)


def source(name: str) -> str:
    """Return the text of a style sheet or script."""
    return files("svmsieve.report.templates").joinpath(name).read_text(encoding="utf-8")
