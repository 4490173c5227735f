"""F-score + SVM (Chen & Lin 2006, section 3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from svmsieve.criteria.filters import FScore
from svmsieve.engine.arrays import FloatArray, Matrix
from svmsieve.engine.machines.scaling import split
from svmsieve.engine.machines.target import Classes
from svmsieve.runtime.seeds import derived_seed
from svmsieve.strategies.machine import TunedSVC, errors_of_all, random_splits
from svmsieve.strategies.strategy import Strategy, filter_scores, take
from svmsieve.strategies.thresholds import Thresholds, best_features, make_thresholds


class FScoreSVC(Strategy):
    """A tuned RBF SVM on the features with the highest F-scores: "F+SVM".

    1. Score every feature by :class:`~svmsieve.criteria.filters.FScore`.
    2. Find thresholds: where the sorted scores have gaps, and a logarithmic set of sizes.
    3. Judge each by random splits: tune an SVM on the features of the one part, predict the other.
    4. Keep the features of the threshold with the lowest mean balanced error, and tune again.

    Chen & Lin score all samples once, before they split, so that the scores have seen the samples
    that judge them; the errors are then far too low and favour far too many features (DOROTHEA: 17 %
    for 40 000 features that give 41 %).  Here each split scores the features of its own training part
    and keeps as many of them as the threshold keeps of all.

    Parameters
    ----------
    thresholds : list of float or None, default=None
        F-scores below which features are dropped; None finds them. ``[0.0]`` keeps all features:
        the plain tuned SVM.
    C, gamma : lists of float or None, default=None
        The grid; None is the paper's, log2 C = −5, −3, …, 15 and log2 γ = −15, −13, …, 3.
    n_splits : int, default=5
        Random splits that judge each threshold.
    validation_fraction : float, default=1 / 3
        Share of the samples that a split holds out; the paper does not say which.
    scale : bool, default=True
        Scale every column to [0, 1] by the training samples (sparse: by its range, without shift).
    random_state : int, RandomState or None, default=None
        None is 0.
    n_jobs : int or None, default=None
        Splits to judge at a time, through joblib (threads, unless a joblib backend is set).
    memory : int or None, default=None
        Bytes the kernel matrices may take.

    Attributes
    ----------
    support_ : ndarray of bool of shape (n_features,)
        Mask of the selected features.
    scores_ : ndarray of float of shape (n_features,)
        F-score of every feature.
    thresholds_ : Thresholds
        What was tried: values, sizes and balanced errors on the splits.
    threshold_ : float
        The chosen one.
    estimator_ : estimator
        The fitted SVC, on the selected columns (scaled, if ``scale``).
    n_features_ : int
        Number of selected features.
    classes_, n_features_in_, feature_names_in_ : ndarray, int and ndarray of str
        As everywhere in scikit-learn.

    See Also
    --------
    svmsieve.FScoreForestSVC : F-scores, then a random forest, then a tuned RBF SVM: "F+RF+SVM".
    svmsieve.RMBoundSVC : An RBF machine with one γ for each feature, learned by gradient: "RM-SVM".

    Notes
    -----
    One tuning for each threshold and split, O(n² d) each for the kernel matrix, then the grid's
    machines.  A sparse matrix is never densified.

    References
    ----------
    Y.-W. Chen and C.-J. Lin, "Combining SVMs with various feature selection strategies", in Feature
    Extraction, Springer 2006, section 3.2.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> machine = FScoreSVC(C=[1, 10], gamma=[0.1, 1.0], n_splits=2).fit(X, y)
    >>> machine.score(X, y) > 0.95
    True
    >>> bool(machine.thresholds_.errors.min() < 0.1)
    True
    """

    def __init__(
        self,
        *,
        thresholds: Any = None,
        C: Sequence[float] | None = None,
        gamma: Sequence[float] | None = None,
        n_splits: int = 5,
        validation_fraction: float = 1 / 3,
        scale: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        memory: float | None = None,
    ) -> None:
        super().__init__(
            thresholds=thresholds,
            n_splits=n_splits,
            validation_fraction=validation_fraction,
            scale=scale,
            random_state=random_state,
            n_jobs=n_jobs,
            memory=memory,
        )
        self.C = C
        self.gamma = gamma

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name, values in (("C", self.C), ("gamma", self.gamma)):
            if values is not None and np.ndim(values) != 1:
                raise ValueError(
                    f"{name} must be a list of values to try, or None for the paper's, got {values!r}."
                )

    def _fit(self, X: Matrix, target: Classes, seed: int) -> None:
        self._select_by_fscore(X, target, seed)
        self._fit_machine(X, target, seed)

    def _select_by_fscore(self, X: Matrix, target: Classes, seed: int) -> None:
        """Set ``scores_``, ``thresholds_``, ``threshold_`` and ``support_``: steps 1 to 4."""
        self.scores_ = filter_scores(FScore(), self._scale.apply(X), target, seed, self.memory)
        self.thresholds_ = self._judge(
            X, target, make_thresholds(self.thresholds, self.scores_), seed
        )
        self.threshold_ = self.thresholds_.best_value
        self.support_ = self.scores_ >= self.threshold_

    def _judge(self, X: Matrix, target: Classes, values: FloatArray, seed: int) -> Thresholds:
        """Return the thresholds with their errors on random splits."""
        sizes = np.array([int((self.scores_ >= value).sum()) for value in values])
        codes, procedure = target.codes, self._procedure()
        splits = random_splits(codes, self.n_splits, self.validation_fraction, seed)
        scores = [
            filter_scores(FScore(), X_train, take(target, train), seed, self.memory)
            for train, valid in splits
            for X_train, _ in [split(X, train, valid, self._scaling)]
        ]

        def error(threshold: int, number: int) -> float:
            columns = best_features(scores[number], int(sizes[threshold]))
            tuning_seed = derived_seed(seed, 1, number)
            return procedure.error(X[:, columns], codes, splits[number], tuning_seed)

        errors = errors_of_all(error, len(values), len(splits), self.n_jobs)
        return Thresholds(values, sizes, errors)

    def _procedure(self) -> TunedSVC:
        return TunedSVC(self.C, self.gamma, self.memory, self._scaling)

    def _fit_machine(self, X: Matrix, target: Classes, seed: int) -> None:
        self.estimator_ = self._procedure().fit(X[:, self.support_], target, seed)

    def _machine_decisions(self, X: Matrix) -> FloatArray:
        return self.estimator_.decision_function(X)

    def predict(self, X: Any) -> Any:
        """Return the classes of new samples."""
        selected = self._selected(X)
        return self.estimator_.predict(selected)
