"""The measure against the number of features."""

from __future__ import annotations

from typing import Any

from svmsieve.evaluation.shown import Shown
from svmsieve.report.drawing.axes import Axis, Scale, draw_axes, extent, whole_ticks
from svmsieve.report.drawing.palette import MAIN, SECOND, paint
from svmsieve.report.drawing.svg import Drawing, path
from svmsieve.report.figures.figure import WIDTH, Figure

_HEIGHT = 340.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 64.0, 14.0, 14.0, 58.0
_MARK = "3"


def size_axis(sizes: list[int], start: float, end: float) -> Axis:
    """Return the axis of the number of features, logarithmic where sizes are of many magnitudes."""
    low, high = float(sizes[0]), float(sizes[-1])
    log = high > 60.0 * low
    if low == high:
        low, high = low - 1.0, high + 1.0
    marks = None if log else whole_ticks(low, high)
    return Axis(
        Scale(low, high, start, end, log), "number of features", marks, lambda v: f"{v:.0f}"
    )


def curve(content: dict[str, Any], shown: Shown) -> Figure:
    """Draw the measure at each size with its interval, what the rules chose, and what each fold did."""
    found = content["curve"]
    sizes, values = found["sizes"], found["value"]
    drawing = Drawing(WIDTH, _HEIGHT, f"{shown.name} against number of features")
    x = size_axis(sizes, _LEFT, WIDTH - _RIGHT)
    low, high = extent([*values, *found["lower"], *found["upper"]], 0.06)
    low = max(low, 0.0) if shown.percent or shown.lower_is_better else low
    y = Axis(
        Scale(low, high, _HEIGHT - _BOTTOM, _TOP), f"{shown.name}, {shown.better}", None, shown.tick
    )
    draw_axes(drawing, x, y)
    _band(drawing, found, x.scale, y.scale)
    line = path(zip(map(x.scale, sizes), map(y.scale, values), strict=True))
    drawing.add("path", d=line, stroke_width=2.0, **paint(fill="none", stroke=MAIN))
    _rules(drawing, content["choices"], x.scale, (_TOP, _HEIGHT - _BOTTOM))
    _fold_sizes(drawing, content["stability"], x.scale, _HEIGHT - _BOTTOM)
    for i, (size, value) in enumerate(zip(sizes, values, strict=True)):
        at: dict[str, Any] = {"cx": x.scale(size), "cy": y.scale(value)}
        drawing.add("circle", r=2 if len(sizes) > 80 else 3, **at, **paint(fill=MAIN))
        words = f"{size} {'feature' if size == 1 else 'features'}: {shown.text(value)}"
        drawing.titled("circle", words, r=9, fill="transparent", class_="hit", data_at=i, **at)
    chosen = content["selection"]["size"]
    if chosen in sizes:
        at = {"cx": x.scale(chosen), "cy": y.scale(values[sizes.index(chosen)])}
        ring = paint(fill="none", stroke=SECOND)
        ring["class"] += " ring"
        drawing.add("circle", r=6, stroke_width=3, **at, **ring)
    return Figure("curve", drawing.markup())


def _band(drawing: Drawing, found: dict[str, Any], x: Scale, y: Scale) -> None:
    known = [
        (x(size), y(lower), y(upper))
        for size, lower, upper in zip(found["sizes"], found["lower"], found["upper"], strict=True)
        if lower is not None and upper is not None
    ]
    if known:
        around = [(at, low) for at, low, _ in known] + [(at, high) for at, _, high in known[::-1]]
        drawing.add("path", d=f"{path(around)}Z", fill_opacity=0.18, **paint(fill=MAIN))


def _rules(
    drawing: Drawing, choices: list[dict[str, Any]], x: Scale, between: tuple[float, float]
) -> None:
    """A line at each size that a rule chose, with the rules' names."""
    by_size: dict[int, list[str]] = {}
    for each in choices:
        name = f"{each['rule']} ✓" if each["chosen"] else each["rule"]
        by_size.setdefault(each["size"], []).append(name)
    top, bottom = between
    for row, (size, rules) in enumerate(sorted(by_size.items())):
        if not x.low <= size <= x.high:
            continue
        at, right = x(size), x(size) > (x.start + x.end) / 2.0
        drawing.line(at, top, at, bottom, stroke_dasharray="4 3", **paint(stroke=_MARK))
        drawing.text(
            at + (-5.0 if right else 5.0), top + 12.0 + 15.0 * (row % 4), f"{', '.join(rules)}: {size}",
            text_anchor="end" if right else "start", **paint(fill=_MARK),
        )  # fmt: skip


def _fold_sizes(
    drawing: Drawing, stability: dict[str, Any] | None, x: Scale, bottom: float
) -> None:
    """A tip above the axis for each fold, at the size it chose."""
    stacked: dict[int, int] = {}
    for size in [] if stability is None else stability["sizes"]:
        if x.low <= size <= x.high:
            height = bottom - 7.0 * stacked.get(size, 0)
            stacked[size] = stacked.get(size, 0) + 1
            tip = f"M{x(size):.1f} {height - 7.0:.1f}l4 6h-8z"
            drawing.titled("path", f"chosen by a fold: {size}", d=tip, **paint(fill="quiet"))
