"""Sensitivity of the machine's probabilities to a feature (FSPP, Shen et al. 2008).

    C(i) = ∫ |p(c|x) − p(c|x₋ᵢ)| p(x) dx                                                          (9)

The probability without feature i is approximated by that of the same machine with the feature permuted
among the samples (FSPP1, FSPP2), set to zero (FSPP3), or by a derivative (FSPP4).  More than two classes:
½ Σ_c |p_c(x) − p_c(x₍ᵢ₎)| with coupled pairwise probabilities.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from svmsieve.criteria.answers import Replaced, probabilities
from svmsieve.criteria.contract import CLASSIFICATION, ResponseCriterion, Task
from svmsieve.criteria.drivers import EvaluateOn, Permutations
from svmsieve.criteria.material import Machines
from svmsieve.engine.arrays import FloatArray, check_positive
from svmsieve.engine.effects.shifts import sigmoid_shifts, sign_changes
from svmsieve.engine.machines.expansion import votes_of
from svmsieve.engine.machines.platt import Sigmoid
from svmsieve.engine.machines.target import Classes


class Shift(ResponseCriterion):
    """Mean shift of the probabilities when a feature's values are replaced."""

    tasks: ClassVar[frozenset[Task]] = CLASSIFICATION

    def accumulate(self, item: Replaced, machines: Machines) -> FloatArray:
        """Return the replaced features' shares of the mean shift over all samples."""
        binary = machines.target.task == "binary"
        return self.binary_shifts(item, machines) if binary else self.class_shifts(item, machines)

    @abstractmethod
    def binary_shifts(self, item: Replaced, machines: Machines) -> FloatArray:
        """Return the mean shifts of the positive class's probability.

        Parameters
        ----------
        item : Replaced
            Decision values before and after.
        machines : Machines
            Exact or Nyström's machines.
        """

    @abstractmethod
    def probabilities(self, decisions: FloatArray, machines: Machines) -> FloatArray:
        """Return probabilities (…, k) of more than two classes from decision values (…, pairs).

        Parameters
        ----------
        decisions : ndarray of float
            Decision values of the pairs' machines, on the last axis.
        machines : Machines
            Exact or Nyström's machines.
        """

    def class_shifts(self, item: Replaced, machines: Machines) -> FloatArray:
        """Return half the mean shifts of all classes' probabilities, added up.

        Parameters
        ----------
        item : Replaced
            Decision values before and after.
        machines : Machines
            Exact or Nyström's machines.

        Returns
        -------
        ndarray of float
            Half the mean shifts of all classes' probabilities, added up.
        """
        before = self.probabilities(item.before, machines)
        shift = self.probabilities(item.after, machines) - before[:, None]
        return 0.5 * (item.share @ np.abs(shift).sum(axis=-1))


class _Platt:
    """Shifts of Platt's probabilities."""

    def _sigmoids(self, machines: Machines) -> Sequence[Sigmoid]:
        """Return the sigmoid of each machine."""
        return machines.sigmoids

    def probabilities(self, decisions: FloatArray, machines: Machines) -> FloatArray:
        """Return Platt's probabilities, coupled."""
        return probabilities(machines, decisions, self._sigmoids(machines))

    def binary_shifts(self, item: Replaced, machines: Machines) -> FloatArray:
        """Return the mean shifts of Platt's probability."""
        sigmoid = self._sigmoids(machines)[0]
        return sigmoid_shifts(sigmoid, item.before[:, 0], item.after[..., 0], item.share)


class FSPP1(Shift):
    """Share of the samples whose predicted class changes when the feature is permuted.

    ``1/n Σ_j |φ(f(x_j)) − φ(f(x₍ᵢ₎,j))|``, φ the threshold at 0.  (The paper's (20) misplaces a
    parenthesis.)  Of more than two classes the one with the most votes is predicted; where several have as
    many, each counts in equal parts, so that the order of the classes means nothing.
    Cost: the one-feature response, O(n m d) times the orders of its series.

    Parameters
    ----------
    n_permutations : int or "all", default=1
        1 as in the paper; more lower the noise; ``"all"`` averages over all n replacement values of
        every sample and is deterministic.
    evaluate_on : {"training", "held-out"}, default="training"
        ``"training"`` samples as in the paper, or ``"held-out"`` ones of 5 folds.

    See Also
    --------
    svmsieve.criteria.FSPP2 : Mean shift of Platt's probability when the feature is permuted.
    svmsieve.criteria.FSPP3 : Mean shift of Platt's probability when the sample's feature is set to
        zero.
    svmsieve.criteria.FSPP4 : Mean absolute derivative of Platt's probability with respect to a
        scaling of the feature.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import FSPP1
    >>> from svmsieve.datasets import make_weston_nonlinear
    >>> X, y = make_weston_nonlinear(60, 6, random_state=0)
    >>> rank(X, y, FSPP1(), SVC(C=10)).order[:2].tolist()
    [0, 1]
    """

    name: ClassVar[str] = "fspp1"
    paper: ClassVar[str] = "Shen et al. 2008, eq. (20)"

    def __init__(
        self, n_permutations: Permutations = 1, evaluate_on: EvaluateOn = "training"
    ) -> None:
        self.n_permutations = n_permutations
        self.evaluate_on = evaluate_on

    def probabilities(self, decisions: FloatArray, machines: Machines) -> FloatArray:
        """Return 1 for the class with the most votes and 0 for the others; of equal ones each its share."""
        assert isinstance(machines.target, Classes)
        n_classes = len(machines.target.classes)
        votes = votes_of(decisions.reshape(-1, decisions.shape[-1]), n_classes)
        wins = votes == votes.max(axis=1, keepdims=True)
        return (wins / wins.sum(axis=1, keepdims=True)).reshape(*decisions.shape[:-1], n_classes)

    def binary_shifts(self, item: Replaced, machines: Machines) -> FloatArray:
        """Return the shares of the samples that change sides."""
        return sign_changes(item.before[:, 0], item.after[..., 0], item.share)


class FSPP2(_Platt, Shift):
    """Mean shift of Platt's probability when the feature is permuted.

    ``1/n Σ_j |p̂(c|x_j) − p̂(c|x₍ᵢ₎,j)|``, p̂ = 1/(1 + exp(A f + B)).  Parameters and cost as for
    :class:`FSPP1`; more than two classes add O(k³) for each sample and feature.  A and B take five more
    trainings; with a ``slope`` of one's own they take none.

    Parameters
    ----------
    n_permutations : int or "all", default=1
        One permutation, as in the paper; more lower the noise; ``"all"`` averages over all n
        replacement values of every sample and is deterministic.
    evaluate_on : {"training", "held-out"}, default="training"
        ``"training"`` samples as in the paper, or ``"held-out"`` ones of 5 folds.
    slope : float or None, default=None
        None fits A and B, as in the paper; a number is −A, with B = 0.  The sieve's own rankings take 2,
        with which a sample at the margin has a probability of 0.88.

    See Also
    --------
    svmsieve.criteria.FSPP1 : Share of the samples whose predicted class changes when the feature is
        permuted.
    svmsieve.criteria.FSPP3 : Mean shift of Platt's probability when the sample's feature is set to
        zero.
    svmsieve.criteria.SDGauss : Mean divergence of normal densities with and without the feature.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import FSPP2
    >>> from svmsieve.datasets import make_weston_nonlinear
    >>> X, y = make_weston_nonlinear(60, 6, random_state=0)
    >>> rank(X, y, FSPP2(), SVC(C=10)).order[:2].tolist()
    [0, 1]
    """

    name: ClassVar[str] = "fspp2"
    needs_probabilities = True
    paper: ClassVar[str] = "Shen et al. 2008, eq. (21)"

    def __init__(
        self,
        n_permutations: Permutations = 1,
        evaluate_on: EvaluateOn = "training",
        slope: float | None = None,
    ) -> None:
        self.n_permutations = n_permutations
        self.evaluate_on = evaluate_on
        self.slope = None if slope is None else check_positive(slope, "slope")
        self.needs_probabilities = slope is None

    def _sigmoids(self, machines: Machines) -> Sequence[Sigmoid]:
        """Return Platt's sigmoids, or those of the slope."""
        if self.slope is None:
            return machines.sigmoids
        return [Sigmoid(-self.slope, 0.0)] * len(machines.expansions)


class FSPP3(_Platt, Shift):
    """Mean shift of Platt's probability when the sample's feature is set to zero.

    ``1/n Σ_j |p̂(c|x_j) − p̂(c|v₋ᵢx_j)|``; zero is the mean of standardised data.  Cost as for
    :class:`FSPP1`.

    See Also
    --------
    svmsieve.criteria.FSPP2 : Mean shift of Platt's probability when the feature is permuted.
    svmsieve.criteria.FSPP4 : Mean absolute derivative of Platt's probability with respect to a
        scaling of the feature.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import FSPP3
    >>> from svmsieve.datasets import make_weston_nonlinear
    >>> X, y = make_weston_nonlinear(60, 6, random_state=0)
    >>> rank(X, y, FSPP3(), SVC(C=10)).order[:2].tolist()
    [0, 1]
    """

    name: ClassVar[str] = "fspp3"
    needs_probabilities = True
    paper: ClassVar[str] = "Shen et al. 2008, eq. (23)"

    replaces_by_zero: ClassVar[bool] = True
