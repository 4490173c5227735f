"""Machines and scores of a shrinking set of units, computed again and again."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from svmsieve.criteria.final_scores import final_scores
from svmsieve.criteria.material import RANKING_TOL, Data, Fitted
from svmsieve.engine.arrays import BoolArray, FloatArray, IntArray
from svmsieve.engine.columns import column_range
from svmsieve.engine.kernels.gram import ActiveGram, without_positions
from svmsieve.engine.machines.plan import Plan
from svmsieve.engine.machines.platt import Sigmoid
from svmsieve.engine.machines.trained import Calibration, Trained, train
from svmsieve.search.contract import Problem


class ActiveSet:
    """Holds the kernel matrix and the last machines of a set of units.

    Each training starts from the last one and each kernel matrix from the last one.  What comes out
    depends on that history in its last digits, so a search starts a new one at fixed steps:
    an interrupted run that begins there again repeats it bit by bit.
    """

    def __init__(self, problem: Problem, units: IntArray, plan: Plan) -> None:
        self.problem = problem
        self.units = units
        self.columns = problem.columns(units)
        X = problem.X
        if len(self.columns) < X.shape[1]:
            X = X[:, self.columns] if sp.issparse(X) else np.take(X, self.columns, axis=1)
        lower, upper = column_range(X)
        varies = upper > lower
        self.varies: BoolArray | None = None if varies.all() else varies
        followed = plan.for_features(X)
        self.gram = ActiveGram(X, followed.kernel, memory=problem.memory)
        self.last: dict[str, Trained] = {}
        """The last machine of each kind, where the next one starts."""
        self.current: dict[str, tuple[Plan, Trained]] = {}
        """The machines of the active units, with their plans."""
        self.calibration: Calibration | None = None
        self.n_trainings = 0
        self._followed: tuple[Plan, Plan] | None = plan, followed
        """The last plan that was asked for, and what it is for the active features."""

    def drop(self, positions: IntArray) -> None:
        """Take out the units at some positions among the active ones."""
        positions = np.sort(positions)
        if self.problem.single_columns:
            self.gram.drop_at(positions)
        else:
            gone = self.problem.columns(self.units[positions])
            self.gram.drop(np.searchsorted(self.columns, gone))
        self.units = without_positions(self.units, positions)
        self.current.clear()
        self._followed = None

    @property
    def active_columns(self) -> IntArray:
        """The active columns of the problem."""
        return self.columns[self.gram.active]

    def tuned(self, plan: Plan, seed: int) -> Plan:
        """Return the plan tuned on the active features."""
        return plan.tuned(
            self.problem.as_it_came[:, self.active_columns],
            self.problem.target,
            scaling=self.problem.scaling,
            target_scaling=self.problem.target_scaling,
            sample_weight=self.problem.sample_weight,
            seed=seed,
            memory=self.problem.memory,
        )

    def plan_now(self, plan: Plan) -> Plan:
        """Return the plan for the active features."""
        if not plan.follows_features:
            return plan
        if self._followed is None or self._followed[0] is not plan:
            self._followed = plan, plan.for_features(self.gram.samples)
        return self._followed[1]

    def train(self, plan: Plan) -> Trained:
        """Train the plan's machine on the active features, from the last one of its kind."""
        current = self.plan_now(plan)
        self.gram.set_kernel(current.kernel)
        kind = current.machine.loss
        known = self.current.get(kind)
        if known is not None and known[0] == current:
            return known[1]
        trained = train(
            current.machine,
            self.gram,
            self.problem.target,
            sample_weight=self.problem.sample_weight,
            start=self.last.get(kind),
        )
        self.last[kind] = trained
        self.current[kind] = (current, trained)
        self.n_trainings += 1
        return trained

    def scores(self, plan: Plan, seed: int) -> FloatArray:
        """Return the criterion's score of each active unit."""
        criterion = self.problem.criterion
        current = self.plan_now(plan)
        self.gram.set_kernel(current.kernel)
        data = Data(
            self.gram,
            self.problem.target,
            sample_weight=self.problem.sample_weight,
            groups=self._groups(),
            seed=seed,
            tol=RANKING_TOL,
            varies=True if self.varies is None else self.varies[self.gram.active],
        )
        fitted = None
        if criterion.machine is not None:
            trained = self.train(plan.for_loss(criterion.machine))
            fitted = Fitted(trained, self._sigmoids(trained))
        return final_scores(criterion, fitted, data)

    def _sigmoids(self, trained: Trained) -> tuple[Sigmoid, ...]:
        """Calibrate where the criterion needs it, on the same folds at every step."""
        if not self.problem.criterion.needs_probabilities:
            return ()
        seed = self.problem.step_seed(0)
        self.calibration = trained.calibration(seed=seed, last=self.calibration)
        return self.calibration.sigmoids

    def _groups(self) -> tuple[IntArray, ...] | None:
        """The active units as positions among the active columns; None if each is one column."""
        units = self.problem.units
        if self.problem.single_columns:
            return None
        active = self.active_columns
        return tuple(np.searchsorted(active, units[u]) for u in self.units)


def make_active_set(problem: Problem, units: IntArray, plan: Plan) -> ActiveSet:
    """Return the active set of the problem's machine."""
    return (problem.active_set or ActiveSet)(problem, units, plan)
