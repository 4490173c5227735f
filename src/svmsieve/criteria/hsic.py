"""Dependence between the features and the target (BAHSIC, Song et al. 2007)."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
import scipy.sparse as sp

from svmsieve.criteria.contract import EVERY_TASK, Criterion, Task
from svmsieve.criteria.material import Data, Fitted
from svmsieve.criteria.pairs import changes_without
from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.effects.pair_sums import removal_changes
from svmsieve.engine.effects.quadratic import LowRank, Weights
from svmsieve.engine.kernels.kernel import RBF, Linear
from svmsieve.engine.machines.target import Classes


class HSIC(Criterion):
    """Hilbert–Schmidt dependence that is lost when the feature leaves the kernel.

    The score of i is ``max(Tr(KHLH), max_l Tr(K⁽ˡ⁾HLH)) − Tr(K⁽ⁱ⁾HLH)``, H = I − 11'/n: what is lost
    against all features, or against the best set without one where that has more.  Elimination removes
    the feature whose removal leaves the most dependence.  L is the kernel of the target: 1 for equal
    classes and 0 otherwise, or RBF or linear over numbers.  A filter: no machine is trained; K is the
    kernel of the estimator.  O(n² d) times the orders of the series (RBF), O(n d) (linear, classes).

    Parameters
    ----------
    target_kernel : {"rbf", "linear"}, default="rbf"
        ``"rbf"`` (width: the target's standard deviation) or ``"linear"``, for a numeric target.

    See Also
    --------
    svmsieve.criteria.Weight : SVM-RFE for any kernel: how much ‖w‖² changes when the feature leaves
        the kernel.
    svmsieve.criteria.FSPP2 : Mean shift of Platt's probability when the feature is permuted.

    Examples
    --------
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import HSIC
    >>> from svmsieve.datasets import make_weston_nonlinear
    >>> X, y = make_weston_nonlinear(60, 6, random_state=0)
    >>> rank(X, y, HSIC()).order[:2].tolist()
    [0, 1]
    """

    name: ClassVar[str] = "hsic"
    tasks: ClassVar[frozenset[Task]] = EVERY_TASK
    machine: ClassVar[None] = None
    paper: ClassVar[str] = "Song et al. 2007, section 4; Yang & Ong 2010, section 5"

    def __init__(self, target_kernel: Literal["rbf", "linear"] = "rbf") -> None:
        self.target_kernel = target_kernel

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the losses of dependence, none below zero."""
        W = self._weights(data)
        if isinstance(data.kernel, Linear) and not sp.issparse(data.X):
            # W takes any offset out of a column, but not the digits it costs
            centred = data.X - data.weights @ data.X
            changes = removal_changes(data.kernel, W, centred, memory=data.memory)
            changes = data.sum_groups(changes)
        else:
            changes = changes_without(data, W, np.arange(len(data.target)))
        return max(0.0, float(changes.max())) - changes

    def _weights(self, data: Data) -> Weights:
        """HLH, each weighted sample counting as its weight's number of copies."""
        target, share, copies = data.target, data.weights, data.copies
        if isinstance(target, Classes):  # L = Σ_c 1_c 1_c'
            belongs = np.eye(len(target.classes))[target.codes].T
            centred = (belongs - (belongs @ share)[:, None]) * copies
            if len(centred) == 2:  # the two vectors are each other's negatives
                return np.sqrt(2.0) * centred[1]
            return LowRank(centred, np.ones(len(centred)))
        if self.target_kernel not in ("rbf", "linear"):
            raise ValueError(
                f"target_kernel must be 'rbf' or 'linear', got {self.target_kernel!r}."
            )
        y = target.values - share @ target.values
        if self.target_kernel == "linear":
            return y * copies
        variance = float(share @ y**2)
        if variance == 0.0:
            return np.zeros(len(y))
        W = np.subtract.outer(y, y)
        np.square(W, out=W)
        RBF(1.0 / (2.0 * variance)).of_base(W, out=W)
        means = W @ share
        W -= means
        W -= (means - share @ means)[:, None]
        if data.sample_weight is not None:
            W *= copies
            W *= copies[:, None]
        return W
