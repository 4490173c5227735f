"""Dependence between the features and the target (BAHSIC, Song et al. 2007)."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from svmsieve.criteria.contract import EVERY_TASK, Criterion, Data, Fitted, Task
from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.group_effects import group_removal_change
from svmsieve.engine.kernels import RBF, gram
from svmsieve.engine.pair_sums import removal_changes
from svmsieve.engine.target import Classes


class HSIC(Criterion):
    """Hilbert–Schmidt dependence that is lost when the feature leaves the kernel.

    The score of i is ``max_l Tr(K⁽ˡ⁾HLH) − Tr(K⁽ⁱ⁾HLH)``, H = I − 11'/n: elimination removes the
    feature whose removal leaves the most dependence.  L is the kernel of the target: 1 for equal
    classes and 0 otherwise, or RBF or linear over numbers.  A filter: no machine is trained; K is the
    kernel of the estimator.  O(n² d) times the orders of the series (RBF).

    Parameters
    ----------
    target_kernel : ``"rbf"`` (width: the target's standard deviation) or ``"linear"``, for a
        numeric target
    """

    name: ClassVar[str] = "hsic"
    tasks: ClassVar[frozenset[Task]] = EVERY_TASK
    machine: ClassVar[None] = None
    paper: ClassVar[str] = "Song et al. 2007, section 4; Yang & Ong 2010, section 5"

    def __init__(self, target_kernel: Literal["rbf", "linear"] = "rbf") -> None:
        self.target_kernel = target_kernel

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the losses of dependence, shifted so that the smallest is zero."""
        L = self._target_matrix(data)
        # HLH with weighted samples: each counts as its weight's number of copies.
        W = L - (data.weights @ L)[None, :]
        W -= (W @ data.weights)[:, None]
        W *= np.outer(data.copies, data.copies)
        base = data.gram.base
        if data.groups is None:
            changes = removal_changes(data.kernel, W, data.X, base=base, memory=data.memory)
        else:
            changes = np.array(
                [group_removal_change(data.kernel, W, data.X, g, base) for g in data.groups]
            )
        return changes.max() - changes

    def _target_matrix(self, data: Data) -> FloatArray:
        target = data.target
        if isinstance(target, Classes):
            return (target.codes[:, None] == target.codes[None, :]).astype(np.float64)
        if self.target_kernel not in ("rbf", "linear"):
            raise ValueError(
                f"target_kernel must be 'rbf' or 'linear', got {self.target_kernel!r}."
            )
        y = (target.values - data.weights @ target.values)[:, None]
        if self.target_kernel == "linear":
            return y @ y.T
        variance = float(data.weights @ y[:, 0] ** 2)
        return gram(RBF(1.0 / (2.0 * variance)), y, y) if variance > 0.0 else np.ones((len(y),) * 2)
