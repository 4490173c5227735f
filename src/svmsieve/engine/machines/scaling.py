"""How samples are filled and scaled by those that a machine is trained on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix


class Measured(Protocol):
    """What was measured of some samples, to fill and scale them and others."""

    def apply(self, X: Matrix) -> Matrix:
        """Return samples, filled and scaled."""

    def columns(self, columns: IntArray) -> Measured:
        """Return what was measured of some columns."""


Scaling: TypeAlias = Callable[[Matrix, FloatArray | None], Measured]
"""Measures samples, given their weights."""


def split(
    X: Matrix,
    train: IntArray,
    held_out: IntArray,
    scaling: Scaling | None,
    sample_weight: FloatArray | None = None,
) -> tuple[Matrix, Matrix]:
    """Return training and held-out samples, both filled and scaled by the training samples alone."""
    if scaling is None:
        return X[train], X[held_out]
    weight = None if sample_weight is None else sample_weight[train]
    measured = scaling(X[train], weight)
    return measured.apply(X[train]), measured.apply(X[held_out])
