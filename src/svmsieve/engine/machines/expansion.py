"""The waist of the hourglass: every machine ends as an expansion, every criterion starts from one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix, check_matrix
from svmsieve.engine.kernels.kernel import Kernel, Linear, gram
from svmsieve.engine.machines.machine import Dual
from svmsieve.runtime.compiled import compiled
from svmsieve.runtime.memory import BLOCK_BUDGET


@dataclass(frozen=True)
class Expansion:
    """``f(x) = Σ_k coef_k K(center_k, x) + intercept``."""

    kernel: Kernel
    centers: Matrix
    coef: FloatArray
    intercept: float

    @classmethod
    def of_dual(cls, kernel: Kernel, X: Matrix, dual: Dual) -> Expansion:
        """Return the expansion of a trained machine over its support vectors, rows of ``X``."""
        support = dual.support
        if len(support) == 0:  # a constant: keep one centre so that every shape is regular
            support = np.array([0])
        return cls(kernel, X[support], dual.coef[support], dual.intercept)

    @property
    def n_features(self) -> int:
        """Number of features of the samples."""
        return int(self.centers.shape[1])

    def linear_weights(self) -> FloatArray:
        """Return w with ``f(x) = <w, x> + b`` (linear kernel only), O(m d)."""
        if not isinstance(self.kernel, Linear):
            raise ValueError(
                f"weights of single features exist only for a linear kernel, not {self.kernel}."
            )
        return np.asarray(self.centers.T @ self.coef).ravel()

    def decision_function(self, X: Any) -> FloatArray:
        """Return f for each row of ``X``, O(n m d), in row chunks of bounded memory."""
        X = check_matrix(X)
        if X.shape[1] != self.n_features:
            raise ValueError(f"X must have {self.n_features} features, got {X.shape[1]}.")
        if isinstance(self.kernel, Linear):
            return np.asarray(X @ self.linear_weights()).ravel() + self.intercept
        n = X.shape[0]
        chunk = max(1, int(BLOCK_BUDGET / (16 * len(self.coef))))
        values = np.empty(n)
        for start in range(0, n, chunk):
            rows = slice(start, start + chunk)
            values[rows] = gram(self.kernel, X[rows], self.centers) @ self.coef
        return values + self.intercept


@dataclass(frozen=True)
class OneVsOne:
    """A multiclass machine: one expansion for each pair of classes; positive means the second one."""

    classes: Any
    expansions: tuple[Expansion, ...]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Index pairs (first, second) into ``classes``, in the order of the expansions."""
        return list(combinations(range(len(self.classes)), 2))

    def decision_values(self, X: Any) -> FloatArray:
        """Return the decision value of each pair's machine, shape (n, n_pairs)."""
        return np.column_stack([expansion.decision_function(X) for expansion in self.expansions])

    def predict(self, X: Any) -> Any:
        """Return the class with the most votes; of equal ones the first, as LIBSVM does."""
        return self.classes[vote(self.decision_values(X), len(self.classes))]


def vote(decision_values: FloatArray, n_classes: int) -> np.ndarray[Any, np.dtype[np.intp]]:
    """Return the index of the winner of each row's one-against-one votes.

    A decision value of exactly 0 votes for the second class, as in LIBSVM.

    >>> vote(np.array([[1.0, 1.0, -1.0]]), 3)  # pairs (0,1), (0,2), (1,2): 1, 2 and 1 win
    array([1])
    """
    if n_classes == 2:
        return (decision_values[:, 0] >= 0.0).astype(np.intp)
    return votes_of(decision_values, n_classes).argmax(axis=1)


def votes_of(decision_values: FloatArray, n_classes: int) -> IntArray:
    """Return how many of its pairs each class wins, shape (rows, classes)."""
    votes = np.zeros((len(decision_values), n_classes), dtype=np.intp)
    _count_votes(np.ascontiguousarray(decision_values), votes)
    return votes


@compiled()
def _count_votes(decision_values: FloatArray, votes: IntArray) -> None:
    n_classes = votes.shape[1]
    for row in range(votes.shape[0]):
        pair = 0
        for first in range(n_classes):
            for second in range(first + 1, n_classes):
                wins = decision_values[row, pair] >= 0.0
                votes[row, second if wins else first] += 1
                pair += 1
