"""The kernels, each an elementwise function of a *base* matrix that is a sum over features.

=========== ============================ ===============================
kernel      base B(x, z)                 K(x, z)
=========== ============================ ===============================
linear      <x, z>                       B
polynomial  <x, z>                       (γ B + r)^D
RBF         ‖x − z‖²                     exp(−γ B)
=========== ============================ ===============================

Because the base is additive, dropping a feature costs one subtraction per pair of samples, whatever
the number of features (:mod:`svmsieve.engine.kernels.gram`), and all γ of a grid share one base.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from sklearn.utils.sparsefuncs import mean_variance_axis

from svmsieve.engine.arrays import FloatArray, Matrix, check_positive, dense_columns
from svmsieve.engine.kernels.exponential import rbf_values
from svmsieve.runtime.compiled import compiled
from svmsieve.runtime.threads import over_rows, product, self_product


def dot_products(X: Matrix, Z: Matrix) -> FloatArray:
    """Return ``<x, z>`` for all rows of ``X`` and ``Z`` as a dense array, O(n m d)."""
    if not sp.issparse(X) and not sp.issparse(Z):
        if X.shape[1] == 1:  # the same bits, without the detour of a symmetric BLAS product
            return X * Z.T
        return self_product(X) if X is Z else product(X, Z.T)
    products = X @ Z.T
    return np.ascontiguousarray(products.toarray() if sp.issparse(products) else products)


def squared_norms(X: Matrix) -> FloatArray:
    """Return ``‖x‖²`` for each row of ``X``."""
    if sp.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X)


@compiled()
def distance_rows(
    products: FloatArray, norms: FloatArray, others: FloatArray, start: int, stop: int
) -> None:
    """Turn rows of products into squared distances in place; exactly 0 for a sample with itself."""
    for i in range(start, stop):
        row = products[i]
        norm = norms[i]
        for j in range(row.shape[0]):
            row[j] = max(norm + others[j] - 2.0 * row[j], 0.0)


@compiled()
def _refine_rows(
    distances: FloatArray,
    norms: FloatArray,
    others: FloatArray,
    X: FloatArray,
    Z: FloatArray,
    start: int,
    stop: int,
) -> None:
    """Compute the distances of rows that are nearly the same from their differences."""
    for i in range(start, stop):
        row = distances[i]
        own = X[i]
        least = _CLOSE * norms[i]
        for j in range(row.shape[0]):
            if row[j] <= least and row[j] <= _CLOSE * others[j]:
                other = Z[j]
                total = 0.0
                for k in range(own.shape[0]):
                    gap = own[k] - other[k]
                    total += gap * gap
                row[j] = total


_CLOSE = 1e-6
"""Squared distance over squared norm below which too few digits of the distance are left."""
_FAR = 100.0
"""Squared mean over variance above which products of the values as they are cost too many digits."""


def squared_distances(X: Matrix, Z: Matrix) -> FloatArray:
    """Return ``‖x − z‖²`` for all rows of ``X`` and ``Z``, O(n m d); exactly 0 for a row with itself.

    Columns whose mean is far beyond their spread are centred first: only differences count, and the
    squares of the values as they are would leave few of their digits.
    """
    means = np.asarray(Z.mean(axis=0)).ravel()
    size = float(means @ means)
    if size <= _FAR * (float(squared_norms(Z).mean()) - size):
        return _distances_of_products(X, Z)
    if not sp.issparse(Z):
        centred = Z - means
        return _distances_of_products(centred if X is Z else X - means, centred)
    # A sparse column with such a mean has hardly any zeros: it may be made dense, the others stay.
    variances = np.asarray(Z.multiply(Z).mean(axis=0)).ravel() - means**2
    is_far = means**2 > _FAR * variances
    far, near = np.flatnonzero(is_far), np.flatnonzero(~is_far)
    Z_far, Z_near = dense_columns(Z, far) - means[far], Z[:, near]
    X_far, X_near = Z_far, Z_near
    if X is not Z:
        X_far, X_near = dense_columns(X, far) - means[far], X[:, near]
    return _distances_of_products(X_far, Z_far) + _distances_of_products(X_near, Z_near)


def _distances_of_products(X: Matrix, Z: Matrix) -> FloatArray:
    """Return ``‖x‖² + ‖z‖² − 2<x, z>``."""
    distances = dot_products(X, Z)
    norms = distances.diagonal().copy() if X is Z else squared_norms(X)
    others = norms if X is Z else squared_norms(Z)
    over_rows(
        lambda start, stop: distance_rows(distances, norms, others, start, stop),
        distances.shape[0],
        float(distances.shape[1]),
    )
    if not sp.issparse(X) and not sp.issparse(Z):  # sparse products of equal rows are equal
        over_rows(
            lambda start, stop: _refine_rows(distances, norms, others, X, Z, start, stop),
            distances.shape[0],
            float(distances.shape[1]),
        )
    return distances


@dataclass(frozen=True)
class Linear:
    """``K(x, z) = <x, z>``."""

    def base(self, X: Matrix, Z: Matrix) -> FloatArray:
        """Return the dot products of the rows of ``X`` and ``Z``."""
        return dot_products(X, Z)

    def of_base(self, base: FloatArray, out: FloatArray | None = None) -> FloatArray:
        """Return the kernel values of a base matrix (here the base itself)."""
        if out is None or out is base:
            return base
        out[...] = base
        return out


@dataclass(frozen=True)
class RBF:
    """``K(x, z) = exp(−γ ‖x − z‖²)``."""

    gamma: float

    def __post_init__(self) -> None:
        # A float whatever was given: another type would compile every hot function again.
        object.__setattr__(self, "gamma", check_positive(self.gamma, "gamma"))

    def base(self, X: Matrix, Z: Matrix) -> FloatArray:
        """Return the squared distances of the rows of ``X`` and ``Z``."""
        return squared_distances(X, Z)

    def of_base(self, base: FloatArray, out: FloatArray | None = None) -> FloatArray:
        """Return the kernel values of a matrix of squared distances."""
        out = np.empty_like(base) if out is None else out
        over_rows(
            lambda start, stop: rbf_values(
                base[start:stop].reshape(-1), self.gamma, out[start:stop].reshape(-1)
            ),
            base.shape[0],
            2.0 * base.shape[1],
        )
        return out


@dataclass(frozen=True)
class Polynomial:
    """``K(x, z) = (γ <x, z> + r)^D``."""

    degree: int
    gamma: float
    coef0: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", check_positive(self.gamma, "gamma"))
        if self.degree != int(self.degree) or self.degree < 1:
            raise ValueError(f"degree must be a whole number of at least 1, got {self.degree!r}.")
        object.__setattr__(self, "degree", int(self.degree))
        if not np.isfinite(self.coef0):
            raise ValueError(f"coef0 must be finite, got {self.coef0!r}.")

    def base(self, X: Matrix, Z: Matrix) -> FloatArray:
        """Return the dot products of the rows of ``X`` and ``Z``."""
        return dot_products(X, Z)

    def inner(self, base: FloatArray) -> FloatArray:
        """Return ``γ <x, z> + r``, the quantity that is raised to the power D."""
        return self.gamma * base + self.coef0

    def of_base(self, base: FloatArray, out: FloatArray | None = None) -> FloatArray:
        """Return the kernel values of a matrix of dot products."""
        inner = np.multiply(base, self.gamma, out=out)
        inner += self.coef0
        # Repeated products: np.power is ten times slower for small whole exponents.
        result = inner.copy() if self.degree > 1 else inner
        for _ in range(self.degree - 2):
            result *= inner
        return np.multiply(result, inner, out=inner) if self.degree > 1 else inner


Kernel: TypeAlias = Linear | RBF | Polynomial


def gram(kernel: Kernel, X: Matrix, Z: Matrix) -> FloatArray:
    """Return the kernel matrix of the rows of ``X`` against the rows of ``Z``."""
    base = kernel.base(X, Z)
    return kernel.of_base(base, out=base)


def gamma_of(gamma: float | str, X: Matrix) -> float:
    """Return γ as a number: ``"scale"`` is 1/(d·Var(X)), ``"auto"`` is 1/d, as in scikit-learn.

    ``"spread"`` is one over the sum of the columns' variances.  Of centred columns that is ``"scale"``; of
    others (a sparse matrix) ``"scale"`` depends on their means, which distances do not.
    """
    if gamma == "auto":
        return 1.0 / X.shape[1]
    if gamma == "spread":
        variances = mean_variance_axis(X, axis=0)[1] if sp.issparse(X) else X.var(axis=0)
        return _one_over(float(np.add.reduce(variances)))
    if gamma == "scale":
        variance = X.multiply(X).mean() - X.mean() ** 2 if sp.issparse(X) else X.var()
        return _one_over(X.shape[1] * variance)
    if isinstance(gamma, str):
        raise ValueError(f"gamma must be 'scale', 'auto' or a positive number, got {gamma!r}.")
    return check_positive(gamma, "gamma")


def gamma_of_moments(rule: str, means: FloatArray, variances: FloatArray) -> float:
    """Return γ by its rule from mean and variance of each column: that of :func:`gamma_of`, O(d)."""
    if rule == "auto":
        return 1.0 / len(means)
    if rule == "spread":
        return _one_over(float(np.add.reduce(variances)))
    n = len(means)  # mean and var of numpy, to the bit, but four times as quick for few columns
    apart = means - np.add.reduce(means) / n
    variance = float(np.add.reduce(variances) / n + np.add.reduce(apart * apart) / n)
    return _one_over(n * variance)


def _one_over(variance: float) -> float:
    return 1.0 / variance if variance > 0.0 else 1.0


def make_kernel(
    name: Any, X: Matrix, *, gamma: float | str = "scale", degree: int = 3, coef0: float = 0.0
) -> Kernel:
    """Return the kernel scikit-learn's SVC and SVR would use on ``X`` with these parameters."""
    if name == "linear":
        return Linear()
    if name == "rbf":
        return RBF(gamma_of(gamma, X))
    if name == "poly":
        return Polynomial(degree, gamma_of(gamma, X), coef0)
    raise ValueError(f"kernel must be one of 'linear', 'rbf', 'poly', got {name!r}.")
