"""The response of f to one feature: f at a sample with feature i replaced by the value u.

For the RBF kernel, with t = x_ji − u and A_kj = c_k K(z_k, x_j),

    f_ij(u) = b + exp(γ(x_ji² − u²)) Σ_k A_kj exp(−2γ z_ki t)

Three paths evaluate the sum; they agree to a tolerance relative to Σ_k |c_k| and the caller never
sees which one ran:

- *series*: Σ_p t^p M_p[j, i] with the moments M_p = A' ((−2γ Z)^p / p!), one matrix product for
  each order.  The number of orders P follows from the remainder: with ρ_i = 2γ max|z_i| max|t_i| it is
  at most e^ρ ρ^(P+1)/(P+1)! times the mean of (|z_ki|/max|z_i|)^(P+1) over the centres, by |c_k|.
- *distinct*: where the centres take q values on feature i, one product column for each value w
  gives M_w[j, i] = Σ_{k: z_ki = w} A_kj, and f = b + Σ_w M_w exp(γ((w − x_ji)² − (w − u)²)).
- *exact*: the sum of exponentials itself in a compiled loop, O(n m) for each feature and
  replacement.

After the products, any replacement value of any sample and feature costs one polynomial, so ten
permutations cost hardly more than one.  The polynomial kernel of degree D is an exact polynomial
in t, D products; the linear one needs none: f − w_i t.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix, check_matrix, dense_columns
from svmsieve.engine.columns import column_range
from svmsieve.engine.effects import response_paths as paths
from svmsieve.engine.effects import response_values
from svmsieve.engine.effects.path_choice import RESPONSE_ACCURACY, Accuracy, Group, groups_by_path
from svmsieve.engine.kernels.kernel import RBF, Kernel, Linear, Polynomial
from svmsieve.engine.machines.expansion import Expansion
from svmsieve.runtime.memory import BLOCK_BUDGET, block_size
from svmsieve.runtime.threads import in_order, over_rows

_FEW_TERMS = 2e5
"""Exponentials that are computed sooner than it is decided how to do without them."""


@dataclass(frozen=True)
class ResponseBlock:
    """The response of some samples to some features, ready for replacement values."""

    rows: slice
    features: IntArray
    decision: FloatArray
    """f of the samples as they are."""
    values: FloatArray
    """The samples' own values of the features, shape (rows, features)."""
    at: Callable[[FloatArray], FloatArray]
    """``at(u)``: f with feature i of sample j replaced by ``u[j, i]``, an array of that shape.

    The replacements must lie in the range the blocks were made for."""


@dataclass(frozen=True)
class KnownKernel:
    """The kernel of samples against centres, as parts of larger matrices that are there already."""

    base: FloatArray
    matrix: FloatArray
    rows: IntArray
    centers: IntArray
    among_samples: bool = False
    """Whether rows and columns of the matrices are the same samples: the centres are some of them."""

    @classmethod
    def of(cls, kernel: Kernel, X: Matrix, centers: Matrix) -> KnownKernel:
        """Compute it for samples and centres of their own."""
        base = kernel.base(X, centers)
        return cls(base, kernel.of_base(base), np.arange(len(base)), np.arange(base.shape[1]))

    def __getitem__(self, rows: slice) -> KnownKernel:
        return replace(self, rows=self.rows[rows])

    @property
    def base_part(self) -> FloatArray:
        """The base matrix of these samples and centres; read only."""
        return self._part(self.base)

    @property
    def matrix_part(self) -> FloatArray:
        """The kernel matrix of these samples and centres; read only."""
        return self._part(self.matrix)

    def _part(self, A: FloatArray) -> FloatArray:
        A = A if len(self.rows) == len(A) else A[self.rows]
        return A if len(self.centers) == A.shape[1] else np.take(A, self.centers, axis=1)


def response_blocks(
    expansion: Expansion,
    X: Any,
    *,
    features: IntArray | None = None,
    bounds: tuple[FloatArray, FloatArray] | None = None,
    known: KnownKernel | None = None,
    accuracy: Accuracy = RESPONSE_ACCURACY,
    memory: float = BLOCK_BUDGET,
    then: Callable[[ResponseBlock], Any] | None = None,
) -> Iterator[Any]:
    """Yield blocks that together cover all samples of ``X`` and all (or the given) features.

    Parameters
    ----------
    expansion : the trained machine
    X : dense array or CSR matrix; sparse columns are densified block by block
    features : columns to look at, by default all
    bounds : the smallest and the largest value of each feature in X, among the centres and among the
        replacements; by default those of X and the centres
    known : the kernel of ``X`` against the centres, if it is known already
    accuracy : error allowed, of each sample or of their mean; with ``mean_error`` the replacements permute
        the values of X among its samples
    memory : bytes a block may work in
    then : what to make of each block, in the thread that computed it; its results are yielded instead

    Cost O(n m d P) with P matrix products (RBF series), D of them (polynomial), O(n d) (linear).
    """
    X = check_matrix(X)
    if X.shape[1] != expansion.n_features:
        raise ValueError(f"X must have {expansion.n_features} features, got {X.shape[1]}.")
    lower, upper = _joint_range(X, expansion.centers) if bounds is None else bounds
    n, m = X.shape[0], len(expansion.coef)
    features = np.arange(X.shape[1]) if features is None else features
    groups = [Group("exact", features, 1)]
    few_terms = 1.0 * n * m * len(features) <= _FEW_TERMS and accuracy.path == "auto"
    if not (few_terms and isinstance(expansion.kernel, RBF)):
        permuted = X if accuracy.mean_error and not sp.issparse(X) else None
        groups = groups_by_path(expansion, features, lower, upper, accuracy, permuted)
    X_columns, Z_columns = (A.tocsc() if sp.issparse(A) else A for A in (X, expansion.centers))
    # Half of the budget for the samples' weights against all centres, half for the products.
    n_weights = expansion.kernel.degree + 2 if isinstance(expansion.kernel, Polynomial) else 2.5
    n_rows = n
    if not isinstance(expansion.kernel, Linear):
        n_rows = max(1, min(n, int(0.5 * memory / (8 * m * n_weights))))
    for start in range(0, n, n_rows):
        rows = slice(start, min(start + n_rows, n))
        part = None if known is None else known[rows]
        samples = _Samples(expansion, X[rows], part, Z_columns, 0.5 * (lower + upper))
        row_columns = X_columns[rows]
        tasks, largest = [], 0.0
        for group in groups:
            bytes_a_feature = 8.0 * (group.n_columns + 2) * (m + rows.stop - start)
            size = block_size(bytes_a_feature, 0.5 * memory)
            largest = max(largest, size * bytes_a_feature)
            for first in range(0, len(group.features), size):
                some = group.features[first : first + size]
                tasks.append(partial(samples.block, rows, group, some, row_columns, then))
        yield from in_order(tasks, largest, 0.5 * memory)


class _Samples:
    """What the evaluators share for some rows of X: decision values and weights."""

    def __init__(
        self,
        expansion: Expansion,
        X: Matrix,
        known: KnownKernel | None,
        columns_of_centers: Matrix,
        middle: FloatArray,
    ) -> None:
        self.expansion, self.columns_of_centers = expansion, columns_of_centers
        self.middle = middle
        self.centers: IntArray | None = None
        kernel, coef = expansion.kernel, expansion.coef
        if isinstance(kernel, Linear):
            self.linear_weights = expansion.linear_weights()
            self.decision = expansion.decision_function(X)
            return
        self.known = known or KnownKernel.of(kernel, X, expansion.centers)
        if self.known.among_samples and len(self.known.rows) == len(self.known.matrix):
            self.centers = self.known.centers
        if isinstance(kernel, Polynomial):
            inner = kernel.inner(self.known.base_part)
            # c∘h^(D−p) for p = 0 … D, from the highest power down
            powers = [np.broadcast_to(coef, inner.shape)]
            for _ in range(kernel.degree):
                powers.append(powers[-1] * inner)
            self.decision = powers[-1].sum(axis=1) + expansion.intercept
            self.polynomial_weights = powers[-2::-1]
            return
        n = len(self.known.rows)
        self.single_weights = np.empty((n, len(coef)), dtype=np.float32)
        self.total = np.empty(n)
        over_rows(
            lambda start, stop: paths.weight_rows(
                self.known.matrix,
                self.known.rows,
                self.known.centers,
                coef,
                self.single_weights,
                self.total,
                start,
                stop,
            ),
            n,
            1.0 * len(coef),
        )
        self.decision = self.total + expansion.intercept

    @cached_property
    def weights(self) -> FloatArray:
        """c_k K(z_k, x_j) in double precision."""
        return self.known.matrix_part * self.expansion.coef

    def block(
        self,
        rows: slice,
        group: Group,
        features: IntArray,
        row_columns: Matrix,
        then: Callable[[ResponseBlock], Any] | None,
    ) -> Any:
        x = dense_columns(row_columns, features)
        if self.centers is None:
            z = dense_columns(self.columns_of_centers, features)
        else:  # rows are copied more quickly than columns
            z = x if len(self.centers) == len(x) else np.take(x, self.centers, axis=0)
        evaluate = self.evaluator(group, features, x, z)
        block = ResponseBlock(rows, features, self.decision, x, evaluate)
        return block if then is None else then(block)

    def evaluator(
        self, group: Group, features: IntArray, x: FloatArray, z: FloatArray
    ) -> paths.Evaluator:
        kernel, b = self.expansion.kernel, self.expansion.intercept
        if isinstance(kernel, Linear):
            return paths.linear(self.decision, self.linear_weights[features], x)
        if isinstance(kernel, Polynomial):
            return paths.polynomial(kernel, self.decision, self.polynomial_weights, x, z)
        if group.path == "series":
            return paths.rbf_series(
                kernel.gamma,
                b,
                paths.SeriesWeights(
                    self.weights if group.n_double else self.single_weights,
                    self.single_weights,
                    self.total,
                ),
                x,
                z,
                self.middle[features],
                group.n_columns,
                group.n_double,
            )
        if group.path == "distinct":
            return response_values.rbf_distinct(
                kernel.gamma, b, self.weights, x, z, group.n_columns
            )
        return response_values.rbf_exact(
            kernel.gamma, b, self.expansion.coef, self.known.base_part, x, z
        )


def _joint_range(X: Matrix, centers: Matrix) -> tuple[FloatArray, FloatArray]:
    lower, upper = column_range(X)
    other_lower, other_upper = column_range(centers)
    return np.minimum(lower, other_lower), np.maximum(upper, other_upper)
