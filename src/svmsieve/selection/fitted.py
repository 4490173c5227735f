"""What a fitted sieve does: predict with the machine of the selected features, report, plot."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.metrics import accuracy_score, r2_score
from sklearn.svm import SVC
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from svmsieve.engine.arrays import BoolArray, FloatArray, IntArray, Matrix, refuse_masked
from svmsieve.engine.machines.target import TargetScale
from svmsieve.engine.machines.tuned_grid import Tuning
from svmsieve.inputs.scaling import Scale
from svmsieve.inputs.table import canonical, is_dask, refuse_unusable
from svmsieve.runtime.hooks import provider
from svmsieve.runtime.text import one_line
from svmsieve.search.path import Path
from svmsieve.selection.lazily import in_memory, lazily, refuse_chunks, selected_columns
from svmsieve.selection.record import RunRecord


def _estimator_has(name: str) -> Callable[[Any], bool]:
    def check(sieve: Any) -> bool:
        if hasattr(sieve, "estimator_"):
            return hasattr(sieve.estimator_, name)
        return hasattr(SVC() if sieve.estimator is None else sieve.estimator, name)

    return check


class FittedSieve(SelectorMixin, MetaEstimatorMixin, BaseEstimator):
    """The part of :class:`svmsieve.SVMSieve` that comes after ``fit``."""

    missing: Any
    support_: BoolArray
    ranking_: IntArray
    order_: IntArray
    fold_ranking_: IntArray | None
    selection_frequency_: FloatArray | None
    scores_: FloatArray
    n_features_: int
    n_units_: int
    path_: Path
    size_reason_: str
    record_: RunRecord
    tuning_: Tuning | None
    n_sample_groups_: int | None
    estimator_: Any
    scale_mean_: FloatArray
    scale_deviation_: FloatArray
    fill_values_: FloatArray | None
    target_mean_: float
    target_deviation_: float

    def _imputes(self, X: Any) -> bool:
        """Whether missing values of these samples are to be filled."""
        if self.missing not in ("error", "mean"):
            raise ValueError(f"missing must be 'error' or 'mean', got {self.missing!r}.")
        return bool(self.missing == "mean" and not sp.issparse(X))

    @property
    def _target_scale(self) -> TargetScale:
        """How ``estimator_`` sees the target."""
        return TargetScale(self.target_mean_, self.target_deviation_)

    def _get_support_mask(self) -> Any:
        check_is_fitted(self)
        return self.support_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "support_")

    def transform(self, X: Any) -> Any:
        """Return the selected columns; of a Dask collection lazily, as a collection.

        Parameters
        ----------
        X : {array-like, sparse matrix, Dask collection} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        {array-like, sparse matrix, Dask collection} of shape (n_samples, n_selected)
            The selected columns.
        """
        check_is_fitted(self)
        refuse_chunks(X)
        return selected_columns(self, X) if is_dask(X) else super().transform(X)

    def _selected(self, X: Any) -> Matrix:
        """Return the selected columns of new samples as ``estimator_`` expects them."""
        check_is_fitted(self)
        refuse_chunks(X)
        refuse_masked(X, "X")
        impute = self._imputes(X)
        if hasattr(X, "columns") and not impute:
            refuse_unusable(X)  # by the column's name
        X = validate_data(
            self,
            X,
            accept_sparse="csr",
            dtype=np.float64,
            ensure_all_finite="allow-nan" if impute else True,
            reset=False,
        )
        scale = Scale(
            self.scale_mean_, self.scale_deviation_, self.fill_values_ if impute else None
        )
        return scale.apply(canonical(X)[:, self.support_])

    @available_if(_estimator_has("predict"))
    def predict(self, X: Any) -> Any:
        """Predict with the machine fitted to the selected features."""
        check_is_fitted(self)
        if is_dask(X):
            return lazily(self, X, "predict")
        selected = self._selected(X)
        predictions = self.estimator_.predict(selected)
        return predictions if hasattr(self, "classes_") else self._target_scale.restore(predictions)

    @available_if(_estimator_has("decision_function"))
    def decision_function(self, X: Any) -> Any:
        """Return the decision values of the machine fitted to the selected features."""
        check_is_fitted(self)
        if is_dask(X):
            return lazily(self, X, "decision_function")
        selected = self._selected(X)
        return self.estimator_.decision_function(selected)

    @available_if(_estimator_has("predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities of the classes, where the machine fitted to the features has any."""
        selected = self._selected(X)
        return self.estimator_.predict_proba(selected)

    @available_if(_estimator_has("predict_log_proba"))
    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithms of the probabilities of the classes, where the machine has any."""
        selected = self._selected(X)
        return self.estimator_.predict_log_proba(selected)

    @available_if(_estimator_has("score"))
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy (classes) or R² (numbers) of the machine on the selected features."""
        check_is_fitted(self)
        if is_dask(X):
            score = accuracy_score if hasattr(self, "classes_") else r2_score
            weight = None if sample_weight is None else in_memory(sample_weight)
            found = in_memory(self.predict(X))
            return float(score(in_memory(y), found, sample_weight=weight))
        if not hasattr(self, "classes_"):
            return float(r2_score(y, self.predict(X), sample_weight=sample_weight))
        selected = self._selected(X)
        options = {} if sample_weight is None else {"sample_weight": sample_weight}
        score = float(self.estimator_.score(selected, y, **options))
        unseen = np.setdiff1d(y, self.classes_)
        if len(unseen):
            warnings.warn(
                f"Class {one_line(unseen[0])!r} is scored, but no sample of it was in training: folds of "
                "cross_val_score need classes in all parts; give cv=StratifiedKFold(), or a machine, "
                "SVMSieve(SVC()), by which scikit-learn knows that there are classes.",
                UserWarning,
                stacklevel=2,
            )
        return score

    def summary(self, X: Any = None, y: Any = None, *, evaluation: Any = None) -> str:
        """Return the verdict: what was found, on what evidence, and what to do next.

        Parameters
        ----------
        X, y : {array-like, sparse matrix} of shape (n_samples, n_features), or None, default=None
            The samples of :meth:`fit`, to look for features that give the target away.
        evaluation : NestedEvaluation or None, default=None
            What :func:`svmsieve.evaluation.nested_evaluate` found; without it the verdict rests on
            the folds that chose the size, which flatters.

        Returns
        -------
        str
            Several lines: the verdict, its evidence, the next command.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from svmsieve import SVMSieve
        >>> X, y = load_wine(return_X_y=True, as_frame=True)
        >>> sieve = SVMSieve(criterion="f-score", search="once", cv=3).fit(X, y)
        >>> print(sieve.summary(X, y).splitlines()[-2])
        Next: judge it by rows it never saw:
        """
        check_is_fitted(self)
        return str(provider("report").summarise(self, X, y, evaluation=evaluation))

    def report(
        self, path: Any, X: Any = None, y: Any = None, *, evaluation: Any = None, name: str = ""
    ) -> Any:
        """Write the report of this selection; the name's ending (.html, .md, .json) says in which form.

        Parameters
        ----------
        path : path
            File to write.
        X, y : {array-like, sparse matrix} of shape (n_samples, n_features), or None, default=None
            The samples of :meth:`fit`, for response curves and correlations; None leaves them out.
        evaluation : NestedEvaluation or None, default=None
            What :func:`svmsieve.evaluation.nested_evaluate` found, for errors that no part of the
            selection saw.
        name : str, default=""
            Name of the data, for the title.

        Returns
        -------
        Path
            The path.
        """
        check_is_fitted(self)
        report = provider("report")
        return report.write_report(
            report.describe(self, X, y, evaluation=evaluation, name=name), path
        )

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """What a notebook shows: the report of a fitted sieve, scikit-learn's diagram before."""
        bundle = super()._repr_mimebundle_(**kwargs)
        if hasattr(self, "record_") and hasattr(self, "support_"):
            report = provider("report")
            bundle["text/html"] = report.inline(report.describe(self))
        return bundle

    def plot_path(self, ax: Any = None) -> Any:
        """Plot score against number of features, with the chosen size; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        matplotlib Axes
            Where it was drawn.
        """
        from svmsieve.selection.plots import plot_path

        check_is_fitted(self)
        return plot_path(self, ax)

    def plot_scores(self, top: int = 30, ax: Any = None) -> Any:
        """Plot the scores of the best features; needs matplotlib.

        Parameters
        ----------
        top : int, default=30
            How many features to show.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        matplotlib Axes
            Where it was drawn.
        """
        from svmsieve.selection.plots import plot_scores

        check_is_fitted(self)
        return plot_scores(self, top, ax)
