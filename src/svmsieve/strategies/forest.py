"""Selection by a random forest, and the strategies that use it (Chen & Lin 2006, sections 3.3 and 3.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from svmsieve.criteria.forest import Forest
from svmsieve.engine.arrays import BoolArray, FloatArray, IntArray, Matrix, check_count
from svmsieve.engine.machines.folds import stratified_folds
from svmsieve.engine.machines.scaling import Scaling, split
from svmsieve.engine.machines.target import Classes
from svmsieve.runtime.seeds import derived_seed
from svmsieve.strategies.fscore import FScoreSVC
from svmsieve.strategies.machine import balanced_error, errors_of_all, of_all
from svmsieve.strategies.rm_svc import RMBoundSVC
from svmsieve.strategies.strategy import filter_scores, take
from svmsieve.strategies.thresholds import Thresholds, best_features, halved_sizes


class ForestChoice(NamedTuple):
    """What the forest found: the features' importance, the sizes tried, the features chosen."""

    scores: FloatArray
    thresholds: Thresholds
    support: BoolArray


def check_forest(n_features_to_select: Any, n_trees: Any) -> None:
    """Refuse a number of features or trees that is none."""
    if n_features_to_select is not None:
        check_count(n_features_to_select, "n_features_to_select")
    check_count(n_trees, "n_trees")


def choose_by_forest(
    X: Matrix,
    target: Classes,
    *,
    n_features_to_select: int | None,
    n_trees: int,
    seed: int,
    n_jobs: int | None,
    memory: float | None,
    scaling: Scaling | None = None,
) -> ForestChoice:
    """Rank the features once by a forest, halve them, and keep the size with the lowest error.

    The error of a size is the balanced one of a forest over five folds (fewer where a class is small).
    Chen & Lin take the ranking of all samples for every fold; here each fold ranks by its own training
    part, scaled by itself, so that nothing the ranking saw judges it.  ``n_features_to_select`` fixes the
    size instead.
    """
    criterion = Forest(n_trees)
    scaled = X if scaling is None else scaling(X, None).apply(X)
    scores = filter_scores(criterion, scaled, target, derived_seed(seed, 2), memory)
    d = len(scores)
    sizes = halved_sizes(d) if n_features_to_select is None else [min(n_features_to_select, d)]
    sizes = sizes[::-1]
    codes = target.codes
    n_folds = min(5, int(np.bincount(codes).min()))
    folds = stratified_folds(codes, n_folds, derived_seed(seed, 3))
    training = [np.setdiff1d(np.arange(len(codes)), fold) for fold in folds]

    def ranking(number: int) -> FloatArray:
        rows = training[number]
        part, own_seed = take(target, rows), derived_seed(seed, 4, number)
        X_train, _ = split(X, rows, folds[number], scaling)
        return filter_scores(criterion, X_train, part, own_seed, memory)

    rankings = of_all(ranking, [(number,) for number in range(n_folds)], n_jobs)

    def error(candidate: int, fold: int) -> float:
        columns = best_features(rankings[fold], sizes[candidate])
        # One thread: the order in which threads add up the trees' votes would decide ties.
        forest = RandomForestClassifier(n_trees, random_state=derived_seed(seed, 5, fold))
        train, valid = training[fold], folds[fold]
        X_train, X_valid = split(X[:, columns], train, valid, scaling)
        forest.fit(X_train, codes[train])
        predicted: IntArray = forest.predict(X_valid)
        return balanced_error(codes[valid], predicted)

    errors = errors_of_all(error, len(sizes), n_folds, n_jobs)
    values = np.sort(scores)[::-1][np.array(sizes) - 1]
    tried = Thresholds(values, np.array(sizes), errors)
    return ForestChoice(scores, tried, best_features(scores, sizes[tried.best]))


def _among(columns: BoolArray, values: Any, dtype: Any) -> Any:
    """Return the values of some columns as an array over all columns, zero elsewhere."""
    out = np.zeros(len(columns), dtype=dtype)
    out[columns] = values
    return out


class FScoreForestSVC(FScoreSVC):
    """F-scores, then a random forest, then a tuned RBF SVM: "F+RF+SVM".

    1. Select by F-score as :class:`~svmsieve.strategies.FScoreSVC` does.
    2. Rank those features once by the forest's permutation importance
       (:class:`~svmsieve.criteria.forest.Forest`); halve them again and again; keep the size at which a
       forest has the lowest balanced error over five folds.
    3. Tune an SVM on the rest.

    Parameters
    ----------
    thresholds : list of float or None, default=None
        F-scores below which features are dropped; None finds them.
    n_features_to_select : int or None, default=None
        How many features the forest keeps (all, if the F-score left fewer); None: the best of the
        halved sizes.
    n_trees : int, default=500
        Trees of each forest.
    C, gamma : lists of float or None, default=None
        The grid; None is the paper's.
    n_splits, validation_fraction, scale, random_state, n_jobs, memory : int
        As in FScoreSVC.

    Attributes
    ----------
    support_ : ndarray of bool of shape (n_features,)
        Mask of the selected features.
    scores_ : ndarray of float of shape (n_features,)
        The forest's importance of every feature, zero where the F-score dropped it.
    f_scores_ : ndarray of float
        F-score of every feature.
    thresholds_, threshold_ : Thresholds and float
        The thresholds on the F-score with their errors, and the chosen one.
    forest_thresholds_ : Thresholds
        The same of the forest's importance: sizes by halving, errors of the folds.
    estimator_ : estimator
        The fitted SVC, on the selected columns (scaled, if ``scale``).
    n_features_ : int
        Number of selected features.
    classes_, n_features_in_, feature_names_in_ : ndarray, int and ndarray of str
        As everywhere in scikit-learn.

    See Also
    --------
    svmsieve.FScoreSVC : A tuned RBF SVM on the features with the highest F-scores: "F+SVM".
    svmsieve.ForestRMBoundSVC : "RF+RM-SVM": a random forest, then a machine with learned γ.

    Notes
    -----
    To the cost of FScoreSVC come 6 + 5 log2 d forests, O(trees · n log n · √d) each.

    References
    ----------
    Y.-W. Chen and C.-J. Lin, "Combining SVMs with various feature selection strategies", in Feature
    Extraction, Springer 2006, section 3.3.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> machine = FScoreForestSVC(
    ...     thresholds=[0.1], n_features_to_select=5, n_trees=20, C=[1, 10], gamma=[1.0], n_splits=1
    ... ).fit(X, y)
    >>> machine.n_features_
    5
    >>> machine.score(X, y) > 0.93
    True
    """

    def __init__(
        self,
        *,
        thresholds: Any = None,
        n_features_to_select: int | None = None,
        n_trees: int = 500,
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
            C=C,
            gamma=gamma,
            n_splits=n_splits,
            validation_fraction=validation_fraction,
            scale=scale,
            random_state=random_state,
            n_jobs=n_jobs,
            memory=memory,
        )
        self.n_features_to_select = n_features_to_select
        self.n_trees = n_trees

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_forest(self.n_features_to_select, self.n_trees)

    def _fit(self, X: Matrix, target: Classes, seed: int) -> None:
        self._select_by_fscore(X, target, seed)
        passed = self.support_
        choice = choose_by_forest(
            X[:, passed],
            target,
            scaling=self._scaling,
            n_features_to_select=self.n_features_to_select,
            n_trees=self.n_trees,
            seed=seed,
            n_jobs=self.n_jobs,
            memory=self.memory,
        )
        self.f_scores_ = self.scores_
        self.scores_ = _among(passed, choice.scores, np.float64)
        self.support_ = _among(passed, choice.support, np.bool_)
        self.forest_thresholds_ = choice.thresholds
        self._fit_machine(X, target, seed)


class ForestRMBoundSVC(RMBoundSVC):
    """A random forest, then an RBF machine with one learned γ for each feature: "RF+RM-SVM".

    The forest ranks all features and keeps the best of the halved sizes, as in
    :class:`~svmsieve.strategies.FScoreForestSVC`; on those the machine of
    :class:`~svmsieve.strategies.RMBoundSVC` is learned.

    Parameters
    ----------
    thresholds : list of float or None, default=None
        Scores of the learned scaling below which features leave; None finds them, ``[0.0]`` keeps
        all that the forest kept: the paper's machine.
    n_features_to_select : int or None, default=None
        How many features the forest keeps; None: the best of the halved sizes.
    n_trees : int, default=500
        Trees of each forest.
    max_iter, n_splits, validation_fraction, scale, random_state, n_jobs, memory : int
        As in RMBoundSVC.

    Attributes
    ----------
    support_ : ndarray of bool of shape (n_features,)
        Mask of the selected features.
    scores_ : ndarray of float of shape (n_features,)
        Γ_i times the squared range of feature i, zero where the forest dropped it.
    forest_scores_ : ndarray of float
        The forest's importance of every feature.
    forest_thresholds_ : Thresholds
        Sizes by halving and the forest's errors on the folds.
    thresholds_, threshold_, gamma_, C_, bound_values_, n_iter_, expansion_ : as in RMBoundSVC
        As in RMBoundSVC.
    n_features_ : int
        Number of selected features.
    classes_, n_features_in_, feature_names_in_ : ndarray, int and ndarray of str
        As everywhere in scikit-learn.

    See Also
    --------
    svmsieve.RMBoundSVC : An RBF machine with one γ for each feature, learned by gradient: "RM-SVM".
    svmsieve.FScoreForestSVC : F-scores, then a random forest, then a tuned RBF SVM: "F+RF+SVM".

    References
    ----------
    Y.-W. Chen and C.-J. Lin, "Combining SVMs with various feature selection strategies", in Feature
    Extraction, Springer 2006, section 3.4.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, size=(150, 8))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> machine = ForestRMBoundSVC(n_features_to_select=4, n_trees=100, n_splits=2).fit(X, y)
    >>> machine.get_feature_names_out().tolist()
    ['x0', 'x1']
    """

    def __init__(
        self,
        *,
        thresholds: Any = None,
        n_features_to_select: int | None = None,
        n_trees: int = 500,
        max_iter: int = 200,
        n_splits: int = 5,
        validation_fraction: float = 1 / 3,
        scale: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        memory: float | None = None,
    ) -> None:
        super().__init__(
            thresholds=thresholds,
            max_iter=max_iter,
            n_splits=n_splits,
            validation_fraction=validation_fraction,
            scale=scale,
            random_state=random_state,
            n_jobs=n_jobs,
            memory=memory,
        )
        self.n_features_to_select = n_features_to_select
        self.n_trees = n_trees

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_forest(self.n_features_to_select, self.n_trees)

    def _fit(self, X: Matrix, target: Classes, seed: int) -> None:
        choice = choose_by_forest(
            X,
            target,
            scaling=self._scaling,
            n_features_to_select=self.n_features_to_select,
            n_trees=self.n_trees,
            seed=seed,
            n_jobs=self.n_jobs,
            memory=self.memory,
        )
        self.forest_scores_, self.forest_thresholds_ = choice.scores, choice.thresholds
        passed = choice.support
        self._fit_bound(X[:, passed], target, seed)
        self.scores_ = _among(passed, self.scores_, np.float64)
        self.gamma_ = _among(passed, self.gamma_, np.float64)
        self.support_ = _among(passed, self.support_, np.bool_)
