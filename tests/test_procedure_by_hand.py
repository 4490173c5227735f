"""The procedure that the default's time is compared with does what the default does."""

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.quality import written_by_hand as by_hand
from svmsieve import rank
from svmsieve.search import Thinning


def pair(n=200, d=30, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, d))
    return StandardScaler().fit_transform(X), X[:, 3] * X[:, 7] > 0


def test_hsic_by_hand_has_our_order():
    X, y = pair(d=12)
    ours = rank(X, y, "hsic", estimator=SVC(gamma="scale")).order
    assert np.argsort(-by_hand.hsic(X, y)).tolist() == ours.tolist()


def test_weights_by_hand_have_our_order():
    X, y = pair(d=12)
    ours = rank(X, y, "weight", estimator=SVC(kernel="linear", tol=1e-6)).order
    assert np.argsort(-by_hand.weight(X, y))[:6].tolist() == ours[:6].tolist()


def test_scales_and_answers_by_hand_find_what_ours_find():
    X, y = pair()
    rng = np.random.default_rng(0)
    assert set(np.argsort(-by_hand.loo_scaling(X, y, rng, 2))[:2]) == {3, 7}
    sizes = Thinning().sizes(30, 1)
    order = by_hand.eliminated(X, y, lambda X, y: by_hand.permuted(X, y, rng, 1), sizes)
    assert sorted(order) == list(range(30))
    assert set(order[:2]) == {3, 7}


def test_a_machine_judged_by_hand_is_better_on_the_pair_than_on_noise():
    X, y = pair()
    parts = X[:150], y[:150], X[150:], y[150:]
    good = by_hand.judged(parts[0][:, [3, 7]], parts[1], parts[2][:, [3, 7]], parts[3])
    noise = by_hand.judged(parts[0][:, [0, 1]], parts[1], parts[2][:, [0, 1]], parts[3])
    assert len(good) == len(noise) == 10
    assert max(good) > 0.5 > 0.2 > max(noise)
