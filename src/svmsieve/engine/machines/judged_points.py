"""Machines that are judged and thrown away: all C of a grid in one compiled call for each γ.

A selection trains some ten thousand of them, of a few hundred samples each.  Along C each starts from the
last one; all γ share the distances.  :mod:`svmsieve.engine.solvers.smo_rounds` solves them.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from svmsieve.engine.arrays import BoolArray, FloatArray, IntArray
from svmsieve.engine.kernels.exponential import fourth_powers, rbf_values
from svmsieve.engine.machines.pair_machines import FlatPairs
from svmsieve.engine.solvers.conclusion import conclude
from svmsieve.engine.solvers.free_step import add_to
from svmsieve.engine.solvers.smo_rounds import smo_rounds, square
from svmsieve.runtime.compiled import compiled, inner

_HOPELESS = 2
"""Machines in a row that did not converge, after which larger C are not tried."""


@inner()
def _raise_bounds(
    a: FloatArray, u: FloatArray, bounds: FloatArray, weights: FloatArray, last: float, C: float
) -> bool:
    """Scale a solution up to a larger C; False, and nothing moves, where no variable is at its bound."""
    binds = False
    for t in range(a.shape[0]):
        binds = binds or (a[t] >= bounds[t] and bounds[t] > 0.0)
    if not binds:
        return False
    for k in range(u.shape[0]):
        u[k] *= C / last
    for t in range(a.shape[0]):
        bound = C * weights[t % weights.shape[0]]
        a[t] = bound if a[t] >= bounds[t] else min(a[t] * (C / last), bound)
        bounds[t] = bound
    return True


@inner()
def _along_C(
    K: FloatArray,
    columns: FloatArray,
    s: FloatArray,
    p: FloatArray,
    weights: FloatArray,
    grid: FloatArray,
    tol: float,
    max_steps: int,
    values: FloatArray,
    converged: BoolArray,
) -> None:
    """Write the decision values of other samples (C × samples) by one machine, for each of a growing C.

    ``columns`` is the others' kernel, training samples × others.  What did not converge is marked.
    """
    n = K.shape[0]
    a, u, w, bounds = np.zeros(s.shape[0]), np.zeros(n), s * p, np.empty(s.shape[0])
    diagonal = np.empty(n)
    for k in range(n):
        diagonal[k] = K[k, k]
    failures = 0
    for place in range(grid.shape[0]):
        if place == 0:
            for t in range(bounds.shape[0]):
                bounds[t] = grid[0] * weights[t % n]
        elif failures >= _HOPELESS or not _raise_bounds(
            a, u, bounds, weights, grid[place - 1], grid[place]
        ):  # a larger C changes nothing, or nothing that would be found
            values[place] = values[place - 1]
            converged[place] &= failures == 0
            continue
        _, violation = smo_rounds(K, diagonal, s, w, bounds, a, u, tol, max_steps)
        failures = failures + 1 if violation >= tol else 0
        converged[place] &= failures == 0
        coef, _, offset = conclude(a, s, w, bounds, u)
        out = values[place]
        for j in range(out.shape[0]):
            out[j] = offset
        for k in range(n):
            if coef[k] != 0.0:
                add_to(coef[k], columns[k], out)


class Machines(NamedTuple):
    """The machines of a target, one after another: one for each pair of classes, or one of numbers.

    Attributes
    ----------
    rows, ends : the samples of the m-th are ``rows[ends[m] : ends[m + 1]]``
    s, p : signs and linear terms of its programme, one or two blocks of as many entries
    weights : of all samples; C is multiplied by them
    tol, max_steps : when a machine ends
    """

    rows: IntArray
    ends: IntArray
    s: FloatArray
    p: FloatArray
    weights: FloatArray
    tol: float
    max_steps: int

    @classmethod
    def of_pairs(
        cls, pairs: FlatPairs, weights: FloatArray, tol: float, max_steps: int
    ) -> Machines:
        """Return those of pairs of classes."""
        if not (weights.min() >= 0.0 and pairs.any_of_each(weights[pairs.rows] > 0.0).all()):
            raise ValueError("C must not be negative and must be positive for some sample.")
        p = np.full(len(pairs.rows), -1.0)
        return cls(pairs.rows, pairs.ends, pairs.signs, p, weights, tol, max_steps)

    @classmethod
    def of_numbers(
        cls, y: FloatArray, epsilon: float, weights: FloatArray, tol: float, max_steps: int
    ) -> Machines:
        """Return the one of numbers."""
        if not (weights.min() >= 0.0 and weights.max() > 0.0):
            raise ValueError("C must not be negative and must be positive for some sample.")
        n = len(y)
        s, p = np.repeat([1.0, -1.0], n), np.concatenate([epsilon - y, epsilon + y])
        return cls(np.arange(n), np.array([0, n]), s, p, weights, tol, max_steps)

    def along_C(
        self, K: FloatArray, across: FloatArray, grid: FloatArray
    ) -> tuple[FloatArray, BoolArray]:
        """Return decision values of other samples, shape (C, samples, machines), and which C converged.

        ``K`` and ``across`` are the kernel matrices of the training samples, and of the others against them.
        """
        return self._along(K, np.ascontiguousarray(across.T), grid)

    def at_points(
        self,
        distances: FloatArray,
        to_others: FloatArray,
        points: tuple[tuple[float, tuple[float, ...]], ...],
    ) -> FloatArray:
        """Return the decision values of other samples by RBF machines, shape (points, samples, machines).

        O(n²) a γ and a step of a machine.

        Parameters
        ----------
        distances : squared distances of the training samples
        to_others : squared distances of the other samples to them
        points : for each γ its C, growing
        """
        K, columns = np.empty_like(distances), np.ascontiguousarray(to_others.T)
        across, last, found = np.empty_like(columns), 0.0, []
        for gamma, row in points:
            for base, values in ((distances, K), (columns, across)):
                if gamma == 4.0 * last:
                    fourth_powers(values.reshape(-1))
                else:
                    rbf_values(base.reshape(-1), gamma, values.reshape(-1))
            last = gamma
            found.append(self._along(K, across, np.array(row))[0])
        return np.concatenate(found)

    def _along(
        self, K: FloatArray, columns: FloatArray, grid: FloatArray
    ) -> tuple[FloatArray, BoolArray]:
        values = np.empty((len(self.ends) - 1, len(grid), columns.shape[1]))
        converged = np.ones(len(grid), dtype=np.bool_)
        _each_along_C(K, columns, grid, *self, values, converged)
        return values.transpose(1, 2, 0), converged


@functools.cache
def compile_ahead() -> None:
    """Compile what judges machines, once in a process, before it is needed.

    It takes as long to compile as all the rest of a selection, and the cache is shared: a process that works
    for another may do it while that one compiles the rest.
    """
    distances = np.array([[0.0, 1.0], [1.0, 0.0]])
    machines = Machines.of_numbers(np.array([0.0, 1.0]), 0.1, np.ones(2), tol=1e-2, max_steps=10)
    machines.at_points(distances, distances, ((1.0, (1.0, 2.0)), (4.0, (1.0,))))


@compiled()
def _each_along_C(
    K: FloatArray,
    columns: FloatArray,
    grid: FloatArray,
    rows: IntArray,
    ends: IntArray,
    s: FloatArray,
    p: FloatArray,
    weights: FloatArray,
    tol: float,
    max_steps: int,
    values: FloatArray,
    converged: BoolArray,
) -> None:
    """Write the decision values of all machines (machines × C × samples)."""
    n, blocks = K.shape[0], s.shape[0] // rows.shape[0]
    for m in range(ends.shape[0] - 1):
        first, last = ends[m], ends[m + 1]
        own = rows[first:last]
        whole = last - first == n
        _along_C(
            K if whole else square(K, own),
            columns if whole else columns[own],
            s[blocks * first : blocks * last],
            p[blocks * first : blocks * last],
            weights[own],
            grid,
            tol,
            max_steps,
            values[m],
            converged,
        )
