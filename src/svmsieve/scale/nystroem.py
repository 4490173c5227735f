"""The Nyström machine: a squared-loss SVM in the span of landmarks, linear in the number of rows.

    min_{w,b}  ½‖w‖² + ½ Σ_i C_i ℓ(y_i, w'φ(x_i) + b)²

    ℓ = max(0, 1 − y f)        squared-hinge SVC, one machine for each pair of classes
    ℓ = max(0, |y − f| − ε)    squared-ε SVR

The objective is piecewise quadratic.  With A the rows of positive loss, its Newton point solves

    (I₀ + Σ_A C_i φ̃_i φ̃_i') θ = Σ_A C_i φ̃_i t_i,    φ̃ = (φ, 1), θ = (w, b), I₀ without the intercept,

t = y for classes and y ∓ ε for numbers: finite Newton (Mangasarian 2002; Keerthi & DeCoste 2005), which ends
when the Newton point's own set is A.  One pass over the rows adds up these m × m matrices, and in the same
pass the objective along the way from the last point, so that a step that goes too far is shortened.  About
ten passes, O(n m d + |A| m²) each; the memory depends on m, not on n.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning

from svmsieve.engine.arrays import BoolArray, FloatArray
from svmsieve.engine.machines.expansion import Expansion
from svmsieve.engine.machines.fit import balanced_weights
from svmsieve.runtime.threads import in_threads, product
from svmsieve.scale.chunks import Chunk, Chunks
from svmsieve.scale.landmarks import LandmarkSpace

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
_LITTLE = 1e-10
"""Relative fall on the way to a Newton point after which the rows need not be looked at again: what is left
then is of the order of its square."""


@dataclass(frozen=True)
class Losses:
    """What every row of a data set costs the machines: classes, weights, ε.

    Attributes
    ----------
    C : factor of the rows' losses
    classes : the labels in ascending order; None for numbers
    class_weight : factor of each class
    epsilon : half width of the tube, for numbers
    counts : rows of each class, where ``class_weight`` is balanced by them
    """

    C: float
    classes: Any = None
    class_weight: FloatArray | None = None
    epsilon: float = 0.0
    counts: FloatArray | None = None

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The machines: pairs of classes, or a single one for numbers."""
        if self.classes is None:
            return [(0, 0)]
        return list(combinations(range(len(self.classes)), 2))

    def codes(self, y: Any) -> Any:
        """Return the index of each label's class; numbers as they are."""
        if self.classes is None:
            return np.asarray(y, dtype=np.float64)
        labels = np.asarray(y)
        if self.classes.dtype.kind == "U":
            labels = labels.astype(str)
        return np.searchsorted(self.classes, labels)

    def member(self, codes: Any, pair: tuple[int, int]) -> BoolArray:
        """Return which rows belong to a machine."""
        if self.classes is None:
            return np.ones(len(codes), dtype=np.bool_)
        return (codes == pair[0]) | (codes == pair[1])

    def targets(self, codes: Any, pair: tuple[int, int]) -> FloatArray:
        """Return −1 and +1 for the first and second class, or the numbers themselves."""
        return codes if self.classes is None else 2.0 * (codes == pair[1]) - 1.0

    def bounds(self, codes: Any, copies: FloatArray) -> FloatArray:
        """Return C_i of the rows: C times the weights of row and class."""
        if self.classes is None or self.class_weight is None:
            return self.C * copies
        return self.C * copies * self.class_weight[codes]

    def reweighed(self, codes: Any) -> FloatArray:
        """Return by what each class's weight changes where rows of these classes are not counted."""
        if self.counts is None:
            return np.ones(len(self.classes))
        left = self.counts - np.bincount(codes, minlength=len(self.counts))
        return balanced_weights(left) / balanced_weights(self.counts)

    def losses(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return ℓ of each row, 0 where it costs nothing."""
        gap = np.abs(y - f) - self.epsilon if self.classes is None else 1.0 - y * f
        return np.maximum(gap, 0.0)

    def pulls(self, y: FloatArray, f: FloatArray) -> FloatArray:
        """Return t of rows with a loss: where a row pulls f to."""
        return y - self.epsilon * np.sign(y - f) if self.classes is None else y


class Sums(NamedTuple):
    """What a pass adds up, for each machine."""

    H: FloatArray
    """Σ_A C φ̃φ̃', shape (machines, dimensions + 1, dimensions + 1)."""
    g: FloatArray
    """Σ_A C φ̃ t."""
    losses: FloatArray
    """½ Σ C ℓ² at each share of the way."""
    n_changed: FloatArray
    """Rows that have a loss at one end of the way and none at the other."""


@dataclass(frozen=True)
class Solution:
    """A machine in the landmarks' space, with the sums at its optimum."""

    w: FloatArray
    intercept: float
    H: FloatArray
    g: FloatArray
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
    start: FloatArray,
    end: FloatArray,
) -> Sums:
    """Add up one chunk.  ``start`` and ``end`` hold (coefficients, intercept) of each machine in columns."""
    r, n_pairs = space.n_dimensions + 1, len(pairs)
    H, g = np.zeros((n_pairs, r, r)), np.zeros((n_pairs, r))
    along, changed = np.zeros((n_pairs, len(_STEPS))), np.zeros(n_pairs)
    all_codes = losses.codes(chunk.y)
    all_bounds = losses.bounds(all_codes, chunk.copies)
    for rows in row_blocks(len(all_codes), len(start)):
        codes, bounds = all_codes[rows], all_bounds[rows]
        K = space.kernel_values(chunk.X[rows])
        old = product(K, start[:-1]) + start[-1]
        new = product(K, end[:-1]) + end[-1]
        active = np.zeros((len(codes), n_pairs), dtype=np.bool_)
        for p, pair in enumerate(pairs):
            mine = np.flatnonzero(losses.member(codes, pair) & (bounds > 0.0))
            y, C = losses.targets(codes[mine], pair), bounds[mine]
            f, step = old[mine, p], new[mine, p] - old[mine, p]
            for s, share in enumerate(_STEPS):
                loss = losses.losses(y, f + share * step)
                along[p, s] += 0.5 * float(C @ loss**2)
                if s == 0:
                    active[mine, p] = loss > 0.0
            before = losses.losses(y, f) > 0.0
            changed[p] += np.count_nonzero(before != active[mine, p])
        some = np.flatnonzero(active.any(axis=1))
        coordinates = np.empty((len(some), r))
        coordinates[:, :-1] = space.coordinates(K[some])
        coordinates[:, -1] = 1.0
        for p, pair in enumerate(pairs):
            mine = np.flatnonzero(active[some, p])
            y, C = losses.targets(codes[some[mine]], pair), bounds[some[mine]]
            weighted = coordinates[mine] * np.sqrt(C)[:, None]
            H[p] += cross_products(weighted)
            pulls = losses.pulls(y, new[some[mine], p])
            g[p] += (np.sqrt(C) * pulls) @ weighted
    return Sums(H, g, along, changed)


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
        """Go as far as the objective falls, then set out for the next Newton point."""
        self.n_passes += 1
        way = self.end - self.start
        points = self.start[:-1] + _STEPS[:, None] * way[:-1]
        objectives = losses + 0.5 * np.einsum("ij,ij->i", points, points)
        best = int(objectives.argmin())
        first = self.n_passes == 1
        fell = self.objective - objectives[best] > _ROUNDING * abs(objectives[best])
        if not fell and not first:  # only rounding is left: the last point is the optimum
            self._end(self.end, H, g, float(objectives[0]), True)
            return
        self.objective = float(objectives[best])
        if best > 0:  # too far: look again from there
            self.start = self.end = self.start + _STEPS[best] * way
            self.objective = np.inf
            return
        if not first and n_changed == 0 and way.any():
            self._end(self.end, H, g, self.objective, True)
        elif self.n_passes >= MAX_PASSES:
            self._end(self.end, H, g, self.objective, False)
        else:
            self.start = self.end
            self.end = newton_point(H, g, float(self.start[-1]))
            if self._fall(H) <= _LITTLE * self.objective:
                self._end(self.end, H, g, self.objective, True)

    def _fall(self, H: FloatArray) -> float:
        """By how much the objective falls on the way to the Newton point, if no row changes sides."""
        way = self.end - self.start
        return 0.5 * float(way @ H @ way + way[:-1] @ way[:-1])

    def _end(
        self, theta: FloatArray, H: FloatArray, g: FloatArray, objective: float, converged: bool
    ) -> None:
        self.solution = Solution(
            theta[:-1], float(theta[-1]), H, g, objective, self.n_passes, converged
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
