"""Probes: permuted copies of features, ranked along with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from svmsieve.engine.arrays import IntArray, Matrix
from svmsieve.search.contract import Step
from svmsieve.search.order import Order

_STREAM = 0x9B0BE5
"""Keeps the permutations apart from all other random numbers of a seed."""


@dataclass(frozen=True)
class Probed:
    """Features with their probes, in random order, so that ties favour neither.

    Attributes
    ----------
    X : the columns of all units, unit by unit
    units : columns of each unit
    keep : units that never leave
    origin : the feature (or group) that each unit is, −1 for a probe
    source : the feature (or group) that each unit is, or is a copy of
    """

    X: Matrix
    units: tuple[IntArray, ...]
    keep: frozenset[int]
    origin: IntArray
    source: IntArray

    @classmethod
    def of(
        cls,
        X: Matrix,
        units: tuple[IntArray, ...],
        keep: frozenset[int],
        n_copies: int,
        seed: int,
    ) -> Probed:
        """Make ``n_copies`` probes of each unit that may leave.

        The columns of a unit are shuffled together, different units and copies by different
        permutations: a probe keeps its feature's distribution and is independent of everything else.
        """
        rng = np.random.default_rng([seed, _STREAM])
        tested = [u for u in range(len(units)) if u not in keep]
        columns = np.concatenate([units[u] for u in tested] * n_copies or [np.empty(0, np.intp)])
        sizes = [len(units[u]) for u in tested] * n_copies
        ends = np.cumsum(sizes, dtype=np.intp)
        probes = _shuffled(X[:, columns], np.concatenate([[0], ends]).astype(np.intp), rng)
        every = [
            *units,
            *(
                X.shape[1] + np.arange(end - size, end)
                for size, end in zip(sizes, ends, strict=True)
            ),
        ]
        origin = np.concatenate([np.arange(len(units)), np.full(len(sizes), -1)]).astype(np.intp)
        source = np.array([*range(len(units)), *tested * n_copies], dtype=np.intp)
        order = rng.permutation(len(every))
        both = sp.hstack([X, probes], format="csr") if sp.issparse(X) else np.hstack([X, probes])
        layout = [every[u] for u in order]
        edges = np.concatenate([[0], np.cumsum([len(unit) for unit in layout])]).astype(np.intp)
        shuffled = both[:, np.concatenate(layout)]
        return cls(
            shuffled if sp.issparse(X) else np.ascontiguousarray(shuffled),
            tuple(np.arange(a, b) for a, b in pairwise(edges)),
            frozenset(int(v) for v in np.flatnonzero(np.isin(origin[order], list(keep)))),
            origin[order],
            source[order],
        )

    def without_probes(self, steps: Sequence[Step]) -> list[Step]:
        """Return the steps as if only the features had moved; steps of probes alone are left out."""
        real = []
        n_left = int((self.origin >= 0).sum())
        for step in steps:
            moves = [
                (int(self.origin[unit]), score)
                for unit, score in zip(step.moved, step.scores, strict=True)
                if self.origin[unit] >= 0
            ]
            if moves:
                moved, scores = (list(part) for part in zip(*moves, strict=True))
                real.append(replace(step, size=n_left, moved=moved, scores=scores))
                n_left -= len(moved)
        return real

    def probes_before(self, steps: Sequence[Step]) -> IntArray:
        """Return how many probes rank before each feature that may leave, best feature first."""
        units = Order.of(steps, len(self.units)).units
        units = units[~np.isin(units, list(self.keep))]
        is_probe = self.origin[units] < 0
        return np.cumsum(is_probe, dtype=np.intp)[~is_probe]


def _shuffled(X: Matrix, edges: IntArray, rng: np.random.Generator) -> Matrix:
    """Shuffle the samples of each block of columns by a permutation of its own."""
    n = X.shape[0]
    if sp.issparse(X):
        columns = X.tocsc(copy=True)
        for a, b in pairwise(edges):
            part = slice(columns.indptr[a], columns.indptr[b])
            columns.indices[part] = rng.permutation(n)[columns.indices[part]]
        columns.has_sorted_indices = False
        return columns.tocsr()
    shuffled = np.empty_like(X, order="F")
    for a, b in pairwise(edges):
        shuffled[rng.permutation(n), a:b] = X[:, a:b]
    return shuffled
