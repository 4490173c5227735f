"""How often the folds chose each feature, and which ranks it had."""

from __future__ import annotations

from typing import Any

from svmsieve.report.drawing.axes import Axis, Scale, horizontal, whole_ticks
from svmsieve.report.drawing.palette import MAIN, SECOND, paint
from svmsieve.report.drawing.svg import Drawing, letters
from svmsieve.report.figures.figure import Figure

_MOST = 30
_ROW = 19.0
_NAMES, _BARS, _RANKS, _END = 150.0, 158.0, 370.0, 586.0


def stability(content: dict[str, Any]) -> Figure | None:
    """Draw the share of the folds that chose each feature, and the range of its ranks in them."""
    ranking, size = content["ranking"], content["selection"]["size"]
    if ranking["frequency"] is None:
        return None
    rows = _shown(ranking, size)
    height = 26.0 + _ROW * len(rows) + 44.0
    drawing = Drawing(600.0, height, f"Share of the {ranking['source']} that chose each feature")
    bottom = 22.0 + _ROW * len(rows)
    share = Scale(0.0, 1.0, _BARS, _RANKS - 34.0)
    highest = max(2, *(ranking["highest_rank"][i] for i in rows))
    ranks = Scale(1.0, float(highest), _RANKS, _END, log=highest > 60)
    marks = None if ranks.log else [1.0, *(v for v in whole_ticks(1, highest, 4) if v > 1)]
    name = f"share of the {ranking['folds']} {ranking['source']}"
    horizontal(drawing, Axis(share, name, (0.0, 0.5, 1.0), lambda v: f"{100 * v:.0f} %"), bottom)
    horizontal(drawing, Axis(ranks, "ranks in list and folds", marks, lambda v: f"{v:.0f}"), bottom)
    for at, i in enumerate(rows):
        y = 14.0 + _ROW * (at + 0.5)
        weight = "600" if i < size else None
        longest = letters(_NAMES, bold=i < size)
        drawing.text(
            _NAMES, y + 4.0, ranking["names"][i], longest, text_anchor="end", font_weight=weight
        )
        width = share(ranking["frequency"][i]) - share.start
        look = paint(fill=MAIN) if i < size else paint(fill="none", stroke="quiet")
        drawing.add("rect", x=share.start, y=y - 6.0, width=width, height=12, **look)
        low, high = ranks(ranking["lowest_rank"][i]), ranks(ranking["highest_rank"][i])
        drawing.line(low, y, max(high, low + 1.0), y, stroke_width=2, **paint(stroke=MAIN))
        drawing.add(
            "rect", x=ranks(i + 1) - 2.0, y=y - 5.0, width=4, height=10, **paint(fill=SECOND)
        )
    return Figure("stability", drawing.markup(), wide=True)


def _shown(ranking: dict[str, Any], size: int) -> list[int]:
    """The selected features, then those that some fold chose, at most 30; always a few."""
    others = [
        i for i in range(size, len(ranking["names"])) if ranking["frequency"][i] > 0 or i < size + 3
    ]
    return [*range(min(size, len(ranking["names"]))), *others][:_MOST]
