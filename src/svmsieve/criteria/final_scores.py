"""The scores of a criterion, checked, as rankings use them."""

from __future__ import annotations

import numpy as np

from svmsieve.criteria.contract import Criterion
from svmsieve.criteria.exact import ExactDriver
from svmsieve.criteria.material import Data, Fitted
from svmsieve.engine.arrays import BoolArray, FloatArray


def final_scores(criterion: Criterion, fitted: Fitted | None, data: Data) -> FloatArray:
    """Return the criterion's scores, checked, with columns that never vary set to zero.

    A constant column tells nothing, whatever a criterion's formula makes of it.

    Parameters
    ----------
    criterion : Criterion
        What scores.
    fitted : Fitted or None
        The trained machines; None for a filter.
    data : Data
        Samples, kernel, target, weights and groups.

    Returns
    -------
    ndarray of float
        The criterion's scores, checked, with columns that never vary set to zero.
    """
    scores = np.asarray(criterion.fed_by(ExactDriver(fitted, data)), dtype=np.float64)
    varies = data.varies
    if varies is None:
        lower, upper = data.range
        varies = upper > lower
    if scores.shape != (data.n_scores,):
        raise ValueError(
            f"criterion {criterion.name!r} must return {data.n_scores} scores, got shape "
            f"{scores.shape}."
        )
    if varies is True or varies.all():
        return checked_scores(criterion, scores)
    return checked_scores(criterion, scores, data.max_groups(varies.astype(np.float64)) > 0.0)


def checked_scores(
    criterion: Criterion, scores: FloatArray, varies: BoolArray | None = None
) -> FloatArray:
    """Return scores that are finite and not negative, zero where nothing varies."""
    if not (scores.min() >= 0.0 and scores.max() < np.inf):  # NaN fails both
        raise ValueError(f"criterion {criterion.name!r} must return finite scores of at least 0.")
    return scores if varies is None else np.where(varies, scores, 0.0)
