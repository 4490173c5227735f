"""Which path the sums of a feature take: a series, its distinct values, or the exact loop.

The choice follows from bounds: what a series leaves out after P orders, how far apart values are, and how
many of them there are.  :mod:`svmsieve.engine.effects.response` and
:mod:`svmsieve.engine.effects.pair_sums` say what each path computes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import lgamma
from typing import Literal, NamedTuple

import numpy as np
import scipy.sparse as sp

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix, dense_columns
from svmsieve.engine.columns import count_distinct
from svmsieve.engine.effects import response_paths as paths
from svmsieve.engine.kernels.kernel import RBF, Polynomial
from svmsieve.engine.machines.expansion import Expansion
from svmsieve.runtime.compiled import compiled, inner
from svmsieve.runtime.threads import over_rows

Path = Literal["auto", "series", "distinct", "exact"]

MAX_ORDERS = 40
"""Orders of the series above which the exact loop is cheaper."""
MAX_EXPONENT = 10.0
"""Largest exponent the series may meet: cancellation of e^10 leaves 11 digits."""
SINGLE_ERROR = 2e-6
"""Relative error of a single-precision product over some thousand centres, generously."""
_MEANS = 8
"""Orders whose remainders are bounded by their own means; later ones by the last of these."""
MAX_LEVELS = 64
"""Distinct values above which their products cost more than the exact loop."""
MAX_SPREAD = 30.0
"""Largest γ(w − x)² of the distinct path: what underflows stays below e^−670."""


_FEW_CENTERS = 200
_ORDERS_OF_FEW = np.array([2, 4, 6, 9, 13, 18, 26, MAX_ORDERS])
"""Orders of series with few centres: some more for a feature take less time than a group of its own."""

RESPONSE_TOL = 5e-10
"""Error a response may have unless the caller says otherwise, relative to Σ|c_k|."""


class Accuracy(NamedTuple):
    """How exact responses are to be: what chooses their paths."""

    tol: float = RESPONSE_TOL
    """Error allowed, relative to Σ|c_k| min(1, ρ_i), more than which no replacement changes f by."""
    mean_error: bool = False
    """Whether ``tol`` is for the mean error of all samples, whose values the replacements permute, instead
    of each one's: needs about half as many orders."""
    spread: float = np.inf
    """Largest less smallest f, where known: ``tol`` is relative to it too where Σ|c_k| is far more."""
    path: Path = "auto"
    """Forces one of the paths of the RBF kernel, for tests."""


RESPONSE_ACCURACY = Accuracy()
"""Of each response by itself, where nothing is known of f."""


@dataclass(frozen=True)
class Group:
    """Features that take the same path with the same number of product columns."""

    path: str
    features: IntArray
    n_columns: int
    n_double: int = 0
    """Orders of a series that need double precision."""


def groups_by_path(
    expansion: Expansion,
    features: IntArray,
    lower: FloatArray,
    upper: FloatArray,
    accuracy: Accuracy,
    permuted: FloatArray | None = None,
) -> list[Group]:
    """Choose the path of each feature and group the features by it.

    ``permuted`` are the samples whose values the replacements permute, where their mean error counts.
    """
    kernel = expansion.kernel
    if not isinstance(kernel, RBF):
        n_columns = kernel.degree if isinstance(kernel, Polynomial) else 1
        return [Group("polynomial", features, n_columns)]
    Z = _columns(expansion.centers, features)
    lower, upper = lower[features], upper[features]
    middle, reach = 0.5 * (lower + upper), 0.5 * (upper - lower)
    exponent = kernel.gamma * reach**2
    rho = 4.0 * exponent
    # A feature that can change f by little has its error compared with that little.  Terms that nearly
    # cancel, as those of a machine with a large C do, leave the root of the sum of their squares.
    tol, spread = accuracy.tol, accuracy.spread
    norm = float(np.linalg.norm(expansion.coef))
    share = min(1.0, spread / norm) if norm > 0.0 and spread > 0.0 else 1.0
    allowed = tol * np.minimum(share, rho)
    most = series_orders(rho, exponent, allowed)
    n_means = min(_MEANS, int(most.max(where=most <= MAX_ORDERS, initial=1)))
    shares = _remainder_shares(expansion.coef, Z, middle, reach, n_means)
    if permuted is not None:
        # |x − u|^q of a permutation is on average at most 2^q times the mean of |x − middle|^q.
        n = len(permuted)
        columns = _columns(permuted, features)
        shares *= _power_means(columns, middle, reach, np.full(n, 1.0 / n), n_means)
    orders = series_orders(rho, exponent, allowed, shares)
    groups = [
        _with_precision(group, rho, exponent, tol, share)
        for group in choose_paths(Z, orders, rho, accuracy.path)
    ]
    return [replace(group, features=features[group.features]) for group in groups]


def _with_precision(
    group: Group, rho: FloatArray, exponent: FloatArray, tol: float, share: float
) -> Group:
    """Find the orders of a series whose terms are large enough to need double precision.

    The terms of order p add up to at most e^exponent ρ^p/p! relative to Σ|c|; compared with what is
    allowed that is most for the largest ρ.
    """
    if group.path != "series":
        return group
    largest_rho = float(rho[group.features].max())
    factor = np.exp(float(exponent[group.features].max()))
    n_double, term = 0, factor * largest_rho
    allowed = tol * min(share, largest_rho)
    while n_double < group.n_columns and term * SINGLE_ERROR > allowed:
        n_double += 1
        term *= largest_rho / (n_double + 1)
    return replace(group, n_double=n_double)


def _remainder_shares(
    coef: FloatArray, Z: Matrix, middle: FloatArray, reach: FloatArray, n_means: int
) -> FloatArray:
    """Return the means of (|z_ki − middle_i|/reach_i)^(P+1) by |c_k|, for P = 1 … ``n_means``."""
    if sp.issparse(Z):  # the bound with the largest value alone
        return np.ones((n_means, Z.shape[1]))
    sizes = np.abs(coef)
    total = sizes.sum()
    weights = sizes / total if total > 0.0 else np.full(len(coef), 1.0 / len(coef))
    return _power_means(Z, middle, reach, weights, n_means)


def _power_means(
    values: FloatArray, middle: FloatArray, reach: FloatArray, weights: FloatArray, n_means: int
) -> FloatArray:
    scale = 1.0 / np.where(reach > 0.0, reach, 1.0)
    sums = np.zeros((n_means, values.shape[1]))
    over_rows(
        lambda start, stop: paths.add_power_means(
            values, middle, scale, weights, sums, start, stop
        ),
        values.shape[1],
        2.0 * n_means * len(values),
    )
    # Rounding must not make a bound smaller than it is.
    return np.minimum(sums * (1.0 + 1e-9), 1.0)


def series_orders(
    rho: FloatArray,
    exponent: FloatArray,
    tol: float | FloatArray,
    shares: FloatArray | None = None,
) -> IntArray:
    """Return the orders the series needs, ``MAX_ORDERS + 1`` where it must not be used.

    Cut after P orders, exp(v) with |v| ≤ ρ is wrong by at most e^ρ ρ^(P+1)/(P+1)!; the factor in
    front multiplies that by at most e^exponent, and the mean over the centres is at most
    ``shares[P − 1]`` of the largest (the last share holds for the orders beyond).
    """
    orders = np.empty(len(rho), dtype=np.intp)
    shares = np.ones((1, len(rho))) if shares is None else shares
    _count_orders(rho, exponent, np.array(np.broadcast_to(tol, len(rho))), shares, orders)
    return orders


@inner()
def _log(value: float) -> float:
    return np.log(value) if value > 0.0 else -np.inf


@compiled()
def _count_orders(
    rho: FloatArray, exponent: FloatArray, tol: FloatArray, shares: FloatArray, orders: IntArray
) -> None:
    for i in range(orders.shape[0]):
        orders[i] = MAX_ORDERS + 1
        if not rho[i] + exponent[i] <= MAX_EXPONENT:
            continue
        log_rho = _log(rho[i])
        log_tol = _log(tol[i])
        log_share = 0.0
        for P in range(1, MAX_ORDERS + 1):
            if shares.shape[0] >= P:
                log_share = _log(shares[P - 1, i])
            log_error = exponent[i] + rho[i] + (P + 1) * log_rho - lgamma(P + 2.0)
            if log_error + log_share <= log_tol:
                orders[i] = P
                break


def _columns(Z: Matrix, columns: IntArray) -> Matrix:
    """Return some of the columns; where they are all of them, in order, the matrix itself."""
    if np.array_equal(columns, np.arange(Z.shape[1])):
        return Z
    return Z[:, columns] if sp.issparse(Z) else dense_columns(Z, columns)


def choose_paths(Z: Matrix, orders: IntArray, spread: FloatArray, path: Path) -> list[Group]:
    """Group the features by the cheapest path that their bounds allow, or by the forced one."""
    d = len(orders)
    levels = np.full(d, MAX_LEVELS + 1, dtype=np.intp)
    series = orders <= MAX_ORDERS
    if path in ("auto", "distinct"):
        may_gain = (spread <= MAX_SPREAD) & (orders > 2)
        if path == "distinct":
            may_gain = spread <= MAX_SPREAD
        if may_gain.any():
            candidates = np.flatnonzero(may_gain)
            most = MAX_LEVELS if path == "distinct" else np.minimum(orders[candidates], MAX_LEVELS)
            levels[candidates] = count_distinct(Z, most, candidates)
    distinct = (levels <= MAX_LEVELS) & ((levels <= orders) | (path == "distinct"))
    if path == "series":
        distinct = np.zeros(d, dtype=np.bool_)
    elif path == "distinct":
        series = np.zeros(d, dtype=np.bool_)
    elif path == "exact":
        series = distinct = np.zeros(d, dtype=np.bool_)
    if Z.shape[0] <= _FEW_CENTERS:
        orders = _ORDERS_OF_FEW[np.searchsorted(_ORDERS_OF_FEW, np.minimum(orders, MAX_ORDERS))]
    chosen = [("distinct", distinct, levels), ("series", series & ~distinct, orders)]
    groups = [
        Group(name, np.flatnonzero(mask & (columns == q)), int(q))
        for name, mask, columns in chosen
        for q in np.unique(columns[mask])
    ]
    rest = np.flatnonzero(~(distinct | series))
    if len(rest):
        groups.append(Group("exact", rest, 1))
    return groups
