"""Slow, obvious twins of what the stable set is computed from."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize


def is_concave(p, r=-0.5):
    """Whether p^r is convex on the support of p, an interval from 0 (r < 0)."""
    last = np.flatnonzero(p)[-1]
    if not (p[: last + 1] > 0).all():
        return False
    h = p[: last + 1] ** r
    return bool((h[:-2] + h[2:] - 2 * h[1:-1] >= -1e-7 * h[1:-1]).all())


def random_concave(n, mean, rng):
    """A −½-concave distribution on 0..m ≤ n with that mean: p = h⁻² of a convex h, tilted to the mean."""
    while True:
        m = int(rng.integers(1, n + 1))
        slopes = np.sort(rng.normal(size=m) * rng.exponential(2.0))
        h = np.concatenate([[0.0], np.cumsum(slopes)])
        h = h - h.min() + rng.exponential(0.5) + 1e-3
        p = np.zeros(n + 1)
        p[: m + 1] = h**-2.0
        p /= p.sum()
        if p @ np.arange(n + 1) <= mean:
            return p


def largest_tail(mean, least, n, starts, rng):
    """The largest P(X ≥ least) that a general optimiser finds among −½-concave distributions on 0..n.

    p = h⁻² / sum, h convex and positive: h = h₀ + Σ slopes, the slopes rising.  The support may end early:
    every end is tried.
    """
    best = 0.0
    for m in range(least, n + 1):
        i = np.arange(m + 1)

        def law(x, m=m):
            slopes = x[1] + np.concatenate([[0.0], np.cumsum(np.exp(x[2:]))])
            h = np.exp(x[0]) + np.concatenate([[0.0], np.cumsum(slopes)])
            h = np.maximum(h, 1e-9)
            p = h**-2.0
            return p / p.sum()

        limits = {"type": "ineq", "fun": lambda x, law=law, i=i: mean * n - law(x) @ i}
        for _ in range(starts):
            x = np.concatenate([[rng.normal()], [rng.exponential()], rng.normal(-3, 2, m - 1)])
            found = minimize(
                lambda x, law=law: -law(x)[least:].sum(),
                x,
                constraints=[limits],
                method="SLSQP",
                bounds=[(-8, 5), (-3, 30)] + [(-12, 5)] * (m - 1),
                options={"maxiter": 300},
            )
            p = law(found.x)
            if p @ i <= mean * n * (1 + 1e-6) and is_concave(p):
                best = max(best, float(p[least:].sum()))
    return best


def best_of_any(orders, n):
    """Place after place, order after order: whoever is not yet chosen."""
    chosen = []
    for place in range(len(orders[0])):
        for order in orders:
            if order[place] not in chosen:
                chosen.append(order[place])
    return chosen[:n]
