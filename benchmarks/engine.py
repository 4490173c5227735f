"""Measure the engine against scikit-learn and scikit-learn-intelex.

    python -m benchmarks.engine [--quick] [--only fit refit ...] [--json results.json]

Each job first compares the answers, then the times.  See README.md in this folder.
"""

from __future__ import annotations

import argparse
import importlib
import json
import logging
import os
import pkgutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import svmsieve.engine
from benchmarks.timing import (
    Result,
    Timing,
    environment,
    human_time,
    in_turns,
    print_environment,
    print_table,
    ratio,
    timed,
    write_json,
)
from svmsieve.engine.effects import response
from svmsieve.engine.kernels.gram import ActiveGram
from svmsieve.engine.kernels.kernel import RBF
from svmsieve.engine.machines.expansion import Expansion
from svmsieve.engine.machines.fit import fit_svc
from svmsieve.engine.machines.folds import stratified_folds
from svmsieve.engine.machines.grid_search import Validation
from svmsieve.engine.machines.machine import Machine, train_svc
from svmsieve.engine.machines.tuned_grid import Grid
from svmsieve.engine.machines.tuning import SVC_C, SVC_GAMMA, tune_svc
from svmsieve.runtime.threads import one_blas_thread

SKLEARN = "scikit-learn"
INTELEX = "sklearn-intelex"
ROOT = Path(__file__).resolve().parents[1]


@dataclass
class Run:
    """The settings and findings of one run of this script."""

    quick: bool
    whole_grid: bool
    machines: dict[str, Any]
    X: Any
    y: Any
    data: str
    results: list[Result] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Print a remark and keep it for the JSON file."""
        self.notes.append(text)
        print(f"  {text}", flush=True)

    def add(self, result: Result) -> None:
        """Keep a result; goals hold for the full sizes, and against scikit-learn."""
        without = self.quick or result.against == INTELEX
        self.results.append(replace(result, goal=None) if without else result)


def load_data(quick: bool) -> tuple[Any, Any, str]:
    """Return the standardised samples, labels ±1 and a description."""
    folder = Path(os.environ.get("SVMSIEVE_DATA", ROOT.parent / "shared" / "data"))
    n, d = (300, 40) if quick else (2000, 500)
    if quick or not (folder / "madelon.npz").exists():
        X, codes = make_classification(
            n, d, n_informative=5, n_redundant=15, n_clusters_per_class=16, random_state=0
        )
        y = np.where(codes > 0, 1.0, -1.0)
        description = f"synthetic, {n} x {d}" + ("" if quick else " (madelon.npz was not found)")
    else:
        with np.load(folder / "madelon.npz", allow_pickle=False) as file:
            X, y = file["X_train"].astype(np.float64), file["y_train"].astype(np.float64)
        description = f"madelon, {X.shape[0]} x {X.shape[1]}"
    return StandardScaler().fit_transform(X), y, description


class _Listener(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def rival_machines() -> tuple[dict[str, Any], list[str]]:
    """Return the SVC classes to compare with, and what is missing."""
    machines: dict[str, Any] = {SKLEARN: SVC}
    try:
        intelex = importlib.import_module("sklearnex.svm")
    except ImportError as error:
        return machines, [f"{INTELEX} was not compared: {error}"]
    machines[INTELEX] = intelex.SVC
    listener = _Listener()
    logger = logging.getLogger("sklearnex")
    level, propagate, handlers = logger.level, logger.propagate, logger.handlers
    logger.setLevel(logging.INFO)
    logger.propagate, logger.handlers = False, [listener]
    X = np.random.default_rng(0).normal(size=(20, 3))
    intelex.SVC().fit(X, X[:, 0] > 0).decision_function(X)
    logger.setLevel(level)
    logger.propagate, logger.handlers = propagate, handlers
    if any("fallback" in message for message in listener.messages):
        return machines, [f"{INTELEX} fell back to {SKLEARN} here: its lines mean nothing"]
    return machines, []


def largest_deviation(first: Any, second: Any) -> float:
    """Return the largest difference of two arrays."""
    return float(np.max(np.abs(np.asarray(first) - np.asarray(second))))


def job_fit(run: Run) -> None:
    """Fit 50 samples of 50 features: what a call costs before the numbers do."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 50))
    y = np.where(X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=50) > 0, 1.0, -1.0)
    gamma = 1.0 / 50
    kernel = RBF(gamma)
    ours = fit_svc(X, y, kernel, Machine(C=1.0)).decision_values(X)[:, 0]
    calls: dict[str, Callable[[], Any]] = {"ours": lambda: fit_svc(X, y, kernel, Machine(C=1.0))}
    deviations = {}
    for name, machine in run.machines.items():
        calls[name] = lambda machine=machine: machine(gamma=gamma, C=1.0).fit(X, y)
        deviations[name] = largest_deviation(ours, calls[name]().decision_function(X))
        run.note(f"decision values against {name}: largest deviation {deviations[name]:.1e}")
    times = in_turns(calls, repeats=5 if run.quick else 30, number=100)
    K = kernel.of_base(kernel.base(X, X))
    solver = in_turns({"train": lambda: train_svc(K, y, 1.0)}, repeats=10, number=100)["train"]
    run.note(
        f"of our {human_time(times['ours'].median)}, training on a given kernel matrix takes "
        f"{human_time(solver.median)}"
    )
    for name in run.machines:
        run.add(
            ratio(
                "(a) fit, 50 x 50",
                name,
                times["ours"],
                times[name],
                20.0,
                deviation=f"{deviations[name]:.1e}",
                details={"train_given_kernel_matrix": solver.median},
            )
        )


def job_refit(run: Run) -> None:
    """Drop one feature after another and train again, from the last solution."""
    X, y = run.X, run.y
    n, d = X.shape
    gamma = 1.0 / d
    n_drops, n_rival = (6, 3) if run.quick else (80, 8)
    order = np.random.default_rng(1).permutation(d)[:n_drops]
    every = n_drops // n_rival
    gram = ActiveGram(X, RBF(gamma))
    dual = train_svc(gram.matrix, y, 1.0)
    ActiveGram(X[:, :4], RBF(gamma)).drop([0])  # compiles before the clock runs
    ours: list[float] = []
    single: list[float] = []
    parts: dict[str, list[float]] = {"drop": [], "train": [], "steps": [], "matrix_vector": []}
    rivals: dict[str, list[float]] = {name: [] for name in run.machines}
    deviations = dict.fromkeys(run.machines, 0.0)
    for number, feature in enumerate(order):
        # Every second time with one BLAS thread, as svmsieve.rank and the searches run.
        with one_blas_thread() if number % 2 else nullcontext():
            start = perf_counter()
            gram.drop([feature])
            middle = perf_counter()
            dual = train_svc(gram.matrix, y, 1.0, start=dual.alpha)
            stop = perf_counter()
        if number % 2:
            single.append(stop - start)
        else:
            ours.append(stop - start)
            parts["drop"].append(middle - start)
            parts["train"].append(stop - middle)
            parts["steps"].append(dual.n_iter)
            parts["matrix_vector"].append(timed(np.matmul, gram.matrix, dual.coef)[0])
        if number % every == 0:
            left = np.take(X, gram.active, axis=1)
            for name, machine in run.machines.items():
                seconds, fitted = timed(machine(gamma=gamma, C=1.0).fit, left, y)
                rivals[name].append(seconds)
                gap = largest_deviation(dual.decision, fitted.decision_function(left))
                deviations[name] = max(deviations[name], gap)
    middle_parts = {name: float(np.median(values)) for name, values in parts.items()}
    rest = middle_parts["train"] - middle_parts["matrix_vector"]
    run.note(
        f"a refit: kernel update {human_time(middle_parts['drop'])}, training "
        f"{human_time(middle_parts['train'])} = K @ c {human_time(middle_parts['matrix_vector'])} "
        f"+ {middle_parts['steps']:.0f} steps and the rest {human_time(rest)} (medians)"
    )
    alone = Timing(tuple(single))
    run.note(
        f"with one BLAS thread, as in svmsieve.rank: {human_time(alone.median)} a refit "
        f"(best {human_time(alone.best)})"
    )
    for name in run.machines:
        run.note(f"decision values against {name}: largest deviation {deviations[name]:.1e}")
        run.add(
            ratio(
                f"(b) refit without one of {d} features, n = {n}",
                name,
                Timing(tuple(ours)),
                Timing(tuple(rivals[name])),
                20.0,
                deviation=f"{deviations[name]:.1e}",
                details={**middle_parts, "one_blas_thread": alone.as_dict()},
            )
        )


def job_response(run: Run) -> None:
    """Permute each feature once and look at all decision values."""
    X, y = run.X, run.y
    n, d = X.shape
    gamma = 1.0 / d
    rng = np.random.default_rng(2)
    permuted = np.column_stack([rng.permutation(column) for column in X.T])
    n_rival = 4 if run.quick else 10
    features = rng.choice(d, n_rival, replace=False)
    parts: dict[str, float] = {}

    def ours(expansion: Expansion, known: Any) -> Any:
        out = np.empty_like(X)
        build = evaluate = 0.0
        last = perf_counter()
        for block in response.response_blocks(expansion, X, known=known):
            made = perf_counter()
            values = np.take(permuted[block.rows], block.features, axis=1)
            out[block.rows, block.features] = block.at(values)
            build += made - last
            last = perf_counter()
            evaluate += last - made
        parts.update(build=build, evaluate=evaluate)
        return out

    samples = []
    for feature in features:
        changed = X.copy()
        changed[:, feature] = permuted[:, feature]
        samples.append(changed)

    fitted = {name: machine(gamma=gamma, C=1.0).fit(X, y) for name, machine in run.machines.items()}
    deviations = {}
    rivals: dict[str, Timing] = {}
    for name, machine in fitted.items():
        expansion = _expansion_of(machine, gamma)
        mine = ours(expansion, response.KnownKernel.of(expansion.kernel, X, expansion.centers))
        seconds = []
        gap = 0.0
        for feature, changed in zip(features, samples, strict=True):
            took, values = timed(machine.decision_function, changed)
            seconds.append(took)
            gap = max(gap, largest_deviation(mine[:, feature], values))
        scale = float(np.abs(expansion.coef).sum())
        deviations[name] = gap
        run.note(
            f"the same machine by {name}: largest deviation {gap:.1e}, "
            f"relative to the sum of |c| {gap / scale:.1e}"
        )
        rivals[name] = Timing(tuple(seconds)).times(d)
    run.note(f"the others: {n_rival} features measured, extrapolated to {d}")

    expansion = _expansion_of(fitted[SKLEARN], gamma)
    known = response.KnownKernel.of(expansion.kernel, X, expansion.centers)
    m = len(expansion.coef)
    groups = _groups_used(lambda: ours(expansion, known))
    products = [group for group in groups if group.path != "exact"]
    columns = sum(len(group.features) * group.n_columns for group in products)
    A, B = rng.normal(size=(n, m)), rng.normal(size=(m, columns))
    np.matmul(A, B)
    times = in_turns(
        {
            "product": lambda: A @ B,
            "with kernel": lambda: ours(expansion, None),
            "ours": lambda: ours(expansion, known),
        },
        repeats=3 if run.quick else 9,
    )
    with one_blas_thread():
        alone = in_turns({"ours": lambda: ours(expansion, known)}, repeats=3 if run.quick else 9)[
            "ours"
        ]
    ours(expansion, known)
    shares = [
        f"{len(group.features)} {group.path} of {group.n_columns} columns"
        + (f" ({group.n_double} in double)" if getattr(group, "n_double", 0) else "")
        for group in groups
    ]
    run.note(f"{m} centres; features: " + ", ".join(shares))
    rate = 2e-9 * n * m * columns / times["product"].median
    run.note(
        f"product ({n} x {m}) @ ({m} x {columns}) in float64: "
        f"{human_time(times['product'].median)}, {rate:.0f} GFLOP/s"
    )
    run.note(
        f"ours: products and what goes into them {human_time(parts['build'])}, "
        f"evaluation {human_time(parts['evaluate'])} (last run); "
        f"with the kernel matrix computed too {human_time(times['with kernel'].median)}"
    )
    run.note(
        f"with one BLAS thread, as in svmsieve.rank: {human_time(alone.median)} "
        f"(best {human_time(alone.best)})"
    )
    details = {
        "one_blas_thread": alone.as_dict(),
        "centres": m,
        "product_columns": columns,
        "groups": shares,
        "build": parts["build"],
        "evaluate": parts["evaluate"],
        "with_kernel_computed": times["with kernel"].as_dict(),
    }
    for name in run.machines:
        run.add(
            ratio(
                f"(c) permute each of {d} features, n = {n}",
                name,
                times["ours"],
                rivals[name],
                1000.0,
                deviation=f"{deviations[name]:.1e}",
                details=details,
            )
        )
    run.add(
        ratio("(c) share of the rate of", "A @ B, float64", times["ours"], times["product"], 0.5)
    )


def _groups_used(call: Callable[[], Any]) -> list[Any]:
    """Return the groups of features that a call of the response makes."""
    found: list[Any] = []
    original = response.groups_by_path

    def listening(*arguments: Any, **options: Any) -> Any:
        found.extend(original(*arguments, **options))
        return list(found)

    response.groups_by_path = listening
    try:
        call()
    finally:
        response.groups_by_path = original
    return found


def _expansion_of(machine: Any, gamma: float) -> Expansion:
    """Take over a fitted SVC of two classes."""
    return Expansion(
        RBF(gamma),
        np.ascontiguousarray(machine.support_vectors_, dtype=np.float64),
        np.ascontiguousarray(machine.dual_coef_[0], dtype=np.float64),
        float(np.ravel(machine.intercept_)[0]),
    )


def job_tune(run: Run) -> None:
    """Cross-validate 110 points of C and γ in 5 folds."""
    X, y = run.X, run.y
    folds = stratified_folds((y > 0).astype(np.intp), 5)
    n = len(y)
    cv = [(np.setdiff1d(np.arange(n), held), held) for held in folds]
    # A spread over the grid: each C once, each gamma at least once.
    points = [(c, 3 * c % len(SVC_GAMMA)) for c in range(len(SVC_C))]
    if run.whole_grid:
        points = [(c, g) for c in range(len(SVC_C)) for g in range(len(SVC_GAMMA))]
    elif run.quick:
        points = points[:4]
    tune_svc(X[:60], y[:60], Grid(SVC_C[:2], SVC_GAMMA[:1]), validation=Validation(2))
    n_points = len(SVC_C) * len(SVC_GAMMA)
    names = ", ".join(
        f"(2^{np.log2(SVC_C[c]):.0f}, 2^{np.log2(SVC_GAMMA[g]):.0f})" for c, g in points
    )
    measured = "all points" if run.whole_grid else f"(C, gamma) = {names}, mean x {n_points}"
    run.note(f"the others: measured {measured}")
    grid = [{"C": [SVC_C[c]], "gamma": [SVC_GAMMA[g]]} for c, g in points]
    searches = {
        name: GridSearchCV(
            machine(), grid, scoring="balanced_accuracy", cv=cv, n_jobs=2, refit=False
        )
        for name, machine in run.machines.items()
    }
    for search in searches.values():  # start the workers before the clock
        clone(search).set_params(param_grid=grid[:2], cv=2).fit(X[:60], y[:60])
    ends: list[float] = []
    begin = perf_counter()

    def at_end(done: int, total: int) -> None:
        ends.append(perf_counter() - begin)

    seconds: dict[str, list[float]] = {name: [] for name in ("ours", *searches)}
    for _ in range(1 if run.quick or run.whole_grid else 3):
        ends.clear()
        begin = perf_counter()
        took, tuning = timed(lambda: tune_svc(X, y, validation=Validation(folds), progress=at_end))
        seconds["ours"].append(took)
        for name, search in searches.items():
            seconds[name].append(timed(search.fit, X, y)[0])
    by_gamma = np.diff([0.0, *ends]).tolist()
    n_converged = int(tuning.converged.sum())
    run.note(
        f"ours by gamma, 2^-15 to 2^3: {' '.join(f'{each:.2f}' for each in by_gamma)} s (last run); "
        f"{n_converged} of {n_points} points converged"
    )
    to_the_end = None
    if n_converged < n_points:
        # The others go on until they converge: what would that cost here?
        to_the_end, _ = timed(
            lambda: tune_svc(
                X, y, machine=Machine(max_iter=10_000_000), validation=Validation(folds)
            )
        )
        run.note(f"ours until every point converges: {human_time(to_the_end)} (one run)")
    for name, search in searches.items():
        theirs = Timing(tuple(seconds[name]))
        if not run.whole_grid:
            theirs = theirs.times(n_points / len(points))
        reached = np.array([bool(tuning.converged[g, 0, c]) for c, g in points])
        scores = np.array([tuning.scores[g, 0, c] for c, g in points])
        gaps = np.abs(scores - search.cv_results_["mean_test_score"])
        gap = float(gaps[reached].max())
        run.note(
            f"mean scores against {name}: {int(np.sum(gaps < 1e-12))} of {len(points)} points equal; "
            f"largest deviation {gap:.1e} where ours converged, {gaps.max():.1e} anywhere"
        )
        run.add(
            ratio(
                f"(d) tune {n_points} points x 5 folds, n = {n}",
                name,
                Timing(tuple(seconds["ours"])),
                theirs,
                10.0,
                deviation=f"{gap:.1e}",
                details={
                    "ours_by_gamma": by_gamma,
                    "points": points,
                    "converged": n_converged,
                    "ours_until_all_converge": to_the_end,
                },
            )
        )


def first_calls() -> dict[str, Any]:
    """Call every part of the engine once, on data too small to matter, and time each."""
    from numba.core.dispatcher import Dispatcher

    from svmsieve.engine.effects.pair_sums import removed_sums, slope_sums
    from svmsieve.engine.effects.shifts import sigmoid_shifts, sign_changes
    from svmsieve.engine.kernels.kernel import Linear, Polynomial
    from svmsieve.engine.machines.fit import fit_svr
    from svmsieve.engine.machines.machine import enclose, train_squared_hinge
    from svmsieve.engine.machines.platt import Sigmoid, couple, fit_sigmoid
    from svmsieve.engine.machines.tuning import tune_svr

    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, size=(40, 5)) + 0.0
    X[:, 0] = rng.normal(size=40)
    y = np.where(X[:, 0] + X[:, 1] > 1.5, 1.0, -1.0)
    three = np.arange(40) % 3
    kernel = RBF(0.1)
    K = np.exp(
        -0.1 * ((X[:, None] - X) ** 2).sum(axis=2)
    )  # not the engine's: nothing is compiled yet

    def responses(path: Any, kernel: Any = kernel) -> None:
        expansion = Expansion(kernel, X[:20], y[:20].copy(), 0.0)
        for block in response.response_blocks(expansion, X, accuracy=response.Accuracy(path=path)):
            block.at(block.values[::-1].copy())

    def drops() -> None:
        gram = ActiveGram(X, kernel)
        gram.drop([0])
        gram.without(1)

    calls: dict[str, Callable[[], Any]] = {
        "svc": lambda: fit_svc(X, y, kernel),
        "svc of three classes": lambda: fit_svc(X, three, kernel).predict(X),
        "svc, class weights": lambda: fit_svc(X, three, kernel, Machine(class_weight="balanced")),
        "svc, many steps": lambda: fit_svc(X, three > 0, RBF(0.01), Machine(C=1e4)),
        "svr": lambda: fit_svr(X, X[:, 1].copy(), kernel),
        "sphere": lambda: enclose(K),
        "squared hinge": lambda: train_squared_hinge(K, y, 1.0),
        "drop a feature": drops,
        "response, series": lambda: responses("series"),
        "response, distinct": lambda: responses("distinct"),
        "response, exact": lambda: responses("exact"),
        "response, auto": lambda: responses("auto"),
        "response, polynomial": lambda: responses("auto", Polynomial(3, 0.1, 1.0)),
        "response, linear": lambda: responses("auto", Linear()),
        "removed sums, series": lambda: removed_sums(kernel, y, X, path="series"),
        "removed sums, distinct": lambda: removed_sums(kernel, y, X, path="distinct"),
        "removed sums, exact": lambda: removed_sums(kernel, y, X, path="exact"),
        "removed sums, auto": lambda: removed_sums(kernel, y, X),
        "removed sums, sparse": lambda: removed_sums(
            Polynomial(2, 0.1), y, sp.random_array((40, 60), density=0.03, rng=rng, format="csr")
        ),
        "slope sums": lambda: slope_sums(kernel, y, X),
        "platt": lambda: fit_sigmoid(X[:, 0], y),
        "shifts of signs": lambda: sign_changes(y, X, np.ones(40)),
        "shifts of probabilities": lambda: sigmoid_shifts(Sigmoid(-1.0, 0.0), y, X, np.ones(40)),
        "couple": lambda: couple(np.full((5, 3), 0.4), 3),
        "tuning, svc": lambda: tune_svc(X, y, Grid([1.0, 2.0], [0.1]), validation=Validation(3)),
        "tuning, three classes": lambda: tune_svc(
            X, three, Grid([1.0, 2.0], [0.1]), validation=Validation(3)
        ),
        "tuning, svr": lambda: tune_svr(X, X[:, 1].copy(), Grid([1.0], [0.1], [0.1])),
    }
    begin = process_time()
    seconds = {name: timed(call)[0] for name, call in calls.items()}
    processor = process_time() - begin
    missed, several = [], []
    for info in pkgutil.walk_packages(svmsieve.engine.__path__, "svmsieve.engine."):
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            if isinstance(value, Dispatcher) and value.py_func.__module__ == info.name:
                if not value.signatures:
                    missed.append(f"{info.name}.{name}")
                elif len(value.signatures) > 1:
                    several.append(f"{info.name}.{name}: {len(value.signatures)}")
    return {"seconds": seconds, "processor": processor, "missed": missed, "several": several}


def _child(arguments: list[str], **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **variables},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout


def job_compile(run: Run) -> None:
    """Compile everything: the first calls in a process with an empty cache, less those of a second."""
    cold, warm, extra, processor = [], [], [], []
    for _ in range(1 if run.quick else 3):
        with tempfile.TemporaryDirectory() as folder:
            outputs = [
                json.loads(
                    _child(["-m", "benchmarks.engine", "--first-calls"], NUMBA_CACHE_DIR=folder)
                )
                for _ in range(2)
            ]
        first, second = (output["seconds"] for output in outputs)
        cold.append(sum(first.values()))
        warm.append(sum(second.values()))
        extra.append(cold[-1] - warm[-1])
        processor.append(outputs[0]["processor"] - outputs[1]["processor"])
    missed, several = outputs[0]["missed"], outputs[0]["several"]
    compile_times = {name: first[name] - second[name] for name in first}
    longest = sorted(compile_times.items(), key=lambda item: -item[1])[:8]
    run.note("longest: " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in longest))
    run.note(f"of it processor time, less sensitive to other load: {np.median(processor):.1f} s")
    run.note(f"never called compiled functions: {', '.join(missed) or 'none'}")
    run.note(f"compiled for several types: {', '.join(several) or 'none'}")
    run.add(
        Result(
            "(e) compile all of the engine",
            "warm process",
            float(np.median(extra)),
            min(extra),
            unit="s",
            ours=Timing(tuple(cold)),
            theirs=Timing(tuple(warm)),
            details={
                "by_call": compile_times,
                "processor": processor,
                "missed": missed,
                "several": several,
            },
        )
    )


_FIRST_CALL = """
import time
import numpy as np
import svmsieve
X = np.random.default_rng(0).normal(size=(60, 8))
y = X[:, 0] + X[:, 1] ** 2 > 1.0
svmsieve.{name}
start = time.perf_counter()
svmsieve.{call}
print(time.perf_counter() - start)
"""


def job_first_call(run: Run) -> None:
    """Call the package for the first time after its installation, and once more in a new process."""
    calls = {
        "SVMSieve": ["SVMSieve().fit(X, y)"],
        "rank": ["rank(X, y)", "rank(X, y, 'weight')", "rank(X, y, 'radius-margin')"],
    }
    for name, each in calls.items():
        for call in each:
            seconds = []
            with tempfile.TemporaryDirectory() as folder:
                for _ in range(2):
                    script = _FIRST_CALL.format(name=name, call=call)
                    seconds.append(float(_child(["-c", script], NUMBA_CACHE_DIR=folder)))
            extra = seconds[0] - seconds[1]
            run.add(
                Result(
                    f"(e) first call, {call}",
                    "warm process",
                    extra,
                    extra,
                    unit="s",
                    goal=15.0,
                    at_least=False,
                    ours=Timing((seconds[0],)),
                    theirs=Timing((seconds[1],)),
                )
            )


_IMPORT = """
import time
import sklearn.svm
start = time.perf_counter()
{statement}
print(time.perf_counter() - start)
"""


def job_import(run: Run) -> None:
    """Import svmsieve after sklearn.svm: what it adds."""
    modules = [
        info.name for info in pkgutil.iter_modules(svmsieve.engine.__path__, "svmsieve.engine.")
    ]
    statements = {
        "import svmsieve": "import svmsieve",
        "import all public names": "from svmsieve import *",
        "import all of svmsieve.engine": "import " + ", ".join(modules),
        "of it numba": "import numba",
    }
    for name, statement in statements.items():
        code = _IMPORT.format(statement=statement)
        _child(["-c", code])
        seconds = [float(_child(["-c", code])) for _ in range(2 if run.quick else 7)]
        timing = Timing(tuple(seconds))
        run.add(
            Result(
                f"(e) {name}",
                "after sklearn.svm",
                timing.median,
                timing.best,
                unit="s",
                goal=None if "numba" in name else 0.5,
                at_least=False,
                ours=timing,
            )
        )


JOBS: dict[str, Callable[[Run], None]] = {
    "fit": job_fit,
    "refit": job_refit,
    "response": job_response,
    "tune": job_tune,
    "compile": job_compile,
    "first-call": job_first_call,
    "import": job_import,
}


def main() -> None:
    """Run the jobs, print the table, write the JSON file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="small sizes: does it run at all?")
    parser.add_argument("--only", nargs="+", choices=list(JOBS), default=list(JOBS), metavar="JOB")
    parser.add_argument(
        "--whole-grid", action="store_true", help="the others tune on all 110 points, not on 11"
    )
    parser.add_argument("--json", type=Path, help="where the figures go")
    parser.add_argument("--first-calls", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.first_calls:
        print(json.dumps(first_calls()))
        return
    about = environment()
    print_environment(about)
    machines, missing = rival_machines()
    X, y, data = load_data(options.quick)
    run = Run(options.quick, options.whole_grid, machines, X, y, data)
    print(f"data: {data}, standardised")
    for text in missing:
        run.note(text)
    for name in options.only:
        print(f"\n{name}: {JOBS[name].__doc__}", flush=True)
        JOBS[name](run)
    print("\ntimes: median (best); ~ extrapolated; ratios: theirs / ours\n")
    print_table(run.results)
    if hasattr(os, "getloadavg"):
        about["load_after"] = os.getloadavg()
        print("\nload after the run: " + " ".join(f"{each:.2f}" for each in about["load_after"]))
    if options.json is not None:
        write_json(
            options.json,
            {
                "environment": about,
                "data": data,
                "quick": options.quick,
                "notes": run.notes,
                "results": [each.as_dict() for each in run.results],
            },
        )


if __name__ == "__main__":
    main()
