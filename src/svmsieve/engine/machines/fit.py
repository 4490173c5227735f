"""Train machines on data: samples and labels in, expansions out."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from svmsieve.engine.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    Matrix,
    check_matrix,
    check_positive,
    check_sample_weight,
    check_vector,
)
from svmsieve.engine.kernels.kernel import RBF, Kernel, Linear, Polynomial, dot_products, gram
from svmsieve.engine.machines.expansion import Expansion, OneVsOne
from svmsieve.engine.machines.machine import (
    EPSILON,
    HINGE,
    Machine,
    check_loss,
    constant,
    train_squared_hinge,
    train_svc,
    train_svr,
    warn_unless_converged,
)
from svmsieve.engine.solvers.smo import FEW_SAMPLES, MOST_STEPS, solve_few
from svmsieve.runtime.compiled import compiled
from svmsieve.runtime.memory import require_memory

_SIGNS = np.array([-1.0, 1.0])
_EXACT = 2.0**53
"""Whole numbers up to here are exact in double precision."""


def encode_classes(y: Any, n: int) -> tuple[Any, IntArray]:
    """Return the sorted classes and each sample's index into them; at least two classes."""
    y = np.asarray(y)
    if y.shape != (n,):
        raise ValueError(f"y must have shape ({n},), got {y.shape}.")
    if y.dtype.kind in "biuf" and n > 0:  # two numbers: ten times quicker than a search for all
        ends, codes = np.empty(2), np.zeros(n, dtype=np.intp)
        if _two_values(y.astype(np.float64), ends, codes) and abs(ends).max() < _EXACT:
            return ends.astype(y.dtype), codes
    missing = _missing_labels(y)
    if missing is not None and missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise ValueError(f"y must be finite: entry {row} is {y[row]}.")
    try:
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError:
        raise ValueError("y must hold labels of one kind, not numbers and text mixed.") from None
    if len(classes) < 2:
        raise ValueError(f"y must hold at least two classes, got only {classes.tolist()[0]!r}.")
    return classes, codes


@compiled()
def _two_values(y: FloatArray, ends: FloatArray, codes: IntArray) -> bool:
    """Whether there are just two values: write the smaller, the larger, and which is which."""
    low = high = y[0]
    for t in range(1, y.shape[0]):
        low = min(low, y[t])
        high = max(high, y[t])
    for t in range(y.shape[0]):
        if y[t] == high:
            codes[t] = 1
        elif y[t] != low:
            return False
    ends[0] = low
    ends[1] = high
    return low < high


def _missing_labels(y: Any) -> BoolArray | None:
    if y.dtype.kind == "f":
        return ~np.isfinite(y)
    if y.dtype.kind == "O":
        missing = [value is None or (isinstance(value, float) and value != value) for value in y]
        return np.array(missing, dtype=np.bool_)
    return None


def balanced_weights(counts: Any) -> FloatArray:
    """Return n/(n_classes · count) of each class, classes without samples not counted."""
    known = np.where(counts > 0, counts, 1.0)
    weights: FloatArray = counts.sum() / (np.count_nonzero(counts) * known)
    return weights


def sample_bounds(
    C: float,
    codes: IntArray,
    classes: Any,
    sample_weight: Any = None,
    class_weight: dict[Any, float] | Literal["balanced"] | None = None,
    held_out: IntArray | None = None,
) -> float | FloatArray:
    """Return C·weight for each sample, or C itself where nothing is weighted.

    ``"balanced"`` is n/(n_classes · count), as in scikit-learn, counted without the ``held_out`` samples.
    """
    if sample_weight is None and class_weight is None:
        return C
    n, k = len(codes), len(classes)
    weights = np.ones(k)
    if class_weight == "balanced":
        counts = np.bincount(codes if held_out is None else np.delete(codes, held_out), minlength=k)
        weights = balanced_weights(counts)
    elif isinstance(class_weight, dict):
        weights = np.array([class_weight.get(label, 1.0) for label in classes], dtype=np.float64)
    elif class_weight is not None:
        raise ValueError(f"class_weight must be 'balanced', a dict or None, got {class_weight!r}.")
    if not weights.min() >= 0.0 or not np.isfinite(weights).all():
        raise ValueError(
            f"class_weight must hold finite weights of at least 0, got {class_weight}."
        )
    bounds = check_positive(C, "C") * weights[codes]
    return bounds if sample_weight is None else bounds * check_sample_weight(sample_weight, n)


def pair_rows(codes: IntArray, first: int, second: int) -> tuple[IntArray, FloatArray]:
    """Return the samples of two classes and their labels, −1 for the first, +1 for the second."""
    rows = np.flatnonzero((codes == first) | (codes == second))
    return rows, 2.0 * (codes[rows] == second) - 1.0


def fit_svc(
    X: Any,
    y: Any,
    kernel: Kernel,
    machine: Machine = HINGE,
    *,
    sample_weight: Any = None,
    memory: float | None = None,
) -> OneVsOne:
    """Train an SVC, one machine for each pair of classes (a single one for two classes).

    ``min ½‖w‖² + Σ C_i ξ_i`` (hinge) or ``½‖w‖² + ½ Σ C_i ξ_i²`` (squared hinge).  O(n² d) for the
    kernel matrix, then O(n) a step.

    >>> from svmsieve.engine.kernels.kernel import Linear
    >>> from svmsieve.engine.machines.machine import Machine
    >>> svc = fit_svc([[0.0], [1.0], [3.0]], ["a", "a", "b"], Linear(), Machine(C=10.0))
    >>> svc.predict([[0.5], [2.5]]).tolist()
    ['a', 'b']
    """
    X = check_matrix(X)
    n = X.shape[0]
    check_loss(machine, "hinge", "squared_hinge")
    classes, codes = encode_classes(y, n)
    bounds = sample_bounds(machine.C, codes, classes, sample_weight, machine.class_weight)
    require_memory(16.0 * n * n, memory, f"The kernel matrix of {n} samples")
    if (
        n <= FEW_SAMPLES
        and len(classes) == 2
        and machine.loss == "hinge"
        and not isinstance(kernel, Polynomial)
        and not isinstance(bounds, np.ndarray)
        and machine.max_iter is None
        and machine.tol > 0.0
    ):
        expansion = _fit_few(X, codes, kernel, check_positive(machine.C, "C"), machine.tol)
        if expansion is not None:
            return OneVsOne(classes, (expansion,))
    K = gram(kernel, X, X)
    expansions = []
    for first, second in combinations(range(len(classes)), 2):
        rows, signs = pair_rows(codes, first, second)
        whole = len(rows) == n
        K_pair = K if whole else K[np.ix_(rows, rows)]
        C_pair = bounds[rows] if isinstance(bounds, np.ndarray) else bounds
        if machine.loss == "hinge":
            dual = train_svc(K_pair, signs, C_pair, tol=machine.tol, max_iter=machine.max_iter)
        else:
            dual = train_squared_hinge(K_pair, signs, C_pair)
        warn_unless_converged(dual, "The SVC")
        expansions.append(Expansion.of_dual(kernel, X if whole else X[rows], dual))
    return OneVsOne(classes, tuple(expansions))


def _fit_few(
    X: Matrix, codes: IntArray, kernel: Linear | RBF, C: float, tol: float
) -> Expansion | None:
    """Train on few samples of two classes; None where the optimum is too many steps away."""
    gamma = kernel.gamma if isinstance(kernel, RBF) else 0.0
    K, n = dot_products(X, X), len(codes)
    coef, _, intercept, _, _, violation = solve_few(
        K,
        K.reshape(-1),
        gamma,
        _SIGNS.take(codes),
        constant(n, -1.0),
        constant(n, C),
        np.zeros(n),
        tol,
        MOST_STEPS,
    )
    support = coef.nonzero()[0]
    if violation >= tol or len(support) == 0:
        return None
    return Expansion(kernel, _rows(X, support), coef.take(support), intercept)


def _rows(X: Matrix, rows: IntArray) -> Matrix:
    return X[rows] if sp.issparse(X) else X.take(rows, axis=0)  # twice as quick as X[rows]


def fit_svr(
    X: Any,
    y: Any,
    kernel: Kernel,
    machine: Machine = EPSILON,
    *,
    sample_weight: Any = None,
    memory: float | None = None,
) -> Expansion:
    """Train an ε-SVR, ``min ½‖w‖² + Σ C_i max(0, |y_i − f(x_i)| − ε)``."""
    X = check_matrix(X)
    n = X.shape[0]
    check_loss(machine, "epsilon")
    y = check_vector(y, n, "y")
    bounds: float | FloatArray = machine.C
    if sample_weight is not None:
        bounds = check_positive(machine.C, "C") * check_sample_weight(sample_weight, n)
    require_memory(16.0 * n * n, memory, f"The kernel matrix of {n} samples")
    limits: dict[str, Any] = {"tol": machine.tol, "max_iter": machine.max_iter}
    dual = train_svr(gram(kernel, X, X), y, bounds, machine.epsilon, **limits)
    warn_unless_converged(dual, "The SVR")
    return Expansion.of_dual(kernel, X, dual)
