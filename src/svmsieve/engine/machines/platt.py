"""Platt's sigmoid ``p = 1/(1 + exp(A f + B))`` and the coupling of pairwise probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.runtime.compiled import compiled, inner

_VALUES_AT_ONCE = 2**14
"""Values that are worked on at a time."""
_LEAST = 1e-7
"""What keeps pairwise probabilities away from 0 and 1, as in LIBSVM, so that coupling is regular."""


class Sigmoid(NamedTuple):
    """The two parameters of Platt's sigmoid."""

    A: Any
    B: Any

    def __call__(self, decision: FloatArray) -> FloatArray:
        """Return ``1/(1 + exp(A f + B))``, computed without overflow."""
        value = self.A * decision + self.B
        small = np.exp(-np.abs(value))
        return np.where(value >= 0.0, small, 1.0) / (1.0 + small)


def sigmoids_of(sigmoids: Sequence[Sigmoid], decisions: FloatArray) -> FloatArray:
    """Return each machine's probabilities of its decision values (…, machines).

    Some rows at a time: with many classes there are many values, and what is computed on the way to them
    should not leave the processor's cache.
    """
    A, B = np.array(sigmoids).T
    every = Sigmoid(A, B)
    values = np.empty_like(decisions)
    rows, out = decisions.reshape(-1, len(A)), values.reshape(-1, len(A))
    size = max(1, _VALUES_AT_ONCE // len(A))
    for start in range(0, len(rows), size):
        out[start : start + size] = every(rows[start : start + size])
    return values


@inner()
def _log_loss(f: FloatArray, t: FloatArray, w: FloatArray, A: float, B: float) -> float:
    loss = 0.0
    for i in range(f.shape[0]):
        v = A * f[i] + B
        # −t log p − (1 − t) log(1 − p), in the form whose exponential cannot overflow
        if v >= 0.0:
            loss += w[i] * (t[i] * v + np.log1p(np.exp(-v)))
        else:
            loss += w[i] * ((t[i] - 1.0) * v + np.log1p(np.exp(v)))
    return loss


@compiled()
def _fit_sigmoid(
    f: FloatArray, t: FloatArray, w: FloatArray, B: float, max_iter: int
) -> tuple[float, float]:
    """Newton's method with backtracking on the convex log loss (Lin, Lin & Weng 2007)."""
    A = 0.0
    loss = _log_loss(f, t, w, A, B)
    for _ in range(max_iter):
        h11 = h22 = 1e-12
        h21 = g1 = g2 = 0.0
        for i in range(f.shape[0]):
            v = A * f[i] + B
            small = np.exp(-abs(v))
            p = (small if v >= 0.0 else 1.0) / (1.0 + small)
            curvature = w[i] * p * (1.0 - p)
            h11 += f[i] * f[i] * curvature
            h21 += f[i] * curvature
            h22 += curvature
            error = w[i] * (t[i] - p)
            g1 += f[i] * error
            g2 += error
        if abs(g1) < 1e-9 and abs(g2) < 1e-9:
            break
        determinant = h11 * h22 - h21 * h21
        step_A = -(h22 * g1 - h21 * g2) / determinant
        step_B = -(h11 * g2 - h21 * g1) / determinant
        descent = g1 * step_A + g2 * step_B
        if (
            -descent < 1e-12 * loss
        ):  # too little for the loss to show: a last step, to the last digits
            A += step_A
            B += step_B
            break
        step = 1.0
        moved = False
        while step >= 1e-10:
            new_loss = _log_loss(f, t, w, A + step * step_A, B + step * step_B)
            if new_loss < loss + 1e-4 * step * descent:
                A += step * step_A
                B += step * step_B
                loss = new_loss
                moved = True
                break
            step *= 0.5
        if not moved:
            break
    return A, B


def fit_sigmoid(
    decision: FloatArray, y: FloatArray, weight: FloatArray | None = None, *, max_iter: int = 100
) -> Sigmoid:
    """Fit Platt's sigmoid to decision values and labels ±1.

    Minimises ``−Σ w_i [t_i log p_i + (1 − t_i) log(1 − p_i)]`` with the targets (N₊+1)/(N₊+2) for
    positives and 1/(N₋+2) for negatives (Platt 2000; Shen et al. 2008, eq. 7–8), N being sums of
    weights.  The decision values should be those of samples the machine was not trained on.
    """
    weight = np.ones(len(y)) if weight is None else weight
    targets, B = platt_targets(y, weight)
    decision = np.ascontiguousarray(decision, dtype=np.float64)
    return Sigmoid(*_fit_sigmoid(decision, targets, weight, B, max_iter))


def platt_targets(y: FloatArray, weight: FloatArray) -> tuple[FloatArray, float]:
    """Return the targets of :func:`fit_sigmoid` for labels ±1, and the B it starts from."""
    positive = y > 0
    n_positive = float(weight[positive].sum())
    n_negative = float(weight[~positive].sum())
    targets = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    return targets, float(np.log((n_negative + 1) / (n_positive + 1)))


@compiled()
def _fit_each(
    f: FloatArray,
    t: FloatArray,
    w: FloatArray,
    ends: IntArray,
    B: FloatArray,
    max_iter: int,
    out: FloatArray,
) -> None:
    for m in range(out.shape[0]):
        first, last = ends[m], ends[m + 1]
        out[m, 0], out[m, 1] = _fit_sigmoid(
            f[first:last], t[first:last], w[first:last], B[m], max_iter
        )


def fit_sigmoids(
    decisions: FloatArray,
    targets: FloatArray,
    weights: FloatArray,
    ends: IntArray,
    B: FloatArray,
    *,
    max_iter: int = 100,
) -> tuple[Sigmoid, ...]:
    """Fit the sigmoids of many machines whose samples lie one after another; see :func:`platt_targets`.

    Those of machine m are the entries ``ends[m]`` to ``ends[m + 1]``.
    """
    found = np.empty((len(B), 2))
    _fit_each(decisions, targets, weights, ends, B, max_iter, found)
    return tuple(Sigmoid(*each) for each in found.tolist())


@compiled()
def _couple_rows(r: FloatArray, out: FloatArray) -> None:
    n_classes = out.shape[1]
    Q = np.empty((n_classes, n_classes))
    for row in range(out.shape[0]):
        # min Σ_{i≠j} (r_ji p_i − r_ij p_j)², Σp = 1: p ∝ (Q + 11')⁻¹ 1
        Q[:] = 1.0
        pair = 0
        for i in range(n_classes):
            for j in range(i + 1, n_classes):
                r_ji = min(max(r[row, pair], _LEAST), 1.0 - _LEAST)
                r_ij = 1.0 - r_ji
                Q[i, i] += r_ji * r_ji
                Q[j, j] += r_ij * r_ij
                Q[i, j] -= r_ji * r_ij
                pair += 1
        p = out[row]
        for i in range(n_classes):
            p[i] = 1.0
        # Q + 11' is symmetric, so that its upper half is enough, and positive definite: no pivoting
        for i in range(n_classes):
            for j in range(i + 1, n_classes):
                ratio = Q[i, j] / Q[i, i]
                for k in range(j, n_classes):
                    Q[j, k] -= ratio * Q[i, k]
                p[j] -= ratio * p[i]
        total = 0.0
        for i in range(n_classes - 1, -1, -1):
            for k in range(i + 1, n_classes):
                p[i] -= Q[i, k] * p[k]
            p[i] = max(p[i] / Q[i, i], 0.0)
            total += p[i]
        for i in range(n_classes):
            p[i] /= total


def couple(pairwise: FloatArray, n_classes: int) -> FloatArray:
    """Return class probabilities from pairwise ones (Wu, Lin & Weng 2004, second approach).

    ``pairwise[:, k]`` is the probability of the *second* class of the k-th pair, pairs in the order
    (0,1), (0,2), …, (1,2), …; the result has shape (n, n_classes).  O(n · n_classes³).

    >>> couple(np.array([[0.25]]), 2)
    array([[0.75, 0.25]])
    """
    n_pairs = len(list(combinations(range(n_classes), 2)))
    if pairwise.ndim != 2 or pairwise.shape[1] != n_pairs:
        raise ValueError(
            f"pairwise must have {n_pairs} columns for {n_classes} classes, got {pairwise.shape}."
        )
    out = np.empty((len(pairwise), n_classes))
    _couple_rows(np.ascontiguousarray(pairwise), out)
    return out


def _bounded(pairwise: FloatArray) -> FloatArray:
    return np.clip(pairwise, _LEAST, 1.0 - _LEAST)


def coupling_slopes(pairwise: FloatArray, n_classes: int) -> FloatArray:
    """Return ∂p_c/∂r_k of the coupled probabilities, shape (n, n_classes, n_pairs).

    Central differences with a step that leaves ten digits.
    """
    slopes = np.empty((len(pairwise), n_classes, pairwise.shape[1]))
    for pair in range(pairwise.shape[1]):
        up, down = pairwise.copy(), pairwise.copy()
        up[:, pair] += 1e-5
        down[:, pair] -= 1e-5
        up, down = _bounded(up), _bounded(down)
        width = up[:, pair] - down[:, pair]
        slopes[:, :, pair] = (couple(up, n_classes) - couple(down, n_classes)) / width[:, None]
    return slopes
