"""How the machine's output follows each feature."""

from __future__ import annotations

from typing import Any

from svmsieve.report.drawing.axes import Axis, Scale, draw_axes, extent, horizontal
from svmsieve.report.drawing.palette import MAIN, dashes, paint, series
from svmsieve.report.drawing.signs import key, key_height
from svmsieve.report.drawing.svg import Drawing, letters, path
from svmsieve.report.figures.figure import SMALL, Figure

_LEFT = 92.0
_ROW = 22.0
_MOST_LEVELS = 14
_MANY = 6


def responses(content: dict[str, Any]) -> list[Figure]:
    """Draw them all, one plot for each feature."""
    found = content["responses"]
    drawn = {"number": _curves, "category": _bars}
    return [
        Figure(f"response-{i + 1}", drawn[each["kind"]](each, found), each["name"])
        for i, each in enumerate(found["features"])
    ]


def output_name(found: dict[str, Any]) -> str:
    """Return what the machine gives, in words."""
    classes = found["classes"]
    if classes is None:
        return "prediction"
    return "probability" if len(classes) > 2 else f"probability of {classes[1]}"


def _labels(found: dict[str, Any]) -> list[str]:
    """The classes, where there are several curves."""
    classes = found["classes"]
    return classes if classes is not None and len(classes) > 2 else []


def _curves(each: dict[str, Any], found: dict[str, Any]) -> Any:
    labels = _labels(found)
    below = 4.0 + key_height(labels, SMALL - 20.0) if labels else 0.0
    name = output_name(found)
    drawing = Drawing(SMALL, 224.0 + below, f"{name} against {each['name']}")
    x = Scale(*extent(each["grid"]), 62.0, SMALL - 10.0)
    values = [v for part in (each["mean"], each["lines"]) for row in part for v in row]
    limits = (0.0, 1.0)
    if found["classes"] is None:
        limits = extent(values, 0.05)
    elif len(found["classes"]) > _MANY:  # of which none has much
        limits = 0.0, min(1.0, 1.05 * max(values))
    y = Scale(*limits, 180.0, 10.0)
    draw_axes(drawing, Axis(x, each["name"]), Axis(y, name))
    thin = paint(fill="none", stroke="quiet")
    lines = "".join(
        path(zip(map(x, each["grid"]), map(y, row), strict=True)) for row in each["lines"]
    )
    if lines:
        drawing.add("path", d=lines, stroke_width=0.6, stroke_opacity=0.55, **thin)
    for k, row in enumerate(each["mean"]):
        look = paint(fill="none", stroke=series(k))
        points = path(zip(map(x, each["grid"]), map(y, row), strict=True))
        drawing.add("path", d=points, stroke_width=2.5, stroke_dasharray=dashes(k), **look)
    for quantile in each["quantiles"]:
        if x.low <= quantile <= x.high:
            drawing.line(x(quantile), 175.0, x(quantile), 180.0, **paint(stroke="ink"))
    if labels:
        key(drawing, 12.0, 222.0, labels, SMALL - 20.0, lines=True)
    return drawing.markup()


def _bars(each: dict[str, Any], found: dict[str, Any]) -> Any:
    """For each level the share of each class, stacked where there are several, or the prediction."""
    labels = _labels(found)
    levels = each["levels"][:_MOST_LEVELS]
    below = 6.0 + key_height(labels, SMALL - 20.0) if labels else 0.0
    bottom = 8.0 + _ROW * len(levels)
    name = output_name(found).replace("probability", "share given to", 1).replace("to of", "to")
    name = "share given to each class" if labels else name
    drawing = Drawing(SMALL, bottom + 40.0 + below, f"{name} at the levels of {each['name']}")
    means = [v for row in each["means"] for v in row]
    low, high = (min(0.0, *means), max(0.0, *means)) if found["classes"] is None else (0.0, 1.0)
    x = Scale(low, high, _LEFT, SMALL - 14.0)
    horizontal(drawing, Axis(x, name), bottom)
    for i, level in enumerate(levels):
        y = 8.0 + _ROW * i
        words = f"{level} ({each['counts'][i]})"
        drawing.text(_LEFT - 6.0, y + 14.0, words, letters(_LEFT - 8.0), text_anchor="end")
        values = each["means"][i] if labels or found["classes"] is None else each["means"][i][1:]
        start = 0.0
        for k, value in enumerate(values):
            left, right = sorted((x(start), x(start + value)))
            look = paint(fill=series(k) if labels else MAIN, stroke="back")
            drawing.add("rect", x=left, y=y + 3.0, width=right - left, height=15, **look)
            start += value
    if labels:
        _square_key(drawing, labels, bottom + 44.0)
    return drawing.markup()


def _square_key(drawing: Drawing, labels: list[str], y: float) -> None:
    key(drawing, 12.0, y, labels, SMALL - 20.0)
