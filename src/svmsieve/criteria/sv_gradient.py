"""Relevance of a feature at the support vectors (Heiler et al. 2001)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from svmsieve.criteria.contract import EVERY_TASK, Criterion, Data, Fitted, Task
from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.effects.gradients import gradient_blocks
from svmsieve.engine.kernels.kernel import Linear
from svmsieve.engine.machines.expansion import Expansion
from svmsieve.engine.machines.trained import Part
from svmsieve.runtime.memory import repeatable


class SVGradient(Criterion):
    """Mean share of the feature in the squared gradient of f at the support vectors.

    ``1/|SV| Σ_{x∈SV} (∂f/∂x_i)² / Σ_k (∂f/∂x_k)²``: each support vector's contributions add up to
    one, so that outliers and narrow margins do not dominate; with weights each counts by its own.  For a
    linear kernel w_i²/‖w‖².  More than two classes: over the support vectors of all pairs' machines.
    O(m² d), linear O(m d).
    """

    name: ClassVar[str] = "sv-gradient"
    tasks: ClassVar[frozenset[Task]] = EVERY_TASK
    paper: ClassVar[str] = "Heiler et al. 2001, eq. (4)"

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the mean shares."""
        assert fitted is not None
        total = np.zeros(data.X.shape[1])
        n_support = 0.0
        for part, expansion in zip(fitted.trained.parts, fitted.trained.expansions, strict=True):
            copies = data.copies[part.centers]
            total += _shares(part, expansion, data, copies)
            n_support += float(copies.sum())
        return data.sum_groups(total / n_support)


def _shares(part: Part, expansion: Expansion, data: Data, copies: FloatArray) -> FloatArray:
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
