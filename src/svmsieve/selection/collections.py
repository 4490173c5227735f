"""Rows that are not in memory: Dask collections and row chunks become a task, checked in two passes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from svmsieve.engine.machines.target import Classes, Numbers, Target
from svmsieve.inputs.estimators import is_regressor
from svmsieve.inputs.questions import is_nystroem
from svmsieve.inputs.table import is_dask
from svmsieve.runtime.seeds import seed_of
from svmsieve.runtime.threads import one_blas_thread
from svmsieve.scale.chunks import Chunks
from svmsieve.scale.dask_chunks import as_chunks
from svmsieve.scale.driver import refuse_filter
from svmsieve.scale.losses import Losses
from svmsieve.scale.prepared_rows import SurveyedRows, is_regression
from svmsieve.scale.sample_groups import NumberedGroups, list_groups
from svmsieve.scale.shared_passes import SharedPasses
from svmsieve.selection.specification import (
    Samples,
    check_settings,
    number_of_landmarks,
    task_of,
)
from svmsieve.selection.task import Collected, Task


def is_row_chunks(X: Any) -> bool:
    """Whether samples are looked at in row chunks, wherever they are."""
    return isinstance(X, Chunks) or is_dask(X)


def specify_rows(sieve: Any, X: Any, y: Any, sample_weight: Any, sample_groups: Any) -> Task:
    """Check everything once, in one pass over the rows; another draws a sample of them."""
    check_settings(sieve)
    if not is_nystroem(sieve.machine):
        raise ValueError(
            "machine='exact' needs all rows in memory, and X is a collection whose rows may not fit; use "
            "machine='nystroem', or X.compute()."
        )
    sieve._imputes(None)  # refuses what missing must not be
    chunks = chunks_of(X, y, sample_weight, sample_groups)
    shared = SharedPasses(chunks)
    n_landmarks = number_of_landmarks(sieve)
    with one_blas_thread():
        surveyed = SurveyedRows.of(shared, n_landmarks, seed_of(sieve.random_state))
    survey, raw = surveyed.survey, surveyed.raw
    survey.moments.refuse_tiny(chunks.names)
    if sieve.missing == "error":
        survey.moments.refuse_missing(chunks.names)
    regression = is_regression(survey, sieve.criterion, is_regressor(sieve.estimator))
    groups = None
    if raw.groups is not None:
        groups = list_groups(shared, None if regression else survey.labels.values)
        numbered = NumberedGroups(chunks, groups)
        raw, shared = numbered.number(raw), SharedPasses(numbered)
        surveyed = replace(surveyed, raw=raw)
    target: Target = (
        Numbers(np.asarray(raw.y, dtype=np.float64), raw.groups)
        if regression
        else _classes(surveyed)
    )
    impute = sieve.missing == "mean" and not survey.sparse
    sieve.n_features_in_ = chunks.n_features
    sieve.__dict__.pop("feature_names_in_", None)
    if hasattr(X, "columns") or isinstance(X, Chunks):
        sieve.feature_names_in_ = np.array(chunks.names, dtype=object)
    rows = Collected(shared, surveyed, groups)
    task = task_of(sieve, Samples(raw.X, target, raw.weight, chunks.names, impute, rows))
    if task.criterion.is_filter:
        refuse_filter(task.criterion)
    if task.rule.probe_copies or task.rule.half_pairs:
        raise ValueError(
            f"n_features_to_select={sieve.n_features_to_select!r} draws samples in memory, and X is a "
            "collection; use 'auto', '1se', 'best', 'threshold' or a number."
        )
    return task


def chunks_of(X: Any, y: Any, sample_weight: Any, groups: Any = None) -> Chunks:
    """Return a collection, or row chunks that hold their own target, as row chunks."""
    if not isinstance(X, Chunks):
        return as_chunks(X, y, sample_weight, groups=groups)
    if not (y is None and sample_weight is None and groups is None):
        raise ValueError(
            "y, sample_weight and groups must be None with row chunks, which hold their own."
        )
    if X.n_rows < 2:
        raise ValueError(f"X must hold at least two samples, got {X.n_rows}.")
    return X


def _classes(surveyed: SurveyedRows) -> Classes:
    """The classes of the sample's rows, and all that there are."""
    values = surveyed.survey.labels.values
    return Classes(values, Losses(1.0, values).codes(surveyed.raw.y), surveyed.raw.groups)
