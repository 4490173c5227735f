"""Job (c): forward selection, every candidate cross-validated."""

from __future__ import annotations

import numpy as np
from sklearn.feature_selection import SequentialFeatureSelector

from benchmarks import problems
from benchmarks.peers.opponents import N_JOBS, SKLEARN
from benchmarks.problems import Problem
from benchmarks.timing import Result, Timing, in_turns, ratio, timed
from svmsieve import SVMSieve
from svmsieve.engine.arrays import IntArray
from svmsieve.engine.machines.folds import stratified_folds
from svmsieve.search import Forward
from svmsieve.search.contract import Problem as SearchProblem

CV = 5


def heart(quick: bool) -> list[Result]:
    """All of heart's features but one."""
    return _forward(problems.heart(quick), 12)


def crx(quick: bool) -> list[Result]:
    """Eight of crx's columns."""
    return _forward(problems.crx(quick), 8)


def _our_folds(codes: IntArray) -> list[tuple[IntArray, IntArray]]:
    """The folds that our search makes with seed 0, as scikit-learn takes them."""
    seed = SearchProblem.step_seed(_Seeded(), 2**31)  # type: ignore[arg-type]
    every = np.arange(len(codes))
    return [(np.setdiff1d(every, held), held) for held in stratified_folds(codes, CV, seed)]


class _Seeded:
    seed = (0, 0)


def _forward(problem: Problem, size: int) -> list[Result]:
    from mlxtend.feature_selection import SequentialFeatureSelector as MlxtendSelector

    X, y, machine = problem.X, problem.y, problem.estimator
    codes = np.unique(y, return_inverse=True)[1]
    cv = _our_folds(codes)
    sieve = SVMSieve(machine, search=Forward(cv=CV), n_features_to_select=size, scale=False)
    sieve.fit(X[:, : size + 1], y)
    ours = in_turns({"ours": lambda: sieve.fit(X, y)}, repeats=3)["ours"]
    mine = set(np.flatnonzero(sieve.support_).tolist())
    job = f"{problem.name} {problem.size}, RBF, {size} features, {CV} folds"
    theirs = SequentialFeatureSelector(
        machine, n_features_to_select=size, scoring="accuracy", cv=cv, n_jobs=N_JOBS
    )
    theirs.fit(X[:, : size + 1], y)  # workers
    seconds, _ = timed(theirs.fit, X, y)
    chosen = set(np.flatnonzero(theirs.support_).tolist())
    results = [_line(job, f"{SKLEARN} SequentialFeatureSelector", ours, seconds, mine, chosen)]
    other = MlxtendSelector(machine, k_features=size, scoring="accuracy", cv=cv, n_jobs=N_JOBS)
    seconds, _ = timed(other.fit, X, y)
    chosen = set(map(int, other.k_feature_idx_))
    results.append(_line(job, "mlxtend SequentialFeatureSelector", ours, seconds, mine, chosen))
    return results


def _line(
    job: str, against: str, ours: Timing, seconds: float, mine: set[int], theirs: set[int]
) -> Result:
    equal = f"{len(mine & theirs)} of {len(mine)} selected features equal, the same folds"
    return ratio(job, against, ours, Timing((seconds,)), 10.0, deviation=equal)
