"""Rank the features of a data set once: ``svmsieve.rank``."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmsieve.criteria import Criterion, final_scores, make_criterion
from svmsieve.inputs.feature_groups import unit_names
from svmsieve.inputs.questions import is_nystroem
from svmsieve.inputs.table import as_matrix, feature_names, is_dask
from svmsieve.inputs.target import check_target_shape, check_weights
from svmsieve.ranking.exact import PreparedSamples, check_samples, prepare
from svmsieve.ranking.result import Ranking, warn_of_zeros
from svmsieve.runtime.memory import check_memory
from svmsieve.runtime.threads import one_blas_thread


def rank(
    X: Any,
    y: Any,
    criterion: str | Criterion = "auto",
    estimator: Any = None,
    *,
    scale: bool = True,
    groups: Any = None,
    sample_weight: Any = None,
    random_state: Any = None,
    memory: float | str | None = None,
    machine: str = "exact",
    n_landmarks: int = 1000,
) -> Ranking:
    """Rank the features of a data set by what they mean to a support vector machine.

    Parameters
    ----------
    X : {array-like, sparse matrix, Dask collection} of shape (n_samples, n_features)
        Data frame, array or sparse matrix of shape (n_samples, n_features); a Dask array or data
        frame with a filter or ``machine="nystroem"``, worked on by the workers of the current Dask
        client.
    y : array-like of shape (n_samples,)
        Class labels or numbers; of a Dask collection a Dask array or series with the same
        partitions.
    criterion : str or Criterion, default="auto"
        Name of a criterion (:data:`svmsieve.criteria.CRITERIA`), an instance, or ``"auto"``:
        ``fspp2`` for classes, ``sd-gauss`` for a numeric target.
    estimator : SVC, SVR, LinearSVC, LinearSVR or None, default=None
        A scikit-learn SVC, SVR, LinearSVC or LinearSVR, whose parameters are taken over; None tunes
        an RBF machine on the papers' grid.
    scale : bool, default=True
        Standardise the columns first (a sparse matrix is divided by its deviations only), and a
        numeric target: an SVR's C and ε are meant on it, whatever the target's units. False with an
        SVR given leaves the target as it is; a tuned machine has it standardised all the same.
    groups : lists, labels, mapping or None, default=None
        Columns that belong together, such as one-hot columns, scored as one: lists of columns (by
        name or index), one label for each column, or a mapping from columns to labels; columns that
        are not mentioned, or whose label is None, stand alone. The same as in
        :class:`svmsieve.SVMSieve`.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights of the samples.
    random_state : int, RandomState or None, default=None
        Seed of the permutations and folds; None is 0, so that a ranking can be repeated.
    memory : float, str or None, default=None
        Bytes the kernel matrices may take, or text such as ``"4GB"``.
    machine : str, default="exact"
        ``"exact"``, or ``"nystroem"`` for more rows than a kernel matrix allows: linear in the
        rows, for the criteria that are built on the machine's response (see ``docs/scale.md``).
    n_landmarks : int, default=1000
        Rows that span the Nyström machine's space.

    Returns
    -------
    Ranking
        Its scores are computed to about four digits, which is enough to compare them and far below
        what another permutation would change.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> ranking = rank(X, y, "fspp2", SVC(C=10), random_state=0)
    >>> ranking.names[ranking.order[0]]
    'petal length (cm)'
    """
    memory = check_memory(memory)
    if is_dask(X):
        from svmsieve.ranking.collections import rank_collection

        return rank_collection(
            X,
            y,
            criterion,
            estimator,
            sample_weight=sample_weight,
            groups=groups,
            machine=machine,
            scale=scale,
            random_state=random_state,
            memory=memory,
            n_landmarks=n_landmarks,
        )
    if is_nystroem(machine) and (
        criterion == "auto" or not make_criterion(criterion, "binary").is_filter
    ):
        from svmsieve.ranking.chunks import rank_chunks
        from svmsieve.scale.chunks import RowChunks

        matrix = as_matrix(X)
        names = feature_names(X if hasattr(X, "columns") else matrix)
        labels = check_target_shape(y, matrix.shape[0])
        if sample_weight is not None:
            sample_weight = check_weights(sample_weight, matrix.shape[0])
        return rank_chunks(
            RowChunks(matrix, labels, sample_weight, names),
            criterion,
            estimator,
            scale=scale,
            groups=groups,
            random_state=random_state,
            memory=memory,
            n_landmarks=n_landmarks,
        )
    with one_blas_thread():
        checked = check_samples(
            X, y, criterion, estimator, groups=groups, sample_weight=sample_weight
        )
        prepared = prepare(checked, scale=scale, random_state=random_state, memory=memory)
        scores = final_scores(prepared.criterion, prepared.fitted(), prepared.data)
    warn_of_zeros(scores.max(), len(scores), prepared.criterion, estimator)
    return Ranking(
        scores,
        np.argsort(-scores, kind="stable"),
        unit_names(groups, prepared.names),
        prepared.criterion.name,
        _in_words(prepared),
        prepared.data.groups,
    )


def _in_words(prepared: PreparedSamples) -> str:
    if prepared.criterion.machine is None:
        return "no machine"
    kernel = prepared.plan.kernel
    words = [type(kernel).__name__, f"C={prepared.plan.machine.C:g}"]
    if hasattr(kernel, "gamma"):
        words.append(f"gamma={kernel.gamma:g}")
    return ", ".join(words)
