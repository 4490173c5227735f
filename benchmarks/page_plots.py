"""The plots of ``docs/benchmarks.md``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.growth import SERIES


def growth_line(content: dict[str, Any], along: str) -> tuple[list[int], list[float]]:
    rows = content["rows"]
    return [row[along] for row in rows], [min(row["seconds"]) for row in rows]


def plot_growth(series: dict[str, dict[str, Any]], file: Path) -> None:
    """Draw time against features and against samples."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for axis, along, label in zip(axes, "dn", ("features d", "samples n"), strict=True):
        for name, content in series.items():
            if SERIES[name].along == along:
                sizes, seconds = growth_line(content, along)
                axis.loglog(sizes, seconds, "o-", label=SERIES[name].words)
        lowest, highest = axis.get_xlim()
        bottom, top = axis.get_ylim()
        power = 1.0 if along == "d" else 2.0
        grid = np.array([lowest, highest])
        axis.loglog(
            grid,
            top * (grid / highest) ** power,
            ":",
            color="grey",
            label="∝ d" if along == "d" else "∝ n²",
        )
        axis.set_xlim(lowest, highest)
        axis.set_ylim(bottom, top)
        ticks = [100, 1000, 10_000, 100_000] if along == "d" else [250, 500, 1000, 2000, 4000, 8000]
        axis.set_xticks(ticks, [str(tick) for tick in ticks])
        axis.minorticks_off()
        axis.set_xlabel(label)
        axis.set_ylabel("seconds")
        axis.legend(fontsize=8, frameon=False)
        axis.spines[["top", "right"]].set_visible(False)
    save(figure, file)


def plot_ratios(jobs: dict[str, dict[str, Any]], file: Path) -> None:
    """Draw the ratio of every line, on a logarithmic scale."""
    import matplotlib.pyplot as plt

    rows = [row for content in jobs.values() for row in content["results"]][::-1]
    figure, axis = plt.subplots(figsize=(9, 0.24 * len(rows) + 0.8), layout="constrained")
    values = [row["value"] for row in rows]
    colours = ["#b5482f" if value < 1 else "#2f6f9f" for value in values]
    axis.barh(range(len(rows)), np.array(values) - 1.0, left=1.0, color=colours, height=0.7)
    axis.set_xscale("log")
    axis.axvline(1.0, color="black", linewidth=0.8)
    axis.set_xlim(0.3, 1.5 * max(values))
    axis.set_ylim(-0.8, len(rows) - 0.2)
    axis.set_yticks(range(len(rows)), [f"{r['job']} | {r['against']}" for r in rows], fontsize=6.5)
    axis.set_xlabel("times faster than the peer")
    axis.spines[["top", "right"]].set_visible(False)
    save(figure, file)


def save(figure: Any, file: Path) -> None:
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "svmsieve"  # the same file for the same figures
    plt.rcParams["svg.fonttype"] = "none"  # text stays text
    figure.savefig(file, metadata={"Date": None})
    plt.close(figure)
    lines = [line.rstrip() for line in file.read_text().splitlines()]
    file.write_text("\n".join(lines) + "\n")
