"""Sums over pairs of centres: what happens to Σ_kl W_kl K_kl when a feature goes or is scaled.

    removed_i(W) = Σ_kl W_kl K⁽ⁱ⁾_kl          K⁽ⁱ⁾: the kernel without feature i       (zero order)
    slope_i(W)   = Σ_kl W_kl ∂K_kl/∂v_i       x_i scaled by v_i, taken at v = 1        (first order)

W is symmetric, or a vector c that stands for W = cc'.  For the RBF kernel and B = W∘K

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

from collections.abc import Iterator
from math import comb
from typing import Any

import numpy as np
import scipy.sparse as sp
from numba import njit

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix, check_matrix, dense_columns
from svmsieve.engine.columns import column_range
from svmsieve.engine.exponential import exp_in_place
from svmsieve.engine.kernels import Kernel, Linear, Polynomial
from svmsieve.engine.memory import BLOCK_BUDGET
from svmsieve.engine.response import Path, choose_paths, series_orders
from svmsieve.engine.response_paths import distinct_values
from svmsieve.engine.threads import over_rows, product


def _blocks(
    Z: Matrix, features: IntArray, bytes_a_feature: float, memory: float
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Yield feature indices and their dense columns, as many as the budget takes."""
    columns = Z.tocsc() if sp.issparse(Z) else Z
    size = max(1, int(memory / bytes_a_feature))
    for first in range(0, len(features), size):
        block = features[first : first + size]
        yield block, dense_columns(columns, block)


def _as_matrix(W: FloatArray) -> FloatArray:
    return np.outer(W, W) if W.ndim == 1 else W


def _quadratic_forms(B: FloatArray, Z: Matrix, memory: float) -> FloatArray:
    """Return ``z_i' B z_i`` for each column."""
    result = np.empty(Z.shape[1])
    for block, z in _blocks(Z, np.arange(Z.shape[1]), 16.0 * len(B), memory):
        result[block] = np.einsum("ki,ki->i", z, product(B, z))
    return result


def _linear_forms(W: FloatArray, Z: Matrix, memory: float) -> FloatArray:
    """Return ``z_i' W z_i``; for W = cc' it is w_i², O(m d)."""
    if W.ndim == 1:
        return np.asarray(Z.T @ W).ravel() ** 2
    return _quadratic_forms(W, Z, memory)


def _check(W: Any, Z: Any) -> tuple[FloatArray, Matrix]:
    Z = check_matrix(Z, "Z")
    m = Z.shape[0]
    W = np.ascontiguousarray(W, dtype=np.float64)
    if W.shape not in ((m,), (m, m)):
        raise ValueError(f"W must have shape ({m},) or ({m}, {m}), got {W.shape}.")
    return W, Z


def slope_sums(
    kernel: Kernel,
    W: FloatArray,
    Z: Any,
    *,
    base: FloatArray | None = None,
    memory: float = BLOCK_BUDGET,
) -> FloatArray:
    """Return ``Σ_kl W_kl ∂K_kl/∂v_i`` for each feature i, O(m² d), or O(m d) for linear cc'.

    ``base`` is the kernel's base matrix of Z against itself, if it is known already.
    """
    W, Z = _check(W, Z)
    if isinstance(kernel, Linear):
        return 2.0 * _linear_forms(W, Z, memory)
    base = kernel.base(Z, Z) if base is None else base
    if isinstance(kernel, Polynomial):
        B = _as_matrix(W) * kernel.inner(base) ** (kernel.degree - 1)
        return 2.0 * kernel.gamma * kernel.degree * _quadratic_forms(B, Z, memory)
    B = kernel.of_base(base)
    B *= _as_matrix(W)
    row_sums = B.sum(axis=1)
    result = np.empty(Z.shape[1])
    for block, z in _blocks(Z, np.arange(Z.shape[1]), 24.0 * len(B), memory):
        z -= z.mean(axis=0)  # differences only: centring keeps their digits
        result[block] = row_sums @ z**2 - np.einsum("ki,ki->i", z, product(B, z))
    return -4.0 * kernel.gamma * result


def removed_sums(
    kernel: Kernel,
    W: FloatArray,
    Z: Any,
    *,
    base: FloatArray | None = None,
    tol: float = 1e-10,
    path: Path = "auto",
    memory: float = BLOCK_BUDGET,
) -> FloatArray:
    """Return ``Σ_kl W_kl K⁽ⁱ⁾_kl`` for each feature i; see :func:`removal_changes`."""
    W, Z = _check(W, Z)
    base = kernel.base(Z, Z) if base is None else base
    K = kernel.of_base(base)
    total = W @ K @ W if W.ndim == 1 else np.sum(W * K)
    return total + removal_changes(kernel, W, Z, base=base, tol=tol, path=path, memory=memory)


def removal_changes(
    kernel: Kernel,
    W: FloatArray,
    Z: Any,
    *,
    base: FloatArray | None = None,
    tol: float = 1e-10,
    path: Path = "auto",
    memory: float = BLOCK_BUDGET,
) -> FloatArray:
    """Return ``Σ_kl W_kl (K⁽ⁱ⁾_kl − K_kl)`` for each feature i, without cancellation.

    The error is at most ``tol`` relative to the sum of the terms' absolute values.  Cost O(m² d P)
    with P products (RBF series), D of them (polynomial), O(m d) for linear cc'.  ``path`` forces one
    of the RBF kernel's paths, for tests.
    """
    W, Z = _check(W, Z)
    if isinstance(kernel, Linear):
        return -_linear_forms(W, Z, memory)
    base = kernel.base(Z, Z) if base is None else base
    W = _as_matrix(W)
    if isinstance(kernel, Polynomial):
        return _change_polynomial(kernel, W, Z, base, memory)
    B = kernel.of_base(base)
    B *= W
    lower, upper = column_range(Z)
    exponent = kernel.gamma * (0.5 * (upper - lower)) ** 2
    orders = series_orders(2.0 * exponent, 2.0 * exponent, tol * np.minimum(1.0, exponent))
    result = np.empty(Z.shape[1])
    for group in choose_paths(Z, orders, 4.0 * exponent, path):
        bytes_a_feature = 24.0 * len(B) * (group.n_columns + 1)
        for block, z in _blocks(Z, group.features, bytes_a_feature, memory):
            if group.path == "series":
                result[block] = _change_series(kernel.gamma, B, z, group.n_columns)
            elif group.path == "distinct":
                result[block] = _change_distinct(kernel.gamma, B, z, group.n_columns)
            else:
                result[block] = _change_exact(kernel.gamma, W, base, z)
    return result


def _change_polynomial(
    kernel: Polynomial, W: FloatArray, Z: Matrix, base: FloatArray, memory: float
) -> FloatArray:
    inner = kernel.inner(base)
    result = np.zeros(Z.shape[1])
    for p in range(1, kernel.degree + 1):
        B = W * inner ** (kernel.degree - p)
        powers = Z.power(p) if sp.issparse(Z) else Z**p
        factor = comb(kernel.degree, p) * (-kernel.gamma) ** p
        result += factor * _quadratic_forms(B, powers, memory)
    return result


def _change_series(gamma: float, B: FloatArray, z: FloatArray, n_orders: int) -> FloatArray:
    """``(g−1)'B(g+1) + Σ_{p≥1} (−2γ)^p/p! (g∘z^p)'B(g∘z^p)``: no order-zero term to cancel."""
    z = z - 0.5 * (z.min(axis=0) + z.max(axis=0))
    m, n_features = z.shape
    stacked = np.empty((m, n_orders + 1, n_features))
    growth = np.expm1(gamma * z**2)
    stacked[:, 0] = growth
    powers = growth + 1.0
    for p in range(1, n_orders + 1):
        powers *= z * np.sqrt(2.0 * gamma / p)  # the same factor on both sides of B
        stacked[:, p] = powers
    products = product(B, stacked.reshape(m, -1)).reshape(stacked.shape)
    signs = (-1.0) ** np.arange(n_orders + 1)
    result = signs @ np.einsum("kpi,kpi->pi", stacked, products)
    return result + 2.0 * products[:, 0].sum(axis=0)  # (g−1)'B(g+1) = (g−1)'B(g−1) + 2·1'B(g−1)


def _change_distinct(gamma: float, B: FloatArray, z: FloatArray, n_levels: int) -> FloatArray:
    """``Σ_vw 1_v'B 1_w (exp(γ(v − w)²) − 1)`` over the values v, w of the feature."""
    m, n_features = z.shape
    levels = distinct_values(z, n_levels)
    belongs = np.empty((m, n_levels, n_features))
    for w in range(n_levels):
        belongs[:, w] = z == levels[w]
    products = product(B, belongs.reshape(m, -1)).reshape(belongs.shape)
    forms = np.einsum("kvi,kwi->vwi", belongs, products, optimize=True)
    gaps = levels[:, None] - levels[None, :]
    return np.einsum("vwi,vwi->i", forms, np.expm1(gamma * gaps**2))


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})
def _change_exact_features(
    W: FloatArray,
    distances: FloatArray,
    z_by_feature: FloatArray,
    gamma: float,
    out: FloatArray,
    start: int,
    stop: int,
) -> None:
    m = W.shape[0]
    kept = np.empty(m)
    gone = np.empty(m)
    for i in range(start, stop):
        z = z_by_feature[i]
        value = 0.0
        for k in range(m):
            row = distances[k]
            for l in range(m):
                gap = z[k] - z[l]
                part = min(gap * gap, row[l])
                kept[l] = -gamma * (row[l] - part)
                gone[l] = -gamma * part
            exp_in_place(kept)
            for l in range(m):
                # K⁽ⁱ⁾ − K = K⁽ⁱ⁾ (1 − exp(−γ gap²)): both factors are at most 1
                value -= W[k, l] * kept[l] * np.expm1(gone[l])
        out[i] = value


def _change_exact(gamma: float, W: FloatArray, distances: FloatArray, z: FloatArray) -> FloatArray:
    z_by_feature = np.ascontiguousarray(z.T)
    out = np.empty(len(z_by_feature))
    over_rows(
        lambda start, stop: _change_exact_features(
            W, distances, z_by_feature, gamma, out, start, stop
        ),
        len(out),
        4.0 * W.size,
    )
    return out
