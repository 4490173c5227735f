"""Which sample lends its value to which, and how much each replacement counts."""

from __future__ import annotations

import numpy as np
import pytest

from svmsieve.criteria.replacement import permutation_orders, replaced_decisions, replacement_shares
from tests import naive_criteria as naive
from tests.criteria.cases import CLASS_TASKS, GROUPS, each_kernel, make_case

EVEN = np.full(9, 1.0 / 9.0)


def test_permutations_are_permutations_and_follow_the_seed():
    orders = permutation_orders(EVEN, 4, 3)
    assert len(orders) == 4
    for order in orders:
        assert sorted(order.tolist()) == list(range(9))
    again, other = permutation_orders(EVEN, 4, 3), permutation_orders(EVEN, 4, 4)
    assert [o.tolist() for o in orders] == [o.tolist() for o in again]
    assert [o.tolist() for o in orders] != [o.tolist() for o in other]
    assert permutation_orders(EVEN, 1, 3)[0].tolist() == orders[0].tolist()


def test_every_order_is_equally_likely():
    """The papers' swaps are not uniform; these are: each sample meets each value equally often."""
    counts = np.zeros((4, 4))
    for order in permutation_orders(np.full(4, 0.25), 4000, 0):
        counts[np.arange(4), order] += 1
    np.testing.assert_allclose(counts / 4000, 0.25, atol=0.03)


def test_all_lends_each_value_to_each_sample_once():
    orders = permutation_orders(EVEN, "all", 0)
    for sample in range(9):
        assert sorted(int(order[sample]) for order in orders) == list(range(9))


@pytest.mark.parametrize("n_permutations", [3, "all"])
def test_samples_of_weight_zero_neither_lend_nor_borrow(n_permutations):
    weights = np.array([0.25, 0.0, 0.25, 0.25, 0.0, 0.25])
    for order in permutation_orders(weights, n_permutations, 0):
        assert order[[1, 4]].tolist() == [1, 4]
        assert sorted(order[[0, 2, 3, 5]].tolist()) == [0, 2, 3, 5]


@pytest.mark.parametrize("n_permutations", [1, 3, "all"])
def test_shares_add_up_to_one(n_permutations):
    weights = np.random.default_rng(0).uniform(size=9)
    weights /= weights.sum()
    orders = permutation_orders(weights, n_permutations, 0)
    shares = replacement_shares(weights, orders)
    assert sum(share.sum() for share in shares) == pytest.approx(1.0)
    for order, share in zip(orders, shares, strict=True):
        ratio = share / (weights * weights[order])
        np.testing.assert_allclose(ratio, ratio[0])
    for share in replacement_shares(EVEN, orders):
        np.testing.assert_allclose(share, 1.0 / (9 * len(orders)))
    assert replacement_shares(weights, None)[0].tolist() == weights.tolist()


@each_kernel
@pytest.mark.parametrize("task", [*CLASS_TASKS, "regression"])
@pytest.mark.parametrize("memory", [2**28, 1], ids=["", "little-memory"])
def test_decision_values(task, kernel, memory):
    """Every feature, sample, order and machine, once, whatever the blocks."""
    case = make_case(task, kernel, groups=GROUPS).with_data(memory=memory)
    rows = np.array([2, 3, 11, 20])
    orders = naive.permutations(30, 2, 0)
    n_machines = len(case.machines)
    found = {}
    for item in replaced_decisions(case.trained, case.data, rows, orders, lambda item: item):
        assert item.after.shape == (len(item.rows), len(item.which), n_machines)
        for k, j in enumerate(item.rows):
            for position, score in enumerate(item.which):
                values = found.setdefault((int(j), int(score)), [])
                values.append((item.before[k], item.after[k, position], item.share[k]))
    assert sorted(found) == [(j, score) for j in rows for score in range(3)]
    for (j, score), values in found.items():
        assert len(values) == 2
        for order, (before, after, share) in zip(orders, values, strict=True):
            x = case.X[j].copy()
            x[GROUPS[score]] = case.X[order[j], GROUPS[score]]
            for machine, old, new in zip(case.machines, before, after, strict=True):
                expected = naive.decision(kernel, case.X, machine, case.X[j])
                assert old == pytest.approx(expected, abs=1e-8)
                expected = naive.decision(kernel, case.X, machine, x)
                assert new == pytest.approx(expected, abs=1e-8)
            assert share == pytest.approx(1.0 / 60.0)
