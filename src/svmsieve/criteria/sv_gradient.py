"""Relevance of a feature at the support vectors (Heiler et al. 2001)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from svmsieve.criteria.contract import EVERY_TASK, Criterion, Data, Fitted, Task
from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.gradients import gradient_blocks


class SVGradient(Criterion):
    """Mean share of the feature in the squared gradient of f at the support vectors.

    ``1/|SV| Σ_{x∈SV} (∂f/∂x_i)² / Σ_k (∂f/∂x_k)²``: each support vector's contributions add up to
    one, so that outliers and narrow margins do not dominate.  For a linear kernel w_i²/‖w‖².  More
    than two classes: over the support vectors of all pairs' machines.  O(m² d).
    """

    name: ClassVar[str] = "sv-gradient"
    tasks: ClassVar[frozenset[Task]] = EVERY_TASK
    paper: ClassVar[str] = "Heiler et al. 2001, eq. (4)"

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the mean shares."""
        assert fitted is not None
        total = np.zeros(data.X.shape[1])
        n_support = 0
        for part, expansion in zip(fitted.trained.parts, fitted.trained.expansions, strict=True):
            base = data.gram.base[np.ix_(part.centers, part.centers)]
            # Twice: the norms need all features before any share is known.
            norms = np.zeros(len(part.centers))
            for _, slope in gradient_blocks(
                expansion, expansion.centers, scaling=False, base=base, memory=data.memory
            ):
                norms += (slope**2).sum(axis=1)
            shares = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0.0)
            for block, slope in gradient_blocks(
                expansion, expansion.centers, scaling=False, base=base, memory=data.memory
            ):
                total[block] += shares @ slope**2
            n_support += len(part.centers)
        return data.sum_groups(total / n_support)
