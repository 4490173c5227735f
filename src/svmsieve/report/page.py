"""The page's parts, from the report's content: plots, tables, warnings, and what its script needs."""

from __future__ import annotations

from typing import Any

from svmsieve.evaluation.shown import Shown
from svmsieve.report.figures import (
    comparison,
    distributions,
    judged,
    matrices,
    responses,
    samples,
    sizes,
    stability,
)
from svmsieve.report.figures.figure import Figure
from svmsieve.report.page_tables import tables, why_none
from svmsieve.report.warned import placed_warnings

SECTIONS = {
    "sizes": "How many features",
    "which": "Which features",
    "sure": "How sure this is",
    "machine": "How the machine uses them",
    "comparison": "Comparison",
    "reproduction": "Published beside obtained",
    "done": "What was done",
}
"""The sections of the page in their order, and their heads."""


def parts(content: dict[str, Any]) -> dict[str, Any]:
    """Return all that the template puts into the page beside the content."""
    shown = None if content["measure"] is None else Shown.from_dict(content["measure"])
    made = tables(content, shown)
    figures, sections = drawn(content, shown), _sections(content)
    return {
        "shown": shown,
        "sections": sections,
        "tables": made,
        "figures": figures,
        "warned": placed_warnings(content, sections),
        "why_none": why_none,
        "at_size": None if not content["selection"] else _at_size(content),
        "script_data": {
            "rest": {name: rest for name, table in made.items() if (rest := table.rest())},
            "sizes": _sizes(content),
        },
    }


def drawn(content: dict[str, Any], shown: Shown | None) -> dict[str, list[Figure]]:
    """Return the plots by the part of the page that they stand in; none where there is nothing to draw."""
    found: dict[str, list[Figure | None]] = {}
    if content["curve"]:
        found["curve"] = [sizes.curve(content, Shown.from_dict(content["curve"]["measure"]))]
    if content["ranking"]:
        found["stability"] = [stability.stability(content)]
    for name, draw in _PLOTS.items():
        if content[name]:
            plots = draw(content)
            found[name] = plots if isinstance(plots, list) else [plots]
    if content["evaluation"] and shown is not None:
        found["against"] = [judged.against(content, shown)]
    if content["comparison"] and shown is not None:
        found["methods"] = [comparison.methods(content, shown), comparison.curves(content, shown)]
    return {name: [plot for plot in plots if plot] for name, plots in found.items()}


_PLOTS: dict[str, Any] = {
    "distributions": distributions.distributions,
    "projection": samples.projections,
    "heat_map": samples.heat_map,
    "correlation": matrices.correlation,
    "roc": judged.roc,
    "predictions": judged.predictions,
    "responses": responses.responses,
    "tuning": matrices.tuning,
}
"""What is drawn of each part of the content, where it is there."""


def _sections(content: dict[str, Any]) -> dict[str, str]:
    there = {
        "sizes": content["selection"],
        "which": content["ranking"],
        "sure": content["evaluation"] or content["stability"],
        "machine": content["responses"] or content["tuning"],
        "comparison": content["comparison"],
        "reproduction": content["reproduction"],
        "done": True,
    }
    return {name: words for name, words in SECTIONS.items() if there[name]}


def _at_size(content: dict[str, Any]) -> dict[str, Any]:
    """What is told of the selected size; the page's script changes it to another."""
    size, curve = content["selection"]["size"], content["curve"]
    at = curve["sizes"].index(size) if curve and size in curve["sizes"] else None
    confusion = content["confusion"]
    matrix = None
    if at is not None and confusion and at < len(confusion["by_size"]):
        matrix = confusion["by_size"][at]
    return {
        "at": at,
        "size": size,
        "measured": "" if at is None else _measured(curve, at),
        "rules": [_rule(each) for each in content["choices"] if each["size"] == size],
        "matrix": matrix,
        "names": content["ranking"]["names"][:size],
    }


def _measured(curve: dict[str, Any], at: int) -> str:
    shown = Shown.from_dict(curve["measure"])
    row = {key: curve[key][at] for key in ("value", "lower", "upper", "no_interval")}
    return f"{shown.name}: {shown.text(row['value'])} ({shown.limits(row)})"


def _rule(choice: dict[str, Any]) -> str:
    return f"Rule “{choice['rule']}”{' (used)' if choice['chosen'] else ''}: {choice['reason']}."


def _sizes(content: dict[str, Any]) -> dict[str, Any] | None:
    """What the slider shows at each size."""
    curve = content["curve"]
    if not curve:
        return None
    confusion = content["confusion"]
    return {
        "sizes": curve["sizes"],
        "measured": [_measured(curve, i) for i in range(len(curve["sizes"]))],
        "rules": [
            [_rule(each) for each in content["choices"] if each["size"] == size]
            for size in curve["sizes"]
        ],
        "confusion": confusion["by_size"] if confusion else [],
    }
