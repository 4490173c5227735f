"""The response and the pair sums of groups of columns in which samples are of few kinds: categories.

With v_r the values that a group takes, and A_jk = c_k K(x_j, z_k), the machine's answer to a sample whose
values u replace those of the group is

    f_j(u) = b + Σ_r exp(γ(‖x_j − v_r‖² − ‖u − v_r‖²)) M_jr,    M_jr = Σ_{k of kind r} A_jk

and what a weighted sum of the kernel changes by when the group leaves it

    Σ_kl W_kl (K⁽ᵍ⁾_kl − K_kl) = Σ_rs (exp(γ‖v_r − v_s‖²) − 1) Σ_{k of kind r, l of kind s} W_kl K_kl.

One matrix product serves all groups; kernel values are not computed again for each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.effects.quadratic import Weights, as_matrix
from svmsieve.engine.kernels.equal_rows import first_equal
from svmsieve.runtime.threads import product

_FEW = 0.25
"""Share of the samples below which kinds are few: then sums over them are worth it."""
_MOST = 300.0
"""Exponent above which a kernel value and its inverse leave the range of numbers."""


class GroupKinds(NamedTuple):
    """The kinds of the samples in a group of columns: the kind of each, and its values."""

    codes: IntArray
    values: FloatArray

    def belongs(self) -> FloatArray:
        """Return 1 where a sample is of a kind, samples × kinds."""
        return np.asarray(self.codes[:, None] == np.arange(len(self.values)), dtype=np.float64)

    def distances(self, values: FloatArray) -> FloatArray:
        """Return the squared distances of some values of the group to each kind's."""
        return np.asarray(((values[:, None] - self.values) ** 2).sum(axis=2))


def group_kinds(values: FloatArray, gamma: float) -> GroupKinds | None:
    """Return the kinds of samples by their values of a group; None where they are not few, or far apart."""
    first = first_equal(np.ascontiguousarray(values))
    if first is None:
        return None
    places, codes = np.unique(first, return_inverse=True)
    if len(places) > _FEW * len(values):
        return None
    found = GroupKinds(codes, values[places])
    return found if gamma * found.distances(found.values).max() <= _MOST else None


def moments_of_kinds(
    K: FloatArray, coef: FloatArray, kinds: Sequence[GroupKinds]
) -> list[FloatArray]:
    """Return M of each group, samples × kinds, given the samples' kernel with the centres; O(n m Σq)."""
    ends = np.cumsum([len(each.values) for each in kinds])[:-1]
    belongs = np.concatenate([each.belongs() for each in kinds], axis=1)
    return np.split(product(K, coef[:, None] * belongs), ends, axis=1)


def response_of_kinds(
    kinds: GroupKinds, moments: FloatArray, x: FloatArray, u: FloatArray, gamma: float
) -> FloatArray:
    """Return f − b of samples whose values ``x`` of the group are replaced by ``u``; O(n q)."""
    exponents = gamma * (kinds.distances(x) - kinds.distances(u))
    return np.asarray(np.einsum("jr,jr->j", np.exp(exponents), moments))


def removal_changes_of_kinds(
    W: Weights, K: FloatArray, kinds: Sequence[GroupKinds], gamma: float
) -> FloatArray:
    """Return ``Σ_kl W_kl (K⁽ᵍ⁾_kl − K_kl)`` for each group, of an RBF kernel; O(n² Σq).

    W is a matrix or, a vector, W W'.
    """
    matrix = W if isinstance(W, np.ndarray) and W.ndim == 2 else None
    if matrix is None:
        matrix = np.outer(W, W) if isinstance(W, np.ndarray) else as_matrix(W)
    ends = np.cumsum([len(each.values) for each in kinds])[:-1]
    belongs = [each.belongs() for each in kinds]
    sums = np.split(product(matrix * K, np.concatenate(belongs, axis=1)), ends, axis=1)
    changes = []
    for each, own, part in zip(kinds, belongs, sums, strict=True):
        lost = np.expm1(gamma * each.distances(each.values))
        changes.append(float(np.sum(lost * (own.T @ part))))
    return np.array(changes)
