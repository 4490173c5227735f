"""The templates of the report, and the environment that renders them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined


@cache
def environment() -> Environment:
    """Return the environment: everything is escaped in HTML, nothing may be undefined."""
    return Environment(
        loader=PackageLoader("svmsieve.report", "templates"),
        autoescape=lambda name: name is not None and ".html" in name,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def source(name: str) -> str:
    """Return the text of a style sheet or script."""
    return files("svmsieve.report.templates").joinpath(name).read_text(encoding="utf-8")
