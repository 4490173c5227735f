"""One order out of several."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from svmsieve.search.consensus import consensus, ranks_of


def naive_consensus(orders, n):
    """Mean log rank, unit by unit; of equal ones the place in the first order."""
    mean = [np.mean([np.log(list(order).index(unit) + 1) for order in orders]) for unit in range(n)]
    return sorted(range(n), key=lambda u: (round(mean[u], 12), list(orders[0]).index(u)))


ORDERS = st.integers(1, 8).flatmap(
    lambda n: st.lists(st.permutations(range(n)), min_size=1, max_size=6)
)


@given(ORDERS)
def test_equals_its_slow_twin(orders):
    arrays = [np.array(order) for order in orders]
    assert consensus(arrays).tolist() == naive_consensus(orders, len(orders[0]))


@given(ORDERS)
def test_orders_that_agree_are_the_consensus(orders):
    first = np.array(orders[0])
    assert consensus([first] * len(orders)).tolist() == first.tolist()


@given(ORDERS, st.randoms(use_true_random=False))
def test_names_of_the_units_mean_nothing(orders, random):
    n = len(orders[0])
    names = list(range(n))
    random.shuffle(names)
    renamed = consensus([np.array([names[unit] for unit in order]) for order in orders])
    plain = consensus([np.array(order) for order in orders])
    assert renamed.tolist() == [names[unit] for unit in plain]


def test_kept_units_come_first():
    orders = [np.array([0, 1, 2, 3]), np.array([1, 0, 2, 3])]
    assert consensus(orders, frozenset({3})).tolist() == [3, 0, 1, 2]


def test_ranks():
    assert ranks_of([np.array([2, 0, 1])]).tolist() == [[2, 3, 1]]
