"""The Nyström machine against the exact one on data sets as they are: error and ranking.

C, γ and ε are those the tuning chose on 1000 rows of each set (optdigits: C = 10, γ = 1/64).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.metrics import accuracy_score, mean_squared_error
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from svmsieve import SVMSieve, rank
from svmsieve.criteria.density import SDGauss
from svmsieve.criteria.fspp import FSPP2
from svmsieve.scale.planned_estimators import nystroem_like

pytestmark = [pytest.mark.paper, pytest.mark.timeout(3000)]

N_LANDMARKS = 1000


def _split(folder: Path, name: str) -> tuple[Any, Any, Any, Any]:
    arrays = np.load(folder / f"{name}.npz")
    if name == "optdigits":
        X, y = arrays["X_train"].astype(float), arrays["y_train"]
        return X, y, arrays["X_test"].astype(float), arrays["y_test"]
    X, y = arrays["X"].astype(float), arrays["y"].astype(float)
    y = (y - y.mean()) / y.std()
    order = np.random.default_rng(0).permutation(len(y))
    train, test = np.split(order, [int(0.7 * len(y))])
    return X[train], y[train], X[test], y[test]


CASES = {
    "optdigits": (SVC(C=10.0, gamma=1 / 64), FSPP2(n_permutations=1)),
    "abalone": (SVR(C=8.0, gamma=2.0**-6, epsilon=0.5), SDGauss(n_permutations=10)),
    "cpusmall": (SVR(C=64.0, gamma=2.0**-5, epsilon=0.125), SDGauss(n_permutations=10)),
}


@pytest.mark.parametrize("name", CASES)
def test_error_is_that_of_the_exact_machine(name: str, shared_data: Path) -> None:
    X, y, X_test, y_test = _split(shared_data, name)
    scaler = StandardScaler().fit(X)
    machine = CASES[name][0]
    found = {}
    for kind, each in (
        ("exact", clone(machine)),
        ("nystroem", nystroem_like(machine, N_LANDMARKS, 0)),
    ):
        predicted = each.fit(scaler.transform(X), y).predict(scaler.transform(X_test))
        measure = accuracy_score if name == "optdigits" else mean_squared_error
        found[kind] = measure(y_test, predicted)
    print(name, found)
    if name == "optdigits":
        assert found["nystroem"] >= found["exact"] - 0.01
    else:
        assert found["nystroem"] <= 1.05 * found["exact"]


@pytest.mark.parametrize("name", CASES)
def test_ranking_is_that_of_the_exact_machine(name: str, shared_data: Path) -> None:
    X, y, _, _ = _split(shared_data, name)
    estimator, criterion = CASES[name]
    exact = rank(X, y, criterion, estimator, random_state=0)
    landmarks = rank(
        X, y, criterion, estimator, random_state=0, machine="nystroem", n_landmarks=N_LANDMARKS
    )
    correlation = spearmanr(exact.scores, landmarks.scores).statistic
    print(name, correlation)
    assert correlation >= 0.95


def _generated() -> tuple[Any, Any, Any, Any]:
    """8000 rows of 20 columns, the first eight of which matter, and as many to judge by."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(16_000, 20))
    value = np.sin(2.0 * X[:, :8]).sum(axis=1) + 0.5 * (X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3])
    y = (value + 0.3 * rng.normal(size=16_000) > 0.0).astype(int)
    return X[:8000], y[:8000], X[8000:], y[8000:]


ELIMINATED = {**CASES, "generated": (SVC(C=1.0, gamma=0.05), FSPP2(n_permutations=1))}
SIZES = {"optdigits": 32, "abalone": 4, "cpusmall": 6, "generated": 8}


@pytest.mark.parametrize("name", ELIMINATED)
def test_an_elimination_comes_to_what_the_exact_machine_comes_to(
    name: str, shared_data: Path
) -> None:
    """The same features, or a score on rows that were held out within one point."""
    X, y, X_test, y_test = _generated() if name == "generated" else _split(shared_data, name)
    estimator, criterion = ELIMINATED[name]
    sieve = SVMSieve(
        estimator, criterion=criterion, step=0.25, n_features_to_select=SIZES[name], random_state=0
    )
    exact = clone(sieve).fit(X, y)
    landmarks = clone(sieve).set_params(machine="nystroem", n_landmarks=500).fit(X, y)
    scores = exact.score(X_test, y_test), landmarks.score(X_test, y_test)
    common = int((exact.support_ & landmarks.support_).sum())
    print(name, common, SIZES[name], scores)
    assert common == SIZES[name] or scores[1] >= scores[0] - 0.01
