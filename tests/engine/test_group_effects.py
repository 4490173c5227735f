"""Columns that are replaced or removed together."""

import numpy as np
import pytest
import scipy.sparse as sp

from svmsieve.engine.effects.group_effects import group_removal_change, group_response
from svmsieve.engine.effects.pair_sums import removal_changes
from svmsieve.engine.machines.expansion import Expansion
from tests import naive
from tests.engine.problems import KERNELS, expansion


@pytest.mark.jitless
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_response_to_a_group(kernel, kind):
    rng = np.random.default_rng(1)
    machine = expansion(kernel, 6, 5)
    X = rng.normal(size=(7, 5))
    columns = np.array([3, 0])
    replacements = rng.normal(size=(7, 2))
    base = kernel.base(X, machine.centers)
    copy = base.copy()
    sparse = Expansion(kernel, kind(machine.centers), machine.coef, machine.intercept)
    values = group_response(sparse, kind(X), columns, replacements, base)
    expected = naive.response(machine, X, columns, replacements)
    np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-11)
    np.testing.assert_array_equal(base, copy)


@pytest.mark.jitless
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("weights", ["vector", "matrix"])
def test_removal_of_a_group(kernel, kind, weights):
    rng = np.random.default_rng(2)
    Z = rng.normal(size=(7, 5))
    W = rng.normal(size=7)
    if weights == "matrix":
        W = np.outer(W, W) + np.eye(7)
    change = group_removal_change(kernel, W, kind(Z), np.array([4, 1]), kernel.base(Z, Z))
    expected, size = naive.removal_change(kernel, W, Z, [4, 1])
    assert abs(change - expected) <= 1e-10 * size


@pytest.mark.parametrize("name", ["linear", "rbf", "poly3-coef0"])
def test_a_group_of_one_is_a_feature(name):
    rng = np.random.default_rng(3)
    kernel, Z, c = KERNELS[name], rng.normal(size=(9, 4)), rng.normal(size=9)
    base = kernel.base(Z, Z)
    groups = [group_removal_change(kernel, c, Z, np.array([i]), base) for i in range(4)]
    np.testing.assert_allclose(groups, removal_changes(kernel, c, Z), rtol=1e-8, atol=1e-9)
