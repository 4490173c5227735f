"""Two classes and few samples: from the products of the samples to the machine in one compiled call."""

from __future__ import annotations

import numpy as np
from numba import njit

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.exponential import rbf_values
from svmsieve.engine.kernels import distance_rows
from svmsieve.engine.smo import solve_few


@njit(cache=True, nogil=True, error_model="numpy")
def few_sample_svc(
    K: FloatArray,
    flat: FloatArray,
    gamma: float,
    codes: IntArray,
    C: float,
    tol: float,
    max_steps: int,
) -> tuple[FloatArray, float, bool]:
    """Train a hinge SVC on ``K``, the samples' products, which a positive γ turns into an RBF kernel.

    ``flat`` is K as a vector.  Returns the coefficients of all samples, the intercept and whether that
    is the optimum.
    """
    n = K.shape[0]
    if gamma > 0.0:
        norms = np.empty(n)
        for k in range(n):
            norms[k] = K[k, k]
        first = n - n  # a literal zero would be a type of its own, to be compiled again
        distance_rows(K, norms, norms, first, n)
        rbf_values(flat, gamma, flat)
    signs = np.empty(n)
    linear = np.empty(n)
    bounds = np.empty(n)
    for k in range(n):
        signs[k] = 1.0 if codes[k] == 1 else -1.0
        linear[k] = -1.0
        bounds[k] = C
    total = n * 0.0
    coef, _, intercept, _, _, violation = solve_few(
        K, signs, linear, bounds, np.zeros(n), total, tol, max_steps
    )
    return coef, intercept, not violation >= tol
