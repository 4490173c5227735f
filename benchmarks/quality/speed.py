"""The default's time against the same procedure written with scikit-learn, NumPy and SciPy.

``python -m benchmarks.quality.speed``.  The same rankings, sizes, folds and points, with the same number of
permutations (:mod:`benchmarks.quality.written_by_hand`): in the first five folds ten machines are judged at
each size, in the later ones three.  One fold is measured and multiplied by their number, and the rankings of
all samples come once; the final machine is left out of its time, not of ours.  The time with five
permutations, as ``permutation_importance`` makes by default, is printed too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from benchmarks.quality.written_by_hand import (
    eliminated,
    hsic,
    judged,
    loo_scaling,
    permuted,
    weight,
)
from svmsieve import SVMSieve
from svmsieve.engine.machines.relative_grid import GRID
from svmsieve.search import Thinning
from svmsieve.search.consensus import consensus


def seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the processor time of a call, and what it returns."""
    start = time.process_time()
    found = call()
    return time.process_time() - start, found


def rankings(X: Any, y: Any, repeats: tuple[int, int]) -> list[Any]:
    """The four orders that are judged; the linear machine's only votes."""
    rng, sizes = np.random.default_rng(0), Thinning().sizes(X.shape[1], 1)
    sharp = eliminated(X, y, lambda X, y: permuted(X, y, rng, repeats[0]), sizes)
    scaled = np.argsort(-loo_scaling(X, y, rng, repeats[1]))
    linear = eliminated(X, y, weight, sizes)
    return [consensus([sharp, scaled, linear]), sharp, scaled, eliminated(X, y, hsic, sizes)]


def judge_all(orders: list[Any], parts: Any, points: Any) -> None:
    """Judge each order at each size; columns that two orders share, once."""
    X, y, X_test, y_test = parts
    sizes = Thinning().sizes(X.shape[1], 1)
    for columns in {tuple(sorted(order[:size])) for order in orders for size in sizes}:
        judged(X[:, columns], y, X_test[:, columns], y_test, points)


def main() -> None:
    """Measure one fold of scikit-learn's and a whole fit of ours, and print the ratio."""
    X, y = make_classification(500, 50, n_informative=8, n_redundant=4, random_state=0)
    train, test = next(iter(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)))
    SVMSieve(cv=3).fit(X[:60, :6], y[:60])  # compiles
    ours, sieve = seconds(partial(SVMSieve(random_state=0).fit, X, y))
    folds = len(sieve.path_.fold_scores[0])
    print(f"500 × 50, processor time: svmsieve {ours:.1f} s for {folds} folds and all samples")
    scaler = StandardScaler().fit(X[train])
    parts = scaler.transform(X[train]), y[train], scaler.transform(X[test]), y[test]
    for repeats in ((1, 2), (5, 5)):
        ranked, orders = seconds(partial(rankings, *parts[:2], repeats))
        ten, _ = seconds(partial(judge_all, orders, parts, GRID.points))
        three, _ = seconds(partial(judge_all, orders, parts, GRID.points[3:6]))
        whole, _ = seconds(partial(rankings, scaler.transform(X), y, repeats))
        theirs = folds * ranked + 5 * ten + (folds - 5) * three + whole
        print(
            f"scikit-learn, {repeats[0]} and {repeats[1]} permutations: {theirs:.0f} s, "
            f"{theirs / ours:.1f} times as long"
        )
        print(f"  a fold: rankings {ranked:.1f} s, ten points {ten:.1f} s, three {three:.1f} s")


if __name__ == "__main__":
    main()
