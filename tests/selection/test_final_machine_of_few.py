"""The final machine of a size that was given, where folds for it are hard to make."""

from __future__ import annotations

import numpy as np
import pytest

from svmsieve import SVMSieve

GIVEN = {"criterion": "f-score", "search": "once", "n_features_to_select": 2, "random_state": 0}
RNG = np.random.default_rng(0)
X = RNG.normal(size=(3000, 4))


@pytest.mark.parametrize("first", [True, False])
def test_a_class_of_two_among_thousands(first):
    rare, others = ("a", "b") if first else ("b", "a")
    y = np.where(np.arange(3000) < 2, rare, others)
    assert SVMSieve(**GIVEN).fit(X, y).estimator_.classes_.tolist() == ["a", "b"]


def test_weights_of_zero_but_for_ten_samples():
    y, weight = np.arange(3000) % 2, np.zeros(3000)
    weight[:10] = 1.0
    found = SVMSieve(**GIVEN).fit(X, y, sample_weight=weight)
    alone = SVMSieve(**GIVEN).fit(X[:10], y[:10])
    assert found.tuning_.best_C == alone.tuning_.best_C
    assert found.estimator_.gamma == pytest.approx(alone.estimator_.gamma)


def test_a_few_small_groups_beside_a_large_one():
    groups = np.zeros(1500, dtype=int)  # a draw of 1000 may have one of them only
    groups[:4] = [1, 1, 2, 2]
    y = (X[:1500, 0] > 0).astype(int)
    assert SVMSieve(**GIVEN).fit(X[:1500], y, groups=groups).score(X[:1500], y) > 0.9


@pytest.mark.filterwarnings("ignore:.*groups:UserWarning")
def test_a_class_that_lies_in_one_group():
    y = np.arange(60) % 2
    y[:6] = 2
    sieve = SVMSieve(**GIVEN).fit(X[:60], y, groups=np.arange(60) // 6)
    assert sieve.classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize("n", [2, 3, 5])
def test_few_numbers(n):
    sieve = SVMSieve(criterion="correlation", search="once", n_features_to_select=2)
    assert np.isfinite(sieve.fit(X[:n], X[:n, 0]).predict(X)).all()


@pytest.mark.parametrize(
    "options", [{**GIVEN, "n_features_to_select": 3}, {"cv": 3, "random_state": 0}]
)
def test_samples_without_weight_are_as_if_they_were_not_there(options):
    columns = X[:200, :3]
    y = (columns[:, 0] * columns[:, 1] > 0).astype(int)
    weight = np.ones(200)
    weight[::10] = 0.0
    spoiled = np.where(weight[:, None] == 0.0, 1e4 * columns, columns)
    found = SVMSieve(**options).fit(spoiled, y, sample_weight=weight)
    rows = weight > 0.0
    assert found.score(columns[rows], y[rows]) > 0.85
    gamma = found.estimator_.gamma * columns[rows][:, found.support_].var() * found.n_features_
    assert 0.05 < gamma < 5.0
