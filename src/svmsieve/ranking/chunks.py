"""Rank the features of a data set in row chunks: with the Nyström machine, or by a filter."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from svmsieve.criteria import Criterion, make_criterion
from svmsieve.criteria.registry import refuse_task
from svmsieve.engine.arrays import check_count
from svmsieve.engine.machines.plan import Plan
from svmsieve.inputs.estimators import is_regressor, make_plan, refuse_parameters
from svmsieve.inputs.feature_groups import joint_units, unit_names
from svmsieve.inputs.scaling import Standardising, scale_of_target
from svmsieve.ranking.filters import rank_by_filter
from svmsieve.ranking.result import Ranking, warn_of_zeros
from svmsieve.runtime.memory import check_memory
from svmsieve.runtime.seeds import seed_of
from svmsieve.runtime.threads import one_blas_thread
from svmsieve.scale.chunks import Chunks
from svmsieve.scale.driver import refuse_criterion, streamed_scores
from svmsieve.scale.prepared_rows import PreparedRows, Preparing, SurveyedRows, is_regression
from svmsieve.scale.stream import Stream
from svmsieve.scale.tuning import TuningRows, tuned_plan


@dataclass(frozen=True)
class _Prepared:
    """A data set in row chunks, ready for the Nyström machine."""

    criterion: Criterion
    plan: Plan
    stream: Stream
    names: list[str]


def prepare_chunks(
    chunks: Chunks,
    criterion: Any,
    estimator: Any,
    *,
    scale: bool,
    missing: str,
    random_state: Any,
    n_landmarks: int,
    memory: float | None,
) -> _Prepared:
    """Survey the rows in one pass, draw sample and landmarks in another, choose C and γ."""
    n_landmarks = check_count(n_landmarks, "n_landmarks")
    memory = check_memory(memory)
    if missing not in ("error", "mean"):
        raise ValueError(f"missing must be 'error' or 'mean', got {missing!r}.")
    seed = seed_of(random_state)
    known = SurveyedRows.of(chunks, n_landmarks, seed)
    survey = known.survey
    survey.moments.refuse_tiny(chunks.names)
    if missing == "error":
        survey.moments.refuse_missing(chunks.names)
    regression = is_regression(survey, criterion, is_regressor(estimator))
    impute = missing == "mean" and not survey.sparse
    scale_target = scale or estimator is None
    preparing = Preparing(scale, impute, regression, scale_target, n_landmarks, seed)
    rows = PreparedRows.of(chunks, preparing, known)
    stream = rows.stream
    target = stream.target
    chosen = make_criterion(criterion, target.task)
    refuse_task(chosen, target.task)
    refuse_parameters(estimator, target)
    plan = make_plan(estimator, stream.sample.X, target)
    chosen.refuse_kernel(plan.kernel)
    refuse_criterion(chosen, plan.kernel)
    if estimator is None and chosen.machine is not None:
        target_scaling = partial(scale_of_target, scale=scale, estimator=estimator)
        own = Standardising(scale, impute)
        tuned = TuningRows(rows.raw.X, target, rows.raw.weight, own, target_scaling)
        plan = tuned_plan(plan, tuned, seed)
    return _Prepared(chosen, plan, stream, chunks.names)


def rank_chunks(
    chunks: Chunks,
    criterion: str | Criterion = "auto",
    estimator: Any = None,
    *,
    scale: bool = True,
    missing: str = "error",
    groups: Any = None,
    random_state: Any = None,
    memory: float | None = None,
    n_landmarks: int = 1000,
) -> Ranking:
    """Rank the features of a data set in row chunks: ``rank`` with the Nyström machine, out of core.

    One pass surveys the rows, one draws a sample, about ten train the machine, one or two score.  A
    filter needs no machine and one pass.
    Parameters as for :func:`svmsieve.rank`; ``missing="mean"`` fills missing values with the means of
    their columns.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from svmsieve.scale.chunks import RowChunks
    >>> X, y = load_iris(return_X_y=True)
    >>> ranking = rank_chunks(RowChunks(X, y, memory=1000), "fspp2", SVC(C=10), n_landmarks=50)
    >>> sorted(ranking.order[:2].tolist())
    [2, 3]
    """
    grouped = joint_units(groups, chunks.names)
    if chunks.n_rows < 2:
        raise ValueError(
            f"chunks must hold at least two rows, got {chunks.n_rows}; give more data."
        )
    if criterion != "auto" and make_criterion(criterion, "binary").is_filter:
        regression = is_regressor(estimator)
        return rank_by_filter(
            chunks, criterion, missing=missing, groups=groups, regression=regression
        )
    with one_blas_thread():
        prepared = prepare_chunks(
            chunks,
            criterion,
            estimator,
            scale=scale,
            missing=missing,
            random_state=random_state,
            n_landmarks=n_landmarks,
            memory=memory,
        )
        stream = prepared.stream.columns(np.arange(chunks.n_features))
        machines = stream.train(
            prepared.plan, probabilities=prepared.criterion.needs_probabilities, memory=memory
        )
        scores = streamed_scores(
            prepared.criterion, stream, machines, grouped, seed_of(random_state)
        )
    warn_of_zeros(scores.max(), len(scores), prepared.criterion, estimator)
    words = [
        "Nyström",
        type(prepared.plan.kernel).__name__,
        f"{machines.expansions[0].centers.shape[0]} landmarks",
        f"C={prepared.plan.machine.C:g}",
    ]
    if prepared.plan.gamma is not None:
        words.append(f"gamma={prepared.plan.gamma:g}")
    return Ranking(
        scores,
        np.argsort(-scores, kind="stable"),
        unit_names(groups, prepared.names),
        prepared.criterion.name,
        ", ".join(words),
        grouped,
    )
