"""Run some jobs, or all: ``python -m benchmarks.peers [job ...] [--quick]``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace

from benchmarks.peers import elimination, forward, ranking, tuning, validation
from benchmarks.problems import ROOT
from benchmarks.timing import Result, environment, print_environment, print_table, timed, write_json

FOLDER = ROOT / "docs" / "benchmarks"
JOBS: dict[str, Callable[[bool], list[Result]]] = {
    "rank-madelon": ranking.madelon,
    "rank-arcene": ranking.arcene,
    "rank-cpusmall": ranking.cpusmall,
    "rank-dorothea": ranking.dorothea,
    "rank-heart": ranking.heart_shap,
    "rank-f-score": ranking.f_score,
    "eliminate-colon": elimination.colon,
    "eliminate-colon-intelex": elimination.colon_intelex,
    "eliminate-madelon": elimination.madelon,
    "eliminate-heart": elimination.heart,
    "eliminate-hsic": elimination.hsic,
    "forward-heart": forward.heart,
    "forward-crx": forward.crx,
    "tune-heart": tuning.heart,
    "tune-madelon": tuning.madelon,
    "validate-colon": validation.colon,
}


def main() -> None:
    """Run the jobs, print their lines and keep them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jobs", nargs="*", metavar="job", help=", ".join(JOBS))
    parser.add_argument("--quick", action="store_true", help="small sizes: does it run at all?")
    options = parser.parse_args()
    unknown = set(options.jobs) - set(JOBS)
    if unknown:
        parser.error(f"unknown jobs {', '.join(sorted(unknown))}; known: {', '.join(JOBS)}")
    about = environment()
    print_environment(about)
    for name in options.jobs or JOBS:
        seconds, results = timed(JOBS[name], options.quick)
        print(f"\n{name}: {JOBS[name].__doc__} ({seconds:.0f} s)")
        if options.quick:
            print_table([replace(each, goal=None) for each in results])
            continue
        print_table(results)
        rows = [each.as_dict() for each in results]
        write_json(FOLDER / f"{name}.json", {"job": name, "environment": about, "results": rows})


if __name__ == "__main__":
    main()
