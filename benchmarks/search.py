"""Measure eliminations against scikit-learn.

    python -m benchmarks.search [--quick] [--json results.json]

Jobs: all of madelon's features one by one with fspp2 and an RBF machine, against one SVC.fit on all
features; colon's genes one by one with a linear machine, against scikit-learn's RFE.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from scipy.stats import spearmanr
from sklearn.feature_selection import RFE
from sklearn.svm import SVC

from benchmarks.problems import colon, madelon
from benchmarks.timing import (
    Result,
    Timing,
    environment,
    in_turns,
    print_environment,
    print_table,
    ratio,
    timed,
    write_json,
)
from svmsieve import SVMSieve

SKLEARN = "scikit-learn"


def madelon_one_by_one(quick: bool) -> Result:
    """Eliminate every feature; the opponent fits one machine."""
    problem = madelon(quick)
    X, y = problem.X, problem.y
    machine = SVC(C=0.125, gamma=1 / X.shape[1])
    theirs = in_turns({SKLEARN: lambda: machine.fit(X, y)}, repeats=3)[SKLEARN]
    sieve = SVMSieve(
        machine, criterion="fspp2", step=1, n_features_to_select=1, scale=False, random_state=0
    )
    seconds, _ = timed(sieve.fit, X, y)
    fits = seconds / theirs.median
    return Result(
        f"madelon {X.shape[0]} x {X.shape[1]}, fspp2, one by one",
        "one SVC.fit on all features",
        fits,
        fits,
        unit="fits",
        goal=100.0,
        at_least=False,
        ours=Timing((seconds,)),
        theirs=theirs,
    )


def colon_one_by_one(quick: bool) -> Result:
    """Eliminate every gene with w_i², against the same in scikit-learn."""
    problem = colon(quick)
    X, y = problem.X, problem.y
    machine = SVC(kernel="linear", C=1.0, tol=1e-6)
    sieve = SVMSieve(machine, criterion="weight", step=1, n_features_to_select=1, scale=False)
    sieve.fit(X, y)
    ours = in_turns({"ours": lambda: sieve.fit(X, y)}, repeats=3)["ours"]
    rfe = RFE(machine, n_features_to_select=1, step=1)
    seconds, _ = timed(rfe.fit, X, y)
    r = spearmanr(sieve.ranking_, rfe.ranking_).statistic
    equal = int((sieve.ranking_ == rfe.ranking_).sum())
    return ratio(
        f"colon {X.shape[0]} x {X.shape[1]}, linear weight, one by one",
        f"{SKLEARN} RFE",
        ours,
        Timing((seconds,)),
        20.0,
        deviation=f"Spearman {r:.6f}, {equal} of {len(rfe.ranking_)} ranks equal",
    )


def main() -> None:
    """Run the jobs and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few features: does it run at all?")
    parser.add_argument("--json", type=Path, help="write the results to this file")
    arguments = parser.parse_args()
    described = environment()
    print_environment(described)
    results = [colon_one_by_one(arguments.quick), madelon_one_by_one(arguments.quick)]
    print_table(results)
    if arguments.json:
        rows = [result.as_dict() for result in results]
        write_json(arguments.json, {"environment": described, "results": rows})


if __name__ == "__main__":
    main()
