"""Features with their permuted copies."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from svmsieve.search.contract import Step
from svmsieve.selection.probes import Probed, n_turns


def single(d):
    return tuple(np.array([i]) for i in range(d))


def step(size, moved, scores=None):
    return Step(
        size=size,
        moved=moved,
        scores=scores or [0.1] * len(moved),
        largest=1.0,
        C=1.0,
        gamma=None,
        epsilon=None,
        seconds=0.0,
        n_trainings=1,
    )


@pytest.fixture
def X():
    X = np.random.default_rng(0).normal(size=(30, 7))
    X[np.abs(X) < 0.4] = 0.0
    return X


def test_features_are_untouched_and_probes_are_shuffled(X):
    probed = Probed.of(X, single(7), frozenset(), 2, seed=3)
    assert probed.X.shape == (30, 21)
    for unit in range(21):
        column, source = probed.X[:, unit], X[:, probed.source[unit]]
        if probed.origin[unit] >= 0:
            np.testing.assert_array_equal(column, source)
        else:
            np.testing.assert_array_equal(np.sort(column), np.sort(source))
            assert not np.array_equal(column, source)
    assert sorted(probed.origin) == [-1] * 14 + list(range(7))


def test_every_probe_has_its_own_permutation(X):
    same = np.repeat(X[:, :1], 7, axis=1)
    probed = Probed.of(same, single(7), frozenset(), 2, seed=3)
    probes = probed.X[:, probed.origin < 0]
    assert len(np.unique(probes, axis=1).T) == 14


def test_sparse_is_dense(X):
    dense = Probed.of(X, single(7), frozenset({2}), 2, seed=1)
    sparse = Probed.of(sp.csr_array(X), single(7), frozenset({2}), 2, seed=1)
    np.testing.assert_array_equal(sparse.X.toarray(), dense.X)
    np.testing.assert_array_equal(sparse.origin, dense.origin)
    assert sparse.keep == dense.keep


def test_columns_of_a_group_are_shuffled_together(X):
    units = (np.array([0, 4]), np.array([1]), np.array([2, 3, 5]), np.array([6]))
    probed = Probed.of(X, units, frozenset(), 1, seed=2)
    for unit, columns in enumerate(probed.units):
        part, source = probed.X[:, columns], X[:, units[probed.source[unit]]]
        rows = np.lexsort(part.T), np.lexsort(source.T)
        np.testing.assert_array_equal(part[rows[0]], source[rows[1]])
    assert sum(map(len, probed.units)) == 14


def test_forced_features_have_no_probes(X):
    probed = Probed.of(X, single(7), frozenset({0, 5}), 1, seed=2)
    assert probed.X.shape[1] == 12
    assert {int(probed.origin[unit]) for unit in probed.keep} == {0, 5}
    assert not np.isin(probed.source[probed.origin < 0], [0, 5]).any()


def test_all_forced_leaves_no_probes(X):
    probed = Probed.of(X, single(7), frozenset(range(7)), 1, seed=2)
    assert probed.X.shape == (30, 7)


def test_the_random_numbers_depend_on_the_seed(X):
    a, b = (Probed.of(X, single(7), frozenset(), 1, seed=s).X for s in (0, 1))
    assert not np.array_equal(a, b)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_the_order_of_the_units_does_not_depend_on_the_samples(X, kind):
    whole, none = (
        Probed.in_turn(kind(rows), single(7), frozenset({2}), seed=5, turn=3) for rows in (X, X[:0])
    )
    np.testing.assert_array_equal(whole.origin, none.origin)
    assert whole.keep == none.keep
    other = Probed.in_turn(kind(X), single(7), frozenset({2}), seed=5, turn=4)
    assert not np.array_equal(whole.origin, other.origin)


@pytest.mark.parametrize("d", [1, 3, 5, 7, 23])
@pytest.mark.parametrize("keep", [frozenset(), frozenset({0})])
def test_turns_give_each_feature_a_probe_for_each_copy(d, keep):
    turns = n_turns(d - len(keep), 3)
    made = [Probed.in_turn(np.zeros((4, d)), single(d), keep, 0, turn) for turn in range(turns)]
    copied = [int(u) for each in made for u in each.source[each.origin < 0]]
    assert sorted(copied) == sorted([u for u in range(d) if u not in keep] * 3)
    assert all(sorted(each.origin[each.origin >= 0]) == list(range(d)) for each in made)


def made_up(origin, keep=frozenset()):
    origin = np.array(origin)
    return Probed(np.zeros((2, len(origin))), single(len(origin)), keep, origin, np.abs(origin))


def test_probes_before_each_feature():
    #        unit 0  1   2  3   4   5
    probed = made_up([1, -1, 0, -1, -1, 2])
    steps = [
        step(6, [1, 5], [0.1, 0.2]),
        step(4, [3]),
        step(3, [4, 2, 0], [0.3, 0.4, 0.5]),
    ]
    # Ranking, best first: 0 (feature 1), 2 (feature 0), probe 4, probe 3, 5 (feature 2), probe 1.
    assert probed.probes_before(steps).tolist() == [0, 0, 2]


def test_forced_features_do_not_count():
    probed = made_up([1, -1, 0, -1], keep=frozenset({0}))
    steps = [step(4, [1]), step(3, [2]), step(2, [3, 0])]
    assert probed.probes_before(steps).tolist() == [1]
