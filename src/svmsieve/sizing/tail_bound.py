"""How often noise is chosen by both halves of a pair: the tail bound of Shah & Samworth (2013)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import norm

from svmsieve.engine.arrays import FloatArray

_FLATTEST, _STEEPEST = 1e6, 1e-12
"""Range of the shape a of the weights (a + i)⁻²: nearly uniform to nearly all at 0."""


@lru_cache(maxsize=4096)
def tail_bound(mean: float, least: int, n: int) -> float:
    """Return the largest P(X ≥ least) of a count X of 0 to n with E X ≤ n·mean that is −½-concave.

    −½-concave means that P(X = i)^(−½) is a convex function of i on an interval from 0, and infinite
    beyond.  The maximum is attained by P(X = i) = c (a + i)⁻² for i ≤ k and whatever is left, no more than
    that formula gives, at k + 1 (Shah & Samworth 2013, theorem 3 and appendix A.4): a search over k
    and a.  1 where ``least`` is at most twice the mean, about which nothing is known.

    Examples
    --------
    Chosen at random in one of a hundred pairs, how likely is fifteen of fifty?

    >>> round(tail_bound(0.01, 15, 50), 4)
    0.0066
    """
    count = n * mean
    first = int(np.ceil(2.0 * count)) + 1
    if least < first or least > n:
        return 0.0 if least > n else 1.0
    shapes = {first - 1: _FLATTEST}
    for k in range(first, n + 1):
        shapes[k] = _shape(count, k, shapes[k - 1])
    best = _tail(shapes[n], count, n, least)
    for k in range(max(first, least - 1), n):
        steep, flat = np.log(shapes[k + 1]), np.log(shapes[k])
        if steep < flat:
            found = minimize_scalar(
                lambda log_a, k=k: -_tail(np.exp(log_a), count, k, least),
                bounds=(steep, flat),
                method="bounded",
                options={"xatol": 1e-6},
            )
            best = max(best, -float(found.fun))
    return min(1.0, best)


def noise_tail(share: float, least: int, n: int) -> float:
    """Return the probability that ``least`` of n random halves choose a feature of independent noise.

    Each chooses the ``share`` of the features that differs most.  With normal noise, of which a feature has
    u on all samples, and many halves, a half chooses it with the probability Φ(u − √2·c) at u > 0, c the
    upper quantile of share/2: P(|u| ≥ √2·c + Φ⁻¹(least/n)).
    """
    return float(2.0 * norm.sf(np.sqrt(2.0) * norm.isf(share / 2.0) + norm.ppf(least / n)))


def _weights(a: float, k: int) -> FloatArray:
    """(a + i)⁻² for i up to k, relative to the first."""
    return (1.0 + np.arange(k + 1) / a) ** -2.0


def _shape(count: float, k: int, flat: float) -> float:
    """The a at which the weights up to k have the mean ``count``."""

    def excess(log_a: float) -> float:
        weights = _weights(np.exp(log_a), k)
        return float(np.arange(k + 1) @ weights / weights.sum()) - count

    low, high = np.log(_STEEPEST), np.log(flat)
    if excess(high) <= 0.0:
        return flat
    return float(np.exp(brentq(excess, low, high, xtol=1e-10))) if excess(low) < 0.0 else _STEEPEST


def _tail(a: float, count: float, k: int, least: int) -> float:
    """P(X ≥ least) of the weights up to k and the rest at k + 1, with the mean ``count``."""
    weights = _weights(a, k)
    scale = (k + 1 - count) / float((k + 1 - np.arange(k + 1)) @ weights)
    return 1.0 - scale * float(weights[:least].sum())
