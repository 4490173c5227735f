"""Rank the features of a Dask array or data frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from svmsieve.criteria import make_criterion
from svmsieve.estimators import is_regressor
from svmsieve.ranking import Ranking, is_nystroem
from svmsieve.scale.dask_chunks import as_chunks
from svmsieve.scale.filters import rank_by_filter
from svmsieve.scale.ranking import rank_chunks


def rank_collection(
    X: Any,
    y: Any,
    criterion: Any,
    estimator: Any,
    *,
    sample_weight: Any,
    groups: Any,
    machine: str,
    missing: str = "error",
    progress: Callable[[], None] | None = None,
    **options: Any,
) -> Ranking:
    """Do what :func:`svmsieve.rank` does, where the rows are: on the workers of the current client.

    ``progress`` is called after each partition, or each pass that adds up on the workers.
    A filter takes one pass over the rows, a criterion of the Nyström machine about fifteen; ``options``
    are those of :func:`~svmsieve.scale.ranking.rank_chunks`.
    """
    nystroem = is_nystroem(machine)
    chosen = None if criterion == "auto" else make_criterion(criterion, "binary")
    if chosen is not None and chosen.is_filter:
        chunks = as_chunks(X, y, sample_weight, progress=progress)
        regression = is_regressor(estimator)
        return rank_by_filter(
            chunks, criterion, missing=missing, groups=groups, regression=regression
        )
    if not nystroem:
        raise ValueError(
            "machine='exact' needs all rows in memory, and X is a collection of Dask; use "
            "machine='nystroem', a filter, or X.compute()."
        )
    chunks = as_chunks(X, y, sample_weight, progress=progress)
    return rank_chunks(chunks, criterion, estimator, missing=missing, groups=groups, **options)
