"""A Gram matrix over a shrinking set of features."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix, check_matrix, dense_columns
from svmsieve.engine.kernels.equal_rows import first_equal, net_coefficients
from svmsieve.engine.kernels.exponential import exp_in_place
from svmsieve.engine.kernels.kernel import RBF, Kernel, Linear
from svmsieve.runtime.compiled import compiled
from svmsieve.runtime.memory import require_memory
from svmsieve.runtime.threads import over_rows

_FEW = 16


def without_positions(values: IntArray, positions: IntArray) -> IntArray:
    """Return the values without those at some positions; for one of them quicker than np.delete."""
    if len(positions) > 1:
        return np.delete(values, positions)
    gone = positions[0]
    return np.concatenate([values[:gone], values[gone + 1 :]])


@compiled()
def _rbf_changed_rows(
    distances: FloatArray,
    column: FloatArray,
    sign: float,
    gamma: float,
    kept: FloatArray,
    out: FloatArray,
    start: int,
    stop: int,
) -> None:
    """Rows of ``D ± (x_i − x_i')²`` into ``kept`` (may be ``distances``) and of its kernel into ``out``."""
    for row in range(start, stop):
        source = distances[row]
        rest = kept[row]
        target = out[row]
        value = column[row]
        for k in range(source.shape[0]):
            gap = value - column[k]
            left = source[k] + sign * gap * gap
            left = left if left > 0.0 else 0.0
            rest[k] = left
            target[k] = -gamma * left
        exp_in_place(target)


def change_rbf(
    distances: FloatArray,
    column: FloatArray,
    sign: float,
    gamma: float,
    kept: FloatArray,
    out: FloatArray,
) -> FloatArray:
    """Write the RBF kernel of distances with one more column (``sign`` 1) or without it (−1) into ``out``.

    The new distances go into ``kept``, which may be ``distances``, or ``out`` where nobody wants them.
    """
    over_rows(
        lambda start, stop: _rbf_changed_rows(
            distances, column, sign, gamma, kept, out, start, stop
        ),
        len(column),
        3.0 * len(column),
    )
    return out


@compiled()
def _rbf_multiplied_rows(
    kernel: FloatArray, column: FloatArray, gamma: float, out: FloatArray, start: int, stop: int
) -> None:
    """Rows of ``K · exp(−γ (x_i − x_i')²)``."""
    for row in range(start, stop):
        source = kernel[row]
        target = out[row]
        value = column[row]
        for k in range(source.shape[0]):
            gap = value - column[k]
            target[k] = -gamma * gap * gap
        exp_in_place(target)
        for k in range(source.shape[0]):
            target[k] *= source[k]


def multiply_rbf(
    kernel: FloatArray, column: FloatArray, gamma: float, out: FloatArray
) -> FloatArray:
    """Write an RBF kernel with one more column into ``out``; the first samples are those of its columns."""
    over_rows(
        lambda start, stop: _rbf_multiplied_rows(kernel, column, gamma, out, start, stop),
        len(out),
        3.0 * out.shape[1],
    )
    return out


@compiled()
def multiply_rows(kernel: FloatArray, factors: FloatArray, of: IntArray, out: FloatArray) -> None:
    """Write each row of a kernel matrix, multiplied by the row of ``factors`` that it is ``of``."""
    for row in range(out.shape[0]):
        source = kernel[row]
        factor = factors[of[row]]
        target = out[row]
        for k in range(source.shape[0]):
            target[k] = source[k] * factor[k]


@compiled()
def multiply_rbf_by_value(
    kernel: FloatArray,
    values: FloatArray,
    of: IntArray,
    column: FloatArray,
    gamma: float,
    out: FloatArray,
) -> None:
    """Write each row of an RBF kernel with one more column, whose value is ``values[of[row]]`` there.

    ``column`` holds the values of the kernel's columns.  Each of ``values`` is computed once.
    """
    factors = np.empty((values.shape[0], column.shape[0]))
    for v in range(values.shape[0]):
        factor = factors[v]
        for k in range(column.shape[0]):
            gap = values[v] - column[k]
            factor[k] = -gamma * gap * gap
        exp_in_place(factor)
    multiply_rows(kernel, factors, of, out)


class ActiveGram:
    """The kernel matrix of ``X`` over its *active* features, cheap to shrink.

    It keeps the base matrix (squared distances or dot products, a sum over features), so that
    dropping a feature costs O(n²) instead of O(n² d).  Each time the active set has halved, the
    base is computed anew from the data, so that rounding does not accumulate.

    Parameters
    ----------
    X : dense array or CSR matrix of shape (n, d)
    kernel : Kernel
    memory : bytes the two n × n matrices may take; a larger pair is refused before allocation

    Examples
    --------
    >>> import numpy as np
    >>> from svmsieve.engine.kernels.kernel import Linear
    >>> gram = ActiveGram(np.array([[1.0, 2.0], [3.0, 4.0]]), Linear())
    >>> gram.drop([0])
    >>> gram.matrix
    array([[ 4.,  8.],
           [ 8., 16.]])
    """

    def __init__(self, X: Any, kernel: Kernel, *, memory: float | None = None) -> None:
        self.X: Matrix = check_matrix(X)
        self.kernel = kernel
        n, d = self.X.shape
        require_memory(16.0 * n * n, memory, f"The kernel matrix of {n} samples")
        self.active: IntArray = np.arange(d)
        self._samples: Matrix = self.X
        self._samples_of: IntArray = self.active
        self._equals: tuple[int, IntArray | None] | None = None
        self._base: FloatArray | None = None
        self._matrix: FloatArray | None = None
        self._exact_size = d

    def __getstate__(self) -> dict[str, Any]:
        # The kernel matrix is as large as the base, and made of it again where it is wanted.
        return {**self.__dict__, "_matrix": None}

    @property
    def base(self) -> FloatArray:
        """Squared distances or dot products over the active features; made when first asked for."""
        if self._base is None:
            self._base = self.kernel.base(self.samples, self.samples)
            self._exact_size = len(self.active)
        return self._base

    @property
    def samples(self) -> Matrix:
        """The samples with their active features only."""
        if len(self._samples_of) > len(self.active):
            left = np.searchsorted(self._samples_of, self.active)  # both are in order
            n_gone = len(self._samples_of) - len(left)
            if sp.issparse(self.X) or n_gone > _FEW:
                self._samples = self._samples[:, left]
            else:  # a few columns leave quicker than all others move one by one
                gone = np.delete(np.arange(len(self._samples_of)), left)
                self._samples = np.delete(self._samples, gone, axis=1)
            self._samples_of = self.active
        return self._samples

    @property
    def equals(self) -> IntArray | None:
        """For each sample the first one equal to it in the active features; None where no two are equal."""
        if self._equals is None or self._equals[0] != len(self.active):
            self._equals = len(self.active), first_equal(self.samples)
        return self._equals[1]

    def net(self, coef: FloatArray, rows: IntArray) -> FloatArray:
        """Return the coefficients of some samples, added up over those equal in the active features."""
        equals = self.equals
        return coef if equals is None else net_coefficients(coef, equals[rows])

    def linear_weights(self, coef: FloatArray) -> FloatArray:
        """Return ``Σ_j coef_j x_j`` over the active features, O(n d), without a copy of the samples."""
        return np.asarray(self.X.T @ coef).ravel()[self.active]

    @property
    def matrix(self) -> FloatArray:
        """The kernel matrix over the active features; for a linear kernel the base itself."""
        if self._matrix is None:
            self._matrix = self.kernel.of_base(self.base)
        return self._matrix

    def set_kernel(self, kernel: Kernel) -> None:
        """Use other parameters of the same kernel; the base is kept, O(n²)."""
        if type(kernel) is not type(self.kernel):
            raise ValueError(
                f"kernel must stay a {type(self.kernel).__name__}, got {type(kernel).__name__}."
            )
        if kernel != self.kernel:
            self.kernel = kernel
            self._matrix = None

    def drop(self, features: Any) -> None:
        """Remove ``features`` (indices into the columns of ``X``) from the active set.

        The base and the kernel matrix are updated in place: arrays taken from here before change too.
        """
        features = np.asarray(features, dtype=np.intp).ravel()
        if len(features) > 1:
            features = np.unique(features)
        positions = np.searchsorted(self.active, features)  # the active ones are in order
        found = positions < len(self.active)
        if not (found.all() and (self.active[positions] == features).all()):
            raise ValueError("features to drop must be active.")
        if len(features) == len(self.active):
            raise ValueError("features to drop must leave at least one active.")
        self.drop_at(positions)

    def drop_at(self, positions: IntArray) -> None:
        """Remove the features at some positions of ``active``, in ascending order and not all."""
        features = self.active[positions]
        self.active = without_positions(self.active, positions)
        few = 2 * len(self.active) <= self._exact_size or len(features) >= len(self.active)
        if self._base is None or few:
            self._base = self._matrix = None
        elif isinstance(self.kernel, Linear):
            self._matrix = self._subtract(features, kept=self.base, out=self.base)
        else:
            out = np.empty_like(self.base) if self._matrix is None else self._matrix
            self._matrix = self._subtract(features, kept=self.base, out=out)

    def without(self, features: Any, out: FloatArray | None = None) -> FloatArray:
        """Return the kernel matrix without some of the active features; the set stays as it is.

        O(n²) for each feature.
        """
        out = np.empty_like(self.base) if out is None else out
        return self._subtract(np.atleast_1d(features), kept=out, out=out)

    def _subtract(self, features: IntArray, kept: FloatArray, out: FloatArray) -> FloatArray:
        """Write the base without the features into ``kept`` and its kernel matrix into ``out``.

        ``kept`` may be the base itself, or ``out`` where only the kernel matrix is wanted.
        """
        if isinstance(self.kernel, Linear) and len(features) == 1 and not sp.issparse(self.X):
            column = self.X[:, features[0]]
            return np.subtract(self.base, np.multiply.outer(column, column), out=out)
        columns = dense_columns(self.X, features)
        if isinstance(self.kernel, RBF) and len(features) == 1:
            return change_rbf(self.base, columns[:, 0], -1.0, self.kernel.gamma, kept, out)
        if isinstance(self.kernel, RBF) or len(features) > 1:
            part = self.kernel.base(columns, columns)
        else:
            part = columns * columns[:, 0]
        np.subtract(self.base, part, out=kept)
        if isinstance(self.kernel, RBF):
            np.maximum(kept, 0.0, out=kept)
        return self.kernel.of_base(kept, out=out)
