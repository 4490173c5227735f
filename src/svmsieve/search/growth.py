"""Cross-validation of machines on a growing set of units."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np

from svmsieve.engine.machines.plan import Plan
from svmsieve.runtime.cluster_loops import cluster_for, in_order
from svmsieve.runtime.threads import n_threads
from svmsieve.search.contract import Problem
from svmsieve.search.equal_samples import Kinds
from svmsieve.search.fold import Fold
from svmsieve.search.growing_fold import GrowingFold, Room, Validated

_OPERATIONS = 20.0
"""Passes over the kernel matrix that training one machine takes, about."""

_WORTH_THREADS = 1e7
"""Operations of one candidate below which threads wait for the interpreter more than they compute."""


class Growth:
    """A growing set of units, in all folds."""

    def __init__(self, problem: Problem, folds: Sequence[Fold], units: Sequence[int]) -> None:
        self.problem = problem
        self.units = list(units)
        self.folds = [
            GrowingFold(fold, problem.units, self.units, problem.memory) for fold in folds
        ]

    def add(self, unit: int, validated: Sequence[Validated]) -> None:
        """Take a unit in, with the machines that were validated with it."""
        for fold, each in zip(self.folds, validated, strict=True):
            fold.add(unit, each)
        self.units.append(unit)

    def plan(self) -> Plan:
        """Return the plan of the units taken in: γ by its rule, from all samples."""
        plan = self.problem.plan
        if not plan.follows_features:
            return plan
        return plan.for_features(self.problem.X[:, self.problem.columns(np.array(self.units))])

    def validate(
        self, unit: int, alike: Sequence[Kinds | None], room: Room | None = None
    ) -> list[Validated]:
        """Validate the set with one more unit in every fold, given the kinds of its training samples."""
        room = self._room() if room is None else room
        return [
            fold.validate(unit, each, room) for fold, each in zip(self.folds, alike, strict=True)
        ]

    def _room(self) -> Room:
        return Room(
            max(rows * columns for rows, columns in (each.fold.shape for each in self.folds))
        )

    def validate_each(self, units: Sequence[int]) -> list[list[Validated]]:
        """Validate the set with each of the units added: in threads, or over a cluster."""
        items = [(unit, [fold.told_apart(unit) for fold in self.folds]) for unit in units]
        work = 0.0
        for number, fold in enumerate(self.folds):
            few = [alike[number] for _, alike in items if fold.few(alike[number])]
            work += sum(float(len(alike.first)) ** 2 for alike in few if alike is not None)
            work += float(fold.fold.shape[0]) ** 2 * (len(items) - len(few))
            if len(few) < len(items):
                fold.grown  # noqa: B018  made once, before the threads
        work *= _OPERATIONS
        backend = cluster_for(work)
        if backend is not None and len(units) > 1:
            return in_order(backend, Growth.validate, items, self)

        if work < _WORTH_THREADS * len(units):
            room = self._room()
            return [self.validate(*item, room) for item in items]
        n_workers = min(n_threads(), len(units))
        rooms = [self._room() for _ in range(n_workers)]  # one for each thread

        def one(item: tuple[int, list[Kinds | None]]) -> list[Validated]:
            numba.set_num_threads(1)
            room = rooms.pop()
            try:
                return self.validate(*item, room)
            finally:
                rooms.append(room)

        with ThreadPoolExecutor(n_workers) as pool:
            return list(pool.map(one, items))
