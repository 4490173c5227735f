"""Platt's sigmoids of Nyström machines, from decision values of rows the machine had not seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.machines.folds import inner_folds, stratified_folds
from svmsieve.engine.machines.platt import Sigmoid, fit_sigmoid
from svmsieve.scale.chunks import Chunk, Chunks
from svmsieve.scale.landmarks import LandmarkSpace
from svmsieve.scale.losses import Losses
from svmsieve.scale.nystroem import Question, Solution, newton_point, newton_sums


@dataclass(frozen=True)
class CalibrationRows:
    """A sample of the rows that machines were trained on, and where it comes from.

    Attributes
    ----------
    chunks : all rows
    sample : those that sigmoids are fitted to
    groups : number of the group of each row of the chunks; None where there are none
    sample_groups : of each row of the sample
    """

    chunks: Chunks
    sample: Chunk
    groups: IntArray | None = None
    sample_groups: IntArray | None = None

    def folds(
        self, members: IntArray, labels: IntArray, most: int, seed: int
    ) -> Iterator[tuple[IntArray, Chunk]]:
        """Yield at most ``most`` folds of some rows of the sample, stratified by ``labels``: positions, rows.

        Groups stay whole where they can: then all their rows are taken out, also those outside the sample.
        """
        if self.groups is not None and self.sample_groups is not None:
            own = self.sample_groups[members]
            folds = inner_folds(own, most, seed, labels)
            if folds is not None:
                for fold in folds:
                    yield fold, self.chunks.take(np.flatnonzero(np.isin(self.groups, own[fold])))
                return
        for fold in stratified_folds(labels, most, seed):
            yield fold, _part(self.sample, members[fold])


def _part(chunk: Chunk, rows: IntArray) -> Chunk:
    weight = None if chunk.weight is None else chunk.weight[rows]
    return Chunk(chunk.X[rows], chunk.y[rows], weight, 0)


def _members(chunk: Chunk, losses: Losses, pair: tuple[int, int]) -> IntArray:
    """Return the rows that a machine was trained on."""
    return np.flatnonzero(losses.member(losses.codes(chunk.y), pair) & (chunk.copies > 0.0))


def _theta(solution: Solution, space: LandmarkSpace) -> FloatArray:
    """Coefficients and intercept of the machine whose rows with a loss are those of the sums."""
    return np.append(space.coef(solution.base[:-1]), solution.base[-1])


def _alone(pair: tuple[int, int]) -> tuple[int, int]:
    """Return the "pair" whose sums are those of the second class of a pair alone."""
    return pair[1], pair[1]


def held_out_theta(
    solution: Solution,
    fold: Chunk,
    space: LandmarkSpace,
    losses: Losses,
    pair: tuple[int, int],
    second: tuple[FloatArray, FloatArray] | None = None,
) -> tuple[FloatArray, float]:
    """Return coefficients and intercept of the machine without some of its rows.

    One Newton step from the machine with them: the rows' sums are taken out of its own, so that no other
    row is looked at again, O(rows · m² + m³).  ``second`` holds the part that the pair's second class has in
    the machine's sums H and g, where weights balance the classes: then each class's part is multiplied by
    what its weight becomes without the rows.
    """
    pairs = [pair] if second is None else [pair, _alone(pair)]
    theta = np.repeat(_theta(solution, space)[:, None], len(pairs), axis=1)
    whole: list[Question] = ["whole"] * len(pairs)
    sums = newton_sums(fold, space, losses, pairs, whole, theta, theta)
    H, g = solution.H - sums.H[0], solution.g - sums.g[0]
    if second is not None:
        one, other = losses.reweighed(losses.codes(fold.y))[list(pair)]
        H = one * H + (other - one) * (second[0] - sums.H[1])
        g = one * g + (other - one) * (second[1] - sums.g[1])
    left = newton_point(H, g, solution.intercept)
    return space.coef(left[:-1]), float(left[-1])


def calibrate(
    solutions: Sequence[Solution],
    pairs: Sequence[tuple[int, int]],
    rows: CalibrationRows,
    space: LandmarkSpace,
    losses: Losses,
    *,
    cv: int = 5,
    seed: int = 0,
) -> list[Sigmoid]:
    """Fit Platt's sigmoid of each pair on a sample of the rows the machines were trained on.

    The sample is split into folds, stratified by class; each fold's decision values come from the machine
    without it.  Groups stay whole, and with a fold all rows of its groups are taken out.  Classes are
    weighed by the rows of each fold's training; landmarks, scale and γ are those of the machine.  One pass
    over the rows where weights balance the classes, one where there are groups, else none.
    """
    sample = rows.sample
    codes = losses.codes(sample.y)
    seconds: list[tuple[FloatArray, FloatArray]] | list[None] = [None] * len(pairs)
    if losses.counts is not None:
        theta = np.column_stack([_theta(solution, space) for solution in solutions])
        alone = [_alone(pair) for pair in pairs]
        whole = ["whole"] * len(alone)
        H, g, *_ = rows.chunks.total(newton_sums, space, losses, alone, whole, theta, theta)
        seconds = list(zip(H, g, strict=True))
    sigmoids = []
    for solution, pair, second in zip(solutions, pairs, seconds, strict=True):
        members = _members(sample, losses, pair)
        y = losses.targets(codes[members], pair)
        smallest = int(min((y > 0.0).sum(), (y < 0.0).sum()))
        if smallest < 2:
            label = losses.classes.tolist()[pair[int((y > 0.0).sum() < (y < 0.0).sum())]]
            raise ValueError(
                "probabilities need at least two rows of each class in the sample they are calibrated "
                f"on; class {label!r} has {smallest} of {len(codes)} rows: use criterion 'fspp1', which "
                "needs none."
            )
        decisions = np.empty(len(members))
        labels = (y > 0.0).astype(np.intp)
        for fold, out in rows.folds(members, labels, min(cv, smallest), seed):
            out = _part(out, _members(out, losses, pair))
            coef, intercept = held_out_theta(solution, out, space, losses, pair, second)
            decisions[fold] = space.kernel_values(sample.X[members[fold]]) @ coef + intercept
        weight = None if sample.weight is None else sample.weight[members]
        sigmoids.append(fit_sigmoid(decisions, y, weight))
    return sigmoids
