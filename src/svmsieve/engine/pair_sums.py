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
from functools import cached_property, partial
from math import comb
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numba import njit
from numpy.typing import NDArray

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix, check_matrix, dense_columns
from svmsieve.engine.columns import column_range
from svmsieve.engine.exponential import exp_in_place, expm1_in_place
from svmsieve.engine.kernels import RBF, Kernel, Linear, Polynomial
from svmsieve.engine.memory import BLOCK_BUDGET, block_size
from svmsieve.engine.quadratic import (
    LowRank,
    Triangle,
    forms_of_each,
    quadratic_forms,
    rbf_triangle,
)
from svmsieve.engine.response import SINGLE_ERROR, Path, choose_paths, series_orders
from svmsieve.engine.response_paths import distinct_values
from svmsieve.engine.threads import in_order, over_rows, product

Weights: TypeAlias = FloatArray | LowRank


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


def _as_matrix(W: Weights) -> FloatArray:
    return W.matrix() if isinstance(W, LowRank) else W


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
        B = _as_matrix(W) * kernel.inner(base) ** (kernel.degree - 1)
        return 2.0 * kernel.gamma * kernel.degree * quadratic_forms(B, Z, memory)
    triangle, row_sums = rbf_triangle(kernel.gamma, W, base)

    def distances(z: FloatArray, _: IntArray) -> FloatArray:
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

    The error is at most ``tol`` relative to the sum of the terms' absolute values.  Cost O(m² d P)
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
        return np.stack([_change_polynomial(kernel, _as_matrix(W), Z, base, memory) for W in Ws])
    lower, upper = column_range(Z) if bounds is None else bounds
    exponent = kernel.gamma * (0.5 * (upper - lower)) ** 2
    allowed = tol * np.minimum(1.0, exponent)
    orders = series_orders(2.0 * exponent, 2.0 * exponent, allowed)
    sums = _RBFSums(kernel, Ws, base, 0.5 * (lower + upper))
    blocks = _Blocks(Z, memory, len(Ws))
    for group in choose_paths(Z, orders, 4.0 * exponent, path):
        n_double = 0
        if group.path == "series":
            n_double = _double_orders(group.n_columns, exponent[group.features], tol)
        compute = sums.along(group.path, group.n_columns, n_double)
        blocks.add(group.features, 24.0 * Z.shape[0] * (group.n_columns + 1), compute)
    return blocks.run()


def _double_orders(n_orders: int, exponent: FloatArray, tol: float) -> int:
    """Return how many orders of the series need double precision.

    The terms of order p add up to at most e^2η (2η)^p/p! relative to Σ|B|, η the exponent, and their
    error must stay below tol·min(1, η); the ratio grows with η.
    """
    largest = float(exponent.max())
    allowed = tol * min(1.0, largest)
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


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _series_stack_rows(
    z: FloatArray,
    middle: FloatArray,
    gamma: float,
    merged: bool,
    growth: FloatArray,
    low_orders: FloatArray,
    high_orders: NDArray[np.float32],
    start: int,
    stop: int,
) -> None:
    """Rows of h = g − 1 and of the stack h, g∘z^p √((2γ)^p/p!), its low orders in double precision.

    The root of the series' factor: it stands on both sides of B.  ``merged``: the first of the stack is
    (h + 2γz²g)/√3, which stands for the second order too.
    """
    n_features = z.shape[1]
    centred = np.empty(n_features)
    powers = np.empty(n_features)
    first = np.empty(n_features)
    for k in range(start, stop):
        own = growth[k]
        for i in range(n_features):
            centred[i] = z[k, i] - middle[i]
            powers[i] = gamma * (centred[i] * centred[i])
            own[i] = powers[i]
        expm1_in_place(own)
        share = 2.0 / np.sqrt(3.0) if merged else 0.0
        rest = np.sqrt(1.0 / 3.0) if merged else 1.0
        for i in range(n_features):
            first[i] = rest * own[i] + share * powers[i] * (own[i] + 1.0)
            powers[i] = own[i] + 1.0
        n_double = low_orders.shape[1]
        for p in range(n_double):
            double = low_orders[k, p]
            if p == 0:
                for i in range(n_features):  # an assignment of arrays takes seconds to compile
                    double[i] = first[i]
            else:
                factor = np.sqrt(2.0 * gamma / p)
                for i in range(n_features):
                    powers[i] *= centred[i] * factor
                    double[i] = powers[i]
        for p in range(n_double, n_double + high_orders.shape[1]):
            single = high_orders[k, p - n_double]
            if p == 0:
                for i in range(n_features):
                    single[i] = first[i]
            else:
                factor = np.sqrt(2.0 * gamma / p)
                for i in range(n_features):
                    powers[i] *= centred[i] * factor
                    single[i] = powers[i]


class _RBFSums:
    """``Σ_kl W_kl (K⁽ⁱ⁾_kl − K_kl)`` of the RBF kernel for each W, as functions of a block of columns z."""

    def __init__(
        self, kernel: RBF, Ws: Sequence[Weights], distances: FloatArray, middle: FloatArray
    ) -> None:
        self.kernel, self.Ws, self.distances, self.middle = kernel, Ws, distances, middle

    @cached_property
    def triangles(self) -> list[tuple[Triangle, FloatArray]]:
        """The lower half of each B = W∘K, and B1."""
        return [rbf_triangle(self.kernel.gamma, W, self.distances) for W in self.Ws]

    def along(
        self, path: str, n_columns: int, n_double: int
    ) -> Callable[[FloatArray, IntArray], FloatArray]:
        """Return the function for one of the paths; what its blocks share is computed now."""
        gamma = self.kernel.gamma
        if path == "series":
            return partial(_change_series, gamma, self.triangles, self.middle, n_columns, n_double)
        if path == "distinct" and n_columns <= 2:
            changes = [partial(_change_binary, gamma, *each, n_columns) for each in self.triangles]
        elif path == "distinct":
            K = self.kernel.of_base(self.distances)
            changes = [
                partial(_change_distinct, gamma, K * _as_matrix(W), n_columns) for W in self.Ws
            ]
        else:
            changes = [
                partial(_change_exact, gamma, _as_matrix(W), self.distances) for W in self.Ws
            ]
        return lambda z, _: np.stack([change(z) for change in changes])


def _change_series(
    gamma: float,
    triangles: list[tuple[Triangle, FloatArray]],
    middle: FloatArray,
    n_orders: int,
    n_double: int,
    z: FloatArray,
    features: IntArray,
) -> FloatArray:
    """``(g−1)'B(g+1) + Σ_{p≥1} (−2γ)^p/p! (g∘z^p)'B(g∘z^p)``: no order-zero term to cancel."""
    m, n_features = z.shape
    # h'Bh and the second order's 2a'Ba, a = γz²g = h + O(h²), are 3v'Bv + ⅔(a − h)'B(a − h) with
    # v = (h + 2a)/3: where the third order is too small to matter, so is the last term.
    merged = n_orders == 2
    n_stacked = 2 if merged else n_orders + 1
    # Where no order needs double precision, h'Bh does not either: it is of the second order.
    n_low = min(n_double + 1, n_stacked) if n_double else 0
    growth = np.empty((m, n_features))
    low_orders = np.empty((m, n_low, n_features))
    high_orders = np.empty((m, n_stacked - n_low, n_features), dtype=np.float32)
    over_rows(
        lambda start, stop: _series_stack_rows(
            z, middle[features], gamma, merged, growth, low_orders, high_orders, start, stop
        ),
        m,
        n_features * (n_orders + 4.0),
    )
    signs = np.where(np.arange(n_stacked) % 2 == 0, 1.0, -1.0)
    alone = [triangle for triangle, _ in triangles]
    # (g−1)'B(g+1) = h'Bh + 2·1'Bh
    changes = 2.0 * (np.stack([row_sums for _, row_sums in triangles]) @ growth)
    if n_low:
        changes += forms_of_each(alone, low_orders, signs[:n_low])
    if n_stacked > n_low:
        changes += forms_of_each(alone, high_orders, signs[n_low:])
    return changes


def _change_binary(
    gamma: float,
    triangle: Triangle,
    row_sums: FloatArray,
    n_levels: int,
    z: FloatArray,
) -> FloatArray:
    """``2 1_v'B 1_w (exp(γ(v − w)²) − 1)`` for two values, 1_v'B 1_w = 1'B 1_w − 1_w'B 1_w."""
    levels = distinct_values(z, n_levels)
    upper = (z == levels[-1]).astype(np.float64)
    forms = row_sums @ upper - triangle.forms(upper[:, None, :], np.ones(1))
    return 2.0 * forms * np.expm1(gamma * (levels[-1] - levels[0]) ** 2)


def _change_distinct(gamma: float, B: FloatArray, n_levels: int, z: FloatArray) -> FloatArray:
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
            for l in range(k):
                gap = z[k] - z[l]
                part = min(gap * gap, row[l])
                kept[l] = -gamma * (row[l] - part)
                gone[l] = -gamma * part
            exp_in_place(kept[:k])
            expm1_in_place(gone[:k])
            for l in range(k):
                # K⁽ⁱ⁾ − K = K⁽ⁱ⁾ (1 − exp(−γ gap²)): both factors are at most 1
                value -= W[k, l] * kept[l] * gone[l]
        out[i] = 2.0 * value


def _change_exact(gamma: float, W: FloatArray, distances: FloatArray, z: FloatArray) -> FloatArray:
    """The sum over the pairs itself."""
    z_by_feature = np.ascontiguousarray(z.T)
    out = np.empty(len(z_by_feature))
    over_rows(
        lambda start, stop: _change_exact_features(
            W, distances, z_by_feature, gamma, out, start, stop
        ),
        len(out),
        2.0 * W.size,
    )
    return out
