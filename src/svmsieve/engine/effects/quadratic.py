"""Quadratic forms ``x'Bx`` of one symmetric matrix and many vectors.

``x'Bx = x'Tx`` with the triangle T of B's diagonal and twice its lower half, which saves almost half of
the matrix product.  T is cut into bands of rows whose number depends on its size only, and the bands'
sums are added in order: the result does not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from svmsieve.engine.arrays import FloatArray, Matrix, dense_columns
from svmsieve.engine.kernels.exponential import exp_in_place
from svmsieve.runtime.compiled import compiled
from svmsieve.runtime.memory import block_size
from svmsieve.runtime.threads import in_threads, over_rows

NOTHING = 700.0
"""Exponent whose kernel value is nothing beside any other number."""
NEAR = 1e6
"""How many times larger than the differences the values may be that products take them apart into."""
_MOST_BANDS = 8
_LEAST_ROWS = 48
"""Rows of a band below which a product runs at less than its rate."""
_SPARSE = 0.05
"""Share of the pairs of a sparse column's entries above which the dense product is quicker."""


def bands(m: int) -> list[slice]:
    """Return the bands of rows of a triangle of size m."""
    n_bands = min(max(m // _LEAST_ROWS, 1), _MOST_BANDS)
    edges = [m * band // n_bands for band in range(n_bands + 1)]
    return [slice(start, stop) for start, stop in pairwise(edges)]


@compiled(fastmath={"contract"})
def _add_forms(x: Any, products: Any, signs: FloatArray, out: FloatArray) -> None:
    """Add ``Σ_k sign_p x_kpi products_kpi`` to out_i, in double precision."""
    for k in range(x.shape[0]):
        for p in range(x.shape[1]):
            left = x[k, p]
            right = products[k, p]
            sign = signs[p]
            for i in range(out.shape[0]):
                out[i] += sign * (np.float64(left[i]) * np.float64(right[i]))


@dataclass(frozen=True)
class LowRank:
    """``Σ_r sign_r v_r v_r'``, a symmetric matrix of few vectors that need not be written down."""

    vectors: FloatArray
    """Shape (r, m)."""
    signs: FloatArray

    @classmethod
    def of(cls, *terms: tuple[float, FloatArray]) -> LowRank:
        """Return ``Σ factor v v'`` of pairs of a factor and a vector."""
        factors = np.array([factor for factor, _ in terms])
        vectors = np.array([vector for _, vector in terms])
        return cls(np.sqrt(np.abs(factors))[:, None] * vectors, np.where(factors < 0.0, -1.0, 1.0))

    def __len__(self) -> int:
        return int(self.vectors.shape[1])

    def matrix(self) -> FloatArray:
        """Return the matrix, O(r m²)."""
        return (self.vectors.T * self.signs) @ self.vectors

    def forms(self, Z: Matrix) -> FloatArray:
        """Return ``z_i'Wz_i`` for each column, O(r m d)."""
        return self.signs @ np.asarray(self.vectors @ Z) ** 2


Weights: TypeAlias = FloatArray | LowRank


def as_matrix(W: Weights) -> FloatArray:
    """Return a symmetric matrix that may be given by its vectors."""
    return W.matrix() if isinstance(W, LowRank) else W


class Triangle:
    """The triangle T of a symmetric matrix: its bands, each up to the end of its diagonal block."""

    def __init__(self, parts: list[FloatArray]) -> None:
        self.parts = parts

    @classmethod
    def of(cls, B: FloatArray) -> Triangle:
        """Return the triangle of a symmetric matrix, of which the lower half is read."""
        parts = []
        for band in bands(len(B)):
            part = np.tril(B[band, : band.stop], band.start - 1)
            part *= 2.0
            np.fill_diagonal(part[:, band.start :], B.diagonal()[band])
            parts.append(part)
        return cls(parts)

    @cached_property
    def single(self) -> list[NDArray[np.float32]]:
        """The bands in single precision."""
        return [part.astype(np.float32) for part in self.parts]

    def forms(self, x: NDArray[Any], signs: FloatArray) -> FloatArray:
        """Return ``Σ_p sign_p x_pi'Bx_pi`` for x of shape (m, p, i), in x's precision."""
        return forms_of_each([self], x, signs)[0]


def forms_of_each(triangles: Sequence[Triangle], x: NDArray[Any], signs: FloatArray) -> FloatArray:
    """Return the forms of several triangles as rows: one product for all of them."""
    m, n_orders, n_features = x.shape
    double = x.dtype == np.float64
    flat = x.reshape(m, n_orders * n_features)
    rows = bands(m)
    sums = np.zeros((len(rows), len(triangles), n_features))

    def add(index: int) -> None:
        band = rows[index]
        parts: list[Any] = [
            each.parts[index] if double else each.single[index] for each in triangles
        ]
        products = (parts[0] if len(parts) == 1 else np.concatenate(parts)) @ flat[: band.stop]
        products = products.reshape(len(parts), -1, n_orders, n_features)
        for own, out in zip(products, sums[index], strict=True):
            _add_forms(x[band], own, signs, out)

    # The last band is the longest: it starts first.
    in_threads(add, range(len(rows))[::-1], 1.0 * len(triangles) * m * m * n_orders * n_features)
    return sums.sum(axis=0)


@compiled(fastmath={"contract", "reassoc"})
def _rbf_band(
    distances: FloatArray,
    gamma: float,
    W: FloatArray,
    vectors: FloatArray,
    signs: FloatArray,
    first: int,
    T: FloatArray,
    row_sums: FloatArray,
    sizes: FloatArray,
) -> None:
    """A band of the triangle of B = W∘exp(−γD) and its part of B1; where W is empty, it is Σ sign vv'.

    B without pairs of the same sample or of equal ones: their distance cannot change, and its digits
    only drown the others'.  ``sizes``: Σ|B_kl|, Σ|B_kl| D_kl, Σ B_kl, Σ B_kl² and the largest D.
    """
    kernel = np.empty(T.shape[1])
    weight = np.empty(T.shape[1])
    for row in range(T.shape[0]):
        k = first + row
        values = kernel[:k]
        weights = weight[:k]
        for l in range(k):
            values[l] = -gamma * distances[k, l]
        exp_in_place(values)
        if W.shape[0] > 0:
            for l in range(k):
                weights[l] = W[k, l]
        else:
            weights[:] = 0.0
            for r in range(vectors.shape[0]):
                vector = vectors[r]
                factor = signs[r] * vector[k]
                for l in range(k):
                    weights[l] += factor * vector[l]
        total = 0.0
        size = 0.0
        squares = 0.0
        reach = 0.0
        farthest = 0.0
        for l in range(k):
            distance = distances[k, l]
            there = distance > 0.0 and gamma * distance < NOTHING
            value = values[l] * weights[l] if there else 0.0
            total += value
            size += abs(value)
            squares += value * value
            reach += abs(value) * distance
            farthest = max(farthest, distance)
            row_sums[l] += value
            T[row, l] = 2.0 * value
        row_sums[k] += total
        T[row, k:] = 0.0
        sizes[0] += size
        sizes[1] += reach
        sizes[2] += total
        sizes[3] += squares
        sizes[4] = max(sizes[4], farthest)


class RBFTriangle(NamedTuple):
    """The triangle and the row sums of ``B = W∘exp(−γD)``, without the pairs of equal samples."""

    triangle: Triangle
    row_sums: FloatArray
    cancels: bool
    """Whether B belongs to pairs so near that sums over products of values keep no digits of it."""
    share: float
    """|ΣB| over the root of ΣB²: how much is left of the sum beside the rounding of its terms."""


def rbf_triangle(gamma: float, W: Weights, distances: FloatArray) -> RBFTriangle:
    """Return the triangle and the row sums of ``W∘exp(−γD)`` for a symmetric W.

    Pairs of a sample with itself or with its equal are left out: they do not change with the features.
    """
    m = len(distances)
    rows = bands(m)
    parts = [np.empty((band.stop - band.start, band.stop)) for band in rows]
    row_sums = np.zeros((len(rows), m))
    matrix = np.empty((0, 0)) if isinstance(W, LowRank) else W
    vectors = W.vectors if isinstance(W, LowRank) else np.empty((0, 0))
    signs = W.signs if isinstance(W, LowRank) else np.empty(0)
    sizes = np.zeros((len(rows), 5))

    def fill(index: int) -> None:
        own = parts[index], row_sums[index], sizes[index]
        _rbf_band(distances, gamma, matrix, vectors, signs, rows[index].start, *own)

    in_threads(fill, range(len(rows))[::-1], 20.0 * m * m, multiplies=False)
    size, reach, half, squares, _ = sizes.sum(axis=0)
    cancels = bool(size * sizes[:, 4].max() > NEAR * reach)
    diagonal = W.signs @ (W.vectors**2).sum(axis=1) if isinstance(W, LowRank) else W.trace()
    whole = abs(2.0 * half + float(diagonal))
    share = whole / float(np.sqrt(2.0 * squares)) if squares > 0.0 else 1.0
    return RBFTriangle(Triangle(parts), row_sums.sum(axis=0), cancels, share)


@compiled(fastmath={"contract"})
def _add_pair_distances(T: FloatArray, first: int, z: FloatArray, out: FloatArray) -> None:
    for row in range(T.shape[0]):
        own = z[first + row]
        for l in range(first + row):
            weight = 0.5 * T[row, l]
            if weight != 0.0:
                other = z[l]
                for i in range(out.shape[0]):
                    gap = own[i] - other[i]
                    out[i] += weight * (gap * gap)


def pair_distances(triangle: Triangle, z: FloatArray) -> FloatArray:
    """Return ``½ Σ_kl B_kl (z_ki − z_li)²`` for each column, pair by pair."""
    out = np.zeros(z.shape[1])
    for band, part in zip(bands(len(z)), triangle.parts, strict=True):
        _add_pair_distances(part, band.start, z, out)
    return out


@compiled(fastmath={"contract", "reassoc"})
def _sparse_forms(
    data: FloatArray,
    indices: NDArray[Any],
    indptr: NDArray[Any],
    B: FloatArray,
    out: FloatArray,
    start: int,
    stop: int,
) -> None:
    for i in range(start, stop):
        total = 0.0
        for entry in range(indptr[i], indptr[i + 1]):
            row = B[indices[entry]]
            value = 0.5 * data[entry] * row[indices[entry]]
            for other in range(indptr[i], entry):
                value += data[other] * row[indices[other]]
            total += 2.0 * data[entry] * value
        out[i] = total


def quadratic_forms(B: FloatArray, Z: Matrix, memory: float) -> FloatArray:
    """Return ``z_i'Bz_i`` for each column, B symmetric: O(m² d), less for a sparse matrix."""
    m, d = Z.shape
    out = np.empty(d)
    if sp.issparse(Z):
        Z = Z.tocsc()
        counts = np.diff(Z.indptr).astype(np.float64)
        if float((counts**2).sum()) < _SPARSE * m * m * d:
            over_rows(
                lambda start, stop: _sparse_forms(Z.data, Z.indices, Z.indptr, B, out, start, stop),
                d,
                float((counts**2).mean()),
            )
            return out
    triangle = Triangle.of(B)
    size = block_size(16.0 * m, memory)
    for start in range(0, d, size):
        block = slice(start, min(start + size, d))
        out[block] = triangle.forms(dense_columns(Z, block)[:, None, :], np.ones(1))
    return out
