"""Means of columns do not matter: a sparse matrix, which is not centred, selects as the dense one does."""

import numpy as np
import pytest
import scipy.sparse as sp

from svmsieve import SVMSieve
from svmsieve.engine.kernels.kernel import gamma_of, gamma_of_moments


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("numbers", [False, True])
def test_the_default_is_the_same_whatever_a_sparse_column_s_mean(numbers, kind):
    rng = np.random.default_rng()
    X = np.random.default_rng(2).normal(size=(90, 6))
    y = X[:, 1] ** 2 + X[:, 4] if numbers else X[:, 1] * X[:, 4] > 0.0
    shifts = 10.0 ** rng.uniform(-1.0, 3.5, 6) * rng.choice([-1.0, 1.0], 6)
    dense = SVMSieve(cv=3, random_state=0).fit(X, y)
    sparse = SVMSieve(cv=3, random_state=0).fit(kind(X + shifts), y)
    assert dense.get_support(indices=True).tolist() == [1, 4]
    assert sparse.get_support(indices=True).tolist() == [1, 4], shifts
    assert sparse.estimator_.gamma == pytest.approx(dense.estimator_.gamma, rel=1e-6)
    assert sparse.estimator_.C == dense.estimator_.C


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_array])
def test_gamma_by_the_spread(kind):
    X = np.random.default_rng(0).normal(size=(40, 3)) * [1.0, 2.0, 0.5]
    expected = 1.0 / sum(np.var(X[:, i]) for i in range(3))
    assert gamma_of("spread", kind(X + np.array([0.0, 10.0, -7.0]))) == pytest.approx(expected)
    assert gamma_of_moments("spread", X.mean(axis=0), X.var(axis=0)) == pytest.approx(expected)
    assert gamma_of("spread", kind(X - X.mean(axis=0))) == pytest.approx(
        gamma_of("scale", X - X.mean(axis=0))
    )
    assert gamma_of("spread", np.ones((3, 2))) == 1.0
