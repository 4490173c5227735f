"""Criteria on the radius/margin bound R²‖w‖² of the leave-one-out error (Rakotomamonjy 2003).

The machine is the squared-hinge one: a hard-margin machine with the kernel K̃ = K + diag(1/C).  Its
‖w‖² = c'K̃c = Σα and the radius R² = Σβ_k K̃_kk − β'K̃β of the sphere around the mapped samples belong to
that kernel, so that the bound is the one of Vapnik and its derivative exact.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from svmsieve.criteria.contract import CLASSIFICATION, Criterion, MachineKind, Task
from svmsieve.criteria.material import Data, Fitted
from svmsieve.criteria.pairs import (
    changes_without,
    changes_without_each,
    diagonal_changes_without,
    diagonal_slopes,
    slopes_of_scaling,
)
from svmsieve.criteria.retraining import without_each
from svmsieve.criteria.weight import norm_changes
from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.effects.quadratic import LowRank
from svmsieve.engine.effects.retrained_removals import bounds_without
from svmsieve.engine.kernels.kernel import Linear
from svmsieve.engine.machines.machine import Dual, Sphere, enclose
from svmsieve.engine.machines.trained import PairMachine, Trained


def ridge(part: PairMachine) -> FloatArray:
    """1/C of each sample: what the squared hinge adds to the diagonal of the kernel.

    Zero where C is: such a sample takes no part.
    """
    return np.divide(1.0, part.bounds, out=np.zeros(len(part.bounds)), where=part.bounds > 0.0)


def squared_norm(part: PairMachine, dual: Dual) -> float:
    """``‖w‖² = c'(K + diag(1/C))c`` of a squared-hinge machine.

    c'Kc is not negative, but rounding of a huge K (columns with large offsets) may make it so.
    """
    return max(float(dual.coef @ dual.outputs), 0.0) + float(dual.coef**2 @ ridge(part))


def sphere_around(K: FloatArray, part: PairMachine, start: FloatArray | None = None) -> Sphere:
    """Return the sphere around the samples with C > 0 in the feature space of K + diag(1/C)."""
    rows = np.flatnonzero(part.bounds > 0.0)
    whole = len(rows) == len(K)
    lifted = K.copy() if whole else K[np.ix_(rows, rows)]
    lifted[np.diag_indices_from(lifted)] += ridge(part)[rows]
    sphere = enclose(lifted, start=None if start is None else start[rows])
    if whole:
        return sphere
    beta = np.zeros(len(K))
    beta[rows] = sphere.beta
    return replace(sphere, beta=beta)


def radius_and_norm_changes(
    part: PairMachine, beta: FloatArray, data: Data
) -> tuple[FloatArray, FloatArray]:
    """Return how R² and ‖w‖² change when each column or group goes, α and β fixed.

    ``Σβ_k ΔK_kk − β'ΔKβ`` and ``c'ΔKc``.
    """
    inside = np.flatnonzero(beta)
    rows, beta = part.rows[inside], beta[inside]
    if isinstance(data.kernel, Linear):
        within, norm = changes_without(data, beta, rows), norm_changes(part, data)
    else:
        coef = data.gram.net(part.coef, part.centers)
        within, norm = changes_without_each(data, (beta, rows), (coef, part.centers))
    return diagonal_changes_without(data, beta, rows) - within, norm


class RadiusMargin(Criterion):
    """Radius/margin bound without the feature, α and β fixed.

    ``R_i² · |‖w‖² − ‖w_i‖²|``: the paper leaves the zero-order form open, this one is near its tables
    (for the difference see the reproduction).  Several pairs of classes add up.  O(n² d).

    See Also
    --------
    svmsieve.criteria.RadiusMarginGradient : Sensitivity of the radius/margin bound to a scaling of
        the feature.
    svmsieve.criteria.RadiusMarginRetrained : Radius/margin bound ``R²‖w‖²`` of the machine trained
        again without the feature.
    svmsieve.criteria.Weight : SVM-RFE for any kernel: how much ‖w‖² changes when the feature leaves
        the kernel.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import RadiusMargin
    >>> from svmsieve.datasets import make_weston_nonlinear
    >>> X, y = make_weston_nonlinear(60, 6, random_state=0)
    >>> rank(X, y, RadiusMargin(), SVC(C=10)).order[:2].tolist()
    [0, 1]
    """

    name: ClassVar[str] = "radius-margin"
    tasks: ClassVar[frozenset[Task]] = CLASSIFICATION
    machine: ClassVar[MachineKind] = "squared-hinge"
    paper: ClassVar[str] = "Rakotomamonjy 2003, section 2.3"

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the radius without the feature times the change of the margin."""
        assert fitted is not None
        scores = np.zeros(data.n_scores)
        for part in fitted.trained.parts:
            sphere = sphere_around(fitted.trained.matrix_of(part), part)
            changes = radius_and_norm_changes(part, sphere.beta, data)
            scores += self.joined((sphere.radius2, float(part.dual.alpha.sum())), changes)
        return scores

    def joined(
        self, before: tuple[float, float], changes: tuple[FloatArray, FloatArray]
    ) -> FloatArray:
        """Return the scores from R² and ‖w‖² (= Σα), and how the two change without each feature.

        Parameters
        ----------
        before : pair of float
            R² and ‖w‖² of the machine.
        changes : pair of ndarray
            How the two change without each feature.

        Returns
        -------
        ndarray of float
            The scores from R² and ‖w‖² (= Σα), and how the two change without each feature.
        """
        return np.maximum(before[0] + changes[0], 0.0) * np.abs(changes[1])


class RadiusMarginRetrained(Criterion):
    """Radius/margin bound ``R²‖w‖²`` of the machine trained again without the feature.

    The smallest goes.  d trainings and d spheres, in threads.

    See Also
    --------
    svmsieve.criteria.RadiusMargin : Radius/margin bound without the feature, α and β fixed.
    svmsieve.criteria.RadiusMarginGradient : Sensitivity of the radius/margin bound to a scaling of
        the feature.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import RadiusMarginRetrained
    >>> from svmsieve.datasets import make_weston_nonlinear
    >>> X, y = make_weston_nonlinear(60, 6, random_state=0)
    >>> rank(X, y, RadiusMarginRetrained(), SVC(C=10)).order[:2].tolist()
    [0, 1]
    """

    name: ClassVar[str] = "radius-margin-retrained"
    tasks: ClassVar[frozenset[Task]] = CLASSIFICATION
    machine: ClassVar[MachineKind] = "squared-hinge"
    paper: ClassVar[str] = "Rakotomamonjy 2003, section 2.3"

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the bounds after retraining."""
        assert fitted is not None
        trained: Trained = fitted.trained
        betas = [
            (part, sphere_around(trained.matrix_of(part), part).beta) for part in trained.parts
        ]
        starts = {id(part): beta for part, beta in betas}

        def bound(K: FloatArray, part: PairMachine, dual: Dual) -> float:
            # by identity, which a copy in another process keeps, not by id
            start = next(beta for other, beta in betas if other is part)
            return squared_norm(part, dual) * sphere_around(K, part, start).radius2

        return without_each(trained, data, bound, bounds_without, spheres=starts)


class RadiusMarginGradient(Criterion):
    """Sensitivity of the radius/margin bound to a scaling of the feature.

    ``|‖w‖² ∂R² + R² ∂‖w‖²|`` with ∂R² = Σβ_k ∂K_kk − β'∂Kβ and ∂‖w‖² = −c'∂Kc.  Several pairs of
    classes add up.  O(n² d), two matrix products.

    See Also
    --------
    svmsieve.criteria.RadiusMargin : Radius/margin bound without the feature, α and β fixed.
    svmsieve.criteria.RadiusMarginRetrained : Radius/margin bound ``R²‖w‖²`` of the machine trained
        again without the feature.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import RadiusMarginGradient
    >>> from svmsieve.datasets import make_weston_nonlinear
    >>> X, y = make_weston_nonlinear(60, 6, random_state=0)
    >>> rank(X, y, RadiusMarginGradient(), SVC(C=10)).order[:2].tolist()
    [0, 1]
    """

    name: ClassVar[str] = "radius-margin-gradient"
    tasks: ClassVar[frozenset[Task]] = CLASSIFICATION
    machine: ClassVar[MachineKind] = "squared-hinge"
    paper: ClassVar[str] = "Rakotomamonjy 2003, section 2.4"

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the absolute derivatives."""
        assert fitted is not None
        scores = np.zeros(data.n_scores)
        for part in fitted.trained.parts:
            sphere = sphere_around(fitted.trained.matrix_of(part), part)
            c, beta = data.gram.net(part.dual.coef, part.rows), sphere.beta
            norm2 = squared_norm(part, part.dual)
            W = LowRank.of((-norm2, beta), (-sphere.radius2, c))
            slopes = slopes_of_scaling(data, W, part.rows)
            slopes += diagonal_slopes(data, norm2 * beta, part.rows)
            scores += np.abs(slopes)
        return scores
