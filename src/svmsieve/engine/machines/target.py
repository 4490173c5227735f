"""What a machine learns: class labels, or numbers and their scale; checked once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray, check_vector
from svmsieve.engine.machines.fit import encode_classes
from svmsieve.engine.machines.pair_machines import FlatPairs


@dataclass(frozen=True)
class Classes:
    """A classification target: sorted classes and each sample's index into them."""

    classes: Any
    codes: IntArray
    groups: IntArray | None = None
    """Number of the group that each sample belongs to: one patient, one batch; folds keep them whole."""

    @classmethod
    def of(cls, y: Any) -> Classes:
        """Encode labels of any kind."""
        return cls(*encode_classes(y, len(y)))

    @property
    def labels(self) -> Any:
        """The class of each sample, as scikit-learn takes it."""
        return self.classes[self.codes]

    @property
    def task(self) -> str:
        """``"binary"`` or ``"multiclass"``."""
        return "binary" if len(self.classes) == 2 else "multiclass"

    @cached_property
    def pairs(self) -> list[tuple[IntArray, FloatArray]]:
        """Samples and labels ±1 of each pair of classes, in one-against-one order."""
        flat = self.flat_pairs
        return [(flat.rows[own], flat.signs[own]) for own in map(flat.entries, range(len(flat)))]

    @cached_property
    def flat_pairs(self) -> FlatPairs:
        """The same as :attr:`pairs`, one pair after another in the same arrays."""
        return FlatPairs.of_codes(self.codes, len(self.classes))

    def take(self, rows: IntArray) -> Classes:
        """Return the target of some samples, with the classes that are among them."""
        groups = None if self.groups is None else self.groups[rows]
        return replace(Classes.of(self.labels[rows]), groups=groups)

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True)
class Numbers:
    """A regression target."""

    values: FloatArray
    groups: IntArray | None = None
    """As of :class:`Classes`."""

    @classmethod
    def of(cls, y: Any) -> Numbers:
        """Check that ``y`` is a finite vector of numbers."""
        return cls(check_vector(y, len(y), "y"))

    @property
    def labels(self) -> FloatArray:
        """The number of each sample, as scikit-learn takes it."""
        return self.values

    @property
    def task(self) -> str:
        """``"regression"``."""
        return "regression"

    @cached_property
    def pairs(self) -> list[tuple[IntArray, FloatArray]]:
        """The one machine's samples and targets."""
        return [(np.arange(len(self.values)), self.values)]

    def take(self, rows: IntArray) -> Numbers:
        """Return the target of some samples."""
        return Numbers(self.values[rows], None if self.groups is None else self.groups[rows])

    def __len__(self) -> int:
        return len(self.values)


Target = Classes | Numbers


@dataclass(frozen=True)
class TargetScale:
    """Centre and spread of a numeric target: machines learn ``(y − mean) / deviation``.

    So C and ε mean the same whatever the target's units.  Classes have neither; they stay as they are.
    """

    mean: float = 0.0
    deviation: float = 1.0

    @classmethod
    def of(cls, target: Target, sample_weight: FloatArray | None = None) -> TargetScale:
        """Measure a numeric target; a constant one keeps its unit."""
        if isinstance(target, Classes):
            return cls()
        mean = float(np.average(target.values, weights=sample_weight))
        variance = np.average((target.values - mean) ** 2, weights=sample_weight)
        return cls.of_moments(mean, float(variance))

    @classmethod
    def of_moments(cls, mean: float, variance: float) -> TargetScale:
        """Return the scale of a target that is known by its moments."""
        deviation = float(np.sqrt(variance))
        # A target that differs from its mean by rounding only is constant.
        return cls(mean, deviation if deviation > 1e-14 * abs(mean) else 1.0)

    def apply(self, target: Target) -> Target:
        """Return the target as machines learn it."""
        if isinstance(target, Classes):
            return target
        return replace(target, values=self.standardise(target.values))

    def standardise(self, values: FloatArray) -> FloatArray:
        """Return numbers in the user's units as machines learn them."""
        return (values - self.mean) / self.deviation

    def restore(self, values: FloatArray) -> FloatArray:
        """Return what machines say of a numeric target in its own units."""
        return values * self.deviation + self.mean


TargetScaling: TypeAlias = Callable[[Target, FloatArray | None], TargetScale]
"""Measures the target of samples, given their weights."""
