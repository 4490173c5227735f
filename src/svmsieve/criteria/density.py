"""Sensitivity of the density of an SVR's predictions to a feature (SD, Yang & Ong 2010).

    S(i) = ∫ KL(p(y|x); p(y|x₋ᵢ)) p(x) dx                                                        (14)

with y = f(x) + noise of scale σ, Laplace or Gauss; the density without feature i is that of the same
machine with the feature permuted, f₍ᵢ₎ and σ₍ᵢ₎.  The constant the paper drops is kept, so a feature
without any effect scores exactly zero.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import ClassVar, TypeAlias

import numpy as np

from svmsieve.criteria.answers import Answers, Replaced
from svmsieve.criteria.contract import REGRESSION, ResponseCriterion, Task
from svmsieve.criteria.drivers import EvaluateOn, Permutations, Responses
from svmsieve.criteria.material import Machines
from svmsieve.engine.arrays import FloatArray

Spread: TypeAlias = float | FloatArray


_SMALL = 0.2
"""Argument below which a few terms of a series are more exact than what cancels."""


def _above_log(spread: Spread, new_spread: Spread) -> FloatArray:
    """Return ``r − 1 − ln r`` of the ratio r of two spreads, to all digits where they are nearly equal.

    With e = r − 1 and t = e/(2 + e) it is 2t²/(1 − t) − 2(t³/3 + t⁵/5 + …).
    """
    e = np.asarray((spread - new_spread) / new_spread)
    t = e / (2.0 + e)
    small = np.abs(t) < _SMALL
    t = np.where(small, t, 0.0)
    square = t * t
    series = np.zeros_like(t)
    for power in range(23, 1, -2):
        series = square * (series + 1.0 / power)
    near = 2.0 * t * t / (1.0 - t) - 2.0 * t * series
    # Of a machine that meets its target to the last digit r is far below what 1 + e can hold.
    tiny = e < -0.9
    log = np.where(tiny, np.log(spread / new_spread), np.log1p(np.where(tiny, 0.0, e)))
    return np.asarray(np.where(small, near, e - log))


def _above_line(t: FloatArray) -> FloatArray:
    """Return ``exp(−t) − 1 + t`` for t ≥ 0, to all digits where t is small: t²/2 − t³/6 + …"""
    small = np.where(t < _SMALL, t, 0.0)
    series = np.zeros_like(t)
    for power in range(13, 1, -1):
        series = (1.0 - series) * small / power
    return np.asarray(np.where(t < _SMALL, small * series, np.expm1(-t) + t))


def beyond_rounding(divergences: FloatArray) -> FloatArray:
    """Return divergences without those of shifts that are rounding: they are of second order in them."""
    return np.where(divergences > 1e-28, divergences, 0.0)


class Density(ResponseCriterion):
    """Mean divergence between the densities with and without a feature."""

    tasks: ClassVar[frozenset[Task]] = REGRESSION

    def __init__(
        self,
        n_permutations: Permutations = 1,
        symmetric: bool = False,
        evaluate_on: EvaluateOn = "training",
    ) -> None:
        self.n_permutations = n_permutations
        self.symmetric = symmetric
        self.evaluate_on = evaluate_on

    @abstractmethod
    def size(self, residuals: FloatArray) -> FloatArray:
        """Return what is averaged to give the scale: |r| or r².

        Parameters
        ----------
        residuals : ndarray of float
            Differences between the target and f.
        """

    @abstractmethod
    def divergence(self, shift: FloatArray, spread: Spread, new_spread: Spread) -> FloatArray:
        """Return KL(p; q) for a shift of f, given the averages of ``size`` before and after.

        Parameters
        ----------
        shift : ndarray of float
            Change of f.
        spread : float or ndarray of float
            Mean size of the residuals with the feature.
        new_spread : float or ndarray of float
            The same without it.
        """

    def of_responses(self, responses: Responses) -> FloatArray:
        """Return the mean divergences: first the scales with and without features, then what they define."""
        responses = responses.kept()
        floor = self.floor(responses.largest(self.size))
        spread = max(responses.over_samples(self._size_as_it_is), floor)
        new_spread = np.maximum(responses.over_replaced(self._size_without), floor)
        part = partial(self.accumulate, spread=spread, new_spread=new_spread)
        return beyond_rounding(responses.over_replaced(part))

    def _size_as_it_is(self, answers: Answers, machines: Machines) -> float:
        return float(answers.share @ self.size(answers.truth - answers.before[:, 0]))

    def _size_without(self, item: Replaced, machines: Machines) -> FloatArray:
        return item.share @ self.size(item.truth[:, None] - item.after[..., 0])

    def accumulate(
        self,
        item: Replaced,
        machines: Machines,
        spread: float = 1.0,
        new_spread: FloatArray | None = None,
    ) -> FloatArray:
        """Return what some samples add to the mean divergences, given the scales."""
        assert new_spread is not None
        shift = item.after[..., 0] - item.before
        return item.share @ self.divergences(shift, spread, new_spread[item.which])

    @staticmethod
    def floor(largest: float) -> float:
        """Return the least scale that is no rounding, given the largest size of the target.

        Parameters
        ----------
        largest : float
            Largest size of a residual.

        Returns
        -------
        float
            The least scale that is no rounding, given the largest size of the target.
        """
        return float(np.finfo(np.float64).tiny ** 0.5 + 1e-24 * largest)

    def divergences(self, shift: FloatArray, spread: Spread, new_spread: Spread) -> FloatArray:
        """Return the divergence for a shift of f, in both directions where it is symmetric.

        Parameters
        ----------
        shift : ndarray of float
            Change of f.
        spread : Spread
            Mean size of the residuals with the feature.
        new_spread : Spread
            The same without it.

        Returns
        -------
        ndarray of float
            The divergence for a shift of f, in both directions where it is symmetric.
        """
        value = self.divergence(shift, spread, new_spread)
        if self.symmetric:
            value = 0.5 * (value + self.divergence(shift, new_spread, spread))
        return value


class SDLaplace(Density):
    """Mean divergence of Laplace densities with and without the feature.

    ``σ/σ₍ᵢ₎ exp(−|δ|/σ) + |δ|/σ₍ᵢ₎ + ln(σ₍ᵢ₎/σ) − 1``, δ = f − f₍ᵢ₎, averaged over the samples; σ is the
    mean of ``|y − f|``.  Cost: the one-feature response, O(n m d) times the orders of its series.

    Parameters
    ----------
    n_permutations : int or "all", default=1
        1 as in the paper; more lower the noise; ``"all"`` averages over all n replacement values of
        every sample and is deterministic.
    symmetric : bool, default=False
        Use ½[KL(p;q) + KL(q;p)] instead of KL(p;q) (the paper's Remark 2).
    evaluate_on : {"training", "held-out"}, default="training"
        ``"training"`` samples as in the paper, or ``"held-out"`` ones of 5 folds.

    See Also
    --------
    svmsieve.criteria.SDGauss : Mean divergence of normal densities with and without the feature.
    svmsieve.criteria.FSPP2 : Mean shift of Platt's probability when the feature is permuted.

    Examples
    --------
    >>> from sklearn.svm import SVR
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import SDLaplace
    >>> from svmsieve.datasets import make_yang
    >>> X, y = make_yang(60, 8, random_state=0)
    >>> rank(X, y, SDLaplace(), SVR(C=10)).order[:3].tolist()
    [1, 0, 2]
    """

    name: ClassVar[str] = "sd-laplace"
    paper: ClassVar[str] = "Yang & Ong 2010, eq. (18), (19)"

    def size(self, residuals: FloatArray) -> FloatArray:
        """Return |r|."""
        return np.abs(residuals)

    def divergence(self, shift: FloatArray, spread: Spread, new_spread: Spread) -> FloatArray:
        """Return the divergence of two Laplace densities."""
        gap = np.abs(shift) / spread
        return spread / new_spread * _above_line(gap) + _above_log(spread, new_spread)


class SDGauss(Density):
    """Mean divergence of normal densities with and without the feature.

    ``½[δ²/σ₍ᵢ₎² + σ²/σ₍ᵢ₎² + 2 ln(σ₍ᵢ₎/σ) − 1]``, δ = f − f₍ᵢ₎, averaged over the samples; σ² is the mean of
    (y − f)².  Cost: the one-feature response, O(n m d) times the orders of its series.  Parameters
    as for :class:`SDLaplace`.

    Parameters
    ----------
    n_permutations : int or "all", default=1
        One permutation, as in the paper; more lower the noise; ``"all"`` averages over all n
        replacement values of every sample and is deterministic.
    symmetric : bool, default=False
        Use ½[KL(p;q) + KL(q;p)] instead of KL(p;q) (the paper's Remark 2).
    evaluate_on : {"training", "held-out"}, default="training"
        ``"training"`` samples as in the paper, or ``"held-out"`` ones of 5 folds.

    See Also
    --------
    svmsieve.criteria.SDLaplace : Mean divergence of Laplace densities with and without the feature.
    svmsieve.criteria.FSPP2 : Mean shift of Platt's probability when the feature is permuted.

    Examples
    --------
    >>> from sklearn.svm import SVR
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import SDGauss
    >>> from svmsieve.datasets import make_yang
    >>> X, y = make_yang(60, 8, random_state=0)
    >>> rank(X, y, SDGauss(), SVR(C=10)).order[:3].tolist()
    [1, 0, 2]
    """

    name: ClassVar[str] = "sd-gauss"
    paper: ClassVar[str] = "Yang & Ong 2010, eq. (20), (21)"

    def size(self, residuals: FloatArray) -> FloatArray:
        """Return r²."""
        return residuals**2

    def divergence(self, shift: FloatArray, spread: Spread, new_spread: Spread) -> FloatArray:
        """Return the divergence of two normal densities."""
        return 0.5 * (shift**2 / new_spread + _above_log(spread, new_spread))
