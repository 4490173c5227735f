"""Derivatives of f with respect to the inputs and to a scaling of the features.

    ∂f(x_j)/∂x_i    the gradient of f at the samples
    ∂f(x_j)/∂v_i    with every x_i (of samples and centres) scaled by v_i, at v = 1, c and b fixed

=========== ============================================ ============================================
kernel      ∂f/∂x_i                                       ∂f/∂v_i
=========== ============================================ ============================================
linear      w_i                                           2 w_i x_i
polynomial  γD Σ_k c_k h_k^{D−1} z_ki                     2 x_i ∂f/∂x_i
RBF         −2γ Σ_k A_k (x_i − z_ki)                      −2γ Σ_k A_k (x_i − z_ki)²
=========== ============================================ ============================================

with A_k = c_k K(z_k, x) and h_k = γ<z_k, x> + r.  Matrix products A'Z and A'Z², O(n m d).

For the RBF kernel the products take the differences apart, Σ_k A_k x_i − Σ_k A_k z_ki, so that a centre at
the sample itself, whose term is zero, would leave its rounding, which is all there is at a sample far from
the others: such centres are left out.  Where others are so near that rounding could still be seen, the
sample's sum is that of the differences themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmsieve.engine.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    Matrix,
    check_matrix,
    dense_columns,
)
from svmsieve.engine.effects.quadratic import NEAR, NOTHING
from svmsieve.engine.kernels.exponential import exp_in_place
from svmsieve.engine.kernels.kernel import Linear, Polynomial
from svmsieve.engine.machines.expansion import Expansion
from svmsieve.runtime.compiled import compiled
from svmsieve.runtime.memory import BLOCK_BUDGET, block_size
from svmsieve.runtime.threads import in_order, over_rows, product


@compiled()
def _rbf_weight_rows(
    distances: FloatArray,
    coef: FloatArray,
    gamma: float,
    relative: bool,
    scaling: bool,
    weights: FloatArray,
    total: FloatArray,
    is_near: BoolArray,
    start: int,
    stop: int,
) -> None:
    """Rows of A without centres at the sample itself, their sums, and whether differences are needed.

    ``relative``: A times the factor that makes the nearest other centre's kernel value 1.
    """
    for j in range(start, stop):
        row = distances[j]
        out = weights[j]
        nearest = np.inf
        farthest = 0.0
        for k in range(row.shape[0]):
            if row[k] > 0.0 and coef[k] != 0.0:
                nearest = min(nearest, row[k])
            farthest = max(farthest, row[k])
        offset = nearest if relative and nearest < np.inf else 0.0
        for k in range(row.shape[0]):
            out[k] = min(gamma * (offset - row[k]), 0.0)
        exp_in_place(out)
        value = 0.0
        size = 0.0
        reach = 0.0
        for k in range(row.shape[0]):
            gone = row[k] == 0.0 or gamma * (row[k] - offset) > NOTHING
            out[k] = 0.0 if gone else coef[k] * out[k]
            value += out[k]
            size += abs(out[k])
            reach += abs(out[k]) * (row[k] if scaling else np.sqrt(row[k]))
        total[j] = value
        # No centre is farther from their mean than twice the farthest is from the sample.
        around = 4.0 * farthest
        is_near[j] = size * (around if scaling else np.sqrt(around)) > NEAR * reach


@compiled(fastmath={"contract"})
def _slopes_of_differences(
    rows: IntArray,
    weights: FloatArray,
    x: FloatArray,
    z: FloatArray,
    scaling: bool,
    out: FloatArray,
) -> None:
    """Write ``Σ_k A_k (z_ki − x_i)``, or ``Σ_k A_k (x_i − z_ki)²``, for some of the samples."""
    for j in rows:
        slope = out[j]
        own = x[j]
        for i in range(slope.shape[0]):
            slope[i] = 0.0
        for k in range(z.shape[0]):
            weight = weights[j, k]
            if weight != 0.0:
                center = z[k]
                for i in range(slope.shape[0]):
                    gap = center[i] - own[i]
                    slope[i] += weight * (gap * gap if scaling else gap)


def gradient_blocks(
    expansion: Expansion,
    X: Any,
    *,
    scaling: bool,
    relative: bool = False,
    base: FloatArray | None = None,
    memory: float = BLOCK_BUDGET,
    size: int | None = None,
) -> Iterator[tuple[slice, FloatArray]]:
    """Yield feature slices and ∂f/∂v_i (``scaling``) or ∂f/∂x_i of all samples, n × block.

    ``relative``: ∂f/∂x_i of each sample times a positive factor of its own, which keeps the gradient's
    direction where a narrow RBF kernel makes it too short for a number.
    ``base`` is the kernel's base matrix of ``X`` against the centres, if it is known already;
    ``size`` the features of a block, by default as many as the cache and ``memory`` take.
    """
    X = check_matrix(X)
    n, d = X.shape
    X_columns, Z_columns = (A.tocsc() if sp.issparse(A) else A for A in (X, expansion.centers))
    bytes_a_feature = 8.0 * (4 * n + 2 * len(expansion.coef))
    size = block_size(bytes_a_feature, memory) if size is None else size
    slopes = _slopes(expansion, X, base, scaling, relative)

    def task(block: slice) -> tuple[slice, FloatArray]:
        return block, slopes(block, dense_columns(X_columns, block), Z_columns)

    tasks = [partial(task, slice(start, min(start + size, d))) for start in range(0, d, size)]
    yield from in_order(tasks, size * bytes_a_feature, memory)


def _slopes(
    expansion: Expansion, X: Matrix, base: FloatArray | None, scaling: bool, relative: bool
) -> Callable[[slice, FloatArray, Matrix], FloatArray]:
    """Return the function of a block of features, their values x and the centres' columns."""
    kernel = expansion.kernel
    if isinstance(kernel, Linear):
        w = expansion.linear_weights()

        def linear(block: slice, x: FloatArray, Z_columns: Matrix) -> FloatArray:
            slope = np.broadcast_to(w[block], x.shape)
            return 2.0 * x * slope if scaling else slope

        return linear

    base = kernel.base(X, expansion.centers) if base is None else base
    if isinstance(kernel, Polynomial):
        inner = kernel.inner(base)
        factor = kernel.gamma * kernel.degree * expansion.coef
        outer = factor * inner ** (kernel.degree - 1)

        def polynomial(block: slice, x: FloatArray, Z_columns: Matrix) -> FloatArray:
            slope = product(outer, dense_columns(Z_columns, block))
            return 2.0 * x * slope if scaling else slope

        return polynomial

    n = len(base)
    weights, total, is_near = np.empty(base.shape), np.empty(n), np.empty(n, dtype=np.bool_)
    gamma = kernel.gamma
    over_rows(
        lambda start, stop: _rbf_weight_rows(
            base, expansion.coef, gamma, relative, scaling, weights, total, is_near, start, stop
        ),
        n,
        4.0 * base.shape[1],
    )
    near = np.flatnonzero(is_near)

    def rbf(block: slice, x: FloatArray, Z_columns: Matrix) -> FloatArray:
        z = dense_columns(Z_columns, block)
        middle = z.mean(axis=0)  # differences only: centring keeps their digits
        x, z = x - middle, z - middle
        slope = product(weights, z)
        if scaling:  # total x² − 2 x first + second = x (total x − 2 first) + second
            slope *= -2.0
            slope += total[:, None] * x
            slope *= x
            slope += product(weights, np.square(z))
        else:
            slope -= total[:, None] * x
        if len(near):
            _slopes_of_differences(near, weights, x, z, scaling, slope)
        slope *= -2.0 * gamma if scaling else 2.0 * gamma
        return slope

    return rbf
