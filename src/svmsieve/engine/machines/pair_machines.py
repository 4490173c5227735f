"""The machines of all pairs of classes on one kernel matrix, solved in one compiled call.

Fifty classes are 1225 machines of a few samples each.  A call from the interpreter takes longer than such a
machine, so they lie one after another in flat arrays, as the rows of a CSR matrix do, and one loop trains
them all.  Each is solved as :func:`~svmsieve.engine.solvers.smo.solve_qp` would: the numbers are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from svmsieve.engine.arrays import BoolArray, FloatArray, IntArray
from svmsieve.engine.machines.machine import Dual, Machine
from svmsieve.engine.solvers.smo import FEW_SAMPLES, MOST_STEPS, feasible_in_place, solve_few
from svmsieve.runtime.compiled import compiled

SolveOne: TypeAlias = Callable[[int], Dual]
"""Trains one of the machines, given its number."""


@compiled()
def _merge(
    order: IntArray, starts: IntArray, rows: IntArray, signs: FloatArray, ends: IntArray
) -> None:
    """Write the samples of each pair of classes in ascending order, and −1 or +1 for each."""
    n_classes = starts.shape[0] - 1
    here = 0
    pair = 0
    for first in range(n_classes):
        for second in range(first + 1, n_classes):
            i, j = starts[first], starts[second]
            while i < starts[first + 1] or j < starts[second + 1]:
                takes_first = j == starts[second + 1] or (
                    i < starts[first + 1] and order[i] < order[j]
                )
                if takes_first:
                    rows[here] = order[i]
                    signs[here] = -1.0
                    i += 1
                else:
                    rows[here] = order[j]
                    signs[here] = 1.0
                    j += 1
                here += 1
            pair += 1
            ends[pair] = here


@compiled()
def _solve(
    K: FloatArray,
    rows: IntArray,
    signs: FloatArray,
    ends: IntArray,
    bounds: FloatArray,
    wanted: BoolArray,
    warm: bool,
    tol: float,
    max_steps: int,
    alpha: FloatArray,
    coef: FloatArray,
    outputs: FloatArray,
    numbers: FloatArray,
) -> None:
    """Solve the wanted machines, from ``alpha``: write all of them, and what else each ends with."""
    for m in range(ends.shape[0] - 1):
        if not wanted[m]:
            continue
        first, last = ends[m], ends[m + 1]
        n = last - first
        own = rows[first:last]
        K_pair = np.empty((n, n))
        for i in range(n):
            row = K[own[i]]
            for j in range(n):
                K_pair[i, j] = row[own[j]]
        s = signs[first:last]
        C = bounds[first:last]
        a = alpha[first:last]
        if warm:
            feasible_in_place(a, s, C, 0.0)
        c, u, offset, objective, taken, violation = solve_few(
            K_pair, K_pair.reshape(-1), 0.0, s, np.full(n, -1.0), C, a, tol, max_steps
        )
        coef[first:last] = c
        outputs[first:last] = u
        numbers[m, 0] = offset
        numbers[m, 1] = objective
        numbers[m, 2] = taken
        numbers[m, 3] = violation


@dataclass(frozen=True)
class FlatPairs:
    """Samples and labels ±1 of many machines, one machine after another.

    Machine m has the entries ``ends[m]`` to ``ends[m + 1]`` of ``rows`` and ``signs``.
    """

    rows: IntArray
    signs: FloatArray
    ends: IntArray

    @classmethod
    def of_codes(cls, codes: IntArray, n_classes: int) -> FlatPairs:
        """Return those of all pairs of classes, in one-against-one order."""
        order = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[order], np.arange(n_classes + 1))
        ends = np.zeros(n_classes * (n_classes - 1) // 2 + 1, dtype=np.intp)
        rows = np.empty(len(codes) * (n_classes - 1), dtype=np.intp)
        signs = np.empty(len(rows))
        _merge(order, starts, rows, signs, ends)
        return cls(rows, signs, ends)

    def __len__(self) -> int:
        return len(self.ends) - 1

    @cached_property
    def are_few_each(self) -> bool:
        """Whether there are several machines, none of more samples than one compiled call is for."""
        return len(self) > 1 and int(np.diff(self.ends).max()) <= FEW_SAMPLES

    def entries(self, machine: int) -> slice:
        """Where the samples of one machine are."""
        return slice(self.ends[machine], self.ends[machine + 1])

    def any_of_each(self, marks: BoolArray) -> BoolArray:
        """Whether any sample of each machine is marked."""
        before = np.concatenate([[0], np.cumsum(marks)])
        return np.diff(before[self.ends]) > 0

    def matrix(self, K: FloatArray, machine: int) -> FloatArray:
        """Return the kernel matrix of one machine's samples."""
        own = self.rows[self.entries(machine)]
        return K[np.ix_(own, own)]

    def entries_repeated(self, counts: Sequence[int]) -> IntArray:
        """Return the entries of each machine several times over."""
        owns = np.split(np.arange(len(self.rows)), self.ends[1:-1])
        return np.concatenate([own for own, n in zip(owns, counts, strict=True) for _ in range(n)])

    def repeated(self, counts: Sequence[int]) -> FlatPairs:
        """Return each machine several times over."""
        sizes = np.repeat(np.diff(self.ends), counts)
        entries = self.entries_repeated(counts)
        return FlatPairs(self.rows[entries], self.signs[entries], np.cumsum([0, *sizes]))


@dataclass(frozen=True)
class PairDuals:
    """The solutions of many machines, laid out as their samples are; see :class:`Dual`."""

    pairs: FlatPairs
    bounds: FloatArray
    alpha: FloatArray
    coef: FloatArray
    outputs: FloatArray
    numbers: FloatArray
    """Intercept, objective, steps and whether it converged, of each machine."""

    @classmethod
    def of(cls, pairs: FlatPairs, duals: Sequence[Dual]) -> PairDuals:
        """Lay out solutions that were found one by one."""
        return cls(
            pairs,
            np.concatenate([dual.bounds for dual in duals]),
            np.concatenate([dual.alpha for dual in duals]),
            np.concatenate([dual.coef for dual in duals]),
            np.concatenate([dual.outputs for dual in duals]),
            np.array([(d.intercept, d.objective, d.n_iter, d.converged) for d in duals]),
        )

    @property
    def intercepts(self) -> FloatArray:
        """The intercept of each machine."""
        return self.numbers[:, 0]

    @property
    def converged(self) -> BoolArray:
        """Which machines reached their optimum."""
        return self.numbers[:, 3] != 0.0

    @property
    def bind(self) -> BoolArray:
        """Which machines have a dual variable at its upper bound, so that a larger C changes them."""
        return self.pairs.any_of_each((self.alpha >= self.bounds) & (self.bounds > 0.0))

    def dual(self, machine: int) -> Dual:
        """Return the solution of one machine."""
        own = self.pairs.entries(machine)
        intercept, objective, n_iter, converged = self.numbers[machine].tolist()
        return Dual(
            self.coef[own],
            self.outputs[own],
            intercept,
            self.alpha[own],
            self.bounds[own],
            objective,
            int(n_iter),
            bool(converged),
        )

    def repeated(self, counts: Sequence[int]) -> PairDuals:
        """Return each machine several times over."""
        entries = self.pairs.entries_repeated(counts)
        return PairDuals(
            self.pairs.repeated(counts),
            self.bounds[entries],
            self.alpha[entries],
            self.coef[entries],
            self.outputs[entries],
            np.repeat(self.numbers, counts, axis=0),
        )

    def coefficients(self, n: int, equals: IntArray | None = None) -> sp.csr_matrix:
        """Return the coefficients of n samples (machines × samples), added up over equal samples.

        ``equals`` holds for each sample the first one equal to it.
        """
        used = self.coef != 0.0
        ends = np.concatenate([[0], np.cumsum(used)])[self.pairs.ends]
        rows = self.pairs.rows[used]
        rows = rows if equals is None else equals[rows]
        matrix = sp.csr_matrix((self.coef[used], rows, ends), shape=(len(self.pairs), n))
        matrix.sum_duplicates()
        return matrix


def solve_pairs(
    K: FloatArray,
    pairs: FlatPairs,
    bounds: FloatArray,
    machine: Machine,
    one: SolveOne,
    *,
    start: FloatArray | None = None,
    keep: PairDuals | None = None,
    wanted: BoolArray | None = None,
) -> PairDuals:
    """Train the hinge machines of all pairs, each of few samples.

    Parameters
    ----------
    K : kernel matrix of all samples
    bounds : of each machine's samples
    machine : a hinge machine; says when to stop
    one : trains what takes more steps than few samples may take here
    start : dual variables to start from
    wanted, keep : which machines to train, by default all, and the solutions of the others
    """
    tol, max_iter = machine.tol, machine.max_iter
    if not tol > 0.0:
        raise ValueError(f"tol must be positive, got {tol!r}.")
    wanted = np.ones(len(pairs), dtype=np.bool_) if wanted is None else wanted
    n = len(pairs.rows)
    alpha = np.zeros(n) if start is None else start.copy()
    coef, outputs, numbers = np.empty(n), np.empty(n), np.empty((len(pairs), 4))
    if keep is not None:
        stays = np.repeat(~wanted, np.diff(pairs.ends))
        bounds = np.where(stays, keep.bounds, bounds)
        alpha[stays] = keep.alpha[stays]
        coef[stays], outputs[stays] = keep.coef[stays], keep.outputs[stays]
        numbers[~wanted] = keep.numbers[~wanted]
    steps = MOST_STEPS if max_iter is None else min(max_iter, MOST_STEPS)
    _solve(
        K,
        pairs.rows,
        pairs.signs,
        pairs.ends,
        bounds,
        wanted,
        start is not None,
        tol,
        steps,
        alpha,
        coef,
        outputs,
        numbers,
    )
    numbers[wanted, 3] = ~(numbers[wanted, 3] >= tol)
    duals = PairDuals(pairs, bounds, alpha, coef, outputs, numbers)
    for m in np.flatnonzero(wanted & (numbers[:, 3] == 0.0)):
        _replace(duals, int(m), one(int(m)))
    return duals


def _replace(duals: PairDuals, machine: int, dual: Dual) -> None:
    """Put in the solution of one machine that was found in another way."""
    own = duals.pairs.entries(machine)
    duals.alpha[own], duals.coef[own], duals.outputs[own] = dual.alpha, dual.coef, dual.outputs
    duals.numbers[machine] = dual.intercept, dual.objective, dual.n_iter, dual.converged


def train_pairs(
    machine: Machine,
    K: FloatArray,
    pairs: FlatPairs,
    bounds: FloatArray,
    start: PairDuals | None = None,
) -> PairDuals:
    """Train a hinge machine for each pair of few samples, from similar ones."""

    def one(m: int) -> Dual:
        own, warm = pairs.entries(m), None if start is None else start.dual(m)
        return machine.solve(pairs.matrix(K, m), pairs.signs[own], bounds[own], warm)

    alpha = None if start is None else start.alpha
    return solve_pairs(K, pairs, bounds, machine, one, start=alpha)
