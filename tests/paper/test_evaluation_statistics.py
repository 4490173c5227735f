"""What the evaluation claims, by simulation: no selection bias, tests of their size, few false discoveries.

Long statistics with fixed seeds: run with ``pytest -m paper``.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import (
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_score,
)
from sklearn.svm import SVC

from svmsieve import SVMSieve
from svmsieve.evaluation import corrected_t_test, nested_evaluate, paired_t_test
from svmsieve.sizing import FDR
from tests.evaluation.problems import noise, some_matter

pytestmark = [pytest.mark.paper, pytest.mark.timeout(3000)]


def standard_error(values):
    return np.std(values, ddof=1) / np.sqrt(len(values))


@pytest.mark.parametrize(("criterion", "search"), [("f-score", "once"), ("weight", "rfe")])
def test_noise_has_a_nested_error_of_one_half(criterion, search):
    """y independent of X, 60 × 2000; one error for each of 20 data sets, so that they are independent."""
    sieve = SVMSieve(SVC(kernel="linear"), criterion=criterion, search=search, step=0.3, cv=5)
    nested, naive = [], []
    for seed in range(20):
        X, y = noise(seed)
        nested.append(1.0 - nested_evaluate(sieve, X, y, 5, random_state=seed).mean)
        chosen = clone(sieve).set_params(n_features_to_select=20).fit(X, y).transform(X)
        naive.append(1.0 - cross_val_score(SVC(kernel="linear"), chosen, y, cv=5).mean())
    print(
        f"{criterion}, {search}: nested error {np.mean(nested):.4f} ± {standard_error(nested):.4f}, "
        f"not nested {np.mean(naive):.4f} ± {standard_error(naive):.4f}"
    )
    assert abs(np.mean(nested) - 0.5) <= 3 * standard_error(nested)
    assert np.mean(naive) < 0.2


def centroid_error(X, y, train, test):
    """Error of the nearest class mean."""
    low, high = (X[train][y[train] == label].mean(axis=0) for label in (0, 1))
    weights = high - low
    return np.mean((X[test] @ weights > weights @ (low + high) / 2) != y[test])


SPLITS = {
    "15 splits, a tenth tests": lambda seed: StratifiedShuffleSplit(
        15, test_size=0.1, random_state=seed
    ),
    "15 splits, a third tests": lambda seed: StratifiedShuffleSplit(
        15, test_size=1 / 3, random_state=seed
    ),
    "10 times 5 folds": lambda seed: RepeatedStratifiedKFold(
        n_splits=5, n_repeats=10, random_state=seed
    ),
    "5 folds": lambda seed: StratifiedKFold(5, shuffle=True, random_state=seed),
    "10 folds": lambda seed: StratifiedKFold(10, shuffle=True, random_state=seed),
}


@pytest.mark.parametrize("effect", [0.5, 0.2])
@pytest.mark.parametrize("splits", SPLITS)
def test_size_of_the_tests_under_the_null(splits, effect):
    """Two methods that see exchangeable halves of the features: their expected errors are equal.

    The corrected test keeps its level where the methods learn (effect 0.5).  Near chance (0.2) it was
    found to reject in up to 7 %: the correction is an approximation.  Single folds make it cautious.
    """
    trials, n, p = 2000, 100, 5
    plain = corrected = 0
    for seed in range(trials):
        rng = np.random.default_rng(seed)
        y = np.repeat([0, 1], n // 2)
        X = rng.normal(size=(n, 2 * p)) + effect * (2.0 * y[:, None] - 1.0)
        differences = []
        for train, test in SPLITS[splits](seed).split(X, y):
            ours = centroid_error(X[:, :p], y, train, test)
            differences.append(ours - centroid_error(X[:, p:], y, train, test))
            ratio = len(test) / len(train)
        plain += paired_t_test(differences).p < 0.05
        corrected += corrected_t_test(differences, ratio).p < 0.05
    plain, corrected = plain / trials, corrected / trials
    print(f"{splits}, effect {effect}: paired {plain:.4f}, corrected {corrected:.4f}")
    error = np.sqrt(0.05 * 0.95 / trials)
    if effect == 0.5:
        assert corrected <= 0.05 + 2 * error
    else:
        assert corrected <= 0.08
    if splits == "15 splits, a tenth tests" and effect == 0.5:
        assert corrected >= 0.05 - 2 * error
    if "folds" not in splits or "times" in splits:
        assert plain > 0.15
        assert corrected >= 0.03


def plain(X, rng):
    return X


def correlated(X, rng):
    """Null features in clusters of ten with a correlation of 0.81."""
    centres = rng.normal(size=(len(X), 18)).repeat(10, axis=1)
    X[:, 20:] = 0.9 * centres + np.sqrt(1 - 0.81) * X[:, 20:]
    return X


def mixed(X, rng):
    """Null features that are rare ones among zeros, or have heavy tails."""
    X[:, 20:80] = rng.random((len(X), 60)) < 0.1
    X[:, 80:140] = rng.standard_t(2, size=(len(X), 60))
    return X


@pytest.mark.filterwarnings("ignore:No feature is selected")
@pytest.mark.parametrize("nulls", [plain, correlated, mixed])
@pytest.mark.parametrize(
    ("criterion", "kernel", "search", "rule", "least_power"),
    [
        ("f-score", "linear", "once", FDR(0.1), 0.9),
        ("f-score", "linear", "once", FDR(0.1, n_copies=5), 0.9),
        ("weight", "linear", "rfe", FDR(0.2), 0.2),
        ("fspp2", "rbf", "once", FDR(0.2), 0.2),
    ],
)
def test_false_discoveries_stay_within_the_level(
    criterion, kernel, search, rule, least_power, nulls
):
    """100 data sets of 100 × 200, 20 features matter: the mean share of others among the selected."""
    shares, power = [], []
    for seed in range(100):
        X, y = some_matter(seed)
        X = nulls(X, np.random.default_rng(1000 + seed))
        sieve = SVMSieve(
            SVC(kernel=kernel),
            criterion=criterion,
            search=search,
            n_features_to_select=rule,
            random_state=seed,
        ).fit(X, y)
        shares.append(sieve.support_[20:].sum() / max(1, sieve.n_features_))
        power.append(sieve.support_[:20].mean())
    print(
        f"{criterion}, {search}, {rule}, {nulls.__name__}: false discoveries "
        f"{np.mean(shares):.4f} ± {standard_error(shares):.4f}, power {np.mean(power):.3f}"
    )
    assert np.mean(shares) <= rule.level + 2 * standard_error(shares)
    assert np.mean(power) > least_power
