"""Scales, ticks and axes with their names."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from svmsieve.report.drawing.palette import paint
from svmsieve.report.drawing.svg import TEXT, Drawing, letters

_SMALL = TEXT - 1.0


def shown_number(value: float | None) -> str:
    """Return a number as a tick or a cell shows it.

    >>> shown_number(0.25), shown_number(123456.0), shown_number(2.5e7), shown_number(None)
    ('0.25', '123456', '2.5e7', '–')
    """
    if value is None or not math.isfinite(value):
        return "–"
    size = abs(value)
    if value != 0.0 and not 1e-3 <= size < 1e6:
        digits, power = f"{value:.1e}".split("e")
        text = f"{digits.removesuffix('.0')}e{int(power)}"
    else:
        text = f"{value:.0f}" if size >= 1e4 else f"{value:.4g}"
    return text.replace("-", "−")


@dataclass(frozen=True)
class Scale:
    """From values to places of a picture."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        f = math.log if self.log else float
        span = f(self.high) - f(self.low)
        share = (f(value) - f(self.low)) / span if span else 0.5
        return self.start + share * (self.end - self.start)

    def ticks(self, wanted: int = 5) -> list[float]:
        """Return round values inside."""
        return _log_ticks(self.low, self.high) if self.log else ticks(self.low, self.high, wanted)


class Axis(NamedTuple):
    """A scale with the name of what it measures; ``ticks`` None are round values."""

    scale: Scale
    name: str
    ticks: Sequence[float] | None = None
    text: Callable[[float], str] = shown_number


def extent(values: Iterable[float | None], room: float = 0.0) -> tuple[float, float]:
    """Return the smallest and the largest value that is known, with some room around."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    if not known:
        return 0.0, 1.0
    low, high = min(known), max(known)
    extra = ((high - low) or abs(high) or 1.0) * (room if high > low else max(room, 0.5))
    return low - extra, high + extra


def ticks(low: float, high: float, wanted: int = 5) -> list[float]:
    """Return round values between two.

    >>> ticks(0.0, 1.0, 4)
    [0.0, 0.5, 1.0]
    """
    if not high > low:
        return [low]
    power = 10.0 ** math.floor(math.log10((high - low) / wanted))
    step = next(m * power for m in (1, 2, 5, 10, 20) if m * power >= (high - low) / wanted * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def _log_ticks(low: float, high: float) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found = [m * 10.0**p for p in powers for m in (1, 2, 5)]
    inside = [value for value in found if 0.999 * low <= value <= 1.001 * high]
    if len(inside) > 7:
        inside = [value for value in inside if f"{value:e}"[0] == "1"]
    return inside


def whole_ticks(low: float, high: float, wanted: int = 8) -> list[float]:
    """Return whole numbers between two, for counts."""
    return [value for value in ticks(low, high, wanted) if value == round(value)] or [round(low)]


def draw_axes(drawing: Drawing, x: Axis, y: Axis, *, grid: bool = True) -> None:
    """Draw both axes with ticks and names, and lines across at the ticks of the vertical one."""
    left, right = x.scale.start, x.scale.end
    bottom, top = y.scale.start, y.scale.end
    with drawing.group(font_size=_SMALL, text_anchor="end"):
        for tick in y.scale.ticks() if y.ticks is None else y.ticks:
            at = y.scale(tick)
            drawing.line(
                left if grid else left - 4.0,
                at,
                right if grid else left,
                at,
                **paint(stroke="line"),
            )
            drawing.text(left - 6.0, at + 4.0, y.text(tick), **paint(fill="quiet"))
    horizontal(drawing, x, bottom)
    middle = (top + bottom) / 2.0
    # Beside the widest tick there is as much room as the left margin has.
    drawing.text(
        12.0, middle, y.name, letters(bottom - top + 30.0), text_anchor="middle",
        transform=f"rotate(-90 12 {middle:.1f})", **paint(fill="quiet"),
    )  # fmt: skip


def horizontal(drawing: Drawing, x: Axis, bottom: float) -> None:
    """Draw the axis at the bottom, with its name."""
    left, right = x.scale.start, x.scale.end
    drawing.line(left, bottom, right, bottom, **paint(stroke="quiet"))
    wanted = max(3, round((right - left) / 55.0))
    with drawing.group(font_size=_SMALL, text_anchor="middle"):
        for tick in x.scale.ticks(wanted) if x.ticks is None else x.ticks:
            at = x.scale(tick)
            drawing.line(at, bottom, at, bottom + 4.0, **paint(stroke="quiet"))
            drawing.text(at, bottom + 16.0, x.text(tick), **paint(fill="quiet"))
    drawing.text(
        (left + right) / 2.0, bottom + 34.0, x.name, letters(right - left + 30.0),
        text_anchor="middle", **paint(fill="quiet"),
    )  # fmt: skip
