"""Several methods on the same outer folds."""

from __future__ import annotations

from typing import Any

from svmsieve.evaluation.shown import Shown
from svmsieve.report.drawing.axes import Axis, Scale, draw_axes, extent
from svmsieve.report.drawing.palette import dashes, paint, series
from svmsieve.report.drawing.signs import key, key_height
from svmsieve.report.drawing.svg import Drawing, path
from svmsieve.report.figures.figure import WIDTH, Figure
from svmsieve.report.figures.judged import intervals
from svmsieve.report.figures.sizes import size_axis


def methods(content: dict[str, Any], shown: Shown) -> Figure:
    """Draw the measure of each method with its interval."""
    rows = content["comparison"]["methods"]
    return intervals("methods-chart", rows, shown, f"{shown.name} of each method with its interval")


def curves(content: dict[str, Any], shown: Shown) -> Figure | None:
    """Draw the measure of each method against the number of features, where it is known."""
    found = [
        m for m in content["comparison"]["methods"] if m["curve"] and len(m["curve"]["sizes"]) > 1
    ]
    if not found:
        return None
    labels = [each["name"] for each in found]
    below = key_height(labels, WIDTH - 20.0)
    drawing = Drawing(WIDTH, 346.0 + below, f"{shown.name} against number of features, each method")
    sizes = sorted({size for each in found for size in each["curve"]["sizes"]})
    x = size_axis(sizes, 64.0, WIDTH - 14.0)
    y = Scale(*extent([v for each in found for v in each["curve"]["value"]], 0.05), 286.0, 12.0)
    draw_axes(drawing, x, Axis(y, f"{shown.name}, {shown.better}", None, shown.tick))
    for k, each in enumerate(found):
        part = each["curve"]
        points = path(zip(map(x.scale, part["sizes"]), map(y, part["value"]), strict=True))
        look = paint(fill="none", stroke=series(k))
        drawing.add("path", d=points, stroke_width=2, stroke_dasharray=dashes(k), **look)
    key(drawing, 12.0, 340.0, labels, WIDTH - 20.0, lines=True)
    return Figure("methods-curves", drawing.markup())
