"""Decision values with a feature's values replaced: the raw material of FSPP and SD."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

from svmsieve.criteria.answers import Replaced
from svmsieve.criteria.drivers import EvaluateOn, Permutations
from svmsieve.criteria.joint_replacement import joint_decisions, lent
from svmsieve.criteria.material import Data
from svmsieve.engine.arrays import FloatArray, IntArray, dense_columns
from svmsieve.engine.effects.path_choice import Accuracy
from svmsieve.engine.effects.response import KnownKernel, ResponseBlock, response_blocks
from svmsieve.engine.machines.many_machines import (
    MANY_MACHINES,
    ManyMachines,
    replaced_base,
    worth_one_matrix,
)
from svmsieve.engine.machines.target import Classes, Target
from svmsieve.engine.machines.trained import Trained

Item = TypeVar("Item")

KEPT_ORDERS = 8
"""Orders of a series to reckon with while the responses of several machines are kept."""


def check_permutations(n_permutations: Permutations) -> None:
    """Refuse what is neither a count nor ``"all"``."""
    whole = isinstance(n_permutations, int | np.integer) and not isinstance(n_permutations, bool)
    if n_permutations != "all" and not (whole and int(n_permutations) >= 1):
        raise ValueError(
            f"n_permutations must be a whole number of at least 1 or 'all', got {n_permutations!r}."
        )


def check_evaluate_on(evaluate_on: EvaluateOn) -> None:
    """Refuse an unknown kind of evaluation."""
    if evaluate_on not in ("training", "held-out"):
        raise ValueError(f"evaluate_on must be 'training' or 'held-out', got {evaluate_on!r}.")


def permutation_orders(
    weights: FloatArray, n_permutations: Permutations, seed: int
) -> list[IntArray]:
    """Return the orders in which the samples lend their values, the same for every feature.

    Common random numbers: features are compared on the same permutations.  ``"all"`` is every cyclic
    shift, so that each sample meets each replacement value exactly once.  Samples of weight zero
    neither lend nor borrow.
    """
    present = np.flatnonzero(weights > 0.0)
    if n_permutations == "all":
        shifted = [np.roll(present, shift) for shift in range(len(present))]
    else:
        rng = np.random.default_rng(seed)
        shifted = [rng.permutation(present) for _ in range(int(n_permutations))]
    orders = []
    for lenders in shifted:
        order = np.arange(len(weights))
        order[present] = lenders
        orders.append(order)
    return orders


def replacement_shares(weights: FloatArray, orders: list[IntArray] | None) -> list[FloatArray]:
    """Return how much each sample's replacement in each order counts; all add up to one.

    A replacement counts as the product of the weights of the sample and of its lender, so that
    weights are numbers of copies.
    """
    if orders is None:
        return [weights]
    products = [weights * weights[order] for order in orders]
    total = sum(float(product.sum()) for product in products)
    return [product / total for product in products]


def truth_of(target: Target, rows: IntArray) -> FloatArray | IntArray:
    """Return the target of some samples: codes of their classes, or numbers."""
    values = target.codes if isinstance(target, Classes) else target.values
    return values if len(rows) == len(values) else values[rows]


def evaluations(
    trained: Trained, data: Data, evaluate_on: EvaluateOn, cv: int = 5
) -> Iterator[tuple[Trained, IntArray]]:
    """Yield machines and the samples to evaluate them on.

    On the training samples as in the papers, or each fold on the machines trained without it.
    """
    if evaluate_on == "training":
        yield trained, np.arange(len(data.target))
    else:
        folds = trained.folds(cv, data.seed)
        yield from zip(trained.without_folds(folds), folds, strict=True)


def replaced_decisions(
    trained: Trained,
    data: Data,
    rows: IntArray,
    orders: list[IntArray] | None,
    then: Callable[[Replaced], Item],
) -> Iterator[Item]:
    """Yield what ``then`` makes of the decision values after replacement, in threads.

    It sees every feature, sample of ``rows`` and order; an item holds some of the features and some of
    the samples.  ``orders`` says which sample lends its value to each sample; None replaces by zero.
    """
    replacing = Replacing(trained, data, rows, orders)
    single, joint = _split_groups(data)
    if worth_one_matrix(trained, data.n_scores * len(replacing.lenders)):
        yield from map(then, replacing.with_many_machines())
        return
    if len(trained.parts) == 1:
        yield from replacing.with_one_machine(single, then)
    else:
        yield from map(then, replacing.with_several_machines(single))
    yield from map(then, joint_decisions(replacing, joint))


class Replacing:
    """What the replacements of all features share."""

    def __init__(
        self, trained: Trained, data: Data, rows: IntArray, orders: list[IntArray] | None
    ) -> None:
        self.trained, self.data, self.rows = trained, data, rows
        self.whole = len(rows) == len(data.target)
        self.permutes = self.whole and orders is not None and data.sample_weight is None
        self.X = data.X if self.whole else data.X[rows]
        self.truth = truth_of(data.target, rows)
        self.columns_of_X = data.X.tocsc() if sp.issparse(data.X) else data.X
        self.range = data.range
        self.lenders: list[IntArray | None] = [None]
        if orders is None:
            lower, upper = self.range
            self.range = np.minimum(lower, 0.0), np.maximum(upper, 0.0)
        else:
            self.lenders = [order[rows] for order in orders]
        self.shares = [share[rows] for share in replacement_shares(data.weights, orders)]

    def with_one_machine(
        self, single: IntArray, then: Callable[[Replaced], Item]
    ) -> Iterator[Item]:
        """Replace single columns, each block of the response as soon as it is there."""
        features = self._features(single)
        position = np.empty(self.X.shape[1], dtype=np.intp)
        position[features] = single

        def replace(block: ResponseBlock) -> list[Item]:
            here = block.rows
            complete = self.whole and len(block.values) == len(self.rows)
            values = block.values if complete else self.values(block.features)
            which, before = position[block.features], block.decision[:, None]
            items = []
            for lender, share in zip(self.lenders, self.shares, strict=True):
                new = lent(values, None if lender is None else lender[here], len(block.values))
                after = block.at(new)[..., None]
                items.append(
                    then(
                        Replaced(
                            which, before, after, self.truth[here], share[here], self.rows[here]
                        )
                    )
                )
            return items

        for items in self._blocks(0, features, replace):
            yield from items

    def with_several_machines(self, single: IntArray) -> Iterator[Replaced]:
        """Replace single columns, as many at a time as all machines' responses fit into memory."""
        n_machines = len(self.trained.parts)
        before = self.before()
        bytes_a_feature = 8.0 * len(self.rows) * (n_machines * (KEPT_ORDERS + 1) + 2)
        chunk = max(1, int(self.data.memory / bytes_a_feature))
        for start in range(0, len(single), chunk):
            which = single[start : start + chunk]
            features = self._features(which)
            blocks = [list(self._blocks(index, features)) for index in range(n_machines)]
            values = self.values(features)
            for lender, share in zip(self.lenders, self.shares, strict=True):
                new = lent(values, lender, len(self.rows))
                after = np.stack([assemble(part, new, features) for part in blocks], axis=-1)
                yield Replaced(which, before, after, self.truth, share, self.rows)

    def with_many_machines(self) -> Iterator[Replaced]:
        """Replace columns or groups one at a time in the kernel matrix that all machines share."""
        machines, before = ManyMachines.of(self.trained), self.before()
        base = self.data.base_between(self.rows, np.arange(len(self.data.target)))
        n_scores, kernel = self.data.n_scores, self.data.kernel
        chunk = max(1, int(self.data.memory / (8.0 * before.size)))
        for start in range(0, n_scores, chunk):
            which = np.arange(start, min(start + chunk, n_scores))
            groups = self.data.groups
            units = [self.values(np.array([i]) if groups is None else groups[i]) for i in which]
            for lender, share in zip(self.lenders, self.shares, strict=True):
                after = np.empty((len(self.rows), len(which), before.shape[1]))
                for place, values in enumerate(units):
                    new = lent(values, lender, len(self.rows))
                    changed = replaced_base(kernel, base, values[self.rows], new, values)
                    after[:, place] = machines.decisions(kernel.of_base(changed, out=changed))
                yield Replaced(which, before, after, self.truth, share, self.rows)

    def _features(self, single: IntArray) -> IntArray:
        """The columns of scores that belong to one column each."""
        groups = self.data.groups
        return single if groups is None else np.array([groups[g][0] for g in single], np.intp)

    def values(self, columns: IntArray) -> FloatArray:
        """The values of all samples, those outside of ``rows`` too: they lend."""
        return dense_columns(self.columns_of_X, columns)

    def base(self, index: int) -> FloatArray:
        """The base matrix of the rows and a machine's centres."""
        return self.data.base_between(self.rows, self.trained.parts[index].centers)

    def before(self) -> FloatArray:
        """The decision values with all features as they are."""
        return decisions(self.trained, self.rows)

    def _blocks(
        self,
        index: int,
        features: IntArray,
        then: Callable[[ResponseBlock], Any] | None = None,
    ) -> Iterator[Any]:
        return response_blocks(
            self.trained.expansions[index],
            self.X,
            features=features,
            bounds=self.range,
            known=KnownKernel(
                self.data.gram.base,
                self.data.gram.matrix,
                self.rows,
                self.trained.parts[index].centers,
                among_samples=True,
            ),
            accuracy=Accuracy(
                self.data.tol,
                self.permutes,
                float(np.ptp(self.trained.parts[index].dual.outputs)),
            ),
            memory=self.data.memory,
            then=then,
        )


def decisions(trained: Trained, rows: IntArray) -> FloatArray:
    """Return the decision values of some samples, shape (rows, machines)."""
    K = trained.gram.matrix
    K = K if len(rows) == len(K) else K[rows]
    if len(trained.parts) >= MANY_MACHINES:
        return ManyMachines.of(trained).decisions(K)
    return np.column_stack(
        [
            np.take(K, part.centers, axis=1) @ trained.gram.net(part.coef, part.centers)
            + part.dual.intercept
            for part in trained.parts
        ]
    )


def _split_groups(data: Data) -> tuple[IntArray, IntArray]:
    """Indices of the scores of single columns and of those of several columns."""
    if data.groups is None:
        return np.arange(data.n_scores), np.empty(0, dtype=np.intp)
    sizes = np.array([len(group) for group in data.groups])
    return np.flatnonzero(sizes == 1), np.flatnonzero(sizes > 1)


def assemble(blocks: list[ResponseBlock], new: FloatArray, features: IntArray) -> FloatArray:
    """Evaluate the blocks at the new values, columns in the order of ``features``."""
    position = np.argsort(features)
    ordered = features[position]
    out = np.empty_like(new)
    for block in blocks:
        columns = position[np.searchsorted(ordered, block.features)]
        part = np.take(new[block.rows], columns, axis=1)
        out[block.rows.start : block.rows.stop, columns] = block.at(part)
    return out
