"""Platt's sigmoids of Nyström machines, from decision values of rows the machine had not seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from svmsieve.engine.folds import stratified_folds
from svmsieve.engine.platt import Sigmoid, fit_sigmoid
from svmsieve.scale.chunks import Chunk
from svmsieve.scale.landmarks import LandmarkSpace
from svmsieve.scale.nystroem import Losses, Solution, newton_point, newton_sums


def held_out_theta(
    solution: Solution, fold: Chunk, space: LandmarkSpace, losses: Losses, pair: tuple[int, int]
) -> tuple[np.ndarray, float]:
    """Return coefficients and intercept of the machine without some of its rows.

    One Newton step from the machine with them: the rows' sums are taken out of its own, so that no other
    row is looked at again, O(rows · m² + m³).
    """
    theta = np.append(space.coef(solution.w), solution.intercept)[:, None]
    sums = newton_sums(fold, space, losses, [pair], theta, theta)
    left = newton_point(solution.H - sums.H[0], solution.g - sums.g[0], solution.intercept)
    return space.coef(left[:-1]), float(left[-1])


def calibrate(
    solutions: Sequence[Solution],
    pairs: Sequence[tuple[int, int]],
    sample: Chunk,
    space: LandmarkSpace,
    losses: Losses,
    *,
    cv: int = 5,
    seed: int = 0,
) -> list[Sigmoid]:
    """Fit Platt's sigmoid of each pair on a sample of the rows the machines were trained on.

    The sample is split into folds, stratified by class; each fold's decision values come from the machine
    without it.  No pass over the other rows.
    """
    codes = losses.codes(sample.y)
    sigmoids = []
    for solution, pair in zip(solutions, pairs, strict=True):
        rows = np.flatnonzero(losses.member(codes, pair) & (sample.copies > 0.0))
        y = losses.targets(codes[rows], pair)
        smallest = int(min((y > 0.0).sum(), (y < 0.0).sum()))
        if smallest < 2:
            label = losses.classes.tolist()[pair[int((y > 0.0).sum() < (y < 0.0).sum())]]
            raise ValueError(
                "probabilities need at least two rows of each class in the sample they are calibrated "
                f"on; class {label!r} has {smallest} of {len(codes)} rows: use criterion 'fspp1', which "
                "needs none."
            )
        decisions = np.empty(len(rows))
        for fold in stratified_folds((y > 0.0).astype(np.intp), min(cv, smallest), seed):
            held = rows[fold]
            weight = None if sample.weight is None else sample.weight[held]
            part = Chunk(sample.X[held], sample.y[held], weight, 0)
            coef, intercept = held_out_theta(solution, part, space, losses, pair)
            decisions[fold] = space.kernel_values(part.X) @ coef + intercept
        weight = None if sample.weight is None else sample.weight[rows]
        sigmoids.append(fit_sigmoid(decisions, y, weight))
    return sigmoids
