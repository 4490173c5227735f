"""How the peers are called: with stock functions where there are any, by the shortest loop elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator
from sklearn.inspection import permutation_importance

from svmsieve.criteria import Data
from svmsieve.criteria.fspp import FSPP1, FSPP2
from svmsieve.engine.arrays import IntArray
from svmsieve.engine.machines.platt import Sigmoid

SKLEARN = "scikit-learn"
INTELEX = "scikit-learn-intelex"
N_JOBS = 2
"""Processes of the peers that take ``n_jobs``; intelex and svmsieve use threads of their own."""


def rival_class(peer: str, name: str) -> Any:
    """Return a machine's class, such as SVC, by one of both libraries."""
    from sklearn import svm

    if peer == SKLEARN:
        return getattr(svm, name)
    from sklearnex import svm as intelex

    return getattr(intelex, name)


def rival_machine(peer: str, estimator: Any) -> Any:
    """Return the peer's unfitted machine with the parameters of scikit-learn's."""
    return rival_class(peer, type(estimator).__name__)(**estimator.get_params())


def peer_jobs(peer: str) -> int | None:
    """Number of processes a user would ask for."""
    return N_JOBS if peer == SKLEARN else None


class ThroughColumns(BaseEstimator):
    """A fitted machine seen through some of its columns; the others stay as they are.

    ``permutation_importance`` permutes all columns it is given: with this it can be measured on a few.
    It copies the few columns and this all of them, so one prediction copies what it does without.
    """

    def __init__(self, machine: Any, X: Any, columns: IntArray) -> None:
        self.machine = machine
        self.X = X
        self.columns = columns

    def fit(self, X: Any, y: Any) -> ThroughColumns:
        """Do nothing: the machine is fitted."""
        return self

    def predict(self, part: Any) -> Any:
        """Predict with some columns replaced."""
        return self.machine.predict(self._filled(part))

    def decision_function(self, part: Any) -> Any:
        """Return the decision values with some columns replaced."""
        return self.machine.decision_function(self._filled(part))

    def _filled(self, part: Any) -> Any:
        full = self.X.copy()
        full[:, self.columns] = part
        return full


@dataclass(frozen=True)
class ProbabilityShift:
    """A scorer: minus the mean shift of the probabilities from those given as the target."""

    sigmoid: Sigmoid

    def probabilities(self, machine: Any, X: Any) -> Any:
        """Return Platt's probabilities."""
        return self.sigmoid(machine.decision_function(X))

    def __call__(self, machine: Any, X: Any, before: Any) -> float:
        """Return the score."""
        return -float(np.mean(np.abs(self.probabilities(machine, X) - before)))


def shift_by_permutation(
    machine: Any, X: Any, columns: IntArray, scoring: str | ProbabilityShift, n_jobs: int | None
) -> Any:
    """Return how far the machine's outputs move when each of the columns is permuted once.

    The machine's own outputs stand in for the target, so that the loss of score is their shift: the share
    of changed classes (``accuracy``), the mean square (``neg_mean_squared_error``) or the mean shift of
    the probabilities.  Two predictions of all samples come before the permutations.
    """
    asks = isinstance(scoring, ProbabilityShift)
    before = scoring.probabilities(machine, X) if asks else machine.predict(X)
    return permutation_importance(
        ThroughColumns(machine, X, columns),
        X[:, columns],
        before,
        scoring=scoring,
        n_repeats=1,
        n_jobs=n_jobs,
        random_state=0,
    ).importances_mean


@lru_cache(maxsize=8)
def its_permutation(n: int) -> IntArray:
    """Return the order in which ``permutation_importance`` with ``random_state=0`` shuffles n samples."""
    seed = np.random.RandomState(0).randint(np.iinfo(np.int32).max + 1)
    order = np.arange(n)
    np.random.RandomState(seed).shuffle(order)
    return order


class SamePermutation(FSPP2):
    """FSPP2 with the permutation that ``permutation_importance`` makes: the same answer is expected."""

    def orders(self, data: Data) -> list[IntArray]:
        """Return the one order."""
        return [its_permutation(len(data.target))]


class SameChanges(FSPP1):
    """FSPP1 likewise: the share of samples whose class changes."""

    def orders(self, data: Data) -> list[IntArray]:
        """Return the one order."""
        return [its_permutation(len(data.target))]


def sparse_shifts(
    machine: Any, X: sp.csr_matrix, columns: IntArray, sigmoid: Sigmoid
) -> list[float]:
    """Return the shifts of the probabilities; ``permutation_importance`` takes no sparse matrix."""
    shift = ProbabilityShift(sigmoid)
    before = shift.probabilities(machine, X)
    order = its_permutation(X.shape[0])

    def one(column: int) -> float:
        changed = X.tolil()
        changed[:, column] = X[order][:, column]
        return -shift(machine, changed.tocsr(), before)

    return Parallel(n_jobs=N_JOBS)(delayed(one)(int(column)) for column in columns)


def eliminate_by_permutation(machine: Any, X: Any, y: Any) -> IntArray:
    """Fit, permute, remove the least important, until one is left; return the features, best first."""
    active, removed = np.arange(X.shape[1]), []
    while len(active) > 1:
        part = X[:, active]
        machine.fit(part, y)
        shifts = permutation_importance(
            machine, part, machine.predict(part), scoring="accuracy", n_repeats=1, random_state=0
        ).importances_mean
        least = int(np.argmin(shifts))
        removed.append(active[least])
        active = np.delete(active, least)
    return np.array([*active, *removed[::-1]])


def eliminate_by_hsic(
    X: Any, y: Any, gamma: float, n_leave: Callable[[int], int]
) -> tuple[IntArray, Any]:
    """BAHSIC in numpy: remove the features whose removal leaves most of Tr(KHLH).

    Returns the features, best first, and the first step's Tr(K⁽ⁱ⁾HLH).
    """
    L = (y[:, None] == y).astype(float)
    HLH = L - L.mean(axis=0) - L.mean(axis=1)[:, None] + L.mean()
    parts = [np.subtract.outer(column, column) ** 2 for column in X.T]
    distances = np.sum(parts, axis=0)
    active, removed, first = list(range(X.shape[1])), [], None
    while len(active) > 1:
        left = np.array([np.sum(np.exp(-gamma * (distances - parts[i])) * HLH) for i in active])
        first = left if first is None else first
        leaving = [active[k] for k in np.argsort(-left, kind="stable")[: n_leave(len(active))]]
        removed.extend(leaving)
        active = [i for i in active if i not in leaving]
        distances = distances - np.sum([parts[i] for i in leaving], axis=0)
    return np.array([*active, *removed[::-1]]), first


def f_scores_by_loops(X: Any, y: Any) -> list[float]:
    """The F-score of LIBSVM's tool: between-class over within-class sum of squares, in plain Python."""
    rows, labels = X.tolist(), y.tolist()
    classes = sorted(set(labels))
    counts = {each: labels.count(each) for each in classes}
    d = len(rows[0])
    sums = {each: [0.0] * d for each in classes}
    squares = {each: [0.0] * d for each in classes}
    for row, label in zip(rows, labels, strict=True):
        for i, value in enumerate(row):
            sums[label][i] += value
            squares[label][i] += value * value
    scores = []
    for i in range(d):
        mean = sum(sums[each][i] for each in classes) / len(labels)
        between = within = 0.0
        for each in classes:
            own = sums[each][i] / counts[each]
            between += counts[each] * (own - mean) ** 2
            within += squares[each][i] - counts[each] * own**2
        scores.append(between / within if within > 0 else 0.0)
    return scores
