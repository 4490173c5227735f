"""Train the machines again without each feature, in threads, from the machine that has them all."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from queue import SimpleQueue

import numba
import numpy as np
import scipy.sparse as sp

from svmsieve.criteria.material import Data
from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.kernels.gram import ActiveGram
from svmsieve.engine.kernels.kernel import RBF, Linear
from svmsieve.engine.machines.machine import Dual
from svmsieve.engine.machines.trained import PairMachine, Trained
from svmsieve.engine.solvers.smo import FEW_SAMPLES
from svmsieve.runtime.cluster_loops import cluster_for, in_order
from svmsieve.runtime.threads import n_threads, one_blas_thread, over_rows

Value = Callable[[FloatArray, PairMachine, Dual], float]
_OPERATIONS = 20.0
"""Passes over the kernel matrix that training one machine again takes, about."""

MANY_COLUMNS = 64
"""Columns below which the first call would wait longer for a loop to be compiled than it saves."""

Compiled = Callable[..., None]
"""A loop over columns of :mod:`svmsieve.engine.effects.retrained_removals`."""


def without_each(
    trained: Trained,
    data: Data,
    value: Value,
    compiled: Compiled,
    *,
    train: bool = True,
    which: IntArray | None = None,
    spheres: dict[int, FloatArray] | None = None,
) -> FloatArray:
    """Return what :func:`for_each_removal` does, many columns of few samples in less time.

    That is for the squared-hinge machine.

    ``compiled`` is the loop that computes the same values, ``which`` are the columns to do without (None:
    each column or group), ``spheres`` the β of each part, by id, where the loop needs them.
    """
    if which is not None:
        data = replace(data, groups=tuple(which[:, None]))
    if not _are_few(trained, data, which):
        return for_each_removal(trained, data, value, train=train)
    X = np.asarray(data.X if which is None else data.X[:, which])
    gamma = data.kernel.gamma if isinstance(data.kernel, RBF) else 0.0
    scores = np.zeros(data.n_scores)
    for part in trained.parts:
        kept = np.flatnonzero(part.bounds > 0.0)
        rows = part.rows[kept]
        out = np.empty(data.n_scores)
        loop = partial(
            compiled,
            np.ascontiguousarray(data.gram.base[np.ix_(rows, rows)]),
            np.ascontiguousarray(X[rows].T),
            gamma,
            part.y[kept],
            part.bounds[kept],
            part.dual.alpha[kept],
            np.empty(0) if spheres is None else spheres[id(part)][kept],
            out,
        )
        over_rows(loop, data.n_scores, float(len(rows)) ** 3)
        scores += out
    left = np.flatnonzero(np.isnan(scores))
    if len(left):
        some = left if which is None else which[left]
        rest = replace(data, groups=tuple(some[:, None]))
        scores[left] = for_each_removal(trained, rest, value, train=train)
    return scores


def _are_few(trained: Trained, data: Data, which: IntArray | None) -> bool:
    return (
        trained.machine.loss == "squared_hinge"
        and (data.groups is None or which is not None)
        and len(data.target) <= FEW_SAMPLES
        and data.n_scores >= MANY_COLUMNS
        and isinstance(data.kernel, Linear | RBF)
        and not sp.issparse(data.X)
    )


def for_each_removal(
    trained: Trained, data: Data, value: Value, *, train: bool = True
) -> FloatArray:
    """Return, for each column or group, ``value(K, part, dual)`` of the retrained machines, added up.

    ``K`` is the kernel matrix of the part's samples without the column, ``dual`` the machine trained
    on it (the one with all columns if ``train`` is False).  Each thread holds one matrix; the result
    does not depend on their number, nor on whether the removals are tasks of a cluster.
    """
    groups: list[IntArray] = (
        [np.array([i]) for i in range(data.n_scores)] if data.groups is None else list(data.groups)
    )
    removals = _Removals(data.gram, trained, value, train)
    work = _OPERATIONS * len(groups) * len(trained.parts) * float(len(data.gram.base)) ** 2
    backend = cluster_for(work)
    if backend is not None:
        items = [(columns,) for columns in groups]
        return np.array(in_order(backend, _Removals.without, items, removals))
    workers = min(n_threads(), len(groups))
    matrices: SimpleQueue[FloatArray] = SimpleQueue()
    for _ in range(workers):
        matrices.put(np.empty_like(data.gram.base))

    def in_thread(columns: IntArray) -> float:
        numba.set_num_threads(1)
        buffer = matrices.get()
        try:
            return removals.without(columns, buffer)
        finally:
            matrices.put(buffer)

    with one_blas_thread(), ThreadPoolExecutor(workers) as pool:
        return np.array(list(pool.map(in_thread, groups)))


@dataclass(frozen=True)
class _Removals:
    """What all removals share."""

    gram: ActiveGram
    trained: Trained
    value: Value
    train: bool

    def without(self, columns: IntArray, out: FloatArray | None = None) -> float:
        """Return the value of the machines without some columns."""
        K = self.gram.without(self.gram.active[columns], out=out)
        total = 0.0
        for part in self.trained.parts:
            K_part = K if len(part.rows) == len(K) else np.take(K[part.rows], part.rows, 1)
            dual = part.dual
            if self.train:
                dual = self.trained.machine.solve(K_part, part.y, part.bounds, part.dual)
            total += self.value(K_part, part, dual)
        return total
