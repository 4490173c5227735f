"""The radius-margin bound of an RBF machine with one γ for each feature, its gradient and its minimum.

    K(x, x') = exp(−Σ_i γ_i (x_i − x'_i)²)                            Chen & Lin (2006), eq. (5)
    leave-one-out errors ≤ 4 R̃²‖w̃‖²                                  eq. (6)

The machine is the squared-hinge one, a hard-margin machine with the kernel K̃ = K + I/C; R̃² is the squared
radius of the sphere around the samples in the feature space of K̃.  At both optima (c = α∘y, β) only the
kernel's own change counts:

    ∂‖w̃‖² = −c'∂K̃c,      ∂R̃² = Σ_k β_k ∂K̃_kk − β'∂K̃β
    log γ_i:  ∂K_kl = −γ_i (x_ki − x_li)² K_kl                        (pair sums, all i in one product)
    log C:    ∂K̃ = −I/C
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from svmsieve.engine.arrays import FloatArray, Matrix
from svmsieve.engine.columns import column_range
from svmsieve.engine.effects.pair_sums import slope_sums
from svmsieve.engine.effects.quadratic import LowRank
from svmsieve.engine.kernels.kernel import RBF, gamma_of
from svmsieve.engine.machines.machine import enclose, train_squared_hinge, warn_unless_converged
from svmsieve.runtime.memory import require_memory

UNIT = RBF(1.0)
"""The kernel of samples whose columns are scaled by √γ_i."""
C_RANGE = (2.0**-5, 2.0**15)
"""C of the paper's grid; the bound is flat far outside."""
GAMMA_RANGE = (1e-12, 1e4)
"""γ_i times the squared range of feature i: from nothing to every sample for itself."""


def stretched(X: Matrix, gamma: FloatArray) -> Matrix:
    """Return the samples with column i scaled by √γ_i, so that the unit RBF kernel is that of γ.

    >>> stretched(np.array([[1.0, 2.0]]), np.array([4.0, 0.25])).tolist()
    [[2.0, 1.0]]
    """
    if sp.issparse(X):
        return (X @ sp.diags_array(np.sqrt(gamma))).tocsr()
    return X * np.sqrt(gamma)


class RMBound:
    """``log(4 R̃²‖w̃‖²)`` and its gradient with respect to log C and the log γ_i.

    Each evaluation starts from the optima of the last one.  O(n³) for the machine, O(n² d) for kernel
    and gradient.

    Parameters
    ----------
    X : samples, dense or CSR
    y : labels ±1

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0], [4.0]])
    >>> bound = RMBound(X, np.array([-1.0, -1.0, 1.0, 1.0]))
    >>> value, slope_of_C, slopes = bound(0.0, np.array([-1.0]))
    >>> step = 1e-6
    >>> difference = bound(0.0, np.array([-1.0 + step]))[0] - bound(0.0, np.array([-1.0 - step]))[0]
    >>> bool(abs(difference / (2 * step) - slopes[0]) < 1e-5)
    True
    """

    def __init__(self, X: Matrix, y: FloatArray, *, memory: float | None = None) -> None:
        n = X.shape[0]
        require_memory(
            24.0 * n * n, memory, f"The kernel matrix of {n} samples", "use fewer samples"
        )
        self.X, self.y = X, y
        self._alpha: FloatArray | None = None
        self._beta: FloatArray | None = None

    def __call__(self, log_C: float, log_gamma: FloatArray) -> tuple[float, float, FloatArray]:
        """Return the logarithm of the bound, its slope in log C and its slopes in log γ_i."""
        C = float(np.exp(log_C))
        Z = stretched(self.X, np.exp(log_gamma))
        base = UNIT.base(Z, Z)
        K = UNIT.of_base(base)
        machine = train_squared_hinge(K, self.y, C, start=self._alpha)
        warn_unless_converged(machine, "The machine of the radius-margin bound")
        K[np.diag_indices_from(K)] += 1.0 / C
        sphere = enclose(K, start=self._beta)
        warn_unless_converged(sphere, "The sphere of the radius-margin bound")
        self._alpha, self._beta = machine.alpha, sphere.beta
        c, beta = machine.coef, sphere.beta
        norm2, radius2 = float(c @ (K @ c)), sphere.radius2
        value = float(np.log(4.0 * radius2 * norm2))
        slope_of_C = (c @ c / norm2 - (1.0 - beta @ beta) / radius2) / C
        W = LowRank.of((-1.0 / norm2, c), (-1.0 / radius2, beta))
        # The sums are slopes in √γ_i, relative: log γ_i moves twice as far.
        slopes = 0.5 * slope_sums(UNIT, W, Z, base=base)
        return value, float(slope_of_C), slopes


@dataclass(frozen=True)
class RMMinimum:
    """Where the bound is smallest."""

    C: float
    gamma: FloatArray
    values: FloatArray
    """Logarithm of the bound after each step, the start first."""
    converged: bool


def minimise_bound(
    X: Matrix, y: FloatArray, *, max_iter: int = 200, memory: float | None = None
) -> RMMinimum:
    """Minimise the bound over log C and the log γ_i by L-BFGS-B.

    From C = 1 and scikit-learn's ``gamma="scale"`` for every feature.  Every column must vary.
    """
    bound = RMBound(X, y, memory=memory)
    d = X.shape[1]
    lower, upper = column_range(X)
    limits = np.vstack(
        [np.log(C_RANGE), np.log(GAMMA_RANGE) - 2.0 * np.log(upper - lower)[:, None]]
    )
    start = np.concatenate([[0.0], np.full(d, np.log(gamma_of("scale", X)))])
    start = np.clip(start, limits[:, 0], limits[:, 1])

    values: list[float] = []

    def function(theta: FloatArray) -> tuple[float, FloatArray]:
        value, slope_of_C, slopes = bound(float(theta[0]), theta[1:])
        if not values:
            values.append(value)
        return value, np.concatenate([[slope_of_C], slopes])

    result = minimize(
        function,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=limits,
        callback=lambda intermediate_result: values.append(float(intermediate_result.fun)),
        options={"maxiter": max_iter, "ftol": 1e-9, "gtol": 1e-5},
    )
    converged = bool(result.status == 0 or result.status == 2)  # 2: only rounding is left
    if not converged:
        warnings.warn(
            f"The radius-margin bound was still falling after {max_iter} steps; raise max_iter.",
            ConvergenceWarning,
            stacklevel=2,
        )
    C, gamma = float(np.exp(result.x[0])), np.exp(result.x[1:])
    return RMMinimum(C, gamma, np.array(values), converged)
