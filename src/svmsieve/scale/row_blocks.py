"""Rows in blocks of one shape, so that what is computed of a row does not depend on the rows beside it.

BLAS and the response choose their way by the shape of a block, and round accordingly; coefficients of
landmarks are large and cancel, which makes more of that.  All blocks therefore have the same number of rows:
the last one of a chunk is filled up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from svmsieve.engine.arrays import FloatArray, Matrix
from svmsieve.engine.kernels.kernel import Kernel, gram

ROWS_BUDGET = 64 * 2**20
"""Bytes of the kernel values and coordinates of the rows that are worked on at a time."""
SIZE = 256
"""Rows of a block: fewer are slower, more are more to fill up."""


class Block(NamedTuple):
    """Some rows of a matrix, filled up."""

    rows: slice
    """Which rows of the matrix."""
    X: Matrix
    """These, then copies of the last one."""

    @property
    def n(self) -> int:
        """Number of the rows that are not copies."""
        return int(self.rows.stop - self.rows.start)


def row_blocks(X: Matrix) -> Iterator[Block]:
    """Yield the rows of a matrix in blocks of one shape."""
    n = X.shape[0]
    for start in range(0, n, SIZE):
        rows = slice(start, min(start + SIZE, n))
        yield Block(rows, filled_up(X[rows]))


def filled_up(X: Matrix) -> Matrix:
    """Return as many rows as a block has: those there are, and copies of the last one."""
    places = np.minimum(np.arange(SIZE), X.shape[0] - 1)
    if sp.issparse(X):
        return X[places].tocsr()
    # Always row by row in memory, which some columns of an array are not: BLAS would round otherwise.
    return np.ascontiguousarray(X) if len(X) == SIZE else np.take(X, places, axis=0)


def kernel_of_rows(kernel: Kernel, X: Matrix, centers: Matrix) -> FloatArray:
    """Return the kernel values of rows against centres, block by block."""
    values = np.empty((X.shape[0], centers.shape[0]))
    for block in row_blocks(X):
        values[block.rows] = gram(kernel, block.X, centers)[: block.n]
    return values


def parts_in_budget(n: int, n_columns: int) -> list[slice]:
    """Return parts of ``n`` rows whose kernel values and coordinates fit into their budget."""
    size = max(1, int(ROWS_BUDGET / (8 * 4 * max(n_columns, 1))))
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]
