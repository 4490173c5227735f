"""What the verdict on a fitted sieve rests on: its evaluation, or else the folds that chose the size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer_names

from svmsieve.evaluation import METRICS, Metric, NestedEvaluation, make_metric
from svmsieve.evaluation.giveaways import giveaways
from svmsieve.evaluation.margins import guessed, margin, margin_of
from svmsieve.evaluation.next_step import NextStep
from svmsieve.evaluation.shown import Shown
from svmsieve.evaluation.verdict import Facts, Verdict, judge
from svmsieve.report.features import Features
from svmsieve.report.selection import ranking

ALL = "all features"
GUESSING = "guessing"
"""Names of the baselines that a verdict knows."""


def summarise(sieve: Any, X: Any = None, y: Any = None, *, evaluation: Any = None) -> Verdict:
    """Return the verdict on a fitted sieve.

    Parameters
    ----------
    sieve : SVMSieve
        A fitted SVMSieve.
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or None, default=None
        The samples of ``fit``, to look for features that give the target away.
    y : array-like of shape (n_samples,) or None, default=None
        Their target.
    evaluation : NestedEvaluation or None, default=None
        The nested evaluation of the same sieve.

    Returns
    -------
    Verdict
        The verdict on a fitted sieve.
    """
    features = Features.of(sieve)
    facts = facts_of(sieve, features, evaluation, {}, ranking(sieve, features, evaluation))
    if X is not None and y is not None:
        facts = with_giveaways(facts, sieve, features, X, y)
    return judge(facts, next_step(sieve, evaluation))


def next_step(sieve: Any, evaluation: NestedEvaluation | None) -> NextStep:
    """Return what writes the next call for a sieve of one's own: by the same measure, groups kept whole."""
    options = ""
    if sieve.scoring is not None or (
        evaluation is not None and evaluation.metric.name != sieve._scoring
    ):
        named = measure_of(sieve, evaluation).name
        known = named in METRICS or named in get_scorer_names()
        options += f", scoring={named!r}" if known else ", scoring=sieve.scoring"
    folds = "RepeatedStratifiedKFold" if hasattr(sieve, "classes_") else "RepeatedKFold"
    if sieve.n_sample_groups_ is not None:
        most = sieve._most_whole_folds or 10
        few = f", outer_cv={most}" if 2 <= most < 5 else ""
        whole = str(max(2, min(10, most)))
        return NextStep("sieve", options=f"{options}, groups=groups", outer=few, folds=whole)
    return NextStep("sieve", options=options, folds=f"{folds}(n_repeats={{}})")


def measure_of(sieve: Any, evaluation: NestedEvaluation | None) -> Metric:
    """Return what was measured: the evaluation's, else that of the folds that chose the size."""
    if evaluation is not None:
        return evaluation.metric
    asked = sieve._scoring if sieve.scoring is None else sieve.scoring
    return make_metric(asked, not hasattr(sieve, "classes_"))


def facts_of(
    sieve: Any,
    features: Features,
    evaluation: NestedEvaluation | None,
    baselines: Mapping[str, NestedEvaluation],
    ranked: tuple[dict[str, Any], dict[str, Any] | None],
) -> Facts:
    """Return the facts but for the features that give the target away."""
    table, stability = ranked
    index = None if stability is None else float(stability["index"])
    common: dict[str, Any] = {
        "size": int(sieve.n_units_),
        "of": len(features),
        "measure": Shown.of(measure_of(sieve, evaluation)),
        "reason": sieve.size_reason_,
        "stability": index if index is not None and np.isfinite(index) else None,
    }
    if stability is not None:
        common["agreed"] = int(np.sum(np.asarray(table["frequency"])[: sieve.n_units_] == 1.0))
    if evaluation is None:
        return Facts(**common, **_of_own_folds(sieve, common["measure"]))
    sizes = () if stability is None else tuple(stability["sizes"])
    judged = _of_outer_folds(evaluation, baselines, common)
    return Facts(**common, **judged, fold_sizes=sizes)


def _of_outer_folds(
    evaluation: NestedEvaluation, baselines: Mapping[str, NestedEvaluation], common: dict[str, Any]
) -> dict[str, Any]:
    shown, size, of = common["measure"], common["size"], common["of"]
    facts: dict[str, Any] = {
        "folds": len(evaluation.folds),
        "repeats": evaluation.repeats,
        "nested": True,
        "value": float(shown.value(evaluation.mean)),
    }
    if size in evaluation.sizes:
        facts["at_size"] = float(np.mean(shown.value(evaluation.scores_at(size))))
    whole = baselines.get(ALL)
    if whole is None and of in evaluation.sizes:
        whole = evaluation.at_size(of)
    guess = baselines.get(GUESSING)
    guess = guessed(evaluation) if guess is None else guess
    for name, other in (("all", whole), ("guess", guess)):
        if other is not None:
            facts[f"against_{name}"] = margin(evaluation, other)
            facts[f"{name}_value"] = float(shown.value(other.mean))
    return facts


def _of_own_folds(sieve: Any, shown: Shown) -> dict[str, Any]:
    """The folds that chose the size, where there were any; their scores are higher where better."""
    path = sieve.path_
    n_folds = path.fold_scores.shape[1]
    facts: dict[str, Any] = {"folds": n_folds, "nested": False}
    at = np.flatnonzero(path.n_features == sieve.n_units_)
    if n_folds < 2 or not len(at) or not np.isfinite(path.fold_scores).all():
        return facts
    metric = measure_of(sieve, None)
    own = path.fold_scores[at[0]]
    facts["value"] = float(np.mean(shown.value(metric.of_scores(own))))
    whole = np.flatnonzero(path.n_features == path.n_units)
    others = {"all": path.fold_scores[whole[0]] if len(whole) else None, "guess": path.guess}
    for name, scores in others.items():
        if scores is not None:
            facts[f"against_{name}"] = margin_of(own - scores, path.test_share)
            facts[f"{name}_value"] = float(np.mean(shown.value(metric.of_scores(scores))))
    return facts


def with_giveaways(facts: Facts, sieve: Any, features: Features, X: Any, y: Any) -> Facts:
    """Return the facts with the features that give the target away."""
    regression = not hasattr(sieve, "classes_")
    found = giveaways(X, y, features.columns, features.names, regression=regression)
    return replace(facts, giveaways=tuple(found))
