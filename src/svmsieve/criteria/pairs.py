"""Pair sums over some of the samples, for every column or group of columns.

Σ_kl W_kl (K⁽ⁱ⁾_kl − K_kl)      what changes when column or group i leaves the kernel, W fixed
Σ_kl W_kl ∂K_kl/∂v_i            what changes when it is scaled
Σ_k w_k (K⁽ⁱ⁾_kk − K_kk)        the same for the diagonal, which an RBF kernel keeps at one
"""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmsieve.criteria.material import Data
from svmsieve.engine.arrays import FloatArray, IntArray, Matrix, dense_columns
from svmsieve.engine.effects.group_effects import group_removal_change
from svmsieve.engine.effects.group_kinds import group_kinds, removal_changes_of_kinds
from svmsieve.engine.effects.pair_sums import removal_changes_of_each, slope_sums
from svmsieve.engine.effects.quadratic import LowRank, Weights
from svmsieve.engine.kernels.kernel import RBF, Linear

ALMOST_ALL = 0.8
"""Share of the samples above which the others take part with a weight of zero: that costs less than a
copy of the matrices without them."""


def samples(data: Data, rows: IntArray) -> Matrix:
    """Return the samples with these indices, in ascending order; all of them without a copy."""
    return data.X if len(rows) == data.X.shape[0] else data.X[rows]


def _pairs(
    data: Data, *terms: tuple[Weights, IntArray]
) -> tuple[list[Weights], Matrix, FloatArray]:
    """The weights, samples and base matrix of the pairs of each W's rows, and perhaps of some more."""
    n = data.X.shape[0]
    rows = terms[0][1] if len(terms) == 1 else np.unique(np.concatenate([r for _, r in terms]))
    if ALMOST_ALL * n <= len(rows):
        rows = np.arange(n)
    Ws = [_with_zeros(W, np.searchsorted(rows, own), len(rows)) for W, own in terms]
    return Ws, samples(data, rows), data.base_between(rows, rows)


def _with_zeros(W: Weights, rows: IntArray, n: int) -> Weights:
    if len(rows) == n:
        return W
    if isinstance(W, LowRank):
        vectors = np.zeros((len(W.vectors), n))
        vectors[:, rows] = W.vectors
        return LowRank(vectors, W.signs)
    wide = np.zeros((n,) * W.ndim)
    wide[np.ix_(*[rows] * W.ndim)] = W
    return wide


def changes_without(data: Data, W: Weights, rows: IntArray) -> FloatArray:
    """Return ``Σ_kl W_kl (K⁽ⁱ⁾_kl − K_kl)`` over the samples ``rows`` for each column or group."""
    return changes_without_each(data, (W, rows))[0]


def changes_without_each(data: Data, *terms: tuple[Weights, IntArray]) -> FloatArray:
    """Return the changes of several sums, each a pair of W and its samples, as rows."""
    kernel = data.kernel
    Ws, Z, base = _pairs(data, *terms)
    options: dict[str, Any] = {"base": base, "tol": data.tol, "memory": data.memory}
    if data.groups is None or isinstance(kernel, Linear):  # linear: the sum of the columns' changes
        return data.sum_groups(removal_changes_of_each(kernel, Ws, Z, bounds=data.range, **options))
    sizes = np.array([len(group) for group in data.groups])
    changes = np.empty((len(Ws), len(sizes)))
    single = np.flatnonzero(sizes == 1)
    if len(single):
        columns = np.array([data.groups[g][0] for g in single])
        changes[:, single] = removal_changes_of_each(kernel, Ws, Z[:, columns], **options)
    K = kernel.of_base(base)
    joint = np.flatnonzero(sizes > 1)
    if isinstance(kernel, RBF):
        kinds = [group_kinds(dense_columns(Z, data.groups[g]), kernel.gamma) for g in joint]
        few = [place for place, each in enumerate(kinds) if each is not None]
        of_few = [each for each in kinds if each is not None]
        if few:
            for row, W in zip(changes, Ws, strict=True):
                row[joint[few]] = removal_changes_of_kinds(W, K, of_few, kernel.gamma)
        joint = np.delete(joint, few)
    for g in joint:
        for row, W in zip(changes, Ws, strict=True):
            row[g] = group_removal_change(kernel, W, Z, data.groups[g], base, K)
    return changes


def slopes_of_scaling(data: Data, W: Weights, rows: IntArray) -> FloatArray:
    """Return ``Σ_kl W_kl ∂K_kl/∂v_i`` over the samples ``rows`` for each column or group."""
    (W,), Z, base = _pairs(data, (W, rows))
    return data.sum_groups(slope_sums(data.kernel, W, Z, base=base, memory=data.memory))


def diagonal_changes_without(data: Data, weights: FloatArray, rows: IntArray) -> FloatArray:
    """Return ``Σ_k w_k (K⁽ⁱ⁾_kk − K_kk)`` for each column or group.

    With s the squares of the columns, added up over the group, −Σ w_k s_k (linear) or
    ``Σ_p (D over p) (−γ)^p Σ_k w_k h_k^{D−p} s_k^p`` with h = γ‖x‖² + r (polynomial).
    """
    kernel = data.kernel
    if isinstance(kernel, RBF):
        return np.zeros(data.n_scores)
    squares = _squares(data, rows)
    if isinstance(kernel, Linear):
        return -np.asarray(weights @ squares)
    inner = kernel.inner(data.gram.base.diagonal()[rows])
    changes = np.zeros(data.n_scores)
    for p in range(1, kernel.degree + 1):
        factor = comb(kernel.degree, p) * (-kernel.gamma) ** p
        powers = squares.power(p) if sp.issparse(squares) else squares**p
        changes += factor * np.asarray((weights * inner ** (kernel.degree - p)) @ powers)
    return changes


def diagonal_slopes(data: Data, weights: FloatArray, rows: IntArray) -> FloatArray:
    """Return ``Σ_k w_k ∂K_kk/∂v_i`` for each column or group: 2 Σ w s, or 2γD Σ w h^{D−1} s."""
    kernel = data.kernel
    if isinstance(kernel, RBF):
        return np.zeros(data.n_scores)
    if not isinstance(kernel, Linear):
        inner = kernel.inner(data.gram.base.diagonal()[rows])
        weights = weights * kernel.gamma * kernel.degree * inner ** (kernel.degree - 1)
    return 2.0 * np.asarray(weights @ _squares(data, rows))


def _squares(data: Data, rows: IntArray) -> Matrix:
    """The squares of the samples' values, added up over the groups: samples × scores."""
    Z = samples(data, rows)
    squares = Z.multiply(Z).tocsr() if sp.issparse(Z) else Z**2
    if data.groups is None:
        return squares
    columns = np.concatenate(data.groups)
    groups = np.repeat(np.arange(len(data.groups)), [len(group) for group in data.groups])
    belongs = sp.csr_matrix(
        (np.ones(len(columns)), (columns, groups)), shape=(Z.shape[1], len(data.groups))
    )
    return squares @ belongs
