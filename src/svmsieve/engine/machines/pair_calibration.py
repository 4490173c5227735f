"""Platt's sigmoids of many pairs of classes, their folds' machines trained in one compiled call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.machines.pair_machines import FlatPairs, PairDuals
from svmsieve.engine.machines.platt import Sigmoid, fit_sigmoids, platt_targets


@dataclass(frozen=True)
class PairFolds:
    """The samples of each pair's folds, laid out one machine after another: pair by pair, fold by fold.

    Attributes
    ----------
    problems : the samples of each fold's machine, held-out ones included
    weights : of these samples; zero for those held out
    n_folds : of each pair
    judged, machines, ends : entries of the solutions that are held out, the machines they belong to, and
        where those of one pair end
    targets, counts, offsets : of Platt's fit: what each judged sample should get, how much it counts, and
        where each pair's B starts
    """

    problems: FlatPairs
    weights: FloatArray
    n_folds: list[int]
    judged: IntArray
    machines: IntArray
    ends: IntArray
    targets: FloatArray
    counts: FloatArray
    offsets: FloatArray

    @classmethod
    def of(
        cls,
        pairs: FlatPairs,
        folds: Sequence[Sequence[IntArray]],
        weights: Sequence[Sequence[FloatArray]],
        used: Sequence[IntArray],
        sample_weight: FloatArray | None,
    ) -> PairFolds:
        """Lay out the folds of each pair.

        Parameters
        ----------
        pairs : the samples of each pair
        folds : positions of the held-out samples among those of the pair, of each pair and fold
        weights : of the pair's samples, of each pair and fold
        used : positions of the samples that are judged, in ascending order, of each pair
        sample_weight : of all samples
        """
        n_folds = [len(each) for each in folds]
        problems = pairs.repeated(n_folds)
        judged, machines, targets, counts, offsets = [], [], [], [], []
        first = 0
        for pair, held_out in enumerate(folds):
            own = pairs.entries(pair)
            fold_of = np.zeros(own.stop - own.start, dtype=np.intp)
            for fold, positions in enumerate(held_out):
                fold_of[positions] = first + fold
            positions = used[pair]
            machines.append(fold_of[positions])
            judged.append(problems.ends[machines[-1]] + positions)
            rows, signs = pairs.rows[own][positions], pairs.signs[own][positions]
            counts.append(np.ones(len(rows)) if sample_weight is None else sample_weight[rows])
            target, offset = platt_targets(signs, counts[-1])
            targets.append(target)
            offsets.append(offset)
            first += len(held_out)
        return cls(
            problems,
            np.concatenate([weight for each in weights for weight in each]),
            n_folds,
            np.concatenate(judged),
            np.concatenate(machines),
            np.cumsum([0, *map(len, judged)]),
            np.concatenate(targets),
            np.concatenate(counts),
            np.array(offsets),
        )

    def sigmoids(self, duals: PairDuals) -> tuple[Sigmoid, ...]:
        """Fit the sigmoids to the held-out samples' decision values."""
        decisions = duals.outputs[self.judged] + duals.intercepts[self.machines]
        return fit_sigmoids(decisions, self.targets, self.counts, self.ends, self.offsets)
