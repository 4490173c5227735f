"""Whether another checkout selects the same: after a change that should only have made things faster.

``python -m benchmarks.same_answers --against FOLDER`` fits the default to twelve tables with the sources of
both checkouts, each in a process of its own, and prints for each what differs, and both processor times.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

from benchmarks.answers import TABLES as FILES
from benchmarks.answers import numeric
from benchmarks.problems import ROOT, read


def _rows_of(X: Any, y: Any, n: int) -> tuple[Any, Any]:
    """Some rows, in their order: the table in less time."""
    rows = np.sort(np.random.default_rng(0).permutation(len(y))[:n])
    return X[rows], y[rows]


def _of_file(name: str, n: int = 10**6) -> tuple[Any, Any]:
    arrays = read(name)
    return _rows_of(arrays["X"].astype(np.float64), arrays["y"], n)


TABLES = {
    "iris": lambda: load_iris(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "breast cancer, 250 rows": lambda: _rows_of(*load_breast_cancer(return_X_y=True), 250),
    "diabetes": lambda: load_diabetes(return_X_y=True),
    "cars": lambda: _of_file("auto-mpg"),
    "crx": lambda: numeric(FILES["crx"]()),
    "glass": lambda: _of_file("glass"),
    "pyrim": lambda: _of_file("pyrim"),
    "heart": lambda: _of_file("ratsch_heart"),
    "colon": lambda: _of_file("colon"),
    "pima, 300 rows": lambda: _of_file("pima", 300),
    "housing, 250 rows": lambda: _of_file("housing", 250),
}


def answer(name: str) -> dict[str, Any]:
    """Return what the default selects in one table, and its processor time without compilation."""
    from svmsieve import SVMSieve

    X, y = TABLES[name]()
    warnings.simplefilter("ignore")
    few = np.r_[0:12, len(y) - 12 : len(y)]
    SVMSieve(n_jobs=1, cv=2).fit(np.asarray(X)[few, :3], np.asarray(y)[few])  # compiles the most
    start = time.process_time()
    sieve = SVMSieve(n_jobs=1).fit(X, y)
    return {
        "processor": time.process_time() - start,
        "selected": sieve.get_support(indices=True).tolist(),
        "order": sieve.order_.tolist(),
        "machine": [sieve.estimator_.C, float(sieve.estimator_.gamma)],
        "scores": np.asarray(sieve.path_.mean_score).tolist(),
    }


def ask(checkout: Path, name: str) -> dict[str, Any]:
    """Return the answer of a checkout, from a process of its own."""
    path = os.pathsep.join([str(checkout / "src"), str(ROOT)])
    found = subprocess.run(
        [sys.executable, "-m", "benchmarks.same_answers", "--table", name],
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
    )
    return dict(json.loads(found.stdout))


def differences(ours: dict[str, Any], other: dict[str, Any]) -> str:
    """Say what differs of two answers."""
    said = [key for key in ("selected", "order", "machine") if ours[key] != other[key]]
    if len(ours["scores"]) == len(other["scores"]):
        gap = float(np.abs(np.subtract(ours["scores"], other["scores"])).max())
        said += [f"scores by up to {gap:.1g}"] if gap else ["no bit"]
    return ", ".join(said)


def main() -> None:
    """Compare two checkouts, or answer for one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, default=ROOT)
    parser.add_argument("--table", choices=TABLES, help="print the answer of this checkout alone")
    parser.add_argument("--only", nargs="*", choices=TABLES, default=list(TABLES))
    options = parser.parse_args()
    if options.table is not None:
        print(json.dumps(answer(options.table)))
        return
    same = 0
    for name in options.only:
        ours, other = ask(ROOT, name), ask(options.against, name)
        same += ours["selected"] == other["selected"]
        times = f"{other['processor']:.2f} -> {ours['processor']:.2f} s"
        print(f"{name}: {times}; differs: {differences(ours, other)}", flush=True)
    print(f"the same columns in {same} of {len(options.only)} tables")


if __name__ == "__main__":
    main()
