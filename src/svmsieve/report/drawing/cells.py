"""Matrices of coloured cells: few shades, each one path, so that thousands of cells stay small."""

from __future__ import annotations

from collections.abc import Sequence

from svmsieve.report.drawing.palette import NEGATIVE, POSITIVE, paint
from svmsieve.report.drawing.svg import TEXT, Drawing, number

_SHADES = 12
_STRONGEST = 0.9


def shade(share: float) -> int:
    """Return the shade of a share between −1 and 1."""
    return round(_SHADES * max(-1.0, min(1.0, share)))


def draw_cells(
    drawing: Drawing,
    shares: Sequence[Sequence[float | None]],
    corner: tuple[float, float],
    size: tuple[float, float],
    strongest: float = _STRONGEST,
) -> None:
    """Draw a matrix of shares between −1 and 1; what is not known stays empty."""
    (left, top), (width, height) = corner, size
    gap_x, gap_y = (1.0 if each >= 8.0 else 0.0 for each in size)
    step = f"h{number(width - gap_x)}v{number(height - gap_y)}h-{number(width - gap_x)}z"
    places: dict[int, list[str]] = {}
    for i, row in enumerate(shares):
        for j, share in enumerate(row):
            if share is not None and (level := shade(share)):
                at = f"M{left + j * width:.2f} {top + i * height:.2f}"
                places.setdefault(level, []).append(at + step)
    for level, parts in sorted(places.items()):
        colour = paint(fill=POSITIVE if level > 0 else NEGATIVE)
        opacity = f"{strongest * abs(level) / _SHADES:.2f}"
        drawing.add("path", d="".join(parts), fill_opacity=opacity, **colour)


def colour_key(
    drawing: Drawing, corner: tuple[float, float], limits: tuple[str, str, str], name: str
) -> None:
    """Draw what the shades mean, from one end by the middle to the other, with its name."""
    left, top = corner
    width = 10.0
    shares = [i / _SHADES for i in range(-_SHADES, _SHADES + 1)]
    if not limits[0]:  # of one sign only
        shares = [i / _SHADES for i in range(_SHADES + 1)]
    draw_cells(drawing, [shares], corner, (width, 10.0))
    whole = width * len(shares)
    drawing.add("rect", x=left, y=top, width=whole, height=10, **paint(fill="none", stroke="line"))
    with drawing.group(font_size=TEXT - 1.0):
        marks = limits if limits[0] else limits[1:]
        for i, words in enumerate(marks):
            at = left + whole * i / (len(marks) - 1)
            anchor = "start" if i == 0 else "end" if i == len(marks) - 1 else "middle"
            drawing.text(at, top + 23.0, words, text_anchor=anchor, **paint(fill="quiet"))
        drawing.text(left + whole + 10.0, top + 10.0, name, 40, **paint(fill="quiet"))
