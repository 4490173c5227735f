"""Sums over pairs of centres: what happens to Σ_kl W_kl K_kl when a feature goes or is scaled.

    removed_i(W) = Σ_kl W_kl K⁽ⁱ⁾_kl          K⁽ⁱ⁾: the kernel without feature i       (zero order)
    slope_i(W)   = Σ_kl W_kl ∂K_kl/∂v_i       x_i scaled by v_i, taken at v = 1        (first order)

W is symmetric: a matrix, a :class:`LowRank` sum, or a vector c that stands for W = cc'.  For the RBF
kernel and B = W∘K

    removed_i = Σ_kl B_kl exp(γ(z_ki − z_li)²) = Σ_p (−2γ)^p/p! (g∘z_i^p)' B (g∘z_i^p),  g = exp(γz_i²)
    slope_i   = −2γ Σ_kl B_kl (z_ki − z_li)²  = −4γ (r'z_i² − z_i'B z_i),                r = B1

so both are matrix products B·(…), O(m² d) times the number of orders.  As for the response there are
three paths for the first: the series, the centres' distinct values, and the exact loop.  The linear and
the polynomial kernel have finite forms:

    linear      removed_i = Σ W∘K − z_i'W z_i,                        slope_i = 2 z_i'W z_i
    polynomial  removed_i = Σ_p (D over p) (−γ)^p (z_i^p)'(W∘h^{D−p}) z_i^p,   h = γ<z, z'> + r
                slope_i   = 2γD z_i'(W∘h^{D−1}) z_i
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import comb
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix, check_matrix, dense_columns
from svmsieve.engine.columns import column_range
from svmsieve.engine.effects.path_choice import SINGLE_ERROR, Path, choose_paths, series_orders
from svmsieve.engine.effects.quadratic import (
    LowRank,
    Weights,
    as_matrix,
    pair_distances,
    quadratic_forms,
    rbf_triangle,
)
from svmsieve.engine.effects.removal_paths import RBFSums
from svmsieve.engine.kernels.kernel import Kernel, Linear, Polynomial
from svmsieve.runtime.memory import BLOCK_BUDGET, block_size
from svmsieve.runtime.threads import in_order


class _Blocks:
    """Blocks of columns of Z, and what is to be computed from each; then all of it at once."""

    def __init__(self, Z: Matrix, memory: float, n_rows: int) -> None:
        self.columns = Z.tocsc() if sp.issparse(Z) else Z
        self.memory, self.largest = memory, 0.0
        self.result = np.empty((n_rows, Z.shape[1]))
        self.tasks: list[Callable[[], None]] = []

    def add(
        self,
        features: IntArray,
        bytes_a_feature: float,
        compute: Callable[[FloatArray, IntArray], FloatArray],
    ) -> None:
        """Plan ``compute`` of the features' dense columns and their indices."""
        size = block_size(bytes_a_feature, self.memory)
        self.largest = max(self.largest, size * bytes_a_feature)
        for first in range(0, len(features), size):
            self.tasks.append(partial(self._write, features[first : first + size], compute))

    def _write(
        self, block: IntArray, compute: Callable[[FloatArray, IntArray], FloatArray]
    ) -> None:
        self.result[:, block] = compute(dense_columns(self.columns, block), block)

    def run(self) -> FloatArray:
        """Return the results of all features."""
        for _ in in_order(self.tasks, self.largest, self.memory):
            pass
        return self.result


def _linear_forms(W: Weights, Z: Matrix, memory: float) -> FloatArray:
    """Return ``z_i' W z_i``; for W = cc' it is w_i², O(m d)."""
    return W.forms(Z) if isinstance(W, LowRank) else quadratic_forms(W, Z, memory)


def _check(W: Any, m: int) -> Weights:
    if isinstance(W, LowRank):
        if len(W) != m:
            raise ValueError(f"W must be of {m} rows and columns, got {len(W)}.")
        return W
    W = np.ascontiguousarray(W, dtype=np.float64)
    if W.shape not in ((m,), (m, m)):
        raise ValueError(f"W must have shape ({m},) or ({m}, {m}), got {W.shape}.")
    return LowRank(W[None, :], np.ones(1)) if W.ndim == 1 else W


def slope_sums(
    kernel: Kernel,
    W: Weights,
    Z: Any,
    *,
    base: FloatArray | None = None,
    memory: float = BLOCK_BUDGET,
) -> FloatArray:
    """Return ``Σ_kl W_kl ∂K_kl/∂v_i`` for each feature i, O(m² d), or O(m d) for linear cc'.

    ``base`` is the kernel's base matrix of Z against itself, if it is known already.
    """
    Z = check_matrix(Z, "Z")
    W = _check(W, Z.shape[0])
    if isinstance(kernel, Linear):
        return 2.0 * _linear_forms(W, Z, memory)
    base = kernel.base(Z, Z) if base is None else base
    if isinstance(kernel, Polynomial):
        B = as_matrix(W) * kernel.inner(base) ** (kernel.degree - 1)
        return 2.0 * kernel.gamma * kernel.degree * quadratic_forms(B, Z, memory)
    triangle, row_sums, cancels, _ = rbf_triangle(kernel.gamma, W, base)

    def distances(z: FloatArray, _: IntArray) -> FloatArray:
        if cancels:
            return pair_distances(triangle, z)
        z -= z.mean(axis=0)  # differences only: centring keeps their digits
        return row_sums @ z**2 - triangle.forms(z[:, None, :], np.ones(1))

    blocks = _Blocks(Z, memory, 1)
    blocks.add(np.arange(Z.shape[1]), 24.0 * len(W), distances)
    return -4.0 * kernel.gamma * blocks.run()[0]


def weighted_sum(W: Weights, K: FloatArray) -> float:
    """Return ``Σ_kl W_kl K_kl``."""
    if isinstance(W, LowRank):
        return float(W.signs @ np.einsum("rk,rk->r", W.vectors, W.vectors @ K))
    return float(np.sum(W * K))


def removed_sums(
    kernel: Kernel,
    W: Weights,
    Z: Any,
    *,
    base: FloatArray | None = None,
    tol: float = 1e-10,
    path: Path = "auto",
    memory: float = BLOCK_BUDGET,
) -> FloatArray:
    """Return ``Σ_kl W_kl K⁽ⁱ⁾_kl`` for each feature i; see :func:`removal_changes`."""
    Z = check_matrix(Z, "Z")
    W = _check(W, Z.shape[0])
    base = kernel.base(Z, Z) if base is None else base
    total = weighted_sum(W, kernel.of_base(base))
    return total + removal_changes(kernel, W, Z, base=base, tol=tol, path=path, memory=memory)


def removal_changes(
    kernel: Kernel,
    W: Weights,
    Z: Any,
    *,
    base: FloatArray | None = None,
    bounds: tuple[FloatArray, FloatArray] | None = None,
    tol: float = 1e-10,
    path: Path = "auto",
    memory: float = BLOCK_BUDGET,
) -> FloatArray:
    """Return ``Σ_kl W_kl (K⁽ⁱ⁾_kl − K_kl)`` for each feature i, without cancellation.

    The error is at most ``tol`` relative to the sum of the terms' absolute values, and less where the terms
    nearly cancel, as those of a machine with a large C do.  Cost O(m² d P)
    with P products (RBF series), D of them (polynomial), O(m d) for linear cc'.  ``bounds`` holds no
    larger and no smaller value of each feature than Z, if it is known already.  ``path`` forces one
    of the RBF kernel's paths, for tests.
    """
    return removal_changes_of_each(
        kernel, [W], Z, base=base, bounds=bounds, tol=tol, path=path, memory=memory
    )[0]


def removal_changes_of_each(
    kernel: Kernel,
    Ws: Sequence[Weights],
    Z: Any,
    *,
    base: FloatArray | None = None,
    bounds: tuple[FloatArray, FloatArray] | None = None,
    tol: float = 1e-10,
    path: Path = "auto",
    memory: float = BLOCK_BUDGET,
) -> FloatArray:
    """Return :func:`removal_changes` of several W as rows; they share what does not depend on W."""
    Z = check_matrix(Z, "Z")
    Ws = [_check(W, Z.shape[0]) for W in Ws]
    if isinstance(kernel, Linear):
        return np.stack([-_linear_forms(W, Z, memory) for W in Ws])
    base = kernel.base(Z, Z) if base is None else base
    if isinstance(kernel, Polynomial):
        return np.stack([_change_polynomial(kernel, as_matrix(W), Z, base, memory) for W in Ws])
    lower, upper = column_range(Z) if bounds is None else bounds
    sums = RBFSums(kernel, Ws, base, 0.5 * (lower + upper))
    if path == "auto" and sums.cancel:
        path = "exact"
    exponent = kernel.gamma * (0.5 * (upper - lower)) ** 2
    share = min(1.0, sums.share)
    allowed = tol * np.minimum(share, exponent)
    orders = series_orders(2.0 * exponent, 2.0 * exponent, allowed)
    blocks = _Blocks(Z, memory, len(Ws))
    for group in choose_paths(Z, orders, 4.0 * exponent, path):
        n_double = 0
        if group.path == "series":
            n_double = _double_orders(group.n_columns, exponent[group.features], tol, share)
        spread = 4.0 * float(exponent[group.features].max())
        compute = sums.along(group.path, group.n_columns, n_double, spread)
        blocks.add(group.features, 24.0 * Z.shape[0] * (group.n_columns + 1), compute)
    return blocks.run()


def _double_orders(n_orders: int, exponent: FloatArray, tol: float, share: float) -> int:
    """Return how many orders of the series need double precision.

    The terms of order p add up to at most e^2η (2η)^p/p! relative to Σ|B|, η the exponent, and their
    error must stay below tol·min(share, η); the ratio grows with η.
    """
    largest = float(exponent.max())
    allowed = tol * min(share, largest)
    n_double, term = 0, np.exp(2.0 * largest) * 2.0 * largest
    while n_double < n_orders and term * SINGLE_ERROR > allowed:
        n_double += 1
        term *= 2.0 * largest / (n_double + 1)
    return n_double


def _change_polynomial(
    kernel: Polynomial, W: FloatArray, Z: Matrix, base: FloatArray, memory: float
) -> FloatArray:
    inner = kernel.inner(base)
    result = np.zeros(Z.shape[1])
    for p in range(1, kernel.degree + 1):
        B = W * inner ** (kernel.degree - p)
        powers = Z.power(p) if sp.issparse(Z) else Z**p
        factor = comb(kernel.degree, p) * (-kernel.gamma) ** p
        result += factor * quadratic_forms(B, powers, memory)
    return result
