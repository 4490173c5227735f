"""Sums over samples of how far a machine's answers move, for many replaced features at once.

Decision values ``after`` have one row for each sample and one column for each replaced feature; the
sums run down the columns.  Threads share out the columns, so the result does not depend on their number.
"""

from __future__ import annotations

import numpy as np

from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.kernels.exponential import exp_in_place
from svmsieve.engine.machines.platt import Sigmoid
from svmsieve.runtime.compiled import compiled, inner
from svmsieve.runtime.threads import over_rows


@compiled()
def _add_sign_changes(
    before: FloatArray, after: FloatArray, share: FloatArray, out: FloatArray, start: int, stop: int
) -> None:
    sums = out[start:stop]
    for j in range(after.shape[0]):
        values = after[j, start:stop]
        positive = before[j] >= 0.0
        weight = share[j]
        for i in range(values.shape[0]):
            sums[i] += weight if (values[i] >= 0.0) != positive else 0.0


def sign_changes(before: FloatArray, after: FloatArray, share: FloatArray) -> FloatArray:
    """Return ``Σ_j share_j [sign(after_ji) ≠ sign(before_j)]`` for each column; zero is positive."""
    out = np.zeros(after.shape[1])
    over_rows(
        lambda start, stop: _add_sign_changes(before, after, share, out, start, stop),
        len(out),
        2.0 * len(after),
    )
    return out


@inner()
def _probabilities(
    A: float, B: float, decisions: FloatArray, work: FloatArray, out: FloatArray
) -> None:
    """``1/(1 + exp(A f + B))`` without overflow."""
    for i in range(decisions.shape[0]):
        work[i] = -abs(A * decisions[i] + B)
    exp_in_place(work)
    for i in range(decisions.shape[0]):
        out[i] = (work[i] if A * decisions[i] + B >= 0.0 else 1.0) / (1.0 + work[i])


@compiled()
def _add_sigmoid_shifts(
    A: float,
    B: float,
    before: FloatArray,
    after: FloatArray,
    share: FloatArray,
    out: FloatArray,
    start: int,
    stop: int,
) -> None:
    n = after.shape[0]
    old = np.empty(n)
    _probabilities(A, B, before, np.empty(n), old)
    sums = out[start:stop]
    work = np.empty(stop - start)
    new = np.empty(stop - start)
    for j in range(n):
        _probabilities(A, B, after[j, start:stop], work, new)
        for i in range(new.shape[0]):
            sums[i] += share[j] * abs(new[i] - old[j])


def sigmoid_shifts(
    sigmoid: Sigmoid, before: FloatArray, after: FloatArray, share: FloatArray
) -> FloatArray:
    """Return ``Σ_j share_j |p(after_ji) − p(before_j)|`` for each column, p Platt's sigmoid."""
    out = np.zeros(after.shape[1])
    A, B = float(sigmoid.A), float(sigmoid.B)
    over_rows(
        lambda start, stop: _add_sigmoid_shifts(A, B, before, after, share, out, start, stop),
        len(out),
        6.0 * len(after),
    )
    return out
