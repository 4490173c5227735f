"""The driver of exact machines: all samples in memory, with their kernel matrix where one is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from svmsieve.criteria.answers import Answers, Replaced
from svmsieve.criteria.drivers import Driver, EvaluateOn, Moments, Permutations, Responses
from svmsieve.criteria.material import Data, Fitted, Machines
from svmsieve.criteria.replacement import (
    check_evaluate_on,
    check_permutations,
    decisions,
    evaluations,
    permutation_orders,
    replaced_decisions,
    truth_of,
)
from svmsieve.engine.arrays import FloatArray, IntArray, Matrix
from svmsieve.engine.effects.gradients import gradient_blocks
from svmsieve.engine.kernels.kernel import Linear
from svmsieve.engine.machines.expansion import Expansion
from svmsieve.engine.machines.target import Classes
from svmsieve.engine.machines.trained import PairMachine
from svmsieve.runtime.memory import repeatable

FLOOR = 1e-12
"""Share of a column's squares below which its variance is rounding."""


@dataclass(frozen=True)
class ExactDriver(Driver):
    """Feeds criteria from machines trained on all samples."""

    fitted: Fitted | None
    data: Data

    @property
    def machines(self) -> Fitted:
        """The machines; a filter has none."""
        if self.fitted is None:
            raise TypeError("a filter is given no machine; set machine = 'svm' to have one.")
        return self.fitted

    def moments(self) -> Moments:
        """Return the moments of the columns."""
        return ExactMoments(self.data)

    def responses(self, n_permutations: Permutations | None, evaluate_on: EvaluateOn) -> Responses:
        """Return the responses on the training samples, or on those that folds held out."""
        orders = None
        check_evaluate_on(evaluate_on)
        if n_permutations is not None:
            check_permutations(n_permutations)
            orders = permutation_orders(self.data.weights, n_permutations, self.data.seed)
        return ExactResponses(self.machines, self.data, orders, evaluate_on)

    def gradient_shares(self) -> FloatArray:
        """Return the columns' mean shares in the squared gradient at the support vectors."""
        trained, data = self.machines.trained, self.data
        total, n_support = np.zeros(data.X.shape[1]), 0.0
        for part, expansion in zip(trained.parts, trained.expansions, strict=True):
            copies = data.copies[part.centers]
            total += _shares(part, expansion, data, copies)
            n_support += float(copies.sum())
        return total / n_support

    def squared_weights(self) -> FloatArray | None:
        """Return w² of each column, added up over the machines; None where the kernel is not linear."""
        data = self.data
        if not isinstance(data.kernel, Linear):
            return None
        total = np.zeros(data.X.shape[1])
        for part in self.machines.trained.parts:
            coef = np.zeros(len(data.target))
            coef[part.rows] = data.gram.net(part.dual.coef, part.rows)
            total += data.gram.linear_weights(coef) ** 2
        return total

    def whole(self) -> tuple[Fitted | None, Data]:
        """Return everything."""
        return self.fitted, self.data

    def sum_groups(self, values: FloatArray) -> FloatArray:
        """Add up values of columns over the groups."""
        return self.data.sum_groups(values)

    def max_groups(self, values: FloatArray) -> FloatArray:
        """Take the largest of the columns' values in each group."""
        return self.data.max_groups(values)


class ExactResponses(Responses):
    """Responses of exact machines to their own samples, or of folds' machines to what they held out."""

    def __init__(
        self, fitted: Fitted, data: Data, orders: list[IntArray] | None, evaluate_on: EvaluateOn
    ) -> None:
        self.fitted, self.data, self.orders = fitted, data, orders
        self.runs = list(evaluations(fitted.trained, data, evaluate_on))
        self._kept: Callable[[], Iterable[Replaced]] | None = None

    def kept(self) -> Responses:
        """Return these responses for several passes: what fits into memory is computed once."""
        other, data = copy(self), self.data
        n_bytes = (
            8.0
            * len(data.target)
            * data.n_scores
            * (1 if self.orders is None else len(self.orders))
        )
        other._kept = repeatable(self._replaced, n_bytes, data.memory)
        return other

    def _replaced(self) -> Iterator[Replaced]:
        for trained, rows in self.runs:
            yield from replaced_decisions(trained, self.data, rows, self.orders, lambda item: item)

    def over_samples(self, part: Callable[[Answers, Machines], float]) -> float:
        """Add up over the samples, features as they are."""
        data, total = self.data, 0.0
        for trained, rows in self.runs:
            before, truth = decisions(trained, rows), truth_of(data.target, rows)
            total += part(Answers(before, truth, data.weights[rows]), self.fitted)
        return total

    def over_replaced(self, part: Callable[[Replaced, Machines], FloatArray]) -> FloatArray:
        """Add up over the samples and replacements, blocks of them in threads."""

        def summed(item: Replaced) -> tuple[IntArray, FloatArray]:
            return item.which, part(item, self.fitted)

        sums = np.zeros(self.data.n_scores)
        if self._kept is not None:
            for item in self._kept():
                sums[item.which] += part(item, self.fitted)
            return sums
        for trained, rows in self.runs:
            for which, values in replaced_decisions(trained, self.data, rows, self.orders, summed):
                sums[which] += values
        return sums

    def largest(self, size: Callable[[FloatArray], FloatArray]) -> float:
        """Return the largest size of a numeric target's values."""
        target = self.data.target
        assert not isinstance(target, Classes)
        return float(size(target.values).max())


class ExactMoments(Moments):
    """Moments of samples in memory."""

    def __init__(self, data: Data) -> None:
        self.data = data

    def by_class(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the classes' sizes, means and variances of every column."""
        return class_moments(self.data)

    def with_target(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return covariances, the targets' deviations, and the columns' variances."""
        data, target = self.data, self.data.target
        if isinstance(target, Classes):
            first = 1 if len(target.classes) == 2 else 0
            columns = range(first, len(target.classes))
            Y = np.array([np.where(target.codes == c, 1.0, -1.0) for c in columns])
        else:
            Y = target.values[None, :]
        weights = data.weights
        Y = Y - (Y @ weights)[:, None]
        deviation = np.sqrt((Y**2) @ weights)
        X = data.X
        if not sp.issparse(X):
            X = X - _products(weights[None, :], X)[0][0]
        covariances, _ = _products(Y * weights, X)
        sums, squares = _products(weights[None, :], X)
        variances = np.maximum(squares - sums**2, 0.0)[0]
        variances[variances <= FLOOR * squares[0]] = 0.0
        return covariances, deviation, variances


def _products(weights: FloatArray, X: Matrix) -> tuple[FloatArray, FloatArray]:
    """Return ``weights @ X`` and ``weights @ X²``, O(n d) for each row of weights.

    Dense columns are added up row by row: in a matrix product the last digits of a column depend on its
    place, and those of twins would differ.
    """
    if sp.issparse(X):
        return np.asarray(weights @ X), np.asarray(weights @ X.multiply(X).tocsr())
    sums = np.empty((2, len(weights), X.shape[1]))
    for number, own in enumerate(weights):
        counts = own != 0.0
        rows = X if counts.all() else X[counts]
        weighted = own[counts][:, None] * rows
        sums[0, number] = weighted.sum(axis=0)
        weighted *= rows
        sums[1, number] = weighted.sum(axis=0)
    return sums[0], sums[1]


def class_moments(data: Data) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the classes' sizes (k; sums of weights), means and variances (k × d) of every feature.

    The columns are centred first, so that the variance loses no digits to a far-off mean (dense
    input; a sparse column's mean is near its zeros anyway).
    """
    assert isinstance(data.target, Classes)
    weights = data.copies
    membership = np.zeros((len(data.target.classes), len(weights)))
    membership[data.target.codes, np.arange(len(weights))] = weights
    counts = membership.sum(axis=1)
    shift = np.zeros(data.X.shape[1]) if sp.issparse(data.X) else data.X.mean(axis=0)
    sums, squares = _products(membership, data.X if sp.issparse(data.X) else data.X - shift)
    means = sums / counts[:, None]
    variances = np.maximum(squares / counts[:, None] - means**2, 0.0)
    return counts, means + shift, variances


def _shares(part: PairMachine, expansion: Expansion, data: Data, copies: FloatArray) -> FloatArray:
    """Return the features' shares in the squared gradient, added up over one machine's centres."""
    n_centers = len(part.centers)
    if isinstance(data.kernel, Linear):  # the gradient is w everywhere
        squares = expansion.linear_weights() ** 2
        norm = float(squares.sum())
        return squares * (copies.sum() / norm) if norm > 0.0 else squares

    def square_slopes() -> Iterator[tuple[slice, FloatArray]]:
        base = data.base_between(part.centers, part.centers)
        for block, slope in gradient_blocks(
            expansion,
            expansion.centers,
            scaling=False,
            relative=True,  # shares: each support vector's factor cancels
            base=base,
            memory=data.memory,
        ):
            yield block, np.square(slope, out=slope)

    # Twice: the norms need all features before any share is known.
    blocks = repeatable(square_slopes, 8.0 * n_centers * expansion.n_features, data.memory)
    norms = np.zeros(n_centers)
    for _, squares in blocks():
        norms += squares.sum(axis=1)
    weights = np.divide(copies, norms, out=np.zeros_like(norms), where=norms > 0.0)
    shares = np.empty(expansion.n_features)
    for block, squares in blocks():
        shares[block] = weights @ squares
    return shares
