"""What an evaluation measures: accuracy, balanced error rate, AUC, mean squared error, any scorer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import balanced_accuracy_score, get_scorer, get_scorer_names, make_scorer

from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.machines.scoring import refuse_scoring


def balanced_error_rate(y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
    """Return the mean over the classes of the share predicted wrong.

    ``BER = (1/k) Σ_c (wrong of class c) / (samples of class c)``, over the k classes among ``y_true``;
    for two classes ½(FN/P + FP/N), the measure of the NIPS 2003 challenge (Chen & Lin 2006, 1).

    Parameters
    ----------
    y_true : array-like
        True classes.
    y_pred : array-like
        Predicted classes.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights of the samples; None is one each.

    Returns
    -------
    float
        The mean over the classes of the share predicted wrong.

    Examples
    --------
    >>> balanced_error_rate([0, 0, 0, 0, 1], [0, 0, 1, 1, 1])
    0.25
    """
    return 1.0 - float(balanced_accuracy_score(y_true, y_pred, sample_weight=sample_weight))


balanced_error_scorer: Callable[..., float] = make_scorer(
    balanced_error_rate, greater_is_better=False
)
"""The balanced error rate as a scikit-learn scorer: its negative, so that higher is better.

>>> from svmsieve import SVMSieve
>>> sieve = SVMSieve(scoring=balanced_error_scorer)
"""


@dataclass(frozen=True)
class Metric:
    """A measure in its own units, and in which direction it is better.

    Scorers of scikit-learn are all higher-is-better; here an error stays an error.

    Parameters
    ----------
    name : str
        What it is called in tables.
    scorer : callable
        The scikit-learn scorer that computes it.
    lower_is_better : bool, default=False
        Whether it is an error; its values are then the scorer's with the sign changed.

    See Also
    --------
    svmsieve.evaluation.make_metric : Return the measure from None (accuracy or R²), a name, a
        scorer or a Metric.
    svmsieve.evaluation.balanced_error_rate : Return the mean over the classes of the share
        predicted wrong.

    Examples
    --------
    >>> from svmsieve.evaluation import make_metric
    >>> round(make_metric("ber", regression=False).gain(0.1, 0.3), 1)
    0.2
    """

    name: str
    scorer: Any
    lower_is_better: bool = False

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        """Return the measure of a fitted estimator on some samples."""
        value = float(self.scorer(estimator, X, y))
        return -value if self.lower_is_better else value

    @property
    def is_negated_error(self) -> bool:
        """Whether its values are errors with the sign changed, so that higher is better."""
        negated = self.name.startswith("neg_") or getattr(self.scorer, "_sign", 1) < 0
        return negated and not self.lower_is_better

    def of_scores(self, scores: Any) -> Any:
        """Return the measure of a scorer's values, which are higher where better.

        Parameters
        ----------
        scores : float or ndarray
            What a scorer of scikit-learn gave.

        Returns
        -------
        float or ndarray
            The same in the measure's own units.
        """
        return -scores if self.lower_is_better else scores

    def of_predictions(self, y: Any, predictions: Any, decisions: Any, classes: Any) -> float:
        """Return the measure of predictions and decision values that are known already.

        ``classes`` is None for numbers.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            True classes or numbers.
        predictions : array-like
            Predicted ones.
        decisions : array-like or None
            Decision values, where the measure is of these.
        classes : array-like or None
            The classes; None for numbers.

        Returns
        -------
        float
            The measure of predictions and decision values that are known already.
        """
        kind = _KeptNumbers if classes is None else _KeptClasses
        return self(kind(predictions, decisions, classes), predictions, y)

    def gain(self, value: Any, other: Any) -> Any:
        """Return by how much the first is better than the second, negative where it is worse.

        Parameters
        ----------
        value : float or ndarray
            Measure of the first.
        other : float or ndarray
            Measure of the second.

        Returns
        -------
        float or ndarray
            By how much the first is better.
        """
        return other - value if self.lower_is_better else value - other


class _Kept(BaseEstimator):
    """What a scorer asks of an estimator, answered with what one said before."""

    def __init__(self, predictions: Any, decisions: Any, classes: Any) -> None:
        self.predictions = predictions
        self.decisions = decisions
        self.classes = classes

    def predict(self, X: Any) -> Any:
        return self.predictions

    def __sklearn_is_fitted__(self) -> bool:
        return True


class _KeptClasses(ClassifierMixin, _Kept):
    @property
    def classes_(self) -> Any:
        return self.classes

    def decision_function(self, X: Any) -> FloatArray:
        if self.decisions is None:
            raise ValueError("scoring needs decision values, which this estimator does not give.")
        return self.decisions

    def predict_proba(self, X: Any) -> FloatArray:
        raise ValueError("scoring needs probabilities, which an evaluation does not keep.")


class _KeptNumbers(RegressorMixin, _Kept):
    pass


METRICS: dict[str, Metric] = {
    "accuracy": Metric("accuracy", get_scorer("accuracy")),
    "ber": Metric("ber", balanced_error_scorer, lower_is_better=True),
    "auc": Metric("auc", get_scorer("roc_auc")),
    "mse": Metric("mse", get_scorer("neg_mean_squared_error"), lower_is_better=True),
}
"""The measures with names of their own; every name of a scikit-learn scorer is taken too."""


def make_metric(scoring: Any, regression: bool) -> Metric:
    """Return the measure from None (accuracy or R²), a name, a scorer or a Metric.

    Parameters
    ----------
    scoring : str, callable or None
        None, a name, a scorer or a Metric.
    regression : bool
        Whether the target is numeric.

    Returns
    -------
    Metric
        The measure from None (accuracy or R²), a name, a scorer or a Metric.

    Examples
    --------
    >>> make_metric("ber", regression=False).lower_is_better
    True
    >>> make_metric(None, regression=True).name
    'r2'
    """
    if scoring is None:
        scoring = "r2" if regression else "accuracy"
    if isinstance(scoring, Metric):
        return scoring
    if isinstance(scoring, str):
        metric = METRICS.get(scoring)
        if metric is None and scoring in get_scorer_names():
            metric = Metric(scoring, get_scorer(scoring))
        if metric is not None:
            refuse_scoring(metric.scorer, scoring, regression=regression)
            return metric
        known = [*METRICS, *get_scorer_names()]
        near = get_close_matches(scoring, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(METRICS)}."
        raise ValueError(f"scoring must name a measure, got {scoring!r}; {hint}")
    if not callable(scoring):
        raise ValueError(
            f"scoring must be a name, a scikit-learn scorer or None, got {type(scoring).__name__}."
        )
    return Metric(_name_of(scoring), scoring)


def _name_of(scorer: Any) -> str:
    function = getattr(scorer, "_score_func", scorer)
    return str(getattr(function, "__name__", type(function).__name__))
