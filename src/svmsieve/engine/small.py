"""Two classes and few samples: from the products of the samples to the machine in one compiled call.

Below some hundred samples the interpreter's calls cost more than the numbers between them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.exponential import rbf_values
from svmsieve.engine.kernels import distance_rows
from svmsieve.engine.smo import conclude, smo_steps

FEW_SAMPLES = 200
MOST_STEPS = 100_000
"""Steps after which the general solver, which shrinks and listens to Ctrl-C, takes over."""


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
    # Plain loops throughout: they compile in a fraction of the time of numpy's functions.
    n = K.shape[0]
    start = n - n  # a literal zero would be a type of its own and compile everything below again
    diagonal = np.empty(n)
    for k in range(n):
        diagonal[k] = K[k, k]
    if gamma > 0.0:
        distance_rows(K, diagonal, diagonal, start, n)
        rbf_values(flat, gamma, flat)
    signs = np.empty(n)
    linear = np.empty(n)
    bounds = np.empty(n)
    for k in range(n):
        diagonal[k] = K[k, k]
        signs[k] = 1.0 if codes[k] == 1 else -1.0
        linear[k] = -signs[k]
        bounds[k] = C
    alpha = np.zeros(n)
    outputs = np.zeros(n)
    _, f_max, f_min = smo_steps(K, diagonal, signs, linear, bounds, alpha, outputs, tol, max_steps)
    coef, _, intercept = conclude(alpha, signs, linear, bounds, outputs)
    return coef, intercept, not f_max - f_min >= tol
