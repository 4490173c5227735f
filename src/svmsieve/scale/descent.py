"""The way of one machine to its optimum: finite Newton from sums over the rows, wherever these are added up.

:mod:`svmsieve.scale.nystroem` states the problem, and adds up what is asked for here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.machines.expansion import Expansion
from svmsieve.scale.landmarks import LandmarkSpace

MAX_PASSES = 60
"""Passes over the rows after which a machine is given up."""
STEPS = np.concatenate([np.arange(16, 0, -1) / 16.0, 0.5 ** np.arange(5.0, 13.0)])
"""Shares of the way to the Newton point at which the objective is looked at."""
_ROUNDING = 1e-13
"""Relative fall of the objective below which only rounding is left."""
_LITTLE = 1e-8
"""Relative fall on the way to a Newton point after which the rows need not be looked at again: what is left
then is of the order of its square."""


Question: TypeAlias = Literal["whole", "change", "way"]
"""What a pass adds up for a machine: its sums at a point, what they change by on the way from another one, or
the objective along that way."""


@dataclass(frozen=True)
class Solution:
    """A machine in the landmarks' space, with the sums at its optimum."""

    w: FloatArray
    intercept: float
    H: FloatArray
    g: FloatArray
    base: FloatArray
    """Weights and intercept whose rows with a loss are those of the sums."""
    objective: float
    n_passes: int
    converged: bool

    @property
    def theta(self) -> FloatArray:
        """Weights and intercept."""
        return np.append(self.w, self.intercept)

    def expansion(self, space: LandmarkSpace) -> Expansion:
        """Return the machine as an expansion over the landmarks."""
        return Expansion(space.kernel, space.centers, space.coef(self.w), self.intercept)


def newton_point(H: FloatArray, g: FloatArray, intercept: float) -> FloatArray:
    """Solve ``(I₀ + H) θ = g``; where no row has a loss the intercept stays as it is."""
    system = H.copy()
    diagonal = system.ravel()[:: len(system) + 1]
    diagonal[:-1] += 1.0
    right = g.copy()
    if diagonal[-1] == 0.0:
        diagonal[-1], right[-1] = 1.0, intercept
    try:
        return cho_solve(cho_factor(system, overwrite_a=True, check_finite=False), right)
    except LinAlgError:
        raise ValueError(
            "C times the number of rows is too large for double precision; lower C, or standardise the "
            "columns."
        ) from None


class Descent:
    """One machine on its way to the optimum."""

    def __init__(self, space: LandmarkSpace, theta: FloatArray | None = None) -> None:
        self.space = space
        self.start = self.end = np.zeros(space.n_dimensions + 1) if theta is None else theta
        self.question: Question = "whole"
        self.H = self.g = np.zeros(0)
        self.objective = np.inf
        self.n_passes = 0
        self.solution: Solution | None = None

    @classmethod
    def with_other_C(cls, space: LandmarkSpace, solution: Solution, factor: float) -> Descent:
        """Set out from the machine of another C, whose sums there are known.

        Which rows have a loss at a point does not depend on C: the sums are C times something.
        """
        descent = cls(space, solution.base)
        descent.H, descent.g = factor * solution.H, factor * solution.g
        norm = 0.5 * float(solution.base[:-1] @ solution.base[:-1])
        descent.objective = factor * (solution.objective - norm) + norm
        descent._set_out()
        return descent

    def ends(self) -> tuple[FloatArray, FloatArray]:
        """Coefficients and intercept at both ends of the way."""
        start, end = (
            np.append(self.space.coef(theta[:-1]), theta[-1]) for theta in (self.start, self.end)
        )
        return start, end

    def take(self, H: FloatArray, g: FloatArray, losses: FloatArray, n_changed: float) -> None:
        """Go on with what a pass answered: to the next Newton point, or back where that was too far."""
        self.n_passes += 1
        if self.question == "way":
            self._shorten(losses)
            return
        objective = float(losses[0] + 0.5 * self.end[:-1] @ self.end[:-1])
        fell = self.objective - objective
        if self.question == "change" and fell < -_ROUNDING * abs(objective):
            self.question = "way"
            return
        if self.question == "whole":
            self.H, self.g = H, g
        else:
            self.H, self.g = self.H + H, self.g + g
        self.objective, self.start = objective, self.end
        optimal = self.question == "change" and (n_changed == 0 or fell <= _ROUNDING * objective)
        if optimal or self.n_passes >= MAX_PASSES:
            self._end(optimal)
            return
        self._set_out()

    def _set_out(self) -> None:
        """Set out to the Newton point; where the objective falls by little on the way, it is the end."""
        self.question = "change"
        self.end = newton_point(self.H, self.g, float(self.start[-1]))
        if self._fall() <= _LITTLE * self.objective:
            self._end(True)

    def _shorten(self, losses: FloatArray) -> None:
        """Set out again from the best point of the way."""
        points = self.start[:-1] + STEPS[:, None] * (self.end - self.start)[:-1]
        best = int((losses + 0.5 * np.einsum("ij,ij->i", points, points)).argmin())
        self.start = self.end = self.start + STEPS[best] * (self.end - self.start)
        self.question, self.objective = "whole", np.inf

    def _fall(self) -> float:
        """By how much the objective falls on the way to the Newton point, if no row changes sides."""
        way = self.end - self.start
        return 0.5 * float(way @ self.H @ way + way[:-1] @ way[:-1])

    def _end(self, converged: bool) -> None:
        theta = self.end
        self.solution = Solution(
            theta[:-1],
            float(theta[-1]),
            self.H,
            self.g,
            self.start,
            self.objective,
            self.n_passes,
            converged,
        )
