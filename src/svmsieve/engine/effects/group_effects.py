"""The response and the pair sums for several features at once: columns that belong together.

The kernel's base is a sum over features, so the base with a group replaced or removed is the base
minus the group's part (plus the part of the replacements): O(n m) kernel values for each group.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix, dense_columns
from svmsieve.engine.effects.pair_sums import weighted_sum
from svmsieve.engine.effects.quadratic import LowRank, Weights
from svmsieve.engine.kernels.exponential import expm1_in_place
from svmsieve.engine.kernels.kernel import RBF, Kernel
from svmsieve.engine.machines.expansion import Expansion


def _without(kernel: Kernel, base: FloatArray, X: FloatArray, Z: FloatArray) -> FloatArray:
    rest = base - kernel.base(X, Z)
    return np.maximum(rest, 0.0, out=rest) if isinstance(kernel, RBF) else rest


def group_response(
    expansion: Expansion,
    X: Matrix,
    columns: IntArray,
    replacements: FloatArray,
    base: FloatArray,
) -> FloatArray:
    """Return f of the samples with several columns replaced, given the samples' base matrix."""
    kernel = expansion.kernel
    x, z = dense_columns(X, columns), dense_columns(expansion.centers, columns)
    changed = _without(kernel, base, x, z)
    changed += kernel.base(replacements, z)
    return kernel.of_base(changed) @ expansion.coef + expansion.intercept


def group_removal_change(
    kernel: Kernel,
    W: Weights,
    Z: Matrix,
    columns: Any,
    base: FloatArray,
    K: FloatArray | None = None,
) -> float:
    """Return ``Σ_kl W_kl (K⁽ᵍ⁾_kl − K_kl)`` for the kernel without a group of columns.

    W as for :func:`~svmsieve.engine.effects.pair_sums.removal_changes`; ``K`` is the kernel matrix with all
    columns, if it is known already.
    """
    z = dense_columns(Z, columns)
    change = kernel.of_base(_without(kernel, base, z, z))
    if isinstance(kernel, RBF):  # K⁽ᵍ⁾ − K = K⁽ᵍ⁾ (1 − exp(−γ part)), which does not cancel
        lost = -kernel.gamma * kernel.base(z, z)
        expm1_in_place(lost.reshape(-1))
        change *= lost
        np.negative(change, out=change)
    else:
        change -= kernel.of_base(base) if K is None else K
    if isinstance(W, LowRank) or W.ndim == 2:
        return weighted_sum(W, change)
    return float(W @ change @ W)
