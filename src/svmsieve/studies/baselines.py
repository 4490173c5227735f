"""What a selection is compared with, in the same outer folds: all features, a filter, a line, guessing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.svm import SVC, SVR

from svmsieve.evaluation import NestedEvaluation
from svmsieve.inputs.feature_groups import make_units
from svmsieve.selection.selector import SVMSieve
from svmsieve.studies.data import StudyData

ALL = "all features"
GUESSING = "guessing"
LINEAR = "linear machine, all features"
UNIVARIATE = {False: "as many by F-score", True: "as many by correlation"}
"""Names of the baselines; the univariate one for classes and for numbers."""
_LINEAR_C = 10.0
"""C of the linear machine times the number of columns: K(x, x) is about that number.

On five data sets of 9 to 10 000 columns it is at most 0.014 behind C tuned on a grid.
"""


def baselines(
    prepared: StudyData,
    sieve: SVMSieve,
    evaluation: NestedEvaluation,
    run: Callable[[str, Any], NestedEvaluation],
) -> dict[str, NestedEvaluation]:
    """Return what the selection is compared with, each fitted in the evaluation's own folds by ``run``.

    All features, with the same machine; as many features as each fold chose, the best one by one (F-score;
    of numbers the correlation), with the same machine; a linear machine on all features, C = 10/d;
    guessing.
    """
    found = {ALL: _all_features(prepared, sieve, evaluation, run)}
    found[UNIVARIATE[prepared.regression]] = run(
        "univariate", _univariate(prepared, sieve, evaluation)
    )
    if getattr(sieve.estimator, "kernel", "rbf") != "linear":
        found[LINEAR] = run("linear", _linear(prepared, sieve))
    guess = DummyRegressor() if prepared.regression else DummyClassifier(strategy="prior")
    found[GUESSING] = run("guessing", guess)
    return found


def _all_features(
    prepared: StudyData, sieve: SVMSieve, evaluation: NestedEvaluation, run: Callable[..., Any]
) -> NestedEvaluation:
    # of the sieve's own machines only that of the chosen size has the wide grid: all features have it too
    if sieve.estimator is not None and prepared.n_units in evaluation.sizes:
        return evaluation.at_size(prepared.n_units)
    found: NestedEvaluation = run("all", _filtered(prepared, sieve, prepared.n_units))
    return found


def _univariate(
    prepared: StudyData, sieve: SVMSieve, evaluation: NestedEvaluation
) -> list[SVMSieve]:
    """One method for each fold: as many features as the selection kept there."""
    units = make_units(prepared.groups, prepared.encoded.names)
    of_column = np.empty(len(prepared.encoded.names), dtype=np.intp)
    for number, columns in enumerate(units):
        of_column[columns] = number
    kept = [
        1 if fold.selected is None else max(1, len(np.unique(of_column[fold.selected])))
        for fold in evaluation.folds
    ]
    return [_filtered(prepared, sieve, n) for n in kept]


def _filtered(prepared: StudyData, sieve: SVMSieve, size: int) -> SVMSieve:
    """The sieve's machine on the best features one by one."""
    estimator, tuned = sieve.estimator, sieve.retune is not None
    return clone(sieve).set_params(
        # C of another kernel is tuned along an elimination only: here it is the RBF machine's grid
        estimator=None if tuned else estimator,
        criterion="correlation" if prepared.regression else "f-score",
        search="once",
        retune=None,
        n_features_to_select=size,
        keep=None,
        callback=None,
    )


def _linear(prepared: StudyData, sieve: SVMSieve) -> SVMSieve:
    C = _LINEAR_C / len(prepared.encoded.names)
    machine: Any
    if prepared.regression:
        machine = SVR(kernel="linear", C=C)
    else:
        machine = SVC(kernel="linear", C=C, class_weight=prepared.class_weight)
    whole = _filtered(prepared, sieve, prepared.n_units)
    return whole.set_params(estimator=machine, tuning="best")


def described(name: str) -> str:
    """Return a baseline in the words of a sentence."""
    words = {
        ALL: "with all features",
        GUESSING: "by guessing",
        LINEAR: "with a linear machine on all features",
        UNIVARIATE[False]: "with as many features by their F-score alone",
        UNIVARIATE[True]: "with as many features by their correlation alone",
    }
    return words.get(name, f"with {name}")
