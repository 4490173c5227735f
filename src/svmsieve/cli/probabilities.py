"""Probabilities of a written model: Platt's sigmoids of decision values on rows that were held out."""

from __future__ import annotations

import copy
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, cross_val_predict
from sklearn.svm import SVC

from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.machines.platt import Sigmoid, couple, fit_sigmoid, sigmoids_of
from svmsieve.selection.selector import SVMSieve

_FOLDS = 5


def calibrate(sieve: SVMSieve, X: Any, y: Any, groups: Any, seed: int) -> list[list[float]] | None:
    """Return the sigmoid (A, B) of each pair of classes; None where there is nothing to calibrate.

    The machine of the selected columns is trained again in stratified folds, and the sigmoids are fitted
    to the decision values of the rows held out.  The columns were selected on all rows: probabilities are
    a little surer than they should be, as those of every machine behind a selection.  Costs five trainings.
    """
    machine = sieve.estimator_
    if not isinstance(machine, SVC):
        return None
    codes = np.unique(y, return_inverse=True)[1]
    counts = np.bincount(codes)
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    whole = counts.min() if groups is None else min(counts.min(), len(set(groups.tolist())))
    if whole < 2:
        return None
    folds = kind(min(_FOLDS, int(whole)), shuffle=True, random_state=seed)
    selected = sieve._selected(X)
    splits = list(folds.split(selected, codes, groups))
    if any(len(np.unique(codes[train])) < len(counts) for train, _ in splits):
        return None
    held_out = cross_val_predict(
        clone(machine).set_params(decision_function_shape="ovo"),
        selected,
        codes,
        cv=splits,
        method="decision_function",
    )
    decisions = _towards_second(held_out)
    sigmoids = []
    for k, (first, second) in enumerate(combinations(range(len(counts)), 2)):
        rows = (codes == first) | (codes == second)
        signs = np.where(codes[rows] == second, 1.0, -1.0)
        sigmoids.append([float(each) for each in fit_sigmoid(decisions[rows, k], signs)])
    return sigmoids


def probabilities(sieve: SVMSieve, sigmoids: list[list[float]], X: Any) -> FloatArray:
    """Return the probability of each class for new rows, classes in the order of ``classes_``."""
    machine = copy.copy(sieve.estimator_).set_params(decision_function_shape="ovo")
    decisions = _towards_second(machine.decision_function(sieve._selected(X)))
    pairwise = sigmoids_of([Sigmoid(*each) for each in sigmoids], decisions)
    return couple(pairwise, len(sieve.classes_))


def _towards_second(decisions: Any) -> FloatArray:
    """Return one column for each pair, positive for its second class: with two classes it is so already."""
    values = np.asarray(decisions, dtype=np.float64)
    return np.ascontiguousarray(values[:, None] if values.ndim == 1 else -values)
