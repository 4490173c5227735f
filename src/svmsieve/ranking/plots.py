"""Bars of scores (matplotlib, an optional extra)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from svmsieve.runtime.text import one_line


def axes(ax: Any) -> Any:
    """Return the axes that were given, or new ones."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "plots need matplotlib: pip install 'svmsieve[plot]' or pip install matplotlib."
        ) from None
    return plt.subplots(layout="constrained")[1]


def plot_bars(names: Sequence[Any], scores: Any, colors: Sequence[str], ax: Any) -> Any:
    """Plot scores as bars, the first on top; names are texts, never formulas."""
    ax = axes(ax)
    places = np.arange(len(names))
    ax.barh(places, np.nan_to_num(scores)[::-1], color=colors[::-1])
    ax.set_yticks(places, [one_line(name).replace("$", r"\$") for name in names[::-1]])
    ax.set_ylabel("feature")
    return ax
