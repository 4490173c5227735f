"""When a feature enters the lasso: what it says beyond the features that entered before it."""

from __future__ import annotations

import warnings
from typing import ClassVar, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path

from svmsieve.criteria.contract import EVERY_TASK, Criterion, Task
from svmsieve.criteria.material import Data, Fitted
from svmsieve.engine.arrays import BoolArray, FloatArray, dense_columns
from svmsieve.engine.machines.target import Classes, Target

_MOST_STEPS = 100
"""Steps of a path: features that are not in by then are told apart by what is left for them to say."""
_SAME = 1e-7
"""How far a correlation may be below the penalty and count as equal, as that of a twin column does."""


def target_columns(target: Target) -> FloatArray:
    """Return the target's values, or ±1 for one class against the others (once where there are two)."""
    if not isinstance(target, Classes):
        return target.values[:, None]
    classes = np.unique(target.codes)
    return np.where(target.codes[:, None] == classes[1 if len(classes) == 2 else 0 :], 1.0, -1.0)


def _unit(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Centre the columns and give them length one, a sample's share being its weight; zero if constant."""
    centred = np.sqrt(weights)[:, None] * (values - weights @ values)
    length = np.sqrt((centred**2).sum(axis=0))
    floor = 1e-12 * np.sqrt(weights @ values**2)
    return np.divide(centred, length, out=np.zeros_like(centred), where=length > floor)


class LassoPath(NamedTuple):
    """The lasso of y at the penalties where a column enters or leaves it, from the largest on.

    Columns and y have mean zero and length one.
    """

    penalties: FloatArray
    weights: FloatArray
    """Shape (columns, penalties)."""
    left: FloatArray
    """The columns' absolute correlations with what is left of y, of the same shape."""

    @classmethod
    def of(cls, X: FloatArray, y: FloatArray) -> LassoPath:
        """Follow the path for at most 100 steps."""
        with (
            warnings.catch_warnings()
        ):  # columns that add nothing to those that are in are left out
            warnings.simplefilter("ignore", ConvergenceWarning)
            penalties, _, weights = lars_path(X, y, method="lasso", max_iter=_MOST_STEPS)
        # scikit-learn's penalties are means over the samples
        return cls(penalties * len(y), weights, np.abs(X.T @ (y[:, None] - X @ weights)))

    @property
    def holds(self) -> BoolArray:
        """Where each column is in the lasso, or could take another's place."""
        penalties = self.penalties
        return (self.left >= (1.0 - _SAME) * penalties) & (penalties > _SAME)

    @property
    def has_stand_ins(self) -> bool:
        """Whether a column could take the place of others and never does: then rounding may decide."""
        could = self.holds[:, :-1].any(axis=1)
        return bool((could & ~self.weights.any(axis=1)).any())


def entry_penalties(X: FloatArray, y: FloatArray) -> FloatArray:
    """Return the largest penalty at which each column is in the lasso of y, or could take another's place.

    Columns and y have mean zero and length one.  A column that has not entered when the path ends has the
    correlation that is left for it.
    """
    path = LassoPath.of(X, y)
    holds = path.holds
    found = np.where(holds.any(axis=1), path.penalties[holds.argmax(axis=1)], path.left[:, -1])
    # Where the target is told wholly, rounding is all that is left to say.
    return np.where(found > _SAME, found, 0.0)


class Lasso(Criterion):
    """The penalty at which a feature enters the lasso.

    ``max{λ : |x_iᵀ(y − Xw_λ)| = λ}``, where ``w_λ`` minimises ``½‖y − Xw‖² + λ Σ|w_i|`` and columns and
    target are standardised to length one, so that the first to enter has its absolute correlation.
    For classes y is ±1, for more than two the largest over one class against the rest.  A column that says
    what another has said already enters late; a group enters with its first column.  A filter: no SVM is
    trained.  O(n d) a step of at most 100 (least angle regression), times the classes; sparse samples
    become dense.

    See Also
    --------
    svmsieve.criteria.Correlation : Absolute Pearson correlation with the target.
    svmsieve.criteria.Weight : SVM-RFE for any kernel: how much ‖w‖² changes when the feature leaves
        the kernel.

    Examples
    --------
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import Lasso
    >>> from svmsieve.datasets import make_weston_linear
    >>> X, y = make_weston_linear(60, 10, random_state=0)
    >>> rank(X, y, Lasso()).order[:3].tolist()
    [2, 5, 1]
    """

    name: ClassVar[str] = "lasso"
    tasks: ClassVar[frozenset[Task]] = EVERY_TASK
    machine: ClassVar[None] = None
    uses_kernel: ClassVar[bool] = False
    paper: ClassVar[str] = "Efron et al. 2004, section 3"

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the penalties."""
        X, targets = _standardised(data)
        entries = [entry_penalties(X, y) for y in targets.T]
        return data.max_groups(np.max(entries, axis=0))

    def settled(self, data: Data) -> bool:
        """Return True unless columns stand in for others.

        The path down to a penalty is the same without a column that enters below it.
        """
        X, targets = _standardised(data)
        return not any(LassoPath.of(X, y).has_stand_ins for y in targets.T)


def _standardised(data: Data) -> tuple[FloatArray, FloatArray]:
    """The samples and the target's columns, with mean zero and length one."""
    X = dense_columns(data.X, np.arange(data.X.shape[1]))
    return _unit(X, data.weights), _unit(target_columns(data.target), data.weights)
