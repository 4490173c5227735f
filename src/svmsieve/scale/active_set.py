"""Machines and scores of a shrinking set of units with the Nyström machine."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmsieve.criteria.final_scores import checked_scores, final_scores
from svmsieve.criteria.material import Data, RowsOnly
from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.machines.plan import Plan
from svmsieve.engine.machines.target import Classes, Numbers, Target
from svmsieve.scale.driver import MomentDriver, streamed_scores
from svmsieve.scale.losses import Losses
from svmsieve.scale.stream import ColumnStream, NystroemMachines, Stream
from svmsieve.scale.tuning import TuningRows, tuned_plan
from svmsieve.search.contract import Problem, Search
from svmsieve.sizing import SizeRule


class NystroemActiveSet:
    """Trains and scores the Nyström machine of a shrinking set of units, each time from scratch.

    Landmarks, sample and donors are those of the stream, restricted to the columns that are left, so
    nothing depends on the steps before.  ``problem.X`` holds the stream's sample, which γ and tuning look at.
    """

    def __init__(self, stream: Stream, problem: Problem, units: IntArray, plan: Plan) -> None:
        self.stream = stream
        self.problem = problem
        self.units = units
        self.n_trainings = 0
        self._set_columns()

    def _set_columns(self) -> None:
        self.active_columns = self.problem.columns(self.units)
        self._columns: ColumnStream | None = None
        self._known: tuple[Plan, NystroemMachines] | None = None

    @property
    def columns(self) -> ColumnStream:
        """The stream of the active columns."""
        if self._columns is None:
            self._columns = self.stream.columns(self.active_columns)
        return self._columns

    def drop(self, positions: IntArray) -> None:
        """Take out the units at some positions among the active ones."""
        self.units = np.delete(self.units, positions)
        self._set_columns()

    def plan_now(self, plan: Plan) -> Plan:
        """Return the plan for the active features."""
        return plan.for_features(self._rows()) if plan.follows_features else plan

    def tuned(self, plan: Plan, seed: int) -> Plan:
        """Tune C, γ and ε on a sample of the rows."""
        problem = self.problem
        rows = TuningRows(
            problem.as_it_came[:, self.active_columns],
            problem.target,
            problem.sample_weight,
            problem.scaling,
            problem.target_scaling,
        )
        return tuned_plan(plan, rows, seed)

    def train(self, plan: Plan) -> NystroemMachines:
        """Train the machines of the active columns, calibrated where the criterion needs it."""
        current = self.plan_now(plan)
        if self._known is None or self._known[0] != current:
            machines = self.columns.train(
                current,
                probabilities=self.problem.criterion.needs_probabilities,
                memory=self.problem.memory,
            )
            self._known = current, machines
            self.n_trainings += 1
        return self._known[1]

    def scores(self, plan: Plan, seed: int) -> FloatArray:
        """Return the criterion's score of each active unit."""
        criterion = self.problem.criterion
        if criterion.machine is None:
            return self._filter_scores(plan, seed)
        return streamed_scores(criterion, self.columns, self.train(plan), self._groups(), seed)

    def _filter_scores(self, plan: Plan, seed: int) -> FloatArray:
        """Scores of a filter: from the moments of all rows, or from the rows, where they are in memory."""
        criterion, problem = self.problem.criterion, self.problem
        if criterion.needs == "moments":
            regression = not isinstance(problem.target, Classes)
            driver = MomentDriver(
                self.stream.moments(), regression, tuple(problem.units[u] for u in self.units)
            )
            return checked_scores(criterion, criterion.fed_by(driver))
        chunks = self.columns.chunks
        rows = chunks.take(np.arange(chunks.n_rows))
        known = problem.target
        target: Target = Numbers(np.asarray(rows.y, dtype=np.float64))
        if isinstance(known, Classes):
            target = Classes(known.classes, Losses(1.0, self.stream.labels).codes(rows.y))
        data = Data(
            RowsOnly.of(rows.X, plan.kernel),
            target,
            sample_weight=rows.weight,
            groups=self._groups(),
            seed=seed,
        )
        return final_scores(criterion, None, data)

    def _rows(self) -> Any:
        whole = len(self.active_columns) == self.problem.X.shape[1]
        return self.problem.X if whole else self.problem.X[:, self.active_columns]

    def _groups(self) -> tuple[IntArray, ...] | None:
        if self.problem.single_columns:
            return None
        units = self.problem.units
        return tuple(np.searchsorted(self.active_columns, units[u]) for u in self.units)


def refuse_exact_only(search: Search, rule: SizeRule) -> None:
    """Say by name which search or size rule needs the exact machine, and what would work."""
    if search.forward:
        raise ValueError(
            f"search {search.name!r} cross-validates kernel matrices, which machine='nystroem' does "
            "without; use search 'rfe' or 'once'."
        )
    if rule.needs_bound:
        raise ValueError(
            "n_features_to_select 'bound' needs the radius of all samples, which machine='nystroem' "
            "does without; use '1se', 'best', 'threshold' or a number."
        )
