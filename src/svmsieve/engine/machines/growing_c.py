"""Machines along a growing C, each from the last one's solution."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from svmsieve.engine.arrays import BoolArray, FloatArray
from svmsieve.engine.machines.few_along_c import pairs_along_C, svr_along_C
from svmsieve.engine.machines.machine import (
    Dual,
    Machine,
    train_squared_hinge,
    train_svc,
    train_svr,
)
from svmsieve.engine.machines.pair_machines import FlatPairs
from svmsieve.engine.solvers.smo import FEW_SAMPLES, Warm

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
            growth = C / last
            dual = train(C * weights, start=Warm(dual.alpha * growth, dual.outputs * growth))
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

    limits: dict[str, Any] = {"tol": machine.tol, "max_iter": machine.max_iter}
    if len(y) <= FEW_SAMPLES:
        _refuse_unless(bool(weights.min() >= 0.0 and weights.max() > 0.0))
        values = svr_along_C(K, across, y, weights, grid, machine.epsilon, **limits)
        if values is not None:
            return values[..., None], np.ones(len(grid), dtype=np.bool_)
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
    limits: dict[str, Any] = {"tol": machine.tol, "max_iter": machine.max_iter}
    values = np.empty((len(grid), len(across), len(pairs)))
    converged = np.ones(len(grid), dtype=np.bool_)
    found = np.zeros(len(pairs), dtype=np.bool_)
    if machine.loss == "hinge" and pairs.largest <= FEW_SAMPLES:
        some = pairs.any_of_each(weights[pairs.rows] > 0.0).all()
        _refuse_unless(bool(weights.min() >= 0.0 and some))
        by_pair, found = pairs_along_C(K, across, pairs, weights, grid, **limits)
        values[:] = by_pair.transpose(1, 2, 0)
    for pair in map(int, np.flatnonzero(~found)):
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


def _refuse_unless(usable: bool) -> None:
    if not usable:
        raise ValueError("C must not be negative and must be positive for some sample.")


def _decisions(duals: Sequence[Dual], across: FloatArray) -> FloatArray:
    """Return the other samples' decision values (machines × samples), one product for all machines."""
    outputs = np.array([dual.coef for dual in duals]) @ across.T
    return outputs + np.array([[dual.intercept] for dual in duals])
