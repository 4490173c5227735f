"""Responses of Nyström machines, added up over row chunks.

A row's values are replaced by those of a *donor*: one of a fixed sample of rows that every chunk gets,
drawn with probability proportional to its weight.  Which donor a row meets depends on the seed, the repeat
and the number of the row in the data set alone, so the scores do not depend on the chunks, and all columns
meet the same donors (common random numbers).  The expectation is that of a permutation of all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmsieve.criteria.answers import Answers, Replaced
from svmsieve.criteria.drivers import Responses
from svmsieve.criteria.material import Machines
from svmsieve.criteria.replacement import KEPT_ORDERS, assemble
from svmsieve.engine.arrays import FloatArray, IntArray, Matrix, dense_columns
from svmsieve.engine.effects.group_effects import group_response
from svmsieve.engine.effects.response import response_blocks
from svmsieve.engine.machines.expansion import Expansion
from svmsieve.runtime.memory import BLOCK_BUDGET
from svmsieve.scale.chunks import Chunk
from svmsieve.scale.parts import row_draws
from svmsieve.scale.row_blocks import filled_up, row_blocks
from svmsieve.scale.stream import ColumnStream, NystroemMachines


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
            draws = row_draws((self.seed, repeat), chunk.rows)
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
        for block in row_blocks(chunk.X):
            X, rows = block.X, block.rows
            n = X.shape[0]
            here = [None if each is None else filled_up(each[rows]) for each in lenders]
            bytes_a_feature = 8.0 * n * (n_machines * (KEPT_ORDERS + 1) + 2)
            size = max(1, int(BLOCK_BUDGET / bytes_a_feature))
            values = np.column_stack([each.decision_function(X) for each in self.expansions])
            given = values[: block.n], truth[rows], share[rows], chunk.rows[rows]
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
                        )
                    )
                    for expansion in self.expansions
                ]
                for lender in here:
                    new = _lent(donors, features, lender, n)
                    after = np.stack(
                        [assemble(blocks, new, features) for blocks in responses], axis=-1
                    )
                    yield _replaced(which, after[: block.n], given)
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
                    yield _replaced(np.array([g]), after[: block.n, None], given)


@dataclass(frozen=True)
class GivenReplacement(Replacement):
    """Replacements by rows that are given: for each repeat, which donor lends to each row of the data set."""

    orders: tuple[IntArray, ...] = ()

    @classmethod
    def of_orders(
        cls, drawn: Replacement, donors: Matrix, orders: Sequence[IntArray]
    ) -> GivenReplacement:
        """Take what all replacements share from another one."""
        shared = {each.name: getattr(drawn, each.name) for each in fields(drawn)}
        return cls(**{**shared, "donors": donors}, orders=tuple(orders))

    def lenders(self, chunk: Chunk) -> list[IntArray | None]:
        """Return the donor of each row in each repeat."""
        return [order[chunk.rows] for order in self.orders]


def _replaced(which: IntArray, after: FloatArray, given: tuple[Any, ...]) -> Replaced:
    """Return what replacing some features came to, beside what is known of the rows."""
    before, *known = given
    return Replaced(which, before, after, *known)


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
    before = machines.decisions(chunk.X)
    return part(Answers(before, machines.truth(chunk.y), chunk.copies / total_weight), machines)


@dataclass(frozen=True)
class Largest:
    """A number that two parts of the rows add up to the larger one of."""

    value: float

    def __add__(self, other: Largest) -> Largest:
        return self if self.value >= other.value else other


def largest_size(chunk: Chunk, size: Callable[[FloatArray], FloatArray]) -> Largest:
    """Return the largest size of the numbers that are one chunk's target."""
    return Largest(float(size(np.asarray(chunk.y, dtype=np.float64)).max()))


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
        found: Largest = self.stream.chunks.total(largest_size, size)
        return found.value
