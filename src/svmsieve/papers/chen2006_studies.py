"""Chen & Lin's strategies on the challenge's data sets: with the printed thresholds, and with found ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from svmsieve.datasets import load
from svmsieve.engine.arrays import Matrix
from svmsieve.engine.columns import column_range
from svmsieve.engine.machines.grid_search import Validation
from svmsieve.engine.machines.tuning import tune_svc
from svmsieve.evaluation.metrics import balanced_error_rate
from svmsieve.papers.rows import SPREAD, bootstrap_spread
from svmsieve.papers.studies import Study, Values
from svmsieve.runtime.threads import one_blas_thread
from svmsieve.strategies import ForestRMBoundSVC, FScoreForestSVC, FScoreSVC

SETS = ("ARCENE", "DEXTER", "DOROTHEA", "MADELON")
THRESHOLDS = {"ARCENE": 0.1, "DEXTER": 0.015, "DOROTHEA": 0.05, "MADELON": 0.005}
"""The F-scores that the paper cuts at (Table 3)."""
N_FEATURES = {"ARCENE": 10_000, "DEXTER": 20_000, "DOROTHEA": 100_000, "MADELON": 500}
TOPS = (100, 200, 300)
"""Of the forest's order on DOROTHEA (section 4)."""
CURVE = tuple(int(k) for k in np.unique(np.geomspace(1, 100_000, 41).round()))
"""Ranks at which the curve of F-scores is kept."""

Strategies = Mapping[str, Callable[[int], Any]]
"""Name of a strategy to what makes it from a seed."""


def scaled_together(parts: list[Matrix]) -> list[Matrix]:
    """Scale every feature to [0, 1] over all parts, labels unseen; a sparse one is not shifted."""
    if sp.issparse(parts[0]):
        lower, upper = column_range(sp.vstack(parts).tocsr())
        width = np.where(upper > lower, upper - lower, 1.0)
        return [(part @ sp.diags_array(1.0 / width)).tocsr() for part in parts]
    lower, upper = column_range(np.vstack(parts))
    width = np.where(upper > lower, upper - lower, 1.0)
    return [(part - lower) / width for part in parts]


def _cut(threshold: float) -> Callable[[int], Any]:
    """F+SVM at one threshold; at 0 the plain SVM."""
    return lambda seed: FScoreSVC(
        thresholds=[threshold], n_splits=1, scale=False, random_state=seed
    )


def _cut_and_forest(threshold: float, n_features: int | None = None) -> Callable[[int], Any]:
    return lambda seed: FScoreForestSVC(
        thresholds=[threshold],
        n_features_to_select=n_features,
        n_splits=1,
        scale=False,
        random_state=seed,
    )


def _forest_and_bound(seed: int) -> Any:
    return ForestRMBoundSVC(thresholds=[0.0], n_splits=1, scale=False, random_state=seed)


def _printed(name: str) -> Strategies:
    """The strategies with the paper's thresholds and, on DOROTHEA, its numbers of features."""
    threshold = THRESHOLDS[name]
    strategies = {
        "SVM": _cut(0.0),
        "F+SVM": _cut(threshold),
        "F+RF+SVM": _cut_and_forest(threshold),
    }
    if name == "DOROTHEA":
        strategies |= {f"F+RF top {n}+SVM": _cut_and_forest(threshold, n) for n in TOPS}
    if name == "MADELON":
        strategies["RF+RM-SVM"] = _forest_and_bound
    return strategies


def _found(name: str) -> Strategies:
    """The strategies as the library runs them: thresholds are found."""
    return {
        "F+SVM": lambda seed: FScoreSVC(scale=False, random_state=seed),
        "F+RF+SVM": lambda seed: FScoreForestSVC(scale=False, random_state=seed),
    }


@dataclass(frozen=True)
class StrategyStudy(Study):
    """Fit a strategy to the training part, judge it on the validation part; each trial has its own folds.

    Attributes
    ----------
    strategies : of each data set
    """

    name: str
    trials: int
    strategies: Mapping[str, Strategies]

    @property
    def conditions(self) -> tuple[str, ...]:
        """The data sets."""
        return tuple(self.strategies)

    @property
    def method_names(self) -> tuple[str, ...]:
        """The strategies of all data sets."""
        return tuple(dict.fromkeys(name for each in self.strategies.values() for name in each))

    def runs(self, condition: str, method: str) -> bool:
        """Whether the paper has the strategy on this data set."""
        return method in self.strategies[condition]

    def measure(
        self, condition: str, method: str, trial: int, seed: int, tuned: list[dict[str, Any]]
    ) -> Values:
        """Return validation and cross-validated BER with spreads, threshold, size, points of the curve."""
        parts = load(condition.lower()).parts
        X, X_valid = scaled_together([part.X for part in parts.values()])[:2]
        y, y_valid = parts["train"].y, parts["valid"].y
        strategy = self.strategies[condition][method](seed + trial).fit(X, y)
        predicted = strategy.predict(X_valid)
        values = {
            "ber": balanced_error_rate(y_valid, predicted),
            f"ber{SPREAD}": bootstrap_spread(balanced_error_rate, y_valid, predicted, seed + trial),
            "features": float(strategy.n_features_),
        }
        if method in ("SVM", "F+SVM"):
            with one_blas_thread():
                tuning = tune_svc(
                    X[:, np.flatnonzero(strategy.support_)],
                    y,
                    validation=Validation(seed=seed + trial),
                )
            values["cv"] = 1.0 - tuning.best_score
        if method == "F+SVM":
            values["threshold"] = float(strategy.threshold_)
            falling = np.sort(strategy.scores_)[::-1]
            values |= {f"f@{k}": float(falling[k - 1]) for k in CURVE if k <= len(falling)}
        return values


FOLD_SEEDS = 5
PRINTED = StrategyStudy("printed", FOLD_SEEDS, {name: _printed(name) for name in SETS})
FOUND = StrategyStudy("found", 1, {name: _found(name) for name in SETS})
