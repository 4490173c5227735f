"""Machines that follow the size: a small grid of C and γ, γ relative to the columns at hand.

Samples of d standardised columns are about √(2d) apart, so a γ that suits all columns makes a machine of
few columns nearly linear, and one that suits few makes a machine of all columns constant.  Relative to
one over the sum of the columns' variances, one small grid serves every size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.machines.judged_points import Machines
from svmsieve.engine.machines.target import Classes, Target
from svmsieve.engine.machines.tuned_grid import Tuning

MOST_STEPS = 20_000
"""Steps one machine of the grid may take: its hopeless corners must not take all the time."""

TOLERANCE = 1e-2
"""How far a judged machine may be from the optimum: predictions differ in one of a thousand samples."""


@dataclass(frozen=True)
class RelativeGrid:
    """The points of the grid: for each relative γ its C; ε is that of a standardised target.

    The good points lie on a ridge: the smoother the kernel, the larger the C it takes.  Points beside the
    ridge take most of the time and decide nothing (docs/quality.md).
    """

    rows: tuple[tuple[float, tuple[float, ...]], ...] = (
        (1 / 16, (32.0, 256.0)),
        (1 / 4, (0.5, 4.0, 32.0)),
        (1.0, (0.5, 4.0, 32.0)),
        (4.0, (4.0, 32.0)),
    )
    epsilon: float = 0.1

    @property
    def points(self) -> list[tuple[float, float]]:
        """Pairs (C, relative γ) in the order of the decision values."""
        return [(C, gamma) for gamma, row in self.rows for C in row]

    @property
    def gamma(self) -> FloatArray:
        """The relative γ."""
        return np.array([gamma for gamma, _ in self.rows])

    @property
    def C(self) -> FloatArray:
        """All values of C."""
        return np.unique([C for C, _ in self.points])

    def as_tuning(self, scores: FloatArray, unit: float, *, regression: bool) -> Tuning:
        """Return scores of the points (points × folds) as a tuning; NaN where there is no point.

        ``unit`` is the γ that a relative γ of 1 stands for.
        """
        epsilon = np.array([self.epsilon if regression else 0.0])
        table = np.full((len(self.rows), 1, len(self.C), scores.shape[1]), np.nan)
        for (C, gamma), folds in zip(self.points, scores, strict=True):
            table[self.gamma == gamma, 0, self.C == C] = folds
        converged = np.ones(table.shape[:-1], dtype=np.bool_)
        return Tuning(self.C, unit * self.gamma, epsilon, table, converged)

    def decisions(
        self,
        distances: FloatArray,
        to_others: FloatArray,
        unit: float,
        target: Target,
        weights: FloatArray,
        kept: Sequence[int] | None = None,
    ) -> FloatArray:
        """Return the decision values of other samples at each point, shape (points, samples, machines).

        Parameters
        ----------
        distances : squared distances of the training samples
        to_others : squared distances of the other samples to them
        unit : the γ that a relative γ of 1 stands for
        target : of the training samples
        weights : of the training samples; C is multiplied by them
        kept : places of the points to judge, growing; None: all
        """
        limits = (weights, TOLERANCE, MOST_STEPS)
        if isinstance(target, Classes):
            machines = Machines.of_pairs(target.flat_pairs, *limits)
        else:
            machines = Machines.of_numbers(target.values, self.epsilon, *limits)
        points = tuple((gamma * unit, row) for gamma, row in self._rows(kept))
        return machines.at_points(distances, to_others, points)

    def _rows(self, kept: Sequence[int] | None) -> list[tuple[float, tuple[float, ...]]]:
        """The rows of some points."""
        if kept is None:
            return list(self.rows)
        points = [self.points[place] for place in kept]
        rows = [(gamma, tuple(C for C, own in points if own == gamma)) for gamma, _ in self.rows]
        return [(gamma, row) for gamma, row in rows if row]


FINAL_SVC_C = (0.5, 4.0, 32.0, 256.0, 2048.0, 16384.0)
FINAL_SVR_C = (0.5, 4.0, 32.0, 256.0, 2048.0)
FINAL_GAMMA = (1 / 16, 1 / 4, 1.0, 4.0)
FINAL_EPSILON = (0.03, 0.1, 0.3)
"""The grid of the final machine, wider: it is searched once, for one set of columns."""

GRID = RelativeGrid()
"""The grid of the sieve's own machines."""
