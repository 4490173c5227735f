"""What a machine learns: class labels or numbers, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray, check_vector
from svmsieve.engine.fit import encode_classes, pair_rows


@dataclass(frozen=True)
class Classes:
    """A classification target: sorted classes and each sample's index into them."""

    classes: Any
    codes: IntArray

    @classmethod
    def of(cls, y: Any) -> Classes:
        """Encode labels of any kind."""
        return cls(*encode_classes(y, len(y)))

    @property
    def task(self) -> str:
        """``"binary"`` or ``"multiclass"``."""
        return "binary" if len(self.classes) == 2 else "multiclass"

    @cached_property
    def pairs(self) -> list[tuple[IntArray, FloatArray]]:
        """Samples and labels ±1 of each pair of classes, in one-against-one order."""
        n_classes = len(self.classes)
        return [pair_rows(self.codes, *pair) for pair in combinations(range(n_classes), 2)]

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True)
class Numbers:
    """A regression target."""

    values: FloatArray

    @classmethod
    def of(cls, y: Any) -> Numbers:
        """Check that ``y`` is a finite vector of numbers."""
        return cls(check_vector(y, len(y), "y"))

    @property
    def task(self) -> str:
        """``"regression"``."""
        return "regression"

    @cached_property
    def pairs(self) -> list[tuple[IntArray, FloatArray]]:
        """The one machine's samples and targets."""
        return [(np.arange(len(self.values)), self.values)]

    def __len__(self) -> int:
        return len(self.values)


Target = Classes | Numbers
