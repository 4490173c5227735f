"""The driver of row chunks: Nyström machines and filters, added up over the rows.

A row's values are replaced by those of a *donor*: one of a fixed sample of rows that every chunk gets,
drawn with probability proportional to its weight.  Which donor a row meets depends on the seed, the repeat
and the number of the row in the data set alone, so the scores do not depend on the chunks, and all columns
meet the same donors (common random numbers).  The expectation is that of a permutation of all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmsieve.criteria.contract import Criterion, checked_scores
from svmsieve.criteria.drivers import Driver, EvaluateOn, Moments, Permutations, Responses
from svmsieve.criteria.material import Answers, Data, Fitted, Machines, Replaced
from svmsieve.criteria.registry import CRITERIA
from svmsieve.criteria.replacement import KEPT_ORDERS, assemble, check_permutations
from svmsieve.engine.arrays import FloatArray, IntArray, Matrix, dense_columns
from svmsieve.engine.effects.gradients import gradient_blocks
from svmsieve.engine.effects.group_effects import group_response
from svmsieve.engine.effects.response import RESPONSE_TOL, response_blocks
from svmsieve.engine.kernels.kernel import Kernel, Linear
from svmsieve.engine.machines.expansion import Expansion
from svmsieve.runtime.memory import BLOCK_BUDGET
from svmsieve.scale.chunks import Chunk
from svmsieve.scale.moments import ChunkMoments, FilterSums
from svmsieve.scale.nystroem import row_blocks
from svmsieve.scale.stream import ColumnStream, NystroemMachines

STREAMED = tuple(
    name for name, each in CRITERIA.items() if each.needs in ("responses", "gradients")
)
"""Criteria that are built on the response of the machine and the rows alone."""
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
        machines: NystroemMachines,
        groups: tuple[IntArray, ...],
        n_repeats: int,
        seed: int,
        zero: bool,
    ) -> Replacement:
        """Draw nothing yet: donors are drawn row by row."""
        shares = np.cumsum(stream.donors.copies)
        lower, upper = stream.lower, stream.upper
        donors = stream.donors.X
        return cls(
            machines.expansions,
            None if zero else donors,
            shares / shares[-1],
            n_repeats,
            seed,
            groups,
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

    def replaced(self, chunk: Chunk, truth: FloatArray | IntArray) -> Iterator[Replaced]:
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
                    yield Replaced(which, before, after, truth[rows], share[rows])
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
                    yield Replaced(which, before, after[:, None], truth[rows], share[rows])


def _lent(donors: Matrix | None, columns: IntArray, lender: IntArray | None, n: int) -> FloatArray:
    if donors is None or lender is None:
        return np.zeros((n, len(columns)))
    return np.take(dense_columns(donors, columns), lender, axis=0)


def replaced_sums(
    chunk: Chunk,
    replacement: Replacement,
    machines: NystroemMachines,
    part: Callable[[Replaced, Machines], FloatArray],
) -> FloatArray:
    """Add up what the rows of one chunk give, features replaced in turn."""
    sums = np.zeros(len(replacement.groups))
    for item in replacement.replaced(chunk, machines.truth(chunk.y)):
        sums[item.which] += part(item, machines)
    return sums


def answer_sums(
    chunk: Chunk,
    machines: NystroemMachines,
    total_weight: float,
    part: Callable[[Answers, Machines], float],
) -> float:
    """Add up what the rows of one chunk give, features as they are."""
    before = np.column_stack([each.decision_function(chunk.X) for each in machines.expansions])
    return part(Answers(before, machines.truth(chunk.y), chunk.copies / total_weight), machines)


def largest_size(chunk: Chunk, size: Callable[[FloatArray], FloatArray]) -> float:
    """Return the largest size of the numbers that are one chunk's target."""
    return float(size(np.asarray(chunk.y, dtype=np.float64)).max())


@dataclass(frozen=True)
class ChunkResponses(Responses):
    """Responses of Nyström machines, added up over row chunks: each sum is a pass over the rows."""

    stream: ColumnStream
    machines: NystroemMachines
    replacement: Replacement

    def over_samples(self, part: Callable[[Answers, Machines], float]) -> float:
        """Add up over the rows, features as they are."""
        weight = self.replacement.total_weight
        return float(self.stream.chunks.total(answer_sums, self.machines, weight, part))

    def over_replaced(self, part: Callable[[Replaced, Machines], FloatArray]) -> FloatArray:
        """Add up over the rows and replacements."""
        found: FloatArray = self.stream.chunks.total(
            replaced_sums, self.replacement, self.machines, part
        )
        return found

    def largest(self, size: Callable[[FloatArray], FloatArray]) -> float:
        """Return the largest size of a numeric target's values."""
        return float(max(self.stream.chunks.map(largest_size, size)))


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
    return checked_scores(criterion, criterion.fed_by(driver), moving)
