"""The criteria find the features that their papers say they find.

Long statistics with fixed seeds: run with ``pytest -m paper``.  Published figures stand beside the
claims; the thresholds leave room for the error of the trials run here.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC, SVR, LinearSVC

from svmsieve import SVMSieve, rank
from svmsieve.criteria.fspp import FSPP1, FSPP2
from svmsieve.datasets import make_led24, make_weston_linear, make_weston_nonlinear, make_yang
from svmsieve.engine.machines.tuning import tune_svr

pytestmark = [pytest.mark.paper, pytest.mark.timeout(3000)]

TRIALS = 30
RETRAINED_TRIALS = 8


def trials(criterion: str) -> int:
    """Fewer trials where each takes twenty thousand trainings."""
    return RETRAINED_TRIALS if criterion.endswith("retrained") else TRIALS


def eliminated(X, y, criterion, estimator) -> np.ndarray:
    """Order of the features after elimination one by one."""
    sieve = SVMSieve(estimator, criterion=criterion, n_features_to_select=1, step=1)
    return sieve.fit(X, y).order_


def top_two_error(X, y, order, X_test, y_test, estimator) -> float:
    """Test error of the machine on the two best features, scaled by the training samples."""
    best = order[:2]
    mean, deviation = X[:, best].mean(axis=0), X[:, best].std(axis=0)
    machine = estimator.fit((X[:, best] - mean) / deviation, y)
    return float(np.mean(machine.predict((X_test[:, best] - mean) / deviation) != y_test))


# Rakotomamonjy 2003, Table 1, 50 samples: published mean test error of the two best features.
LINEAR = {
    "correlation": 0.1476,
    "weight": 0.0511,
    "weight-gradient": 0.0511,
    "weight-retrained": 0.0419,
    "radius-margin": 0.1313,
    "radius-margin-retrained": 0.0404,
    "span-retrained": 0.0734,
    "span-gradient": 0.1316,
}


@pytest.mark.parametrize("criterion", LINEAR)
def test_weston_linear_toy(criterion):
    # LinearSVC's C counts xi squared twice as much: C = 1e5 of the paper.
    estimator = LinearSVC(C=5e4)
    errors = []
    for trial in range(trials(criterion)):
        rng = np.random.default_rng([1, trial])
        X, y = make_weston_linear(50, random_state=rng)
        X_test, y_test = make_weston_linear(4000, random_state=rng)
        order = eliminated(X, y, criterion, estimator)
        best = SVC(kernel="linear", C=100.0)
        errors.append(top_two_error(X, y, order, X_test, y_test, best))
    error, spread = np.mean(errors), np.std(errors) / np.sqrt(len(errors))
    print(f"{criterion}: {error:.4f} ± {spread:.4f}, published {LINEAR[criterion]:.4f}")
    assert error < LINEAR[criterion] + 0.05 + 2 * spread


# Table 2, 100 samples (span-retrained: 50).
NONLINEAR = {
    "weight": 0.0608,
    "weight-gradient": 0.0941,
    "weight-retrained": 0.0421,
    "radius-margin": 0.0421,
    "radius-margin-gradient": 0.1775,
}


@pytest.mark.parametrize("criterion", NONLINEAR)
def test_weston_nonlinear_toy(criterion):
    estimator = SVC(C=1000.0, gamma=1 / 18)
    errors = []
    for trial in range(trials(criterion)):
        rng = np.random.default_rng([2, trial])
        X, y = make_weston_nonlinear(100, 52, random_state=rng)
        X_test, y_test = make_weston_nonlinear(4000, 52, random_state=rng)
        order = eliminated(X, y, criterion, estimator)
        errors.append(top_two_error(X, y, order, X_test, y_test, SVC(C=1000.0, gamma=1 / 18)))
    error, spread = np.mean(errors), np.std(errors) / np.sqrt(len(errors))
    print(f"{criterion}: {error:.4f} ± {spread:.4f}, published {NONLINEAR[criterion]:.4f}")
    assert error < NONLINEAR[criterion] + 0.05 + 2 * spread


@pytest.mark.parametrize("criterion", ["fspp1", "fspp2", "fspp3", "fspp4"])
def test_fspp_on_the_nonlinear_toy(criterion):
    # Shen et al. 2008, Fig. 2a: both relevant features score above every other one on average.
    scores = np.zeros(10)
    for trial in range(TRIALS):
        X, y = make_weston_nonlinear(100, 10, random_state=np.random.default_rng([3, trial]))
        scores += rank(X, y, criterion, SVC(C=32.0, gamma=0.03125), random_state=trial).scores
    print(criterion, np.round(scores / TRIALS, 4))
    assert set(np.argsort(-scores)[:2]) == {0, 1}


@pytest.mark.parametrize("criterion", [FSPP1(10), FSPP2(10), "fspp3", "fspp4"])
@pytest.mark.parametrize(("problem", "relevant"), [("monks-1", {0, 1, 4}), ("monks-3", {1, 3, 4})])
def test_fspp_on_monk(shared_data, problem, relevant, criterion):
    # Shen et al. 2008, Fig. 1a: half of the 432 samples train; C and gamma as in the paper for MONK-1.
    with np.load(shared_data / f"{problem}.npz") as data:
        X, y = data["X_test"].astype(float), data["y_test"]
    half = np.random.default_rng(0).permutation(len(y))[:216]
    estimator = SVC(C=32.0, gamma=0.125)
    ranking = rank(X[half], y[half], criterion, estimator, random_state=0)
    print(problem, criterion, np.round(ranking.scores, 4))
    best = set(ranking.order[: len(relevant)].tolist())
    # MONK-3's x4 matters for 1 in 12 samples only (x5 = 3 and x4 = 1): the other two must be on top.
    assert best == relevant if problem == "monks-1" else {1, 4} <= best


def test_fspp4_eliminates_on_monk_where_the_paper_failed(shared_data):
    for problem in ("monks-1", "monks-2", "monks-3"):
        with np.load(shared_data / f"{problem}.npz") as data:
            X, y = data["X_test"].astype(float), data["y_test"]
        order = eliminated(X[::2], y[::2], "fspp4", SVC(C=32.0, gamma=0.125))
        assert sorted(order) == list(range(6))


@pytest.mark.parametrize("criterion", ["sd-laplace", "sd-gauss"])
def test_yang_artificial_problem(criterion):
    # Yang & Ong 2010, Table 1, 200 samples: all five on top in 30 of 30 (SD-L and SD-G).
    X, y = make_yang(200, random_state=np.random.default_rng([4, 1000]))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    tuning = tune_svr(X, y)
    estimator = SVR(C=tuning.best_C, gamma=tuning.best_gamma, epsilon=tuning.best_epsilon)
    hits = 0
    for trial in range(TRIALS):
        X, y = make_yang(200, random_state=np.random.default_rng([4, trial]))
        hits += set(eliminated(X, y, criterion, estimator)[:5]) == {0, 1, 2, 3, 4}
    print(f"{criterion}: {hits} of {TRIALS}, published 30 of 30")
    assert hits >= TRIALS - 3


def test_sv_gradient_follows_information_gain_on_led():
    # Heiler et al. 2001, Fig. 2: r = 0.99 between the two measures, seven relevant features apart.
    X, y = make_led24(1000, random_state=np.random.default_rng(5))
    scores = rank(X, y, "sv-gradient", SVC(), scale=False).scores

    def entropy(labels) -> float:
        share = np.bincount(labels, minlength=10) / len(labels)
        share = share[share > 0]
        return float(-(share * np.log2(share)).sum())

    gains = [
        entropy(y) - sum((x == v).mean() * entropy(y[x == v]) for v in (0.0, 1.0)) for x in X.T
    ]
    r = np.corrcoef(scores, gains)[0, 1]
    print(f"correlation {r:.3f}, published 0.99")
    assert set(np.argsort(-scores)[:7]) == set(range(7))
    assert r > 0.9
