"""Samples that are alike, trained as one.

Samples of the same values and the same label have the same slack, so that m of them with bounds C_i are one
sample with the bound Σ C_i: hinge and squared hinge weigh the slack by it, and the dual variable of the one
is the sum of theirs.  A few columns of categories have few kinds of samples, whatever the number of rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.machines.machine import Dual, Machine

_COUNTED = 8
"""Possible codes for each sample up to which counting is quicker than sorting."""


class Kinds(NamedTuple):
    """The kinds of some samples: the first sample of each, and the kind of every sample.

    >>> kinds(np.array([7, 3, 7, 7]))
    Kinds(first=array([1, 0]), of=array([1, 0, 1, 1]))
    """

    first: IntArray
    of: IntArray


def kinds(values: IntArray | FloatArray) -> Kinds:
    """Return the kinds of samples with the given values of one column."""
    _, first, of = np.unique(values, return_index=True, return_inverse=True)
    return Kinds(first, of)


def kinds_of_rows(columns: FloatArray) -> Kinds:
    """Return the kinds of samples with the given values.

    >>> kinds_of_rows(np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 1.0]])).of
    array([0, 1, 0])
    """
    found = kinds(columns[:, 0])
    for column in columns.T[1:]:
        found = refined(found, kinds(column))
    return found


def refined(one: Kinds, other: Kinds) -> Kinds:
    """Return the kinds that two sets of columns tell apart together."""
    return kinds_of_codes(one.of * len(other.first) + other.of, len(one.first) * len(other.first))


def kinds_of_codes(codes: IntArray, n_codes: int) -> Kinds:
    """Return the kinds of samples with the given codes below ``n_codes``.

    >>> kinds_of_codes(np.array([7, 3, 7, 7]), 8)
    Kinds(first=array([1, 0]), of=array([1, 0, 1, 1]))
    """
    if n_codes > _COUNTED * len(codes):
        return kinds(codes)
    place = np.full(n_codes, -1, dtype=np.intp)
    place[codes[::-1]] = np.arange(len(codes))[::-1]  # the first sample of a code is written last
    present = np.flatnonzero(place >= 0)
    first = place[present]
    place[present] = np.arange(len(present))
    return Kinds(first, place[codes])


def solve_as_one(
    machine: Machine,
    K: FloatArray,
    y: FloatArray,
    alike: Kinds,
    bounds: FloatArray,
    start: Dual | None,
) -> Dual:
    """Train a classifier on one sample of each kind; return the machine of all samples.

    Parameters
    ----------
    K : kernel matrix of the kinds
    y, bounds : labels ±1 and bounds of all samples; those of a kind have the same label
    start : a similar machine of all samples
    """
    total = _sums(bounds, alike)
    if start is not None:
        start = replace(start, alpha=_sums(start.alpha, alike))
    found = machine.solve(K, y[alike.first], total, start)
    shares = bounds / np.where(total > 0.0, total, 1.0)[alike.of]
    limits = bounds if machine.loss == "hinge" else np.where(bounds > 0.0, np.inf, 0.0)
    return replace(
        found,
        coef=found.coef[alike.of] * shares,
        outputs=found.outputs[alike.of],
        alpha=found.alpha[alike.of] * shares,
        bounds=limits,
    )


def _sums(values: FloatArray, alike: Kinds) -> FloatArray:
    """Return the sums over the samples of each kind."""
    return np.bincount(alike.of, values, len(alike.first)).astype(np.float64, copy=False)
