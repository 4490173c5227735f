"""Machines along a growing C, each from the last one's solution."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from svmsieve.engine.arrays import BoolArray, FloatArray
from svmsieve.engine.machines.judged_points import Machines
from svmsieve.engine.machines.machine import (
    Dual,
    Machine,
    train_squared_hinge,
    train_svc,
    train_svr,
)
from svmsieve.engine.machines.pair_machines import FlatPairs, PairDuals, solve_pairs
from svmsieve.engine.solvers.smo import default_steps

_HOPELESS = 2
"""Machines in a row that did not converge, after which larger C are not tried."""


def along_C(train: Callable[..., Dual], weights: FloatArray, grid: FloatArray) -> Iterator[Dual]:
    """Train for each C of a growing grid, from the last solution scaled up.

    Where no dual variable is at its bound, a larger C changes nothing and is not trained.  After two
    machines in a row that did not converge, larger C are hopeless: they keep the last machine, not
    converged.
    """
    dual: Dual | None = None
    last = 1.0
    failures = 0
    for C in grid:
        if dual is None:
            dual = train(C * weights)
        elif failures < _HOPELESS and (not dual.converged or _binds(dual)):
            dual = train(C * weights, start=dual.alpha * (C / last))
        failures = 0 if dual.converged else failures + 1
        last = C
        yield dual


def _along_ridge(
    K: FloatArray, signs: FloatArray, weights: FloatArray, grid: FloatArray
) -> Iterator[Dual]:
    """Train the squared-hinge machine for each C, from the last one's support vectors."""
    alpha: FloatArray | None = None
    for C in grid:
        dual = train_squared_hinge(K, signs, C * weights, start=alpha)
        alpha = dual.alpha
        yield dual


def _binds(dual: Dual) -> bool:
    """Whether a dual variable is at its upper bound, so that a larger C changes the machine."""
    return bool(np.any((dual.alpha >= dual.bounds) & (dual.bounds > 0.0)))


def svr_decisions_along_C(
    K: FloatArray,
    across: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    grid: FloatArray,
    machine: Machine,
) -> tuple[FloatArray, BoolArray]:
    """Return what :func:`decisions_along_C` does, of the one machine of a regression."""

    if machine.judged:
        how = (weights, machine.tol, _most_steps(machine, len(K)))
        return Machines.of_numbers(y, machine.epsilon, *how).along_C(K, across, grid)
    limits: dict[str, Any] = {"tol": machine.tol, "max_iter": machine.max_iter}
    train = partial(train_svr, K, y, epsilon=machine.epsilon, **limits)
    duals = list(along_C(train, weights, grid))
    return _decisions(duals, across)[..., None], np.array([dual.converged for dual in duals])


def decisions_along_C(
    K: FloatArray,
    across: FloatArray,
    pairs: FlatPairs,
    weights: FloatArray,
    grid: FloatArray,
    machine: Machine,
) -> tuple[FloatArray, BoolArray]:
    """Return decision values of other samples, shape (C, samples, pairs), and which C converged.

    Parameters
    ----------
    K, across : kernel matrices of the training samples, and of the others against them
    pairs : the training samples of each pair of classes
    weights : of the training samples; C is multiplied by them
    grid : the C, growing
    machine : its loss, and when it stops
    """
    if machine.loss == "hinge" and machine.judged:
        how = (weights, machine.tol, _most_steps(machine, len(K)))
        return Machines.of_pairs(pairs, *how).along_C(K, across, grid)
    if machine.loss == "hinge" and pairs.are_few_each:
        return _few_each(K, across, pairs, weights, grid, machine)
    limits: dict[str, Any] = {"tol": machine.tol, "max_iter": machine.max_iter}
    values = np.empty((len(grid), len(across), len(pairs)))
    converged = np.ones(len(grid), dtype=np.bool_)
    for pair in range(len(pairs)):
        own = pairs.entries(pair)
        rows, signs = pairs.rows[own], pairs.signs[own]
        whole = len(rows) == len(K)
        K_pair = K if whole else pairs.matrix(K, pair)
        if machine.loss == "hinge":
            train = partial(train_svc, K_pair, signs, **limits)
            duals = list(along_C(train, weights[rows], grid))
        else:
            duals = list(_along_ridge(K_pair, signs, weights[rows], grid))
        converged &= [dual.converged for dual in duals]
        values[:, :, pair] = _decisions(duals, across if whole else across[:, rows])
    return values, converged


def _most_steps(machine: Machine, n: int) -> int:
    return default_steps(n) if machine.max_iter is None else machine.max_iter


def _few_each(
    K: FloatArray,
    across: FloatArray,
    pairs: FlatPairs,
    weights: FloatArray,
    grid: FloatArray,
    machine: Machine,
) -> tuple[FloatArray, BoolArray]:
    """Do for all pairs at once, machine by machine, what :func:`along_C` does for one of them."""
    values = np.empty((len(grid), len(across), len(pairs)))
    converged = np.ones(len(grid), dtype=np.bool_)
    columns = np.ascontiguousarray(across.T)
    own_weights = weights[pairs.rows]
    if not (own_weights.min() >= 0.0 and pairs.any_of_each(own_weights > 0.0).all()):
        raise ValueError("C must not be negative and must be positive for some sample.")
    failures = np.zeros(len(pairs), dtype=np.intp)
    duals: PairDuals | None = None
    last = 1.0
    for place, C in enumerate(grid):
        bounds = C * own_weights
        start, wanted = None, None
        if duals is not None:
            start = duals.alpha * (C / last)
            wanted = (failures < _HOPELESS) & (~duals.converged | duals.bind)

        def one(m: int, bounds: FloatArray = bounds, start: FloatArray | None = start) -> Dual:
            own = pairs.entries(m)
            return train_svc(
                pairs.matrix(K, m),
                pairs.signs[own],
                bounds[own],
                start=None if start is None else start[own],
                tol=machine.tol,
                max_iter=machine.max_iter,
            )

        if wanted is None or wanted.any():
            duals = solve_pairs(
                K, pairs, bounds, machine, one, start=start, keep=duals, wanted=wanted
            )
        assert duals is not None
        failures = np.where(duals.converged, 0, failures + 1)
        last = float(C)
        converged[place] = duals.converged.all()
        values[place] = (duals.coefficients(len(K)) @ columns).T + duals.intercepts
    return values, converged


def _decisions(duals: Sequence[Dual], across: FloatArray) -> FloatArray:
    """Return the other samples' decision values (machines × samples), one product for all machines."""
    outputs = np.array([dual.coef for dual in duals]) @ across.T
    return outputs + np.array([[dual.intercept] for dual in duals])
