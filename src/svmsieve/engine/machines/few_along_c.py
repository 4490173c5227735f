"""Machines of few samples along a growing C, each from the last one's solution, in one compiled call."""

from __future__ import annotations

import numpy as np

from svmsieve.engine.arrays import BoolArray, FloatArray, IntArray
from svmsieve.engine.machines.pair_machines import FlatPairs
from svmsieve.engine.solvers.smo import MOST_STEPS, feasible_in_place, solve_few
from svmsieve.runtime.compiled import compiled, inner


@inner()
def _binds(a: FloatArray, bounds: FloatArray) -> bool:
    """Whether a dual variable is at its upper bound, so that a larger C changes the machine."""
    n_bound = 0
    for t in range(a.shape[0]):
        n_bound += a[t] >= bounds[t] and bounds[t] > 0.0
    return n_bound > 0


@compiled()
def _machine_along_C(
    K: FloatArray,
    columns: FloatArray,
    s: FloatArray,
    p: FloatArray,
    weights: FloatArray,
    grid: FloatArray,
    tol: float,
    max_steps: int,
    values: FloatArray,
) -> bool:
    """Write the decision values of other samples (C × samples) by one machine.

    ``columns`` is their kernel, training samples × others.  False where a machine did not converge.
    """
    a = np.zeros(s.shape[0])
    bounds = np.empty(s.shape[0])
    for place in range(grid.shape[0]):
        if place > 0:
            if not _binds(a, bounds):  # a larger C changes nothing
                values[place] = values[place - 1]
                continue
            for t in range(a.shape[0]):
                a[t] *= grid[place] / grid[place - 1]
        for t in range(a.shape[0]):
            bounds[t] = grid[place] * weights[t]
        if place > 0:
            feasible_in_place(a, s, bounds, 0.0)
        coef, _, offset, _, _, violation = solve_few(
            K, K.reshape(-1), 0.0, s, p, bounds, a, tol, max_steps
        )
        if violation >= tol:
            return False
        out = values[place]
        for j in range(out.shape[0]):
            out[j] = 0.0
        for k in range(coef.shape[0]):
            if coef[k] != 0.0:
                column = columns[k]
                for j in range(out.shape[0]):
                    out[j] += coef[k] * column[j]
        for j in range(out.shape[0]):
            out[j] += offset
    return True


@compiled()
def _pairs_along_C(
    K: FloatArray,
    columns: FloatArray,
    rows: IntArray,
    signs: FloatArray,
    ends: IntArray,
    weights: FloatArray,
    grid: FloatArray,
    tol: float,
    max_steps: int,
    values: FloatArray,
    found: BoolArray,
) -> None:
    """Do it for each pair of classes: ``values`` is pairs × C × samples."""
    n_others = columns.shape[1]
    for pair in range(ends.shape[0] - 1):
        own = rows[ends[pair] : ends[pair + 1]]
        m = own.shape[0]
        K_pair = np.empty((m, m))
        columns_pair = np.empty((m, n_others))
        for i in range(m):
            row = K[own[i]]
            for j in range(m):
                K_pair[i, j] = row[own[j]]
            columns_pair[i] = columns[own[i]]
        found[pair] = _machine_along_C(
            K_pair,
            columns_pair,
            signs[ends[pair] : ends[pair + 1]],
            np.full(m, -1.0),
            weights[own],
            grid,
            tol,
            max_steps,
            values[pair],
        )


def pairs_along_C(
    K: FloatArray,
    across: FloatArray,
    pairs: FlatPairs,
    weights: FloatArray,
    grid: FloatArray,
    tol: float,
    max_iter: int | None,
) -> tuple[FloatArray, BoolArray]:
    """Return decision values of other samples, pairs × C × samples, and which pairs converged for all C.

    What did not is of no use.  ``across`` is the kernel of the others and the training samples.
    """
    values, found = np.empty((len(pairs), len(grid), len(across))), np.empty(len(pairs), np.bool_)
    _pairs_along_C(
        K,
        np.ascontiguousarray(across.T),
        pairs.rows,
        pairs.signs,
        pairs.ends,
        weights,
        grid,
        tol,
        _most_steps(max_iter),
        values,
        found,
    )
    return values, found


def svr_along_C(
    K: FloatArray,
    across: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    grid: FloatArray,
    epsilon: float,
    tol: float,
    max_iter: int | None,
) -> FloatArray | None:
    """Return decision values of other samples by an ε-SVR, C × samples; None if one did not converge."""
    values = np.empty((len(grid), len(across)))
    found = _machine_along_C(
        K,
        np.ascontiguousarray(across.T),
        np.repeat([1.0, -1.0], len(y)),
        np.concatenate([epsilon - y, epsilon + y]),
        np.tile(weights, 2),
        grid,
        tol,
        _most_steps(max_iter),
        values,
    )
    return values if found else None


def _most_steps(max_iter: int | None) -> int:
    return MOST_STEPS if max_iter is None else min(max_iter, MOST_STEPS)
