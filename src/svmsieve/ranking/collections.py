"""Rank the features of a Dask array or data frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from svmsieve.criteria import make_criterion
from svmsieve.inputs.questions import is_nystroem
from svmsieve.ranking.chunks import rank_chunks
from svmsieve.ranking.result import Ranking
from svmsieve.scale.dask_chunks import as_chunks


def rank_collection(
    X: Any,
    y: Any,
    criterion: Any,
    estimator: Any,
    *,
    sample_weight: Any,
    machine: str,
    progress: Callable[[], None] | None = None,
    **options: Any,
) -> Ranking:
    """Do what :func:`svmsieve.rank` does, where the rows are: on the workers of the current client.

    ``progress`` is called after each partition, or each pass that adds up on the workers.
    A filter takes one pass over the rows, a criterion of the Nyström machine about fifteen; ``options``
    are those of :func:`~svmsieve.ranking.chunks.rank_chunks`.
    """
    is_filter = criterion != "auto" and make_criterion(criterion, "binary").is_filter
    if not is_nystroem(machine) and not is_filter:
        raise ValueError(
            "machine='exact' needs all rows in memory, and X is a collection of Dask; use "
            "machine='nystroem', a filter, or X.compute()."
        )
    chunks = as_chunks(X, y, sample_weight, progress=progress)
    return rank_chunks(chunks, criterion, estimator, **options)
