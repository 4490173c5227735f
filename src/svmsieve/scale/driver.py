"""The driver of row chunks: Nyström machines and filters, added up over the rows."""

from __future__ import annotations

import numpy as np

from svmsieve.criteria.contract import Criterion
from svmsieve.criteria.drivers import Driver, EvaluateOn, Moments, Permutations, Responses
from svmsieve.criteria.final_scores import checked_scores
from svmsieve.criteria.material import Data, Fitted
from svmsieve.criteria.registry import CRITERIA
from svmsieve.criteria.replacement import check_permutations
from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.effects.gradients import gradient_blocks
from svmsieve.engine.kernels.kernel import Kernel, Linear
from svmsieve.scale.chunks import Chunk
from svmsieve.scale.moments import ChunkMoments, FilterSums
from svmsieve.scale.responses import ChunkResponses, Replacement
from svmsieve.scale.row_blocks import row_blocks
from svmsieve.scale.stream import ColumnStream, NystroemMachines

STREAMED = tuple(
    name for name, each in CRITERIA.items() if each.needs in ("responses", "gradients")
)
"""Criteria that are built on the response of the machine and the rows alone."""
_DIGITS = 42
"""Binary digits of the largest score; the smaller ones end where it does."""
IN_ONE_PASS = tuple(name for name, each in CRITERIA.items() if each.needs == "moments")
"""Filters that are sums over rows."""


def refuse_criterion(criterion: Criterion, kernel: Kernel) -> None:
    """Say by name which criterion cannot rank with the Nyström machine, and what would work."""
    would_work = f"use one of {', '.join(STREAMED)}, or machine='exact' on fewer rows."
    if criterion.is_filter:
        return
    if criterion.linear_factor is not None:
        if not isinstance(kernel, Linear):
            raise ValueError(
                f"criterion {criterion.name!r} needs a linear kernel with machine='nystroem': the "
                f"coefficients of landmarks are not those of support vectors; {would_work}"
            )
        return
    if criterion.needs == "whole":
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


def refuse_filter(criterion: Criterion) -> None:
    """Say by name which filter is not a sum over rows, and what would work."""
    if criterion.needs != "moments":
        raise ValueError(
            f"criterion {criterion.name!r} is not a sum over rows; over row chunks use one of "
            f"{', '.join(IN_ONE_PASS)}, or a criterion of machine='nystroem'."
        )


def gradient_sums(chunk: Chunk, machines: NystroemMachines) -> tuple[FloatArray, float]:
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
        for block in row_blocks(chunk.X[mine]):
            some = mine[block.rows]
            f = expansion.decision_function(block.X)[: block.n]
            lossy = losses.losses(losses.targets(codes[some], pair), f) > 0.0
            copies = np.where(lossy, chunk.copies[some], 0.0)
            squares = np.empty(block.X.shape)
            slopes = gradient_blocks(expansion, block.X, scaling=False, relative=True)
            for columns, slope in slopes:
                squares[:, columns] = np.square(slope)
            squares = squares[: block.n]
            norms = squares.sum(axis=1)
            shares = np.divide(copies, norms, out=np.zeros_like(norms), where=norms > 0)
            total += shares @ squares
            weight += float(copies.sum())
    return total, weight


class RowDriver(Driver):
    """What drivers over rows have in common: groups of columns, and no kernel matrix."""

    groups: tuple[IntArray, ...]
    """Columns of each score."""

    def moments(self) -> Moments:
        """Refuse: filters are ranked in a pass of their own."""
        raise TypeError("moments are those of a pass over the rows as they came.")

    def responses(self, n_permutations: Permutations | None, evaluate_on: EvaluateOn) -> Responses:
        """Refuse: there are no machines."""
        raise TypeError("responses are those of a machine.")

    def gradient_shares(self) -> FloatArray:
        """Refuse: there are no machines."""
        raise TypeError("gradients are those of a machine.")

    def squared_weights(self) -> FloatArray | None:
        """Return nothing: there are no machines."""
        return None

    def whole(self) -> tuple[Fitted | None, Data]:
        """Refuse: there is no kernel matrix of all rows."""
        raise TypeError("row chunks are never looked at as a whole.")

    def sum_groups(self, values: FloatArray) -> FloatArray:
        """Add up values of columns over the groups."""
        return np.array([float(values[group].sum()) for group in self.groups])

    def max_groups(self, values: FloatArray) -> FloatArray:
        """Take the largest of the columns' values in each group."""
        return np.array([float(values[group].max()) for group in self.groups])


class MomentDriver(RowDriver):
    """Feeds filters from the sums of one pass; a column that never varies scores zero."""

    def __init__(
        self, sums: FilterSums, regression: bool, groups: tuple[IntArray, ...] | None
    ) -> None:
        self.sums, self.regression = sums, regression
        self.varies = sums.survey.moments.varies
        self.groups = each_column(len(self.varies)) if groups is None else groups

    def moments(self) -> Moments:
        """Return the moments of the columns."""
        return ChunkMoments(self.sums, self.regression)

    def max_groups(self, values: FloatArray) -> FloatArray:
        """Take the largest of the varying columns' values in each group."""
        return super().max_groups(np.where(self.varies, values, 0.0))


class ChunkDriver(RowDriver):
    """Feeds criteria from Nyström machines and row chunks."""

    def __init__(
        self,
        stream: ColumnStream,
        machines: NystroemMachines,
        groups: tuple[IntArray, ...] | None,
        seed: int,
    ) -> None:
        self.stream, self.machines, self.seed = stream, machines, seed
        self.groups = each_column(stream.chunks.n_features) if groups is None else groups

    def responses(self, n_permutations: Permutations | None, evaluate_on: EvaluateOn) -> Responses:
        """Return the responses to values that donors lend, or to zeros."""
        if n_permutations is not None:
            check_permutations(n_permutations)
        repeats = 1 if n_permutations is None else int(n_permutations)
        zero = n_permutations is None
        args = self.stream, self.machines, self.groups, repeats, self.seed, zero
        return ChunkResponses(self.stream, self.machines, Replacement.of(*args))

    def gradient_shares(self) -> FloatArray:
        """Return the columns' mean shares in the squared gradient at the rows with a loss."""
        total, weight = self.stream.chunks.total(gradient_sums, self.machines)
        shares: FloatArray = total / weight if weight > 0.0 else total
        return shares

    def squared_weights(self) -> FloatArray | None:
        """Return w² of each column, added up over the machines; None where the kernel is not linear."""
        expansions = self.machines.expansions
        if not isinstance(expansions[0].kernel, Linear):
            return None
        return np.sum([each.linear_weights() ** 2 for each in expansions], axis=0)


def each_column(n: int) -> tuple[IntArray, ...]:
    """Return every column as a group of its own."""
    return tuple(np.array([i]) for i in range(n))


def streamed_scores(
    criterion: Criterion,
    stream: ColumnStream,
    machines: NystroemMachines,
    groups: tuple[IntArray, ...] | None,
    seed: int,
) -> FloatArray:
    """Return the criterion's score of each column (or group), in one or more passes over the rows."""
    driver = ChunkDriver(stream, machines, groups, seed)
    varies = stream.upper > stream.lower
    moving = np.array([bool(varies[group].any()) for group in driver.groups])
    return _rounded(checked_scores(criterion, criterion.fed_by(driver), moving))


def _rounded(scores: FloatArray) -> FloatArray:
    """Return scores without the digits that adding up in another order changes.

    Scores that are equal, as counts of rows often are, stay equal wherever the rows are cut: the order of
    columns is the same.
    """
    unit = np.ldexp(1.0, int(np.frexp(scores.max())[1]) - _DIGITS)
    return scores if unit == 0.0 else np.rint(scores / unit) * unit
