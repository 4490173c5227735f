"""What every row costs the machines of the Nyström space: its class, its weight, ε."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from svmsieve.engine.arrays import BoolArray, FloatArray
from svmsieve.engine.machines.fit import balanced_weights


@dataclass(frozen=True)
class Losses:
    """What every row of a data set costs the machines: classes, weights, ε.

    Attributes
    ----------
    C : factor of the rows' losses
    classes : the labels in ascending order; None for numbers
    class_weight : factor of each class
    epsilon : half width of the tube, for numbers
    counts : rows of each class, where ``class_weight`` is balanced by them
    """

    C: float
    classes: Any = None
    class_weight: FloatArray | None = None
    epsilon: float = 0.0
    counts: FloatArray | None = None

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The machines: pairs of classes, or a single one for numbers."""
        if self.classes is None:
            return [(0, 0)]
        return list(combinations(range(len(self.classes)), 2))

    def codes(self, y: Any) -> Any:
        """Return the index of each label's class; numbers as they are."""
        if self.classes is None:
            return np.asarray(y, dtype=np.float64)
        labels = np.asarray(y)
        if self.classes.dtype.kind == "U":
            labels = labels.astype(str)
        return np.searchsorted(self.classes, labels)

    def member(self, codes: Any, pair: tuple[int, int]) -> BoolArray:
        """Return which rows belong to a machine."""
        if self.classes is None:
            return np.ones(len(codes), dtype=np.bool_)
        return (codes == pair[0]) | (codes == pair[1])

    def targets(self, codes: Any, pair: tuple[int, int]) -> FloatArray:
        """Return −1 and +1 for the first and second class, or the numbers themselves."""
        return codes if self.classes is None else 2.0 * (codes == pair[1]) - 1.0

    def bounds(self, codes: Any, copies: FloatArray) -> FloatArray:
        """Return C_i of the rows: C times the weights of row and class."""
        if self.classes is None or self.class_weight is None:
            return self.C * copies
        return self.C * copies * self.class_weight[codes]

    def reweighed(self, counts: FloatArray) -> FloatArray:
        """Return by what each class's weight changes where so many rows of each class are not counted."""
        if self.counts is None:
            return np.ones(len(self.classes))
        return balanced_weights(self.counts - counts) / balanced_weights(self.counts)

    def losses(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return ℓ of each row, 0 where it costs nothing."""
        gap = np.abs(y - f) - self.epsilon if self.classes is None else 1.0 - y * f
        return np.maximum(gap, 0.0)

    def pulls(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return t of rows with a loss: where a row pulls f to."""
        return y - self.epsilon * np.sign(y - f) if self.classes is None else y
