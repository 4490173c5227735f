"""From the file to the report: ``svmsieve select`` against a careful script, and another checkout.

``python -m benchmarks.answers`` writes tables as CSV into a temporary folder and runs the command on each,
with its report, twice: the second run, whose compiled code is in the cache, is told.  ``--against FOLDER``
runs the sources of another checkout too, in turns with ours.

The careful script is what a user of scikit-learn writes for the same answer: five outer folds and once on
all samples; in each a backward elimination by permutation importance (five repeats) from all columns to one
(halved above 100, then one by one), at every size a grid of as many points as ours in five inner folds.  It
is measured at some sizes of one outer fold, interpolated over the others and multiplied by six:
extrapolated, always.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris, load_wine
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler
from sklearn.svm import SVC, SVR

from benchmarks.problems import ROOT, data_folder, read
from benchmarks.timing import environment, human_time
from svmsieve.engine.machines.relative_grid import GRID
from svmsieve.search.schedule import make_schedule

FOLDER = ROOT / "docs" / "benchmarks"
_OUTER = 5
_MEASURED = 3
"""Sizes at which the careful script is measured."""


def _frame(X: Any, y: Any) -> pd.DataFrame:
    frame = pd.DataFrame(X, columns=[f"column {i}" for i in range(X.shape[1])])
    return frame.assign(target=y)


def _named(y: Any) -> list[str]:
    return [f"class {label}" for label in y]


def _of_file(name: str, *, classes: bool) -> pd.DataFrame:
    arrays = read(name)
    return _frame(arrays["X"], _named(arrays["y"]) if classes else arrays["y"])


def _of_sklearn(load: Any) -> pd.DataFrame:
    X, y = load(return_X_y=True)
    return _frame(X, _named(y))


def _arcene() -> pd.DataFrame:
    arrays = read("arcene")
    return _frame(arrays["X_train"], _named(arrays["y_train"]))


def _penguins() -> pd.DataFrame:
    from palmerpenguins import load_penguins

    frame = load_penguins().drop(columns="year").dropna(subset=["bill_length_mm"])
    return frame.rename(columns={"species": "target"}).reset_index(drop=True)


TABLES = {
    "penguins": _penguins,
    "cars": lambda: _of_file("auto-mpg", classes=False),
    "iris": lambda: _of_sklearn(load_iris),
    "wine": lambda: _of_sklearn(load_wine),
    "crx": lambda: pd.read_csv(data_folder() / "crx.csv.gz").rename(columns={"class": "target"}),
    "colon": lambda: _of_file("colon", classes=True),
    "arcene": _arcene,
}


def select(checkout: Path, file: Path) -> dict[str, float]:
    """Return seconds and processor time of the command of a checkout, from the file to the report."""
    command = [sys.executable, "-m", "svmsieve", "select", str(file), "-t", "target", "--quiet"]
    command += ["--report", str(file.with_suffix(".html"))]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    subprocess.run(
        command,
        check=True,
        cwd=file.parent,
        # the first run leaves compiled sources behind, as an installation does
        env={**os.environ, "PYTHONPATH": str(checkout / "src"), "PYTHONDONTWRITEBYTECODE": ""},
        stdout=subprocess.DEVNULL,
    )
    seconds, after = perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": seconds, "processor": spent}


def numeric(frame: pd.DataFrame) -> tuple[Any, Any]:
    """Columns as numbers, missing values filled: what the careful script starts from."""
    y = frame["target"].to_numpy()
    X = frame.drop(columns="target")
    texts = X.columns[[X[name].dtype.kind not in "fiu" for name in X.columns]]
    X[texts] = OrdinalEncoder().fit_transform(X[texts].astype(str))
    return X.fillna(X.mean()).to_numpy(dtype=np.float64), y


def _size_seconds(X: Any, y: Any, columns: Any) -> float:
    """Processor time of one size of the careful script on one outer fold's training samples."""
    numbers = y.dtype.kind == "f"
    machine = SVR(epsilon=GRID.epsilon, max_iter=10**6) if numbers else SVC(max_iter=10**6)
    name = "svr" if numbers else "svc"
    grid = [
        {f"{name}__C": [C], f"{name}__gamma": [gamma / len(columns)]} for C, gamma in GRID.points
    ]
    start = process_time()
    found = GridSearchCV(make_pipeline(StandardScaler(), machine), grid, cv=5)
    found.fit(X[:, columns], y)
    permutation_importance(found, X[:, columns], y, n_repeats=5, random_state=0)
    return process_time() - start


def careful(frame: pd.DataFrame) -> dict[str, Any]:
    """Return the processor time of the careful script, extrapolated, and what was measured."""
    X, y = numeric(frame)
    rows = np.random.default_rng(0).permutation(len(y))[len(y) // _OUTER :]
    sizes = make_schedule("auto").sizes(X.shape[1], 1)
    measured = sorted({int(size) for size in np.geomspace(1, X.shape[1], _MEASURED).round()})
    rng = np.random.default_rng(1)
    seconds = [
        _size_seconds(X[rows], y[rows], np.sort(rng.permutation(X.shape[1])[:size]))
        for size in measured
    ]
    every = float(np.interp(sizes, measured, seconds).sum())
    return {"processor": every * (_OUTER + 1), "sizes": measured, "of": len(sizes)}


def run(names: list[str], other: Path | None) -> Iterator[dict[str, Any]]:
    """Measure some tables."""
    checkouts = {"ours": ROOT} if other is None else {"ours": ROOT, "other": other}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            frame = TABLES[name]()
            file = Path(folder) / f"{name}.csv"
            frame.to_csv(file, index=False)
            times = {}
            for _ in range(2):
                for who, checkout in checkouts.items():
                    times[who] = select(checkout, file)
            shape = [len(frame), frame.shape[1] - 1]
            yield {"table": name, "shape": shape, **times, "careful": careful(frame)}


def _line(row: dict[str, Any]) -> str:
    ours, script, other = row["ours"], row["careful"], row.get("other")
    cells = [
        f"{row['table']}, {row['shape'][0]} × {row['shape'][1]}",
        f"{human_time(ours['processor'])} ({human_time(ours['seconds'])})",
        f"~{human_time(script['processor'])}",
        f"{script['processor'] / ours['processor']:.3g} ×",
    ]
    if other is None:
        cells += ["", ""]
    else:
        cells.append(f"{human_time(other['processor'])} ({human_time(other['seconds'])})")
        cells.append(f"{other['seconds'] / ours['seconds']:.2g} ×")
    return f"| {' | '.join(cells)} |"


def behind(file: Path) -> list[str]:
    """Return what the page says where the careful script takes less time."""
    rows = json.loads(file.read_text())["rows"] if file.exists() else []
    ratios = {row["table"]: row["careful"]["processor"] / row["ours"]["processor"] for row in rows}
    slow = [f"{name} ({ratio:.2g} ×)" for name, ratio in ratios.items() if ratio < 1.0]
    words = (
        "From the file to the report the careful script, which does less, takes less processor time"
    )
    return [f"- {words} than `select` on {' and '.join(slow)}."] if slow else []


def section(file: Path) -> list[str]:
    """Return the section of the page, where it was measured."""
    if not file.exists():
        return []
    content = json.loads(file.read_text())
    about = content["environment"]
    version = content["against"] or "another version"
    words = (
        "`svmsieve select` with its report, as a command of its own: processor time (and seconds by the "
        "clock), the compiled code in the cache. The careful script has five outer folds, the elimination "
        "by permutation importance and a grid of as many points at every size, in scikit-learn; it was "
        f"measured at {_MEASURED} sizes of one outer fold and extrapolated (`python -m benchmarks.answers`). "
        "It does less: one ranking where ours tries four and joins three, five folds where ours has up to "
        "fifteen, no elimination inside them, nothing to compare with; the same work in full takes "
        "scikit-learn 6 to 7 times as long with as many permutations as ours, 15 to 16 with five (500 × 50; "
        "[quality](quality.md)). "
        "The ratio to it is of processor time, that to the other version by the clock: both use the cores as "
        f"they do by default. Load of the machine: {about['load'][0]:.0f} on {about['cores']} cores."
    )
    return [
        "## From the file to the report",
        "",
        words,
        "",
        f"| table | ours | careful script | ratio | {version} | ratio |",
        "| --- | --- | --- | --- | --- | --- |",
        *map(_line, content["rows"]),
        "",
    ]


def main() -> None:
    """Measure, print and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", help=f"some of {', '.join(TABLES)}; all without")
    parser.add_argument("--against", type=Path, help="another checkout of svmsieve")
    parser.add_argument("--name", help="what the other checkout is called on the page")
    options = parser.parse_args()
    if unknown := set(options.tables) - set(TABLES):
        parser.error(
            f"there is no table {', '.join(sorted(unknown))}; there are {', '.join(TABLES)}."
        )
    rows = []
    for row in run(options.tables or list(TABLES), options.against):
        rows.append(row)
        print(_line(row), flush=True)
        content = {"against": options.name, "environment": environment(), "rows": rows}
        (FOLDER / "answers.json").write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
