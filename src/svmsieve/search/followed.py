"""Held-out samples that judge machines which follow the size: C and γ anew for each set of columns."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix
from svmsieve.engine.kernels.kernel import gamma_of, squared_distances
from svmsieve.engine.machines.fit import balanced_weights
from svmsieve.engine.machines.relative_grid import RelativeGrid
from svmsieve.engine.machines.scoring import DecisionScorer
from svmsieve.engine.machines.skill import Skill
from svmsieve.engine.machines.target import Classes, Target
from svmsieve.runtime.threads import begin

MOST_ROWS = 1000
"""Training samples of a judged machine: sizes and rankings are compared, not the last per mille found."""

_WORTH_A_THREAD = 250
"""Training samples from which on machines take longer than a thread that waits for the interpreter."""


class Points(NamedTuple):
    """Scores of the points of the grid, and their skills where these decide; None of those left out."""

    scores: list[float | None]
    skills: list[float | None]


Kept: TypeAlias = Mapping[int, tuple[int, ...]]
"""The points that are judged at each size."""
Known: TypeAlias = dict[tuple[bytes, tuple[int, ...] | None], Future[Points]]
"""What sets of columns are worth at some points (None: all), or will be."""


@dataclass(frozen=True)
class Followed:
    """Scores every point of a relative grid on samples that were held out.

    Attributes
    ----------
    X, rows : the held-out samples, and their places in the scorer's target
    scorer : of decision values
    grid : the points
    drawn : the training samples that the judged machines are trained on
    known : scores of sets of columns; rankings of the same samples share it
    skill : of decision values; None where the scores themselves decide
    kept : the points that are still judged; None: all
    balanced : whether the judged machines weigh all classes the same
    """

    X: Matrix
    rows: IntArray
    scorer: DecisionScorer
    grid: RelativeGrid
    drawn: IntArray
    known: Known = field(default_factory=dict)
    skill: Skill | None = None
    kept: Kept | None = None
    balanced: bool = False

    def __call__(
        self,
        size: int,
        samples: Matrix,
        columns: IntArray,
        target: Target,
        weights: FloatArray | None,
    ) -> Future[Points]:
        """Begin to judge each point's machines of some columns, in a thread where one is free.

        Parameters
        ----------
        size : number of units that the columns are of
        samples : training samples with these columns only
        columns : their places in ``X``
        target, weights : of the training samples
        """
        kept = None if self.kept is None else self.kept[size]
        key = columns.tobytes(), kept
        if key not in self.known:
            long = len(self.drawn) >= _WORTH_A_THREAD
            self.known[key] = begin(
                self._scores, samples, columns, target, weights, kept, beside=long
            )
        return self.known[key]

    def _scores(
        self,
        samples: Matrix,
        columns: IntArray,
        target: Target,
        weights: FloatArray | None,
        kept: tuple[int, ...] | None,
    ) -> Points:
        weights = np.ones(len(target)) if weights is None else weights
        if len(self.drawn) < len(target):
            samples, weights = samples[self.drawn], weights[self.drawn]
            target = target.take(self.drawn)
        if self.balanced and isinstance(target, Classes):
            totals = np.bincount(target.codes, weights, minlength=len(target.classes))
            weights = weights * balanced_weights(totals)[target.codes]
        full, classes = self.scorer.target, None
        if isinstance(full, Classes) and isinstance(target, Classes):
            classes = None if len(target.classes) == len(full.classes) else target.classes
        decisions = self.grid.decisions(
            squared_distances(samples, samples),
            squared_distances(self.X[:, columns], samples),
            gamma_of("spread", samples),
            target,
            weights,
            kept,
        )
        n_points = len(self.grid.points)
        scores: list[float | None] = [None] * n_points
        skills: list[float | None] = [None] * n_points if self.skill is not None else []
        for place, values in zip(range(n_points) if kept is None else kept, decisions, strict=True):
            scores[place] = self.scorer(values, self.rows, classes)
            if self.skill is not None:
                skills[place] = self.skill(values, self.rows, classes)
        return Points(scores, skills)
