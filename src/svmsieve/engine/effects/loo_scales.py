"""Scales of the features at which kernel ridge regression errs least on samples left out.

The kernel has a scale for each feature (or group), ``K_kl = exp(−Σ_i θ_i (z_ki − z_li)²)``.  With
``H = K + 11' + λ diag(1/w)``, ``G = H⁻¹`` and ``A = GY`` the residual of sample j, left out, is known without
training again: ``r_j = A_j/G_jj`` (Allen 1974; Cawley & Talbot 2004), and so is the slope of its square,

    L = Σ_j w_j |r_j|² / Σ_j w_j,       ∂L/∂H = (2/Σw) (G diag(s) G − ½(GDA' + AD'G)),
    D_j = w_j A_j/G_jj²,                s_j = w_j |A_j|²/G_jj³,

from which those in log θ_i are sums over pairs (:mod:`svmsieve.engine.effects.pair_sums`).  Minimised is

    log L + Σ_i (log θ_i − log θ_0)²/(n σ²),

over log θ and log λ by L-BFGS (the scaling of Bo, Wang & Jiao 2006, for any target): a feature that says
nothing, or what others say already, loses its scale.  The second term is a Gaussian prior about the start:
few samples cannot move many scales for what they happen to say.
O(n³ + n² d) a step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg as sl
import scipy.sparse as sp
from scipy.optimize import minimize

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix
from svmsieve.engine.effects.pair_sums import slope_sums
from svmsieve.engine.kernels.kernel import RBF, squared_distances

START_SCALES = (1 / 16, 1 / 4, 1.0, 4.0)
"""Scales to start from, the same for all features, relative to one over the sum of their variances."""
START_RIDGES = (1e-3, 1e-2, 0.03, 0.1, 0.3, 1.0, 3.0)
_LEAST, _MOST = -14.0, 3.0
"""Bounds of log θ times the mean variance of a unit."""
_LEAST_RIDGE, _MOST_RIDGE = -8.0, 3.0
"""Bounds of log λ."""
SPREAD = 2.0
"""Standard deviation of log θ about its start, before anything is seen."""
_KERNEL = RBF(1.0)


class LeaveOneOut(NamedTuple):
    """The squared error of samples left out, and what it depends on.

    Attributes
    ----------
    error : L
    slopes : ∂L/∂H, shape (samples, samples)
    dual : A, shape (samples, columns of the target)
    """

    error: float
    slopes: FloatArray
    dual: FloatArray

    @classmethod
    def of(cls, K: FloatArray, Y: FloatArray, ridge: float, weights: FloatArray) -> LeaveOneOut:
        """Return them for a kernel matrix, the target's columns (mean zero), λ and positive weights."""
        H = K + 1.0
        H.flat[:: len(H) + 1] += ridge / weights
        factor, _ = sl.lapack.dpotrf(H, lower=1)
        inverse, _ = sl.lapack.dpotri(factor, lower=1)
        G = _whole(inverse)
        diagonal = G.diagonal()
        A = G @ Y
        residuals = A / diagonal[:, None]
        shares = weights / weights.sum()
        D = (shares / diagonal)[:, None] * residuals
        s = shares * (residuals**2).sum(axis=1) / diagonal
        outer = (G @ D) @ A.T
        squares = sl.blas.dsyrk(2.0, np.multiply(G, np.sqrt(s), order="F"), lower=1)
        slopes = _whole(squares) - outer - outer.T
        return cls(float(shares @ (residuals**2).sum(axis=1)), slopes, A)


def _whole(lower: FloatArray) -> FloatArray:
    """Return the symmetric matrix of a lower triangle, of a matrix that is zero above."""
    whole = lower + lower.T
    whole.flat[:: len(whole) + 1] *= 0.5
    return whole


@dataclass(frozen=True)
class Scales:
    """Scales of units, the ridge, and what they come to.

    Attributes
    ----------
    theta : of each unit
    ridge : λ
    error : of the samples left out
    dual : A
    """

    theta: FloatArray
    ridge: float
    error: float
    dual: FloatArray


@dataclass(frozen=True)
class ScaledRidge:
    """Kernel ridge regression whose kernel has a scale for each unit of columns.

    Attributes
    ----------
    X : samples × columns
    Y : the target's columns, mean zero
    weights : of the samples, positive
    unit_of : the unit of each column
    """

    X: Matrix
    Y: FloatArray
    weights: FloatArray
    unit_of: IntArray

    @property
    def n_units(self) -> int:
        """Number of units."""
        return int(self.unit_of.max()) + 1

    @cached_property
    def variance(self) -> float:
        """Sum of the variances of all columns, half of the mean squared distance."""
        shares = self.weights / self.weights.sum()
        variance = 0.5 * float(shares @ squared_distances(self.X, self.X) @ shares)
        return variance if variance > 0.0 else 1.0

    def scaled(self, theta: FloatArray) -> Matrix:
        """Return the samples whose plain kernel is that of the scales."""
        factors = np.sqrt(theta)[self.unit_of]
        return self.X @ sp.diags_array(factors) if sp.issparse(self.X) else self.X * factors

    def of_units(self, units: IntArray) -> ScaledRidge:
        """Return the same with some of the units only."""
        columns = np.flatnonzero(np.isin(self.unit_of, units))
        return replace(
            self, X=self.X[:, columns], unit_of=np.searchsorted(units, self.unit_of[columns])
        )

    def at(self, theta: FloatArray, ridge: float) -> tuple[LeaveOneOut, FloatArray, float]:
        """Return the error, and its slopes in log θ and in log λ."""
        Z = self.scaled(theta)
        base = squared_distances(Z, Z)
        found = LeaveOneOut.of(_KERNEL.of_base(base), self.Y, ridge, self.weights)
        # x_i scaled by v has the scale v²: half of the slope in v at 1 is that in log θ
        of_columns = 0.5 * slope_sums(_KERNEL, found.slopes, Z, base=base)
        slopes = np.zeros(self.n_units)
        np.add.at(slopes, self.unit_of, of_columns)
        return found, slopes, float(ridge * (found.slopes.diagonal() / self.weights).sum())

    def start(self) -> tuple[float, float]:
        """Return the one scale of all units and the λ of a small grid that err least."""
        base, roots = squared_distances(self.X, self.X), np.sqrt(self.weights)
        one = 1.0 / self.variance
        best = (np.inf, one, 1.0)
        for scale in START_SCALES:
            # λ diag(1/w) becomes λI where rows and columns are multiplied by √w
            H = (RBF(scale * one).of_base(base) + 1.0) * roots * roots[:, None]
            values, vectors = np.linalg.eigh(H)
            turned, squares = vectors.T @ (roots[:, None] * self.Y), vectors**2
            for ridge in START_RIDGES:
                shrunk = 1.0 / (np.maximum(values, 0.0) + ridge)
                A = vectors @ (shrunk[:, None] * turned)
                # rows of √w A over those of wG: √w r
                error = ((A / (squares @ shrunk)[:, None]) ** 2).sum()
                best = min(best, (float(error), scale * one, ridge))
        return best[1:]

    def objective(
        self,
        parameters: FloatArray,
        start: FloatArray,
        seen: dict[bytes, LeaveOneOut] | None = None,
    ) -> tuple[float, FloatArray]:
        """Return what is minimised, and its slopes, at some log θ and log λ (the last) from a start.

        ``seen`` keeps what the last parameters came to.
        """
        values, moved = np.exp(parameters), parameters - start
        moved[-1] = 0.0  # a λ is one number, which the samples know
        found, slopes, of_ridge = self.at(values[:-1], values[-1])
        if seen is not None:
            seen.clear()
            seen[parameters.tobytes()] = found
        n = (
            self.weights.sum() ** 2 / (self.weights**2).sum()
        )  # samples, as far as their weights let them count
        floor, strength = max(found.error, 1e-300), 1.0 / (n * SPREAD**2)
        total = np.log(floor) + strength * (moved @ moved)
        return float(total), np.append(slopes, of_ridge) / floor + 2.0 * strength * moved

    def minimised(self, theta: FloatArray, ridge: float, n_steps: int) -> Scales:
        """Follow L-BFGS from a start for some steps."""
        unit = np.log(len(theta) / self.variance)  # one over the mean variance of a unit
        bounds = [(_LEAST + unit, _MOST + unit)] * len(theta) + [(_LEAST_RIDGE, _MOST_RIDGE)]
        start = np.clip(np.log(np.append(theta, ridge)), *np.transpose(bounds))
        how: Any = {"jac": True, "bounds": bounds, "options": {"maxiter": n_steps}}
        seen: dict[bytes, LeaveOneOut] = {}
        found = minimize(self.objective, start, args=(start, seen), method="L-BFGS-B", **how)
        values = np.exp(found.x)
        last = seen.get(found.x.tobytes())
        if last is None:  # the search went further, and came back
            last = self.at(values[:-1], values[-1])[0]
        return Scales(values[:-1], float(values[-1]), last.error, last.dual)
