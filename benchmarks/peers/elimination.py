"""Job (b): eliminate the features one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.feature_selection import RFE
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks import problems
from benchmarks.peers.opponents import (
    INTELEX,
    N_JOBS,
    SKLEARN,
    SameChanges,
    eliminate_by_hsic,
    eliminate_by_permutation,
    rival_machine,
    shift_by_permutation,
)
from benchmarks.search import colon_one_by_one
from benchmarks.timing import Result, Timing, in_turns, ratio, timed
from svmsieve import SVMSieve, rank
from svmsieve.engine.arrays import IntArray


def colon(quick: bool) -> list[Result]:
    """SVM-RFE on colon's genes."""
    return [colon_one_by_one(quick)]


def colon_intelex(quick: bool) -> list[Result]:
    """The same with the machine of scikit-learn-intelex inside RFE."""
    problem = problems.colon(quick)
    X, y = problem.X, problem.y
    machine = SVC(kernel="linear", tol=1e-6)
    sieve = SVMSieve(machine, criterion="weight", step=1, n_features_to_select=1, scale=False)
    sieve.fit(X, y)
    ours = in_turns({"ours": lambda: sieve.fit(X, y)}, repeats=3)["ours"]
    rfe = RFE(rival_machine(INTELEX, machine), n_features_to_select=1, step=1)
    seconds, _ = timed(rfe.fit, X, y)
    return [
        ratio(
            f"colon {problem.size}, linear weight, one by one",
            f"RFE with {INTELEX}",
            ours,
            Timing((seconds,)),
            None,
            deviation=f"Spearman {spearmanr(sieve.ranking_, rfe.ranking_).statistic:.6f}",
        )
    ]


def madelon(quick: bool) -> list[Result]:
    """MADELON's features with an RBF machine; the opponent is measured at some sizes."""
    problem = problems.madelon(quick)
    X, y = problem.X, problem.y
    d = X.shape[1]
    machine = SVC(C=0.125, gamma=1.0 / d)
    kwargs: dict[str, Any] = {"step": 1, "n_features_to_select": 1, "scale": False}
    SVMSieve(machine, criterion=SameChanges(), **kwargs).fit(X[:60, :8], y[:60])  # compiles
    sieve = SVMSieve(machine, criterion=SameChanges(), **kwargs)
    seconds, _ = timed(sieve.fit, X, y)
    sizes = [2, 8, 20] if quick else [10, 40, 120, 250, 500]
    steps, agreements = [], []
    warm = machine.fit(X[:60], y[:60])
    shift_by_permutation(warm, X[:60], np.arange(2), "accuracy", N_JOBS)  # workers
    for size in sizes:
        columns = np.sort(sieve.order_[:size])
        part = X[:, columns]
        fit, _ = timed(machine.fit, part, y)
        some = np.random.default_rng(0).permutation(size)[:4]
        took, shifts = timed(
            lambda part=part, some=some: shift_by_permutation(
                machine, part, some, "accuracy", N_JOBS
            )
        )
        predict, _ = timed(machine.predict, part)
        steps.append(fit + 2.0 * predict + size * (took - 2.0 * predict) / len(some))
        mine = rank(part, y, SameChanges(), machine, scale=False).scores[some]
        agreements.append(float(np.max(np.abs(mine - shifts))))
    every = np.arange(2, d + 1)
    theirs = float(np.exp(np.interp(np.log(every), np.log(sizes), np.log(steps))).sum())
    return [
        ratio(
            f"madelon {problem.size}, RBF, one by one",
            f"{SKLEARN}: fit, permutation_importance, remove",
            Timing((seconds,)),
            Timing((theirs,), extrapolated=True),
            None,
            deviation=f"same permutation, largest difference of a step's scores "
            f"{max(agreements):.1e}",
            details={"sizes": sizes, "seconds_a_step": steps, "columns_measured": 4},
        )
    ]


def realisations(problem: problems.Problem, number: int) -> list[IntArray]:
    """Training samples of the ten original splits, and of stratified ones of the same size."""
    original = list(problems.read("ratsch_heart")["train_idx"])
    more = StratifiedShuffleSplit(100 - len(original), train_size=170, random_state=0)
    return [*original, *(train for train, _ in more.split(problem.X, problem.y))][:number]


def _ours(X: Any, y: Any, machine: Any) -> IntArray:
    sieve = SVMSieve(machine, criterion=SameChanges(), step=1, n_features_to_select=1, scale=False)
    return sieve.fit(X, y).order_


def heart(quick: bool) -> list[Result]:
    """Heart's features in 100 realisations, RBF."""
    problem = problems.heart(False)
    machine = problem.estimator
    parts = [
        (StandardScaler().fit_transform(problem.X[rows]), problem.y[rows])
        for rows in realisations(problem, 4 if quick else 100)
    ]
    run = Parallel(n_jobs=N_JOBS)
    run(delayed(_ours)(X, y, machine) for X, y in parts[:4])  # workers, compiled code
    run(delayed(eliminate_by_permutation)(clone(machine), X, y) for X, y in parts[:2])
    orders: dict[str, list[IntArray]] = {}

    def ours() -> None:
        orders["ours"] = run(delayed(_ours)(X, y, machine) for X, y in parts)

    def theirs() -> None:
        orders["theirs"] = run(
            delayed(eliminate_by_permutation)(clone(machine), X, y) for X, y in parts
        )

    times = {"theirs": Timing((timed(theirs)[0],)), **in_turns({"ours": ours}, repeats=3)}
    places = {name: np.mean([np.argsort(o) for o in each], axis=0) for name, each in orders.items()}
    r = spearmanr(places["ours"], places["theirs"]).statistic
    pairs = list(zip(orders["ours"], orders["theirs"], strict=True))
    same = sum(set(mine[:5]) == set(other[:5]) for mine, other in pairs)
    return [
        ratio(
            f"heart 170 × 13, RBF, {len(parts)} realisations",
            f"{SKLEARN}: fit, permutation_importance, remove",
            times["ours"],
            times["theirs"],
            None,
            deviation=f"Spearman of the mean ranks {r:.4f}; the same best five in {same} of "
            f"{len(parts)} (ties of counts are broken differently)",
        )
    ]


def hsic(quick: bool) -> list[Result]:
    """Colon's genes by their dependence on the class: BAHSIC, and pyHSICLasso."""
    from pyHSICLasso import HSICLasso

    problem = problems.colon(quick)
    X, y = problem.X, problem.y
    gamma = 1.0 / X.shape[1]
    machine = SVC(gamma=gamma)
    best = min(20, X.shape[1] // 2)

    def ours() -> Any:
        sieve = SVMSieve(
            machine, criterion="hsic", step=0.1, n_features_to_select=best, scale=False
        )
        return sieve.fit(X, y)

    sieve = ours()
    n_leave = _its_steps(X.shape[1], best)
    order, first = eliminate_by_hsic(X, y, gamma, n_leave)
    mine = rank(X, y, "hsic", machine, scale=False).scores
    gap = float(np.max(np.abs(mine - (first.max() - first))) / (first.max() - first.min()))
    same = len(set(order[:best]) & set(sieve.order_[:best]))

    def lasso() -> list[int]:
        model = HSICLasso()
        model.input(X, y)
        model.classification(best, B=0, M=1, n_jobs=N_JOBS)
        return model.get_index()

    chosen = lasso()
    times = in_turns(
        {"ours": ours, "loop": lambda: eliminate_by_hsic(X, y, gamma, n_leave), "lasso": lasso},
        repeats=2,
    )
    job = f"colon {problem.size}, HSIC, a tenth at a time, best {best}"
    common = len(set(chosen) & set(sieve.order_[:best]))
    return [
        ratio(
            job,
            "BAHSIC, a loop in numpy",
            times["ours"],
            times["loop"],
            None,
            deviation=f"{same} of {best} equal, first step's scores differ by {gap:.0e} of "
            "their range",
        ),
        ratio(
            job,
            "pyHSICLasso",
            times["ours"],
            times["lasso"],
            None,
            deviation=f"{common} of its {len(chosen)} among our {best} (another method)",
        ),
    ]


def _its_steps(d: int, smallest: int) -> Any:
    """Return how many features leave: those of svmsieve's schedule, then one by one."""
    from svmsieve.search import make_schedule

    schedule = make_schedule(0.1)

    def n_leave(size: int) -> int:
        if size <= smallest:
            return 1
        return min(schedule.n_to_remove(size), size - smallest)

    return n_leave
