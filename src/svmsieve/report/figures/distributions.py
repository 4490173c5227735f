"""The distribution of each selected feature by class, or against the target."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmsieve.report.drawing.axes import Axis, Scale, draw_axes, extent, horizontal
from svmsieve.report.drawing.cells import draw_cells
from svmsieve.report.drawing.palette import MAIN, SECOND, paint, series
from svmsieve.report.drawing.signs import signs
from svmsieve.report.drawing.svg import Drawing, letters, path
from svmsieve.report.figures.figure import SMALL, Figure

_ROW = 30.0
_LEFT = 92.0


def distributions(content: dict[str, Any]) -> list[Figure]:
    """Draw them all, one plot for each feature."""
    found = content["distributions"]
    target = content["data"]["target"] or "target"
    figures = []
    for number, each in enumerate(found["features"]):
        if each["kind"] == "number" and found["classes"] is not None:
            svg = _boxes(each["name"], each["name"], found["classes"], each["classes"])
        elif each["kind"] == "number":
            svg = _scatter(each, target)
        elif found["classes"] is not None:
            svg = _shares(each, found["classes"])
        else:
            words = [
                f"{level} ({n})" for level, n in zip(each["levels"], each["counts"], strict=True)
            ]
            svg = _boxes(each["name"], target, words, each["target"], coloured=False)
        missing = f" ({each['missing']} missing)" if each["missing"] else ""
        figures.append(Figure(f"distribution-{number + 1}", svg, f"{each['name']}{missing}"))
    return figures


def _boxes(
    name: str, axis: str, labels: list[str], parts: list[dict[str, Any]], *, coloured: bool = True
) -> Any:
    """A row for each class: quartiles as a box, 5 % and 95 % points as whiskers, values as signs."""
    height = 12.0 + _ROW * len(labels) + 42.0
    drawing = Drawing(SMALL, height, f"{name} by class" if coloured else f"{axis} by {name}")
    everything = [v for part in parts for v in [*(part["quantiles"] or []), *part["dots"]]]
    low, high = extent(everything, 0.03)
    x = Scale(low, high, _LEFT, SMALL - 12.0)
    horizontal(drawing, Axis(x, axis), 10.0 + _ROW * len(labels))
    jitter = np.random.default_rng(0)
    for k, (label, part) in enumerate(zip(labels, parts, strict=True)):
        y, colour = 8.0 + _ROW * (k + 0.5), series(k) if coloured else MAIN
        drawing.text(_LEFT - 8.0, y + 4.0, label, letters(_LEFT - 10.0), text_anchor="end")
        if part["quantiles"] is None:
            continue
        p5, q1, q2, q3, p95 = map(x, part["quantiles"])
        dots = [(x(v), y + jitter.uniform(-9.0, 9.0)) for v in part["dots"]]
        sign = k if coloured else 0
        drawing.add("path", d=signs(sign, dots, 1.6), fill_opacity=0.45, **paint(fill=colour))
        drawing.line(p5, y, p95, y, **paint(stroke="ink"))
        box = paint(fill=colour, stroke="ink")
        drawing.add("rect", x=q1, y=y - 6.0, width=q3 - q1, height=12, fill_opacity=0.35, **box)
        drawing.line(q2, y - 6.0, q2, y + 6.0, stroke_width=2.5, **paint(stroke="ink"))
    return drawing.markup()


def _scatter(each: dict[str, Any], target: str) -> Any:
    """The target against the feature, and its mean in parts of it."""
    drawing = Drawing(SMALL, 230.0, f"{target} against {each['name']}")
    x = Scale(*extent(each["x"], 0.03), 62.0, SMALL - 10.0)
    y = Scale(*extent(each["y"], 0.05), 186.0, 10.0)
    draw_axes(drawing, Axis(x, each["name"]), Axis(y, target))
    points = [(x(a), y(b)) for a, b in zip(each["x"], each["y"], strict=True)]
    drawing.add("path", d=signs(0, points, 2.0), fill_opacity=0.45, **paint(fill=MAIN))
    steps = [(x(a), y(b)) for a, b in each["steps"]]
    drawing.add("path", d=path(steps), stroke_width=2.5, **paint(fill="none", stroke=SECOND))
    return drawing.markup()


def _shares(each: dict[str, Any], classes: list[str]) -> Any:
    """The share of each level in each class, as shaded cells with their per cent."""
    levels, narrow = each["levels"], 54.0
    width = max(SMALL, _LEFT + narrow * len(classes) + 12.0)
    cell = (width - _LEFT - 12.0) / len(classes)
    drawing = Drawing(width, 46.0 + 22.0 * len(levels), f"Levels of {each['name']} in each class")
    rows = [[row[i] for row in each["shares"]] for i in range(len(levels))]
    draw_cells(drawing, rows, (_LEFT, 8.0), (cell, 22.0), strongest=0.5)
    for i, level in enumerate(levels):
        y = 8.0 + 22.0 * i + 15.0
        drawing.text(_LEFT - 8.0, y, level, letters(_LEFT - 10.0), text_anchor="end")
        for k, share in enumerate(rows[i]):
            at = _LEFT + cell * (k + 0.5)
            drawing.text(at, y, f"{100 * share:.0f} %", text_anchor="middle")
    for k, label in enumerate(classes):
        at = _LEFT + cell * (k + 0.5)
        longest = max(3, int(cell / 7.0))
        drawing.text(at, 8.0 + 22.0 * len(levels) + 16.0, label, longest, text_anchor="middle")
    words = "share of each class with the level"
    y = 8.0 + 22.0 * len(levels) + 33.0
    drawing.text((_LEFT + width) / 2.0, y, words, text_anchor="middle", **paint(fill="quiet"))
    return drawing.markup()
