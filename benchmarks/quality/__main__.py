"""Run pieces that are not there yet, or make the page: ``python -m benchmarks.quality run|page``."""

from __future__ import annotations

import argparse
import json
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.problems import ROOT
from benchmarks.quality.methods import METHODS, Method
from benchmarks.quality.sets import DataSet, Split, all_sets, outer_split
from svmsieve.engine.machines.grid_search import Validation
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.plan import svr_gammas
from svmsieve.engine.machines.scoring import default_scoring
from svmsieve.engine.machines.tuning import SVR_GRID, tune_svc, tune_svr
from svmsieve.inputs.target import make_target
from svmsieve.runtime.threads import one_blas_thread

FOLDER = ROOT / "docs" / "quality"
SPLITS = 5


def judge(split: Split, columns: Any, regression: bool) -> float:
    """Tune an RBF machine on the columns of the training rows; return its score on the others.

    Accuracy, or R²: times 100.  Where the classes are very unequal, accuracy and machine count them the same.
    """
    from sklearn.svm import SVC, SVR

    X, X_test = np.ascontiguousarray(split.X[:, columns]), split.X_test[:, columns]
    machine: Any
    if regression:
        centre, spread = split.y.mean(), split.y.std() or 1.0
        y, y_test = (split.y - centre) / spread, (split.y_test - centre) / spread
        tuning = tune_svr(
            X,
            y,
            replace(SVR_GRID, gamma=svr_gammas(X), epsilon=(0.03, 0.1, 0.3)),
            validation=Validation(scoring="r2"),
        )
        machine = SVR(C=tuning.best_C, gamma=tuning.best_gamma, epsilon=tuning.best_epsilon)
    else:
        y, y_test = split.y, split.y_test
        scoring = default_scoring(make_target(y, False, len(y)))
        smallest = int(np.unique(y, return_counts=True)[1].min())
        alike = "balanced" if scoring == "balanced_accuracy" else None
        tuning = tune_svc(
            X,
            y,
            machine=Machine("hinge", class_weight=alike),
            validation=Validation(max(2, min(5, smallest)), scoring=scoring),
        )
        machine = SVC(C=tuning.best_C, gamma=tuning.best_gamma, class_weight=alike)
    predicted = machine.fit(X, y).predict(X_test)
    if regression:
        return 100.0 * float(
            1.0 - ((y_test - predicted) ** 2).sum() / ((y_test - y_test.mean()) ** 2).sum()
        )
    if scoring == "accuracy":
        return 100.0 * float((predicted == y_test).mean())
    return 100.0 * float(np.mean([(predicted[y_test == c] == c).mean() for c in np.unique(y_test)]))


def piece(data: DataSet, method: Method, number: int) -> dict[str, Any]:
    """Select on one split and judge the choice."""
    split = outer_split(data, number)
    start = time.perf_counter()
    columns = np.asarray(method.select(split.X, split.y, data.regression), dtype=np.intp)
    seconds = time.perf_counter() - start
    found: dict[str, Any] = {
        "split": number,
        "rows": len(split.y),
        "columns": int(split.X.shape[1]),
        "score": round(judge(split, columns, data.regression), 3),
        "seconds": round(seconds, 3),
        "selected": columns.tolist() if len(columns) < split.X.shape[1] else "all",
    }
    if split.truth is not None:
        found["true"] = split.truth
    return found


def file_of(data: DataSet, method: Method) -> Path:
    """Where the pieces of a set and a method are kept."""
    return FOLDER / data.name / f"{method.name.lower().replace(' ', '-')}.json"


def run(sets: list[DataSet], methods: list[Method], n_splits: int) -> None:
    """Run every piece that is not there yet."""
    for number in range(n_splits):
        for data in sets:
            for method in methods:
                file = file_of(data, method)
                pieces = json.loads(file.read_text()) if file.exists() else []
                if any(each["split"] == number for each in pieces):
                    continue
                if len(data.draw(0)[0][0]) > method.most_columns:
                    continue
                try:
                    with one_blas_thread(), warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        found = piece(data, method, number)
                except Exception as error:  # a peer that cannot is told of, and the others go on
                    print(
                        f"{data.name} {number} {method.name}: {type(error).__name__}: {error}",
                        flush=True,
                    )
                    continue
                file.parent.mkdir(parents=True, exist_ok=True)
                text = ",\n".join(json.dumps(each) for each in [*pieces, found])
                file.write_text(f"[\n{text}\n]\n")
                n = found["columns"] if found["selected"] == "all" else len(found["selected"])
                print(
                    f"{data.name} {number} {method.name}: {found['score']:.1f} with {n} of "
                    f"{found['columns']}, {found['seconds']:.1f} s",
                    flush=True,
                )


def main() -> None:
    """Parse and go."""
    known = all_sets()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["run", "page"])
    parser.add_argument("--sets", nargs="+", choices=sorted(known), default=list(known))
    parser.add_argument("--methods", nargs="+", choices=sorted(METHODS), default=list(METHODS))
    parser.add_argument("--splits", type=int, default=SPLITS)
    options = parser.parse_args()
    if options.what == "run":
        run(
            [known[name] for name in options.sets],
            [METHODS[name] for name in options.methods],
            options.splits,
        )
    else:
        from benchmarks.quality.page import write_page

        write_page()


if __name__ == "__main__":
    main()
