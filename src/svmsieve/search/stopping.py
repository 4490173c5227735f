"""When a forward search has seen enough (Kohavi & Sommerfield 1995)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from svmsieve.search.contract import Step


def mean_score(step: Step) -> float:
    """Mean over the folds of a step's cross-validation."""
    return float(np.mean(step.fold_scores))


def stopped(steps: Sequence[Step], patience: int, epsilon: float) -> bool:
    """Whether the last ``patience`` additions brought no gain above ``epsilon``."""
    if len(steps) <= patience:
        return False
    earlier = max(mean_score(step) for step in steps[:-patience])
    return all(mean_score(step) <= earlier + epsilon for step in steps[-patience:])
