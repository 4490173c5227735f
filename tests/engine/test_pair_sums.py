"""Sums over pairs of centres equal the double loop, whatever path computes them."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from svmsieve.engine.effects import pair_sums as module
from svmsieve.engine.effects.pair_sums import (
    removal_changes,
    removal_changes_of_each,
    removed_sums,
    slope_sums,
)
from svmsieve.engine.kernels.kernel import RBF, Linear
from tests import naive
from tests.engine.problems import KERNELS

PATHS = ["series", "distinct", "exact"]


def _weights(m, kind, seed=0):
    """A vector c that stands for cc', or a symmetric matrix of both signs."""
    rng = np.random.default_rng(seed)
    if kind == "vector":
        return rng.normal(size=m)
    W = rng.normal(size=(m, m))
    return W + W.T


def _size(kernel, W, Z):
    """Σ|W_kl|, times the largest kernel value where that is above 1."""
    largest = 1.0 if isinstance(kernel, RBF) else max(1.0, abs(naive.gram(kernel, Z, Z)).max())
    return abs(naive.weights_matrix(W)).sum() * largest


def _assert_same_removed(kernel, W, Z, **options):
    dense = naive.dense(Z)
    expected = [naive.removed_sum(kernel, W, dense, [i]) for i in range(dense.shape[1])]
    result = removed_sums(kernel, W, Z, **options)
    assert abs(result - expected).max() <= 1e-9 * _size(kernel, W, dense)


def _grid_data(m=9, d=4, seed=0):
    """Few distinct values in a narrow range: every path is allowed on every feature."""
    return np.random.default_rng(seed).integers(-2, 3, size=(m, d)) * 0.5


def _mixed_data(m=70, seed=0):
    """Features of every kind: narrow, normal, binary, few values, wide, wide binary, constant."""
    rng = np.random.default_rng(seed)
    return np.column_stack(
        [
            0.05 * rng.normal(size=m),
            np.clip(rng.normal(size=m), -2.5, 2.5),
            rng.integers(0, 2, size=m),
            rng.integers(-1, 3, size=m),
            30.0 * rng.normal(size=m),
            100.0 * rng.integers(0, 2, size=m),
            np.full(m, 1.5),
        ]
    )


class _PathsUsed:
    """Records the paths the module chooses."""

    def __init__(self, monkeypatch):
        self.paths = {}
        choose = module.choose_paths

        def record(*arguments):
            groups = choose(*arguments)
            for group in groups:
                self.paths.update(dict.fromkeys(group.features.tolist(), group.path))
            return groups

        monkeypatch.setattr(module, "choose_paths", record)

    def __call__(self):
        return [self.paths[feature] for feature in sorted(self.paths)]


@pytest.fixture
def paths_used(monkeypatch):
    return _PathsUsed(monkeypatch)


@pytest.mark.jitless
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("weights", ["vector", "matrix"])
def test_each_path(path, kind, weights, paths_used):
    Z = _grid_data()
    _assert_same_removed(RBF(0.2), _weights(9, weights), kind(Z), path=path)
    assert paths_used() == [path] * 4


@pytest.mark.jitless
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("weights", ["vector", "matrix"])
def test_each_kernel(kernel, kind, weights):
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(7, 4)) * (rng.random((7, 4)) < 0.6)
    W = _weights(7, weights)
    _assert_same_removed(kernel, W, kind(Z))
    slopes = slope_sums(kernel, W, kind(Z))
    size = _size(kernel, W, Z)
    for i in range(4):
        assert abs(slopes[i] - naive.slope_sum(kernel, W, Z, i)) <= 1e-9 * size
        assert abs(slopes[i] - naive.slope_sum_by_differences(kernel, W, Z, i)) <= 1e-6 * size


def test_the_automatic_choice_uses_every_path(paths_used):
    _assert_same_removed(RBF(0.1), _weights(70, "vector"), _mixed_data())
    expected = ["series", "series", "distinct", "distinct", "exact", "exact", "series"]
    assert paths_used() == expected


@pytest.mark.parametrize("gamma", np.logspace(-4, 3, 15))
def test_where_the_choice_switches(gamma):
    Z = _mixed_data(m=22)
    W = _weights(22, "matrix")
    _assert_same_removed(RBF(gamma), W, Z)
    slopes = slope_sums(RBF(gamma), W, Z)
    expected = [naive.slope_sum(RBF(gamma), W, Z, i) for i in range(7)]
    spread = 2.0 * gamma * np.ptp(Z, axis=0).max() ** 2
    assert abs(slopes - expected).max() <= 1e-9 * max(1.0, spread) * abs(W).sum()


@pytest.mark.parametrize("path", ["auto", *PATHS])
@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e-6])
def test_small_changes_keep_their_digits(path, scale):
    # The change itself is accurate, also where it is far below the sum it belongs to.
    Z = _grid_data(m=12)
    Z[:, 1] *= scale
    c = _weights(12, "vector")
    changes = removal_changes(RBF(0.2), c, Z, path=path)
    for i in range(4):
        expected, size = naive.removal_change(RBF(0.2), c, Z, [i])
        assert abs(changes[i] - expected) <= 1e-9 * size


@pytest.mark.parametrize("tol", [1e-3, 1e-5, 1e-10])
def test_two_orders_stay_within_their_bound(tol, monkeypatch):
    """The second order and the square of the first guess share one product."""
    rng = np.random.default_rng(0)
    Z = rng.uniform(-1.0, 1.0, size=(60, 5))
    gamma = 0.8 * np.sqrt(0.75 * tol)  # e^4η (2η)³/6 = tol·η at about η = √(¾ tol), η ≤ γ
    kernel, used = RBF(gamma), []
    along = module.RBFSums.along
    monkeypatch.setattr(
        module.RBFSums,
        "along",
        lambda self, path, *orders: used.append((path, orders[0])) or along(self, path, *orders),
    )
    Ws = [np.abs(rng.normal(size=60)), _weights(60, "matrix"), _weights(60, "vector")]
    changes = removal_changes_of_each(kernel, Ws, Z, tol=tol)
    assert used == [("series", 2)]
    K = naive.gram(kernel, Z, Z)
    eta = gamma * (0.5 * np.ptp(Z, axis=0)) ** 2
    for W, change in zip(map(naive.weights_matrix, Ws), changes, strict=True):
        gaps = (Z[:, None] - Z[None]) ** 2
        expected = np.einsum("kl,kli->i", W * K, np.expm1(gamma * gaps))
        assert (abs(change - expected) <= tol * eta * abs(W * K).sum()).all()


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("weights", ["vector", "matrix"])
def test_changes_are_the_removed_sums_less_the_sum(name, weights):
    kernel, Z = KERNELS[name], np.random.default_rng(2).normal(size=(10, 4))
    W = _weights(10, weights)
    total = np.sum(naive.weights_matrix(W) * naive.gram(kernel, Z, Z))
    changes = removal_changes(kernel, W, Z)
    np.testing.assert_allclose(
        changes, removed_sums(kernel, W, Z) - total, atol=1e-10 * _size(kernel, W, Z)
    )


def test_a_constant_feature_changes_nothing():
    Z = _mixed_data(m=20)
    for path in ("auto", *PATHS):
        assert removal_changes(RBF(0.3), _weights(20, "vector"), Z, path=path)[6] == 0.0
    assert slope_sums(RBF(0.3), _weights(20, "vector"), Z)[6] == 0.0


def test_linear_sums_come_from_the_weights():
    rng = np.random.default_rng(3)
    Z, c = rng.normal(size=(8, 5)), rng.normal(size=8)
    w = Z.T @ c
    np.testing.assert_allclose(removal_changes(Linear(), c, Z), -(w**2), atol=1e-12)
    np.testing.assert_allclose(slope_sums(Linear(), c, Z), 2.0 * w**2, atol=1e-12)
    np.testing.assert_allclose(removed_sums(Linear(), c, Z), w @ w - w**2, atol=1e-11)


@pytest.mark.parametrize("name", ["linear", "rbf", "poly3-coef0"])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("memory", [1, 3000])
def test_tiny_budgets_give_the_same_sums(name, kind, memory):
    kernel, Z = KERNELS[name], np.random.default_rng(4).normal(size=(9, 6))
    W = _weights(9, "matrix")
    _assert_same_removed(kernel, W, kind(Z), memory=memory)
    np.testing.assert_allclose(
        slope_sums(kernel, W, kind(Z), memory=memory), slope_sums(kernel, W, Z), rtol=1e-10
    )


@pytest.mark.parametrize("path", PATHS)
def test_tiny_budgets_on_each_path(path):
    _assert_same_removed(RBF(0.2), _weights(9, "vector"), _grid_data(), path=path, memory=1)


@pytest.mark.parametrize("path", ["auto", *PATHS])
@pytest.mark.parametrize("gamma", [1e-12, 30.0, 1e3, 1e12])
def test_extreme_gammas_give_no_nan(gamma, path):
    Z = np.random.default_rng(5).normal(size=(15, 3))
    Z[7] = Z[3]
    c = 1e5 * _weights(15, "vector")
    if gamma < 1e4:  # above, the rounding of the distance of equal rows shows
        _assert_same_removed(RBF(gamma), c, Z, path=path)
    assert np.isfinite(removed_sums(RBF(gamma), c, Z, path=path)).all()
    assert np.isfinite(slope_sums(RBF(gamma), c, Z)).all()


@pytest.mark.parametrize("path", ["auto", *PATHS])
def test_rounded_distances_never_give_more_than_the_weights(path):
    # Rows that differ in one feature only: without it their distance is zero, but for rounding.
    rng = np.random.default_rng(6)
    Z = np.repeat(rng.normal(size=(8, 3)), 2, axis=0)
    Z[1::2, 1] = rng.normal(size=8)
    c = _weights(16, "vector")
    sums = removed_sums(RBF(1e20), c, Z, path=path)
    assert (abs(sums) <= 1.001 * abs(np.outer(c, c)).sum()).all()


def test_slopes_far_from_the_origin_keep_their_digits():
    Z, W = _mixed_data(m=15)[:, :4], _weights(15, "matrix")
    base = RBF(0.1).base(Z, Z)
    near, far = (slope_sums(RBF(0.1), W, values, base=base) for values in (Z, Z + 1e6))
    np.testing.assert_allclose(far, near, atol=1e-8 * abs(W).sum())


class _NoBase(RBF):
    def base(self, X, Z):
        raise AssertionError("the base was computed again")


def test_a_known_base_is_used():
    Z, c = _mixed_data(m=12), _weights(12, "vector")
    base = RBF(0.1).base(Z, Z)
    copy = base.copy()
    for function in (removed_sums, removal_changes, slope_sums):
        np.testing.assert_array_equal(
            function(_NoBase(0.1), c, Z, base=base), function(RBF(0.1), c, Z)
        )
    np.testing.assert_array_equal(base, copy)


class _NoDotProducts(Linear):
    def base(self, X, Z):
        raise AssertionError("the dot products were computed")


def test_linear_sums_need_no_dot_products():
    Z, c = _mixed_data(m=12), _weights(12, "vector")
    for function in (removal_changes, slope_sums):
        np.testing.assert_array_equal(function(_NoDotProducts(), c, Z), function(Linear(), c, Z))


def test_the_arguments_are_left_alone():
    Z, W = _mixed_data(m=12), _weights(12, "matrix")
    copies = Z.copy(), W.copy()
    for name in ("linear", "rbf", "poly2"):
        removed_sums(KERNELS[name], W, Z)
        slope_sums(KERNELS[name], W, Z)
    np.testing.assert_array_equal(Z, copies[0])
    np.testing.assert_array_equal(W, copies[1])


@given(seed=st.integers(0, 10_000), name=st.sampled_from(["linear", "rbf", "poly2-coef0"]))
def test_permuting_rows_or_columns_permutes_the_sums(seed, name):
    rng = np.random.default_rng(seed)
    kernel, Z, W = KERNELS[name], _mixed_data(m=15, seed=seed)[:, :4], _weights(15, "matrix", seed)
    rows, columns = rng.permutation(15), rng.permutation(4)
    tolerance = 1e-9 * _size(kernel, W, Z)
    for function in (removed_sums, removal_changes, slope_sums):
        whole = function(kernel, W, Z)
        other = function(kernel, W[np.ix_(rows, rows)], Z[np.ix_(rows, columns)])
        np.testing.assert_allclose(other, whole[columns], atol=tolerance)


@given(seed=st.integers(0, 10_000), name=st.sampled_from(["linear", "rbf", "poly3"]))
def test_sparse_equals_dense(seed, name):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(12, 5)) * (rng.random((12, 5)) < 0.4)
    c = _weights(12, "vector", seed)
    tolerance = 1e-9 * _size(KERNELS[name], c, Z)
    for function in (removed_sums, removal_changes, slope_sums):
        dense = function(KERNELS[name], c, Z)
        for kind in (sp.csr_array, sp.csc_matrix):
            np.testing.assert_allclose(function(KERNELS[name], c, kind(Z)), dense, atol=tolerance)


@pytest.mark.parametrize("function", [removed_sums, removal_changes, slope_sums])
def test_bad_arguments(function):
    Z = np.ones((3, 2))
    for W in (np.ones(2), np.ones((3, 2)), np.ones((3, 3, 3))):
        with pytest.raises(ValueError, match=r"W must have shape \(3,\) or \(3, 3\), got"):
            function(RBF(1.0), W, Z)
    with pytest.raises(ValueError, match="Z must be finite: row 0, column 0"):
        function(RBF(1.0), np.ones(1), [[np.nan]])
