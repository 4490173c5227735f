"""Signs that tell classes apart without their colour, and the key that names them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from svmsieve.report.drawing.palette import dashes, paint, series
from svmsieve.report.drawing.svg import TEXT, Drawing, number, text_width
from svmsieve.runtime.text import one_line

_LONGEST = 24
_ROW = 17.0
_SHAPES = (
    "m{r} 0a{r} {r} 0 1 0 -{t} 0a{r} {r} 0 1 0 {t} 0z",
    "m-{r} -{r}h{t}v{t}h-{t}z",
    "m0 -{r}l{r} {t}h-{t}z",
    "m0 -{l}l{l} {l}l-{l} {l}l-{l} -{l}z",
    "m0 {r}l{r} -{t}h-{t}z",
    "m-{s} -{r}h{r}v{s}h{s}v{r}h-{s}v{s}h-{r}v-{s}h-{s}v-{r}h{s}z",
)
"""Disc, square, triangle, diamond, triangle on its tip, cross; with seven colours 42 pairs differ."""


def signs(k: int, points: Iterable[tuple[float, float]], r: float = 3.0) -> str:
    """Return the signs of the k-th class at some points, as one path."""
    sizes = {name: number(r * factor) for name, factor in _SIZES.items()}
    shape = _SHAPES[k % len(_SHAPES)].format(**sizes)
    return "".join(f"M{number(x)} {number(y)}{shape}" for x, y in points)


_SIZES = {"r": 1.0, "t": 2.0, "l": 1.3, "s": 0.5}


def key_height(labels: Sequence[str], width: float) -> float:
    """Return how high a key of these labels is."""
    return _ROW * (1 + max((row for row, _ in _places(labels, width)), default=0))


def _places(labels: Sequence[str], width: float) -> list[tuple[int, float]]:
    """Row and start of each label of a key, the next row where one would not fit."""
    places, row, x = [], 0, 0.0
    for label in labels:
        needed = 24.0 + text_width(one_line(label, _LONGEST), TEXT - 1.0)
        if x > 0.0 and x + needed > width:
            row, x = row + 1, 0.0
        places.append((row, x))
        x += needed + 6.0
    return places


def key(
    drawing: Drawing,
    x: float,
    y: float,
    labels: Sequence[str],
    width: float,
    *,
    lines: bool = False,
) -> None:
    """Draw a key: the sign (or the line) of each class beside its label, all of them."""
    for k, (label, (row, start)) in enumerate(zip(labels, _places(labels, width), strict=True)):
        at_x, at_y = x + start, y + _ROW * row + 8.0
        if lines:
            drawing.line(
                at_x, at_y, at_x + 18.0, at_y, stroke_width=2.5, stroke_dasharray=dashes(k),
                **paint(stroke=series(k)),
            )  # fmt: skip
        else:
            drawing.add("path", d=signs(k, [(at_x + 9.0, at_y)], 4.0), **paint(fill=series(k)))
        drawing.text(at_x + 22.0, at_y + 4.0, label, _LONGEST, font_size=TEXT - 1.0)
