"""Gradients of f equal central differences."""

import numpy as np
import pytest
import scipy.sparse as sp

from svmsieve.engine.effects.gradients import gradient_blocks
from svmsieve.engine.kernels.kernel import RBF
from svmsieve.engine.machines.expansion import Expansion
from tests import naive
from tests.engine.problems import KERNELS, expansion


def _gradients(machine, X, **options):
    blocks = list(gradient_blocks(machine, X, **options))
    edges = [block for block, _ in blocks]
    assert edges[0].start == 0
    assert edges[-1].stop == X.shape[1]
    return np.hstack([values for _, values in blocks]), len(blocks)


@pytest.mark.jitless
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("scaling", [False, True])
def test_equals_central_differences(kernel, kind, scaling):
    machine = expansion(kernel, 6, 3)
    X = np.random.default_rng(1).normal(size=(5, 3)) * [1.0, 0.0, 2.0]
    sparse = Expansion(kernel, kind(machine.centers), machine.coef, machine.intercept)
    values, _ = _gradients(sparse, kind(X), scaling=scaling)
    derivative = naive.scaling_gradient if scaling else naive.gradient
    expected = [[derivative(machine, x, i) for i in range(3)] for x in X]
    np.testing.assert_allclose(values, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["linear", "rbf", "poly2"])
@pytest.mark.parametrize("scaling", [False, True])
def test_a_tiny_budget_gives_one_block_for_each_feature(name, scaling):
    machine = expansion(KERNELS[name], 6, 5)
    X = np.random.default_rng(2).normal(size=(7, 5))
    whole, one = _gradients(machine, X, scaling=scaling)
    parts, many = _gradients(machine, X, scaling=scaling, memory=1)
    assert (one, many) == (1, 5)
    np.testing.assert_allclose(parts, whole, rtol=1e-12, atol=1e-14)


def test_samples_far_from_the_origin_keep_their_digits():
    machine = expansion(RBF(0.3), 6, 3)
    X = np.random.default_rng(3).normal(size=(5, 3))
    far = Expansion(machine.kernel, machine.centers + 1e6, machine.coef, machine.intercept)
    near_values, _ = _gradients(machine, X, scaling=True)
    base = machine.kernel.base(X, machine.centers)
    far_values, _ = _gradients(far, X + 1e6, scaling=True, base=base)
    np.testing.assert_allclose(far_values, near_values, atol=1e-8)


def test_a_known_base_is_used():
    machine = expansion(RBF(0.3), 6, 3)
    X = np.random.default_rng(4).normal(size=(5, 3))
    base = machine.kernel.base(X, machine.centers)
    known, _ = _gradients(machine, X, scaling=True, base=base)
    np.testing.assert_array_equal(known, _gradients(machine, X, scaling=True)[0])
    shifted, _ = _gradients(machine, X, scaling=True, base=base + 1.0)
    np.testing.assert_allclose(shifted, np.exp(-0.3) * known, rtol=1e-12)
