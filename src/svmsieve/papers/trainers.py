"""The machines of the papers: what ranks the features, and what predicts from the best of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sklearn.svm import SVC, SVR, LinearSVC

from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.kernels.kernel import RBF, Kernel, Linear
from svmsieve.engine.machines.fit import fit_svc, fit_svr
from svmsieve.engine.machines.machine import Machine
from svmsieve.runtime.threads import one_blas_thread


@dataclass(frozen=True)
class SVM:
    """A machine with the parameters a paper prints.

    ``½‖w‖² + C Σξ`` (hinge), ``½‖w‖² + ½C Σξ²`` (squared hinge, the papers' "quadratic slack") or ε-SVR;
    γ is None for a linear kernel.

    >>> SVM("hinge", C=1.0, gamma=0.5).estimator()
    SVC(gamma=0.5)
    """

    loss: Literal["hinge", "squared_hinge", "epsilon"]
    C: float
    gamma: float | None = None
    epsilon: float = 0.0

    @property
    def kernel(self) -> Kernel:
        """RBF, or linear without a γ."""
        return Linear() if self.gamma is None else RBF(self.gamma)

    def estimator(self) -> Any:
        """Return the scikit-learn machine that :class:`svmsieve.SVMSieve` takes these parameters from.

        scikit-learn has no RBF machine with squared hinge: the criterion asks for that loss.
        """
        if self.loss == "epsilon":
            kernel = {"kernel": "linear"} if self.gamma is None else {"gamma": self.gamma}
            return SVR(C=self.C, epsilon=self.epsilon, **kernel)
        if self.gamma is not None:
            return SVC(C=self.C, gamma=self.gamma)
        if self.loss == "hinge":
            return SVC(C=self.C, kernel="linear")
        return LinearSVC(C=self.C / 2.0)  # which counts ξ² twice as much

    def predictions(self, X: FloatArray, y: Any, X_new: FloatArray) -> Any:
        """Train on (X, y) as they are and predict for new samples."""
        with one_blas_thread():
            machine = Machine(self.loss, self.C, self.epsilon)
            if self.loss == "epsilon":
                return fit_svr(X, y, self.kernel, machine).decision_function(X_new)
            return fit_svc(X, y, self.kernel, machine).predict(X_new)

    def decisions(self, X: FloatArray, y: Any, X_new: FloatArray) -> FloatArray:
        """Train a classifier on (X, y) as they are; return the decision values of new samples, by pair."""
        with one_blas_thread():
            machine = Machine(self.loss, self.C, self.epsilon)
            return fit_svc(X, y, self.kernel, machine).decision_values(X_new)
