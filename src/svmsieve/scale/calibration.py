"""Platt's sigmoids of Nyström machines, from decision values of rows the machine had not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.machines.folds import inner_folds, stratified_folds
from svmsieve.engine.machines.platt import Sigmoid, fit_sigmoid
from svmsieve.scale.chunks import Chunk, Chunks
from svmsieve.scale.descent import Question, Solution, newton_point
from svmsieve.scale.exact_sums import Exact
from svmsieve.scale.landmarks import LandmarkSpace
from svmsieve.scale.losses import Losses
from svmsieve.scale.nystroem import MATRIX_BUDGET, newton_sums

_FOLDS = 5


@dataclass(frozen=True)
class CalibrationRows:
    """A sample of the rows that machines were trained on, and where it comes from.

    Attributes
    ----------
    chunks : all rows
    sample : those that sigmoids are fitted to
    seed : of their folds
    """

    chunks: Chunks
    sample: Chunk
    seed: int = 0


class TakenOut(NamedTuple):
    """What some rows have in a machine's sums, which they are taken out of."""

    H: Exact
    """Of both classes of the pair, and of the second one alone where weights balance the classes."""
    g: Exact
    counts: FloatArray
    """Rows of each class; empty where nothing is balanced by them."""


@dataclass(frozen=True)
class _Folds:
    """The rows of a pair's classes in the sample, in folds; each fold is judged by the machine without it.

    Attributes
    ----------
    pair : the two classes
    members : the rows in the sample
    folds : positions among them
    groups, of_groups : numbers of the groups of these rows, ascending, and their folds; None: folds of
        single rows
    """

    pair: tuple[int, int]
    members: IntArray
    folds: list[IntArray]
    groups: IntArray | None = None
    of_groups: IntArray | None = None

    @classmethod
    def of(cls, pair: tuple[int, int], rows: CalibrationRows, losses: Losses) -> _Folds:
        """Divide the rows, stratified by class; groups stay whole where they can."""
        sample = rows.sample
        codes = losses.codes(sample.y)
        members = np.flatnonzero(losses.member(codes, pair) & (sample.copies > 0.0))
        labels = (losses.targets(codes[members], pair) > 0.0).astype(np.intp)
        sizes = np.bincount(labels, minlength=2)
        if sizes.min() < 2:
            label = losses.classes.tolist()[pair[int(sizes.argmin())]]
            raise ValueError(
                "probabilities need at least two rows of each class in the sample they are calibrated "
                f"on; class {label!r} has {sizes.min()} of {len(codes)} rows: use criterion 'fspp1', "
                "which needs none."
            )
        most = min(_FOLDS, int(sizes.min()))
        if sample.groups is not None:
            own = sample.groups[members]
            folds = inner_folds(own, most, rows.seed, labels)
            if folds is not None:
                groups, places = np.unique(own, return_inverse=True)
                of_groups = np.empty(len(groups), dtype=np.intp)
                for number, fold in enumerate(folds):
                    of_groups[places[fold]] = number
                return cls(pair, members, folds, groups, of_groups)
        return cls(pair, members, stratified_folds(labels, most, rows.seed))

    def fold(self, chunk: Chunk, number: int) -> Chunk:
        """Return the rows of a chunk whose groups are in a fold."""
        assert self.groups is not None
        assert self.of_groups is not None
        own = np.asarray(chunk.groups)
        places = np.minimum(np.searchsorted(self.groups, own), len(self.groups) - 1)
        taken = (self.groups[places] == own) & (self.of_groups[places] == number)
        return chunk.at(np.flatnonzero(taken))


def _theta(solution: Solution, space: LandmarkSpace) -> FloatArray:
    """Coefficients and intercept of the machine whose rows with a loss are those of the sums."""
    return np.append(space.coef(solution.base[:-1]), solution.base[-1])


def _alone(pair: tuple[int, int]) -> tuple[int, int]:
    """Return the "pair" whose sums are those of the second class of a pair alone."""
    return pair[1], pair[1]


def taken_out(
    rows: Chunk, space: LandmarkSpace, losses: Losses, pair: tuple[int, int], theta: FloatArray
) -> TakenOut:
    """Add up what rows have in the sums of a machine, O(rows · m²)."""
    codes = losses.codes(rows.y)
    own = np.flatnonzero(losses.member(codes, pair) & (rows.copies > 0.0))
    balanced = losses.counts is not None
    pairs = [pair, _alone(pair)] if balanced else [pair]
    ends = np.repeat(theta[:, None], len(pairs), axis=1)
    whole: list[Question] = ["whole"] * len(pairs)
    sums = newton_sums(rows.at(own), space, losses, pairs, whole, ends, ends)
    counts = np.empty(0)
    if balanced:
        counts = np.bincount(codes[own], minlength=len(losses.classes)).astype(np.float64)
    return TakenOut(sums.H, sums.g, counts)


def taken_out_by_groups(
    chunk: Chunk,
    space: LandmarkSpace,
    losses: Losses,
    machines: Sequence[tuple[_Folds, FloatArray]],
) -> tuple[Exact, Exact, FloatArray]:
    """Add up what the rows of each fold's groups have in the machines' sums, one fold after the other."""
    found = [
        taken_out(folds.fold(chunk, number), space, losses, folds.pair, theta)
        for folds, theta in machines
        for number in range(len(folds.folds))
    ]
    H, g, counts = zip(*found, strict=True)
    return Exact.stacked(H), Exact.stacked(g), np.stack(counts)


def held_out_theta(
    solution: Solution,
    out: TakenOut,
    space: LandmarkSpace,
    losses: Losses,
    pair: tuple[int, int],
    second: tuple[FloatArray, FloatArray] | None = None,
) -> tuple[FloatArray, float]:
    """Return coefficients and intercept of the machine without some of its rows.

    One Newton step from the machine with them: the rows' sums are taken out of its own, so that no other
    row is looked at again, O(m³).  ``second`` holds the part that the pair's second class has in the
    machine's sums H and g, where weights balance the classes: then each class's part is multiplied by
    what its weight becomes without the rows.
    """
    H, g = solution.H - out.H.high[0], solution.g - out.g.high[0]
    if second is not None:
        one, other = losses.reweighed(out.counts)[list(pair)]
        H = one * H + (other - one) * (second[0] - out.H.high[1])
        g = one * g + (other - one) * (second[1] - out.g.high[1])
    left = newton_point(H, g, solution.intercept)
    return space.coef(left[:-1]), float(left[-1])


def calibrate(
    solutions: Sequence[Solution],
    pairs: Sequence[tuple[int, int]],
    rows: CalibrationRows,
    space: LandmarkSpace,
    losses: Losses,
) -> list[Sigmoid]:
    """Fit Platt's sigmoid of each pair on a sample of the rows the machines were trained on.

    The sample is split into folds, stratified by class; each fold's decision values come from the machine
    without it.  Groups stay whole, and with a fold all rows of its groups are taken out.  Classes are
    weighed by the rows of each fold's training; landmarks, scale and γ are those of the machine.  One pass
    over the rows where weights balance the classes, one where there are groups (more for many machines of
    many landmarks), else none.
    """
    thetas = [_theta(solution, space) for solution in solutions]
    seconds: list[tuple[FloatArray, FloatArray]] | list[None] = [None] * len(pairs)
    if losses.counts is not None:
        theta = np.column_stack(thetas)
        alone = [_alone(pair) for pair in pairs]
        whole = ["whole"] * len(alone)
        H, g, *_ = rows.chunks.total(newton_sums, space, losses, alone, whole, theta, theta)
        seconds = list(zip(H.high, g.high, strict=True))
    size = 16.0 * (space.n_dimensions + 1) ** 2 * _FOLDS * (1 if losses.counts is None else 2)
    batch = max(1, int(MATRIX_BUDGET / size))
    sigmoids = []
    for first in range(0, len(pairs), batch):
        here = slice(first, first + batch)
        divided = [_Folds.of(pair, rows, losses) for pair in pairs[here]]
        outs = _outs(list(zip(divided, thetas[here], strict=True)), rows, space, losses)
        for folds, out, solution, second in zip(
            divided, outs, solutions[here], seconds[here], strict=True
        ):
            without = [
                held_out_theta(solution, each, space, losses, folds.pair, second) for each in out
            ]
            sigmoids.append(_sigmoid(folds, without, rows.sample, space, losses))
    return sigmoids


def _outs(
    machines: Sequence[tuple[_Folds, FloatArray]],
    rows: CalibrationRows,
    space: LandmarkSpace,
    losses: Losses,
) -> list[list[TakenOut]]:
    """Return what is taken out of each machine for each of its folds: in one pass, where groups are."""
    grouped = [each for each in machines if each[0].of_groups is not None]
    number = count()
    if grouped:
        sums = rows.chunks.total(taken_out_by_groups, space, losses, grouped)
    return [
        [
            taken_out(rows.sample.at(folds.members[fold]), space, losses, folds.pair, theta)
            if folds.of_groups is None
            else _at(sums, next(number))
            for fold in folds.folds
        ]
        for folds, theta in machines
    ]


def _at(sums: tuple[Exact, Exact, FloatArray], number: int) -> TakenOut:
    """Return what is taken out for one fold."""
    H, g, counts = sums
    return TakenOut(H[number], g[number], counts[number])


def _sigmoid(
    folds: _Folds,
    machines: Sequence[tuple[FloatArray, float]],
    sample: Chunk,
    space: LandmarkSpace,
    losses: Losses,
) -> Sigmoid:
    """Fit a sigmoid to the decision value of each row by the machine without its fold."""
    members = folds.members
    y = losses.targets(losses.codes(sample.y[members]), folds.pair)
    decisions = np.empty(len(members))
    for fold, (coef, intercept) in zip(folds.folds, machines, strict=True):
        decisions[fold] = space.kernel_values(sample.X[members[fold]]) @ coef + intercept
    weight = None if sample.weight is None else sample.weight[members]
    return fit_sigmoid(decisions, y, weight)
