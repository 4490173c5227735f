"""Weights of samples and classes, as bounds of the dual variables."""

from __future__ import annotations

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.machines.fit import sample_bounds
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.target import Classes, Target


def bounds_of_pairs(
    machine: Machine,
    target: Target,
    sample_weight: FloatArray | None,
    held_out: IntArray | None = None,
) -> list[FloatArray]:
    """Return the bounds of the samples of each machine."""
    bounds = _bounds(machine, target, sample_weight, held_out)
    return [bounds if len(rows) == len(bounds) else bounds[rows] for rows, _ in target.pairs]


def sample_weights(
    machine: Machine,
    target: Target,
    sample_weight: FloatArray | None,
    held_out: IntArray | None = None,
) -> FloatArray:
    """Return the product of each sample's own weight and its class's; 0 for the samples held out."""
    if isinstance(target, Classes):
        weights = sample_bounds(
            1.0, target.codes, target.classes, sample_weight, machine.class_weight, held_out
        )
    else:
        weights = 1.0 if sample_weight is None else sample_weight
    spread = np.array(np.broadcast_to(weights, len(target)), dtype=np.float64)
    if held_out is not None:
        spread[held_out] = 0.0
    return spread


def _bounds(
    machine: Machine,
    target: Target,
    sample_weight: FloatArray | None,
    held_out: IntArray | None,
) -> FloatArray:
    bounds = sample_weights(machine, target, sample_weight, held_out) * machine.C
    if not (bounds.min() >= 0.0 and 0.0 < bounds.max() < np.inf):
        raise ValueError("C must not be negative and must be positive for some sample.")
    return bounds
