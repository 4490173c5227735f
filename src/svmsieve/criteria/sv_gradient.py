"""Relevance of a feature at the support vectors (Heiler et al. 2001)."""

from __future__ import annotations

from typing import ClassVar

from svmsieve.criteria.contract import EVERY_TASK, Criterion, Needs, Task
from svmsieve.criteria.drivers import Driver
from svmsieve.criteria.exact import ExactDriver
from svmsieve.criteria.material import Data, Fitted
from svmsieve.engine.arrays import FloatArray


class SVGradient(Criterion):
    """Mean share of the feature in the squared gradient of f at the support vectors.

    ``1/|SV| Σ_{x∈SV} (∂f/∂x_i)² / Σ_k (∂f/∂x_k)²``: each support vector's contributions add up to
    one, so that outliers and narrow margins do not dominate; with weights each counts by its own.  For a
    linear kernel w_i²/‖w‖².  More than two classes: over the support vectors of all pairs' machines.
    O(m² d), linear O(m d).

    See Also
    --------
    svmsieve.criteria.WeightGradient : Sensitivity of ‖w‖² to a scaling of the feature.
    svmsieve.criteria.FSPP4 : Mean absolute derivative of Platt's probability with respect to a
        scaling of the feature.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import SVGradient
    >>> from svmsieve.datasets import make_weston_nonlinear
    >>> X, y = make_weston_nonlinear(60, 6, random_state=0)
    >>> rank(X, y, SVGradient(), SVC(C=10)).order[:2].tolist()
    [0, 1]
    """

    name: ClassVar[str] = "sv-gradient"
    tasks: ClassVar[frozenset[Task]] = EVERY_TASK
    paper: ClassVar[str] = "Heiler et al. 2001, eq. (4)"

    needs: ClassVar[Needs] = "gradients"

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the mean shares of exact machines."""
        return self.fed_by(ExactDriver(fitted, data))

    def fed_by(self, driver: Driver) -> FloatArray:
        """Return the mean shares, added up over groups."""
        return driver.sum_groups(driver.gradient_shares())
