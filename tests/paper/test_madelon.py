"""MADELON: elimination by FSPP2 with retuning finds the true features (Shen et al. 2008, Table 3)."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score
from sklearn.svm import SVC

from svmsieve import SVMSieve
from svmsieve.engine.tuning import tune_svc
from svmsieve.search import Tiers

pytestmark = [
    pytest.mark.paper,
    pytest.mark.timeout(3000),
    # a corner of the grid that SMO does not reach: few features and a large C
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]

TRUE = {
    28, 48, 64, 105, 128, 153, 241, 281, 318, 336, 338, 378, 433, 442, 451, 453, 455, 472, 475, 493,
}  # fmt: skip


def test_fspp2_with_retuning_keeps_the_true_features_and_predicts_well(shared_data):
    with np.load(shared_data / "madelon.npz") as data:
        X, y = data["X_train"].astype(float), data["y_train"]
        X_valid, y_valid = data["X_valid"].astype(float), data["y_valid"]
    sieve = SVMSieve(
        None,
        criterion="fspp2",
        step=Tiers([(100, 100), (20, 20), (1, 1)]),
        retune=[200, 100, 40, 20],
        n_features_to_select=10,
        random_state=0,
    ).fit(X, y)
    kept = len(TRUE & set(sieve.order_[:13].tolist()))
    errors = {}
    for size in (7, 10, 12):
        best = sieve.order_[:size]
        mean, deviation = X[:, best].mean(axis=0), X[:, best].std(axis=0)
        train, valid = (X[:, best] - mean) / deviation, (X_valid[:, best] - mean) / deviation
        tuning = tune_svc(train, y)
        machine = SVC(C=tuning.best_C, gamma=tuning.best_gamma).fit(train, y)
        errors[size] = 1.0 - balanced_accuracy_score(y_valid, machine.predict(valid))
    print(f"{kept} true features among the last 13; balanced error {errors}")
    assert kept >= 12
    assert errors[12] <= 0.09
