"""A fitted sieve at other sizes than the one it chose."""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.svm import SVC, SVR
from sklearn.utils.validation import check_is_fitted, validate_data

from svmsieve.inputs.estimators import with_values
from svmsieve.inputs.table import canonical
from svmsieve.inputs.target import check_weights, make_target
from svmsieve.runtime.memory import check_memory
from svmsieve.runtime.seeds import seed_of
from svmsieve.runtime.threads import one_blas_thread
from svmsieve.scale.chunks import Chunks, RowChunks, restricted
from svmsieve.scale.planned_estimators import nystroem_like
from svmsieve.scale.prepared_rows import PreparedRows, Preparing, SurveyedRows, is_regression
from svmsieve.selection.collections import chunks_of, is_row_chunks
from svmsieve.selection.conclusion import fit_estimator, take_over_classes, take_over_scales
from svmsieve.selection.constant import ConstantRegressor
from svmsieve.selection.fitted import FittedSieve
from svmsieve.selection.lazily import refuse_other_columns
from svmsieve.selection.specification import retunes
from svmsieve.sizing.rules import asked_for


class SizedSieve(FittedSieve):
    """What a fitted sieve is with another number of features."""

    def support_at(self, size: int) -> Any:
        """Return the mask of the best ``size`` features, a group counting as one.

        At a size of ``path_`` these are the features the machine of that size was trained with.

        Parameters
        ----------
        size : int
            Number of features, a group counting as one.

        Returns
        -------
        ndarray of bool
            Mask of the features.
        """
        check_is_fitted(self)
        if not 1 <= size <= len(self._ends):
            raise ValueError(f"size must be from 1 to {len(self._ends)}, got {size!r}.")
        mask = np.zeros(len(self.order_), dtype=np.bool_)
        mask[self.order_[: self._ends[size - 1]]] = True
        return mask

    def at_size(self, size: int, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Return this selection with another number of features, its machine fitted again.

        The features are :meth:`support_at` this size.  The machine is the estimator's; where C, γ and ε
        were tuned, they are those the search had at this size (at the next larger one it visited), and
        after a criterion without a machine those of ``estimator_`` (scikit-learn's defaults where nothing
        was selected).

        Parameters
        ----------
        size : int
            Number of features (of units, where there are groups).
        X, y, sample_weight : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples of :meth:`fit`; a Dask collection, or row chunks, where it was given one.

        Returns
        -------
        SVMSieve
            This selection with another number of features, its machine fitted again.
        """
        other = copy.copy(self)
        other.support_ = self.support_at(size)
        other.n_features_ = int(other.support_.sum())
        other.n_units_ = int(size)
        other.size_reason_ = asked_for(size) + self._how_counted()
        machine = self._machine_at(size)
        if is_row_chunks(X):
            if self.machine != "nystroem":
                raise ValueError(
                    "machine='exact' needs all rows in memory, and X is a collection; take X.compute()."
                )
            refuse_other_columns(self, X)
            _fit_to_chunks(other, chunks_of(X, y, sample_weight), machine)
            return other
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=np.float64,
            ensure_all_finite="allow-nan" if self._imputes(X) else True,
            reset=False,
        )
        X = canonical(X)
        weight = None if sample_weight is None else check_weights(sample_weight, X.shape[0])
        target = make_target(y, not hasattr(self, "classes_"), X.shape[0])
        if self.machine == "nystroem":
            _fit_to_chunks(other, RowChunks(X, target.labels, weight), machine)
        else:
            fit_estimator(other, X, target, weight, lambda *_: machine)
        return other

    def _how_counted(self) -> str:
        return " (a group counts as one)" if len(self._ends) < len(self.support_) else ""

    def _machine_at(self, size: int) -> Any:
        """Return the unfitted machine of a size."""
        if self.estimator is not None and not retunes(self) and self.machine == "exact":
            return clone(self.estimator)
        machine = self.estimator_
        if self.n_features_ == 0:  # the constant machine
            kind = SVR if isinstance(machine, ConstantRegressor) else SVC
            machine = kind() if self.estimator is None else self.estimator
            if self.machine == "nystroem":
                machine = nystroem_like(machine, self.n_landmarks_, seed_of(self.random_state))
        sizes = self._tuned_values
        if not sizes or (self.estimator is not None and not retunes(self)):
            return clone(machine)
        visited = min((each for each in sizes if each >= size), default=max(sizes))
        return with_values(machine, *sizes[visited])


def _fit_to_chunks(sieve: Any, chunks: Chunks, machine: Any) -> None:
    """Fit a Nyström machine to the selected columns of rows, as the selection fits its own."""
    seed, regression = seed_of(sieve.random_state), not hasattr(sieve, "classes_")
    preparing = Preparing(
        sieve.scale,
        sieve.missing == "mean",
        regression,
        sieve.scale or sieve.estimator is None,
        machine.n_landmarks,
        seed,
    )
    own = restricted(chunks, np.flatnonzero(sieve.support_))
    with one_blas_thread():
        surveyed = SurveyedRows.of(own, machine.n_landmarks, seed)
        if sieve.missing == "error":
            surveyed.survey.moments.refuse_missing(own.names)
        is_regression(surveyed.survey, sieve.criterion, regression)  # refuses what is no target
        prepared = PreparedRows.of(own, preparing, surveyed)
    take_over_scales(sieve, prepared)
    sieve.estimator_ = machine.fit_stream(prepared.stream, memory=check_memory(sieve.memory))
    take_over_classes(sieve)
