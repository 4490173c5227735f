"""What was selected, and what the search found at each size."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmsieve.engine.arrays import IntArray
from svmsieve.evaluation import HeldOut, NestedEvaluation, Stability
from svmsieve.evaluation.shown import Shown, interval
from svmsieve.report.features import Features, fold_orders, ordered_by
from svmsieve.report.reasons import Reasons
from svmsieve.report.searched import search_of
from svmsieve.sizing import RULES, make_rule


def selection(sieve: Any, features: Features, told: Reasons) -> dict[str, Any]:
    """Return the chosen features and why there are that many."""
    order = features.order(sieve.order_)
    return {
        "size": int(sieve.n_units_),
        "of": len(features),
        "columns": int(sieve.n_features_),
        "reason": told(sieve.size_reason_),
        "features": [features.names[unit] for unit in order[: sieve.n_units_]],
    }


def choices(sieve: Any, told: Reasons) -> list[dict[str, Any]]:
    """Return the size that every rule would choose from the same path, where it can."""
    path = sieve.path_
    wanted = sieve.n_features_to_select
    search = search_of(sieve)
    task = "binary" if hasattr(sieve, "classes_") else "regression"
    found = []
    for name, rule in RULES.items():
        computed = path.bound if rule.needs_bound else path.mean_score if rule.needs_cv else None
        if computed is not None and not np.isfinite(computed).all():
            continue
        if not np.isfinite(path.criterion).all() and name == "threshold":
            continue
        if make_rule(name).half_pairs and name != wanted:  # how many they choose is the rule's
            continue
        try:
            make_rule(name).refuse(task, search)
        except ValueError:
            continue
        choice = make_rule(name).choose(path)
        found.append(
            {
                "rule": name,
                "size": choice.size,
                "reason": told(choice.reason),
                "chosen": name == wanted,
            }
        )
    if not any(each["chosen"] for each in found):
        found.append(
            {
                "rule": "asked for",
                "size": int(sieve.n_units_),
                "reason": told(sieve.size_reason_),
                "chosen": True,
            }
        )
    return found


def curve(
    sieve: Any, y: Any, evaluation: NestedEvaluation | None, told: Reasons
) -> dict[str, Any] | None:
    """Return the measure at each size with its interval: of the outer folds, else of the sieve's own."""
    if evaluation is not None and len(evaluation.sizes):
        sizes = evaluation.sizes
        scores = [evaluation.scores_at(int(size)) for size in sizes]
        shown = Shown.of(evaluation.metric)
        ratio, held_out = evaluation.test_per_train, evaluation.held_out
        source = f"{len(evaluation.folds)} outer folds that no part of the selection saw"
    else:
        path, shown = sieve.path_, told.shown
        n_folds = path.fold_scores.shape[1]
        if n_folds < 2 or not np.isfinite(path.fold_scores).all():
            return None
        sizes, scores = path.n_features, list(told.metric.of_scores(path.fold_scores))
        ratio, held_out = 1.0 / (n_folds - 1), _held_out(sieve, y, n_folds)
        source = f"the {n_folds} folds that chose the size, the search repeated in each"
    points = [interval(each, ratio, shown, held_out) for each in scores]
    return {
        "measure": shown.to_dict(),
        "source": source,
        "sizes": sizes,
        **{
            key: [point[key] for point in points]
            for key in ("value", "lower", "upper", "no_interval")
        },
    }


def _held_out(sieve: Any, y: Any, n_folds: int) -> HeldOut:
    """What the sieve's own folds hold out; without a target, or with weights, it is not known."""
    if y is None or sieve._weighted:
        return HeldOut(float("nan"))
    n_groups = sieve.n_sample_groups_
    group_size = 1.0 if n_groups is None else len(y) / n_groups
    whole = HeldOut.of([y], getattr(sieve, "classes_", None), group_size)
    classes = None if whole.classes is None else whole.classes / n_folds
    return HeldOut(whole.samples / n_folds, classes)


def ranking(
    sieve: Any, features: Features, evaluation: NestedEvaluation | None
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Return the ranking with its stability over the folds, and the stability as a whole."""
    order = features.order(sieve.order_)
    scores = [float(sieve.scores_[features.columns[unit][0]]) for unit in order]
    half_samples = _half_samples(sieve, features, order)
    by, positions = ordered_by(sieve, order) if half_samples is None else ("half samples", [])
    table: dict[str, Any] = {
        "names": [features.names[unit] for unit in order],
        "by": by,
        "positions": positions or None,
        "scores": scores,
        "half_samples": half_samples,
        "frequency": None,
        "mean_rank": None,
        "lowest_rank": None,
        "highest_rank": None,
        "folds": 0,
        "source": "",
    }
    selected, orders, source = _replicates(sieve, features, evaluation)
    if len(selected) < 2:
        return table, None
    stability = Stability.of(selected, orders, features.names)
    # The list is one of the orders: its rank is never outside the ranks that are told.
    ranks = np.argsort(np.array([order, *orders]), axis=1) + 1
    table |= {
        "frequency": stability.frequency[order],
        "mean_rank": ranks.mean(axis=0)[order],
        "lowest_rank": ranks.min(axis=0)[order],
        "highest_rank": ranks.max(axis=0)[order],
        "folds": len(selected),
        "source": source,
    }
    index = stability.index
    return table, {
        "index": index.value,
        "lower": index.lower,
        "upper": index.upper,
        "rank_correlation": stability.mean_correlation,
        "folds": len(selected),
        "sizes": stability.sizes,
        "source": source,
    }


def _half_samples(sieve: Any, features: Features, order: IntArray) -> list[float] | None:
    """Return the share of the half samples that choose each feature, best first, where there were any."""
    shares = sieve.selection_frequency_
    return None if shares is None else [float(shares[features.columns[u][0]]) for u in order]


def _replicates(
    sieve: Any, features: Features, evaluation: NestedEvaluation | None
) -> tuple[list[IntArray], list[IntArray], str]:
    """Selected and ordered features of each fold: the outer folds, else the sieve's own."""
    if evaluation is not None:
        told = [
            (features.chosen(fold.selected), features.order(fold.order))
            for fold in evaluation.folds
            if fold.selected is not None and fold.order is not None
        ]
        if len(told) == len(evaluation.folds):
            return [chosen for chosen, _ in told], [order for _, order in told], "outer folds"
    orders = fold_orders(sieve, len(features))
    return [np.sort(order[: sieve.n_units_]) for order in orders], orders, "folds of the selection"
