"""Effects of features on many machines of few support vectors each: the pairs of many classes.

Fifty classes are 1225 machines.  What costs O(1) a machine elsewhere, choosing a path and calling a
function, is then most of the time; here the kernel matrix of all samples is changed once for each feature
and all machines take their part of it in one product with the sparse matrix of their coefficients.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix, check_matrix, dense_columns
from svmsieve.engine.kernels.gram import ActiveGram
from svmsieve.engine.kernels.kernel import RBF, Kernel, Linear, gram
from svmsieve.engine.machines.trained import Trained
from svmsieve.runtime.memory import BLOCK_BUDGET

MANY_MACHINES = 45
"""Machines, those of ten classes, from which on one matrix for all of them is worth it."""
_OPERATIONS_A_MACHINE = 2e5
"""Entries of a kernel matrix that are changed in the time it takes to call upon one machine."""


def worth_one_matrix(trained: Trained, n_changes: int) -> bool:
    """Whether so many changes of the matrix of all samples take less time than calls of all machines."""
    n, n_machines = len(trained.target), len(trained.parts)
    work = 1.0 * n * n * n_changes
    return n_machines >= MANY_MACHINES and work < _OPERATIONS_A_MACHINE * n_machines


@dataclass(frozen=True)
class ManyMachines:
    """The coefficients of all samples, machines × samples, and the intercepts of some machines."""

    coef: sp.csr_matrix
    intercepts: FloatArray

    @classmethod
    def of(cls, trained: Trained) -> ManyMachines:
        """Take them from trained machines."""
        return cls(trained.coefficients, trained.intercepts)

    def forms(self, W: FloatArray) -> FloatArray:
        """Return ``c'Wc`` of each machine."""
        return np.asarray(self.coef.multiply(self.coef @ W).sum(axis=1)).ravel()

    def decisions(self, K: FloatArray) -> FloatArray:
        """Return all machines' decision values of samples, given their kernel with all samples."""
        return np.asarray(self.coef @ np.ascontiguousarray(K.T)).T + self.intercepts


def decisions_of_others(trained: Any, X: Matrix) -> FloatArray:
    """Return all machines' decision values of other samples, shape (samples, machines).

    ``trained`` is anything with expansions; many exact machines share one kernel matrix.
    O(n s d) for s samples that are support vectors of any machine, in row chunks of bounded memory.
    """
    if not isinstance(trained, Trained) or len(trained.parts) < MANY_MACHINES:
        return np.column_stack([each.decision_function(X) for each in trained.expansions])
    kernel, coef = trained.gram.kernel, trained.coefficients
    used = np.unique(coef.indices)
    coef, samples = coef[:, used], trained.gram.samples[used]
    if isinstance(kernel, Linear):
        weights = np.asarray((coef @ samples).todense() if sp.issparse(samples) else coef @ samples)
        return np.asarray(X @ weights.T) + trained.intercepts
    machines = ManyMachines(coef, trained.intercepts)
    chunk = max(1, int(BLOCK_BUDGET / (16 * max(len(used), len(trained.parts)))))
    blocks = [
        machines.decisions(gram(kernel, check_matrix(X[start : start + chunk]), samples))
        for start in range(0, X.shape[0], chunk)
    ]
    return np.concatenate(blocks)


def _columns_distances(columns: FloatArray, others: FloatArray) -> FloatArray:
    """Return the squared distances of some samples to others in a few columns."""
    distances = np.zeros((len(columns), len(others)))
    for column, other in zip(columns.T, others.T, strict=True):
        distances += np.subtract.outer(column, other) ** 2
    return distances


def norm_changes_of_many(
    gram: ActiveGram, trained: Trained, units: Sequence[IntArray]
) -> Iterator[FloatArray]:
    """Yield for each unit ``c'K⁽ⁱ⁾c − c'Kc`` of every machine, c fixed, of an RBF kernel.

    K⁽ⁱ⁾ − K = K∘(exp(γ D_i) − 1), without cancellation.  O(n² + n s) a unit, s support vectors in all.
    """
    assert isinstance(gram.kernel, RBF)
    machines, K = ManyMachines.of(trained), gram.matrix
    for unit in units:
        columns = dense_columns(gram.samples, unit)
        change = K * np.expm1(gram.kernel.gamma * _columns_distances(columns, columns))
        yield machines.forms(change)


def replaced_base(
    kernel: Kernel, base: FloatArray, old: FloatArray, new: FloatArray, others: FloatArray
) -> FloatArray:
    """Return the kernel's base of samples against others after some columns' values were replaced."""
    if isinstance(kernel, RBF):
        changed = base - _columns_distances(old, others) + _columns_distances(new, others)
        return np.maximum(changed, 0.0, out=changed)
    return base + (new - old) @ others.T
