"""What the strategies share: their checks at the border and the scikit-learn face."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from svmsieve.criteria import Criterion
from svmsieve.criteria.final_scores import final_scores
from svmsieve.criteria.material import Data
from svmsieve.engine.arrays import (
    FloatArray,
    IntArray,
    Matrix,
    check_count,
    check_flag,
    check_positive,
    refuse_no_numbers,
)
from svmsieve.engine.columns import column_range
from svmsieve.engine.kernels.gram import ActiveGram
from svmsieve.engine.kernels.kernel import Linear
from svmsieve.engine.machines.scaling import Scaling
from svmsieve.engine.machines.target import Classes
from svmsieve.inputs.scaling import Scale
from svmsieve.inputs.table import refuse_unusable
from svmsieve.inputs.target import make_target
from svmsieve.runtime.memory import require_memory
from svmsieve.runtime.seeds import seed_of
from svmsieve.runtime.threads import one_blas_thread


def range_scale(X: Matrix, sample_weight: FloatArray | None = None) -> Scale:
    """Return the scale that takes every column to [0, 1]; a constant column keeps its unit.

    A sparse matrix is divided by the columns' ranges only: an RBF kernel does not see the shift.
    """
    lower, upper = column_range(X)
    width = upper - lower
    return Scale(lower, np.where(width > 0.0, width, 1.0))


def filter_scores(
    criterion: Criterion, X: Matrix, target: Classes, seed: int, memory: float | None
) -> FloatArray:
    """Return a filter's scores of all columns, zero for constant ones."""
    gram = ActiveGram(X, Linear(), memory=memory)
    return final_scores(criterion, None, Data(gram, target, seed=seed))


def take(target: Classes, rows: IntArray) -> Classes:
    """Return the target of some samples, among which every class is."""
    return Classes(target.classes, target.codes[rows])


class Strategy(ClassifierMixin, SelectorMixin, BaseEstimator):
    """A classifier that selects the features it uses.

    A subclass implements ``_fit(X, target, seed)``, which sets ``support_``, ``scores_``,
    ``thresholds_`` and the machine, and ``_machine_decisions(X)``.  The former gets the samples as they came:
    what is learned from all of them is learned from ``_scale.apply(X)``, what is judged by some of them is
    scaled by the others.
    """

    def __init__(
        self,
        *,
        thresholds: Any = None,
        n_splits: int = 5,
        validation_fraction: float = 1 / 3,
        scale: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        memory: float | None = None,
    ) -> None:
        self.thresholds = thresholds
        self.n_splits = n_splits
        self.validation_fraction = validation_fraction
        self.scale = scale
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory

    def fit(self, X: Any, y: Any) -> Self:
        """Select the features and fit the machine to them.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        object
            The fitted classifier.
        """
        refuse_unusable(X)
        refuse_no_numbers(y, "y")
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2
        )
        self._check_parameters()
        target = make_target(y, False, X.shape[0])
        assert isinstance(target, Classes)
        self._refuse_target(target)
        n = X.shape[0]
        require_memory(
            16.0 * n * n, self.memory, f"The kernel matrix of {n} samples", "use fewer samples"
        )
        matrix: Matrix = X if sp.issparse(X) else np.ascontiguousarray(X)
        self._scale = range_scale(matrix) if self.scale else Scale.none(matrix.shape[1])
        self.classes_ = target.classes
        with one_blas_thread():
            self._fit(matrix, target, seed_of(self.random_state))
        self.n_features_ = int(self.support_.sum())
        return self

    def _check_parameters(self) -> None:
        check_count(self.n_splits, "n_splits")
        check_flag(self.scale, "scale")
        if not 0.0 < check_positive(self.validation_fraction, "validation_fraction") < 1.0:
            raise ValueError(
                f"validation_fraction must be below 1, got {self.validation_fraction!r}."
            )

    def _refuse_target(self, target: Classes) -> None:
        """Refuse a target this strategy cannot learn."""

    @property
    def _scaling(self) -> Scaling | None:
        """What scales samples by those that are trained on."""
        return range_scale if self.scale else None

    def _fit(self, X: Matrix, target: Classes, seed: int) -> None:
        raise NotImplementedError

    def _machine_decisions(self, X: Matrix) -> FloatArray:
        raise NotImplementedError

    def _get_support_mask(self) -> Any:
        check_is_fitted(self)
        return self.support_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_")

    def _selected(self, X: Any) -> Matrix:
        """Return the selected columns of new samples, scaled."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return self._scale.columns(self.support_).apply(X[:, self.support_])

    def decision_function(self, X: Any) -> FloatArray:
        """Return the decision values; positive ones mean the second of two classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        ndarray of float
            The decision values; positive ones mean the second of two classes.
        """
        return self._machine_decisions(self._selected(X))

    def predict(self, X: Any) -> Any:
        """Return the classes of new samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        ndarray
            The classes.
        """
        decisions = self.decision_function(X)
        if decisions.ndim == 1:
            return self.classes_[(decisions > 0.0).astype(np.intp)]
        return self.classes_[decisions.argmax(axis=1)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = False
        return tags
