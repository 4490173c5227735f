"""Measure how time and memory grow with the features and with the samples.

    python -m benchmarks.growth [series ...] [--quick]

Every size runs in a process of its own, after a small run that compiles.  The figures go to
``docs/benchmarks/growth-<series>.json``.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.svm import SVC

from benchmarks.problems import ROOT
from benchmarks.timing import environment, human_time, write_json
from svmsieve.runtime.memory import BLOCK_BUDGET, human_size

REPEATS_BELOW = 20.0
"""Seconds under which a size is measured three times, the best counts."""


@dataclass(frozen=True)
class Series:
    """One line of a plot: a task at growing sizes."""

    task: str
    along: str
    sizes: tuple[int, ...]
    other: int
    goal: float
    words: str

    def shape(self, size: int) -> tuple[int, int]:
        """Return samples and features."""
        return (self.other, size) if self.along == "d" else (size, self.other)


FEATURES = (100, 316, 1000, 3162, 10_000, 31_623, 100_000)
SAMPLES = (250, 500, 1000, 2000, 4000, 8000)
SERIES = {
    "rank-features": Series("rank", "d", FEATURES, 200, 1.1, "rank once, fspp2, n = 200"),
    "rank-samples": Series("rank", "n", SAMPLES, 100, 2.2, "rank once, fspp2, d = 100"),
    "eliminate-features": Series(
        "eliminate", "d", FEATURES, 200, 1.1, "eliminate all (halving), fspp2, n = 200"
    ),
    "eliminate-samples": Series(
        "eliminate", "n", SAMPLES, 64, 2.2, "eliminate all (halving), fspp2, d = 64"
    ),
}


def _run(task: str, X: Any, y: Any) -> None:
    from svmsieve import SVMSieve, rank

    machine = SVC(gamma=1.0 / X.shape[1])
    if task == "rank":
        rank(X, y, "fspp2", machine, scale=False, memory=2**34)
        return
    sieve = SVMSieve(
        machine,
        criterion="fspp2",
        step=0.5,
        n_features_to_select=1,
        scale=False,
        memory=2**34,
    )
    sieve.fit(X, y)


def samples(n: int, d: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    signal = X[:, 0] + X[:, 1] * X[:, 2] + X[:, 3] ** 2 - 1.0
    return X, np.where(signal + 0.5 * rng.standard_normal(n) > 0, 1, -1)


def _peak() -> int:
    """Return the largest memory this process has had, in bytes."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def measure_here(task: str, n: int, d: int) -> dict[str, Any]:
    """Run one size in this process."""
    _run(task, *samples(80, 40))  # compiles
    X, y = samples(n, d)
    before = _peak()
    seconds = []
    while not seconds or (len(seconds) < 3 and seconds[0] < REPEATS_BELOW):
        start = perf_counter()
        _run(task, X, y)
        seconds.append(perf_counter() - start)
    return {"n": n, "d": d, "seconds": seconds, "bytes": _peak() - before, "data": X.nbytes}


def measure(task: str, n: int, d: int) -> dict[str, Any]:
    """Run one size in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.growth", "--one", task, str(n), str(d)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def exponent(sizes: Any, seconds: Any) -> float:
    """Return the slope of a straight line through the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def main() -> None:
    """Run the series and keep their figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("series", nargs="*", metavar="series", help=", ".join(SERIES))
    parser.add_argument("--quick", action="store_true", help="two small sizes, nothing is kept")
    parser.add_argument("--from-size", type=int, default=0, help="keep what is known below")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        task, n, d = options.one
        print(json.dumps(measure_here(task, int(n), int(d))))
        return
    for name in options.series or SERIES:
        series = SERIES[name]
        file = ROOT / "docs" / "benchmarks" / f"growth-{name}.json"
        rows = []
        if options.from_size and file.exists():
            known = json.loads(file.read_text())["rows"]
            rows = [row for row in known if row[series.along] < options.from_size]
        for size in series.sizes[:2] if options.quick else series.sizes:
            if size < options.from_size:
                continue
            row = measure(series.task, *series.shape(size))
            rows.append(row)
            allowed = 3 * 8 * row["n"] ** 2 + BLOCK_BUDGET
            print(
                f"{name}: {row['n']} x {row['d']}: {human_time(min(row['seconds']))}, "
                f"{human_size(row['bytes'])} (three kernel matrices and a block: "
                f"{human_size(allowed)})",
                flush=True,
            )
            if not options.quick:
                content = {"series": name, "environment": environment(), "rows": rows}
                write_json(file, content)
        slope = exponent([r[series.along] for r in rows], [min(r["seconds"]) for r in rows])
        print(f"{name}: exponent {slope:.2f}, goal at most {series.goal}")


if __name__ == "__main__":
    main()
