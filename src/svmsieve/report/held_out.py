"""What the outer folds say: error against baselines, confusion, ROC, predicted against true."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.metrics import confusion_matrix, roc_auc_score, roc_curve

from svmsieve.evaluation import Comparison, NestedEvaluation
from svmsieve.evaluation.shown import LEVEL, Shown, evaluation_interval

MOST_POINTS = 2000
MOST_CLASSES = 30
_MOST_CURVES = 10
_MOST_CURVE_POINTS = 150


def evaluated(
    evaluation: NestedEvaluation, baselines: Mapping[str, NestedEvaluation], shown: Shown
) -> dict[str, Any]:
    """Return the nested result with its interval, against the baselines."""
    result = {
        "folds": len(evaluation.folds),
        "repeats": evaluation.repeats,
        "groups": evaluation.n_groups,
        "level": LEVEL,
        **evaluation_interval(evaluation, shown),
        "per_fold": shown.value(evaluation.scores),
        "columns_per_fold": evaluation.n_features,
        "trained_per_fold": [fold.n_train for fold in evaluation.folds],
        "held_out_per_fold": [len(fold.test) for fold in evaluation.folds],
        "recall": _recall(evaluation),
        "seconds": sum(fold.seconds for fold in evaluation.folds),
        "baselines": [],
    }
    if baselines:
        tests = Comparison({"selected": evaluation, **baselines}).tests(reference="selected")
        p = {test.second: test.p_holm for test in tests}
        result["baselines"] = [
            {"name": name, **evaluation_interval(each, shown), "p": p[name]}
            for name, each in baselines.items()
        ]
    return result


def _recall(evaluation: NestedEvaluation) -> list[dict[str, Any]] | None:
    """Return how much of each class was predicted right."""
    if evaluation.recall is None:
        return None
    return [
        {"label": str(label), "rows": int(np.sum(evaluation.y == label)), "right": share}
        for label, share in evaluation.recall.items()
    ]


def confusions(evaluation: NestedEvaluation) -> dict[str, Any] | None:
    """Return the confusion matrices of the held-out samples: of the chosen sizes, and of each size."""
    if evaluation.classes is None or len(evaluation.classes) > MOST_CLASSES:
        return None
    true = np.concatenate([evaluation.y[fold.test] for fold in evaluation.folds])

    def matrix(predictions: list[Any]) -> Any:
        return confusion_matrix(true, np.concatenate(predictions), labels=evaluation.classes)

    by_size = []
    for size in evaluation.sizes:
        at = [int(np.flatnonzero(fold.sizes == size)[0]) for fold in evaluation.folds]
        parts = [fold.size_predictions for fold in evaluation.folds]
        if any(part is None for part in parts):
            break
        by_size.append(matrix([part[i] for part, i in zip(parts, at, strict=True)]))
    return {
        "labels": [str(label) for label in evaluation.classes],
        "matrix": matrix([fold.predictions for fold in evaluation.folds]),
        "by_size": by_size,
    }


def roc(evaluation: NestedEvaluation) -> dict[str, Any] | None:
    """Return ROC curves of the held-out decision values, one class against the rest."""
    classes = evaluation.classes
    decisions = [fold.decisions for fold in evaluation.folds if fold.decisions is not None]
    if classes is None or len(decisions) < len(evaluation.folds):
        return None
    true = [evaluation.y[fold.test] for fold in evaluation.folds]
    if len(classes) == 2:
        wanted = [
            (classes[1], [np.asarray(each).reshape(len(each), -1)[:, -1] for each in decisions])
        ]
    else:
        if any(np.ndim(each) != 2 or each.shape[1] != len(classes) for each in decisions):
            return None
        wanted = [(label, [each[:, k] for each in decisions]) for k, label in enumerate(classes)]
    curves = []
    for label, values in wanted[:_MOST_CURVES]:
        fpr, tpr, _ = roc_curve(np.concatenate(true) == label, np.concatenate(values))
        kept = np.unique(np.linspace(0, len(fpr) - 1, _MOST_CURVE_POINTS).round().astype(int))
        areas = [
            roc_auc_score(y == label, value)
            for y, value in zip(true, values, strict=True)
            if 0 < (y == label).sum() < len(y)
        ]
        curves.append(
            {
                "label": str(label),
                "fpr": fpr[kept],
                "tpr": tpr[kept],
                "auc": float(np.mean(areas)) if areas else None,
            }
        )
    return {"curves": curves, "left_out": max(0, len(wanted) - _MOST_CURVES)}


def predictions(evaluation: NestedEvaluation, seed: int = 0) -> dict[str, Any] | None:
    """Return predicted and true numbers of the held-out samples, a random part where there are many."""
    if evaluation.classes is not None:
        return None
    true = np.concatenate([evaluation.y[fold.test] for fold in evaluation.folds])
    predicted = np.concatenate([fold.predictions for fold in evaluation.folds])
    if len(true) > MOST_POINTS:
        drawn = np.random.default_rng(seed).choice(len(true), MOST_POINTS, replace=False)
        return {"true": true[drawn], "predicted": predicted[drawn], "of": len(true)}
    return {"true": true, "predicted": predicted, "of": len(true)}


def compared(comparison: Comparison, shown: Shown) -> dict[str, Any]:
    """Return the comparison of several methods with its tests."""
    methods = []
    for name, evaluation in comparison.evaluations.items():
        sizes = [n for n in evaluation.n_features if n is not None]
        stable = None
        if len(sizes) == len(evaluation.folds):
            index = evaluation.stability().index
            stable = {"value": index.value, "lower": index.lower, "upper": index.upper}
        curve = None
        if sizes and len(evaluation.sizes):
            means = [shown.value(evaluation.scores_at(int(s))).mean() for s in evaluation.sizes]
            curve = {"sizes": evaluation.sizes, "value": means}
        methods.append(
            {
                "name": name,
                **evaluation_interval(evaluation, shown),
                "columns": float(np.mean(sizes)) if sizes else None,
                "stability": stable,
                "seconds": sum(fold.seconds for fold in evaluation.folds) if sizes else None,
                "curve": curve,
            }
        )
    tests = [
        {
            "first": test.first,
            "second": test.second,
            "gain": test.gain,
            "p": test.p_corrected,
            "p_holm": test.p_holm,
            "p_uncorrected": test.p,
            "sign": test.sign,
        }
        for test in comparison.tests()
    ]
    any_method = next(iter(comparison.evaluations.values()))
    return {
        "folds": len(any_method.folds),
        "groups": any_method.n_groups,
        "methods": methods,
        "tests": tests,
    }
