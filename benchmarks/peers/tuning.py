"""Job (d): cross-validate the grid of 110 points."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV

from benchmarks import problems
from benchmarks.peers.opponents import INTELEX, N_JOBS, SKLEARN, rival_machine
from benchmarks.problems import Problem
from benchmarks.timing import Result, Timing, ratio, timed
from svmsieve.engine.machines.folds import stratified_folds
from svmsieve.engine.machines.grid_search import Validation
from svmsieve.engine.machines.tuned_grid import Grid
from svmsieve.engine.machines.tuning import SVC_C, SVC_GAMMA, tune_svc

GOALS = {SKLEARN: 10.0, INTELEX: 2.0}
GRID = [(c, g) for g in range(len(SVC_GAMMA)) for c in range(len(SVC_C))]


def heart(quick: bool) -> list[Result]:
    """Heart, the whole grid on both sides."""
    return _tune(problems.heart(quick), GRID[::20] if quick else GRID, (SKLEARN, INTELEX))


def madelon(quick: bool) -> list[Result]:
    """MADELON; the others on a spread of points, each C once."""
    spread = [(c, 3 * c % len(SVC_GAMMA)) for c in range(len(SVC_C))]
    return _tune(problems.madelon(quick), spread[1::2], (SKLEARN, INTELEX))


def _tune(problem: Problem, points: list[tuple[int, int]], peers: tuple[str, ...]) -> list[Result]:
    X, y = problem.X, problem.y
    folds = stratified_folds(np.unique(y, return_inverse=True)[1], 5)
    every = np.arange(len(y))
    cv = [(np.setdiff1d(every, held), held) for held in folds]
    tune_svc(X[:60], y[:60], Grid(SVC_C[:2], SVC_GAMMA[:1]), validation=Validation(2))  # compiles
    repeats = 2 if len(y) > 1000 else 7
    runs: list[tuple[float, Any]] = [
        timed(lambda: tune_svc(X, y, validation=Validation(folds))) for _ in range(repeats)
    ]
    tuning = runs[0][1]
    grid = [{"C": [SVC_C[c]], "gamma": [SVC_GAMMA[g]]} for c, g in points]
    results = []
    for peer in peers:
        machine = rival_machine(peer, problem.estimator)
        search = GridSearchCV(
            machine, grid, scoring="balanced_accuracy", cv=cv, n_jobs=N_JOBS, refit=False
        )
        GridSearchCV(machine, grid[:2], cv=2, n_jobs=N_JOBS, refit=False).fit(X[:60], y[:60])
        seconds, _ = timed(search.fit, X, y)
        theirs = Timing((seconds,))
        if len(points) < len(GRID):
            theirs = theirs.times(len(GRID) / len(points))
        mine = np.array([tuning.scores[g, 0, c] for c, g in points])
        gaps = np.abs(mine - search.cv_results_["mean_test_score"])
        results.append(
            ratio(
                f"{problem.name} {problem.size}, {len(GRID)} points, 5 folds",
                f"{peer} in GridSearchCV",
                Timing(tuple(each for each, _ in runs)),
                theirs,
                GOALS[peer],
                deviation=f"{int(np.sum(gaps < 1e-12))} of {len(points)} mean scores equal, "
                f"largest difference {gaps.max():.1e}",
                details={"points_measured": len(points), "points": len(GRID)},
            )
        )
    return results
