"""What is computed of a row has the same bits whatever rows are beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from svmsieve.criteria.registry import CRITERIA
from svmsieve.engine.kernels.kernel import RBF, Kernel, Linear, Polynomial
from svmsieve.engine.machines.expansion import Expansion
from svmsieve.engine.machines.target import Numbers
from svmsieve.runtime.threads import one_blas_thread
from svmsieve.scale import row_blocks
from svmsieve.scale.chunks import Chunk
from svmsieve.scale.driver import _rounded
from svmsieve.scale.losses import Losses
from svmsieve.scale.responses import Replacement
from svmsieve.scale.stream import NystroemMachines

KERNELS: list[Kernel] = [RBF(0.1), Polynomial(2, 0.2, 1.0), Linear()]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
def test_rows_do_not_know_their_neighbours(kernel: Kernel, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m, d = (int(rng.integers(*span)) for span in ((20, 1200), (5, 150), (2, 40)))
    X: Any = rng.normal(size=(n, d))
    centers = X[:m] if m < n else rng.normal(size=(m, d))
    if seed % 3 == 2:
        X[rng.random(X.shape) < 0.7] = 0.0
        X, centers = sp.csr_matrix(X), sp.csr_matrix(centers)
    coef = 1e4 * rng.normal(size=centers.shape[0])
    expansion = Expansion(kernel, centers, coef, 0.3)
    machines = NystroemMachines(Numbers(np.zeros(1)), (expansion,), (), Losses(1.0), 1, True)
    first = int(rng.integers(0, n - 1))
    some = slice(first, int(rng.integers(first + 1, n + 1)))

    def of(rows: slice) -> tuple[Any, Any, Any]:
        X_part = X[rows]
        if rows == some and not sp.issparse(X):
            X_part = np.asfortranarray(X_part)
        K = row_blocks.kernel_of_rows(kernel, X_part, centers)
        chunk = Chunk(X_part, np.zeros(X_part.shape[0]), None, rows.start)
        groups = (*(np.array([i]) for i in range(d)), np.arange(min(d, 3)))
        edges = np.full(d, -9.0), np.full(d, 9.0)
        shares = np.cumsum(np.ones(X.shape[0])) / X.shape[0]
        drawn = Replacement((expansion,), X, shares, 1, seed, groups, *edges, float(n))
        after = np.empty((n, d + 1))
        for item in drawn.replaced(chunk, chunk.y):
            after[np.ix_(item.rows, item.which)] = item.after[..., 0]
        return K, machines.decisions(X_part), after[rows]

    with one_blas_thread():
        whole, part = of(slice(0, n)), of(some)
    for here, there in zip(whole, part, strict=True):
        np.testing.assert_array_equal(here[some], there)


def test_scores_that_are_equal_stay_equal() -> None:
    scores = np.array([0.3, 0.1 + 0.2, 0.25, 1e-20, 0.0])
    assert scores[0] != scores[1]
    found = _rounded(scores)
    assert found[0] == found[1]
    np.testing.assert_allclose(found, scores, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(_rounded(np.zeros(3)), np.zeros(3))
    assert "fspp1" in CRITERIA  # whose scores are counts of rows
