"""Whether a criterion fed from row chunks gives what it gives when it is fed from samples in memory."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from svmsieve.criteria import Criterion
from svmsieve.criteria.drivers import EvaluateOn, Permutations, Responses
from svmsieve.criteria.replacement import permutation_orders
from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.machines.target import Classes
from svmsieve.ranking.exact import PreparedSamples
from svmsieve.scale.chunks import RowChunks
from svmsieve.scale.driver import ChunkDriver, MomentDriver
from svmsieve.scale.losses import Losses
from svmsieve.scale.moments import FilterSums, filter_sums
from svmsieve.scale.responses import ChunkResponses, GivenReplacement
from svmsieve.scale.stream import ColumnStream, NystroemMachines, Stream

ROWS = 7
"""Rows of a chunk: 60 are not a multiple of it."""


def chunk_scores(criterion: Criterion, prepared: PreparedSamples) -> FloatArray | None:
    """Return the scores from row chunks: of the same machines, and of the same replacements.

    None where chunks cannot feed the criterion.  The Nyström machine and its donors, which are drawn, are
    left out of it: what is compared is how the sums are put together.
    """
    data = prepared.data
    X, target = data.X, data.target
    memory = 8 * ROWS * X.shape[1]
    if criterion.needs == "moments":
        chunks = RowChunks(X, target.labels, memory=memory)
        sums = reduce(FilterSums.merge, chunks.map(filter_sums, chunks.names))
        return criterion.fed_by(MomentDriver(sums, target.task == "regression", None))
    fitted = prepared.fitted()
    if criterion.needs != "responses" or fitted is None or not _can_be_fed(criterion):
        return None
    stream = Stream.of_matrix(X, target, None, len(target), 0)
    codes = target.codes if isinstance(target, Classes) else target.values
    columns = ColumnStream(stream, np.arange(X.shape[1]))
    columns.chunks = RowChunks(X, codes, memory=memory)
    labels = np.arange(len(target.classes)) if isinstance(target, Classes) else None
    machines = NystroemMachines(
        target, fitted.expansions, fitted.sigmoids, Losses(1.0, labels), 0, True
    )
    return criterion.fed_by(_SameReplacements(columns, machines, data.weights, data.seed))


def _can_be_fed(criterion: Any) -> bool:
    return bool(criterion.evaluate_on == "training" and criterion.n_permutations != "all")


class _SameReplacements(ChunkDriver):
    """Replaces each row's values by those of the row that lends them in memory."""

    def __init__(
        self, stream: ColumnStream, machines: NystroemMachines, weights: FloatArray, seed: int
    ) -> None:
        super().__init__(stream, machines, None, seed)
        self.weights = weights

    def responses(self, n_permutations: Permutations | None, evaluate_on: EvaluateOn) -> Responses:
        found = super().responses(n_permutations, evaluate_on)
        assert isinstance(found, ChunkResponses)
        if n_permutations is None:
            return found
        orders = permutation_orders(self.weights, n_permutations, self.seed)
        sample = self.stream.stream.sample.X
        return ChunkResponses(
            self.stream,
            self.machines,
            GivenReplacement.of_orders(found.replacement, sample, orders),
        )
