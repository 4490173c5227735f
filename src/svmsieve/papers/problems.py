"""Where the papers' samples come from and how they are split, trial by trial."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from svmsieve.datasets import load
from svmsieve.engine.arrays import FloatArray, IntArray

_POOL = 2**31
"""Key of the draw of a whole pool, beyond any trial."""


class Split(NamedTuple):
    """Samples to select and train with, and samples that only judge."""

    X: FloatArray
    y: Any
    X_test: FloatArray
    y_test: Any


def trial_seed(seed: int, name: str, trial: int) -> np.random.SeedSequence:
    """Return the seed of one trial of one problem: the same whoever runs it, in whatever order."""
    return np.random.SeedSequence([seed, crc32(name.encode()), trial])


class PaperProblem(ABC):
    """A data set and the rule that splits it."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What tells it from others; part of its seed."""

    @abstractmethod
    def split(self, seed: int, trial: int) -> Split:
        """Return the samples of one trial."""

    def rng(self, seed: int, trial: int) -> np.random.Generator:
        """Return the generator of one trial."""
        return np.random.default_rng(trial_seed(seed, self.name, trial))


@lru_cache(maxsize=4)
def _pool(make: Callable[..., Any], n: int, d: int, seed: int) -> tuple[FloatArray, Any]:
    name = f"{make.__name__}, {n} x {d}"
    return make(n, d, random_state=np.random.default_rng(trial_seed(seed, name, _POOL)))


@dataclass(frozen=True)
class Drawn(PaperProblem):
    """A pool of artificial samples, of which each trial draws some to train; others judge.

    Classes are drawn by their shares in the pool.

    Attributes
    ----------
    make : generator of :mod:`svmsieve.datasets`
    n_features, n_train : of each trial
    n_pool : samples generated once
    n_test : samples that judge, of those not drawn; None: all of them
    """

    make: Callable[..., Any]
    n_features: int
    n_train: int
    n_pool: int
    n_test: int | None = None

    @property
    def name(self) -> str:
        """Generator and sizes."""
        return f"{self.make.__name__}, {self.n_train} of {self.n_pool} x {self.n_features}"

    def split(self, seed: int, trial: int) -> Split:
        """Draw the training samples of one trial."""
        X, y = _pool(self.make, self.n_pool, self.n_features, seed)
        rng = self.rng(seed, trial)
        train, rest = _draw(y, self.n_train, rng)
        test = rest if self.n_test is None else rest[: self.n_test]
        return Split(X[train], y[train], X[test], y[test])


@lru_cache(maxsize=4)
def _loaded(name: str) -> Any:
    return load(name)


@dataclass(frozen=True)
class Resampled(PaperProblem):
    """A data set of the catalogue, split at random in each trial.

    Attributes
    ----------
    data : name in the catalogue
    n_train, n_test : sizes of a split; n_test None: all the rest
    original : whether the data set's own splits come first
    drop : training samples of a split that are held back (Shen et al. keep 30 % for Platt's A and B)
    stratified : whether classes are in proportion; the benchmark's own splits are not
    prepare : makes X and y of the data set; None takes them as they are
    """

    data: str
    n_train: int
    n_test: int | None = None
    original: bool = False
    drop: int = 0
    stratified: bool = True
    prepare: Callable[[Any], tuple[FloatArray, Any]] | None = None

    @property
    def name(self) -> str:
        """Data set and sizes."""
        return f"{self.data}, {self.n_train} and {self.n_test}"

    def split(self, seed: int, trial: int) -> Split:
        """Return an original split, or a random one."""
        data = _loaded(self.data)
        X, y = (data.X, data.y) if self.prepare is None else self.prepare(data)
        rng = self.rng(seed, trial)
        if self.original and trial < len(data.splits):
            train, test = data.splits[trial]
        else:
            train, test = self._draw(y, self.n_train, rng)
            test = test if self.n_test is None else test[: self.n_test]
        if self.drop:
            kept, _ = self._draw(y[train], len(train) - self.drop, rng)
            train = train[kept]
        if np.isnan(X).any():
            X = _filled(X, train)
        return Split(X[train], y[train], X[test], y[test])

    def _draw(self, y: Any, n_first: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        return _draw(y, n_first, rng) if self.stratified else _shuffled(len(y), n_first, rng)


def _draw(y: Any, n_first: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Draw n_first samples, classes by their shares, and return the rest too, both in random order."""
    if y.dtype.kind == "f":
        return _shuffled(len(y), n_first, rng)
    return _proportional(y, n_first, rng)


def _shuffled(n: int, n_first: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Draw n_first of n samples, whatever their classes, and return the rest too."""
    order = rng.permutation(n)
    return order[:n_first], order[n_first:]


def _proportional(y: Any, n_first: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Draw n_first samples, each class by its share (the largest remainders round up); return the rest."""
    labels, codes = np.unique(y, return_inverse=True)
    exact = np.bincount(codes) * n_first / len(y)
    counts = np.floor(exact).astype(np.intp)
    counts[np.argsort(counts - exact, kind="stable")[: n_first - counts.sum()]] += 1
    first = np.concatenate(
        [rng.permutation(np.flatnonzero(codes == c))[: counts[c]] for c in range(len(labels))]
    )
    rest = np.setdiff1d(np.arange(len(y)), first)
    return rng.permutation(first), rng.permutation(rest)


def _filled(X: FloatArray, train: IntArray) -> FloatArray:
    """Fill missing values with the mean of the training samples."""
    return np.where(np.isnan(X), np.nanmean(X[train], axis=0), X)


@dataclass(frozen=True)
class GivenParts(PaperProblem):
    """A data set that comes with its own parts; every trial is the same split."""

    data: str
    test: str = "valid"

    @property
    def name(self) -> str:
        """Data set and the part that judges."""
        return f"{self.data}, {self.test} part"

    def split(self, seed: int, trial: int) -> Split:
        """Return the training part and the part that judges."""
        parts = _loaded(self.data).parts
        return Split(*parts["train"], *parts[self.test])
