"""A grid of C, γ and ε with its cross-validated scores, and which of its points to take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from svmsieve.engine.arrays import BoolArray, FloatArray
from svmsieve.engine.kernels.kernel import Kernel

TuningRule: TypeAlias = Literal["best", "1se"]
"""Which point of the grid to take: the best, or the smoothest within one standard error of it."""


@dataclass(frozen=True)
class Grid:
    """The points of a grid: all of its C with all of its γ (and ε)."""

    C: Sequence[float]
    gamma: Sequence[float]
    """Not looked at for a linear kernel."""
    epsilon: Sequence[float] = (0.0,)
    """Of an SVR."""
    kernel: Kernel | None = None
    """An RBF or polynomial kernel whose γ is replaced by those of the grid, or a linear one (only C is
    tuned); None is RBF."""


def _roughness(point: Sequence[int]) -> tuple[int, int, int]:
    """Sort key of points (γ, ε, C): the smaller C, then γ, then the larger ε, the smoother."""
    return point[2], point[0], -point[1]


@dataclass(frozen=True)
class Tuning:
    """The grid, its cross-validated scores and the best point."""

    C: FloatArray
    gamma: FloatArray
    epsilon: FloatArray
    """Values of ε; a single zero for an SVC."""
    fold_scores: FloatArray
    """Score of each fold, shape (gamma, epsilon, C, folds), higher is better."""
    converged: Any
    """Whether all folds converged, shape (gamma, epsilon, C)."""
    scored: bool = False
    """Whether the scores are by the measure of the selection, in the target's own units; else they are the
    papers': balanced accuracy, or the negative squared error of the target as the machine saw it."""

    def in_units(self, deviation: float) -> Tuning:
        """Return the grid of a standardised target in the target's own units.

        ε and squared errors change with them; C remains that of the standardised target, and so do scores
        that are in these units already.
        """
        factor = 1.0 if self.scored else deviation**2
        return replace(
            self, epsilon=self.epsilon * deviation, fold_scores=self.fold_scores * factor
        )

    @property
    def scores(self) -> FloatArray:
        """Mean score over the folds, shape (gamma, epsilon, C)."""
        return self.fold_scores.mean(axis=-1)

    @property
    def best_index(self) -> tuple[int, int, int]:
        """Best point; among equal scores the smoothest: smallest C, then γ, then largest ε."""
        # A score that is undefined on some fold cannot win.
        scores = np.where(np.isnan(self.scores), -np.inf, self.scores)
        best = scores.max()
        ties = np.argwhere(scores >= best - 1e-12 * abs(best))
        g, e, c = min(ties.tolist(), key=_roughness)
        return g, e, c

    def best_points(self, n: int) -> BoolArray:
        """Return which points are the best ``n``: of equal ones the smoothest, none without a score."""
        scores = np.where(np.isnan(self.scores), -np.inf, self.scores)
        g, e, c = np.indices(scores.shape).reshape(3, -1)
        order = np.lexsort((-e, g, c, -scores.ravel()))
        best = np.zeros(self.scores.shape, dtype=np.bool_)
        best.flat[order[:n]] = True
        return best & ~np.isnan(self.scores)

    @property
    def smoothest_index(self) -> tuple[int, int, int]:
        """The smoothest point, as above, whose score is within one standard error of the best.

        The standard error is that of the best score over the folds.  Where most features are noise
        hundreds of points score alike, and the best of them is the best by chance.
        """
        if np.isnan(self.best_score):  # no point has a score
            return self.best_index
        folds = self.fold_scores[self.best_index]
        error = folds.std(ddof=1) / np.sqrt(len(folds)) if len(folds) > 1 else 0.0
        near = np.argwhere(self.scores >= self.best_score - error)
        g, e, c = min(near.tolist(), key=_roughness)
        return g, e, c

    def index(self, rule: TuningRule) -> tuple[int, int, int]:
        """The point that a rule chooses."""
        return self.best_index if rule == "best" else self.smoothest_index

    @property
    def best_C(self) -> float:
        """C of the best point."""
        return float(self.C[self.best_index[2]])

    @property
    def best_gamma(self) -> float:
        """γ of the best point."""
        return float(self.gamma[self.best_index[0]])

    @property
    def best_epsilon(self) -> float:
        """ε of the best point."""
        return float(self.epsilon[self.best_index[1]])

    @property
    def best_score(self) -> float:
        """Mean score of the best point."""
        return float(self.scores[self.best_index])
