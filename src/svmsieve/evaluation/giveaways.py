"""Features that give the target away: one alone predicts it almost perfectly, or is a function of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.stats import binom, rankdata

from svmsieve.engine.arrays import BoolArray, FloatArray, IntArray

ALMOST = 0.98
"""Share of the rows (of each class alike), or of the ranks' variance, that is almost all."""
_MOST_ROWS = 1000
_FEWEST_ROWS = 10
_BLOCK = 512
_SMALL_STEPS = 0.5
_FEWEST_OF_A_LEVEL = 3
_CHANCE = 1e-3
"""How likely any column of noise may do as well."""


@dataclass(frozen=True)
class GiveAway:
    """A feature that gives the target away.

    Attributes
    ----------
    name : of the feature
    share : of the rows it predicts, each class counting alike; of numbers R² of the ranks
    how : in words
    """

    name: str
    share: float
    how: str


def giveaways(
    X: Any, y: Any, units: Sequence[IntArray], names: Sequence[str], *, regression: bool
) -> list[GiveAway]:
    """Return the features that give the target away, best first.

    For each feature every row is predicted by the other rows with the same value (a missing value is one
    too), or, where there are none, by those with the nearest.  Classes: the largest class among them, and
    the share that is right, each class counting alike, must be at least 98 %, and so high that none of as
    many columns of noise would reach it by chance (at most 1 in 1000).  Numbers: the mean of their ranks,
    R² at least 0.98, whichever of the two is predicted by the other.  At most 1000 rows, drawn at random,
    are looked at.  Cost O(d n log n).

    Parameters
    ----------
    X : data frame, array or sparse matrix
    y : class labels or numbers
    units : columns of each feature
    names : of the features
    regression : whether y are numbers
    """
    X = X.tocsr() if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    y = np.asarray(y)
    if len(y) > _MOST_ROWS:
        drawn = np.random.default_rng(0).choice(len(y), _MOST_ROWS, replace=False)
        X, y = X[drawn], y[drawn]
    if len(y) < _FEWEST_ROWS:
        return []
    judge = _Numbers(y) if regression else _Classes(y, len(units))
    X = X.tocsc() if sp.issparse(X) else X
    likely = judge.likely(X)
    found = []
    for unit, name in zip(units, names, strict=True):
        if len(unit) == 1 and not likely[unit[0]]:
            continue
        levels, ordered = _levels(X, unit)
        if levels.max() > 0:
            told = judge(levels, ordered)
            if told is not None:
                found.append(GiveAway(name, *told))
    return sorted(found, key=lambda each: -each.share)


def _levels(X: Any, unit: IntArray) -> tuple[IntArray, FloatArray | None]:
    """Return the level of each row, and the levels' values; None where they have no order."""
    columns = X[:, unit].toarray() if sp.issparse(X) else X[:, unit]
    if columns.shape[1] == 1:
        values, levels = np.unique(columns[:, 0], return_inverse=True)
        return levels, values
    return np.unique(columns, axis=0, return_inverse=True)[1].reshape(-1), None


def _orders(X: Any, rows: IntArray) -> Iterator[IntArray]:
    """Give the places of the rows in the order of each column, of equal values the first, by blocks."""
    for start in range(0, X.shape[1], _BLOCK):
        block = X[:, start : start + _BLOCK]
        block = block.toarray() if sp.issparse(block) else block
        yield np.argsort(block[rows], axis=0, kind="stable")


def _nearest(values: FloatArray) -> IntArray:
    """Return the level next to each, by its value; a missing one, the last, is far from all."""
    with np.errstate(invalid="ignore"):
        gaps = np.diff(values)
    gaps = np.concatenate([[np.inf], np.where(np.isfinite(gaps), gaps, np.inf), [np.inf]])
    places = np.arange(len(values))
    return np.where(gaps[:-1] <= gaps[1:], places - 1, places + 1).clip(0, len(values) - 1)


class _Classes:
    """Judges by how many rows of each class are predicted right."""

    def __init__(self, y: Any, n_features: int) -> None:
        self.codes = np.unique(y, return_inverse=True)[1]
        self.counts = np.bincount(self.codes)
        self.chance = _CHANCE / n_features

    def __call__(self, levels: IntArray, ordered: FloatArray | None) -> tuple[float, str] | None:
        k, rows = len(self.counts), np.arange(len(levels))
        n_levels = int(levels.max()) + 1
        table = np.bincount(levels * k + self.codes, minlength=n_levels * k).reshape(n_levels, k)
        others = table[levels]
        others[rows, self.codes] -= 1
        lone = others.sum(axis=1) == 0
        if lone.any() and ordered is not None:
            others[lone] = table[_nearest(ordered)[levels[lone]]]
        own = others[rows, self.codes]
        others[rows, self.codes] = -1
        right = np.bincount(self.codes[own > others.max(axis=1)], minlength=k)
        share = float(np.mean(right / self.counts))
        if share >= ALMOST and self._by_chance(right) <= self.chance:
            return share, f"alone predicts the target ({100.0 * share:.1f} % right)"
        if ordered is not None and self._is_function(table):
            return 1.0, "is the same for all rows of a class, and not for all classes"
        return None

    def likely(self, X: Any) -> BoolArray:
        """Return which columns may do: nearly all rows have one of their class next to them.

        In the order of the column, equal values by class; what fails this cannot be predicted.  Many columns
        at a time, for of many thousand columns nearly all fail.
        """
        by_class = np.argsort(self.codes, kind="stable")
        codes = self.codes[by_class]
        likely = []
        for order in _orders(X, by_class):
            sorted_codes = codes[order]
            same = sorted_codes[1:] == sorted_codes[:-1]
            none = np.zeros((1, order.shape[1]), dtype=np.bool_)
            near = np.vstack([none, same]) | np.vstack([same, none])
            shares = [
                (near & (sorted_codes == k)).sum(axis=0) / n for k, n in enumerate(self.counts)
            ]
            likely.append(np.mean(shares, axis=0) >= ALMOST)
        return np.concatenate(likely)

    def _by_chance(self, right: IntArray) -> float:
        """How likely as many of each class are right where rows are predicted by the classes' shares."""
        shares = self.counts / self.counts.sum()
        return float(np.prod(binom.sf(right - 1, self.counts, shares)))

    def _is_function(self, table: IntArray) -> bool:
        """Whether each class has one level only, and not by chance: each level has rows enough."""
        one_level = bool(((table > 0).sum(axis=0) == 1).all())
        return one_level and int(self.counts.min()) >= _FEWEST_OF_A_LEVEL


class _Numbers:
    """Judges by the ranks of the target, or of the feature."""

    def __init__(self, y: Any) -> None:
        values, self.levels = np.unique(np.asarray(y, dtype=np.float64), return_inverse=True)
        self.n_levels = len(values)
        self.ranks = rankdata(y)

    def __call__(self, levels: IntArray, ordered: FloatArray | None) -> tuple[float, str] | None:
        share = _explained(levels, self.ranks, neighbours=ordered is not None)
        if share >= ALMOST:
            return share, f"alone predicts the target (R² of the ranks {share:.3f})"
        if ordered is None:
            return None
        share = _explained(self.levels, rankdata(levels), neighbours=True)
        if share >= ALMOST or self._in_steps(levels):
            return max(share, ALMOST), "is a function of the target"
        return None

    def likely(self, X: Any) -> BoolArray:
        """Return which columns may do: in the order of one the ranks of the other go in small steps.

        Σ (steps)² / Σ (r − r̄)² is 2 in expectation where one says nothing of the other (von Neumann 1941).
        """
        by_target = np.argsort(self.ranks, kind="stable")
        n, likely = len(by_target), []
        for order in _orders(X, by_target):
            ranks = np.argsort(order, axis=0)
            steps = [np.sum(np.diff(each, axis=0) ** 2, axis=0) for each in (order, ranks)]
            likely.append(np.min(steps, axis=0) <= _SMALL_STEPS * n * (n**2 - 1) / 12.0)
        return np.concatenate(likely)

    def _in_steps(self, levels: IntArray) -> bool:
        """Whether the feature has few levels, many rows in each, that split the sorted target."""
        if self.n_levels < len(levels) // 2 or np.bincount(levels).min() < _FEWEST_OF_A_LEVEL:
            return False
        changes = int(np.sum(np.diff(levels[np.argsort(self.levels, kind="stable")]) != 0))
        return changes == int(levels.max())


def _explained(levels: IntArray, ranks: FloatArray, *, neighbours: bool) -> float:
    """Return the share of the ranks' variance that the other rows of a level, or the next ones, explain."""
    counts = np.bincount(levels)
    sums = np.bincount(levels, weights=ranks)
    others = counts[levels] - 1
    predicted = np.full(len(ranks), ranks.mean())
    several = others > 0
    predicted[several] = (sums[levels] - ranks)[several] / others[several]
    if neighbours and len(counts) > 1:
        means = sums / counts
        before = np.concatenate([means[1:2], means[:-1]])
        after = np.concatenate([means[1:], means[-2:-1]])
        predicted[~several] = (0.5 * (before + after))[levels[~several]]
    spread = float(np.sum((ranks - ranks.mean()) ** 2))
    return 1.0 - float(np.sum((ranks - predicted) ** 2)) / spread if spread > 0.0 else 0.0
