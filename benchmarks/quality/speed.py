"""The default's time against the same procedure written with scikit-learn.

``python -m benchmarks.quality.speed``.  The same training samples, rankings, sizes and points: at each size a
machine ranks (its answers with each column permuted, or its weights), ten machines are trained and judged on
the held-out samples where the default judges them, and the worst columns leave.  scikit-learn's time is
measured on one fold and multiplied by their number; its ranking of all samples and its final machine are left
out of its time, not of ours; a filter ranks in place of ``loo-scaling`` and ``hsic``, which it has not.
Columns are permuted five times, as ``permutation_importance`` does by default (our answers are means over all
replacements); the time with one permutation is printed too.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.feature_selection import f_classif
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from svmsieve import SVMSieve
from svmsieve.engine.machines.relative_grid import GRID
from svmsieve.search import Thinning
from svmsieve.search.consensus import consensus


def permuted(machine: SVC, X: Any, rng: np.random.Generator, repeats: int) -> Any:
    """How much the machine's probabilities change when a column is permuted, one column after the other."""
    before = machine.predict_proba(X)[:, 1]
    scores = np.zeros(X.shape[1])
    for column in range(X.shape[1]):
        other = X.copy()
        for _ in range(repeats):
            other[:, column] = rng.permutation(other[:, column])
            scores[column] += np.abs(machine.predict_proba(other)[:, 1] - before).mean()
    return scores


def judged(X: Any, y: Any, X_test: Any, y_test: Any) -> list[float]:
    """Scores of the ten machines of the grid."""
    unit = 1.0 / (X.shape[1] * X.var())
    return [
        SVC(C=C, gamma=gamma * unit).fit(X, y).score(X_test, y_test) for C, gamma in GRID.points
    ]


def eliminate(
    X: Any, y: Any, X_test: Any, y_test: Any, score: Any, *, judge: bool = True
) -> list[int]:
    """Remove columns along the sizes of the default's schedule, judging each; return them, best first."""
    left, gone = np.arange(X.shape[1]), []
    sizes = Thinning().sizes(X.shape[1], 1)
    for size, following in zip(sizes, [*sizes[1:], 0], strict=True):
        if judge:
            judged(X[:, left], y, X_test[:, left], y_test)
        worst = np.argsort(score(X[:, left], y))[: size - following]
        gone += left[worst].tolist()
        left = np.delete(left, worst)
    return gone[::-1]


def with_scikit_learn(X: Any, y: Any, X_test: Any, y_test: Any, repeats: int) -> None:
    """The responses, weights and two filters, and the joint ranking."""
    rng = np.random.default_rng(0)

    def response(X: Any, y: Any) -> Any:
        return permuted(SVC(C=8.0, probability=True).fit(X, y), X, rng, repeats)

    def weight(X: Any, y: Any) -> Any:
        return SVC(kernel="linear").fit(X, y).coef_[0] ** 2

    def filtered(X: Any, y: Any) -> Any:
        return f_classif(X, y)[0]

    orders = [
        np.array(eliminate(X, y, X_test, y_test, score, judge=score is not weight))
        for score in (response, weight, filtered, filtered)
    ]
    joint = np.argsort(consensus(orders))
    eliminate(X, y, X_test, y_test, lambda X, y: -joint[: X.shape[1]].astype(float))


def main() -> None:
    """Measure one fold of scikit-learn's and a whole fit of ours, and print the ratio."""
    X, y = make_classification(500, 50, n_informative=8, n_redundant=4, random_state=0)
    train, test = next(iter(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)))
    SVMSieve(cv=3).fit(X[:60, :6], y[:60])  # compiles
    start = time.process_time()
    sieve = SVMSieve(random_state=0).fit(X, y)
    ours = time.process_time() - start
    folds = len(sieve.path_.fold_scores[0])
    scaler = StandardScaler().fit(X[train])
    parts = scaler.transform(X[train]), y[train], scaler.transform(X[test]), y[test]
    print(f"500 × 50, processor time: svmsieve {ours:.1f} s for {folds} folds and all samples")
    for repeats in (5, 1):
        start = time.process_time()
        with_scikit_learn(*parts, repeats)
        theirs = folds * (time.process_time() - start)
        print(
            f"scikit-learn, {repeats} permutations: {theirs:.0f} s, {theirs / ours:.1f} times as long"
        )


if __name__ == "__main__":
    main()
