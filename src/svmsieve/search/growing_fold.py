"""The machines of one fold on a growing set of units."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.kernels.gram import (
    change_rbf,
    multiply_rbf,
    multiply_rbf_by_value,
    multiply_rows,
)
from svmsieve.engine.kernels.kernel import RBF, Kernel, gram
from svmsieve.engine.machines.machine import Dual, Machine
from svmsieve.engine.machines.pair_machines import FlatPairs, PairDuals, train_pairs
from svmsieve.engine.machines.plan import Plan
from svmsieve.engine.machines.target import Classes
from svmsieve.runtime.memory import require_memory
from svmsieve.search.equal_samples import (
    Kinds,
    kinds,
    kinds_of_codes,
    kinds_of_rows,
    refined,
    solve_as_one,
)
from svmsieve.search.fold import Fold

_FEW_KINDS = 0.5
"""Kinds of samples, as a share of the samples, up to which one of each kind is trained on."""


class Validated(NamedTuple):
    """The score of a fold and its machines, one for each pair of classes."""

    score: float
    duals: list[Dual] | PairDuals


class Room:
    """Room for the matrix of one candidate, taken when it is written to."""

    def __init__(self, size: int) -> None:
        self.size = size

    @cached_property
    def _values(self) -> FloatArray:
        return np.empty(self.size)

    def matrix(self, shape: tuple[int, int]) -> FloatArray:
        """An array to write to."""
        return self._values[: shape[0] * shape[1]].reshape(shape)


class GrowingFold:
    """A growing set of units in one fold, the matrix that grows with it and the fold's last machines.

    The matrix is that of the fold's samples against its training samples, so that it has all that machines
    are trained on (its first rows) and judged by.  The base of a larger set is the base of the smaller one
    plus the part of the new unit, O(n²); an RBF kernel of fixed γ is itself the product of the smaller set's
    and the unit's.  Each machine starts from the one of the smaller set.  While the training samples are of
    few kinds a classifier is trained on one of each (:mod:`svmsieve.search.equal_samples`), and no matrix of
    all samples is made.
    """

    def __init__(
        self, fold: Fold, units: tuple[IntArray, ...], chosen: Sequence[int], memory: float | None
    ) -> None:
        self.fold = fold
        self.units = units
        self.chosen = list(chosen)
        self.memory = memory
        plan = fold.plan
        self.factor = plan.kernel if isinstance(plan.kernel, RBF) else None
        """The RBF kernel of fixed γ, whose values are multiplied."""
        self._measured: dict[int, tuple[FloatArray, FloatArray]] = {}
        self._moments: list[tuple[FloatArray, FloatArray]] = []
        """Mean and variance of the columns taken in, of the training samples, where γ follows them."""
        if plan.follows_features:
            self.factor = None
            self._moments = [self._moments_of(unit) for unit in self.chosen]
        self._kinds: dict[int, tuple[Kinds, Kinds]] = {}
        self._grown: FloatArray | None = None
        self.last: list[Dual] | PairDuals | None = None
        self.alike: Kinds | None = None
        """Kinds of the training samples in the columns taken in; None where numbers are predicted."""
        if isinstance(fold.target, Classes):
            self.alike = kinds(np.zeros(fold.n_train, dtype=np.intp))
            for unit in self.chosen:
                self.alike = self.told_apart(unit)

    def _columns(self, units: Sequence[int]) -> FloatArray:
        return self.fold.columns(np.concatenate([self.units[unit] for unit in units]))

    @property
    def grown(self) -> FloatArray:
        """The matrix of the units taken in: the kernel's base, or an RBF kernel of fixed γ itself."""
        if self._grown is None:
            shape = self.fold.shape
            require_memory(
                16.0 * shape[0] * shape[1], self.memory, f"The kernel matrix of {shape[0]} samples"
            )
            self._grown = np.zeros(shape) if self.factor is None else np.ones(shape)
            if self.chosen:
                base = self._base(self._columns(self.chosen), self._grown)
                self._grown = base if self.factor is None else self.factor.of_base(base, out=base)
        return self._grown

    def _base(self, columns: FloatArray, out: FloatArray) -> FloatArray:
        """Write the base matrix of the fold's samples against the training samples into ``out``."""
        n, kernel = self.fold.n_train, self.fold.plan.kernel
        train = columns[:n]
        out[:n] = kernel.base(train, train)
        out[n:] = kernel.base(columns[n:], train)
        return out

    @staticmethod
    def few(alike: Kinds | None) -> bool:
        """Whether there are few enough kinds to train on one sample of each."""
        return alike is not None and len(alike.first) <= _FEW_KINDS * len(alike.of)

    def told_apart(self, unit: int) -> Kinds | None:
        """Return the kinds of the training samples with one more unit; None where they are many already."""
        if self.alike is None or not self.few(self.alike):
            return None
        return refined(self.alike, self._kinds_of(unit)[0])

    def _with(self, unit: int, out: FloatArray) -> FloatArray:
        """Write the grown matrix with one more unit into ``out``."""
        if self.factor is None:
            return np.add(self.grown, self._base(self._columns([unit]), out), out=out)
        return self._multiplied(unit, self.factor, out)

    def _multiplied(self, unit: int, kernel: RBF, out: FloatArray) -> FloatArray:
        """Write the grown kernel matrix times that of one more unit into ``out``.

        Where samples share their values, as those of a category do, each value is computed once.
        """
        columns, n = self._columns([unit]), self.fold.n_train
        train, held_out = self._kinds_of(unit)
        single = columns.shape[1] == 1
        if single and 2 * len(train.first) > n:
            return multiply_rbf(self.grown, columns[:, 0], kernel.gamma, out)
        for part, alike in ((slice(n), train), (slice(n, None), held_out)):
            values = columns[part][alike.first]
            if single:
                column = columns[:n, 0].copy()  # contiguous, as compiled code wants it
                multiply_rbf_by_value(
                    self.grown[part], values[:, 0].copy(), alike.of, column, kernel.gamma, out[part]
                )
            else:
                factors = gram(kernel, values, columns[:n])
                multiply_rows(self.grown[part], factors, alike.of, out[part])
        return out

    def _kinds_of(self, unit: int) -> tuple[Kinds, Kinds]:
        """Return the kinds of the training and of the held-out samples in the columns of a unit."""
        known = self._kinds.get(unit)
        if known is None:
            columns, n = self._columns([unit]), self.fold.n_train
            known = kinds_of_rows(columns[:n]), kinds_of_rows(columns[n:])
            if self.fold.is_small:
                self._kinds[unit] = known
        return known

    def _kernel_with(self, unit: int, kernel: Kernel, out: FloatArray) -> FloatArray:
        """Write the kernel matrix with one more unit into ``out``."""
        if self.factor is None and isinstance(kernel, RBF) and len(self.units[unit]) == 1:
            column = self._columns([unit])[:, 0]
            return change_rbf(self.grown, column, 1.0, kernel.gamma, out, out)
        matrix = self._with(unit, out)
        return matrix if self.factor is not None else kernel.of_base(matrix, out=out)

    def add(self, unit: int, validated: Validated) -> None:
        """Take a unit in, with the machines that were validated with it."""
        if self._grown is not None:
            self._grown = self._with(unit, np.empty_like(self._grown))
        self.alike = self.told_apart(unit)
        if self.fold.plan.follows_features:
            self._moments.append(self._moments_of(unit))
        self.chosen.append(unit)
        self.last = validated.duals

    def plan_with(self, unit: int) -> Plan:
        """Return the plan of the set with one more unit: γ by its rule, from the training samples."""
        if not self.fold.plan.follows_features:
            return self.fold.plan
        means, variances = zip(*self._moments, self._moments_of(unit), strict=True)
        return self.fold.plan.for_moments(np.concatenate(means), np.concatenate(variances))

    def _moments_of(self, unit: int) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of a unit's columns, measured once: at every step it may be the next."""
        known = self._measured.get(unit)
        if known is None:
            columns = self._columns([unit])[: self.fold.n_train]
            known = self._measured[unit] = columns.mean(axis=0), columns.var(axis=0)
        return known

    def validate(self, unit: int, alike: Kinds | None, room: Room) -> Validated:
        """Train the machines of the set with one more unit and judge them by the held-out samples."""
        plan = self.plan_with(unit)
        if self.few(alike):
            assert alike is not None
            columns = self._columns([*self.chosen, unit])
            samples = columns[alike.first]
            K, judged = (
                gram(plan.kernel, samples, samples),
                gram(plan.kernel, columns[self.fold.n_train :], samples),
            )
        else:
            alike = None
            whole = self._kernel_with(unit, plan.kernel, room.matrix(self.fold.shape))
            K, judged = whole[: self.fold.n_train], whole[self.fold.n_train :]
        target = self.fold.target
        if (
            alike is None
            and isinstance(target, Classes)
            and plan.machine.loss == "hinge"
            and target.flat_pairs.are_few_each
        ):
            return self._validate_pairs(plan.machine, K, judged, target.flat_pairs)
        duals = self._trained(plan, K, alike)
        return Validated(self.fold.score(self._decisions(judged, alike, duals)), duals)

    def _validate_pairs(
        self, machine: Machine, K: FloatArray, judged: FloatArray, pairs: FlatPairs
    ) -> Validated:
        """Train the machines of several pairs of few samples each at once, and judge them."""
        start = PairDuals.of(pairs, self.last) if isinstance(self.last, list) else self.last
        bounds = machine.C * self.fold.weights[pairs.rows]
        duals = train_pairs(machine, K, pairs, bounds, start)
        outputs = duals.coefficients(len(K)) @ np.ascontiguousarray(judged.T)
        return Validated(self.fold.score(outputs.T + duals.intercepts), duals)

    def _trained(self, plan: Plan, K: FloatArray, alike: Kinds | None) -> list[Dual]:
        """Train the machine of every pair; ``K`` is of all training samples, or of their kinds."""
        assert not isinstance(self.last, PairDuals)
        duals = []
        for pair, (rows, y) in enumerate(self.fold.target.pairs):
            used = rows if alike is None else alike.of[rows]  # in K
            if alike is not None:
                # samples of both labels are never one
                same = kinds_of_codes(2 * used + (y > 0.0), 2 * len(alike.first))
                used = used[same.first]
            whole = len(rows) == self.fold.n_train and len(used) == len(K)
            K_pair = K if whole else K[np.ix_(used, used)]
            bounds = plan.machine.C * self.fold.weights[rows]
            start = None if self.last is None else self.last[pair]
            if alike is None:
                duals.append(plan.machine.solve(K_pair, y, bounds, start))
            else:
                duals.append(solve_as_one(plan.machine, K_pair, y, same, bounds, start))
        return duals

    def _decisions(
        self, judged: FloatArray, alike: Kinds | None, duals: Sequence[Dual]
    ) -> FloatArray:
        """Return the held-out samples' decision values by the machine of each pair of classes.

        ``judged`` is the kernel matrix of the held-out samples against those of the training.
        """
        coef = np.empty((len(duals), judged.shape[1]))
        for place, dual, (rows, _) in zip(coef, duals, self.fold.target.pairs, strict=True):
            places = rows if alike is None else alike.of[rows]
            place[:] = np.bincount(places, dual.coef, judged.shape[1])
        # One product for all machines: picking each one's columns out would take longer.
        return judged @ coef.T + [dual.intercept for dual in duals]
