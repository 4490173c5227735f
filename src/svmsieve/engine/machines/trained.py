"""Machines trained on an :class:`~svmsieve.engine.kernels.gram.ActiveGram`, again and again."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.kernels.gram import ActiveGram
from svmsieve.engine.machines.expansion import Expansion
from svmsieve.engine.machines.folds import (
    held_out_decisions,
    inner_folds,
    stratified_folds,
    train_without_folds,
)
from svmsieve.engine.machines.machine import Dual, Machine
from svmsieve.engine.machines.pair_calibration import PairFolds
from svmsieve.engine.machines.pair_machines import PairDuals, train_pairs
from svmsieve.engine.machines.platt import Sigmoid, fit_sigmoid
from svmsieve.engine.machines.target import Classes, Target
from svmsieve.engine.machines.weights import _bounds, bounds_of_pairs, sample_weights
from svmsieve.runtime.threads import n_threads


@dataclass(frozen=True)
class PairMachine:
    """One of the trained machines: its samples, their labels ±1 (or targets), its solution."""

    rows: IntArray
    y: FloatArray
    bounds: FloatArray
    dual: Dual

    @cached_property
    def centers(self) -> IntArray:
        """The support vectors as indices of samples; one sample where there are none."""
        support = self.rows[self.dual.support]
        return support if len(support) else self.rows[:1]

    @cached_property
    def coef(self) -> FloatArray:
        """The expansion's coefficients, of the same length as ``centers``."""
        return self.dual.coef[self.dual.support] if len(self.dual.support) else np.zeros(1)


class PairParts(Sequence[PairMachine]):
    """The trained machines of many pairs of classes, each a :class:`PairMachine` where it is asked for."""

    def __init__(self, duals: PairDuals) -> None:
        self.duals = duals
        self._known: dict[int, PairMachine] = {}

    def __len__(self) -> int:
        return len(self.duals.pairs)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        if number not in self._known:
            pairs, own = self.duals.pairs, self.duals.pairs.entries(number)
            dual = self.duals.dual(number)
            self._known[number] = PairMachine(pairs.rows[own], pairs.signs[own], dual.bounds, dual)
        return self._known[number]


@dataclass(frozen=True)
class Trained:
    """Machines, one for each pair of classes or the one of a regression, and their data."""

    machine: Machine
    gram: ActiveGram
    target: Target
    parts: Sequence[PairMachine]
    sample_weight: FloatArray | None = None
    held_out: IntArray | None = None

    def is_of(self, machine: Machine, sample_weight: FloatArray | None) -> bool:
        """Whether all samples have the bounds that this very machine and these weights give them."""
        return (
            self.machine is machine
            and self.sample_weight is sample_weight
            and self.held_out is None
        )

    @cached_property
    def expansions(self) -> tuple[Expansion, ...]:
        """The machines as kernel expansions over the active features.

        Where all samples are support vectors, the centres are the samples, not a copy of them.  The
        coefficients of equal centres are added up at the first of them.
        """
        kernel, samples = self.gram.kernel, self.gram.samples
        return tuple(
            Expansion(
                kernel,
                samples if len(part.centers) == samples.shape[0] else samples[part.centers],
                self.gram.net(part.coef, part.centers),
                part.dual.intercept,
            )
            for part in self.parts
        )

    @cached_property
    def coefficients(self) -> sp.csr_matrix:
        """The coefficients of all samples, machines × samples, added up over equal samples."""
        equals, n = self.gram.equals, len(self.target)
        if isinstance(self.parts, PairParts):
            return self.parts.duals.coefficients(n, equals)
        centers = [part.centers for part in self.parts]
        rows = np.concatenate(centers)
        rows = rows if equals is None else equals[rows]
        values = np.concatenate([part.coef for part in self.parts])
        ends = np.cumsum([0, *map(len, centers)])
        matrix = sp.csr_matrix((values, rows, ends), shape=(len(centers), n))
        matrix.sum_duplicates()
        return matrix

    @cached_property
    def intercepts(self) -> FloatArray:
        """The intercept of each machine."""
        if isinstance(self.parts, PairParts):
            return self.parts.duals.intercepts
        return np.array([part.dual.intercept for part in self.parts])

    @property
    def converged(self) -> bool:
        """Whether every machine reached its optimum."""
        return all(part.dual.converged for part in self.parts)

    def matrix_of(self, part: PairMachine) -> FloatArray:
        """The kernel matrix of one machine's samples."""
        return _submatrix(self.gram.matrix, part.rows)

    def folds(self, cv: int, seed: int) -> list[IntArray]:
        """Return held-out samples: stratified by class, or the shuffled folds of a regression.

        Samples without weight are in none; groups of samples stay whole where they can.
        """
        used = np.arange(len(self.target))
        if self.sample_weight is not None:
            used = np.flatnonzero(self.sample_weight > 0.0)
        n = len(used)
        if self.target.groups is not None:
            labels = self.target.codes[used] if isinstance(self.target, Classes) else None
            folds = inner_folds(self.target.groups[used], cv, seed, labels)
            if folds is not None:
                return [used[fold] for fold in folds]
        if isinstance(self.target, Classes):
            return [used[fold] for fold in stratified_folds(self.target.codes[used], cv, seed)]
        if n < cv:
            raise ValueError(f"cv={cv} folds need at least {cv} samples, got {n}.")
        order = np.random.default_rng(seed).permutation(n)
        return [used[np.sort(part)] for part in np.array_split(order, cv)]

    def without_folds(self, folds: Sequence[IntArray]) -> list[Trained]:
        """Train the machines again without each fold, from this solution, in threads."""

        def without(held_out: IntArray) -> Trained:
            return train(
                self.machine,
                self.gram,
                self.target,
                sample_weight=self.sample_weight,
                held_out=held_out,
                start=self,
            )

        with ThreadPoolExecutor(n_threads()) as pool:
            return list(pool.map(without, folds))

    def calibrate(self, cv: int = 5, seed: int = 0) -> tuple[Sigmoid, ...]:
        """Fit Platt's sigmoid of each pair to decision values of machines that had not seen them.

        Classes are weighed by the samples of each fold's training; the kernel matrix, and with it scale and
        γ, is that of the machine, as in LIBSVM.  A class with fewer than ``cv`` samples lowers the number of
        folds to its size.  Groups of samples stay whole, in fewer folds where needed; where they cannot, a
        warning says so.
        """
        return self.calibration(cv, seed).sigmoids

    def calibration(
        self, cv: int = 5, seed: int = 0, last: Calibration | None = None
    ) -> Calibration:
        """Calibrate and keep the folds' machines, where the next calibration (``last``) starts.

        The last one must be of the same samples and folds; without it the folds start from here.
        """
        if isinstance(self.parts, PairParts):
            return self._calibration_of_pairs(self.parts.duals, cv, seed, last)
        sigmoids, machines = [], []
        for index, part in enumerate(self.parts):
            used, folds = self._calibration_folds(part, cv, seed)
            starts = [part.dual] * len(folds) if last is None else last.machines[index]
            bounds = [self.machine.C * self._weights_without(part, fold) for fold in folds]
            duals = train_without_folds(self.machine, self.matrix_of(part), part.y, bounds, starts)
            decisions = held_out_decisions(duals, folds, len(part.y))[used]
            weight = None if self.sample_weight is None else self.sample_weight[part.rows[used]]
            sigmoids.append(fit_sigmoid(decisions, part.y[used], weight))
            machines.append(duals)
        return Calibration(tuple(sigmoids), machines)

    def _calibration_of_pairs(
        self, duals: PairDuals, cv: int, seed: int, last: Calibration | None
    ) -> Calibration:
        """Calibrate many small machines at once."""
        layout = None if last is None else last.layout
        if layout is None:
            made = [self._calibration_folds(part, cv, seed) for part in self.parts]
            layout = PairFolds.of(
                duals.pairs,
                [folds for _, folds in made],
                [
                    [self._weights_without(part, fold) for fold in folds]
                    for part, (_, folds) in zip(self.parts, made, strict=True)
                ],
                [used for used, _ in made],
                self.sample_weight,
            )
        start = duals.repeated(layout.n_folds) if last is None else last.machines
        machines = train_pairs(
            self.machine,
            self.gram.matrix,
            layout.problems,
            self.machine.C * layout.weights,
            start,
        )
        return Calibration(layout.sigmoids(machines), machines, layout)

    def _calibration_folds(
        self, part: PairMachine, cv: int, seed: int
    ) -> tuple[IntArray, Sequence[IntArray]]:
        """Return the samples of a machine that have weight, and its folds of them."""
        used = np.flatnonzero(part.bounds > 0.0)  # the others are as if they were not there
        positive = part.y[used] > 0
        smallest = int(min(positive.sum(), (~positive).sum()))
        if smallest < 2:
            raise ValueError(
                "probabilities need at least two samples of each class; the smallest class "
                f"has {smallest}."
            )
        labels, groups = positive.astype(np.intp), self.target.groups
        folds = None
        if groups is not None:
            folds = inner_folds(groups[part.rows[used]], min(cv, smallest), seed, labels)
        if folds is None:
            folds = stratified_folds(labels, min(cv, smallest), seed)
        return used, [used[held_out] for held_out in folds]

    @cached_property
    def _weights(self) -> FloatArray:
        return sample_weights(self.machine, self.target, self.sample_weight, self.held_out)

    def _weights_without(self, part: PairMachine, held_out: IntArray) -> FloatArray:
        """Return the weights of a machine's samples, classes weighed without some more held out."""
        if self.machine.class_weight != "balanced":  # who is held out changes no one else's weight
            own = self._weights[part.rows]
            own[held_out] = 0.0
            return own
        outside = part.rows[held_out]
        if self.held_out is not None:
            outside = np.union1d(outside, self.held_out)
        weights = sample_weights(self.machine, self.target, self.sample_weight, outside)
        return weights[part.rows]


class Calibration(NamedTuple):
    """Platt's sigmoids of all pairs and the machines of the folds they were fitted with."""

    sigmoids: tuple[Sigmoid, ...]
    machines: Any
    """A list for each pair, or the :class:`PairDuals` of all."""
    layout: PairFolds | None = None
    """Where those of many pairs are, with the weights of their samples."""


def train(
    machine: Machine,
    gram: ActiveGram,
    target: Target,
    *,
    sample_weight: FloatArray | None = None,
    held_out: IntArray | None = None,
    start: Trained | None = None,
) -> Trained:
    """Train one machine for each pair of classes, or the one of a regression.

    ``held_out`` samples take no part.  ``start`` holds machines of the same target on a similar
    problem (other features, other parameters), whose solutions are the first guess.
    """
    if isinstance(target, Classes) and machine.loss == "hinge" and target.flat_pairs.are_few_each:
        parts_of_pairs = _train_pairs(machine, gram, target, sample_weight, held_out, start)
        return Trained(machine, gram, target, parts_of_pairs, sample_weight, held_out)
    if held_out is None and start is not None and start.is_of(machine, sample_weight):
        bounds = [part.bounds for part in start.parts]
    else:
        bounds = bounds_of_pairs(machine, target, sample_weight, held_out)
    parts = []
    for index, (rows, y) in enumerate(target.pairs):
        warm = None if start is None else start.parts[index].dual
        K = _submatrix(gram.matrix, rows)
        parts.append(PairMachine(rows, y, bounds[index], machine.solve(K, y, bounds[index], warm)))
    return Trained(machine, gram, target, tuple(parts), sample_weight, held_out)


def _train_pairs(
    machine: Machine,
    gram: ActiveGram,
    target: Classes,
    sample_weight: FloatArray | None,
    held_out: IntArray | None,
    start: Trained | None,
) -> PairParts:
    """Train the machines of several pairs of few samples each at once."""
    pairs = target.flat_pairs
    bounds = _bounds(machine, target, sample_weight, held_out)[pairs.rows]
    known = None if start is None else start.parts
    assert known is None or isinstance(known, PairParts)
    known_duals = None if known is None else known.duals
    return PairParts(train_pairs(machine, gram.matrix, pairs, bounds, known_duals))


def _submatrix(K: FloatArray, rows: IntArray) -> FloatArray:
    return K if len(rows) == len(K) else K[np.ix_(rows, rows)]
