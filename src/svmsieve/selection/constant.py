"""The machine of no features: what a support vector machine is when nothing is selected."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from svmsieve.engine.arrays import FloatArray


class ConstantClassifier(ClassifierMixin, BaseEstimator):
    """Predicts the class with the largest weight; without features f = b, and Σξ is smallest at ±1.

    Attributes
    ----------
    classes_ : the classes
    shares_ : the share of each in the weight of all samples

    Examples
    --------
    >>> ConstantClassifier().fit(np.empty((3, 0)), ["a", "b", "b"]).predict(np.empty((2, 0))).tolist()
    ['b', 'b']
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ConstantClassifier:
        """Weigh the classes."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        totals = np.bincount(codes, weights=sample_weight)
        self.shares_ = totals / totals.sum()
        return self

    def predict(self, X: Any) -> Any:
        """Return the same class for every sample."""
        return np.full(X.shape[0], self.classes_[np.argmax(self.shares_)])

    def decision_function(self, X: Any) -> FloatArray:
        """Return the same value for every sample: ±1, or the shares of more than two classes."""
        if len(self.classes_) == 2:
            return np.full(X.shape[0], -1.0 if np.argmax(self.shares_) == 0 else 1.0)
        return np.tile(self.shares_, (X.shape[0], 1))


class ConstantRegressor(RegressorMixin, BaseEstimator):
    """Predicts the (weighted) median, where Σ|y − b| is smallest.

    Attributes
    ----------
    value_ : the median

    Examples
    --------
    >>> ConstantRegressor().fit(np.empty((3, 0)), [1.0, 2.0, 9.0]).predict(np.empty((1, 0))).tolist()
    [2.0]
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ConstantRegressor:
        """Find the median."""
        y = np.asarray(y, dtype=np.float64)
        order = np.argsort(y, kind="stable")
        weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight)
        reached = np.cumsum(weight[order])
        self.value_ = float(y[order][np.searchsorted(reached, reached[-1] / 2.0)])
        return self

    def predict(self, X: Any) -> FloatArray:
        """Return the median for every sample."""
        return np.full(X.shape[0], self.value_)
