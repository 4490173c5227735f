"""What the outer folds say: the selection beside what it is compared with, ROC curves, predictions."""

from __future__ import annotations

from typing import Any

from svmsieve.evaluation.shown import Shown
from svmsieve.report.drawing.axes import Axis, Scale, draw_axes, extent, horizontal
from svmsieve.report.drawing.palette import MAIN, SECOND, dashes, paint, series
from svmsieve.report.drawing.signs import key, key_height, signs
from svmsieve.report.drawing.svg import Drawing, letters, path
from svmsieve.report.figures.figure import WIDTH, Figure

_ROW = 28.0
_NAMES = 222.0


def intervals(
    name: str, rows: list[dict[str, Any]], shown: Shown, label: str, marked: int | None = None
) -> Figure:
    """Draw the measure of several methods with their intervals, one marked."""
    height = 14.0 + _ROW * len(rows) + 46.0
    drawing = Drawing(WIDTH, height, label)
    x = Scale(
        *extent([row[k] for row in rows for k in ("value", "lower", "upper")], 0.05), _NAMES, 466.0
    )
    bottom = 12.0 + _ROW * len(rows)
    for tick in x.ticks(5):
        drawing.line(x(tick), 8.0, x(tick), bottom, **paint(stroke="line"))
    marks = x.ticks(5)
    horizontal(drawing, Axis(x, f"{shown.name}, {shown.better}", marks, shown.tick), bottom)
    for i, row in enumerate(rows):
        y, colour = 8.0 + _ROW * (i + 0.5), SECOND if i == marked else MAIN
        drawing.text(_NAMES - 12.0, y + 4.0, row["name"], letters(_NAMES - 12.0), text_anchor="end")
        if row["lower"] is not None and row["upper"] is not None:
            drawing.line(
                x(row["lower"]), y, x(row["upper"]), y, stroke_width=2, **paint(stroke=colour)
            )
        sign = signs(3 if i == marked else 0, [(x(row["value"]), y)], 5.0)
        words = f"{row['name']}: {shown.text(row['value'])}"
        drawing.titled("path", words, d=sign, **paint(fill=colour))
    return Figure(name, drawing.markup())


def against(content: dict[str, Any], shown: Shown) -> Figure:
    """Draw the selection beside what it is compared with."""
    found = content["evaluation"]
    rows = [{"name": "selected features", **found}, *found["baselines"]]
    return intervals("against-chart", rows, shown, f"{shown.name} with its 95 % interval", 0)


def roc(content: dict[str, Any]) -> Figure:
    """Draw the ROC curves of the held-out samples, one class against the rest."""
    curves = content["roc"]["curves"]
    labels = [
        f"{each['label'][:12]}: AUC {'–' if each['auc'] is None else format(each['auc'], '.3f')}"
        for each in curves
    ]
    side = 400.0
    below = key_height(labels, side - 20.0)
    drawing = Drawing(side, 376.0 + below, "ROC curves of the outer folds")
    x, y = Scale(0.0, 1.0, 62.0, side - 12.0), Scale(0.0, 1.0, 326.0, 10.0)
    draw_axes(drawing, Axis(x, "false positive rate"), Axis(y, "true positive rate"))
    drawing.line(x(0), y(0), x(1), y(1), **paint(stroke="quiet"))
    for k, each in enumerate(curves):
        points = zip(map(x, each["fpr"]), map(y, each["tpr"]), strict=True)
        look = paint(fill="none", stroke=series(k))
        drawing.add("path", d=path(points), stroke_width=2, stroke_dasharray=dashes(k), **look)
    key(drawing, 12.0, 374.0, labels, side - 20.0, lines=True)
    return Figure("roc", drawing.markup())


def predictions(content: dict[str, Any]) -> Figure:
    """Draw the predicted against the true values of the held-out samples."""
    found = content["predictions"]
    side = 400.0
    low, high = extent([*found["true"], *found["predicted"]], 0.03)
    drawing = Drawing(side, 380.0, "Predicted against true values of the outer folds")
    x, y = Scale(low, high, 66.0, side - 12.0), Scale(low, high, 332.0, 10.0)
    draw_axes(drawing, Axis(x, "true value"), Axis(y, "predicted value"))
    drawing.line(x(low), y(low), x(high), y(high), **paint(stroke="quiet"))
    points = zip(map(x, found["true"]), map(y, found["predicted"]), strict=True)
    drawing.add("path", d=signs(0, points, 2.2), fill_opacity=0.5, **paint(fill=MAIN))
    return Figure("predictions", drawing.markup())
