"""Probes: permuted copies of features, ranked along with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from svmsieve.engine.arrays import IntArray, Matrix
from svmsieve.search.contract import Step
from svmsieve.search.order import Order

_STREAM = 0x9B0BE5
"""Keeps the permutations apart from all other random numbers of a seed."""
_PARTS = 5
"""Turns in which each feature gets one probe."""


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
        """Make ``n_copies`` probes of each unit that may leave."""
        sources = _tested(units, keep).tolist() * n_copies
        return cls._made(X, units, keep, sources, np.random.default_rng([seed, _STREAM]))

    @classmethod
    def in_turn(
        cls,
        X: Matrix,
        units: tuple[IntArray, ...],
        keep: frozenset[int],
        seed: int,
        turn: int,
    ) -> Probed:
        """Make the probes of one turn: of a fifth of the units that may leave, drawn at random.

        Five turns make one probe of each.
        """
        tested = _tested(units, keep)
        parts = n_turns(len(tested), 1)
        copy, part = divmod(turn, parts)
        drawn = np.random.default_rng([seed, _STREAM, 0, copy]).permutation(tested)
        rng = np.random.default_rng([seed, _STREAM, 1, turn])
        return cls._made(X, units, keep, drawn[part::parts].tolist(), rng)

    @classmethod
    def _made(
        cls,
        X: Matrix,
        units: tuple[IntArray, ...],
        keep: frozenset[int],
        sources: list[int],
        rng: np.random.Generator,
    ) -> Probed:
        """Make a probe of each of the sources.

        The columns of a unit are shuffled together, different units and copies by different
        permutations: a probe keeps its feature's distribution and is independent of everything else.
        The order of the units is drawn first, so that it does not depend on the samples.
        """
        columns = np.concatenate([units[u] for u in sources] or [np.empty(0, np.intp)])
        sizes = [len(units[u]) for u in sources]
        order = rng.permutation(len(units) + len(sizes))
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
        source = np.array([*range(len(units)), *sources], dtype=np.intp)
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

    def probes_before(self, steps: Sequence[Step]) -> IntArray:
        """Return how many probes rank before each feature that may leave, best feature first."""
        units = Order.of(steps, len(self.units)).units
        units = units[~np.isin(units, list(self.keep))]
        is_probe = self.origin[units] < 0
        return np.cumsum(is_probe, dtype=np.intp)[~is_probe]


def n_turns(n_tested: int, n_copies: int) -> int:
    """Return the number of turns in which that many units get that many probes each.

    A fifth of them at a time: more would leave the features less of the machine.
    """
    return n_copies * min(_PARTS, n_tested)


def _tested(units: tuple[IntArray, ...], keep: frozenset[int]) -> IntArray:
    """The units that may leave."""
    return np.array([u for u in range(len(units)) if u not in keep], dtype=np.intp)


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
