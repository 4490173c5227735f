"""Draw and select, or make the table: ``python -m benchmarks.stable run|page``.

``run`` adds the draws that are not there yet to ``docs/quality/stable``, a file for each problem and method.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.problems import ROOT
from benchmarks.stable import stabl
from benchmarks.stable.problems import PROBLEMS, drawn
from svmsieve import SVMSieve
from svmsieve.sizing import Stable

FOLDER = ROOT / "docs" / "quality" / "stable"
START, END = "<!-- table -->", "<!-- end of table -->"


def _stable(expected_false: float) -> Callable[[Any, Any, int], Any]:
    def select(X: Any, y: Any, seed: int) -> Any:
        sieve = SVMSieve(n_features_to_select=Stable(expected_false), random_state=seed)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "No feature is selected")
            return sieve.fit(X, y).support_

    return select


METHODS: dict[str, Callable[[Any, Any, int], Any]] = {
    "stable": _stable(1.0),
    "stable-2": _stable(2.0),
    "stable-5": _stable(5.0),
    "stabl": lambda X, y, seed: stabl.select(X, y, regression=y.dtype.kind == "f", seed=seed),
}
WORDS = {
    "stable": "`Stable()`, at most 1",
    "stable-2": "`Stable(2)`, at most 2",
    "stable-5": "`Stable(5)`, at most 5",
    "stabl": "Stabl",
}


def run(methods: list[str], problems: list[str], n_draws: int) -> None:
    """Do the draws that are not there yet, those of all problems side by side."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for draw in range(n_draws):
        for name in problems:
            for method in methods:
                file = FOLDER / f"{name}-{method}.json"
                done = _read(file)
                if len(done) > draw:
                    continue
                support = METHODS[method](*drawn(name, draw), draw)
                done.append(PROBLEMS[name].counts(support))
                lines = ",\n".join(json.dumps(each) for each in done)
                file.write_text(f"[\n{lines}\n]\n")


def _read(file: Path) -> list[dict[str, int]]:
    return json.loads(file.read_text()) if file.exists() else []


def table() -> str:
    """Return the table of all draws that there are."""
    lines = [
        "| problem | method | draws | true found | of | false selected | related |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, problem in PROBLEMS.items():
        for method, words in WORDS.items():
            found = _read(FOLDER / f"{name}-{method}.json")
            if found:
                cells = [_mean([each[key] for each in found]) for key in ("true", "false")]
                related = _mean([each["related"] for each in found]) if problem.related else ""
                lines.append(
                    f"| {problem.words} | {words} | {len(found)} | {cells[0]} | {len(problem.true)} | "
                    f"{cells[1]} | {related} |"
                )
    return "\n".join(lines)


def _mean(values: list[int]) -> str:
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{np.mean(values):.2f} ± {error:.2f}"


def page() -> None:
    """Put the table into the page."""
    file = FOLDER.with_suffix(".md")
    before, _, rest = file.read_text(encoding="utf-8").partition(START)
    after = rest.partition(END)[2]
    file.write_text(f"{before}{START}\n{table()}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["run", "page"])
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=["stable", "stabl"])
    parser.add_argument("--problems", nargs="+", choices=PROBLEMS, default=list(PROBLEMS))
    parser.add_argument("--draws", type=int, default=100)
    asked = parser.parse_args()
    if asked.what == "run":
        run(asked.methods, asked.problems, asked.draws)
    else:
        page()
