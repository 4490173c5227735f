"""The machines, each trained on a kernel matrix.

Every machine ends as the coefficients of a kernel expansion ``f(x) = Σ c_k K(z_k, x) + b``.  Labels are
±1, ``C`` is a number or one bound per sample: it carries class and sample weights, and a bound of zero
holds a sample out.  The outputs of held-out samples come with the solution, so folds share one matrix.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from svmsieve.engine.arrays import FloatArray, check_positive, check_vector
from svmsieve.engine.solvers.newton import solve_squared_hinge
from svmsieve.engine.solvers.smo import QPSolution, default_steps, solve_qp

Loss: TypeAlias = Literal["hinge", "squared_hinge", "epsilon"]

_HOPELESS = 10
"""What divides the steps of a machine that starts from one that all of them did not bring to its optimum."""


@dataclass(frozen=True)
class Dual:
    """A trained machine in its dual form."""

    coef: FloatArray
    """c_k: α_k y_k (SVC) or α_k − α*_k (SVR), zero where k is no support vector."""
    outputs: FloatArray
    """f − b of all samples of the kernel matrix, held-out ones (C_i = 0) included."""
    intercept: float
    alpha: FloatArray
    """The dual variables: n of them (SVC) or 2n (SVR); a warm start for a similar problem."""
    bounds: FloatArray
    """Upper bounds of ``alpha``; infinite for the squared hinge."""
    objective: float
    """Value of the minimised dual objective (hinge, ε) or of the primal one (squared hinge)."""
    n_iter: int
    converged: bool

    @property
    def decision(self) -> FloatArray:
        """f of all samples of the kernel matrix."""
        return self.outputs + self.intercept

    @cached_property
    def support(self) -> np.ndarray[Any, np.dtype[np.intp]]:
        """Indices of the support vectors."""
        return np.flatnonzero(self.coef)


def warn_unless_converged(machine: Dual | Sphere, what: str) -> None:
    """Tell the user that a machine is short of its optimum."""
    if not machine.converged:
        warnings.warn(
            f"{what} stopped after {machine.n_iter} steps short of the optimum; standardise the "
            "features, lower C or raise max_iter.",
            ConvergenceWarning,
            stacklevel=3,
        )


@dataclass(frozen=True)
class Sphere:
    """The smallest sphere around the mapped samples: R² = Σβ_k K_kk − β'Kβ."""

    beta: FloatArray
    radius2: float
    n_iter: int
    converged: bool


def _bounds(C: float | FloatArray, n: int) -> FloatArray:
    if not isinstance(C, np.ndarray):
        bounds = np.empty(n)
        bounds.fill(check_positive(C, "C"))
        return bounds
    bounds = check_vector(C, n, "C")
    if not bounds.min() >= 0.0 or not bounds.max() > 0.0:
        raise ValueError("C must not be negative and must be positive for some sample.")
    return bounds


def _dual(solution: QPSolution, bounds: FloatArray) -> Dual:
    return Dual(
        solution.signed,
        solution.outputs,
        solution.offset,
        solution.a,
        bounds,
        solution.objective,
        solution.n_iter,
        solution.converged,
    )


def train_svc(
    K: FloatArray,
    y: FloatArray,
    C: float | FloatArray,
    *,
    start: FloatArray | None = None,
    tol: float = 1e-3,
    max_iter: int | None = None,
) -> Dual:
    """Train the hinge SVC, ``min ½‖w‖² + Σ C_i max(0, 1 − y_i f(x_i))``, from ``start`` (an alpha)."""
    bounds = _bounds(C, len(y))
    solution = solve_qp(
        K, y, np.full(len(y), -1.0), bounds, start=start, tol=tol, max_iter=max_iter
    )
    return _dual(solution, bounds)


def train_svr(
    K: FloatArray,
    y: FloatArray,
    C: float | FloatArray,
    epsilon: float,
    *,
    start: FloatArray | None = None,
    tol: float = 1e-3,
    max_iter: int | None = None,
) -> Dual:
    """Train the ε-SVR, ``min ½‖w‖² + Σ C_i max(0, |y_i − f(x_i)| − ε)``, from ``start`` (an alpha)."""
    if not 0.0 <= epsilon < np.inf:
        raise ValueError(f"epsilon must be finite and not negative, got {epsilon!r}.")
    n = len(y)
    bounds = np.tile(_bounds(C, n), 2)
    signs = np.ones(2 * n)
    signs[n:] = -1.0
    linear = np.concatenate([epsilon - y, epsilon + y])
    solution = solve_qp(K, signs, linear, bounds, start=start, tol=tol, max_iter=max_iter)
    return _dual(solution, bounds)


def train_squared_hinge(
    K: FloatArray,
    y: FloatArray,
    C: float | FloatArray,
    *,
    start: FloatArray | None = None,
    max_iter: int = 200,
) -> Dual:
    """Train the squared-hinge SVC, ``min ½‖w‖² + ½ Σ C_i max(0, 1 − y_i f(x_i))²``, exactly.

    Its dual is that of a hard-margin machine with the kernel K + diag(1/C).  ``start`` is an alpha, of
    which only the support matters.
    """
    bounds = _bounds(C, len(y))
    rows = np.flatnonzero(bounds > 0.0)
    whole = len(rows) == len(y)
    solution = solve_squared_hinge(
        K if whole else K[np.ix_(rows, rows)],
        y[rows],
        bounds[rows],
        start=None if start is None else start[rows] > 0.0,
        max_iter=max_iter,
    )
    coef = np.zeros(len(y))
    coef[rows] = solution.coef
    return Dual(
        coef,
        solution.outputs if whole else K[:, rows] @ solution.coef,
        solution.intercept,
        y * coef,
        np.where(bounds > 0.0, np.inf, 0.0),
        solution.objective,
        solution.n_iter,
        solution.converged,
    )


def enclose(
    K: FloatArray,
    *,
    start: FloatArray | None = None,
    tol: float = 1e-6,
    max_iter: int | None = None,
) -> Sphere:
    """Find the smallest enclosing sphere, ``max Σβ_k K_kk − β'Kβ`` with Σβ_k = 1, β ≥ 0.

    ``tol`` is relative to the spread of the kernel's diagonal, so the answer scales with K.
    """
    n = len(K)
    diagonal = K.diagonal()
    ones = np.ones(n)
    # R² is at most the largest squared distance from any one sample.
    scale = float((diagonal + diagonal[0] - 2.0 * K[0]).max())
    if scale <= 0.0:
        return Sphere(ones / n, 0.0, 0, True)
    solution = solve_qp(
        K,
        ones,
        -0.5 * diagonal,
        ones,
        start=ones / n if start is None else start,
        total=1.0,
        tol=tol * scale,
        max_iter=max_iter,
    )
    # The objective is ½β'Kβ − ½Σβ_k K_kk.
    return Sphere(solution.a, -2.0 * solution.objective, solution.n_iter, solution.converged)


@lru_cache(maxsize=16)
def constant(n: int, value: float) -> FloatArray:
    """A vector of one value, such as the linear term of every hinge machine; not to be written to."""
    return np.full(n, value)


@dataclass(frozen=True)
class Machine:
    """Which machine to train and how; the kernel is that of the matrix it is trained on."""

    loss: Loss = "hinge"
    C: float = 1.0
    epsilon: float = 0.1
    class_weight: dict[Any, float] | Literal["balanced"] | None = None
    tol: float = 1e-3
    max_iter: int | None = None
    judged: bool = False
    """Whether it is judged and thrown away: then its way to the optimum may be the quickest one."""

    def solve(
        self, K: FloatArray, y: FloatArray, bounds: FloatArray, start: Dual | None = None
    ) -> Dual:
        """Train on a kernel matrix with the given bounds, from a similar machine's solution."""
        dual = self._solved(K, y, bounds, start)
        warn_unless_converged(dual, "The machine")
        return dual

    def _solved(self, K: FloatArray, y: FloatArray, bounds: FloatArray, start: Dual | None) -> Dual:
        alpha = None if start is None else start.alpha
        if self.loss == "squared_hinge":
            return train_squared_hinge(K, y, bounds, start=alpha)
        max_iter = self.max_iter
        if max_iter is None and start is not None and not start.converged:
            max_iter = default_steps(len(y)) // _HOPELESS  # its neighbour had as many already
        options: dict[str, Any] = {"start": alpha, "tol": self.tol, "max_iter": max_iter}
        if self.loss == "hinge":
            return _dual(solve_qp(K, y, constant(len(y), -1.0), bounds, **options), bounds)
        return train_svr(K, y, bounds, self.epsilon, **options)


HINGE = Machine()
EPSILON = Machine("epsilon")


def check_loss(machine: Machine, *losses: Loss) -> None:
    """Refuse a machine whose loss is not one of those."""
    if machine.loss not in losses:
        raise ValueError(f"loss must be {' or '.join(map(repr, losses))}, got {machine.loss!r}.")
