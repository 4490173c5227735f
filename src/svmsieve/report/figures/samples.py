"""The samples on two principal components, and as a clustered heat map of the selected features."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmsieve.report.drawing.axes import Axis, Scale, draw_axes, extent, shown_number
from svmsieve.report.drawing.cells import colour_key, draw_cells
from svmsieve.report.drawing.palette import MAIN, paint, series
from svmsieve.report.drawing.signs import key, key_height, signs
from svmsieve.report.drawing.svg import Drawing, letters
from svmsieve.report.figures.figure import WIDTH, Figure

_PLOT = 320.0
_CELLS = 600.0
_NAMES = 170.0


def projections(content: dict[str, Any]) -> list[Figure]:
    """Draw the samples before and after the selection."""
    found = content["projection"]
    n_before, n_after = (found[when]["columns"] for when in ("before", "after"))
    if n_before == n_after:
        words = "all columns, which are all selected" if n_after > 1 else "the only column"
        return [Figure("samples-after", _plane(found, "after", words), words)]
    titles = {
        "before": f"before: all {n_before} columns",
        "after": f"after: the {n_after} selected columns"
        if n_after > 1
        else "after: the selected column",
    }
    return [
        Figure(f"samples-{when}", _plane(found, when, words), words)
        for when, words in titles.items()
    ]


def _plane(found: dict[str, Any], when: str, words: str) -> Any:
    part, classes = found[when], found["classes"]
    labels = classes or [""]
    below = key_height(labels, WIDTH - 20.0) if classes else 30.0
    drawing = Drawing(WIDTH, _PLOT + below, f"Samples on two principal components, {words}")
    flat = part["flat"]
    ys = part["y"] if not flat else np.random.default_rng(0).uniform(-1, 1, len(part["x"])).tolist()
    x = Scale(*extent(part["x"], 0.04), 62.0, WIDTH - 12.0)
    y = Scale(*extent(ys, 0.3 if flat else 0.04), _PLOT - 48.0, 10.0)
    names = [f"component {i + 1} ({100 * part['share'][i]:.0f} % of the variance)" for i in (0, 1)]
    if flat:
        names = ["component 1 (all of the variance)", "at random, to be seen"]
    draw_axes(drawing, Axis(x, names[0]), Axis(y, names[1], [] if flat else None), grid=False)
    points = [(x(a), y(b)) for a, b in zip(part["x"], ys, strict=True)]
    if classes is None:
        _shaded(drawing, points, found["codes"])
        _target_key(drawing, (62.0, _PLOT), found["range"])
    else:
        for k in range(len(classes)):
            own = [point for point, code in zip(points, found["codes"], strict=True) if code == k]
            if own:
                drawing.add("path", d=signs(k, own, 3.0), fill_opacity=0.7, **paint(fill=series(k)))
        key(drawing, 12.0, _PLOT, classes, WIDTH - 20.0)
    return drawing.markup()


def _shaded(drawing: Drawing, points: list[tuple[float, float]], shares: list[float]) -> None:
    """Larger values of the target are stronger in colour and larger in size."""
    for level in range(5):
        own = [
            p for p, share in zip(points, shares, strict=True) if min(4, int(5 * share)) == level
        ]
        if own:
            path = signs(0, own, 1.8 + 0.5 * level)
            drawing.add("path", d=path, fill_opacity=0.25 + 0.17 * level, **paint(fill=MAIN))


def _target_key(drawing: Drawing, corner: tuple[float, float], limits: list[float]) -> None:
    left, top = corner
    width = 66.0
    step = (limits[1] - limits[0]) / 5.0
    for level in range(5):
        at = left + width * level
        _shaded(drawing, [(at + 6.0, top + 10.0)], [level / 5.0])
        words = f"≥ {shown_number(float(f'{limits[0] + step * level:.3g}'))}"
        drawing.text(at + 14.0, top + 14.0, words, 9, font_size=10)
    drawing.text(left + 5 * width + 8.0, top + 14.0, "target", font_size=11)


def heat_map(content: dict[str, Any]) -> Figure:
    """Draw the selected columns of the samples, both clustered, with the class of each sample above."""
    found = content["heat_map"]
    values, classes = found["values"], found["classes"]
    rows, columns = len(values), len(values[0])
    cell = _CELLS / columns
    high = max(11.0, min(22.0, 300.0 / rows))
    strip, top = 14.0, 24.0
    end = top + rows * high
    width = _NAMES + _CELLS + 14.0
    labels = classes or []
    below = 66.0 + (key_height(labels, width - 20.0) if classes else 20.0)
    drawing = Drawing(width, end + below, "Clustered heat map of the selected features")
    with drawing.group(stroke="none"):
        draw_cells(drawing, values, (_NAMES, top), (cell, high))
    for i, name in enumerate(found["names"]):
        size = min(12.0, high - 0.5)
        drawing.text(
            _NAMES - 6.0, top + high * (i + 0.5) + 4.0, name, letters(_NAMES - 8.0, size), text_anchor="end",
            font_size=size,
        )  # fmt: skip
    _class_strip(drawing, found, (_NAMES, top - strip - 3.0), (cell, strip))
    drawing.text(
        _NAMES + _CELLS / 2.0, end + 15.0, f"samples, in the order of their clustering ({columns})",
        text_anchor="middle", **paint(fill="quiet"),
    )  # fmt: skip
    far = shown_number(found["farthest"])
    limits = f"≤ −{far}", "0", f"≥ +{far}"
    colour_key(drawing, (_NAMES, end + 26.0), limits, "standard deviations from the mean")
    if classes:
        key(drawing, 10.0, end + 60.0, classes, width - 20.0)
    else:
        words = "target: stronger is larger"
        drawing.text(_NAMES, end + 72.0, words, font_size=11, **paint(fill="quiet"))
    return Figure("heat-map", drawing.markup(), wide=True)


def _class_strip(
    drawing: Drawing, found: dict[str, Any], corner: tuple[float, float], size: tuple[float, float]
) -> None:
    """The class of each sample by colour and sign, or its target by strength."""
    (left, top), (cell, high) = corner, size
    words = "target" if found["classes"] is None else "class"
    drawing.text(left - 6.0, top + 11.0, words, text_anchor="end", **paint(fill="quiet"))
    if found["classes"] is None:
        draw_cells(drawing, [found["codes"]], corner, size)
        return
    for k in range(len(found["classes"])):
        own = [j for j, code in enumerate(found["codes"]) if code == k]
        if own:
            middle = [(left + cell * (j + 0.5), top + high / 2.0) for j in own]
            path = signs(k, middle, min(4.0, cell / 2.2))
            drawing.add("path", d=path, **paint(fill=series(k)))
