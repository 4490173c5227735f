"""Held-out rows that judge machines: scores from sums over the rows, or from all decision values."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, Protocol

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix
from svmsieve.engine.machines.expansion import vote
from svmsieve.engine.machines.scoring import DecisionScorer
from svmsieve.engine.machines.target import Classes, Numbers, Target, TargetScale
from svmsieve.scale.chunks import Chunk, Chunks, restricted
from svmsieve.scale.losses import Losses
from svmsieve.scale.stream import NystroemMachines

_BY_CLASS = ("accuracy", "balanced_accuracy")
_BY_SQUARES = ("r2", "neg_mean_squared_error")


class Deciding(Protocol):
    """Machines that decide, with the target they know."""

    @property
    def target(self) -> Target:
        """Whose classes they know."""

    def decisions(self, X: Matrix) -> FloatArray:
        """Return the decision value of each row by each machine."""


@dataclass(frozen=True)
class SameForAll:
    """Decides the same for every row: the largest class, or the mean."""

    target: Target
    value: float
    """Code of the class, or the number."""

    def decisions(self, X: Matrix) -> FloatArray:
        """Return the decision value of each row by each machine."""
        if not isinstance(self.target, Classes):
            return np.full((X.shape[0], 1), self.value)
        pairs = combinations(range(len(self.target.classes)), 2)
        votes = [float(b == self.value) - float(a == self.value) for a, b in pairs]
        return np.tile(votes, (X.shape[0], 1))


class Squares(NamedTuple):
    """Weighted sums of a numeric target, standardised, and of its errors."""

    weight: float
    values: float
    squares: float
    errors: float


class Decided(NamedTuple):
    """Decision values of some rows, with their truth and weights."""

    decisions: FloatArray
    y: Any
    weight: FloatArray | None


def confusion(chunk: Chunk, machines: Deciding, classes: Any) -> FloatArray:
    """Return the weight of the rows of each class (of all) that each class is predicted for."""
    known = machines.target
    assert isinstance(known, Classes)
    guessed = vote(machines.decisions(chunk.X), len(known.classes))
    places = np.searchsorted(classes, known.classes)[guessed]
    truth = Losses(1.0, classes).codes(chunk.y)
    n = len(classes)
    counts = np.bincount(truth * n + places, chunk.copies, n * n)
    return np.asarray(counts, dtype=np.float64).reshape(n, n)


def squares(chunk: Chunk, machines: Deciding) -> tuple[float, ...]:
    """Add up a numeric target, standardised as the machines learned it, and their squared errors."""
    y, weight = np.asarray(chunk.y, dtype=np.float64), chunk.copies
    errors = machines.decisions(chunk.X)[:, 0] - y
    return Squares(
        float(weight.sum()), float(weight @ y), float(weight @ y**2), float(weight @ errors**2)
    )


def decided(chunk: Chunk, machines: Deciding) -> list[Decided]:
    """Return the decision values of one chunk, in a list: lists add up to longer ones."""
    return [Decided(machines.decisions(chunk.X), chunk.y, chunk.weight)]


@dataclass(frozen=True)
class ChunkHeldOut:
    """Scores machines on rows that were held out, in one pass over them.

    Accuracy, balanced accuracy, R² and the squared error are sums over the rows; for any other scorer the
    decision values are brought here, 8 bytes for each row and machine.

    Attributes
    ----------
    chunks : the held-out rows, prepared as those of the training were
    scoring : name of a scorer, or one
    classes : of all rows; None for numbers
    target_scale : of a numeric target
    """

    chunks: Chunks
    scoring: Any
    classes: Any
    target_scale: TargetScale

    def __call__(self, machines: NystroemMachines, columns: IntArray) -> float:
        """Return the score of machines over the given columns."""
        return self.score(machines, restricted(self.chunks, columns))

    def score(self, machines: Deciding, chunks: Chunks) -> float:
        """Return the score of machines on rows that have their columns only."""
        if self.classes is not None and self.scoring in _BY_CLASS:
            return self._by_class(chunks.total(confusion, machines, self.classes))
        if self.classes is None and self.scoring in _BY_SQUARES:
            return self._by_squares(chunks.total(squares, machines))
        return self._by_scorer(chunks.total(decided, machines), machines)

    def _by_class(self, table: FloatArray | None) -> float:
        if table is None or not table.any():
            raise ValueError(_WEIGHTLESS)
        totals, right = table.sum(axis=1), np.diag(table)
        if self.scoring == "accuracy":
            return float(right.sum() / totals.sum())
        present = totals > 0.0
        return float(np.mean(right[present] / totals[present]))

    def _by_squares(self, sums: tuple[float, ...] | None) -> float:
        if sums is None or not sums[0] > 0.0:
            raise ValueError(_WEIGHTLESS)
        found = Squares(*sums)
        if self.scoring != "r2":
            return -found.errors / found.weight * self.target_scale.deviation**2
        spread = found.squares - found.values**2 / found.weight
        if spread <= 1e-14 * found.squares:  # scikit-learn's word on equal values
            return 1.0 if found.errors == 0.0 else 0.0
        return 1.0 - found.errors / spread

    def _by_scorer(self, parts: list[Decided] | None, machines: Deciding) -> float:
        if not parts:
            raise ValueError(_WEIGHTLESS)
        decisions = np.concatenate([part.decisions for part in parts])
        y = np.concatenate([part.y for part in parts])
        weight = None
        if parts[0].weight is not None:
            weight = np.concatenate([np.asarray(part.weight) for part in parts])
        target: Target = Numbers(self.target_scale.restore(np.asarray(y, dtype=np.float64)))
        known = None
        if self.classes is not None:
            target = Classes(self.classes, Losses(1.0, self.classes).codes(y))
            assert isinstance(machines.target, Classes)
            if len(machines.target.classes) < len(self.classes):
                known = machines.target.classes
        scorer = DecisionScorer(self.scoring, target, weight, self.target_scale)
        return scorer(decisions, np.arange(len(y)), known)


_WEIGHTLESS = "a fold's held-out samples have no weight; choose other folds."
