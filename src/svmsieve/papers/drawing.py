"""Plots of a paper's tables and figures (matplotlib, an optional extra)."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmsieve.ranking.plots import axes


def draw(result: Any, ax: Any = None) -> Any:
    """Draw curves or bars; a table as its obtained values against the published ones."""
    ax = axes(ax)
    if result.view.kind == "table":
        _draw_agreement(result, ax)
    elif result.view.kind == "bars":
        _draw_bars(result, ax)
    else:
        _draw_curves(result, ax)
    return ax


def _shown(result: Any, value: float | None) -> float:
    if value is None:
        return float("nan")
    return 100.0 * value if result.view.unit == "%" else value


def _errors(result: Any, cells: list[Any]) -> Any:
    return [_shown(result, cell.standard_error) for cell in cells]


def _draw_curves(result: Any, ax: Any) -> None:
    view = result.view
    x = [float(column) for column in view.columns]
    for row in view.rows:
        cells = [result.cell(row, column) for column in view.columns]
        y = np.array([_shown(result, cell.obtained) for cell in cells])
        if np.isnan(y).all():
            continue
        error = np.nan_to_num(_errors(result, cells))
        (line,) = ax.plot(x, y, marker="o", markersize=3, label=row)
        ax.fill_between(x, y - error, y + error, alpha=0.15, linewidth=0, color=line.get_color())
    for label, height in view.lines.items():
        ax.axhline(height, color="0.4", linestyle="--", linewidth=1, label=label)
    if min(x) > 0 and max(x) > 100 * min(x):
        ax.set_xscale("log")
    if view.log_y:
        ax.set_yscale("log")
    ax.set_xlabel(view.x_label)
    ax.set_ylabel(view.y_label + (" (%)" if view.unit == "%" else ""))
    if ax.lines:
        ax.legend(fontsize="small")


def _draw_bars(result: Any, ax: Any) -> None:
    view = result.view
    width = 0.8 / len(view.rows)
    at = np.arange(len(view.columns))
    for k, row in enumerate(view.rows):
        cells = [result.cell(row, column) for column in view.columns]
        y = np.nan_to_num([_shown(result, cell.obtained) for cell in cells])
        error = np.nan_to_num(_errors(result, cells))
        ax.bar(at + (k - (len(view.rows) - 1) / 2) * width, y, width, yerr=error, label=row)
    ax.set_xticks(at, view.columns)
    ax.set_xlabel(view.x_label)
    ax.set_ylabel(view.y_label)
    ax.legend(fontsize="small")


def _draw_agreement(result: Any, ax: Any) -> None:
    """Published against obtained values, agreeing ones green."""
    colours = {"agrees": "tab:green", "differs": "tab:red", "cannot tell": "0.4"}
    cells = [c for c in result.cells if c.published is not None and c.obtained is not None]
    for verdict, colour in colours.items():
        some = [cell for cell in cells if cell.verdict == verdict]
        if not some:
            continue
        ax.errorbar(
            [_shown(result, cell.published) for cell in some],
            [_shown(result, cell.obtained) for cell in some],
            xerr=np.nan_to_num([_shown(result, cell.published_error) for cell in some]),
            yerr=np.nan_to_num(_errors(result, some)),
            fmt="o",
            markersize=4,
            color=colour,
            label=verdict,
        )
    if cells:
        values = [_shown(result, v) for c in cells for v in (c.published, c.obtained)]
        ax.plot([min(values), max(values)], [min(values), max(values)], color="0.7", zorder=0)
        ax.legend(fontsize="small")
    ax.set_xlabel("published")
    ax.set_ylabel("obtained")
