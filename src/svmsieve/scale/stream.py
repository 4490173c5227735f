"""A data set in row chunks, prepared, with what is drawn from it once: a sample, landmarks, donors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix
from svmsieve.engine.columns import column_range
from svmsieve.engine.kernels.kernel import Linear, gram
from svmsieve.engine.machines.expansion import Expansion
from svmsieve.engine.machines.fit import balanced_weights, sample_bounds
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.plan import Plan
from svmsieve.engine.machines.platt import Sigmoid
from svmsieve.engine.machines.target import Classes, Numbers, Target
from svmsieve.runtime.threads import product
from svmsieve.scale.calibration import CalibrationRows, calibrate
from svmsieve.scale.chunks import Chunk, Chunks, RowChunks, restricted
from svmsieve.scale.descent import Solution
from svmsieve.scale.landmarks import LandmarkSpace, choose_landmarks
from svmsieve.scale.losses import Losses
from svmsieve.scale.moments import FilterSums, filter_sums
from svmsieve.scale.nystroem import pair_batches, solve, warn_unless_converged
from svmsieve.scale.row_blocks import row_blocks

SAMPLE_ROWS = 10_000
"""Rows that are drawn once: landmarks and donors are some of them, sigmoids are fitted to them."""
START_ROWS = 2_000
"""Rows, at least, whose machines those of more rows than the sample start from."""
_WHOLE = 1.0 - 1e-9
"""Share of the weight that is all of it, but for rounding."""
DONOR_ROWS = 2_000
"""Rows whose values replace those of others."""


class Facts(NamedTuple):
    """What a first pass knows of prepared chunks."""

    labels: Any
    """The classes as the chunks' y has them, ascending; None for numbers."""
    classes: Any
    """The same as the user knows them."""
    counts: FloatArray
    """Rows of each class."""
    total_weight: float
    lower: FloatArray
    upper: FloatArray


@dataclass(frozen=True)
class Stream:
    """Prepared row chunks and what is drawn from them once, the same for every set of columns.

    Attributes
    ----------
    chunks : the rows, scaled, all columns
    sample : some rows in memory
    target : the sample's target, with all classes of the data set
    counts : rows of each class, for balanced class weights
    total_weight : of all rows
    landmarks, donors : rows of the sample
    lower, upper : range of the scaled columns
    """

    chunks: Chunks
    sample: Chunk
    target: Target
    labels: Any
    """The classes as the chunks' y has them, ascending; None for numbers."""
    counts: FloatArray
    total_weight: float
    landmarks: Matrix
    donors: Chunk
    lower: FloatArray
    upper: FloatArray
    seed: int

    @classmethod
    def of_matrix(
        cls,
        X: Matrix,
        target: Target,
        weight: FloatArray | None,
        n_landmarks: int,
        seed: int,
    ) -> Stream:
        """Take a prepared matrix in memory, with the samples' groups of its target."""
        classes, counts = None, np.empty(0)
        y: Any = target.labels
        if isinstance(target, Classes):
            classes, counts = target.classes, np.bincount(target.codes).astype(np.float64)
            y = target.codes
        chunks = RowChunks(X, y, weight, groups=target.groups)
        sample = row_sample(chunks, n_landmarks, seed)
        facts = Facts(
            None if classes is None else np.arange(len(classes)),
            classes,
            counts,
            float(X.shape[0] if weight is None else weight.sum()),
            *column_range(X),
        )
        return cls.of_chunks(chunks, sample, facts, n_landmarks, seed)

    @classmethod
    def of_chunks(
        cls,
        chunks: Chunks,
        sample: Chunk,
        facts: Facts,
        n_landmarks: int,
        seed: int,
    ) -> Stream:
        """Draw landmarks and donors from the sample of prepared chunks."""
        y: Any = sample.y
        if facts.labels is None:
            target: Target = Numbers(np.asarray(y, dtype=np.float64), sample.groups)
        else:
            codes = Losses(1.0, facts.labels).codes(y)
            target = Classes(facts.classes, codes, sample.groups)
        seeds = np.random.SeedSequence([seed, 2]).generate_state(2)
        landmarks = choose_landmarks(sample, n_landmarks, int(seeds[0]))
        donors = RowChunks(sample.X, y, sample.weight).sample(DONOR_ROWS, int(seeds[1]))
        return cls(
            chunks,
            sample,
            target,
            facts.labels,
            facts.counts,
            facts.total_weight,
            landmarks,
            donors,
            facts.lower,
            facts.upper,
            seed,
        )

    def losses(self, machine: Machine) -> Losses:
        """Return what rows cost: the squared loss with the machine's C, ε and class weights."""
        if not isinstance(self.target, Classes):
            return Losses(machine.C, None, None, machine.epsilon)
        if machine.class_weight == "balanced":
            weights = balanced_weights(self.counts)
            return Losses(machine.C, self.labels, weights, counts=self.counts)
        codes = np.arange(len(self.target.classes))
        given = sample_bounds(1.0, codes, self.target.classes, None, machine.class_weight)
        weights = np.array(np.broadcast_to(given, len(codes)), dtype=np.float64)
        return Losses(machine.C, self.labels, weights)

    def moments(self) -> FilterSums:
        """Return the moments of all columns, in one pass: what filters look at, whatever columns are left."""
        # No cached_property: one of all searches would hold its lock and wait for the others.
        known: dict[str, Any] = self.__dict__
        if "_moments" not in known:
            known["_moments"] = self.chunks.total(filter_sums, self.chunks.names)
        found: FilterSums = known["_moments"]
        return found

    def columns(self, columns: IntArray) -> ColumnStream:
        """Return the stream of some of the columns."""
        return ColumnStream(self, columns)


@dataclass(frozen=True)
class NystroemMachines:
    """The trained Nyström machines over some columns: what criteria and scorers start from."""

    target: Target
    expansions: tuple[Expansion, ...]
    sigmoids: tuple[Sigmoid, ...]
    losses: Losses
    n_passes: int
    converged: bool

    def decisions(self, X: Matrix) -> FloatArray:
        """Return the decision value of each row by each machine; all share the landmarks."""
        values = np.empty((X.shape[0], len(self.expansions)))
        for block in row_blocks(X):
            values[block.rows] = self._of_block(block.X)[: block.n]
        return values

    def _of_block(self, X: Matrix) -> FloatArray:
        first = self.expansions[0]
        if len(self.expansions) == 1 or isinstance(first.kernel, Linear):
            return np.column_stack([each.decision_function(X) for each in self.expansions])
        coef = np.column_stack([each.coef for each in self.expansions])
        values = product(gram(first.kernel, X, first.centers), coef)
        return values + [each.intercept for each in self.expansions]

    def truth(self, y: Any) -> FloatArray | IntArray:
        """Return some rows' target as criteria see it: codes of classes, or numbers."""
        return self.losses.codes(y)


class ColumnStream:
    """A stream restricted to some of its columns."""

    def __init__(self, stream: Stream, columns: IntArray) -> None:
        self.stream = stream
        whole = len(columns) == stream.chunks.n_features
        self.chunks: Chunks = stream.chunks if whole else restricted(stream.chunks, columns)

        def part(chunk: Chunk) -> Chunk:
            return chunk if whole else chunk._replace(X=chunk.X[:, columns])

        self.sample, self.donors = part(stream.sample), part(stream.donors)
        self.landmarks = stream.landmarks if whole else stream.landmarks[:, columns]
        self.lower, self.upper = stream.lower[columns], stream.upper[columns]

    def train(
        self, plan: Plan, *, probabilities: bool = False, memory: float | None = None
    ) -> NystroemMachines:
        """Train the machines, and calibrate them where probabilities are wanted."""
        space = LandmarkSpace.of(plan.kernel, self.landmarks, memory)
        losses = self.stream.losses(plan.machine)
        expansions: list[Expansion] = []
        sigmoids: list[Sigmoid] = []
        n_passes, converged = 0, True
        for pairs in pair_batches(losses, space.n_dimensions):
            solutions = solve(self.chunks, space, losses, pairs, self._begun(space, losses, pairs))
            warn_unless_converged(solutions)
            expansions += [solution.expansion(space) for solution in solutions]
            n_passes += max(solution.n_passes for solution in solutions)
            converged &= all(solution.converged for solution in solutions)
            if probabilities:
                rows = CalibrationRows(self.chunks, self.sample, self.stream.seed)
                sigmoids += calibrate(solutions, pairs, rows, space, losses)
        return NystroemMachines(
            self.stream.target, tuple(expansions), tuple(sigmoids), losses, n_passes, converged
        )

    def _begun(
        self, space: LandmarkSpace, losses: Losses, pairs: Sequence[tuple[int, int]]
    ) -> list[Solution]:
        """Return the machines of some rows of the sample, where those of all rows start.

        With more rows than the sample has, a fraction of it is enough; without, they are the machines.
        """
        rows = self.sample
        n, most = rows.X.shape[0], max(START_ROWS, 5 * space.n_dimensions)
        if rows.copies.sum() < _WHOLE * self.stream.total_weight and n > most:
            rows = rows.at(np.linspace(0, n - 1, most).astype(np.intp))
        factor = self.stream.total_weight / float(rows.copies.sum())
        own = replace(losses, C=losses.C * factor)
        return solve(RowChunks(rows.X, rows.y, rows.weight), space, own, pairs)


def row_sample(chunks: Chunks, n_landmarks: int, seed: int) -> Chunk:
    """Return the rows that are drawn once."""
    return chunks.sample(max(SAMPLE_ROWS, n_landmarks), [seed, 1])
