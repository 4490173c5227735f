"""Whether another checkout selects the same: after a change that should only have made things faster.

``python -m benchmarks.same_answers --against FOLDER`` fits the default to twelve tables with the sources of
both checkouts, in a process for each, and prints for each what differs, and both processor times.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
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


def _of_file(name: str, n: int = 10**6, n_columns: int = 10**6) -> tuple[Any, Any]:
    arrays = read(name)
    return _rows_of(arrays["X"][:, :n_columns].astype(np.float64), arrays["y"], n)


TABLES = {
    "iris": lambda: load_iris(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "breast cancer": lambda: _rows_of(*load_breast_cancer(return_X_y=True), 120),
    "diabetes": lambda: _rows_of(*load_diabetes(return_X_y=True), 240),
    "cars": lambda: _of_file("auto-mpg", 240),
    "crx": lambda: _rows_of(*numeric(FILES["crx"]()), 240),
    "glass": lambda: _of_file("glass", 150),
    "pyrim": lambda: _of_file("pyrim", 60),
    "heart": lambda: _of_file("ratsch_heart", 150),
    "colon": lambda: _of_file("colon", n_columns=400),
    "pima": lambda: _of_file("pima", 250),
    "housing": lambda: _of_file("housing", 240),
}
"""Few rows of each: more than 200 and fewer, so that both ways of training are met."""


def answer(name: str) -> dict[str, Any]:
    """Return what the default selects in one table, and its processor time."""
    from svmsieve import SVMSieve

    X, y = TABLES[name]()
    start = time.process_time()
    sieve = SVMSieve(n_jobs=1).fit(X, y)
    return {
        "processor": time.process_time() - start,
        "selected": sieve.get_support(indices=True).tolist(),
        "order": sieve.order_.tolist(),
        "machine": [sieve.estimator_.C, float(sieve.estimator_.gamma)],
        "scores": np.asarray(sieve.path_.mean_score).tolist(),
    }


def ask(checkout: Path, names: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the answers of a checkout, from a process of its own."""
    path = os.pathsep.join([str(checkout / "src"), str(ROOT)])
    command = [sys.executable, "-m", "benchmarks.same_answers", "--answer", *names]
    with subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield json.loads(line)


def differences(ours: dict[str, Any], other: dict[str, Any]) -> str:
    """Say what differs of two answers."""
    said = [key for key in ("selected", "order", "machine") if ours[key] != other[key]]
    if len(ours["scores"]) == len(other["scores"]):
        gap = float(np.abs(np.subtract(ours["scores"], other["scores"])).max())
        said += [f"scores by up to {gap:.1g}"] if gap else ["no bit"]
    return ", ".join(said)


def main() -> None:
    """Compare two checkouts, or answer for one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", help=", ".join(TABLES))
    parser.add_argument("--against", type=Path, default=ROOT)
    parser.add_argument("--answer", action="store_true", help="print the answers of one checkout")
    options = parser.parse_args()
    names, same = options.tables or list(TABLES), 0
    if options.answer:
        warnings.simplefilter("ignore")
        for name in names:
            print(json.dumps(answer(name)), flush=True)
        return
    found = [list(ask(checkout, names)) for checkout in (ROOT, options.against)]
    for name, ours, other in zip(names, *found, strict=True):
        same += ours["selected"] == other["selected"]
        times = f"{other['processor']:.2f} -> {ours['processor']:.2f} s"
        print(f"{name}: {times}; differs: {differences(ours, other)}", flush=True)
    print(f"the same columns in {same} of {len(names)} tables")


if __name__ == "__main__":
    main()
