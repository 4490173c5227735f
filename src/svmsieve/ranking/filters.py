"""Rank the features of a data set in row chunks by a filter, in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmsieve.criteria import Criterion, make_criterion
from svmsieve.criteria.final_scores import checked_scores
from svmsieve.criteria.registry import refuse_task
from svmsieve.inputs.feature_groups import joint_units, unit_names
from svmsieve.inputs.questions import asks_for_regression
from svmsieve.inputs.target import make_target
from svmsieve.ranking.result import Ranking, warn_of_zeros
from svmsieve.scale.chunks import Chunks
from svmsieve.scale.driver import MomentDriver, refuse_filter
from svmsieve.scale.moments import FilterSums, filter_sums


def rank_by_filter(
    chunks: Chunks,
    criterion: str | Criterion,
    *,
    missing: str = "error",
    groups: Any = None,
    regression: bool | None = None,
) -> Ranking:
    """Rank the features of a data set in row chunks by a filter, in one pass.

    Parameters
    ----------
    chunks : the rows
    criterion : one of :data:`svmsieve.scale.driver.IN_ONE_PASS`
    missing : ``"error"`` refuses missing values, ``"mean"`` fills them with the means of their columns
    groups : columns that are scored as one, as for :func:`svmsieve.rank`
    regression : whether the target is a number; None guesses as :func:`svmsieve.rank` does

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svmsieve.scale.chunks import RowChunks
    >>> X, y = load_iris(return_X_y=True)
    >>> rank_by_filter(RowChunks(X, y, memory=1000), "f-score").order.tolist()
    [2, 3, 0, 1]
    """
    if missing not in ("error", "mean"):
        raise ValueError(f"missing must be 'error' or 'mean', got {missing!r}.")
    grouped = joint_units(groups, chunks.names)
    sums: FilterSums = chunks.total(filter_sums, chunks.names)
    moments, labels = sums.survey.moments, sums.survey.labels
    moments.refuse_tiny(chunks.names)
    if missing == "error":
        moments.refuse_missing(chunks.names)
    if not moments.weight > 0.0:
        raise ValueError("sample_weight must not be zero for all samples.")
    if regression is None:
        regression = labels.values is None or asks_for_regression(labels.values, criterion)
    task = "regression"
    if not regression:
        if labels.values is None:
            raise ValueError("y holds too many different values for classes; they are numbers.")
        task = make_target(labels.values, False, len(labels.values)).task
    chosen = make_criterion(criterion, task)
    refuse_task(chosen, task)
    refuse_filter(chosen)
    scores = checked_scores(chosen, chosen.fed_by(MomentDriver(sums, regression, grouped)))
    warn_of_zeros(scores.max(), len(scores), chosen, None)
    order = np.argsort(-scores, kind="stable")
    names = unit_names(groups, chunks.names)
    return Ranking(scores, order, names, chosen.name, "no machine", grouped)
