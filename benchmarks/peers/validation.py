"""Job (e): elimination repeated in every fold, the work of RFECV."""

from __future__ import annotations

import numpy as np
from sklearn.feature_selection import RFECV
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from benchmarks import problems
from benchmarks.peers.opponents import N_JOBS, SKLEARN
from benchmarks.timing import Result, Timing, in_turns, ratio, timed
from svmsieve import SVMSieve


def colon(quick: bool) -> list[Result]:
    """Colon's genes one by one, linear, in five folds and on all samples."""
    problem = problems.colon(quick)
    X, y = problem.X, problem.y
    machine = SVC(kernel="linear", tol=1e-6)
    cv = StratifiedKFold(5)
    sieve = SVMSieve(
        machine,
        criterion="weight",
        step=1,
        n_features_to_select="best",
        cv=cv,
        scale=False,
        n_jobs=N_JOBS,
    )
    sieve.fit(X, y)
    ours = in_turns({"ours": lambda: sieve.fit(X, y)}, repeats=3)["ours"]
    theirs = RFECV(machine, step=1, cv=cv, n_jobs=N_JOBS)
    theirs.fit(X[:, :10], y)  # workers
    seconds, _ = timed(theirs.fit, X, y)
    mine = sieve.path_.mean_score[np.argsort(sieve.path_.n_features)]
    gap = np.abs(mine - theirs.cv_results_["mean_test_score"][-len(mine) :])
    return [
        ratio(
            f"colon {X.shape[0]} × {X.shape[1]}, linear weight, one by one, 5 folds",
            f"{SKLEARN} RFECV",
            ours,
            Timing((seconds,)),
            20.0,
            deviation=f"{int(np.sum(gap < 1e-9))} of {len(gap)} mean scores equal, largest "
            f"difference {gap.max():.2g}; {sieve.n_features_} and {theirs.n_features_} features",
        )
    ]
