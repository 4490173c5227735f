"""What the benchmark scripts share: timings, the table, the JSON file, the machine's description."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any


@dataclass(frozen=True)
class Timing:
    """Seconds of repeated runs; on a busy machine the best is the program, the median the weather."""

    seconds: tuple[float, ...]
    extrapolated: bool = False

    @property
    def best(self) -> float:
        """The shortest run."""
        return min(self.seconds)

    @property
    def median(self) -> float:
        """The middle run."""
        return median(self.seconds)

    def times(self, factor: float) -> Timing:
        """Return the timing of ``factor`` such runs, marked as extrapolated."""
        return Timing(tuple(factor * each for each in self.seconds), extrapolated=True)

    def as_dict(self) -> dict[str, Any]:
        """Return what goes into the JSON file."""
        return {
            "best": self.best,
            "median": self.median,
            "seconds": list(self.seconds),
            "extrapolated": self.extrapolated,
        }


def timed(function: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Return the seconds of one call and its result."""
    start = perf_counter()
    result = function(*arguments)
    return perf_counter() - start, result


def in_turns(
    functions: Mapping[str, Callable[[], Any]], *, repeats: int, number: int = 1
) -> dict[str, Timing]:
    """Time the functions in turns, so that other load on the machine meets all of them alike.

    One of the ``repeats`` is the mean of ``number`` calls in a row.  The caller has called each
    function once before: neither compilation nor a cold cache is in the timing.
    """
    seconds: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(repeats):
        for name, function in functions.items():
            start = perf_counter()
            for _ in range(number):
                function()
            seconds[name].append((perf_counter() - start) / number)
    return {name: Timing(tuple(each)) for name, each in seconds.items()}


@dataclass(frozen=True)
class Result:
    """One line of the table: a measured value against its goal."""

    job: str
    against: str
    value: float
    """From the medians."""
    best_value: float
    """From the best runs."""
    unit: str = "x"
    goal: float | None = None
    at_least: bool = True
    ours: Timing | None = None
    theirs: Timing | None = None
    deviation: str = ""
    """How far both answers are apart, where they were compared."""
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def met(self) -> bool | None:
        """Whether the medians reach the goal."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.at_least else self.value <= self.goal

    def as_dict(self) -> dict[str, Any]:
        """Return what goes into the JSON file."""
        content = asdict(self)
        for name in ("ours", "theirs"):
            timing = getattr(self, name)
            content[name] = None if timing is None else timing.as_dict()
        return {**content, "met": self.met}


def ratio(
    job: str, against: str, ours: Timing, theirs: Timing, goal: float | None, **rest: Any
) -> Result:
    """Return how many times faster ours is."""
    return Result(
        job,
        against,
        theirs.median / ours.median,
        theirs.best / ours.best,
        goal=goal,
        ours=ours,
        theirs=theirs,
        **rest,
    )


def human_time(seconds: float) -> str:
    """Format a duration for a person.

    >>> human_time(0.0123)
    '12.3 ms'
    """
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if abs(seconds) >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


def _both(timing: Timing | None) -> str:
    if timing is None:
        return ""
    mark = "~" if timing.extrapolated else ""
    return f"{mark}{human_time(timing.median)} ({mark}{human_time(timing.best)})"


def _value(value: float, unit: str) -> str:
    number = f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f"{number} {unit}".strip()


def print_table(results: Sequence[Result]) -> None:
    """Print the results; times are median (best), ``~`` marks an extrapolated one."""
    header = ("job", "against", "ours", "theirs", "median", "best", "goal", "", "deviation")
    lines = [header]
    for each in results:
        goal = "" if each.goal is None else f"{'>=' if each.at_least else '<='} {each.goal:g}"
        verdict = {None: "", True: "met", False: "MISSED"}[each.met]
        lines.append(
            (
                each.job,
                each.against,
                _both(each.ours),
                _both(each.theirs),
                _value(each.value, each.unit),
                _value(each.best_value, each.unit),
                goal,
                verdict,
                each.deviation,
            )
        )
    widths = [max(len(line[k]) for line in lines) for k in range(len(header))]
    for number, line in enumerate(lines):
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        )
        if number == 0:
            print("  ".join("-" * width for width in widths))


def environment() -> dict[str, Any]:
    """Describe the machine, the libraries and their threads."""
    from threadpoolctl import threadpool_info

    packages = {}
    peers = ("scikit-learn-intelex", "mlxtend", "shap", "pyHSICLasso")
    for name in ("numpy", "scipy", "scikit-learn", "numba", *peers):
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            packages[name] = "not installed"
    pools = [
        {key: pool.get(key) for key in ("prefix", "version", "architecture", "num_threads")}
        for pool in threadpool_info()
    ]
    return {
        "cpu": _cpu_name(),
        "cores": os.cpu_count(),
        "load": os.getloadavg() if hasattr(os, "getloadavg") else None,
        "system": platform.system(),
        "python": platform.python_version(),
        "packages": packages,
        "thread_pools": pools,
    }


def _cpu_name() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def print_environment(content: Mapping[str, Any]) -> None:
    """Print what :func:`environment` found."""
    print(f"CPU: {content['cpu']}, {content['cores']} cores, Python {content['python']}")
    print(", ".join(f"{name} {number}" for name, number in content["packages"].items()))
    for pool in content["thread_pools"]:
        known = [str(pool[key]) for key in ("prefix", "version", "architecture") if pool[key]]
        print(f"{' '.join(known)}: {pool['num_threads']} threads")
    if content["load"]:
        print("load before the run: " + " ".join(f"{each:.2f}" for each in content["load"]))


def write_json(path: str | Path, content: Mapping[str, Any]) -> None:
    """Write the content as JSON."""
    Path(path).write_text(json.dumps(content, indent=1, default=float) + "\n")
