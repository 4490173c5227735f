"""Scales of the features that err least on samples left out, and what each feature does there."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from svmsieve.criteria.contract import EVERY_TASK, Criterion, Task
from svmsieve.criteria.drivers import Permutations
from svmsieve.criteria.joint_replacement import lent
from svmsieve.criteria.lasso import target_columns
from svmsieve.criteria.material import Data, Fitted
from svmsieve.criteria.replacement import (
    check_permutations,
    permutation_orders,
    replacement_shares,
)
from svmsieve.engine.arrays import FloatArray, IntArray, check_count, dense_columns
from svmsieve.engine.effects.group_effects import group_response
from svmsieve.engine.effects.loo_scales import ScaledRidge
from svmsieve.engine.effects.response import KnownKernel, response_blocks
from svmsieve.engine.kernels.kernel import RBF
from svmsieve.engine.machines.drawn_rows import drawn_rows
from svmsieve.engine.machines.expansion import Expansion

_MOST_SAMPLES = 250
"""Samples whose scales are looked for, drawn of all: a step takes the cube of their number."""
_START_SAMPLES = 100
"""Samples by which the one scale to start from is chosen."""
_MOST_UNITS = 1000
"""Features whose scales are looked for: those that would lower the error most at the start."""


class LOOScaling(Criterion):
    """How much the answer shifts when the feature is permuted, at the scales that err least left out.

    Kernel ridge regression with ``K(x, z) = exp(−Σ_i θ_i (x_i − z_i)²)``: the scales θ and the ridge minimise
    the squared error of the samples left out, which needs no training anew; a feature that says nothing, or
    what others say already, loses its scale.  The score is ``mean_j Σ_c |f_c(x_j) − f_c(x_(i),j)|`` of that
    machine, c over one class against the others (once where there are two).  No SVM is trained.
    O(n³ + n² d) a step, of at most 250 samples drawn of all; the scales are those of the 1000 features
    that lower the error most at first, and the others come after them.

    Parameters
    ----------
    n_steps : int, default=10
        Steps of L-BFGS.
    n_permutations : int or "all", default=2
        Permutations, the same ones for every feature; ``"all"`` replaces by every sample's value.

    See Also
    --------
    svmsieve.criteria.HSIC : Hilbert–Schmidt dependence that is lost when the feature leaves the kernel.
    svmsieve.criteria.FSPP2 : Mean shift of Platt's probability when the feature is permuted.

    Examples
    --------
    >>> import numpy as np
    >>> from svmsieve import rank
    >>> X = np.random.default_rng(0).normal(size=(200, 30))
    >>> y = X[:, 3] * X[:, 7] > 0
    >>> sorted(rank(X, y, "loo-scaling").order[:2].tolist())
    [3, 7]
    """

    name: ClassVar[str] = "loo-scaling"
    tasks: ClassVar[frozenset[Task]] = EVERY_TASK
    machine: ClassVar[None] = None
    uses_kernel: ClassVar[bool] = False
    own_machine: ClassVar[bool] = True
    counts_each_sample: ClassVar[bool] = True
    paper: ClassVar[str] = "Bo, Wang & Jiao 2006; Cawley & Talbot 2004"

    def __init__(self, n_steps: int = 10, n_permutations: Permutations = 2) -> None:
        self.n_steps = n_steps
        self.n_permutations = n_permutations

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the mean shifts."""
        n_steps = check_count(self.n_steps, "n_steps")
        check_permutations(self.n_permutations)
        ridge = _problem(data, _MOST_SAMPLES)
        lower, upper = data.range
        units = np.flatnonzero(data.max_groups((upper > lower).astype(float)))
        if len(units) < data.n_scores:  # what never varies has no scale
            ridge = ridge.of_units(units)
        if not len(units):
            return np.zeros(data.n_scores)
        scale, strength = _problem(data, _START_SAMPLES).start()
        below = units[:0]
        if len(units) > _MOST_UNITS:
            _, slopes, _ = ridge.at(np.full(len(units), scale), strength)
            largest = np.abs(slopes).max()
            by_slope = np.argsort(slopes, kind="stable")
            best, worst = np.sort(by_slope[:_MOST_UNITS]), by_slope[_MOST_UNITS:]
            ridge, slopes = ridge.of_units(best), slopes[worst]
            units, below = units[best], units[worst]
        found = ridge.minimised(np.full(len(units), scale), strength, n_steps)
        scores = np.zeros(data.n_scores)
        scores[units] = self._shifts(ridge, found.theta, found.dual, data.seed)
        if len(below):
            # equal slopes, but for rounding, are equal scores
            ranks = np.unique(np.round(slopes / largest, 9), return_inverse=True)[1]
            scores[below] = scores[units].min() * (1.0 - (ranks + 1.0) / (ranks.max() + 2.0))
        return scores

    def _shifts(
        self, ridge: ScaledRidge, theta: FloatArray, dual: FloatArray, seed: int
    ) -> FloatArray:
        """Return the mean shift of the answers for each unit."""
        Z, kernel = ridge.scaled(theta), RBF(1.0)
        known = KnownKernel.of(kernel, Z, Z)
        orders = permutation_orders(ridge.weights, self.n_permutations, seed)
        shares = replacement_shares(ridge.weights / ridge.weights.sum(), orders)
        scores = np.zeros(ridge.n_units)
        sizes = np.bincount(ridge.unit_of)
        single = np.flatnonzero(sizes[ridge.unit_of] == 1)
        for coef in dual.T:
            machine = Expansion(kernel, Z, coef, 0.0)
            before = known.matrix @ coef
            for block in response_blocks(machine, Z, features=single, known=known):
                values = dense_columns(Z, block.features)
                for order, share in zip(orders, shares, strict=True):
                    new = lent(values, order, len(values))[block.rows]
                    shift = np.abs(block.at(new) - before[block.rows, None])
                    scores[ridge.unit_of[block.features]] += share[block.rows] @ shift
            for unit in np.flatnonzero(sizes > 1):
                columns = np.flatnonzero(ridge.unit_of == unit)
                values = dense_columns(Z, columns)
                for order, share in zip(orders, shares, strict=True):
                    new = lent(values, order, len(values))
                    after = group_response(machine, Z, columns, new, known.base)
                    scores[unit] += share @ np.abs(after - before)
        return scores


def _problem(data: Data, most: int) -> ScaledRidge:
    """The samples that count, about ``most`` of them, and the target's columns with mean zero."""
    rows = np.flatnonzero(data.copies > 0.0)
    rows = rows[drawn_rows(data.target.take(rows), most, (data.seed,))]
    weights = data.copies[rows]
    weights = weights * (weights.sum() / (weights**2).sum())  # what hardly counts changes nothing
    total = weights.sum()
    Y = target_columns(data.target.take(rows))
    size = np.abs(Y).max(axis=0)
    Y = Y - weights @ Y / total
    spread = np.sqrt(weights @ Y**2 / total)
    Y = np.where(spread > 1e-12 * size, Y, 0.0)  # a constant differs from its mean by rounding
    X = data.X if len(rows) == data.X.shape[0] else data.X[rows]
    Y = Y / np.where(spread > 0.0, spread, 1.0)
    return ScaledRidge(X, Y, weights, _unit_of(data))


def _unit_of(data: Data) -> IntArray:
    """The group of each column, or the column itself."""
    unit_of = np.arange(data.X.shape[1])
    for number, columns in enumerate(data.groups or ()):
        unit_of[columns] = number
    return unit_of
