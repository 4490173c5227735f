"""Criteria on ‖w‖², the complexity of the machine (Guyon et al. 2002, Rakotomamonjy 2003)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from svmsieve.criteria.contract import CLASSIFICATION, EVERY_TASK, Criterion, Task
from svmsieve.criteria.material import Data, Fitted
from svmsieve.criteria.pairs import changes_without, slopes_of_scaling
from svmsieve.criteria.retraining import without_each
from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.effects.retrained_removals import optima_without
from svmsieve.engine.kernels.kernel import RBF, Linear
from svmsieve.engine.machines.many_machines import norm_changes_of_many, worth_one_matrix
from svmsieve.engine.machines.trained import PairMachine


def norm_changes(part: PairMachine, data: Data) -> FloatArray:
    """Return ``c'K⁽ⁱ⁾c − c'Kc`` for each column or group, c fixed."""
    if isinstance(data.kernel, Linear):
        coef = np.zeros(len(data.target))
        coef[part.rows] = data.gram.net(part.dual.coef, part.rows)
        return -data.sum_groups(data.gram.linear_weights(coef) ** 2)
    return changes_without(data, data.gram.net(part.coef, part.centers), part.centers)


class Weight(Criterion):
    """SVM-RFE for any kernel: how much ‖w‖² changes when the feature leaves the kernel.

    ``|c'Kc − c'K⁽ⁱ⁾c|`` with the coefficients c fixed; for a linear kernel w_i².  Several pairs of
    classes add up.  O(m² d) times the orders of the series (RBF), O(m d) (linear).

    See Also
    --------
    svmsieve.criteria.WeightGradient : Sensitivity of ‖w‖² to a scaling of the feature.
    svmsieve.criteria.WeightRetrained : ‖w‖² of the machine trained again without the feature; the
        smallest goes.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import Weight
    >>> from svmsieve.datasets import make_weston_nonlinear
    >>> X, y = make_weston_nonlinear(60, 6, random_state=0)
    >>> rank(X, y, Weight(), SVC(C=10)).order[:2].tolist()
    [0, 1]
    """

    name: ClassVar[str] = "weight"
    tasks: ClassVar[frozenset[Task]] = EVERY_TASK
    paper: ClassVar[str] = "Guyon et al. 2002; Rakotomamonjy 2003, eq. (8)"

    linear_factor: ClassVar[float | None] = 1.0

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the absolute changes."""
        assert fitted is not None
        if isinstance(data.kernel, RBF) and worth_one_matrix(fitted.trained, data.n_scores):
            units = np.arange(data.n_scores)[:, None] if data.groups is None else data.groups
            changes = norm_changes_of_many(data.gram, fitted.trained, list(units))
            return np.array([np.abs(change).sum() for change in changes])
        scores = np.zeros(data.n_scores)
        for part in fitted.trained.parts:
            scores += np.abs(norm_changes(part, data))
        return scores


class WeightGradient(Criterion):
    """Sensitivity of ‖w‖² to a scaling of the feature.

    ``|Σ_kl c_k c_l ∂K_kl/∂v_i|`` at v = 1; for a linear kernel 2w_i².  Several pairs of classes add
    up.  O(m² d), one matrix product.

    See Also
    --------
    svmsieve.criteria.Weight : SVM-RFE for any kernel: how much ‖w‖² changes when the feature leaves
        the kernel.
    svmsieve.criteria.WeightRetrained : ‖w‖² of the machine trained again without the feature; the
        smallest goes.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import WeightGradient
    >>> from svmsieve.datasets import make_weston_nonlinear
    >>> X, y = make_weston_nonlinear(60, 6, random_state=0)
    >>> rank(X, y, WeightGradient(), SVC(C=10)).order[:2].tolist()
    [0, 1]
    """

    name: ClassVar[str] = "weight-gradient"
    tasks: ClassVar[frozenset[Task]] = EVERY_TASK
    paper: ClassVar[str] = "Rakotomamonjy 2003, section 2.4"

    linear_factor: ClassVar[float | None] = 2.0

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the absolute derivatives."""
        assert fitted is not None
        scores = np.zeros(data.n_scores)
        for part in fitted.trained.parts:
            coef = data.gram.net(part.coef, part.centers)
            scores += np.abs(slopes_of_scaling(data, coef, part.centers))
        return scores


class WeightRetrained(Criterion):
    """‖w‖² of the machine trained again without the feature; the smallest goes.

    Slack counts: the score is ``‖w‖² + 2 Σ C_i ξ_i`` (hinge) or ``‖w‖² + Σ C_i ξ_i²`` (squared
    hinge), twice the optimum of the training problem.  Where the samples can be separated, the
    paper's case, that is ‖w‖²; where they cannot, ‖w‖² alone *falls* when an important feature goes,
    because the machine gives up.  Each training starts from the machine with all features, in
    threads.  Several pairs of classes add up.  d trainings, O(n²) each for the kernel.

    See Also
    --------
    svmsieve.criteria.Weight : SVM-RFE for any kernel: how much ‖w‖² changes when the feature leaves
        the kernel.
    svmsieve.criteria.WeightGradient : Sensitivity of ‖w‖² to a scaling of the feature.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import WeightRetrained
    >>> from svmsieve.datasets import make_weston_nonlinear
    >>> X, y = make_weston_nonlinear(60, 6, random_state=0)
    >>> rank(X, y, WeightRetrained(), SVC(C=10)).order[:2].tolist()
    [0, 1]
    """

    name: ClassVar[str] = "weight-retrained"
    tasks: ClassVar[frozenset[Task]] = CLASSIFICATION
    paper: ClassVar[str] = "Rakotomamonjy 2003, eq. (9)"

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return twice the optimum after retraining."""
        assert fitted is not None
        return without_each(
            fitted.trained,
            data,
            lambda K, part, dual: 2.0 * abs(dual.objective),
            optima_without,
        )
