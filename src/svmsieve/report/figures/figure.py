"""A plot of the report."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

WIDTH = 480.0
"""Of a plot that has half of the page, or a telephone, for itself."""
SMALL = 310.0
"""Of one of many plots beside one another."""


@dataclass(frozen=True)
class Figure:
    """A plot with its name in the page, and the words above it.

    Attributes
    ----------
    id : name of the element, and of the files it is saved in
    svg : the plot
    title : words above it; empty for none
    wide : whether it keeps its width and is scrolled where the page is narrower
    """

    id: str
    svg: Markup
    title: str = ""
    wide: bool = False
