"""Compare the parts of our slowest jobs with what the processor and the memory allow.

    python -m benchmarks.floors [job ...]

The floor of the scores is their matrix products at the rate of one large product; that of a kernel update
is reading and writing its matrices at the speed of a copy.  Figures go to ``docs/benchmarks/floors.json``.
"""

from __future__ import annotations

import argparse
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.svm import SVC

from benchmarks import problems
from benchmarks.peers.opponents import SameChanges, SamePermutation
from benchmarks.problems import ROOT
from benchmarks.timing import human_time, in_turns, timed, write_json
from svmsieve import SVMSieve, rank
from svmsieve.engine.effects import response
from svmsieve.engine.kernels import kernel as kernels
from svmsieve.engine.kernels.gram import ActiveGram
from svmsieve.engine.machines import growing_c, tuning
from svmsieve.engine.machines import machine as machines
from svmsieve.engine.machines.grid_search import Validation
from svmsieve.engine.machines.tuned_grid import Grid
from svmsieve.runtime.threads import n_threads

FILE = ROOT / "docs" / "benchmarks" / "floors.json"


class Parts:
    """Seconds, calls and products of the parts of a job, added up over threads."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.calls: dict[str, int] = {}
        self.products = 0.0
        self.lock = threading.Lock()

    @contextmanager
    def listening(self, places: dict[str, tuple[Any, str]]) -> Iterator[None]:
        """Time the functions at some places while the block runs."""
        originals = {place: getattr(*place) for place in places.values()}
        groups = response.groups_by_path

        def counting(expansion: Any, *arguments: Any) -> Any:
            found = groups(expansion, *arguments)
            columns = sum(len(g.features) * g.n_columns for g in found if g.path != "exact")
            self.products += 2.0 * len(expansion.coef) * columns
            return found

        for label, place in places.items():
            setattr(*place, self._timing(label, originals[place]))
        response.groups_by_path = counting
        try:
            yield
        finally:
            for place, original in originals.items():
                setattr(*place, original)
            response.groups_by_path = groups

    def _timing(self, label: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timing(*arguments: Any, **options: Any) -> Any:
            start = perf_counter()
            try:
                return function(*arguments, **options)
            finally:
                with self.lock:
                    took = perf_counter() - start
                    self.seconds[label] = self.seconds.get(label, 0.0) + took
                    self.calls[label] = self.calls.get(label, 0) + 1

        return timing


def product_rate(kind: type) -> float:
    """Return operations per second of one large product."""
    A = np.random.default_rng(0).normal(size=(2000, 2000)).astype(kind)
    return 2.0 * 2000**3 / in_turns({"product": lambda: A @ A}, repeats=7)["product"].best


def copy_rate() -> float:
    """Return bytes read and written per second when all threads copy."""
    parts = [(np.ones(8_000_000), np.empty(8_000_000)) for _ in range(n_threads())]
    with ThreadPoolExecutor(len(parts)) as pool:

        def copy() -> None:
            list(pool.map(lambda pair: np.copyto(pair[1], pair[0]), parts))

        copy()
        best = in_turns({"copy": copy}, repeats=7)["copy"].best
    return 2.0 * sum(source.nbytes for source, _ in parts) / best


def eliminate_madelon() -> dict[str, Any]:
    """The first 100 of 500 steps."""
    problem = problems.madelon(False)
    machine = SVC(C=0.125, gamma=1.0 / 500)
    options: dict[str, Any] = {"step": 1, "scale": False}
    criterion = SameChanges()
    SVMSieve(machine, criterion=criterion, n_features_to_select=1, **options).fit(
        problem.X[:60, :8], problem.y[:60]
    )
    places = {
        "kernel updates": (ActiveGram, "drop_at"),
        "training": (machines.Machine, "solve"),
        "scores": (SameChanges, "scores"),
    }
    sieve = SVMSieve(machine, criterion=criterion, n_features_to_select=400, **options)
    n = len(problem.y)
    return _measure(lambda: sieve.fit(problem.X, problem.y), places, n, 3.0 * 8.0 * n**2)


def rank_dorothea() -> dict[str, Any]:
    """The whole ranking."""
    problem = problems.dorothea(False)
    machine = SVC(gamma="scale")
    rank(problem.X[:60, :20], problem.y[:60], SamePermutation(), machine, scale=False)
    places = {
        "training": (machines.Machine, "solve"),
        "kernel matrix": (ActiveGram, "__init__"),
        "scores": (SamePermutation, "scores"),
    }
    return _measure(
        lambda: rank(problem.X, problem.y, SamePermutation(), machine, scale=False),
        places,
        len(problem.y),
    )


def tune_madelon() -> dict[str, Any]:
    """All 110 points."""
    problem = problems.madelon(False)
    tuning.tune_svc(
        problem.X[:60], problem.y[:60], Grid([1.0, 2.0], [0.1]), validation=Validation(2)
    )
    places = {
        "training": (growing_c, "train_svc"),
        "kernel matrices": (kernels.RBF, "of_base"),
        "distances": (kernels.RBF, "base"),
    }
    return _measure(lambda: tuning.tune_svc(problem.X, problem.y), places, len(problem.y))


def _measure(
    call: Callable[[], Any], places: dict[str, tuple[Any, str]], n: int, update_bytes: float = 0.0
) -> dict[str, Any]:
    parts = Parts()
    with parts.listening(places):
        seconds, _ = timed(call)
    return {
        "seconds": seconds,
        "parts": parts.seconds,
        "calls": parts.calls,
        "product_operations": n * parts.products,
        "bytes_an_update": update_bytes,
    }


JOBS = {
    "eliminate-madelon": eliminate_madelon,
    "rank-dorothea": rank_dorothea,
    "tune-madelon": tune_madelon,
}


def main() -> None:
    """Measure some jobs and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("jobs", nargs="*", metavar="job", help=", ".join(JOBS))
    options = parser.parse_args()
    content: dict[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {"jobs": {}}
    content["float64"] = product_rate(np.float64)
    content["float32"] = product_rate(np.float32)
    content["copy"] = copy_rate()
    for name in options.jobs or JOBS:
        content["jobs"][name] = found = {"words": JOBS[name].__doc__, **JOBS[name]()}
        print(f"{name}: {human_time(found['seconds'])}; " + _in_words(found, content), flush=True)
        write_json(FILE, content)


def _in_words(found: dict[str, Any], rates: dict[str, Any]) -> str:
    words = [f"{label} {human_time(each)}" for label, each in found["parts"].items()]
    floor = found["product_operations"] / rates["float64"]
    words.append(
        f"the scores' products at {rates['float64'] / 1e9:.0f} GFLOP/s {human_time(floor)}"
    )
    if found["bytes_an_update"]:
        n_updates = found["calls"]["kernel updates"]
        copying = n_updates * found["bytes_an_update"] / rates["copy"]
        words.append(f"the updates at {rates['copy'] / 1e9:.1f} GB/s {human_time(copying)}")
    return ", ".join(words)


if __name__ == "__main__":
    main()
