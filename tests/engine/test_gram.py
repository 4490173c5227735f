"""The Gram matrix over a shrinking set of features equals the one computed afresh."""

import numpy as np
import pytest
import scipy.sparse as sp

from svmsieve.engine.kernels.gram import ActiveGram
from svmsieve.engine.kernels.kernel import RBF, Linear, Polynomial, gram
from tests import naive
from tests.engine.problems import KERNELS


def _data(n=25, d=12, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[rng.random(X.shape) < 0.3] = 0.0
    X[5] = X[4]
    return X


@pytest.mark.jitless
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_drop_and_without_equal_deleting_the_columns(kernel, kind):
    X = _data(n=8, d=6)
    active = ActiveGram(kind(X), kernel)
    np.testing.assert_allclose(active.matrix, naive.gram(kernel, X, X), atol=1e-12)
    np.testing.assert_allclose(active.without(2), naive.gram_without(kernel, X, [2]), atol=1e-12)
    np.testing.assert_allclose(
        active.without([0, 3]), naive.gram_without(kernel, X, [0, 3]), atol=1e-12
    )
    active.drop([1])
    active.drop([4])
    np.testing.assert_array_equal(active.active, [0, 2, 3, 5])
    np.testing.assert_allclose(active.matrix, naive.gram_without(kernel, X, [1, 4]), atol=1e-12)
    np.testing.assert_allclose(
        active.without(5), naive.gram_without(kernel, X, [1, 4, 5]), atol=1e-12
    )


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.05), Polynomial(3, 0.1, 1.0)])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("ask_each_time", [True, False], ids=["matrix-each-step", "matrix-once"])
def test_many_drops_do_not_accumulate_rounding(kernel, kind, ask_each_time):
    X = _data(n=40, d=90)
    order = np.random.default_rng(1).permutation(90)
    active = ActiveGram(kind(X), kernel)
    for feature in order[:89]:
        active.drop([feature])
        if ask_each_time:
            assert active.matrix.shape == (40, 40)
    last = X[:, [order[89]]]
    fresh = gram(kernel, last, last)
    np.testing.assert_allclose(active.matrix, fresh, rtol=0, atol=1e-10 * abs(fresh).max())


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.05), Polynomial(2, 0.1, 1.0)])
def test_steps_of_several_features(kernel):
    X = _data(n=30, d=64)
    order = np.random.default_rng(2).permutation(64)
    active, gone = ActiveGram(X, kernel), 0
    for step in (1, 3, 20, 2, 2, 8, 1, 15):
        active.drop(order[gone : gone + step])
        gone += step
        rest = X[:, np.sort(order[gone:])]
        fresh = gram(kernel, rest, rest)
        np.testing.assert_allclose(active.matrix, fresh, atol=1e-10 * abs(fresh).max())
        np.testing.assert_array_equal(active.samples, rest)


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.05), Polynomial(2, 0.1, 1.0)])
def test_without_leaves_everything_as_it_is(kernel):
    X = _data()
    active = ActiveGram(X, kernel)
    base, matrix = active.base.copy(), active.matrix.copy()
    out = np.empty_like(base)
    assert active.without(3, out=out) is out
    np.testing.assert_array_equal(active.without(3), out)
    np.testing.assert_array_equal(active.base, base)
    np.testing.assert_array_equal(active.matrix, matrix)
    assert len(active.active) == X.shape[1]


def test_the_base_is_computed_anew_when_the_active_set_has_halved():
    # A column of 1e8 ruins what is left of the distances; the fresh base has no trace of it.
    X = _data(n=10, d=4)
    X[:, 0] *= 1e8
    active = ActiveGram(X, RBF(0.5))
    active.drop([0])
    active.drop([1])
    np.testing.assert_allclose(active.matrix, gram(RBF(0.5), X[:, 2:], X[:, 2:]), atol=1e-14)


def test_identical_rows_stay_identical():
    active = ActiveGram(_data(), RBF(5.0))
    for feature in range(5):
        active.drop([feature])
        assert active.matrix[4, 5] == pytest.approx(1.0, abs=1e-12)
        assert (active.base >= 0.0).all()


@pytest.mark.parametrize("features", [[0], [0, 1]])
def test_rounding_never_makes_a_distance_negative(features):
    # Pairs of rows that differ only in what is dropped, by much more than in anything else.
    rng = np.random.default_rng(3)
    X = np.repeat(rng.normal(size=(40, 8)), 2, axis=0)
    X[:, features] = 1e3 * rng.normal(size=(80, len(features)))
    active = ActiveGram(X, RBF(1.0))
    assert (active.without(features) <= 1.0).all()
    active.drop(features)
    assert (active.base >= 0.0).all()
    assert (active.matrix <= 1.0).all()


def test_set_kernel_keeps_the_base():
    X = _data()
    active = ActiveGram(X, RBF(0.1))
    assert active.matrix[0, 1] < 1.0
    base = active.base
    active.set_kernel(RBF(0.7))
    assert active.base is base
    np.testing.assert_allclose(active.matrix, gram(RBF(0.7), X, X), atol=1e-12)
    with pytest.raises(ValueError, match="kernel must stay a RBF, got Linear"):
        active.set_kernel(Linear())


def test_bad_drops():
    active = ActiveGram(_data(d=4), Linear())
    active.drop([1])
    for features in ([1], [9], [-1], [0, 1]):
        with pytest.raises(ValueError, match="features to drop must be active"):
            active.drop(features)
    with pytest.raises(ValueError, match="features to drop must leave at least one active"):
        active.drop([0, 2, 3])
    np.testing.assert_array_equal(active.active, [0, 2, 3])


def test_not_finite_samples():
    with pytest.raises(ValueError, match="X must be finite: row 0, column 1"):
        ActiveGram([[0.0, np.nan]], Linear())
