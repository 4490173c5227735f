"""Two classes and few samples: from the products of the samples to the machine in one compiled call.

Below some hundred samples the interpreter's calls cost more than the numbers between them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.exponential import rbf_rows
from svmsieve.engine.kernels import distance_rows
from svmsieve.engine.smo import conclude, smo_steps

FEW_SAMPLES = 200
MOST_STEPS = 100_000
"""Steps after which the general solver, which shrinks and listens to Ctrl-C, takes over."""


@njit(cache=True, nogil=True, error_model="numpy")
def few_sample_svc(
    K: FloatArray, gamma: float, codes: IntArray, C: float, tol: float
) -> tuple[IntArray, FloatArray, float, bool]:
    """Train a hinge SVC on ``K``, the samples' products, which a positive γ turns into an RBF kernel.

    Returns the support vectors, their coefficients, the intercept and whether that is the optimum.
    """
    n = K.shape[0]
    if gamma > 0.0:
        norms = np.diag(K).copy()
        distance_rows(K, norms, norms, 0, n)
        rbf_rows(K, gamma, K, 0, n)
    signs = np.where(codes == 1, 1.0, -1.0)
    bounds = np.full(n, C)
    alpha = np.zeros(n)
    outputs = np.zeros(n)
    diagonal = np.diag(K).copy()
    _, f_max, f_min = smo_steps(K, diagonal, signs, -signs, bounds, alpha, outputs, tol, MOST_STEPS)
    coef, _, intercept = conclude(alpha, signs, -signs, bounds, outputs)
    support = np.flatnonzero(coef)
    return support, coef[support], intercept, not f_max - f_min >= tol
