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
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmsieve.engine.arrays import FloatArray, Matrix, check_matrix, dense_columns
from svmsieve.engine.expansion import Expansion
from svmsieve.engine.kernels import Linear, Polynomial
from svmsieve.engine.memory import BLOCK_BUDGET, block_size
from svmsieve.engine.threads import in_order, product


def _weights(expansion: Expansion, X: Any, base: FloatArray | None) -> FloatArray:
    """``∂f/∂base`` up to a constant: A (RBF) or γD c h^{D−1} (polynomial), samples × centres."""
    kernel = expansion.kernel
    base = kernel.base(X, expansion.centers) if base is None else base
    if isinstance(kernel, Polynomial):
        inner = kernel.inner(base)
        return kernel.gamma * kernel.degree * expansion.coef * inner ** (kernel.degree - 1)
    return kernel.of_base(base) * expansion.coef


def gradient_blocks(
    expansion: Expansion,
    X: Any,
    *,
    scaling: bool,
    base: FloatArray | None = None,
    memory: float = BLOCK_BUDGET,
    size: int | None = None,
) -> Iterator[tuple[slice, FloatArray]]:
    """Yield feature slices and ∂f/∂v_i (``scaling``) or ∂f/∂x_i of all samples, n × block.

    ``base`` is the kernel's base matrix of ``X`` against the centres, if it is known already;
    ``size`` the features of a block, by default as many as the cache and ``memory`` take.
    """
    X = check_matrix(X)
    n, d = X.shape
    X_columns, Z_columns = (A.tocsc() if sp.issparse(A) else A for A in (X, expansion.centers))
    bytes_a_feature = 8.0 * (4 * n + 2 * len(expansion.coef))
    size = block_size(bytes_a_feature, memory) if size is None else size
    slopes = _slopes(expansion, X, base, scaling)

    def task(block: slice) -> tuple[slice, FloatArray]:
        return block, slopes(block, dense_columns(X_columns, block), Z_columns)

    tasks = [partial(task, slice(start, min(start + size, d))) for start in range(0, d, size)]
    yield from in_order(tasks, size * bytes_a_feature, memory)


def _slopes(
    expansion: Expansion, X: Matrix, base: FloatArray | None, scaling: bool
) -> Callable[[slice, FloatArray, Matrix], FloatArray]:
    """Return the function of a block of features, their values x and the centres' columns."""
    kernel = expansion.kernel
    if isinstance(kernel, Linear):
        w = expansion.linear_weights()

        def linear(block: slice, x: FloatArray, Z_columns: Matrix) -> FloatArray:
            slope = np.broadcast_to(w[block], x.shape)
            return 2.0 * x * slope if scaling else slope

        return linear

    weights = _weights(expansion, X, base)
    if isinstance(kernel, Polynomial):

        def polynomial(block: slice, x: FloatArray, Z_columns: Matrix) -> FloatArray:
            slope = product(weights, dense_columns(Z_columns, block))
            return 2.0 * x * slope if scaling else slope

        return polynomial

    total = weights.sum(axis=1, keepdims=True)

    def rbf(block: slice, x: FloatArray, Z_columns: Matrix) -> FloatArray:
        z = dense_columns(Z_columns, block)
        middle = z.mean(axis=0)  # differences only: centring keeps their digits
        x, z = x - middle, z - middle
        slope = product(weights, z)
        if scaling:  # total x² − 2 x first + second = x (total x − 2 first) + second
            slope *= -2.0
            slope += total * x
            slope *= x
            slope += product(weights, np.square(z, out=z))
            slope *= -2.0 * kernel.gamma
        else:
            slope -= total * x
            slope *= 2.0 * kernel.gamma
        return slope

    return rbf
