"""RM-SVM: an RBF machine whose C and γ_i minimise the radius-margin bound (Chen & Lin 2006, section 3.4)."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Tags

from svmsieve.engine.arrays import BoolArray, FloatArray, IntArray, Matrix, check_count
from svmsieve.engine.columns import column_range
from svmsieve.engine.machines.expansion import Expansion
from svmsieve.engine.machines.fit import fit_svc
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.scaling import split
from svmsieve.engine.machines.target import Classes
from svmsieve.runtime.threads import one_blas_thread
from svmsieve.strategies.machine import balanced_error, errors_of_all, of_all, random_splits
from svmsieve.strategies.rm_bound import UNIT, RMMinimum, minimise_bound, stretched
from svmsieve.strategies.strategy import Strategy
from svmsieve.strategies.thresholds import Thresholds, best_features, make_thresholds


class RMBoundSVC(Strategy):
    """An RBF machine with one γ for each feature, learned by gradient: "RM-SVM".

    C and all γ_i minimise ``log(4 R̃²‖w̃‖²)``, a bound of the leave-one-out error
    (:mod:`svmsieve.strategies.rm_bound`), by L-BFGS-B.  The γ_i of features that do not help go down by
    orders of magnitude: the learned scaling is a ranking.  Features whose score is below a threshold
    leave; the threshold is found as in :class:`~svmsieve.strategies.FScoreSVC`, from gaps and a
    logarithmic set of sizes, each judged by random splits in which everything is learned anew.

    Parameters
    ----------
    thresholds : list of float or None, default=None
        Scores below which features leave; None finds them. ``[0.0]`` keeps all: the paper's
        machine.
    max_iter : int, default=200
        Steps the minimisation may take.
    n_splits : int, default=5
        Random splits that judge each threshold.
    validation_fraction : float, default=1 / 3
        Share of the samples that a split holds out.
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
        Γ_i times the squared range of feature i The most by which the feature can move the exponent
        of the kernel; zero for a constant one.
    gamma_ : ndarray of float
        Γ_i of every feature, in units of the (scaled) columns.
    C_ : float
        The C that was learned.
    bound_values_ : ndarray of float
        Logarithm of the bound at the start and after each step.
    n_iter_ : int
        Number of steps.
    thresholds_ : Thresholds
        What was tried: values, sizes and balanced errors on the splits.
    threshold_ : float
        The chosen one.
    expansion_ : Expansion
        The squared-hinge machine over the selected columns, each scaled by √γ_i. scikit-learn's SVC
        has no squared hinge.
    n_features_ : int
        Number of selected features.
    classes_, n_features_in_, feature_names_in_ : ndarray, int and ndarray of str
        As everywhere in scikit-learn.

    See Also
    --------
    svmsieve.ForestRMBoundSVC : "RF+RM-SVM": a random forest, then a machine with learned γ.
    svmsieve.FScoreSVC : A tuned RBF SVM on the features with the highest F-scores: "F+SVM".

    Notes
    -----
    Two classes only.  Each step costs O(n³) for the machine and O(n² d) for the gradient; the
    minimisation runs once on all samples and once for each split.

    References
    ----------
    Y.-W. Chen and C.-J. Lin, "Combining SVMs with various feature selection strategies", in Feature
    Extraction, Springer 2006, section 3.4, equations (5) and (6).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, size=(120, 6))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> machine = RMBoundSVC(n_splits=2).fit(X, y)
    >>> machine.get_feature_names_out().tolist()
    ['x0', 'x1']
    """

    def __init__(
        self,
        *,
        thresholds: Any = None,
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
            n_splits=n_splits,
            validation_fraction=validation_fraction,
            scale=scale,
            random_state=random_state,
            n_jobs=n_jobs,
            memory=memory,
        )
        self.max_iter = max_iter

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count(self.max_iter, "max_iter")

    def _refuse_target(self, target: Classes) -> None:
        if target.task != "binary":
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: y "
                f"holds {len(target.classes)} classes; use FScoreSVC or FScoreForestSVC, or wrap "
                f"{type(self).__name__} in scikit-learn's OneVsRestClassifier."
            )

    def _fit(self, X: Matrix, target: Classes, seed: int) -> None:
        self._fit_bound(X, target, seed)

    def _fit_bound(self, X: Matrix, target: Classes, seed: int) -> None:
        """Learn the scaling, choose the threshold, train the machine."""
        _, signs = target.pairs[0]
        scaled = self._scaled(X)
        learned = self._learn(scaled, signs)
        self.C_, self.gamma_, self.bound_values_ = learned.C, learned.gamma, learned.values
        self.n_iter_ = len(learned.values) - 1
        self.scores_ = learned.gamma * self._squared_ranges(scaled)
        values = make_thresholds(self.thresholds, self.scores_)
        self.thresholds_ = self._judge(X, target.codes, signs, values, seed)
        self.threshold_ = self.thresholds_.best_value
        self.support_ = self.scores_ >= self.threshold_
        self.expansion_ = self._train(scaled, signs, learned, self.support_)

    def _scaled(self, X: Matrix) -> Matrix:
        return X if self._scaling is None else self._scaling(X, None).apply(X)

    @staticmethod
    def _squared_ranges(X: Matrix) -> FloatArray:
        lower, upper = column_range(X)
        return (upper - lower) ** 2

    def _learn(self, X: Matrix, signs: FloatArray) -> RMMinimum:
        """Minimise the bound; a constant column gets γ = 0."""
        varies = self._squared_ranges(X) > 0.0
        if not varies.any():
            raise ValueError("X must hold a column that varies; all of its columns are constant.")
        minimum = minimise_bound(X[:, varies], signs, max_iter=self.max_iter, memory=self.memory)
        gamma = np.zeros(X.shape[1])
        gamma[varies] = minimum.gamma
        return RMMinimum(minimum.C, gamma, minimum.values, minimum.converged)

    def _train(
        self, X: Matrix, signs: FloatArray, learned: RMMinimum, columns: BoolArray
    ) -> Expansion:
        """Train the squared-hinge machine of the learned C and γ on some of the columns."""
        Z = stretched(X[:, columns], learned.gamma[columns])
        machine = Machine("squared_hinge", learned.C)
        return fit_svc(Z, signs, UNIT, machine, memory=self.memory).expansions[0]

    def _judge(
        self, X: Matrix, codes: IntArray, signs: FloatArray, values: FloatArray, seed: int
    ) -> Thresholds:
        """Return the thresholds with their errors on splits whose training part learns for itself."""
        sizes = np.array([int((self.scores_ >= value).sum()) for value in values])
        splits = random_splits(codes, self.n_splits, self.validation_fraction, seed)

        if not all(self._squared_ranges(X[train]).any() for train, _ in splits):
            raise ValueError(
                "X must hold a column that varies in the training part of every random split; in one of "
                "them all are constant: lower validation_fraction, or give more samples."
            )

        def learn(train: IntArray) -> RMMinimum:
            with one_blas_thread():
                return self._learn(self._scaled(X[train]), signs[train])

        learned = of_all(learn, [(train,) for train, _ in splits], self.n_jobs)

        def error(threshold: int, number: int) -> float:
            train, valid = splits[number]
            X_train, X_valid = split(X, train, valid, self._scaling)
            own = learned[number]
            scores = own.gamma * self._squared_ranges(X_train)
            columns = best_features(scores, int(sizes[threshold]))
            with one_blas_thread():
                machine = self._train(X_train, signs[train], own, columns)
                decisions = machine.decision_function(
                    stretched(X_valid[:, columns], own.gamma[columns])
                )
            return balanced_error(codes[valid], (decisions > 0.0).astype(np.intp))

        errors = errors_of_all(error, len(values), len(splits), self.n_jobs)
        return Thresholds(values, sizes, errors)

    def _machine_decisions(self, X: Matrix) -> FloatArray:
        with one_blas_thread():
            return self.expansion_.decision_function(stretched(X, self.gamma_[self.support_]))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
