"""Job (a): rank the features of one trained machine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.stats import spearmanr
from sklearn.feature_selection import f_classif
from sklearn.svm import SVC

from benchmarks import problems
from benchmarks.criteria import Ready
from benchmarks.peers.opponents import (
    INTELEX,
    SKLEARN,
    ProbabilityShift,
    SamePermutation,
    f_scores_by_loops,
    peer_jobs,
    rival_machine,
    shift_by_permutation,
    sparse_shifts,
)
from benchmarks.problems import Problem
from benchmarks.timing import Result, Timing, in_turns, ratio, timed
from svmsieve import rank
from svmsieve.criteria.density import SDGauss
from svmsieve.criteria.fspp import FSPP2

GOALS = {SKLEARN: 1000.0, INTELEX: 40.0}
ITS_REPEATS = 5
"""Permutations of each feature that ``permutation_importance`` makes unless told otherwise."""


def madelon(quick: bool) -> list[Result]:
    """Rank MADELON's features by the shift of the probabilities, RBF SVC."""
    columns = {SKLEARN: 12, INTELEX: 60}
    return _by_permutation(problems.madelon(quick), columns, GOALS)


def arcene(quick: bool) -> list[Result]:
    """Rank ARCENE's features likewise."""
    columns = {SKLEARN: 200, INTELEX: 1000}
    return _by_permutation(problems.arcene(quick), columns, {SKLEARN: 1000.0})


def cpusmall(quick: bool) -> list[Result]:
    """Rank cpusmall's features by the shift of an RBF SVR's predictions."""
    problem = problems.cpusmall(quick, 4000)
    return _by_permutation(problem, {SKLEARN: 12, INTELEX: 12}, {})


def _by_permutation(
    problem: Problem, n_columns: dict[str, int], goals: dict[str, float]
) -> list[Result]:
    """Compare with ``permutation_importance``, on some columns where all would take hours."""
    X, y, machine = problem.X, problem.y, problem.estimator
    d = X.shape[1]
    classes = isinstance(machine, SVC)
    criterion: Any = FSPP2 if classes else SDGauss
    few = slice(0, 60)
    rank(X[few, :20], y[few], criterion(), machine, scale=False)  # compiles
    compared = rank(X, y, SamePermutation() if classes else criterion(), machine, scale=False)
    ready = Ready(problem)
    scoring = ProbabilityShift(ready.sigmoids[0]) if classes else "neg_mean_squared_error"
    ours = in_turns(
        {
            "trained": ready.scoring(criterion.name),
            "one": lambda: rank(X, y, criterion(), machine, scale=False),
            "five": lambda: rank(X, y, criterion(ITS_REPEATS), machine, scale=False),
        },
        repeats=5,
    )
    results = []
    for peer, wanted in n_columns.items():
        k = min(d, wanted)
        columns = np.sort(np.random.default_rng(0).permutation(d)[:k])
        theirs = rival_machine(peer, machine)
        jobs = peer_jobs(peer)
        theirs.fit(X[few], y[few])
        shift_by_permutation(theirs, X[few], columns[:2], scoring, jobs)  # workers
        fit, _ = timed(theirs.fit, X, y)
        took, shifts = timed(
            lambda theirs=theirs, columns=columns, jobs=jobs: shift_by_permutation(
                theirs, X, columns, scoring, jobs
            )
        )
        predict, _ = timed(theirs.predict, X)
        step = (took - 2.0 * predict) / k
        agreement = _agreement(compared.scores[columns], shifts, exact=classes)
        details = {
            "columns_measured": k,
            "columns": d,
            "seconds_a_column": step,
            "fit": fit,
            "predict": predict,
        }
        once = predict + d * step
        lines = (
            ("trained machine given", "trained", once),
            ("with training", "one", fit + once),
            ("with training, 5 permutations", "five", fit + predict + ITS_REPEATS * d * step),
        )
        for words, key, seconds in lines:
            extrapolated = k < d or key == "five"
            results.append(
                ratio(
                    f"{problem.name} {problem.size}, {words}",
                    f"{peer} permutation_importance",
                    ours[key],
                    Timing((seconds,), extrapolated=extrapolated),
                    goals.get(peer),
                    deviation=agreement,
                    details=details,
                )
            )
    return results


def _agreement(ours: Any, theirs: Any, exact: bool) -> str:
    r = spearmanr(ours, theirs).statistic
    text = f"Spearman {r:.4f} on {len(ours)} features"
    if exact:
        text += f", same permutation, largest difference {np.max(np.abs(ours - theirs)):.1e}"
    return text


def dorothea(quick: bool) -> list[Result]:
    """Rank DOROTHEA's features, a sparse matrix; the opponent is a loop over ``predict``."""
    problem = problems.dorothea(quick)
    problem = replace(problem, estimator=SVC(gamma="scale"))
    X, y, machine = problem.X, problem.y, problem.estimator
    d = X.shape[1]
    rank(X[:60, :20], y[:60], SamePermutation(), machine, scale=False)
    took, compared = timed(lambda: rank(X, y, SamePermutation(), machine, scale=False))
    again, _ = timed(lambda: rank(X, y, SamePermutation(), machine, scale=False))
    fit, _ = timed(machine.fit, X, y)
    columns = np.argsort(-compared.scores)[:8]
    sigmoid = Ready(problem).sigmoids[0]
    sparse_shifts(machine, X[:20], columns[:2], sigmoid)  # workers
    seconds, shifts = timed(sparse_shifts, machine, X, columns, sigmoid)
    theirs = Timing((fit + seconds * d / len(columns),), extrapolated=True)
    return [
        ratio(
            f"dorothea {problem.size} sparse, with training",
            f"{SKLEARN}, a loop over predict",
            Timing((took, again)),
            theirs,
            None,
            deviation=_agreement(compared.scores[columns], shifts, exact=True),
            details={"columns_measured": len(columns), "columns": d, "fit": fit},
        )
    ]


def heart_shap(quick: bool) -> list[Result]:
    """Rank heart's features; SHAP explains some of the samples."""
    import shap

    problem = problems.heart(quick)
    X, y, machine = problem.X, problem.y, problem.estimator
    rank(X, y, FSPP2("all"), machine, scale=False)
    compared = rank(X, y, FSPP2("all"), machine, scale=False)
    ours = in_turns(
        {"ours": lambda: rank(X, y, FSPP2("all"), machine, scale=False)}, repeats=7, number=3
    )["ours"]
    fitted = machine.fit(X, y)
    k = 4 if quick else 30
    explainer = shap.KernelExplainer(fitted.decision_function, shap.sample(X, 100, random_state=0))
    rows = np.random.default_rng(0).permutation(len(X))[:k]
    seconds, values = timed(lambda: explainer.shap_values(X[rows], silent=True))
    r = spearmanr(compared.scores, np.abs(values).mean(axis=0)).statistic
    return [
        ratio(
            f"heart {problem.size}, with training, all replacements",
            "shap KernelExplainer",
            ours,
            Timing((seconds,)).times(len(X) / k),
            None,
            deviation=f"Spearman {r:.4f} with the mean of |SHAP| (another measure)",
            details={"samples_explained": k, "samples": len(X), "background": 100},
        )
    ]


def f_score(quick: bool) -> list[Result]:
    """Score ARCENE's features by the F-score, a filter without a machine."""
    problem = problems.arcene(quick)
    X, y = problem.X, problem.y
    compared = rank(X, y, "f-score", scale=False)
    calls = {
        "ours": lambda: rank(X, y, "f-score", scale=False),
        SKLEARN: lambda: f_classif(X, y),
        "loops": lambda: f_scores_by_loops(X, y),
    }
    times = in_turns(calls, repeats=3)
    job = f"arcene {problem.size}, F-score"
    with np.errstate(all="ignore"):
        anova = np.nan_to_num(f_classif(X, y)[0])
    answers = {
        "LIBSVM's fselect.py, its formula in Python": ("loops", f_scores_by_loops(X, y)),
        f"{SKLEARN} f_classif": (SKLEARN, anova),
    }
    return [
        ratio(
            job,
            against,
            times["ours"],
            times[key],
            None,
            deviation=f"Spearman {spearmanr(compared.scores, values).statistic:.6f}",
        )
        for against, (key, values) in answers.items()
    ]
