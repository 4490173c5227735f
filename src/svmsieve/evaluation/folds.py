"""One outer fold: fit on its training samples, judge on its held-out samples."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import OneToOneFeatureMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.evaluation.fold_result import FoldResult
from svmsieve.evaluation.metrics import Metric
from svmsieve.runtime.threads import one_blas_thread


def evaluate_fold(
    estimator: Any,
    X: Any,
    y: Any,
    train: IntArray,
    test: IntArray,
    metric: Metric,
    groups: IntArray | None = None,
) -> FoldResult:
    """Fit the estimator to the training samples and judge it by the held-out ones."""
    options = {} if groups is None else _with_groups(estimator, groups[train])
    X_train, X_test = _safe_indexing(X, train), _safe_indexing(X, test)
    y_train, y_test = y[train], y[test]
    with one_blas_thread():
        start = time.perf_counter()
        fitted = estimator.fit(X_train, y_train, **options)
        seconds = time.perf_counter() - start
        columns = _columns_before_last(fitted, X_train.shape[1])
        last = _last(fitted)
        along = _along_path(fitted, X_train, y_train, X_test, y_test, metric)
        return FoldResult(
            n_train=len(np.unique(train)),
            test=test,
            score=metric(fitted, X_test, y_test),
            predictions=np.asarray(fitted.predict(X_test)),
            decisions=_decisions(fitted, X_test),
            selected=selected_columns(fitted, X_train.shape[1]),
            order=columns[last.order_] if columns is not None and hasattr(last, "order_") else None,
            reason=getattr(last, "size_reason_", ""),
            seconds=seconds,
            **along,
        )


def _with_groups(estimator: Any, groups: IntArray) -> dict[str, Any]:
    """Return what hands the samples' groups to those parts of an estimator that take them."""
    if has_fit_parameter(estimator, "groups"):
        return {"groups": groups}
    if get_config()["enable_metadata_routing"]:
        takes = get_routing_for_object(estimator).consumes("fit", ["groups"])
        return {"groups": groups} if takes else {}
    if isinstance(estimator, GridSearchCV | RandomizedSearchCV):
        return {"groups": groups}  # for its folds; what it searches hears of them by routing only
    steps = estimator.steps if isinstance(estimator, Pipeline) else []
    return {f"{name}__groups": groups for name, step in steps if _with_groups(step, groups)}


def _decisions(fitted: Any, X: Any) -> FloatArray | None:
    for method in ("decision_function", "predict_proba"):
        if hasattr(fitted, method):
            values = np.asarray(getattr(fitted, method)(X), dtype=np.float64)
            return values[:, 1] if method == "predict_proba" and values.shape[1] == 2 else values
    return None


def _steps(fitted: Any) -> list[Any]:
    """The fitted parts of a pipeline, a search's best estimator unwrapped."""
    fitted = getattr(fitted, "best_estimator_", fitted)
    if not isinstance(fitted, Pipeline):
        return [fitted]
    steps = [step for _, step in fitted.steps if step is not None and step != "passthrough"]
    return steps[:-1] + _steps(steps[-1]) if steps else []


def _last(fitted: Any) -> Any:
    steps = _steps(fitted)
    return steps[-1] if steps else None


def _columns_after(steps: list[Any], n_columns: int) -> tuple[IntArray | None, bool]:
    """Follow the columns through the steps: None where one mixes them; whether one selected."""
    columns, selects = np.arange(n_columns), False
    for step in steps:
        if isinstance(step, SelectorMixin):
            columns, selects = columns[step.get_support(indices=True)], True
        elif hasattr(step, "transform") and not isinstance(step, OneToOneFeatureMixin):
            return None, selects
    return columns, selects


def selected_columns(fitted: Any, n_columns: int) -> IntArray | None:
    """Return the columns that a fitted selector, or the selectors of a pipeline, let through.

    None where nothing selects, or where a step makes new columns out of the old ones.
    """
    columns, selects = _columns_after(_steps(fitted), n_columns)
    return columns if selects else None


def _columns_before_last(fitted: Any, n_columns: int) -> IntArray | None:
    return _columns_after(_steps(fitted)[:-1], n_columns)[0]


def _along_path(
    fitted: Any, X_train: Any, y_train: Any, X_test: Any, y_test: Any, metric: Metric
) -> dict[str, Any]:
    """Judge the machine of each size that the search of a sieve visited, by the held-out samples.

    At the size that was chosen it is the sieve itself: what is selected is never judged in two ways.
    """
    last = _last(fitted)
    if not (hasattr(last, "path_") and hasattr(last, "at_size")):
        return {"sizes": np.empty(0, dtype=np.intp), "size_scores": np.empty(0)}
    for step in _steps(fitted)[:-1]:
        X_train, X_test = step.transform(X_train), step.transform(X_test)
    sizes = np.asarray(last.path_.n_features, dtype=np.intp)
    scores, predictions = [], []
    for size in sizes:
        machine = last if size == last.n_units_ else last.at_size(int(size), X_train, y_train)
        scores.append(metric(machine, X_test, y_test))
        predictions.append(np.asarray(machine.predict(X_test)))
    return {
        "sizes": sizes,
        "size_scores": np.array(scores),
        "size_predictions": np.array(predictions),
    }
