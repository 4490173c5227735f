"""Kernel values, their bases and the ways to name a kernel."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import SVC

from svmsieve.engine.kernels.kernel import (
    RBF,
    Linear,
    Polynomial,
    gamma_of,
    gram,
    make_kernel,
    squared_distances,
    squared_norms,
)
from tests import naive
from tests.engine.problems import KERNELS


@pytest.mark.jitless
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("layout", ["dense", "sparse", "mixed"])
def test_gram_equals_pair_by_pair(kernel, layout):
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(9, 4)), rng.normal(size=(6, 4))
    X[rng.random(X.shape) < 0.4] = 0.0
    left = sp.csr_array(X) if layout != "dense" else X
    right = sp.csr_array(Z) if layout == "sparse" else Z
    K = gram(kernel, left, right)
    assert isinstance(K, np.ndarray)
    np.testing.assert_allclose(K, naive.gram(kernel, X, Z), rtol=1e-12, atol=1e-14)


@pytest.mark.jitless
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
def test_of_base_keeps_the_base_unless_told_otherwise(kernel):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(7, 3))
    base = kernel.base(X, X)
    copy = base.copy()
    K = kernel.of_base(base)
    np.testing.assert_array_equal(base, copy)
    out = np.empty_like(base)
    assert kernel.of_base(base, out=out) is out
    np.testing.assert_array_equal(out, K)
    np.testing.assert_array_equal(base, copy)
    kernel.of_base(base, out=base)
    np.testing.assert_array_equal(base, K)


def test_squared_distances_are_zero_on_the_diagonal_and_never_negative():
    X = 1e3 + np.random.default_rng(2).normal(size=(40, 5)) * 1e-6
    distances = squared_distances(X, X)
    assert (distances.diagonal() == 0.0).all()
    assert (distances >= 0.0).all()
    assert (squared_distances(X, X.copy()) >= 0.0).all()


@pytest.mark.parametrize("sparse", [False, True])
def test_squared_norms(sparse):
    X = np.array([[3.0, 4.0], [0.0, 0.0], [1.0, -1.0]])
    np.testing.assert_array_equal(squared_norms(sp.csr_array(X) if sparse else X), [25, 0, 2])


def test_large_distances_underflow_to_about_zero():
    K = gram(RBF(1e6), np.array([[0.0], [1e3]]), np.array([[0.0], [1e3]]))
    np.testing.assert_allclose(K, np.eye(2), atol=1e-300)


@pytest.mark.parametrize("gamma", ["scale", "auto", 0.7])
@pytest.mark.parametrize("sparse", [False, True])
def test_gamma_is_that_of_scikit_learn(gamma, sparse):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20, 4)) * [1, 2, 3, 4] * (rng.random((20, 4)) < 0.5)
    y = np.arange(20) % 2
    reference = SVC(gamma=gamma).fit(sp.csr_matrix(X) if sparse else X, y)
    value = gamma_of(gamma, sp.csr_matrix(X) if sparse else X)
    assert value == pytest.approx(reference._gamma, rel=1e-12)


def test_gamma_scale_of_constant_samples_is_one():
    assert gamma_of("scale", np.ones((3, 2))) == 1.0


def test_make_kernel():
    X = np.array([[0.0, 2.0], [2.0, 0.0]])
    assert make_kernel("linear", X) == Linear()
    assert make_kernel("rbf", X) == RBF(0.5)
    assert make_kernel("poly", X, gamma="auto", degree=2, coef0=1.0) == Polynomial(2, 0.5, 1.0)


def test_parameters_have_one_type():
    # Another type would compile every hot function again.
    assert isinstance(RBF(1).gamma, float)
    assert isinstance(RBF(np.float32(0.5)).gamma, float)
    polynomial = Polynomial(2.0, 1)
    assert isinstance(polynomial.degree, int)
    assert isinstance(polynomial.gamma, float)


@pytest.mark.parametrize("gamma", [0, -1.0, np.nan, np.inf, None, "wide"])
def test_gamma_must_be_positive(gamma):
    with pytest.raises(ValueError, match="gamma must be"):
        RBF(gamma)
    with pytest.raises(ValueError, match="gamma must be"):
        Polynomial(2, gamma)
    with pytest.raises(ValueError, match="gamma must be"):
        gamma_of(gamma, np.eye(2))


@pytest.mark.parametrize("degree", [0, -1, 1.5])
def test_degree_must_be_a_whole_number(degree):
    with pytest.raises(ValueError, match="degree must be a whole number"):
        Polynomial(degree, 1.0)


def test_coef0_must_be_finite():
    with pytest.raises(ValueError, match="coef0 must be finite"):
        Polynomial(2, 1.0, np.inf)


@pytest.mark.parametrize("name", ["sigmoid", None, 3])
def test_unknown_kernel(name):
    with pytest.raises(ValueError, match="kernel must be one of 'linear', 'rbf', 'poly'"):
        make_kernel(name, np.eye(2))
