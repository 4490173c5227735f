"""Correlation among the best features, and the grid that tuned the machine."""

from __future__ import annotations

import math
from typing import Any

from svmsieve.evaluation.shown import Shown
from svmsieve.report.drawing.cells import colour_key, draw_cells
from svmsieve.report.drawing.palette import paint
from svmsieve.report.drawing.svg import Drawing, letters, text_width
from svmsieve.report.figures.figure import Figure
from svmsieve.runtime.text import one_line

_NAMES = 172.0
_TURNED = 16
"""Letters of a name below the matrix."""


def correlation(content: dict[str, Any]) -> Figure:
    """Draw the correlation among the best features, the selected ones in bold."""
    found = content["correlation"]
    names, n = found["names"], len(found["names"])
    cell = max(14.0, min(36.0, 420.0 / n))
    end = 8.0 + n * cell
    width = max(_NAMES + n * cell + 20.0, 460.0)
    below = 26.0 + 0.72 * max(text_width(one_line(name, _TURNED)) for name in names)
    drawing = Drawing(width, end + below + 34.0, "Correlation among the best features")
    draw_cells(drawing, found["matrix"], (_NAMES, 8.0), (cell, cell))
    for i, name in enumerate(names):
        weight = "600" if found["selected"][i] else None
        y = 8.0 + cell * (i + 0.5) + 4.0
        longest = letters(_NAMES - 8.0, bold=found["selected"][i])
        drawing.text(_NAMES - 6.0, y, name, longest, text_anchor="end", font_weight=weight)
        x = _NAMES + cell * (i + 0.5) + 4.0
        drawing.text(
            x, end + 12.0, name, _TURNED, text_anchor="end", font_weight=weight,
            transform=f"rotate(-45 {x:.1f} {end + 12.0:.1f})",
        )  # fmt: skip
    colour_key(drawing, (12.0, end + below), ("−1", "0", "+1"), "correlation r")
    return Figure("correlation-matrix", drawing.markup(), wide=True)


def tuning(content: dict[str, Any]) -> Figure:
    """Draw the cross-validated error at each point of the grid; the frame marks the best."""
    found = content["tuning"]
    shown = Shown.from_dict(found["measure"])
    known = [v for row in found["values"] for v in row if v is not None]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    # Stronger is worse: the best points stand out as empty.
    start, span = (low, high - low) if shown.lower_is_better else (high, low - high)
    shares = [
        [None if v is None else 0.04 + 0.96 * (v - start) / (span or 1.0) for v in row]
        for row in found["values"]
    ]
    rows, columns, cell = len(found["gamma"]), len(found["C"]), 40.0
    left, end = 78.0, 8.0 + 26.0 * rows
    width = max(left + cell * columns + 16.0, 430.0)
    drawing = Drawing(width, end + 84.0, f"{shown.name} of each C and γ")
    draw_cells(drawing, shares, (left, 8.0), (cell, 26.0), strongest=0.55)

    def text(value: float | None) -> str:
        return "–" if value is None else f"{100 * value:.0f}" if shown.percent else f"{value:.2g}"

    with drawing.group(text_anchor="middle", font_size=10):
        for i, row in enumerate(found["values"]):
            for j, value in enumerate(row):
                drawing.text(left + cell * (j + 0.5), 8.0 + 26.0 * (i + 0.5) + 4.0, text(value))
    for i, gamma in enumerate(found["gamma"]):
        drawing.text(left - 6.0, 8.0 + 26.0 * (i + 0.5) + 4.0, _power(gamma), text_anchor="end")
    for j, C in enumerate(found["C"]):
        drawing.text(
            left + cell * (j + 0.5), end + 15.0, _power(C), text_anchor="middle", font_size=11
        )
    best = found["best"]
    if best["gamma"] in found["gamma"] and best["C"] in found["C"]:
        i, j = found["gamma"].index(best["gamma"]), found["C"].index(best["C"])
        corner = {"x": left + j * cell, "y": 8.0 + 26.0 * i}
        frame = paint(fill="none", stroke="ink")
        drawing.add("rect", width=cell - 1.0, height=25, stroke_width=3, **corner, **frame)
    quiet = paint(fill="quiet")
    drawing.text(left + cell * columns / 2.0, end + 34.0, "C", text_anchor="middle", **quiet)
    middle = 8.0 + 13.0 * rows
    turned = f"rotate(-90 14 {middle:.1f})"
    drawing.text(14.0, middle, "γ", text_anchor="middle", transform=turned, **quiet)
    best_end, worst_end = (low, high) if shown.lower_is_better else (high, low)
    ends = "", shown.text(best_end), shown.text(worst_end)
    colour_key(drawing, (left, end + 50.0), ends, shown.name)
    return Figure("tuning-grid", drawing.markup(), wide=True)


def _power(value: float) -> str:
    exponent = round(math.log2(value), 1)
    return f"2^{exponent:g}".replace("-", "−")
