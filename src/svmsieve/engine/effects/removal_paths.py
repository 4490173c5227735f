"""The paths of the pair sums of :mod:`svmsieve.engine.effects.pair_sums` when features leave an RBF kernel.

Each is a function of a block of columns z and returns ``Σ_kl W_kl (K⁽ⁱ⁾_kl − K_kl)`` for each W and column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.effects.path_choice import MAX_EXPONENT
from svmsieve.engine.effects.quadratic import (
    RBFTriangle,
    Weights,
    as_matrix,
    forms_of_each,
    rbf_triangle,
)
from svmsieve.engine.effects.response_values import distinct_values
from svmsieve.engine.kernels.exponential import exp_in_place, expm1_in_place
from svmsieve.engine.kernels.kernel import RBF
from svmsieve.runtime.compiled import compiled
from svmsieve.runtime.threads import over_rows, product


@compiled(fastmath={"contract"})
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
        source = first
        for p in range(n_double + high_orders.shape[1]):
            if p > 0:
                source = powers
                factor = np.sqrt(2.0 * gamma / p)
                for i in range(n_features):
                    powers[i] *= centred[i] * factor
            # Loops: an assignment of arrays takes seconds to compile.
            if p < n_double:
                double = low_orders[k, p]
                for i in range(n_features):
                    double[i] = source[i]
            else:
                single = high_orders[k, p - n_double]
                for i in range(n_features):
                    single[i] = source[i]


class RBFSums:
    """``Σ_kl W_kl (K⁽ⁱ⁾_kl − K_kl)`` of the RBF kernel for each W, as functions of a block of columns z."""

    def __init__(
        self, kernel: RBF, Ws: Sequence[Weights], distances: FloatArray, middle: FloatArray
    ) -> None:
        self.kernel, self.Ws, self.distances, self.middle = kernel, Ws, distances, middle

    @property
    def cancel(self) -> bool:
        """Whether some of the sums lose their digits in products: then the exact loop is the only path."""
        return any(triangle.cancels for triangle in self.triangles)

    @property
    def share(self) -> float:
        """The least of the sums beside the rounding of their terms."""
        return min(triangle.share for triangle in self.triangles)

    @cached_property
    def triangles(self) -> list[RBFTriangle]:
        """The lower half of each B = W∘K, and B1."""
        return [rbf_triangle(self.kernel.gamma, W, self.distances) for W in self.Ws]

    def along(
        self, path: str, n_columns: int, n_double: int, spread: float
    ) -> Callable[[FloatArray, IntArray], FloatArray]:
        """Return the function for one of the paths; what its blocks share is computed now.

        ``spread`` is the largest γ(z_ki − z_li)² of the columns.
        """
        gamma = self.kernel.gamma
        if path == "series":
            return partial(_change_series, gamma, self.triangles, self.middle, n_columns, n_double)
        if path == "distinct" and n_columns <= 2 and spread <= MAX_EXPONENT:
            changes = [partial(_change_binary, gamma, each, n_columns) for each in self.triangles]
        elif path == "distinct":
            K = self.kernel.of_base(self.distances)
            changes = [
                partial(_change_distinct, gamma, K * as_matrix(W), n_columns) for W in self.Ws
            ]
        else:
            changes = [partial(_change_exact, gamma, as_matrix(W), self.distances) for W in self.Ws]
        return lambda z, _: np.stack([change(z) for change in changes])


def _change_series(
    gamma: float,
    triangles: list[RBFTriangle],
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
    alone = [each.triangle for each in triangles]
    # (g−1)'B(g+1) = h'Bh + 2·1'Bh
    changes = 2.0 * (np.stack([each.row_sums for each in triangles]) @ growth)
    if n_low:
        changes += forms_of_each(alone, low_orders, signs[:n_low])
    if n_stacked > n_low:
        changes += forms_of_each(alone, high_orders, signs[n_low:])
    return changes


def _change_binary(
    gamma: float,
    B: RBFTriangle,
    n_levels: int,
    z: FloatArray,
) -> FloatArray:
    """``2 1_v'B 1_w (exp(γ(v − w)²) − 1)`` for two values, 1_v'B 1_w = 1'B 1_w − 1_w'B 1_w."""
    levels = distinct_values(z, n_levels)
    upper = (z == levels[-1]).astype(np.float64)
    forms = B.row_sums @ upper - B.triangle.forms(upper[:, None, :], np.ones(1))
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


@compiled(fastmath={"contract", "reassoc"})
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
