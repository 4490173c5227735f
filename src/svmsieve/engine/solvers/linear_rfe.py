"""Many steps of SVM-RFE with a linear kernel and few samples, in one compiled call."""

from __future__ import annotations

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.solvers.smo import solve_few
from svmsieve.runtime.compiled import compiled


@compiled(fastmath={"contract"})
def linear_leg(
    X: FloatArray,
    held_out: FloatArray,
    K: FloatArray,
    flat: FloatArray,
    signs: FloatArray,
    linear: FloatArray,
    bounds: FloatArray,
    tol: float,
    max_steps: int,
    gone: IntArray,
    scores: FloatArray,
    largest: FloatArray,
    products: FloatArray,
    decisions: FloatArray,
) -> bool:
    """Remove ``len(gone)`` columns one by one, each time that of the smallest w_i², the last of equal ones.

    Writes the columns, their w_i² and the largest w_i² of each step, and f of each held-out sample in the
    step's row of ``decisions``.  ``K`` = XX' (``flat`` is K as a vector) and the held-out samples'
    ``products`` ZX' change in place.
    Returns whether every machine converged within ``max_steps``.  O(n² + n d) a step, and O(n) for each
    held-out sample.
    """
    n, d = X.shape
    alpha = np.zeros(n)
    weights = np.empty(d)
    present = np.ones(d, np.bool_)
    gamma = 0.0
    for step in range(gone.shape[0]):
        coef, _, offset, _, _, violation = solve_few(
            K, flat, gamma, signs, linear, bounds, alpha, tol, max_steps
        )
        if violation >= tol:
            return False
        for h in range(products.shape[0]):
            value = offset
            for k in range(n):
                value += coef[k] * products[h, k]
            decisions[step, h] = value
        for i in range(d):
            weights[i] = 0.0
        for k in range(n):
            if coef[k] != 0.0:
                row = X[k]
                factor = coef[k]
                for i in range(d):
                    weights[i] += factor * row[i]
        worst = -1
        smallest = np.inf
        best = 0.0
        for i in range(d):
            if present[i]:
                score = weights[i] * weights[i]
                if score <= smallest:
                    smallest = score
                    worst = i
                best = max(best, score)
        present[worst] = False
        gone[step] = worst
        scores[step] = smallest
        largest[step] = best
        for k in range(n):
            row = K[k]
            value = X[k, worst]
            for j in range(n):
                row[j] -= value * X[j, worst]
        for h in range(products.shape[0]):
            for k in range(n):
                products[h, k] -= held_out[h, worst] * X[k, worst]
    return True
