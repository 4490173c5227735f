"""Decision values with a feature's values replaced: the raw material of FSPP and SD."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp

from svmsieve.criteria.contract import Data
from svmsieve.engine.arrays import FloatArray, IntArray, dense_columns
from svmsieve.engine.columns import column_range
from svmsieve.engine.group_effects import group_response
from svmsieve.engine.response import ResponseBlock, response_blocks
from svmsieve.engine.trained import Trained

Permutations: TypeAlias = int | Literal["all"]
EvaluateOn: TypeAlias = Literal["training", "held-out"]


class Replaced(NamedTuple):
    """Decision values of some samples before and after some features were replaced."""

    which: IntArray
    """The columns (or groups) that were replaced, one at a time."""
    rows: IntArray
    before: FloatArray
    """Shape (rows, machines)."""
    after: FloatArray
    """Shape (rows, which, machines)."""
    share: FloatArray
    """How much each row counts in the mean over all samples and orders."""


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
    trained: Trained, data: Data, rows: IntArray, orders: list[IntArray] | None
) -> Iterator[Replaced]:
    """Yield the decision values after replacement, for every feature and order.

    ``orders`` says which sample lends its value to each sample; None replaces by zero.
    """
    whole = len(rows) == len(data.target)
    X = data.X if whole else data.X[rows]
    bases = [
        data.gram.base[:, part.centers] if whole else data.gram.base[np.ix_(rows, part.centers)]
        for part in trained.parts
    ]
    before = np.column_stack([_decisions(trained, index, base) for index, base in enumerate(bases)])
    single, joint = _split_groups(data)
    lower, upper = column_range(data.X)
    if orders is None:
        lower, upper = np.minimum(lower, 0.0), np.maximum(upper, 0.0)
    lenders: list[IntArray | None] = [None] if orders is None else [o[rows] for o in orders]
    shares = [share[rows] for share in replacement_shares(data.weights, orders)]
    columns_of_X = data.X.tocsc() if sp.issparse(data.X) else data.X
    chunk = max(1, int(data.memory / (8 * len(rows) * (len(trained.parts) + 2))))
    for start in range(0, len(single), chunk):
        index = single[start : start + chunk]
        features = index if data.groups is None else np.array([data.groups[g][0] for g in index])
        blocks = [
            list(
                response_blocks(
                    expansion,
                    X,
                    features=features,
                    lower=lower,
                    upper=upper,
                    base=base,
                    memory=data.memory,
                )
            )
            for expansion, base in zip(trained.expansions, bases, strict=True)
        ]
        values = dense_columns(columns_of_X, features)
        for lender, share in zip(lenders, shares, strict=True):
            new = np.zeros((len(rows), len(index))) if lender is None else values[lender]
            after = np.stack([_assemble(part, new, features) for part in blocks], axis=-1)
            yield Replaced(index, rows, before, after, share)
    for group in joint:
        assert data.groups is not None
        columns = data.groups[group]
        values = dense_columns(columns_of_X, columns)
        for lender, share in zip(lenders, shares, strict=True):
            new = np.zeros((len(rows), len(columns))) if lender is None else values[lender]
            after = np.column_stack(
                [
                    group_response(expansion, X, columns, new, base)
                    for expansion, base in zip(trained.expansions, bases, strict=True)
                ]
            )
            yield Replaced(np.array([group]), rows, before, after[:, None, :], share)


def _decisions(trained: Trained, index: int, base: FloatArray) -> FloatArray:
    part = trained.parts[index]
    return trained.gram.kernel.of_base(base) @ part.coef + part.dual.intercept


def _split_groups(data: Data) -> tuple[IntArray, IntArray]:
    """Indices of the scores of single columns and of those of several columns."""
    if data.groups is None:
        return np.arange(data.n_scores), np.empty(0, dtype=np.intp)
    sizes = np.array([len(group) for group in data.groups])
    return np.flatnonzero(sizes == 1), np.flatnonzero(sizes > 1)


def _assemble(blocks: list[ResponseBlock], new: FloatArray, features: IntArray) -> FloatArray:
    """Evaluate the blocks at the new values, columns in the order of ``features``."""
    position = np.argsort(features)
    ordered = features[position]
    out = np.empty_like(new)
    for block in blocks:
        columns = position[np.searchsorted(ordered, block.features)]
        part = np.ascontiguousarray(new[block.rows][:, columns])
        out[block.rows.start : block.rows.stop, columns] = block.at(part)
    return out
