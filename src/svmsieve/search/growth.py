"""Cross-validation of machines on a growing set of units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from numbers import Integral
from typing import Any, NamedTuple

import numba
import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray, dense_columns
from svmsieve.engine.folds import grouped_folds, stratified_folds
from svmsieve.engine.gram import ActiveGram, change_rbf
from svmsieve.engine.kernels import RBF, Kernel, gram
from svmsieve.engine.machines import Dual
from svmsieve.engine.plan import Plan
from svmsieve.engine.spreading import cluster_for, in_order
from svmsieve.engine.target import Classes
from svmsieve.engine.threads import n_threads
from svmsieve.engine.trained import sample_weights
from svmsieve.search.alike import Kinds, kinds, kinds_of_rows, refined, solve_as_one
from svmsieve.search.contract import Problem

_OPERATIONS = 20.0
"""Passes over the kernel matrix that training one machine takes, about."""

_WORTH_THREADS = 1e7
"""Operations of one candidate below which threads wait for the interpreter more than they compute."""

_FEW_KINDS = 0.5
"""Kinds of samples, as a share of the samples, up to which one of each kind is trained on."""

DecisionScore = Callable[[FloatArray, IntArray], float]


class Validated(NamedTuple):
    """Scores of the folds and their machines, one for each pair of classes."""

    scores: list[float]
    duals: list[list[Dual]]


def unit_kernel(columns: FloatArray, kernel: RBF, out: FloatArray) -> FloatArray:
    """Write the kernel matrix of a unit's columns into ``out``.

    Where samples share their values, as those of a category do, each pair of values is computed once.
    """
    if columns.shape[1] == 1:
        column = columns[:, 0]
        values, codes = np.unique(column, return_inverse=True)
        if 2 * len(values) > len(column):
            np.subtract.outer(column, column, out=out)
            np.multiply(out, out, out=out)
            return kernel.of_base(out, out=out)
        values = values[:, None]
    else:
        values, codes = np.unique(columns, axis=0, return_inverse=True)
        codes = codes.ravel()
    rows = np.take(gram(kernel, values, values), codes, axis=1)
    return np.take(rows, codes, axis=0, out=out, mode="clip")  # other modes fill a copy first


class Room:
    """Room for the matrix of one candidate, taken when it is written to."""

    def __init__(self, n: int) -> None:
        self.n = n

    @cached_property
    def matrix(self) -> FloatArray:
        """An array to write to."""
        return np.empty((self.n, self.n))


class Growth:
    """A growing set of units, the matrix that grows with it and the machines of its folds.

    The base of a larger set is the base of the smaller one plus the part of the new unit, O(n²); an RBF
    kernel of fixed γ is itself the product of the smaller set's and the unit's.  Each fold's machine
    starts from the one of the smaller set.  While the samples are of few kinds a classifier is trained on
    one of each (:mod:`svmsieve.search.alike`), and no matrix of all samples is made.
    """

    def __init__(
        self, problem: Problem, plan: Plan, score: DecisionScore, cv: Any, units: Sequence[int]
    ) -> None:
        self.problem = problem
        self.plan = plan
        self.score = score
        target = problem.target
        n = len(target)
        self.folds = self._held_out(cv)
        outside = self.folds
        if not isinstance(cv, Integral):  # the samples that do not train need not be those held out
            outside = [np.setdiff1d(np.arange(n), train) for train, _ in cv]
            if isinstance(target, Classes) and any(
                len(np.unique(target.codes[train])) < 2 for train, _ in cv
            ):
                raise ValueError("cv must leave at least two classes to train on in each fold.")
        self.weights = [
            sample_weights(plan.machine, target, problem.sample_weight, rest) for rest in outside
        ]
        self.units = list(units)
        self.factor = plan.kernel if isinstance(plan.kernel, RBF) else None
        if plan.gamma_rule is not None:
            self.factor = None
        self._grown: FloatArray | None = None
        self.alike: Kinds | None = None
        """Kinds of the samples in the columns taken in; None where numbers are predicted."""
        if isinstance(target, Classes):
            self.alike = kinds(np.zeros(n, dtype=np.intp))
            for unit in self.units:
                self.alike = self._told_apart(unit)
        self.last: Validated | None = None

    def _held_out(self, cv: Any) -> list[IntArray]:
        """Return the samples that judge in each fold, the same at every step."""
        if hasattr(cv, "split"):
            raise ValueError(
                "the search's cv must be a number of folds or a list of (training, held-out) samples; a "
                "splitter is for SVMSieve(cv=...)."
            )
        if not isinstance(cv, Integral):
            return [held_out for _, held_out in cv]
        target, n_folds = self.problem.target, int(cv)
        seed = self.problem.step_seed(2**31)
        if target.groups is not None:
            labels = target.codes if isinstance(target, Classes) else None
            return grouped_folds(target.groups, n_folds, seed, labels)
        if isinstance(target, Classes):
            return stratified_folds(target.codes, n_folds, seed)
        n = len(target)
        if n < n_folds:
            raise ValueError(f"cv={n_folds} folds need at least {n_folds} samples, got {n}.")
        order = np.random.default_rng(seed).permutation(n)
        return [np.sort(part) for part in np.array_split(order, n_folds)]

    @property
    def grown(self) -> FloatArray:
        """The matrix of the units taken in: the kernel's base, or an RBF kernel of fixed γ itself."""
        if self._grown is None:
            n = len(self.problem.target)
            self._grown = np.zeros((n, n)) if self.factor is None else np.ones((n, n))
            if self.units:
                X = self.problem.X[:, self.problem.columns(np.array(self.units))]
                whole = ActiveGram(X, self.plan.kernel, memory=self.problem.memory)
                self._grown = whole.base if self.factor is None else whole.matrix
        return self._grown

    def _few(self, alike: Kinds | None) -> bool:
        return alike is not None and len(alike.first) <= _FEW_KINDS * len(alike.of)

    def _told_apart(self, unit: int) -> Kinds | None:
        """Return the kinds of the samples with one more unit; None where they are many already."""
        if self.alike is None or not self._few(self.alike):
            return None
        columns = dense_columns(self.problem.X, self.problem.units[unit])
        return refined(self.alike, kinds_of_rows(columns))

    def with_unit(self, unit: int, out: FloatArray) -> FloatArray:
        """Write the grown matrix with one more unit into ``out``."""
        columns = dense_columns(self.problem.X, self.problem.units[unit])
        if self.factor is None:
            return np.add(self.grown, self.plan.kernel.base(columns, columns), out=out)
        unit_kernel(columns, self.factor, out)
        return np.multiply(self.grown, out, out=out)

    def _kernel_with(self, unit: int, kernel: Kernel, out: FloatArray) -> FloatArray:
        """Write the kernel matrix of all samples with one more unit into ``out``."""
        columns = dense_columns(self.problem.X, self.problem.units[unit])
        if self.factor is None and isinstance(kernel, RBF) and columns.shape[1] == 1:
            return change_rbf(self.grown, columns[:, 0], 1.0, kernel.gamma, out, out)
        matrix = self.with_unit(unit, out)
        return matrix if self.factor is not None else kernel.of_base(matrix, out=out)

    def add(self, unit: int, validated: Validated) -> None:
        """Take a unit in, with the machines that were validated with it."""
        if self._grown is not None:
            self._grown = self.with_unit(unit, np.empty_like(self._grown))
        self.alike = self._told_apart(unit)
        self.units.append(unit)
        self.last = validated

    def plan_for(self, units: Sequence[int]) -> Plan:
        """Return the plan of a set of units: γ by its rule."""
        if self.plan.gamma_rule is None:
            return self.plan
        return self.plan.for_features(self.problem.X[:, self.problem.columns(np.array(units))])

    def validate(self, unit: int, alike: Kinds | None, room: Room) -> Validated:
        """Cross-validate the machine of the set with one more unit, given the kinds of the samples."""
        plan = self.plan_for([*self.units, unit])
        if alike is not None and self._few(alike):
            return self._validated(plan, self._kernel_of_kinds(plan, unit, alike), alike)
        return self._validated(plan, self._kernel_with(unit, plan.kernel, room.matrix), None)

    def _kernel_of_kinds(self, plan: Plan, unit: int, alike: Kinds) -> FloatArray:
        columns = self.problem.columns(np.array([*self.units, unit]))
        samples = dense_columns(self.problem.X[alike.first], columns)
        return gram(plan.kernel, samples, samples)

    def _validated(self, plan: Plan, K: FloatArray, alike: Kinds | None) -> Validated:
        """Train the machine of every fold and pair; ``K`` is of all samples, or of their kinds."""
        duals: list[list[Dual]] = [[] for _ in self.folds]
        for pair, (rows, y) in enumerate(self.problem.target.pairs):
            used = rows if alike is None else alike.of[rows]  # in K
            if alike is not None:
                same = kinds(2 * used + (y > 0.0))  # samples of both labels are never one
                used = used[same.first]
            whole = len(rows) == len(self.problem.target) and len(used) == len(K)
            K_pair = K if whole else K[np.ix_(used, used)]  # for all folds
            for fold, weights in enumerate(self.weights):
                bounds = plan.machine.C * weights[rows]
                start = None if self.last is None else self.last.duals[fold][pair]
                if alike is None:
                    dual = plan.machine.solve(K_pair, y, bounds, start)
                else:
                    dual = solve_as_one(plan.machine, K_pair, y, same, bounds, start)
                duals[fold].append(dual)
        scores = [
            self.score(self._decisions(K, alike, found, held_out), held_out)
            for found, held_out in zip(duals, self.folds, strict=True)
        ]
        return Validated(scores, duals)

    def _decisions(
        self, K: FloatArray, alike: Kinds | None, duals: Sequence[Dual], held_out: IntArray
    ) -> FloatArray:
        """Return the held-out samples' decision values by the machine of each pair of classes."""
        if len(duals) == 1:  # trained on the matrix of all samples: it has their outputs
            return duals[0].decision[held_out][:, None]
        coef = np.empty((len(duals), len(K)))
        for place, dual, (rows, _) in zip(coef, duals, self.problem.target.pairs, strict=True):
            places = rows if alike is None else alike.of[rows]
            place[:] = np.bincount(places, dual.coef, len(K))
        judged = held_out if alike is None else alike.of[held_out]
        # One product for all machines: picking each one's columns out of K would take longer.
        return K[judged] @ coef.T + [dual.intercept for dual in duals]

    def validate_each(self, units: Sequence[int]) -> list[Validated]:
        """Cross-validate the set with each of the units added: in threads, or over a cluster."""
        n = len(self.problem.target)
        items = [(unit, self._told_apart(unit)) for unit in units]
        sizes = [len(alike.first) if alike and self._few(alike) else n for _, alike in items]
        if max(sizes) == n:
            self.grown  # noqa: B018  made once, before the threads
        work = _OPERATIONS * len(self.folds) * float(np.square(sizes, dtype=np.float64).sum())
        backend = cluster_for(work)
        if backend is not None and len(units) > 1:
            return in_order(backend, Growth._validate_unit, items, self)

        if work < _WORTH_THREADS * len(units):
            room = Room(n)
            return [self.validate(*item, room) for item in items]
        n_workers = min(n_threads(), len(units))
        rooms = [Room(n) for _ in range(n_workers)]  # one for each thread

        def one(item: tuple[int, Kinds | None]) -> Validated:
            numba.set_num_threads(1)
            room = rooms.pop()
            try:
                return self.validate(*item, room)
            finally:
                rooms.append(room)

        with ThreadPoolExecutor(n_workers) as pool:
            return list(pool.map(one, items))

    def _validate_unit(self, unit: int, alike: Kinds | None) -> Validated:
        return self.validate(unit, alike, Room(len(self.problem.target)))
