"""Criteria of Nyström machines, added up over row chunks.

A row's values are replaced by those of a *donor*: one of a fixed sample of rows that every chunk gets,
drawn with probability proportional to its weight.  Which donor a row meets depends on the seed, the repeat
and the number of the row in the data set alone, so the scores do not depend on the chunks, and all columns
meet the same donors (common random numbers).  The expectation is that of a permutation of all rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from svmsieve.criteria.contract import Criterion, Fitted, checked_scores
from svmsieve.criteria.density import Density, beyond_rounding
from svmsieve.criteria.fspp import FSPP3, Shift
from svmsieve.criteria.replacement import KEPT_ORDERS, Replaced, assemble, check_permutations
from svmsieve.criteria.sv_gradient import SVGradient
from svmsieve.criteria.weight import Weight, WeightGradient
from svmsieve.engine.arrays import FloatArray, IntArray, Matrix, dense_columns
from svmsieve.engine.effects.gradients import gradient_blocks
from svmsieve.engine.effects.group_effects import group_response
from svmsieve.engine.effects.response import RESPONSE_TOL, response_blocks
from svmsieve.engine.kernels.kernel import Kernel, Linear
from svmsieve.engine.machines.expansion import Expansion
from svmsieve.engine.machines.trained import Trained
from svmsieve.runtime.memory import BLOCK_BUDGET
from svmsieve.scale.chunks import Chunk
from svmsieve.scale.nystroem import row_blocks
from svmsieve.scale.stream import ColumnStream, Machines

STREAMED = ("fspp1", "fspp2", "fspp3", "sd-laplace", "sd-gauss", "sv-gradient")
"""Criteria that are built on the response of the machine and the rows alone."""
LINEAR_ONLY = ("weight", "weight-gradient")
"""Criteria whose linear form depends on w alone."""


def refuse_criterion(criterion: Criterion, kernel: Kernel) -> None:
    """Say by name which criterion cannot rank with the Nyström machine, and what would work."""
    would_work = f"use one of {', '.join(STREAMED)}, or machine='exact' on fewer rows."
    if criterion.is_filter:
        return
    if isinstance(criterion, Weight | WeightGradient):
        if not isinstance(kernel, Linear):
            raise ValueError(
                f"criterion {criterion.name!r} needs a linear kernel with machine='nystroem': the "
                f"coefficients of landmarks are not those of support vectors; {would_work}"
            )
        return
    if not isinstance(criterion, Shift | Density | SVGradient):
        why = (
            "needs the kernel matrix of all rows"
            if criterion.machine is None
            else "needs the support vectors' own coefficients"
        )
        raise ValueError(
            f"criterion {criterion.name!r} {why}, which machine='nystroem' does without; {would_work}"
        )
    if getattr(criterion, "evaluate_on", "training") != "training":
        raise ValueError(
            f"criterion {criterion.name!r} must have evaluate_on='training' with machine='nystroem': no "
            "machine is trained without some of the rows there."
        )
    if getattr(criterion, "n_permutations", 1) == "all":
        raise ValueError(
            f"criterion {criterion.name!r} must have a number as n_permutations with "
            "machine='nystroem': all values of all rows are too many; 1 to 10 are enough."
        )


@dataclass(frozen=True)
class Replacement:
    """What the replacements in every chunk share."""

    expansions: tuple[Expansion, ...]
    donors: Matrix | None
    """Rows that lend their values; None replaces by zero."""
    thresholds: FloatArray
    """Cumulated shares of the donors' weights."""
    n_repeats: int
    seed: int
    groups: tuple[IntArray, ...]
    """Columns of each score."""
    lower: FloatArray
    upper: FloatArray
    total_weight: float

    @classmethod
    def of(
        cls,
        stream: ColumnStream,
        machines: Machines,
        groups: tuple[IntArray, ...] | None,
        n_repeats: int,
        seed: int,
        zero: bool,
    ) -> Replacement:
        """Draw nothing yet: donors are drawn row by row."""
        d = stream.chunks.n_features
        shares = np.cumsum(stream.donors.copies)
        lower, upper = stream.lower, stream.upper
        donors = stream.donors.X
        return cls(
            machines.expansions,
            None if zero else donors,
            shares / shares[-1],
            n_repeats,
            seed,
            tuple(np.array([i]) for i in range(d)) if groups is None else groups,
            np.minimum(lower, 0.0) if zero else lower,
            np.maximum(upper, 0.0) if zero else upper,
            stream.stream.total_weight,
        )

    def lenders(self, chunk: Chunk) -> list[IntArray | None]:
        """Return the donor of each row in each repeat."""
        if self.donors is None:
            return [None]
        found: list[IntArray | None] = []
        for repeat in range(self.n_repeats):
            bits = np.random.PCG64(np.random.SeedSequence([self.seed, repeat]))
            bits.advance(chunk.start)  # one draw for each row before
            draws = np.random.Generator(bits).random(chunk.X.shape[0])
            found.append(np.searchsorted(self.thresholds, draws, side="right"))
        return found

    def replaced(self, chunk: Chunk) -> Iterator[Replaced]:
        """Yield decision values before and after, for every score, row and repeat of a chunk."""
        lenders = self.lenders(chunk)
        share = chunk.copies / (self.total_weight * len(lenders))
        sizes = np.array([len(group) for group in self.groups])
        single = np.flatnonzero(sizes == 1)
        n_machines = len(self.expansions)
        donors: Any = self.donors
        donors = donors.tocsc() if sp.issparse(donors) else donors
        # Rows so that the kernel against all centres fits, columns so that all responses do.
        for rows in row_blocks(chunk.X.shape[0], len(self.expansions[0].coef)):
            X = chunk.X[rows]
            n = X.shape[0]
            here = [None if lender is None else lender[rows] for lender in lenders]
            bytes_a_feature = 8.0 * n * (n_machines * (KEPT_ORDERS + 1) + 2)
            size = max(1, int(BLOCK_BUDGET / bytes_a_feature))
            before = np.column_stack([each.decision_function(X) for each in self.expansions])
            for first in range(0, len(single), size):
                which = single[first : first + size]
                features = np.array([self.groups[g][0] for g in which], dtype=np.intp)
                responses = [
                    list(
                        response_blocks(
                            expansion,
                            X,
                            features=features,
                            bounds=(self.lower, self.upper),
                            tol=RESPONSE_TOL,
                        )
                    )
                    for expansion in self.expansions
                ]
                for lender in here:
                    new = _lent(donors, features, lender, n)
                    after = np.stack(
                        [assemble(blocks, new, features) for blocks in responses], axis=-1
                    )
                    yield Replaced(which, chunk.rows[rows], before, after, share[rows])
            for g in np.flatnonzero(sizes > 1):
                columns = self.groups[g]
                for lender in here:
                    new = _lent(donors, columns, lender, n)
                    after = np.column_stack(
                        [
                            group_response(each, X, columns, new, each.kernel.base(X, each.centers))
                            for each in self.expansions
                        ]
                    )
                    which = np.array([g])
                    yield Replaced(which, chunk.rows[rows], before, after[:, None], share[rows])


def _lent(donors: Matrix | None, columns: IntArray, lender: IntArray | None, n: int) -> FloatArray:
    if donors is None or lender is None:
        return np.zeros((n, len(columns)))
    return np.take(dense_columns(donors, columns), lender, axis=0)


def shift_sums(
    chunk: Chunk, replacement: Replacement, criterion: Shift, machines: Machines
) -> FloatArray:
    """Add up the shifts of the probabilities of one chunk's rows, as shares of all rows."""
    # A criterion of shifts looks at the machines' target and sigmoids, not at their solutions.
    fitted = Fitted(cast(Trained, machines), machines.sigmoids)
    scores = np.zeros(len(replacement.groups))
    for item in replacement.replaced(chunk):
        scores[item.which] += criterion.shifts(item, fitted)
    return scores


def spread_sums(
    chunk: Chunk, replacement: Replacement, criterion: Density
) -> tuple[float, FloatArray]:
    """Add up the sizes of the residuals with the features as they are, and replaced."""
    y = np.asarray(chunk.y, dtype=np.float64)
    f = replacement.expansions[0].decision_function(chunk.X)
    spread = float(chunk.copies @ criterion.size(y - f)) / replacement.total_weight
    new_spread = np.zeros(len(replacement.groups))
    for item in replacement.replaced(chunk):
        residuals = y[item.rows - chunk.start][:, None] - item.after[..., 0]
        new_spread[item.which] += item.share @ criterion.size(residuals)
    return spread, new_spread


def divergence_sums(
    chunk: Chunk,
    replacement: Replacement,
    criterion: Density,
    spread: float,
    new_spread: FloatArray,
) -> FloatArray:
    """Add up the divergences that the spreads define."""
    scores = np.zeros(len(replacement.groups))
    for item in replacement.replaced(chunk):
        shift = item.after[..., 0] - item.before
        scores[item.which] += item.share @ criterion.divergences(
            shift, spread, new_spread[item.which]
        )
    return scores


def gradient_sums(chunk: Chunk, machines: Machines) -> tuple[FloatArray, float]:
    """Add up the columns' shares in the squared gradient at the support vectors, and their weights.

    The support vectors of a squared-loss machine are the rows with a loss.
    """
    losses = machines.losses
    total, weight = np.zeros(chunk.X.shape[1]), 0.0
    codes = losses.codes(chunk.y)
    for expansion, pair in zip(machines.expansions, losses.pairs, strict=True):
        mine = np.flatnonzero(losses.member(codes, pair) & (chunk.copies > 0.0))
        if not len(mine):
            continue
        f = expansion.decision_function(chunk.X[mine])
        mine = mine[losses.losses(losses.targets(codes[mine], pair), f) > 0.0]
        for rows in row_blocks(len(mine), max(chunk.X.shape[1], len(expansion.coef))):
            some = mine[rows]
            squares = np.empty((len(some), chunk.X.shape[1]))
            slopes = gradient_blocks(expansion, chunk.X[some], scaling=False, relative=True)
            for block, slope in slopes:
                squares[:, block] = np.square(slope)
            norms = squares.sum(axis=1)
            shares = np.divide(chunk.copies[some], norms, out=np.zeros_like(norms), where=norms > 0)
            total += shares @ squares
            weight += float(chunk.copies[some].sum())
    return total, weight


def largest_size(chunk: Chunk, criterion: Density) -> float:
    """The largest size a target of one chunk has as a residual."""
    return float(criterion.size(np.asarray(chunk.y, dtype=np.float64)).max())


def streamed_scores(
    criterion: Criterion,
    stream: ColumnStream,
    machines: Machines,
    groups: tuple[IntArray, ...] | None,
    seed: int,
) -> FloatArray:
    """Return the criterion's score of each column (or group), in one or two passes over the rows."""
    n_repeats: Any = getattr(criterion, "n_permutations", 1)
    check_permutations(n_repeats)
    zero = isinstance(criterion, FSPP3)
    replacement = Replacement.of(stream, machines, groups, int(n_repeats), seed, zero)
    chunks, groups = stream.chunks, replacement.groups
    if isinstance(criterion, Shift):
        scores = chunks.total(shift_sums, replacement, criterion, machines)
    elif isinstance(criterion, Density):
        spread, new_spread = chunks.total(spread_sums, replacement, criterion)
        floor = criterion.floor(max(chunks.map(largest_size, criterion)))
        spread, new_spread = max(spread, floor), np.maximum(new_spread, floor)
        scores = chunks.total(divergence_sums, replacement, criterion, spread, new_spread)
        scores = beyond_rounding(scores)
    elif isinstance(criterion, SVGradient):
        total, weight = chunks.total(gradient_sums, machines)
        scores = _sums_of(total / weight if weight > 0.0 else total, groups)
    elif isinstance(criterion, Weight | WeightGradient):
        factor = 1.0 if isinstance(criterion, Weight) else 2.0
        squares = sum(each.linear_weights() ** 2 for each in machines.expansions)
        scores = factor * _sums_of(np.asarray(squares), groups)
    else:
        raise AssertionError(criterion)
    varies = stream.upper > stream.lower
    moving = np.array([bool(varies[group].any()) for group in groups])
    return checked_scores(criterion, scores, moving)


def _sums_of(values: FloatArray, groups: tuple[IntArray, ...]) -> FloatArray:
    return np.array([float(values[group].sum()) for group in groups])
