"""The Nyström machine: a squared-loss SVM in the span of landmarks, linear in the number of rows.

    min_{w,b}  ½‖w‖² + ½ Σ_i C_i ℓ(y_i, w'φ(x_i) + b)²

    ℓ = max(0, 1 − y f)        squared-hinge SVC, one machine for each pair of classes
    ℓ = max(0, |y − f| − ε)    squared-ε SVR

The objective is piecewise quadratic.  With A the rows of positive loss, its Newton point solves

    (I₀ + Σ_A C_i φ̃_i φ̃_i') θ = Σ_A C_i φ̃_i t_i,    φ̃ = (φ, 1), θ = (w, b), I₀ without the intercept,

t = y for classes and y ∓ ε for numbers: finite Newton (Mangasarian 2002; Keerthi & DeCoste 2005), which ends
when the Newton point's own set is A.  The first pass over the rows adds up these m × m matrices, O(n m d +
|A| m²); those that follow add what the rows that changed sides since change in them, little more than
O(n m d).  Where a step goes too far, which a pass sees by the objective, another one finds how far is best.
About five passes; the memory depends on m, not on n.  The sums do not depend on where the rows are cut
(:mod:`~svmsieve.scale.exact_sums`, :mod:`~svmsieve.scale.row_blocks`).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.runtime.threads import rows_product
from svmsieve.scale.chunks import Chunk, Chunks
from svmsieve.scale.descent import MAX_PASSES, STEPS, Descent, Question, Solution
from svmsieve.scale.exact_sums import Exact, cross_products, total, weighted_rows
from svmsieve.scale.landmarks import LandmarkSpace
from svmsieve.scale.losses import Losses
from svmsieve.scale.row_blocks import parts_in_budget

MATRIX_BUDGET = 256 * 2**20
"""Bytes of the machines' matrices that are added up at a time."""


class Sums(NamedTuple):
    """What a pass adds up, for each machine."""

    H: Exact
    """Σ_A C φ̃φ̃', shape (machines, dimensions + 1, dimensions + 1), or what it changes by."""
    g: Exact
    """Σ_A C φ̃ t, or what it changes by."""
    losses: Exact
    """½ Σ C ℓ² at each share of the way; at its end alone, but where the way is asked for."""
    n_changed: FloatArray
    """Rows that pull one way at one end and another way, or not at all, at the other."""


def newton_sums(
    chunk: Chunk,
    space: LandmarkSpace,
    losses: Losses,
    pairs: Sequence[tuple[int, int]],
    questions: Sequence[Question],
    start: FloatArray,
    end: FloatArray,
) -> Sums:
    """Add up one chunk.  ``start`` and ``end`` hold (coefficients, intercept) of each machine in columns.

    Coordinates, O(m²) a row, are computed for rows with a loss only, and on the way from one point to
    another only for the rows that change sides.
    """
    r, n_pairs = space.n_dimensions + 1, len(pairs)
    H, g = Exact.zeros(n_pairs, r, r), Exact.zeros(n_pairs, r)
    along, changed = Exact.zeros(n_pairs, len(STEPS)), np.zeros(n_pairs)
    all_codes = losses.codes(chunk.y)
    all_bounds = losses.bounds(all_codes, chunk.copies)
    for rows in parts_in_budget(len(all_codes), len(start)):
        codes, bounds = all_codes[rows], all_bounds[rows]
        K = space.kernel_values(chunk.X[rows])
        old = rows_product(K, start[:-1]) + start[-1]
        new = rows_product(K, end[:-1]) + end[-1]
        pulled: list[tuple[IntArray, FloatArray, FloatArray]] = []
        for p, (pair, question) in enumerate(zip(pairs, questions, strict=True)):
            mine = np.flatnonzero(losses.member(codes, pair) & (bounds > 0.0))
            y, C, f = losses.targets(codes[mine], pair), bounds[mine], new[mine, p]
            loss = losses.losses(y, f)
            along.add_at((p, 0), total(0.5 * C * loss**2))
            weight, pull = C * (loss > 0.0), losses.pulls(y, f) * C * (loss > 0.0)
            if question != "whole":
                f = old[mine, p]
                before = C * (losses.losses(y, f) > 0.0)
                weight, pull = weight - before, pull - losses.pulls(y, f) * before
                changed[p] += np.count_nonzero((weight != 0.0) | (pull != 0.0))
            if question == "way":
                for s, share in enumerate(STEPS[1:], start=1):
                    loss = losses.losses(y, f + share * (new[mine, p] - f))
                    along.add_at((p, s), total(0.5 * C * loss**2))
                weight, pull = np.zeros_like(weight), np.zeros_like(pull)
            some = np.flatnonzero((weight != 0.0) | (pull != 0.0))
            pulled.append((mine[some], weight[some], pull[some]))
        _add_products(H, g, space, K, pulled)
    return Sums(H, g, along, changed)


def _add_products(
    H: Exact,
    g: Exact,
    space: LandmarkSpace,
    K: FloatArray,
    pulled: Sequence[tuple[IntArray, FloatArray, FloatArray]],
) -> None:
    """Add what some rows give to each machine: Σ weight·φ̃φ̃' and Σ pull·φ̃."""
    needed = np.zeros(len(K), dtype=np.bool_)
    for rows, _, _ in pulled:
        needed[rows] = True
    some = np.flatnonzero(needed)
    place = np.cumsum(needed) - 1
    coordinates = np.empty((len(some), space.n_dimensions + 1))
    coordinates[:, :-1] = space.coordinates(K if len(some) == len(K) else K[some])
    coordinates[:, -1] = 1.0
    for p, (rows, weight, pull) in enumerate(pulled):
        mine = coordinates[place[rows]]
        for sign in (1.0, -1.0):
            own = np.flatnonzero(sign * weight > 0.0)
            if len(own):
                roots = np.sqrt(sign * weight[own])
                some_rows = mine if len(own) == len(mine) else mine[own]
                squares, pulls = cross_products(roots[:, None] * some_rows, pull[own] / roots)
                H.add_at(p, squares, sign)
                g.add_at(p, pulls)
        turned = np.flatnonzero(weight == 0.0)  # from one side of a number to the other
        if len(turned):
            g.add_at(p, weighted_rows(pull[turned], mine[turned]))


def solve(
    chunks: Chunks,
    space: LandmarkSpace,
    losses: Losses,
    pairs: Sequence[tuple[int, int]] | None = None,
    start: Sequence[Solution] | None = None,
) -> list[Solution]:
    """Train the machines of some pairs (by default of all), all of them in the same passes.

    They start from zero, or from what other rows came to.  The
    caller sees to it that the machines' matrices fit into memory: :func:`pair_batches`.
    """
    pairs = losses.pairs if pairs is None else list(pairs)
    thetas = [None] * len(pairs) if start is None else [each.theta for each in start]
    return _arrived([Descent(space, theta) for theta in thetas], chunks, space, losses, pairs)


def solve_with_other_C(
    chunks: Chunks, space: LandmarkSpace, losses: Losses, factor: float, known: Sequence[Solution]
) -> list[Solution]:
    """Train the machines of all pairs from those of another C, which the losses' is ``factor`` times.

    Their sums are known at the beginning: no pass adds up whole matrices.
    """
    descents = [Descent.with_other_C(space, each, factor) for each in known]
    return _arrived(descents, chunks, space, losses, losses.pairs)


def _arrived(
    descents: Sequence[Descent],
    chunks: Chunks,
    space: LandmarkSpace,
    losses: Losses,
    pairs: Sequence[tuple[int, int]],
) -> list[Solution]:
    """Ask for sums over the rows until every machine is at its optimum."""
    while True:
        pending = [p for p, descent in enumerate(descents) if descent.solution is None]
        if not pending:
            break
        ends = [descents[p].ends() for p in pending]
        H, g, along, changed = chunks.total(
            newton_sums,
            space,
            losses,
            [pairs[p] for p in pending],
            [descents[p].question for p in pending],
            np.column_stack([each[0] for each in ends]),
            np.column_stack([each[1] for each in ends]),
        )
        for p, *parts in zip(pending, H.high, g.high, along.high, changed, strict=True):
            descents[p].take(*parts)
    return [descent.solution for descent in descents if descent.solution is not None]


def pair_batches(losses: Losses, n_dimensions: int) -> list[list[tuple[int, int]]]:
    """Split the pairs so that the matrices of each batch fit into the budget."""
    size = max(1, int(MATRIX_BUDGET / (16.0 * (n_dimensions + 1) ** 2)))
    pairs = losses.pairs
    return [pairs[first : first + size] for first in range(0, len(pairs), size)]


def warn_unless_converged(solutions: Sequence[Solution]) -> None:
    """Tell the user that a machine is short of its optimum."""
    if not all(solution.converged for solution in solutions):
        warnings.warn(
            f"The Nyström machine stopped after {MAX_PASSES} passes short of the optimum; lower C, "
            "or standardise the features if they are not.",
            ConvergenceWarning,
            stacklevel=3,
        )
