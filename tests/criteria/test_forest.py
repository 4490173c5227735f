"""The forest's permutation importance against scikit-learn's own trees."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from svmsieve import rank
from svmsieve.criteria.forest import Forest
from tests import naive_criteria as naive
from tests.criteria.cases import GROUPS, RBF, TASKS, assert_same, make_case, problem


def slow_scores(case, n_trees):
    """The same forest and the same stream of permutations, tree.predict for each column."""
    classes = case.data.target.task != "regression"
    y = np.unique(case.y, return_inverse=True)[1] if classes else case.y
    seed, weights = case.data.seed, case.data.sample_weight
    if classes:
        forest = RandomForestClassifier(n_trees, random_state=seed)
    else:
        forest = RandomForestRegressor(n_trees, random_state=seed, max_features=1 / 3)
    forest.fit(case.X, y, sample_weight=weights)
    in_bag = forest.estimators_samples_
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(len(y) - len(np.unique(bag))) for bag in in_bag]
    weights = np.ones(len(y)) if weights is None else weights
    trees = forest.estimators_
    return naive.forest(trees, in_bag, case.X, y, case.groups, orders, classes, weights)


@pytest.mark.parametrize("groups", [None, GROUPS, [[0, 1, 2, 3, 4]]], ids=["", "groups", "one"])
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("task", TASKS)
def test_against_scikit_learn(task, groups, weighted):
    weights = np.random.default_rng(0).uniform(0.2, 2.0, size=40) if weighted else None
    case = make_case(task, RBF, groups=groups, n=40, sample_weight=weights)
    assert_same(case.scores(Forest(n_trees=8)), slow_scores(case, 8))


@pytest.mark.parametrize("task", TASKS)
def test_sparse_is_dense(task):
    X, y = problem(task, n=60)
    X = X.astype(np.float32).astype(np.float64)  # the trees' own precision
    dense = rank(X, y, Forest(n_trees=20), scale=False).scores
    sparse = rank(sp.csr_matrix(X), y, Forest(n_trees=20), scale=False).scores
    # scikit-learn's trees draw split points in another order on sparse input
    assert np.corrcoef(dense, sparse)[0, 1] > 0.9


def test_the_seed_decides():
    X, y = problem("binary", n=60)
    first, second, other = (
        rank(X, y, Forest(n_trees=10), random_state=seed).scores.tolist() for seed in (0, 0, 1)
    )
    assert first == second
    assert first != other


def test_useless_features_are_not_negative():
    rng = np.random.default_rng(0)
    scores = rank(rng.normal(size=(50, 8)), rng.integers(2, size=50), Forest(n_trees=10)).scores
    assert (scores >= 0.0).all()


def test_two_samples():
    """Hardly any tree has two samples out of its bag; nothing fails."""
    X = np.array([[0.0, 1.0], [1.0, 0.0]])
    with pytest.warns(UserWarning, match="All scores of 'forest' are zero"):
        ranking = rank(X, ["a", "b"], Forest(n_trees=5))
    assert ranking.scores.tolist() == [0.0, 0.0]


def test_samples_without_weight_are_not_looked_at():
    X, y = problem("binary", n=60)
    weights = np.repeat([1.0, 0.0], 30)
    other = X.copy()
    other[30:] *= 1000.0
    cases = [
        make_case("binary", RBF, problem_of=(table, y), sample_weight=weights)
        for table in (X, other)
    ]
    scores = [case.scores(Forest(50)) for case in cases]
    np.testing.assert_array_equal(scores[0], scores[1])
