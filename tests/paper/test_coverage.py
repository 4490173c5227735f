"""Every printed interval covers, every printed test has its size, by simulation.

The target of an interval is the expected value of the measure at the folds' number of training samples:
the mean over new data sets of what the folds' machines would score on endless new samples.  Long statistics
with fixed seeds: run with ``pytest -m paper``.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.model_selection import StratifiedKFold

from svmsieve.evaluation import HeldOut, corrected_t_test, nogueira_index
from tests.evaluation.coverage import NOISES, coverage, covered, drawn_errors, grouped_errors

pytestmark = [pytest.mark.paper, pytest.mark.timeout(3000)]

LEAST = 0.9


def allowed(trials, share=LEAST):
    """Two standard errors of a share of the trials."""
    return 2.0 * np.sqrt(share * (1.0 - share) / trials)


@pytest.mark.parametrize("folds", [3, 5, 10, 50])
@pytest.mark.parametrize("n", [30, 100, 300, 1000])
def test_error_rates_that_are_drawn_are_covered(n, folds):
    """Independent errors; machines that are better or worse together; folds that differ; both."""
    if n < 2 * folds:
        pytest.skip("fewer than two samples a fold")
    found = {}
    for error, shared, own in product((0.005, 0.02, 0.1, 0.3, 0.5), (0.0, 1.0), (0.0, 1.0)):
        drawn = drawn_errors(n, folds, error, 500, seed=0, shared=shared, own=own)
        found[error, shared, own] = coverage(*drawn, error)
    worst = min(found, key=found.get)
    print(f"n {n}, {folds} folds: at least {found[worst]:.3f}, at {worst}")
    assert found[worst] >= LEAST - allowed(500)


def decisions(X, y, train, test, best=None):
    """Nearest class mean, on the columns whose means differ most; positive: class 1."""
    low, high = (X[train][y[train] == label].mean(axis=0) for label in (0, 1))
    weights = high - low
    if best is not None:
        weights[np.argsort(-np.abs(weights))[best:]] = 0.0
    return X[test] @ weights - weights @ (low + high) / 2


def area(y, f):
    """AUC by the ranks; decisions of a continuous machine have no ties."""
    ranks, positive = rankdata(f), y.sum()
    return (ranks[y == 1].sum() - positive * (positive + 1) / 2) / (positive * (len(y) - positive))


def balanced(y, f):
    """Balanced error rate."""
    return 0.5 * (np.mean(f[y == 1] <= 0) + np.mean(f[y == 0] > 0))


MEASURES = {
    "accuracy": lambda y, f: np.mean((f > 0) == y),
    "ber": balanced,
    "auc": area,
}


@pytest.mark.parametrize("share", [0.5, 0.25])
@pytest.mark.parametrize(
    ("d", "best", "effect"),
    [(10, None, 0.0), (5, None, 1.0), (5, None, 3.0), (200, 2, 0.0), (200, 2, 1.5), (200, 2, 3.0)],
)
@pytest.mark.parametrize(("n", "folds"), [(40, 3), (60, 10), (300, 5)])
def test_scores_of_machines_are_covered(n, folds, d, best, effect, share):
    """Machines that learn nothing, something and nearly all, with and without a selection in the folds."""
    trials = 200
    rng = np.random.default_rng(0)
    y = (np.arange(n) < share * n).astype(int)
    scores = {name: [] for name in MEASURES}
    for trial in range(trials):
        X = rng.normal(size=(n, d))
        X[:, :2] += effect * (y[:, None] - 0.5)
        splitter = StratifiedKFold(folds, shuffle=True, random_state=trial)
        rows = {name: [] for name in MEASURES}
        for train, test in splitter.split(X, y):
            found = decisions(X, y, train, test, best)
            for name, measure in MEASURES.items():
                rows[name].append(measure(y[test], found))
        for name, row in rows.items():
            scores[name].append(row)
    held_out = HeldOut(n / folds, np.bincount(y) / folds)
    told = {name: covered(each, name, held_out) for name, each in scores.items()}
    print(f"n {n}, {folds} folds, {d} columns, effect {effect}, share {share}: {told}")
    assert min(told.values()) >= LEAST - allowed(trials)


def squares(X, y, folds):
    """Return the squared errors of least squares in each fold, shape (trials, folds, samples of a fold)."""
    n = X.shape[1]
    errors = []
    for test in np.array_split(np.arange(n), folds):
        train = np.delete(np.arange(n), test)
        A, b = X[:, train], y[:, train, None]
        weights = np.linalg.solve(A.swapaxes(1, 2) @ A, A.swapaxes(1, 2) @ b)
        errors.append((y[:, test] - (X[:, test] @ weights)[..., 0]) ** 2)
    return np.stack(errors, axis=1)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("size", [0.1, 1.0, 10.0])
@pytest.mark.parametrize(
    ("n", "folds"),
    [(30, 3), (50, 5), (50, 25), (51, 3), (100, 10), (102, 3), (300, 10), (999, 3), (1000, 50)],
)
def test_scores_of_numbers_are_covered_or_have_no_interval(n, folds, size, noise):
    """Least squares of one column among three, with noise of light and of heavy tails."""
    trials = 1000 if n <= 300 else 300
    rng = np.random.default_rng(0)
    X = np.concatenate([np.ones((trials, n, 1)), rng.normal(size=(trials, n, 3))], axis=2)
    y = X[..., 1] + size * NOISES[noise](rng, (trials, n))
    e2 = squares(X, y, folds)
    spread = y.reshape(trials, folds, -1).var(axis=2)
    scores = {
        "mse": e2.mean(axis=2),
        "root_mean_squared_error": np.sqrt(e2.mean(axis=2)),
        "mean_absolute_error": np.sqrt(e2).mean(axis=2),
        "r2": 1.0 - e2.mean(axis=2) / spread,
    }
    told = {name: covered(each, name, HeldOut(n / folds)) for name, each in scores.items()}
    print(f"n {n}, {folds} folds, {noise} noise {size}: {told}")
    assert np.isnan(told["mse"]) == (n < 50)
    assert np.isnan(told["r2"]) == (n < 100)
    assert n < 50 or np.nanmin(list(told.values())) >= LEAST - allowed(trials)


@pytest.mark.parametrize("alike", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize(("n_groups", "folds"), [(15, 3), (15, 5), (30, 10), (100, 5), (100, 50)])
def test_errors_of_groups_are_covered(n_groups, folds, alike):
    """Folds of whole groups, whose samples err together as far as ``alike`` says."""
    for error in (0.02, 0.1, 0.3, 0.5):
        scores, _ = grouped_errors(n_groups, folds, error, alike, 500, seed=0)
        held_out = HeldOut(n_groups / folds, np.full(2, n_groups / folds / 2))
        told = covered(scores, "accuracy", held_out, error)
        print(f"{n_groups} groups, {folds} folds, alike {alike}, error {error}: {told:.3f}")
        assert told >= LEAST - allowed(500)


@pytest.mark.parametrize("folds", [3, 5, 10, 50])
@pytest.mark.parametrize("n", [30, 100, 300, 1000])
def test_equal_methods_differ_in_few_data_sets(n, folds):
    """Two methods with the same error, whose errors go together as far as ``agree`` says."""
    if n < 2 * folds:
        pytest.skip("fewer than two samples a fold")
    trials, found = 1000, {}
    samples = np.full(folds, n // folds) + (np.arange(folds) < n % folds)
    rng = np.random.default_rng(0)
    for error, agree in product((0.005, 0.02, 0.1, 0.3, 0.5), (0.0, 0.5, 0.9)):
        one = error * (1.0 - error) * (1.0 - agree)
        wins = rng.binomial(samples, one, (trials, folds))
        losses = rng.binomial(samples - wins, one / (1.0 - one))
        p = [corrected_t_test(each, 1.0 / (folds - 1)).p for each in (wins - losses) / samples]
        assert min(p) > 0.0
        found[error, agree] = np.mean(np.array(p) < 0.05)
    worst = max(found, key=found.get)
    print(f"n {n}, {folds} folds: at most {found[worst]:.3f}, at {worst}")
    assert found[worst] <= 0.05 + allowed(trials, 0.05)


CHANCES = {
    "mixed": np.r_[np.full(5, 0.9), np.full(10, 0.2), np.full(15, 0.05)],
    "stable": np.r_[np.full(5, 0.995), np.full(45, 0.002)],
    "nearly all alike": np.r_[np.full(3, 0.999), np.full(20, 0.001)],
    "chance": np.full(30, 0.2),
    "wide": np.r_[np.full(20, 0.7), np.full(300, 0.02)],
    "few": np.r_[np.full(2, 0.95), np.full(6, 0.1)],
}


@pytest.mark.parametrize("replicates", [3, 5, 10, 20, 30, 50])
@pytest.mark.parametrize("name", CHANCES)
def test_stability_is_covered_or_has_no_interval(name, replicates):
    chances, trials = CHANCES[name], 500
    share = chances.mean()
    truth = 1.0 - np.mean(chances * (1.0 - chances)) / (share * (1.0 - share))
    rng = np.random.default_rng(0)
    found = [
        nogueira_index(rng.random((replicates, len(chances))) < chances) for _ in range(trials)
    ]
    hits = [index.lower <= truth <= index.upper for index in found if np.isfinite(index.lower)]
    print(
        f"{name}, {replicates} replicates: {np.mean(hits) if hits else np.nan:.3f} of {len(hits)}"
    )
    assert not hits or np.mean(hits) >= LEAST - allowed(len(hits))
