import numpy as np
import pytest
from sklearn.svm import SVC

from svmsieve import SVMSieve
from svmsieve.engine.linear_leg import linear_leg
from svmsieve.engine.machines import train_svc
from svmsieve.search import elimination


def _data(n=40, d=150):
    rng = np.random.default_rng(d)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, :5].sum(axis=1) + rng.normal(size=n) > 0, 1, 0)


def _sieve(**options):
    machine = SVC(kernel="linear", tol=1e-8)
    return SVMSieve(machine, criterion="weight", step=1, scale=False, **options)


@pytest.mark.parametrize("smallest", [1, 7])
@pytest.mark.parametrize("weights", [False, True])
def test_equals_the_steps_one_by_one(smallest, weights, monkeypatch):
    X, y = _data()
    X[:, 100] = X[:, 20]  # equal columns leave in the same order
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y)) if weights else None
    quick = _sieve(n_features_to_select=smallest).fit(X, y, sample_weight=weight)
    calls = []
    monkeypatch.setattr(elimination, "is_plain_linear", lambda *_: calls.append(1) or False)
    slow = _sieve(n_features_to_select=smallest).fit(X, y, sample_weight=weight)
    assert calls
    np.testing.assert_array_equal(quick.ranking_, slow.ranking_)
    np.testing.assert_allclose(quick.scores_, slow.scores_, rtol=1e-5, atol=1e-12)
    assert [s.size for _, s in quick.record_] == [s.size for _, s in slow.record_]


def test_removes_the_smallest_weight_of_retrained_machines():
    X, y = _data(20, 12)
    signs = np.where(y > 0, 1.0, -1.0)
    gone, scores, largest = np.empty(8, dtype=np.intp), np.empty(8), np.empty(8)
    K = X @ X.T
    assert linear_leg(
        X, K, K.reshape(-1), signs, -np.ones(20), np.ones(20), 1e-9, 10_000, gone, scores, largest
    )
    left = list(range(12))
    for step in range(8):
        w = X[:, left].T @ train_svc(X[:, left] @ X[:, left].T, signs, 1.0, tol=1e-9).coef
        assert gone[step] == left[int(np.argmin(w**2))]
        assert scores[step] == pytest.approx((w**2).min(), rel=1e-5)
        assert largest[step] == pytest.approx((w**2).max(), rel=1e-5)
        left.remove(gone[step])


def test_a_machine_that_takes_too_long_is_not_used():
    X, y = _data(20, 12)
    gone, scores, largest = np.empty(3, dtype=np.intp), np.empty(3), np.empty(3)
    K = X @ X.T
    assert not linear_leg(
        X,
        K,
        K.reshape(-1),
        np.where(y > 0, 1.0, -1.0),
        -np.ones(20),
        np.ones(20),
        1e-9,
        1,
        gone,
        scores,
        largest,
    )


def test_constant_columns_take_the_general_way():
    X, y = _data()
    X[:, 3] = 1.0
    assert _sieve(n_features_to_select=5).fit(X, y).ranking_[3] == X.shape[1]
