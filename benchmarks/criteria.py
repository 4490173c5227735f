"""Measure the criteria against one fit of scikit-learn's machine on the same data.

    python -m benchmarks.criteria [--quick] [--only madelon arcene ...] [--json results.json]

The time of a criterion is that of its scores, given the trained machine; training and calibration
have lines of their own.  See README.md in this folder.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.svm import SVR

from benchmarks.problems import Problem, arcene, colon, cpusmall, dorothea, madelon
from benchmarks.timing import (
    Result,
    Timing,
    environment,
    human_time,
    in_turns,
    print_environment,
    print_table,
    timed,
    write_json,
)
from svmsieve.criteria import (
    CRITERIA,
    RANKING_TOL,
    Criterion,
    Data,
    Fitted,
    final_scores,
    names_for,
)
from svmsieve.engine.kernels.gram import ActiveGram
from svmsieve.engine.kernels.kernel import make_kernel
from svmsieve.engine.machines.machine import Loss, Machine
from svmsieve.engine.machines.target import Classes, Numbers
from svmsieve.engine.machines.trained import Trained, train
from svmsieve.runtime.threads import one_blas_thread

REMOVING = ("weight-retrained", "radius-margin-retrained", "span", "span-retrained")
"""Criteria that build and solve a problem for each removed feature: their time is linear in d."""


@dataclass
class Run:
    """The settings and findings of one run of this script."""

    quick: bool
    limit: float
    repeats: int
    criteria: list[str]
    results: list[Result] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    rate: float = np.nan
    """Operations a second of a matrix product in double precision."""

    def note(self, text: str) -> None:
        """Print a remark and keep it for the JSON file."""
        self.notes.append(text)
        print(f"  {text}", flush=True)

    def add(self, result: Result) -> None:
        """Keep a result; goals hold for the full sizes only."""
        self.results.append(replace(result, goal=None) if self.quick else result)


PROBLEMS: dict[str, Callable[[bool], Problem]] = {
    "madelon": madelon,
    "colon": colon,
    "arcene": arcene,
    "dorothea": dorothea,
    "cpusmall": cpusmall,
}


class Ready:
    """A problem with our machines trained on it, one for each kind of loss."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        regression = isinstance(problem.estimator, SVR)
        self.target = (Numbers if regression else Classes).of(problem.y)
        self.names = names_for(self.target.task)
        self.gram = self._gram()
        self.data = Data(self.gram, self.target, tol=RANKING_TOL)
        self.machine = self._train("epsilon" if regression else "hinge", self.gram)
        self.squared = None
        if not regression:
            self.squared = self._train("squared_hinge", self.gram)
            self.sigmoids = self.machine.calibrate()

    def _gram(self) -> ActiveGram:
        X, estimator = self.problem.X, self.problem.estimator
        return ActiveGram(X, make_kernel(estimator.kernel, X, gamma=estimator.gamma))

    def _train(self, loss: Loss, gram: ActiveGram) -> Trained:
        return train(Machine(loss, C=self.problem.estimator.C), gram, self.target)

    def trainings(self) -> dict[str, Callable[[], Any]]:
        """What comes before the criteria: kernel matrix and training, calibration."""
        loss = self.machine.machine.loss
        calls: dict[str, Callable[[], Any]] = {
            "kernel matrix and training": lambda: self._train(loss, self._gram())
        }
        if self.squared is not None:
            calls["the same, squared hinge"] = lambda: self._train("squared_hinge", self._gram())
            calls["calibration (Platt)"] = self.machine.calibrate
        return calls

    def scoring(self, name: str, n_removals: int | None = None) -> Callable[[], Any]:
        """Return the call that scores all features, or the first ``n_removals`` of them."""
        criterion = CRITERIA[name]()
        data = self.data
        if n_removals is not None:
            data = replace(data, groups=tuple(np.array([i]) for i in range(n_removals)))

        # New objects: what an earlier call left in them must not help this one.
        def score() -> Any:
            with one_blas_thread():  # as `rank` does
                return final_scores(criterion, self._fitted(criterion), replace(data))

        return score

    def _fitted(self, criterion: Criterion) -> Fitted | None:
        if criterion.machine is None:
            return None
        trained = self.machine if criterion.machine == "svm" else self.squared
        assert trained is not None
        return Fitted(replace(trained), self.sigmoids if criterion.needs_probabilities else ())


def job(run: Run, problem: Problem) -> None:
    """Time training, calibration and every criterion in turns with scikit-learn's fit."""
    ready = Ready(problem)
    n, d = problem.X.shape
    support = len(ready.machine.parts[0].centers)
    run.note(f"{n} x {d}, {problem.estimator}, kernel {ready.gram.kernel}: {support} centres")
    fit = "one fit of scikit-learn"
    calls: dict[str, Callable[[], Any]] = {
        fit: lambda: clone(problem.estimator).fit(problem.X, problem.y)
    }
    calls.update(ready.trainings())
    partial: dict[str, Timing] = {}
    for name in (name for name in ready.names if name in run.criteria):
        if name in REMOVING:
            timing = _few_removals(run, ready, name)
            if timing is not None:
                partial[name] = timing
                continue
        took, _ = timed(ready.scoring(name))  # compiles
        if took > 2.0 * run.limit:
            took, _ = timed(ready.scoring(name))
        if took > run.limit:
            run.note(f"{name}: {human_time(took)}, measured once (--limit)")
            partial[name] = Timing((took,))
            continue
        calls[name] = ready.scoring(name)
    for call in list(calls.values())[: 1 + len(ready.trainings())]:
        call()
    times = in_turns(calls, repeats=run.repeats)
    theirs = times.pop(fit)
    run.note(f"{fit}: {human_time(theirs.median)} ({human_time(theirs.best)})")
    if problem.goal is not None:
        note_floors(run, ready, theirs)
    order = [*ready.trainings(), *(name for name in ready.names if name in run.criteria)]
    for name in order:
        ours = times.get(name) or partial[name]
        run.add(_result(problem, name, ours, theirs))


def _few_removals(run: Run, ready: Ready, name: str) -> Timing | None:
    """Return the extrapolated time of a removing criterion, or None if it can be measured whole."""
    d = ready.problem.X.shape[1]
    n_removals = min(d, 4 if run.quick else 20)
    ready.scoring(name, 2)()  # compiles
    few, _ = timed(ready.scoring(name, n_removals))
    if few * d / n_removals <= run.limit:
        return None
    run.note(f"{name}: {n_removals} of {d} removals in {human_time(few)}, extrapolated (--limit)")
    return Timing((few,)).times(d / n_removals)


def _result(problem: Problem, name: str, ours: Timing, theirs: Timing) -> Result:
    retrains = name.endswith("-retrained") or name not in CRITERIA
    return Result(
        f"{problem.name}: {name}",
        "sklearn fit",
        ours.median / theirs.median,
        ours.best / theirs.best,
        goal=None if retrains else problem.goal,
        at_least=False,
        ours=ours,
        theirs=theirs,
    )


def note_floors(run: Run, ready: Ready, fit: Timing) -> None:
    """Say how many fits the work of `span` and of `forest` takes at the best.

    `span` needs the diagonal of an inverse for each feature: a factor and its inverse, m³/3 each.  This
    counts that way to compute it, with two classes; it does not prove that there is no other.
    """
    d = ready.problem.X.shape[1]
    if ready.squared is not None and "span" in run.criteria:
        (part,) = ready.squared.parts
        m = len(part.centers)
        work = 2.0 / 3.0 * m**3 * d
        run.note(
            f"floor of span: {d} inverses of {m} x {m}, {1e-9 * work:.1f} GFLOP, are "
            f"{work / run.rate / fit.median:.1f} fits at the rate of a matrix product"
        )
    if "forest" in run.criteria:
        trees = RandomForestClassifier(CRITERIA["forest"]().n_trees, n_jobs=-1, random_state=0)
        took, _ = timed(trees.fit, ready.problem.X, ready.problem.y)
        run.note(
            f"floor of forest: scikit-learn grows its {trees.n_estimators} trees in "
            f"{human_time(took)}, {took / fit.median:.1f} fits"
        )


def note_products(run: Run) -> None:
    """Say how fast a matrix product is here, in both precisions."""
    n = 200 if run.quick else 2000
    rates = []
    for kind in (np.float64, np.float32):
        A = np.random.default_rng(0).normal(size=(n, n)).astype(kind)
        seconds = in_turns({"product": lambda A=A: A @ A}, repeats=7)["product"].best
        rate = 2.0 * n**3 / seconds
        run.rate = rate if kind is np.float64 else run.rate
        rates.append(f"{1e-9 * rate:.0f} GFLOP/s in {np.dtype(kind).name}")
    run.note(f"product of two {n} x {n} matrices, best: {', '.join(rates)}")


def main() -> None:
    """Run the problems, print the table, write the JSON file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="small sizes: does it run at all?")
    parser.add_argument(
        "--only", nargs="+", choices=list(PROBLEMS), default=list(PROBLEMS), metavar="PROBLEM"
    )
    parser.add_argument(
        "--criteria", nargs="+", choices=list(CRITERIA), default=list(CRITERIA), metavar="NAME"
    )
    parser.add_argument(
        "--limit",
        type=float,
        default=10.0,
        help="seconds a criterion may take to be measured whole and more than once",
    )
    parser.add_argument("--repeats", type=int, help="how often each is measured (7; quick: 2)")
    parser.add_argument("--json", type=Path, help="where the figures go")
    options = parser.parse_args()
    about = environment()
    print_environment(about)
    repeats = options.repeats or (2 if options.quick else 7)
    run = Run(options.quick, options.limit, repeats, options.criteria)
    note_products(run)
    for name in options.only:
        print(f"\n{name}: {PROBLEMS[name].__doc__}", flush=True)
        job(run, PROBLEMS[name](options.quick))
    print("\ntimes: median (best); ~ extrapolated; ratios: ours / theirs\n")
    print_table(run.results)
    if hasattr(os, "getloadavg"):
        about["load_after"] = os.getloadavg()
        print("\nload after the run: " + " ".join(f"{each:.2f}" for each in about["load_after"]))
    if options.json is not None:
        write_json(
            options.json,
            {
                "environment": about,
                "quick": options.quick,
                "notes": run.notes,
                "results": [each.as_dict() for each in run.results],
            },
        )


if __name__ == "__main__":
    main()
