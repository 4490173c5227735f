"""Groups of columns in which samples are of few kinds, against groups of any columns and against loops."""

from __future__ import annotations

import numpy as np
import pytest

from svmsieve.engine.effects.group_effects import group_removal_change, group_response
from svmsieve.engine.effects.group_kinds import (
    group_kinds,
    moments_of_kinds,
    removal_changes_of_kinds,
    response_of_kinds,
)
from svmsieve.engine.effects.quadratic import LowRank
from svmsieve.engine.kernels.kernel import RBF
from svmsieve.engine.machines.expansion import Expansion
from tests import naive

pytestmark = pytest.mark.jitless


def categories(n, sizes, rng):
    """One-hot columns of some categories, each scaled, and where they are; then two numbers."""
    parts, groups, first = [], [], 0
    for size in sizes:
        parts.append(np.eye(size)[rng.integers(size, size=n)] * rng.uniform(0.5, 2.0, size))
        groups.append(np.arange(first, first + size))
        first += size
    return np.column_stack([*parts, rng.normal(size=(n, 2))]), groups


@pytest.mark.parametrize("gamma", [0.01, 0.7, 5.0])
@pytest.mark.parametrize("seed", range(3))
def test_response_is_that_of_any_columns(gamma, seed):
    rng = np.random.default_rng(seed)
    Z, groups = categories(40, (2, 3, 5), rng)
    X, kernel = Z[rng.permutation(40)[:17]], RBF(gamma)
    machine = Expansion(kernel, Z, rng.normal(size=40), 0.3)
    base = kernel.base(X, Z)
    kinds = [group_kinds(Z[:, group], gamma) for group in groups]
    moments = moments_of_kinds(kernel.of_base(base), machine.coef, kinds)
    for group, own, found in zip(groups, kinds, moments, strict=True):
        lent = Z[rng.integers(40, size=17)][:, group]
        for new in (lent, np.zeros_like(lent), X[:, group]):
            ours = response_of_kinds(own, found, X[:, group], new, gamma) + machine.intercept
            np.testing.assert_allclose(
                ours, group_response(machine, X, group, new, base), atol=1e-11
            )
            np.testing.assert_allclose(ours, naive.response(machine, X, group, new), atol=1e-11)


@pytest.mark.parametrize("weights", ["vector", "matrix", "low rank"])
@pytest.mark.parametrize("gamma", [0.01, 0.7, 5.0])
def test_removal_is_that_of_any_columns(weights, gamma):
    rng = np.random.default_rng(7)
    Z, groups = categories(40, (2, 4), rng)
    kernel, w = RBF(gamma), rng.normal(size=40)
    given = {
        "vector": w,
        "matrix": np.outer(w, w) - np.eye(40),
        "low rank": LowRank.of((1.0, w), (-2.0, np.abs(w))),
    }[weights]
    base = kernel.base(Z, Z)
    kinds = [group_kinds(Z[:, group], gamma) for group in groups]
    changes = removal_changes_of_kinds(given, kernel.of_base(base), kinds, gamma)
    for group, change in zip(groups, changes, strict=True):
        assert change == pytest.approx(group_removal_change(kernel, given, Z, group, base))
        if weights != "low rank":
            expected, size = naive.removal_change(kernel, given, Z, group.tolist())
            assert abs(change - expected) <= 1e-10 * size


def test_many_kinds_and_far_ones_are_left_to_the_general_way():
    rng = np.random.default_rng(1)
    assert group_kinds(rng.normal(size=(20, 2)), 0.1) is None
    few = np.eye(2)[rng.integers(2, size=20)]
    assert group_kinds(few, 0.1) is not None
    assert group_kinds(30.0 * few, 1.0) is None
    assert group_kinds(np.eye(3)[np.arange(9) % 3], 1.0) is None  # three of nine are not few
