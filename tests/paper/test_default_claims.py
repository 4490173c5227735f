"""What the default promises on problems whose answer is known: ``pytest -m paper`` (an hour of one core)."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1, make_regression
from sklearn.linear_model import LassoCV

from svmsieve import SVMSieve
from svmsieve.datasets import make_madelon
from svmsieve.datasets.madelon import MADELON_TRUE

pytestmark = pytest.mark.paper


def selected(X, y, seed=0):
    sieve = SVMSieve(random_state=seed).fit(X, y)
    return sieve, set(sieve.get_support(indices=True).tolist())


def test_xor_of_two_among_fifty_columns():
    found, scores = 0, []
    for seed in range(20):
        rng = np.random.default_rng([1, seed])
        X = rng.normal(size=(1300, 50))
        y = X[:, 0] * X[:, 1] > 0
        sieve, chosen = selected(X[:300], y[:300])
        found += chosen == {0, 1}
        scores.append(sieve.score(X[300:], y[300:]))
    assert found >= 19
    assert np.sum(np.array(scores) >= 0.95) >= 19


def test_rings():
    for seed in range(5):
        X = np.random.default_rng([2, seed]).normal(size=(300, 50))
        y = np.sin(2.5 * np.hypot(X[:, 0], X[:, 1])) > 0
        assert selected(X, y)[1] == {0, 1}


def test_friedmans_function():
    for seed in range(5):
        X, y = make_friedman1(500, 50, noise=1.0, random_state=seed)
        _, chosen = selected(X, y)
        assert {0, 1, 2, 3, 4} <= chosen
        assert len(chosen) <= 5.5


def test_the_construction_of_madelon():
    for seed in range(3):
        made = make_madelon(2000, random_state=seed)
        _, chosen = selected(made.X, made.y)
        probes = set(np.flatnonzero(made.kind == "probe").tolist())
        assert len(chosen & probes) <= 0.1 * len(chosen)


def test_wide_regression_is_as_good_as_the_lasso():
    gaps = []
    for seed in range(5):
        X, y = make_regression(1100, 400, n_informative=10, noise=10.0, random_state=seed)
        sieve, _ = selected(X[:100], y[:100])
        lasso = LassoCV(cv=5).fit(X[:100], y[:100])
        gaps.append(lasso.score(X[100:], y[100:]) - sieve.score(X[100:], y[100:]))
    assert np.mean(gaps) <= 0.03


def test_pure_noise():
    for seed in range(5):
        rng = np.random.default_rng([3, seed])
        sieve, chosen = selected(rng.normal(size=(200, 50)), np.arange(200) % 2)
        assert len(chosen) <= 5
        assert "no size beats guessing" in sieve.size_reason_


def test_few_rows_of_noise_are_not_promised_to_be_more():
    sure = 0
    for n, d, rare in ((60, 30, 30), (30, 100, 15), (100, 20, 5), (100, 20, 15)):
        for seed in range(20):
            rng = np.random.default_rng(1000 + seed)
            X, y = rng.normal(size=(n, d)), rng.permutation(np.repeat([0, 1], [rare, n - rare]))
            reason = SVMSieve(random_state=0).fit(X, y).size_reason_
            sure += "no size beats guessing" not in reason and "is not sure" not in reason
    assert sure <= 4  # of 80


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_madelon(seed, shared_data):
    with np.load(shared_data / "madelon.npz") as file:
        data = dict(file)
    sieve, _ = selected(data["X_train"].astype(float), data["y_train"], seed)
    assert len(set(sieve.order_[:13].tolist()) & set(MADELON_TRUE)) >= 12
    predicted, y = sieve.predict(data["X_valid"].astype(float)), data["y_valid"]
    assert np.mean([(predicted[y == c] != c).mean() for c in np.unique(y)]) <= 0.09
