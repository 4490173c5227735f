"""The response to one feature equals f at a changed copy of the sample, whatever path computes it."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from svmsieve.engine.columns import column_range
from svmsieve.engine.effects.path_choice import (
    MAX_LEVELS,
    MAX_ORDERS,
    MAX_SPREAD,
    Accuracy,
    groups_by_path,
    series_orders,
)
from svmsieve.engine.effects.response import KnownKernel, response_blocks
from svmsieve.engine.kernels.kernel import RBF, Linear
from svmsieve.engine.machines.expansion import Expansion
from tests import naive
from tests.engine.problems import KERNELS, expansion

PATHS = ["series", "distinct", "exact"]


def _grouped(machine, X, path="auto", tol=1e-10):
    lower, upper = column_range(X)
    return groups_by_path(machine, np.arange(X.shape[1]), lower, upper, Accuracy(tol, path=path))


def _paths(machine, X, path="auto"):
    """The path of each feature."""
    chosen = {}
    for group in _grouped(machine, X, path):
        chosen.update(dict.fromkeys(group.features.tolist(), group.path))
    return [chosen[feature] for feature in range(X.shape[1])]


def _respond(machine, X, u, **options):
    """Assemble the blocks and check that they cover every sample and feature once."""
    dense = naive.dense(X)
    out = np.full(dense.shape, np.nan)
    n_blocks = 0
    for block in response_blocks(machine, X, **options):
        assert np.isnan(out[block.rows, block.features]).all()
        np.testing.assert_array_equal(block.values, dense[block.rows, block.features])
        out[block.rows, block.features] = block.at(u[block.rows, block.features])
        decision = naive.decision_function(machine, dense[block.rows])
        np.testing.assert_allclose(block.decision, decision, atol=1e-11 * _size(machine))
        n_blocks += 1
    assert not np.isnan(out).any()
    return out, n_blocks


def _size(machine):
    return max(1.0, abs(machine.coef).sum())


def _expected(machine, X, u):
    columns = [naive.response(machine, X, i, u[:, i]) for i in range(X.shape[1])]
    return np.column_stack(columns)


def _assert_same(machine, X, u, tol=1e-9, **options):
    out, n_blocks = _respond(machine, X, u, **options)
    error = abs(out - _expected(machine, X, u)).max()
    scale = _size(machine)
    if not isinstance(machine.kernel, RBF):  # whose kernel values may be large
        scale *= max(1.0, abs(naive.gram(machine.kernel, X, machine.centers)).max())
    assert error <= tol * scale
    return n_blocks


def _grid_data(seed=0, n=8, m=7, d=4):
    """Few distinct values in a narrow range: every path is allowed on every feature."""
    rng = np.random.default_rng(seed)
    machine = Expansion(RBF(0.2), rng.integers(-2, 3, size=(m, d)) * 0.5, rng.normal(size=m), -0.4)
    X = rng.integers(-2, 3, size=(n, d)) * 0.5
    return machine, X, rng.permutation(X)


def _mixed_data(gamma=0.1, n=10, m=80, seed=0):
    """Features of every kind: narrow, normal, binary, few values, wide, wide binary, constant."""
    rng = np.random.default_rng(seed)

    def columns(size):
        return np.column_stack(
            [
                0.05 * rng.normal(size=size),
                np.clip(rng.normal(size=size), -2.5, 2.5),
                rng.integers(0, 2, size=size),
                rng.integers(-1, 3, size=size),
                30.0 * rng.normal(size=size),
                100.0 * rng.integers(0, 2, size=size),
                np.full(size, 1.5),
            ]
        )

    machine = Expansion(RBF(gamma), columns(m), rng.normal(size=m), 0.3)
    X = columns(n)
    return machine, X, rng.permutation(X)


@pytest.mark.jitless
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_each_path(path, kind):
    machine, X, u = _grid_data()
    assert set(_paths(machine, X, path)) == {path}
    sparse = Expansion(machine.kernel, kind(machine.centers), machine.coef, machine.intercept)
    _assert_same(sparse, kind(X), u, accuracy=Accuracy(path=path))


@pytest.mark.jitless
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_each_kernel(kernel, kind):
    rng = np.random.default_rng(3)
    machine = expansion(kernel, 6, 4)
    X = rng.normal(size=(7, 4)) * (rng.random((7, 4)) < 0.6)
    sparse = Expansion(kernel, kind(machine.centers), machine.coef, machine.intercept)
    _assert_same(sparse, kind(X), rng.permutation(X))


def test_the_automatic_choice_uses_every_path():
    machine, X, u = _mixed_data()
    expected = ["series", "series", "distinct", "distinct", "exact", "exact", "series"]
    assert _paths(machine, X) == expected
    _assert_same(machine, X, u)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("gamma", np.logspace(-4, 3, 15))
def test_where_the_choice_switches(gamma, kind):
    machine, X, u = _mixed_data(gamma=gamma, n=6, m=70)
    sparse = Expansion(machine.kernel, kind(machine.centers), machine.coef, machine.intercept)
    _assert_same(sparse, kind(X), u)


def test_the_sweep_meets_short_and_long_series_and_all_paths():
    seen, orders, single = set(), set(), False
    for gamma in np.logspace(-4, 3, 15):
        machine, X, _ = _mixed_data(gamma=gamma, n=6, m=70)
        for group in _grouped(machine, X):
            seen.add(group.path)
            if group.path == "series":
                orders.add(group.n_columns)
                single |= group.n_double < group.n_columns
    assert seen == set(PATHS)
    assert min(orders) <= 2
    assert max(orders) >= 20
    assert single


def _longest_series():
    """Largest γr² of features that fill [−r, r] for which a series is allowed: there ρ = 4γr²."""
    exponents = np.linspace(0.5, 3.0, 2001)
    allowed = series_orders(4.0 * exponents, exponents, 1e-10) <= MAX_ORDERS
    return exponents[allowed].max()


@pytest.mark.parametrize("factor", [0.99, 1.01])
def test_both_sides_of_the_longest_series(factor):
    rng = np.random.default_rng(4)
    r = np.sqrt(factor * _longest_series())
    # Centres at both ends: their mean is hardly below their largest.
    Z = rng.choice([-r, r], size=(70, 2)) * rng.uniform(0.999, 1.0, size=(70, 2))
    X = rng.uniform(-r, r, size=(20, 2))
    Z[0], Z[1] = X[0], X[1] = [-r, -r], [r, r]
    machine = Expansion(RBF(1.0), Z, rng.normal(size=70), 0.0)
    assert set(_paths(machine, X)) == ({"series"} if factor < 1 else {"exact"})
    u = rng.permutation(X)
    u[:2] = X[1::-1]  # from end to end: the largest step
    _assert_same(machine, X, u)


@pytest.mark.parametrize("factor", [0.99, 1.01])
def test_both_sides_of_the_widest_distinct_values(factor):
    rng = np.random.default_rng(5)
    width = np.sqrt(factor * MAX_SPREAD)
    Z, X = (width * rng.integers(0, 2, size=(size, 3)) for size in (30, 12))
    machine = Expansion(RBF(1.0), Z, rng.normal(size=30), 0.0)
    assert set(_paths(machine, X)) == ({"distinct"} if factor < 1 else {"exact"})
    _assert_same(machine, X, rng.permutation(X))


@pytest.mark.parametrize(
    ("path", "most"), [("auto", MAX_ORDERS + 1), ("distinct", MAX_LEVELS)], ids=["auto", "forced"]
)
@pytest.mark.parametrize("more", [0, 1])
def test_both_sides_of_the_most_distinct_values(path, most, more):
    rng = np.random.default_rng(6)
    values = np.linspace(-2.2, 2.2, most + more)
    Z = rng.permutation(np.resize(values, 130))[:, None]
    X = rng.permutation(values)[:10, None]
    machine = Expansion(RBF(1.0), Z, rng.normal(size=130), 0.0)
    assert _paths(machine, X, path) == (["exact"] if more else ["distinct"])
    _assert_same(machine, X, rng.permutation(X), accuracy=Accuracy(path=path))


@pytest.mark.parametrize("path", ["auto", *PATHS])
@pytest.mark.parametrize("gamma", [30.0, 1e3])
def test_underflowing_kernels(gamma, path):
    rng = np.random.default_rng(7)
    machine = Expansion(RBF(gamma), rng.normal(size=(20, 4)), 1e5 * rng.normal(size=20), 0.3)
    X = np.vstack([machine.centers[:3], rng.normal(size=(3, 4)), 1e3 * rng.normal(size=(2, 4))])
    _assert_same(machine, X, rng.permutation(X), accuracy=Accuracy(path=path))


@pytest.mark.parametrize("path", ["auto", *PATHS])
@pytest.mark.parametrize("gamma", [1e-12, 1e8, 1e20])
def test_extreme_gammas_give_no_nan(gamma, path):
    machine, X, u = _mixed_data(gamma=gamma, n=6, m=20)
    X[:3] = machine.centers[:3]
    u[:3] = X[:3]
    for block in response_blocks(machine, X, accuracy=Accuracy(path=path)):
        values = block.at(u[block.rows, block.features])
        assert (abs(values - machine.intercept) <= 1.001 * abs(machine.coef).sum()).all()


@pytest.mark.parametrize("path", ["auto", *PATHS])
def test_rounded_distances_never_give_more_than_the_weights(path):
    # Samples that differ from a centre in one feature only: put right, their distance is zero.
    rng = np.random.default_rng(8)
    machine = expansion(RBF(1e20), 12, 3)
    X = machine.centers.copy()
    X[:, 1] = rng.normal(size=12)
    for block in response_blocks(machine, X, accuracy=Accuracy(path=path)):
        values = block.at(machine.centers[block.rows, block.features])
        assert (abs(values - machine.intercept) <= 1.001 * abs(machine.coef).sum()).all()


@pytest.mark.parametrize("path", ["auto", *PATHS])
def test_replacements_outside_the_range_of_the_samples(path):
    machine, X, _ = _grid_data(n=12)
    own_lower, own_upper = column_range(X)
    for lower, upper in ((-3.0, 2.5), (-3.5, None), (None, 3.5), (-20.0, None), (None, 20.0)):
        ends = (
            own_lower if lower is None else np.full(4, lower),
            own_upper if upper is None else np.full(4, upper),
        )
        u = np.random.default_rng(1).uniform(*ends, size=X.shape)
        u[:4], u[4:8] = ends
        _assert_same(machine, X, u, accuracy=Accuracy(path=path), bounds=ends)


def test_a_wider_range_needs_a_longer_series():
    machine, X, _ = _mixed_data()
    lower, upper = column_range(X)
    every = np.arange(X.shape[1])
    near = groups_by_path(machine, every[:1], lower, upper, Accuracy(1e-10))
    far = groups_by_path(machine, every[:1], lower - 3.0, upper + 3.0, Accuracy(1e-10))
    assert near[0].path == far[0].path == "series"
    assert near[0].n_columns < far[0].n_columns


@pytest.mark.parametrize("name", ["linear", "rbf", "poly3-coef0"])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_tiny_budgets_give_many_blocks_and_the_same_values(name, kind):
    rng = np.random.default_rng(7)
    machine = expansion(KERNELS[name], 9, 6)
    machine = Expansion(machine.kernel, kind(machine.centers), machine.coef, machine.intercept)
    X = rng.normal(size=(11, 6))
    u = rng.permutation(X)
    few = _assert_same(machine, kind(X), u)
    many = _assert_same(machine, kind(X), u, memory=1500)
    assert many > few
    every = _assert_same(machine, kind(X), u, memory=1)
    assert every == (6 if name == "linear" else 66)


@pytest.mark.parametrize("path", PATHS)
def test_tiny_budgets_on_each_path(path):
    machine, X, u = _grid_data(n=9, d=5)
    assert _assert_same(machine, X, u, accuracy=Accuracy(path=path), memory=1) == 45
    assert _assert_same(machine, X, u, accuracy=Accuracy(path=path), memory=2000) > 1


def test_mixed_paths_under_a_tiny_budget():
    machine, X, u = _mixed_data()
    _assert_same(machine, X, u, memory=20_000)


def test_one_block_takes_any_number_of_replacements():
    machine, X, _ = _mixed_data()
    rng = np.random.default_rng(8)
    for block in response_blocks(machine, X):
        first = X[rng.permutation(10)][:, block.features]
        once = block.at(first).copy()
        block.at(X[rng.permutation(10)][:, block.features])
        np.testing.assert_array_equal(block.at(first), once)
        # The samples' own values change nothing.
        own = np.broadcast_to(block.decision[:, None], once.shape)
        np.testing.assert_allclose(block.at(block.values), own, atol=1e-9 * _size(machine))


class _NoBase(RBF):
    def base(self, X, Z):
        raise AssertionError("the base was computed again")


def test_parts_of_known_matrices_are_used():
    X = np.random.default_rng(9).normal(size=(30, 5))
    base = RBF(0.3).base(X, X)
    centers = np.array([2, 3, 17, 29])
    machine = Expansion(_NoBase(0.3), X[centers], np.array([1.0, -2.0, 0.5, 0.5]), 0.1)
    rows = np.array([1, 4, 17, 22])
    known = KnownKernel(base, RBF(0.3).of_base(base), rows, centers)
    for path in ("series", "distinct", "exact"):
        _assert_same(machine, X[rows], X[rows][::-1], known=known, accuracy=Accuracy(path=path))


@pytest.mark.parametrize("gamma", [0.01, 0.1, 0.4])
@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-9])
def test_error_of_each_sample_and_mean_error_stay_below_their_bounds(gamma, tol):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 8)) * rng.uniform(0.2, 2.0, 8)
    X[:, 7] = rng.exponential(size=60)
    coef = rng.normal(size=25) * rng.exponential(size=25)
    machine = Expansion(RBF(gamma), X[:25], coef, 0.2)
    order = rng.permutation(60)
    for mean_error in (False, True):
        errors = np.empty(X.shape)
        blocks = response_blocks(machine, X, accuracy=Accuracy(tol, mean_error, path="series"))
        for block in blocks:
            got = block.at(X[order][block.rows][:, block.features])
            for place, i in enumerate(block.features):
                changed = X.copy()
                changed[:, i] = X[order, i]
                errors[:, i] = np.abs(got[:, place] - machine.decision_function(changed))
        errors /= np.abs(coef).sum()
        if mean_error:
            assert (errors.mean(axis=0) <= tol + 1e-12).all()
        else:
            assert (errors <= tol + 1e-12).all()


def test_mean_error_needs_fewer_orders():
    X = np.random.default_rng(0).normal(size=(500, 6))
    machine = Expansion(RBF(0.01), X, np.ones(500), 0.0)
    arguments = (machine, np.arange(6), X.min(axis=0), X.max(axis=0), Accuracy(1e-6, path="series"))
    each, mean = (
        max(group.n_columns for group in groups_by_path(*arguments, permuted))
        for permuted in (None, X)
    )
    lower, upper = X.min(axis=0), X.max(axis=0)
    rho = 0.01 * (upper - lower) ** 2
    worst = series_orders(rho, 0.01 * (0.5 * (upper - lower)) ** 2, 1e-6).max()
    assert mean < each < worst


def test_a_known_base_is_used():
    machine = expansion(_NoBase(0.3), 9, 5)
    X = np.random.default_rng(9).normal(size=(8, 5))
    known = KnownKernel.of(RBF(0.3), X, machine.centers)
    _assert_same(machine, X, X[::-1], known=known, memory=2000)
    with pytest.raises(AssertionError, match="the base was computed again"):
        next(response_blocks(machine, X))


@pytest.mark.parametrize("name", ["linear", "rbf", "poly2"])
def test_some_features_only(name):
    machine = expansion(KERNELS[name], 9, 5)
    X = np.random.default_rng(10).normal(size=(8, 5))
    features = np.array([4, 1])
    seen = []
    for block in response_blocks(machine, X, features=features):
        seen.extend(block.features.tolist())
        u = X[::-1][:, block.features]
        expected = _expected(machine, X, X[::-1])[:, block.features]
        np.testing.assert_allclose(block.at(u), expected, atol=1e-9)
    assert sorted(seen) == [1, 4]


@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-12])
def test_the_error_stays_within_tol(tol):
    machine, X, u = _mixed_data(gamma=0.2)
    _assert_same(machine, X, u, tol=tol, accuracy=Accuracy(path="series"))
    out, _ = _respond(machine, X, u, accuracy=Accuracy(tol))
    error = abs(out - _expected(machine, X, u)).max()
    assert error <= max(tol, 1e-11) * _size(machine)


@pytest.mark.jitless
@pytest.mark.parametrize("rho", [0.0, 1e-3, 0.3, 2.0, 7.0])
def test_orders_bound_the_remainder(rho):
    for tol in (1e-4, 1e-10):
        order = int(series_orders(np.array([rho]), np.array([0.5]), tol)[0])
        assert 1 <= order <= MAX_ORDERS
        for v in (-rho, rho):
            partial, term = 1.0, 1.0
            for p in range(1, order + 1):
                term *= v / p
                partial += term
            assert abs(np.exp(v) - partial) * np.exp(0.5) <= tol


def test_orders_refuse_what_cancels():
    orders = series_orders(np.array([1.0, 9.0, 1.0]), np.array([1.0, 2.0, 50.0]), 1e-10)
    assert orders[0] < MAX_ORDERS
    assert (orders[1:] == MAX_ORDERS + 1).all()


def test_binary_features_take_two_columns():
    rng = np.random.default_rng(11)
    Z = rng.integers(0, 2, size=(20, 3)).astype(float)
    machine = Expansion(RBF(0.5), Z, rng.normal(size=20), 0.0)
    (group,) = _grouped(machine, Z)
    assert (group.path, group.n_columns) == ("distinct", 2)


@given(seed=st.integers(0, 10_000))
def test_permuting_rows_or_columns_permutes_the_response(seed):
    rng = np.random.default_rng(seed)
    machine, X, u = _mixed_data(gamma=0.3, n=7, m=15, seed=seed)
    rows, columns, centers = rng.permutation(7), rng.permutation(7), rng.permutation(15)
    permuted = Expansion(
        machine.kernel,
        machine.centers[np.ix_(centers, columns)],
        machine.coef[centers],
        machine.intercept,
    )
    out = np.empty_like(X)
    for block in response_blocks(machine, X):
        out[block.rows, block.features] = block.at(u[block.rows, block.features])
    other = np.empty_like(X)
    u_other = u[np.ix_(rows, columns)]
    for block in response_blocks(permuted, X[np.ix_(rows, columns)]):
        other[block.rows, block.features] = block.at(u_other[block.rows, block.features])
    np.testing.assert_allclose(other, out[np.ix_(rows, columns)], atol=1e-9 * _size(machine))


@given(seed=st.integers(0, 10_000), name=st.sampled_from(["linear", "rbf", "poly3-coef0"]))
def test_sparse_equals_dense(seed, name):
    rng = np.random.default_rng(seed)
    machine = expansion(KERNELS[name], 8, 5, seed=seed)
    Z = machine.centers * (rng.random((8, 5)) < 0.4)
    X = rng.normal(size=(6, 5)) * (rng.random((6, 5)) < 0.4)
    u = rng.permutation(X)

    def values(centers, samples):
        out = np.empty_like(X)
        other = Expansion(machine.kernel, centers, machine.coef, machine.intercept)
        for block in response_blocks(other, samples):
            out[block.rows, block.features] = block.at(u[block.rows, block.features])
        return out

    dense = values(Z, X)
    for centers in (Z, sp.csr_array(Z)):
        for samples in (X, sp.csr_matrix(X), sp.csc_array(X)):
            np.testing.assert_allclose(values(centers, samples), dense, atol=1e-9 * _size(machine))


def test_bad_samples():
    machine = expansion(Linear(), 3, 4)
    with pytest.raises(ValueError, match="X must have 4 features, got 5"):
        next(response_blocks(machine, np.zeros((2, 5))))
    with pytest.raises(ValueError, match="X must be finite: row 0, column 3"):
        next(response_blocks(machine, [[0.0, 0.0, 0.0, np.nan]]))
