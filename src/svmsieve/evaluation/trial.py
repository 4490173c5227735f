"""A measure tried on made-up answers, so that one that cannot work is refused before anything is trained."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import make_scorer
from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import available_if

from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.machines.target import Classes, Target
from svmsieve.evaluation.metrics import Metric

_Scorer = type(make_scorer(max)).__mro__[1]
"""What scikit-learn's scorers have in common; other functions may ask an estimator for anything."""


class _Answers(BaseEstimator):
    """Answers a scorer as an estimator that has the given methods would, at random."""

    def __init__(self, target: Target, methods: frozenset[str]) -> None:
        self.target = target
        self.methods = methods

    @property
    def draw(self) -> np.random.Generator:
        return np.random.default_rng(0)

    def predict(self, X: Any) -> Any:
        return self.draw.permutation(self.target.labels)

    def __sklearn_is_fitted__(self) -> bool:
        return True


class _AnswersNumbers(RegressorMixin, _Answers):
    pass


class _AnswersClasses(ClassifierMixin, _Answers):
    @property
    def classes_(self) -> Any:
        assert isinstance(self.target, Classes)
        return self.target.classes

    @available_if(lambda self: "decision_function" in self.methods)
    def decision_function(self, X: Any) -> FloatArray:
        values = self.draw.normal(size=(len(self.target), len(self.classes_)))
        return values[:, 0] if len(self.classes_) == 2 else values

    @available_if(lambda self: "predict_proba" in self.methods)
    def predict_proba(self, X: Any) -> FloatArray:
        return self.draw.dirichlet(np.ones(len(self.classes_)), size=len(self.target))


def refuse_metric(metric: Metric, selectors: Mapping[str, Any], X: Any, target: Target) -> None:
    """Refuse a measure that cannot judge such a target, or asks for what a method does not give."""
    if not isinstance(metric.scorer, _Scorer):
        return
    made = _AnswersClasses if isinstance(target, Classes) else _AnswersNumbers
    for name, selector in selectors.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of these answers
                metric(made(target, _methods(selector)), X, target.labels)
        except Exception as error:
            what = f"{len(target.classes)} classes" if isinstance(target, Classes) else "numbers"
            reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
            if "predict_proba" in reason:
                reason = "it asks for probabilities, which support vector machines do not give"
            good = "'accuracy' or 'ber'" if isinstance(target, Classes) else "'r2' or 'mse'"
            raise ValueError(
                f"scoring {metric.name!r} cannot judge {name}, a {type(selector).__name__}, by a target "
                f"of {what} ({reason}); use {good}."
            ) from error


def _methods(selector: Any) -> frozenset[str]:
    """Return which answers a method gives besides predictions.

    Machines say so before they are fitted; of others whatever they may turn out to give.
    """
    last = selector
    while True:
        if isinstance(last, Pipeline):
            last = last.steps[-1][1]
        elif hasattr(last, "param_grid") or hasattr(last, "param_distributions"):
            last = last.estimator
        else:
            break
    methods = ("decision_function", "predict_proba")
    if type(last).__module__.split(".")[0] == "svmsieve" or ".svm." in type(last).__module__:
        return frozenset(method for method in methods if hasattr(last, method))
    return frozenset(methods)
