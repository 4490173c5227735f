"""Cross-validation of machines on a growing set of units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numba
import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray, dense_columns
from svmsieve.engine.folds import stratified_folds
from svmsieve.engine.gram import ActiveGram
from svmsieve.engine.kernels import RBF, gram
from svmsieve.engine.machines import Dual
from svmsieve.engine.plan import Plan
from svmsieve.engine.spreading import cluster_for, in_order
from svmsieve.engine.target import Classes
from svmsieve.engine.threads import n_threads
from svmsieve.engine.trained import sample_weights
from svmsieve.search.contract import Problem

_OPERATIONS = 20.0
"""Passes over the kernel matrix that training one machine takes, about."""

_WORTH_THREADS = 1e7
"""Operations of one candidate below which threads wait for the interpreter more than they compute."""

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


class Growth:
    """A growing set of units, the matrix that grows with it and the machines of its folds.

    The base of a larger set is the base of the smaller one plus the part of the new unit, O(n²); an RBF
    kernel of fixed γ is itself the product of the smaller set's and the unit's.  Each fold's machine
    starts from the one of the smaller set.
    """

    def __init__(
        self, problem: Problem, plan: Plan, score: DecisionScore, cv: int, units: Sequence[int]
    ) -> None:
        self.problem = problem
        self.plan = plan
        self.score = score
        target = problem.target
        n = len(target)
        seed = problem.step_seed(2**31)  # the folds are the same at every step
        if isinstance(target, Classes):
            self.folds = stratified_folds(target.codes, cv, seed)
        else:
            if n < cv:
                raise ValueError(f"cv={cv} folds need at least {cv} samples, got {n}.")
            order = np.random.default_rng(seed).permutation(n)
            self.folds = [np.sort(part) for part in np.array_split(order, cv)]
        self.weights = sample_weights(plan.machine, target, problem.sample_weight)
        self.units = list(units)
        self.factor = plan.kernel if isinstance(plan.kernel, RBF) else None
        if plan.gamma_rule is not None:
            self.factor = None
        self.grown: FloatArray = np.zeros((n, n)) if self.factor is None else np.ones((n, n))
        if self.units:
            columns = problem.columns(np.array(self.units))
            whole = ActiveGram(problem.X[:, columns], plan.kernel, memory=problem.memory)
            self.grown = whole.base if self.factor is None else whole.matrix
        self.last: Validated | None = None

    def with_unit(self, unit: int, out: FloatArray) -> FloatArray:
        """Write the grown matrix with one more unit into ``out``."""
        columns = dense_columns(self.problem.X, self.problem.units[unit])
        if self.factor is None:
            return np.add(self.grown, self.plan.kernel.base(columns, columns), out=out)
        unit_kernel(columns, self.factor, out)
        return np.multiply(self.grown, out, out=out)

    def add(self, unit: int, validated: Validated) -> None:
        """Take a unit in, with the machines that were validated with it."""
        self.grown = self.with_unit(unit, np.empty_like(self.grown))
        self.units.append(unit)
        self.last = validated

    def plan_for(self, units: Sequence[int]) -> Plan:
        """Return the plan of a set of units: γ by its rule."""
        if self.plan.gamma_rule is None:
            return self.plan
        return self.plan.for_features(self.problem.X[:, self.problem.columns(np.array(units))])

    def validate(self, unit: int, out: FloatArray) -> Validated:
        """Cross-validate the machine of the set with one more unit; ``out`` is room for its matrix."""
        plan = self.plan_for([*self.units, unit])
        K = self.with_unit(unit, out)
        if self.factor is None:
            K = plan.kernel.of_base(K, out=K)
        decisions: list[list[FloatArray]] = [[] for _ in self.folds]
        duals: list[list[Dual]] = [[] for _ in self.folds]
        for pair, (rows, y) in enumerate(self.problem.target.pairs):
            whole = len(rows) == len(K)
            K_pair = K if whole else K[np.ix_(rows, rows)]  # once for all folds
            for fold, held_out in enumerate(self.folds):
                bounds = plan.machine.C * self.weights
                bounds[held_out] = 0.0
                start = None if self.last is None else self.last.duals[fold][pair]
                dual = plan.machine.solve(K_pair, y, bounds[rows], start)
                duals[fold].append(dual)
                if whole:
                    decisions[fold].append(dual.decision[held_out])
                else:
                    outputs = K[np.ix_(held_out, rows[dual.support])] @ dual.coef[dual.support]
                    decisions[fold].append(outputs + dual.intercept)
        scores = [
            self.score(np.column_stack(found), held_out)
            for found, held_out in zip(decisions, self.folds, strict=True)
        ]
        return Validated(scores, duals)

    def validate_each(self, units: Sequence[int]) -> list[Validated]:
        """Cross-validate the set with each of the units added: in threads, or over a cluster."""
        work = _OPERATIONS * len(self.folds) * len(units) * float(len(self.grown)) ** 2
        backend = cluster_for(work)
        if backend is not None and len(units) > 1:
            return in_order(backend, Growth._validate_unit, [(unit,) for unit in units], self)

        if work < _WORTH_THREADS * len(units):
            out = np.empty_like(self.grown)
            return [self.validate(unit, out) for unit in units]
        n_workers = min(n_threads(), len(units))
        room = [np.empty_like(self.grown) for _ in range(n_workers)]  # one matrix for each thread

        def one(unit: int) -> Validated:
            numba.set_num_threads(1)
            out = room.pop()
            try:
                return self.validate(unit, out)
            finally:
                room.append(out)

        with ThreadPoolExecutor(n_workers) as pool:
            return list(pool.map(one, units))

    def _validate_unit(self, unit: int) -> Validated:
        return self.validate(unit, np.empty_like(self.grown))
