"""The Nyström machine: a squared-loss SVM in the span of landmarks, linear in the number of rows.

    min_{w,b}  ½‖w‖² + ½ Σ_i C_i ℓ(y_i, w'φ(x_i) + b)²

    ℓ = max(0, 1 − y f)        squared-hinge SVC, one machine for each pair of classes
    ℓ = max(0, |y − f| − ε)    squared-ε SVR

The objective is piecewise quadratic.  With A the rows of positive loss, its Newton point solves

    (I₀ + Σ_A C_i φ̃_i φ̃_i') θ = Σ_A C_i φ̃_i t_i,    φ̃ = (φ, 1), θ = (w, b), I₀ without the intercept,

t = y for classes and y ∓ ε for numbers: finite Newton (Mangasarian 2002; Keerthi & DeCoste 2005), which ends
when the Newton point's own set is A.  The first pass over the rows adds up these m × m matrices, O(n m d +
|A| m²); those that follow add what the rows that changed sides since change in them, little more than
O(n m d).  Where a step goes too far, which a pass sees by the objective, another one finds how far is best.
About five passes; the memory depends on m, not on n.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.machines.expansion import Expansion
from svmsieve.runtime.threads import in_threads, rows_product
from svmsieve.scale.chunks import Chunk, Chunks
from svmsieve.scale.landmarks import LandmarkSpace
from svmsieve.scale.losses import Losses

MAX_PASSES = 60
"""Passes over the rows after which a machine is given up."""
ROWS_BUDGET = 64 * 2**20
"""Bytes of the kernel values and coordinates of the rows that are worked on at a time."""
MATRIX_BUDGET = 256 * 2**20
"""Bytes of the machines' matrices that are added up at a time."""
_STEPS = np.concatenate([np.arange(16, 0, -1) / 16.0, 0.5 ** np.arange(5.0, 13.0)])
"""Shares of the way to the Newton point at which the objective is looked at."""
_PART = 256
"""Columns of a matrix of cross products that one thread computes at a time."""
_ROUNDING = 1e-13
"""Relative fall of the objective below which only rounding is left."""
_LITTLE = 1e-8
"""Relative fall on the way to a Newton point after which the rows need not be looked at again: what is left
then is of the order of its square."""


Question: TypeAlias = Literal["whole", "change", "way"]
"""What a pass adds up for a machine: its sums at a point, what they change by on the way from another one, or
the objective along that way."""


class Sums(NamedTuple):
    """What a pass adds up, for each machine."""

    H: FloatArray
    """Σ_A C φ̃φ̃', shape (machines, dimensions + 1, dimensions + 1), or what it changes by."""
    g: FloatArray
    """Σ_A C φ̃ t, or what it changes by."""
    losses: FloatArray
    """½ Σ C ℓ² at each share of the way; at its end alone, but where the way is asked for."""
    n_changed: FloatArray
    """Rows that pull one way at one end and another way, or not at all, at the other."""


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


def cross_products(S: FloatArray) -> FloatArray:
    """Return ``S'S``: the upper half in parts of fixed shape, in threads, mirrored."""
    r = S.shape[1]
    out = np.zeros((r, r))

    def compute(start: int) -> None:
        stop = min(start + _PART, r)
        out[:stop, start:stop] = S[:, :stop].T @ S[:, start:stop]

    in_threads(compute, range(0, r, _PART), float(S.shape[0]) * r * r)
    lower = np.tril_indices(r, -1)
    out[lower] = out.T[lower]
    return out


def row_blocks(n: int, n_columns: int) -> list[slice]:
    """Return parts of a chunk whose kernel values and coordinates fit into their budget."""
    size = max(1, int(ROWS_BUDGET / (8 * 4 * max(n_columns, 1))))
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def newton_sums(
    chunk: Chunk,
    space: LandmarkSpace,
    losses: Losses,
    pairs: Sequence[tuple[int, int]],
    questions: Sequence[Question],
    start: FloatArray,
    end: FloatArray,
) -> Sums:
    """Add up one chunk.  ``start`` and ``end`` hold (coefficients, intercept) of each machine in columns.

    Coordinates, O(m²) a row, are computed for rows with a loss only, and on the way from one point to
    another only for the rows that change sides.
    """
    r, n_pairs = space.n_dimensions + 1, len(pairs)
    H, g = np.zeros((n_pairs, r, r)), np.zeros((n_pairs, r))
    along, changed = np.zeros((n_pairs, len(_STEPS))), np.zeros(n_pairs)
    all_codes = losses.codes(chunk.y)
    all_bounds = losses.bounds(all_codes, chunk.copies)
    for rows in row_blocks(len(all_codes), len(start)):
        codes, bounds = all_codes[rows], all_bounds[rows]
        K = space.kernel_values(chunk.X[rows])
        old = rows_product(K, start[:-1]) + start[-1]
        new = rows_product(K, end[:-1]) + end[-1]
        pulled: list[tuple[IntArray, FloatArray, FloatArray]] = []
        for p, (pair, question) in enumerate(zip(pairs, questions, strict=True)):
            mine = np.flatnonzero(losses.member(codes, pair) & (bounds > 0.0))
            y, C, f = losses.targets(codes[mine], pair), bounds[mine], new[mine, p]
            loss = losses.losses(y, f)
            along[p, 0] += 0.5 * float(C @ loss**2)
            weight, pull = C * (loss > 0.0), losses.pulls(y, f) * C * (loss > 0.0)
            if question != "whole":
                f = old[mine, p]
                before = C * (losses.losses(y, f) > 0.0)
                weight, pull = weight - before, pull - losses.pulls(y, f) * before
                changed[p] += np.count_nonzero((weight != 0.0) | (pull != 0.0))
            if question == "way":
                along[p, 1:] += _losses_between(losses, y, C, f, new[mine, p] - f)
                weight, pull = np.zeros_like(weight), np.zeros_like(pull)
            some = np.flatnonzero((weight != 0.0) | (pull != 0.0))
            pulled.append((mine[some], weight[some], pull[some]))
        _add_products(H, g, space, K, pulled)
    return Sums(H, g, along, changed)


def _losses_between(
    losses: Losses, y: FloatArray, C: FloatArray, f: FloatArray, step: FloatArray
) -> FloatArray:
    """Return the loss at all shares of the way but its end."""
    return np.array([0.5 * float(C @ losses.losses(y, f + s * step) ** 2) for s in _STEPS[1:]])


def _add_products(
    H: FloatArray,
    g: FloatArray,
    space: LandmarkSpace,
    K: FloatArray,
    pulled: Sequence[tuple[IntArray, FloatArray, FloatArray]],
) -> None:
    """Add what some rows give to each machine: Σ weight·φ̃φ̃' and Σ pull·φ̃."""
    needed = np.zeros(len(K), dtype=np.bool_)
    for rows, _, _ in pulled:
        needed[rows] = True
    some = np.flatnonzero(needed)
    place = np.cumsum(needed) - 1
    coordinates = np.empty((len(some), space.n_dimensions + 1))
    coordinates[:, :-1] = space.coordinates(K if len(some) == len(K) else K[some])
    coordinates[:, -1] = 1.0
    for p, (rows, weight, pull) in enumerate(pulled):
        mine = coordinates[place[rows]]
        g[p] += pull @ mine
        for sign in (1.0, -1.0):
            own = np.flatnonzero(sign * weight > 0.0)
            if len(own):
                roots = np.sqrt(sign * weight[own])[:, None]
                H[p] += sign * cross_products(
                    roots * (mine if len(own) == len(mine) else mine[own])
                )


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


class _Descent:
    """One machine on its way to the optimum."""

    def __init__(self, space: LandmarkSpace, theta: FloatArray | None = None) -> None:
        self.space = space
        self.start = self.end = np.zeros(space.n_dimensions + 1) if theta is None else theta
        self.question: Question = "whole"
        self.H = self.g = np.zeros(0)
        self.objective = np.inf
        self.n_passes = 0
        self.solution: Solution | None = None

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
        self.question = "change"
        self.end = newton_point(self.H, self.g, float(self.start[-1]))
        if self._fall() <= _LITTLE * self.objective:
            self._end(True)

    def _shorten(self, losses: FloatArray) -> None:
        """Set out again from the best point of the way."""
        points = self.start[:-1] + _STEPS[:, None] * (self.end - self.start)[:-1]
        best = int((losses + 0.5 * np.einsum("ij,ij->i", points, points)).argmin())
        self.start = self.end = self.start + _STEPS[best] * (self.end - self.start)
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


def solve(
    chunks: Chunks,
    space: LandmarkSpace,
    losses: Losses,
    pairs: Sequence[tuple[int, int]] | None = None,
    start: Sequence[Solution] | None = None,
) -> list[Solution]:
    """Train the machines of some pairs (by default of all), all of them in the same passes.

    They start from zero, or from what other rows came to.  The
    caller sees to it that the machines' matrices fit into memory: :func:`pair_batches`.
    """
    pairs = losses.pairs if pairs is None else list(pairs)
    thetas = [None] * len(pairs) if start is None else [each.theta for each in start]
    descents = [_Descent(space, theta) for theta in thetas]
    while True:
        pending = [p for p, descent in enumerate(descents) if descent.solution is None]
        if not pending:
            break
        ends = [descents[p].ends() for p in pending]
        sums = chunks.total(
            newton_sums,
            space,
            losses,
            [pairs[p] for p in pending],
            [descents[p].question for p in pending],
            np.column_stack([each[0] for each in ends]),
            np.column_stack([each[1] for each in ends]),
        )
        for p, *parts in zip(pending, *sums, strict=True):
            descents[p].take(*parts)
    return [descent.solution for descent in descents if descent.solution is not None]


def pair_batches(losses: Losses, n_dimensions: int) -> list[list[tuple[int, int]]]:
    """Split the pairs so that the matrices of each batch fit into the budget."""
    size = max(1, int(MATRIX_BUDGET / (8.0 * (n_dimensions + 1) ** 2)))
    pairs = losses.pairs
    return [pairs[first : first + size] for first in range(0, len(pairs), size)]


def warn_unless_converged(solutions: Sequence[Solution]) -> None:
    """Tell the user that a machine is short of its optimum."""
    if not all(solution.converged for solution in solutions):
        warnings.warn(
            f"The Nyström machine stopped after {MAX_PASSES} passes short of the optimum; standardise "
            "the features or lower C.",
            ConvergenceWarning,
            stacklevel=3,
        )
