"""Colours of the report, in one place for the page and for its plots, light and dark.

A plot carries the light colours as attributes, so that a saved one looks the same everywhere, and classes
by which the page's style sheet gives it those of the page.
"""

from __future__ import annotations

from typing import Any

LIGHT = {
    "back": "#ffffff",
    "panel": "#f6f7f9",
    "ink": "#1b2330",
    "quiet": "#545f6e",
    "line": "#d7dce3",
    "note": "#fff4d6",
    "0": "#1f5fbf",
    "1": "#b4501e",
    "2": "#2b7a4b",
    "3": "#8a4fbf",
    "4": "#0f7480",
    "5": "#b0307a",
    "6": "#776500",
}
DARK = {
    "back": "#14181f",
    "panel": "#1d232c",
    "ink": "#e6eaf0",
    "quiet": "#a8b2c0",
    "line": "#39424f",
    "note": "#3a3219",
    "0": "#7fb0ff",
    "1": "#f0a070",
    "2": "#7fcf9f",
    "3": "#c9a0f5",
    "4": "#6fd0d8",
    "5": "#f495c4",
    "6": "#d8c860",
}
N_COLOURS = 7
MAIN, SECOND = "0", "1"
POSITIVE, NEGATIVE = "0", "1"
DASHES = ("none", "7 3", "2 3", "9 3 2 3")
"""Lines that follow one another differ in colour and in dashes."""


def series(k: int) -> str:
    """Return the colour of the k-th of several things."""
    return str(k % N_COLOURS)


def dashes(k: int) -> str:
    """Return the dashes of the k-th of several lines."""
    return DASHES[k % len(DASHES)]


def paint(*, fill: str | None = None, stroke: str | None = None, **others: Any) -> dict[str, Any]:
    """Return the attributes that colour an element; colours are named as in :data:`LIGHT`.

    >>> paint(fill="0")
    {'fill': '#1f5fbf', 'class': 'f-0'}
    """
    attributes: dict[str, Any] = {}
    classes = []
    for name, colour in (("fill", fill), ("stroke", stroke)):
        if colour == "none":
            attributes[name] = "none"
        elif colour is not None:
            attributes[name] = LIGHT[colour]
            classes.append(f"{name[0]}-{colour}")
    if classes:
        attributes["class"] = " ".join(classes)
    return attributes | others


def css() -> str:
    """Return the colours as a style sheet: variables for the page, classes for its plots."""

    def variables(colours: dict[str, str]) -> str:
        return ":root{" + "".join(f"--{name}:{value};" for name, value in colours.items()) + "}"

    classes = "".join(
        f".f-{name}{{fill:var(--{name})}}.s-{name}{{stroke:var(--{name})}}" for name in LIGHT
    )
    dark = f"@media (prefers-color-scheme:dark){{{variables(DARK)}}}"
    return f"{variables(LIGHT)}{dark}@media print{{{variables(LIGHT)}}}{classes}"
