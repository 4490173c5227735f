"""When a forward search has seen enough (Kohavi & Sommerfield 1995)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from svmsieve.search.contract import Problem, Search, Step


def mean_score(step: Step) -> float:
    """Mean over the folds of a step's cross-validation."""
    return float(np.mean(step.fold_scores))


def stopped(steps: Sequence[Step], patience: int, epsilon: float) -> bool:
    """Whether the last ``patience`` additions brought no gain above ``epsilon``."""
    if len(steps) <= patience:
        return False
    earlier = max(mean_score(step) for step in steps[:-patience])
    return all(mean_score(step) <= earlier + epsilon for step in steps[-patience:])


class GrowingSearch(Search):
    """A search that adds features and stops when the last ones brought nothing.

    Parameters
    ----------
    cv : folds of the search's own cross-validation: how many, or training and held-out samples of each
    patience, epsilon : stop when the last ``patience`` additions brought no gain above ``epsilon``
    """

    forward: ClassVar[bool] = True

    def __init__(self, cv: Any = 10, patience: int = 5, epsilon: float = 0.001) -> None:
        self.cv = cv
        self.patience = patience
        self.epsilon = epsilon

    def n_steps(self, n_units: int, smallest: int, largest: int | None) -> int | None:
        """Return the size to reach; None where the search stops when it has seen enough."""
        return largest

    def enough(self, problem: Problem, steps: Sequence[Step]) -> bool:
        """Whether to stop here; never before a size that was asked for, nor without the kept ones.

        Parameters
        ----------
        problem : Problem
            Samples, criterion, machine and seed of the search.
        steps : sequence of Step
            Steps done so far.

        Returns
        -------
        bool
            Whether to stop.
        """
        searching = problem.largest is None and len(steps) >= len(problem.keep)
        return searching and stopped(steps, self.patience, self.epsilon)
