"""Groups of samples (patients, batches) in row chunks: their labels become numbers, as of rows in memory.

A worker knows a label of its own rows by a hash of it.  One pass lists the groups: where each begins and how
many rows of each class it has; in the order in which they begin they are numbered, and dealt to folds here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.scale.chunks import Chunk, Chunks, Function, SeenThrough
from svmsieve.scale.losses import Losses

MOST_GROUPS = 100_000
"""Groups that are listed, at most: the list goes to all workers in every pass."""
_WHOLE = 2.0**53
"""Whole numbers below this are the same as floating-point numbers."""


def hashed_groups(labels: Any, start: int) -> IntArray:
    """Return a number of 63 bits for each label: the same for the same label in all chunks.

    A whole number is the same label whether a chunk holds it as an integer or not.

    >>> hashed_groups([1, 2], 0).tolist() == hashed_groups([1.0, 2.0], 7).tolist()
    True
    """
    from pandas import isna
    from pandas.util import hash_array

    values = np.asarray(labels)
    missing = isna(values)
    if missing.any():
        row = start + int(np.flatnonzero(missing)[0])
        raise ValueError(f"groups of samples have a missing value in row {row}; name its group.")
    if values.dtype.kind in "biu":
        found = hash_array(values.astype(np.int64))
    elif values.dtype.kind == "f":
        numbers = values.astype(np.float64)
        whole = (np.abs(numbers) < _WHOLE) & (numbers == np.round(numbers))
        integers = np.where(whole, numbers, 0.0).astype(np.int64)
        found = np.where(whole, hash_array(integers), hash_array(numbers))
    else:
        texts = np.array([str(label) for label in values.tolist()], dtype=object)
        found = hash_array(texts, categorize=False)
    return (found >> np.uint64(1)).astype(np.int64)


@dataclass(frozen=True)
class SampleGroups:
    """The groups of some rows, mergeable with those of other rows.

    Attributes
    ----------
    hashes : of their labels, ascending
    first : number of the first row of each
    counts : rows of each class (of numbers: of all) in each group
    """

    hashes: IntArray
    first: IntArray
    counts: FloatArray

    @classmethod
    def of(cls, chunk: Chunk, classes: Any) -> SampleGroups:
        """List the groups of one chunk; ``classes`` of all rows, None for numbers."""
        hashes, first, groups = np.unique(
            np.asarray(chunk.groups), return_index=True, return_inverse=True
        )
        codes = np.zeros(len(groups), dtype=np.intp)
        if classes is not None:
            codes = Losses(1.0, classes).codes(chunk.y)
        counts = np.zeros((len(hashes), 1 if classes is None else len(classes)))
        np.add.at(counts, (groups, codes), 1.0)
        return cls(hashes, chunk.rows[first], counts)._checked()

    def __add__(self, other: SampleGroups) -> SampleGroups:
        """Return the groups of both parts, this one's rows being before the other's."""
        hashes, first, groups = np.unique(
            np.concatenate([self.hashes, other.hashes]), return_index=True, return_inverse=True
        )
        counts = np.zeros((len(hashes), self.counts.shape[1]))
        np.add.at(counts, groups, np.concatenate([self.counts, other.counts]))
        begin = np.concatenate([self.first, other.first])[first]
        return SampleGroups(hashes, begin, counts)._checked()

    def _checked(self) -> SampleGroups:
        if len(self) > MOST_GROUPS:
            raise ValueError(
                f"groups of samples are more than {MOST_GROUPS:_}, which is as many as are listed; join "
                "some, for instance by their number modulo 10_000: joined groups stay whole too."
            )
        return self

    def __len__(self) -> int:
        return len(self.hashes)

    def in_order(self) -> FloatArray:
        """Return the counts of the groups in the order in which they begin."""
        counts: FloatArray = self.counts[np.argsort(self.first)]
        return counts

    def numbers(self, hashes: IntArray) -> IntArray:
        """Return the number of each group that is known by its hash, in the order in which they begin."""
        ranks = np.empty(len(self), dtype=np.intp)
        ranks[np.argsort(self.first)] = np.arange(len(self))
        found: IntArray = ranks[np.searchsorted(self.hashes, hashes)]
        return found


def list_groups(chunks: Chunks, classes: Any) -> SampleGroups:
    """List the groups of all rows, in one pass."""
    found: SampleGroups = chunks.total(SampleGroups.of, classes)
    if len(found) < 2:
        raise ValueError("groups of samples must be at least two; all samples are in one.")
    return found


@dataclass(frozen=True)
class NumberedGroups(SeenThrough):
    """Row chunks whose groups are numbered, in the order in which they begin."""

    chunks: Chunks
    groups: SampleGroups

    def through(self) -> tuple[Any, ...]:
        """Number the groups, which are known by their hashes."""
        return _numbered, self.groups

    def number(self, chunk: Chunk) -> Chunk:
        """Return a chunk whose groups are known by their hashes, numbered."""
        return chunk._replace(groups=self.groups.numbers(np.asarray(chunk.groups)))


def _numbered(chunk: Chunk, groups: SampleGroups, function: Function, *broadcast: Any) -> Any:
    numbers = groups.numbers(np.asarray(chunk.groups))
    return function(chunk._replace(groups=numbers), *broadcast)
