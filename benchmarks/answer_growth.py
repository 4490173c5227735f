"""How the wait from the file to the report grows: ``python -m benchmarks.answer_growth``.

``svmsieve select`` with its report, as a command of its own, on tables of growing length and width; the
compiled code is in the cache.  The figures go to ``docs/benchmarks/answer-growth.json``.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.answers import FOLDER, select
from benchmarks.growth import exponent, samples
from benchmarks.problems import ROOT
from benchmarks.timing import environment, human_time, write_json

ROWS = [(n, 10) for n in (100, 250, 500, 1000, 2000, 4000)]
COLUMNS = [(100, d) for d in (10, 100, 1000, 10_000, 50_000)]
FILE = FOLDER / "answer-growth.json"


def measure(folder: Path, n: int, d: int) -> dict[str, Any]:
    """Return seconds and processor time of one table."""
    X, y = samples(n, d)
    frame = pd.DataFrame(X, columns=[f"column {i}" for i in range(d)])
    file = folder / f"{n}x{d}.csv"
    frame.assign(target=[f"class {label}" for label in y]).to_csv(file, index=False)
    try:
        return {"n": n, "d": d, **select(ROOT, file)}
    finally:
        file.unlink()


def series(content: dict[str, Any], along: str) -> tuple[list[int], list[float]]:
    """Return sizes and seconds of the tables that grow in rows (n) or columns (d)."""
    wanted = ROWS if along == "n" else COLUMNS
    rows = [row for row in content["rows"] if (row["n"], row["d"]) in wanted]
    return [row[along] for row in rows], [row["seconds"] for row in rows]


def section(content: dict[str, Any]) -> list[str]:
    """Return the section of the page."""
    lines = [
        "### How the wait grows",
        "",
        "`svmsieve select` with its report, by the clock, start-up included; one run each. Exponents are "
        "those of all sizes and of the last three. Up to 100 rows the outer folds are repeated three times, "
        "from 1000 training rows on judged machines see 1000, from 2000 rows on outer folds are not shared "
        "out over processes.",
        "",
        "| tables | seconds | all sizes | last three |",
        "| --- | --- | --- | --- |",
    ]
    for along, words in (("n", "rows × 10"), ("d", "100 × columns")):
        sizes, seconds = series(content, along)
        times = ", ".join(f"{size}: {each:.0f}" for size, each in zip(sizes, seconds, strict=True))
        last = exponent(sizes[-3:], seconds[-3:])
        lines.append(f"| {words} | {times} | {exponent(sizes, seconds):.2f} | {last:.2f} |")
    return [*lines, "", "![The wait against rows and columns](images/benchmarks-answers.svg)", ""]


def plot(content: dict[str, Any]) -> Any:
    """Draw the wait against rows and against columns."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained", sharey=True)
    for axis, along, words in zip(
        axes, "nd", ("rows (10 columns)", "columns (100 rows)"), strict=True
    ):
        sizes, seconds = series(content, along)
        axis.loglog(sizes, seconds, "o-")
        axis.set_xlabel(words)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("seconds from file to report")
    return figure


def main() -> None:
    """Measure, print and keep the figures."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), 60, 5)  # compiles
        for n, d in [*ROWS, *(shape for shape in COLUMNS if shape not in ROWS)]:
            rows.append(measure(Path(folder), n, d))
            print(f"{n} x {d}: {human_time(rows[-1]['seconds'])}", flush=True)
            write_json(FILE, {"environment": environment(), "rows": rows})


if __name__ == "__main__":
    main()
