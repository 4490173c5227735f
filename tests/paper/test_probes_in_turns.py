"""False discoveries and power of FDR(0.1) as it is by default, on problems an RBF machine is for.

Long statistics with fixed seeds: run with ``pytest -m paper``.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC

from svmsieve import SVMSieve
from svmsieve.sizing import FDR

pytestmark = [pytest.mark.paper, pytest.mark.timeout(3000)]


def in_clusters(X, rng, n_true):
    """Make the null columns clusters of five with a correlation of 0.81."""
    n, d = X.shape
    centres = rng.normal(size=(n, d // 5 + 1)).repeat(5, axis=1)[:, : d - n_true]
    X[:, n_true:] = 0.9 * centres + np.sqrt(1.0 - 0.81) * X[:, n_true:]
    return X


PROBLEMS = {
    "null": (0, lambda X: np.zeros(len(X))),
    "linear": (5, lambda X: X[:, :5].sum(axis=1) / np.sqrt(5.0)),
    "xor": (2, lambda X: X[:, 0] * X[:, 1]),
    "rings": (2, lambda X: X[:, 0] ** 2 + X[:, 1] ** 2),
    "xor and rings": (4, lambda X: X[:, 0] * X[:, 1] + 0.7 * (X[:, 2] ** 2 + X[:, 3] ** 2)),
}


def discoveries(problem, correlated, seed):
    """Return the share of null features among those selected, and the share of true ones that are."""
    n_true, signal = PROBLEMS[problem]
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 20))
    X = in_clusters(X, rng, n_true) if correlated else X
    f = signal(X) + 0.3 * rng.normal(size=len(X))
    sieve = SVMSieve(
        SVC(), criterion="fspp2", n_features_to_select=FDR(0.1), step=0.5, random_state=seed
    ).fit(X, f > np.median(f))
    found = sieve.support_
    return found[n_true:].sum() / max(1, found.sum()), found[:n_true].mean() if n_true else np.nan


@pytest.mark.filterwarnings("ignore:No feature is selected")
@pytest.mark.parametrize("correlated", [False, True])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_false_discoveries_stay_within_the_level_and_interactions_are_found(problem, correlated):
    shares, power = np.array([discoveries(problem, correlated, seed) for seed in range(40)]).T
    error = np.std(shares, ddof=1) / np.sqrt(len(shares))
    print(
        f"{problem}, correlated {correlated}: false discoveries {np.mean(shares):.3f} ± {error:.3f}, "
        f"power {np.mean(power):.2f}"
    )
    assert np.mean(shares) <= 0.1 + 2.0 * error
    if PROBLEMS[problem][0]:
        assert np.mean(power) > 0.4
