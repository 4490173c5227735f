"""The Nyström machine as scikit-learn estimators."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from svmsieve.engine.arrays import FloatArray, Matrix, check_count
from svmsieve.engine.kernels.kernel import make_kernel
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.plan import Plan
from svmsieve.engine.machines.target import Classes, Target
from svmsieve.inputs.target import check_weights, make_target, refuse_weightless_class
from svmsieve.runtime.seeds import seed_of
from svmsieve.runtime.threads import one_blas_thread
from svmsieve.scale.stream import NystroemMachines, Stream


class _Nystroem(BaseEstimator):
    """What classifier and regressor share."""

    C: float
    kernel: str
    gamma: Any
    degree: int
    coef0: float
    n_landmarks: int
    random_state: Any

    def _machine(self) -> Machine:
        raise NotImplementedError

    def _train(self, X: Any, y: Any, sample_weight: Any, regression: bool) -> NystroemMachines:
        """Check everything once and train on row chunks."""
        n_landmarks = check_count(self.n_landmarks, "n_landmarks")
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=np.float64,
            ensure_min_samples=2,
            y_numeric=regression,
        )
        matrix: Matrix = X if not isinstance(X, np.ndarray) else np.ascontiguousarray(X)
        target: Target = make_target(y, regression, matrix.shape[0])
        weight: FloatArray | None = None
        if sample_weight is not None:
            weight = check_weights(sample_weight, matrix.shape[0])
            refuse_weightless_class(target, weight)
        plan = self._plan(matrix)
        with one_blas_thread():
            stream = Stream.of_matrix(
                matrix, target, weight, n_landmarks, seed_of(self.random_state)
            )
        return self._train_stream(stream, plan)

    def _plan(self, X: Matrix) -> Plan:
        """Return machine and kernel by the parameters, γ by its rule from some rows."""
        kernel = make_kernel(self.kernel, X, gamma=self.gamma, degree=self.degree, coef0=self.coef0)
        return Plan(self._machine(), kernel)

    def _train_stream(
        self, stream: Stream, plan: Plan, memory: float | None = None
    ) -> NystroemMachines:
        columns = np.arange(stream.chunks.n_features)
        with one_blas_thread():
            machines = stream.columns(columns).train(plan, memory=memory)
        self.expansions_ = machines.expansions
        self.landmarks_ = machines.expansions[0].centers
        self.n_iter_ = machines.n_passes
        return machines

    def fit_stream(
        self, stream: Stream, plan: Plan | None = None, memory: float | None = None
    ) -> Self:
        """Train on prepared rows in chunks, wherever they are, with the parameters of a plan.

        Parameters
        ----------
        stream : Stream
            Rows that are scaled as they pass.
        plan : Plan or None, default=None
            Kernel, C, ε and weights of the machine; None: its own.
        memory : float or None, default=None
            Bytes that the machine's matrices may take.

        Returns
        -------
        object
            The fitted machine.
        """
        plan = self._plan(stream.sample.X) if plan is None else plan
        target = self._train_stream(stream, plan, memory).target
        self.n_features_in_ = stream.chunks.n_features
        if isinstance(target, Classes):
            self.classes_ = target.classes
        return self

    def _decisions(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        with one_blas_thread():
            return np.column_stack([each.decision_function(X) for each in self.expansions_])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class NystroemSVC(ClassifierMixin, _Nystroem):
    """Squared-hinge SVC in the span of landmarks, linear in the number of samples.

    ``min ½‖w‖² + ½ Σ C_i max(0, 1 − y_i f(x_i))²``, one machine for each pair of classes;
    :mod:`svmsieve.scale.nystroem`.  A linear kernel is not approximated.

    Parameters
    ----------
    C, kernel, gamma, degree, coef0, class_weight : float
        As for scikit-learn's SVC; the kernels are "rbf", "linear" and "poly".
    n_landmarks : int, default=1000
        Samples that span the space, chosen by k-means++; all, where there are no more.
    random_state : int, RandomState or None, default=None
        Seed of the landmarks; None is 0.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    expansions_ : tuple of Expansion
        The machine of each pair of classes.
    landmarks_ : ndarray of float
        The expansions' centres.
    n_iter_ : int
        Passes over the samples.

    See Also
    --------
    svmsieve.NystroemSVR : Squared-ε SVR in the span of landmarks, linear in the number of samples.
    svmsieve.SVMSieve : Select the features that matter to a support vector machine.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> NystroemSVC(gamma=0.001, n_landmarks=200).fit(X, y).score(X, y) > 0.98
    True
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        class_weight: Any = None,
        n_landmarks: int = 1000,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.class_weight = class_weight
        self.n_landmarks = n_landmarks
        self.random_state = random_state

    def _machine(self) -> Machine:
        return Machine("squared_hinge", C=self.C, class_weight=self.class_weight)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NystroemSVC:
        """Train the machines of all pairs of classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,)
            Class labels or numbers.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the samples.

        Returns
        -------
        NystroemSVC
            The fitted machine.
        """
        target = self._train(X, y, sample_weight, regression=False).target
        self.classes_ = target.classes  # type: ignore[union-attr]
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Return f of each sample; of more than two classes their votes, shape (n, n_classes).

        The confidences of a class's machines, added up and squeezed into less than half a vote, decide
        between classes with equal votes, as in scikit-learn's SVC with ``decision_function_shape="ovr"``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        ndarray of float
            F of each sample; of more than two classes their votes, shape (n, n_classes).
        """
        decisions = self._decisions(X)
        n_classes = len(self.classes_)
        if n_classes == 2:
            return decisions[:, 0]
        votes = np.zeros((len(decisions), n_classes))
        confidences = np.zeros_like(votes)
        for f, (first, second) in zip(decisions.T, combinations(range(n_classes), 2), strict=True):
            votes[:, second] += f >= 0.0
            votes[:, first] += f < 0.0
            confidences[:, second] += f
            confidences[:, first] -= f
        return votes + confidences / (3.0 * (np.abs(confidences) + 1.0))

    def predict(self, X: Any) -> Any:
        """Return the class with the most votes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        ndarray
            The class with the most votes.
        """
        decision = self.decision_function(X)
        winners = (decision >= 0.0).astype(np.intp) if decision.ndim == 1 else decision.argmax(1)
        return self.classes_[winners]


class NystroemSVR(RegressorMixin, _Nystroem):
    """Squared-ε SVR in the span of landmarks, linear in the number of samples.

    ``min ½‖w‖² + ½ Σ C_i max(0, |y_i − f(x_i)| − ε)²``; :mod:`svmsieve.scale.nystroem`.  A linear
    kernel is not approximated.

    Parameters
    ----------
    C, epsilon, kernel, gamma, degree, coef0 : float
        As for scikit-learn's SVR; the kernels are "rbf", "linear" and "poly".
    n_landmarks, random_state : int
        As for :class:`NystroemSVC`.

    Attributes
    ----------
    expansions_, landmarks_, n_iter_ : as for NystroemSVC
        As for :class:`NystroemSVC`.

    See Also
    --------
    svmsieve.NystroemSVC : Squared-hinge SVC in the span of landmarks, linear in the number of
        samples.
    svmsieve.SVMSieve : Select the features that matter to a support vector machine.

    Examples
    --------
    >>> X = np.linspace(0.0, 6.0, 200)[:, None]
    >>> machine = NystroemSVR(C=10.0, epsilon=0.01, gamma=1.0, n_landmarks=20)
    >>> machine.fit(X, np.sin(X[:, 0])).score(X, np.sin(X[:, 0])) > 0.99
    True
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        epsilon: float = 0.1,
        kernel: str = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        n_landmarks: int = 1000,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_landmarks = n_landmarks
        self.random_state = random_state

    def _machine(self) -> Machine:
        if not 0.0 <= self.epsilon < np.inf:
            raise ValueError(f"epsilon must be finite and not negative, got {self.epsilon!r}.")
        return Machine("epsilon", C=self.C, epsilon=self.epsilon)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NystroemSVR:
        """Train the machine.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,)
            Class labels or numbers.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the samples.

        Returns
        -------
        NystroemSVR
            The fitted machine.
        """
        self._train(X, y, sample_weight, regression=True)
        return self

    def predict(self, X: Any) -> FloatArray:
        """Return f of each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        ndarray of float
            F of each sample.
        """
        return self._decisions(X)[:, 0]
