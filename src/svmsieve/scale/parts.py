"""Parts of the rows: which rows a search is trained on, and which judge it, without moving any.

Whether a row belongs to a part follows from its number in the whole data set and a seed, so that every
worker knows it of its own rows, however they are cut.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from svmsieve.engine.arrays import BoolArray, FloatArray, IntArray
from svmsieve.scale.chunks import Chunk, Chunks, Function, SeenThrough


class Part(ABC):
    """Says which rows it holds."""

    @property
    @abstractmethod
    def share(self) -> float:
        """Share of all rows that are in it, about."""

    @property
    def density(self) -> float:
        """The same, of a part that stands for a larger one its own share."""
        return self.share

    @abstractmethod
    def holds(self, numbers: IntArray, groups: IntArray | None = None) -> BoolArray:
        """Return which rows, by their ascending numbers and their groups, are in it."""


def row_draws(key: tuple[int, ...], numbers: IntArray) -> FloatArray:
    """Return a random number in [0, 1) for each row, which depends on the key and the row's number alone."""
    first, last = int(numbers[0]), int(numbers[-1])
    draws = _draws(key, first, last + 1)
    return draws if len(numbers) == len(draws) else draws[numbers - first]


def _draws(key: tuple[int, ...], start: int, stop: int) -> FloatArray:
    bits = np.random.PCG64(np.random.SeedSequence(key))
    bits.advance(start)  # one draw for each row before
    return np.random.Generator(bits).random(stop - start)


@lru_cache(maxsize=16)
def _folds_of_blocks(key: tuple[int, ...], n_folds: int, first: int, stop: int) -> IntArray:
    """Return the folds of the rows of some blocks, each of which has one row of every fold."""
    draws = _draws(key, first * n_folds, stop * n_folds).reshape(-1, n_folds)
    return draws.argsort(axis=1).ravel().astype(np.int16)


_FOLDS, _THINNED = 0xF01D, 0x7A1A
"""Keep the draws apart from all others of a seed."""


@dataclass(frozen=True)
class FoldRows(Part):
    """The rows of one fold, or of all others.

    Of each ``n_folds`` consecutive rows every fold gets one, in random order: folds are of the same size,
    and of the same mixture where the rows are sorted.
    """

    number: int
    n_folds: int
    key: tuple[int, ...]
    others: bool = False
    """Whether it holds the rows of all other folds."""

    @property
    def share(self) -> float:
        """Share of all rows."""
        return (self.n_folds - 1 if self.others else 1) / self.n_folds

    def holds(self, numbers: IntArray, groups: IntArray | None = None) -> BoolArray:
        """Return which rows are in it."""
        n = self.n_folds
        first, stop = int(numbers[0]) // n, int(numbers[-1]) // n + 1
        folds = _folds_of_blocks((_FOLDS, *self.key), n, first, stop)[numbers - first * n]
        return (folds == self.number) != self.others


def _digest(numbers: IntArray) -> str:
    return hashlib.sha256(numbers.astype(np.int64).tobytes()).hexdigest()[:16]


@dataclass(frozen=True)
class ListedRows(Part):
    """Rows that are listed by their numbers, ascending."""

    rows: IntArray
    n_rows: int
    """Of the whole data set."""

    @property
    def share(self) -> float:
        """Share of all rows."""
        return len(self.rows) / self.n_rows

    def __repr__(self) -> str:
        return f"ListedRows({len(self.rows)} of {self.n_rows}, {_digest(self.rows)})"

    def holds(self, numbers: IntArray, groups: IntArray | None = None) -> BoolArray:
        """Return which rows are in it."""
        places = np.searchsorted(self.rows, numbers)
        places[places == len(self.rows)] = 0
        return self.rows[places] == numbers


@dataclass(frozen=True)
class GroupRows(Part):
    """The rows whose groups were dealt to one fold, or to all others.

    Attributes
    ----------
    number : of the fold
    folds : the fold of each group
    dealt : share of all rows whose groups were dealt to the fold
    others : whether it holds the rows of all other folds
    """

    number: int
    folds: IntArray
    dealt: float
    others: bool = False

    @property
    def share(self) -> float:
        """Share of all rows."""
        return 1.0 - self.dealt if self.others else self.dealt

    def __repr__(self) -> str:
        digest = _digest(self.folds)
        return f"GroupRows({self.number}, {len(self.folds)} groups, {digest}, {self.others})"

    def holds(self, numbers: IntArray, groups: IntArray | None = None) -> BoolArray:
        """Return which rows are in it."""
        return (self.folds[groups] == self.number) != self.others


@dataclass(frozen=True)
class Thinned(Part):
    """Rows of a part, each with the same probability."""

    part: Part
    probability: float
    key: tuple[int, ...]

    @property
    def share(self) -> float:
        """Share of all rows that the part has before it is thinned: folds overlap as they would."""
        return self.part.share

    @property
    def density(self) -> float:
        """Share of all rows that are in it."""
        return self.part.density * self.probability

    def holds(self, numbers: IntArray, groups: IntArray | None = None) -> BoolArray:
        """Return which rows are in it."""
        kept = row_draws((_THINNED, *self.key), numbers) < self.probability
        some = np.flatnonzero(kept)
        if len(some):
            own = None if groups is None else groups[some]
            kept[some] = self.part.holds(numbers[some], own)
        return kept


RowFold: TypeAlias = tuple[Part, Part]
"""Rows for training and held-out rows."""


def folds_of_rows(n_folds: int, key: tuple[int, ...]) -> list[RowFold]:
    """Return folds of the rows by their numbers and a key."""
    return [
        (FoldRows(fold, n_folds, key, others=True), FoldRows(fold, n_folds, key))
        for fold in range(n_folds)
    ]


def folds_of_groups(folds: IntArray, sizes: FloatArray) -> list[RowFold]:
    """Return folds of whole groups: the fold that each was dealt to, and how many rows each has."""
    dealt = np.bincount(folds, sizes) / sizes.sum()
    return [
        (GroupRows(fold, folds, share, others=True), GroupRows(fold, folds, share))
        for fold, share in enumerate(dealt.tolist())
    ]


def without_thinning(part: Part) -> Part:
    """Return the part that some rows of which were drawn."""
    return part.part if isinstance(part, Thinned) else part


def thinned(part: Part, n_rows: int, most: int, key: tuple[int, ...]) -> Part:
    """Return a part, or about ``most`` of its rows where it has more."""
    wanted = most / max(part.share * n_rows, 1.0)
    return part if wanted >= 1.0 else Thinned(part, wanted, key)


@dataclass(frozen=True)
class PartChunks(SeenThrough):
    """Row chunks restricted to a part of their rows, which keep their numbers; none without weight."""

    chunks: Chunks
    part: Part

    def through(self) -> tuple[Any, ...]:
        """Leave out the rows that are not in the part."""
        return _of_part, self.part

    @property
    def density(self) -> float:
        """Share of the row numbers that are in the part."""
        return self.chunks.density * self.part.density


def _of_part(chunk: Chunk, part: Part, function: Function, *broadcast: Any) -> Any:
    held = part.holds(chunk.rows, chunk.groups)
    if chunk.weight is not None:
        held &= (
            chunk.weight > 0.0
        )  # a class may have no weight in a part: it is as if it were not there
    if held.all():
        return function(chunk, *broadcast)
    here = np.flatnonzero(held)
    return function(chunk.at(here), *broadcast) if len(here) else None
