"""Nested evaluation: selection, tuning and choice of size repeated inside every outer fold."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import indexable

from svmsieve.engine.arrays import IntArray, refuse_masked
from svmsieve.engine.machines.scoring import default_scoring
from svmsieve.engine.machines.target import Classes
from svmsieve.evaluation.fold_jobs import Begun, _Job, _keys, begun, of_fold
from svmsieve.evaluation.fold_result import FoldResult
from svmsieve.evaluation.intervals import mean_group_size
from svmsieve.evaluation.metrics import Metric, make_metric
from svmsieve.evaluation.results import NestedEvaluation
from svmsieve.evaluation.trial import refuse_metric
from svmsieve.inputs.folds import make_folds, n_split_groups, warn_of_missing_classes
from svmsieve.inputs.questions import asks_for_regression
from svmsieve.inputs.table import feature_names
from svmsieve.inputs.target import check_sample_groups, make_target
from svmsieve.runtime.interruption import as_interrupt
from svmsieve.runtime.journal import Journal, alone
from svmsieve.runtime.seeds import seed_of
from svmsieve.selection.record import fingerprint, make_header
from svmsieve.selection.specification import NOT_PART_OF_THE_RUN


def nested_evaluate(
    selector: Any,
    X: Any,
    y: Any,
    outer_cv: Any = 5,
    *,
    groups: Any = None,
    scoring: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    verbose: int = 0,
) -> NestedEvaluation:
    """Judge a method by samples that no part of it saw.

    In every outer fold a copy of the selector is fitted to the training samples alone: ranking, tuning
    and the choice of the size are all repeated.  Ranking once on all samples and cross-validating only the
    machine instead makes noise look like knowledge (Ambroise & McLachlan 2002, PNAS 99, 6562).

    Parameters
    ----------
    selector : SVMSieve or estimator
        SVMSieve, or any scikit-learn classifier, regressor or pipeline that predicts. Selected
        features are told where it, or steps of it, are selectors; scores at each size where it, or
        its last step, is an SVMSieve. A list of them has one for each outer fold.
    X : data frame, array or sparse matrix
        The samples.
    y : array-like of shape (n_samples,)
        Class labels or numbers.
    outer_cv : int, cross-validation splitter or list of (training, test) rows, default=5
        A number means shuffled, for classes stratified folds. Repeated folds and random splits of
        scikit-learn work; so does :class:`Bootstrap`.
    groups : array-like of shape (n_samples,) or None, default=None
        Label of each sample: those that belong together (replicates, one patient). A number of folds
        then means folds of whole groups, a splitter is given them, and a warning says where folds
        split some. What is fitted gets those of its samples, where it takes ``groups``: an
        SVMSieve, a search, a step of a pipeline.
    scoring : {"accuracy", "ber", "auc", "mse"}, str, callable or None, default=None
        A name, also of a scikit-learn scorer, or a scorer. None is what an SVMSieve goes by: accuracy
        for classes, balanced where the largest has more than four times the samples of the smallest,
        and R² for numbers. ``ber`` and ``mse`` are errors: lower is better.
    random_state : int, RandomState or None, default=None
        Seed of the folds that a number of folds means; None is 0.
    n_jobs : int or None, default=None
        Outer folds to run at a time, through joblib (threads, unless a joblib backend is set).
    checkpoint : path or None, default=None
        File that records every fold as it ends; an interrupted evaluation continues from it. A
        sieve's steps inside a fold are recorded beside it until the fold is done.
    verbose : int, default=0
        1 shows a progress bar.

    Returns
    -------
    NestedEvaluation
        Scores, predictions and selected features of each fold.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> sieve = SVMSieve(SVC(C=10), criterion="f-score", search="once", n_features_to_select=5)
    >>> evaluation = nested_evaluate(sieve, X, y, outer_cv=3, scoring="ber")
    >>> evaluation.mean < 0.1
    True
    >>> evaluation.n_features
    [5, 5, 5]
    """
    running = Running(n_jobs, checkpoint, verbose)
    options = {"groups": groups, "scoring": scoring, "random_state": random_state}
    with evaluating({"selector": selector}, X, y, outer_cv, running, **options) as found:
        return found.end()["selector"]


class Running(NamedTuple):
    """How an evaluation is run: what changes nothing in what it finds.

    Attributes
    ----------
    n_jobs, checkpoint, verbose : those of :func:`nested_evaluate`
    n_processes : processes that share the folds, this one included
    """

    n_jobs: int | None = None
    checkpoint: str | os.PathLike[str] | None = None
    verbose: int = 0
    n_processes: int = 1


@dataclass(frozen=True)
class Evaluating:
    """An evaluation under way.

    Attributes
    ----------
    folds : its outer folds
    concluded : what makes the evaluation of each method out of the results
    running : how it is run
    """

    folds: Begun
    concluded: Callable[[dict[tuple[str, int], FoldResult]], dict[str, NestedEvaluation]]
    running: Running

    @property
    def share(self) -> float:
        """Folds that are left to this process, about."""
        return self.folds.share

    def end(self) -> dict[str, NestedEvaluation]:
        """Bring it to its end."""
        return self.concluded(self.folds.end(self.running.n_jobs, self.running.verbose))


@contextmanager
def evaluating(
    selectors: Mapping[str, Any],
    X: Any,
    y: Any,
    outer_cv: Any,
    running: Running,
    *,
    groups: Any,
    scoring: Any,
    random_state: Any,
) -> Iterator[Evaluating]:
    """Evaluate several methods on the same outer folds, all folds of all methods side by side.

    Other processes begin at once; this one takes its part when the evaluation is to be ended.
    """
    for values, what in ((X, "X"), (y, "y"), (groups, "groups")):
        refuse_masked(values, what)
    first = {name: of_fold(selector, 0) for name, selector in selectors.items()}
    regression = _task(first, y)
    X, y = indexable(X, np.asarray(y))
    X = X.tocsr() if sp.issparse(X) else (X if hasattr(X, "shape") else np.asarray(X))
    seed = seed_of(random_state)
    sample_groups = check_sample_groups(groups, X.shape[0])
    target = replace(make_target(y, regression, X.shape[0]), groups=sample_groups)
    y = target.labels
    folds = _checked(make_folds(outer_cv, target, seed, "outer_cv"))
    for name, selector in selectors.items():
        if isinstance(selector, list) and len(selector) != len(folds):
            raise ValueError(
                f"{name} must have one method for each of {len(folds)} folds, got {len(selector)}."
            )
    metric = make_metric(default_scoring(target) if scoring is None else scoring, regression)
    refuse_metric(metric, first, X, target)
    warn_of_missing_classes(folds, target, metric.name, "outer_cv", stacklevel=4)
    names = feature_names(X)
    journal = None
    if running.checkpoint is not None:
        header = _header(selectors, X, y, folds, metric, sample_groups)
        journal = Journal(running.checkpoint, header)
    job = _Job(X, y, folds, metric, journal, sample_groups)
    classes = target.classes if isinstance(target, Classes) else None
    n_groups = None
    if sample_groups is not None and n_split_groups(folds, sample_groups) == 0:
        n_groups = len(np.unique(sample_groups))
    group_size = 1.0 if sample_groups is None else mean_group_size(sample_groups)

    def concluded(done: dict[tuple[str, int], FoldResult]) -> dict[str, NestedEvaluation]:
        of_method = {
            name: tuple(done[name, number] for number in range(len(folds))) for name in selectors
        }
        return {
            name: NestedEvaluation(metric, results, y, classes, names, n_groups, group_size)
            for name, results in of_method.items()
        }

    with (
        alone(running.checkpoint),
        as_interrupt(),
        begun(job, selectors, running.n_processes) as under_way,
    ):
        yield Evaluating(under_way, concluded, running)


def _task(selectors: Mapping[str, Any], y: Any) -> bool:
    """Return whether the methods predict numbers; refuse those that do not predict, or disagree."""
    answers = {}
    for name, selector in selectors.items():
        if not (hasattr(selector, "fit") and hasattr(selector, "predict")):
            raise ValueError(
                f"{name} must have fit and predict, got {type(selector).__name__}; put a selector "
                "before a classifier or regressor, with make_pipeline."
            )
        if is_classifier(selector) or is_regressor(selector):
            answers[name] = is_regressor(selector)
        else:
            answers[name] = asks_for_regression(y, getattr(selector, "criterion", "auto"))
    if len(set(answers.values())) > 1:
        numbers = [name for name, answer in answers.items() if answer]
        raise ValueError(
            "selectors must all be classifiers or all be regressors; these are regressors: "
            f"{', '.join(numbers)}."
        )
    return next(iter(answers.values()))


def _checked(folds: list[tuple[IntArray, IntArray]]) -> list[tuple[IntArray, IntArray]]:
    """Refuse folds that are too few, or whose samples are on both sides."""
    if len(folds) < 2:
        raise ValueError(f"outer_cv must give at least two folds, got {len(folds)}.")
    for number, (train, test) in enumerate(folds):
        if np.intersect1d(train, test).size:
            raise ValueError(
                f"outer_cv must not test on training samples; fold {number} shares some."
            )
    return folds


def _header(
    selectors: Mapping[str, Any],
    X: Any,
    y: Any,
    folds: Sequence[Any],
    metric: Metric,
    groups: IntArray | None,
) -> dict[str, Any]:
    """What the evaluation depends on."""
    parameters = {f"method {name!r}": _plain(selector) for name, selector in selectors.items()}
    parameters["outer_cv"] = [fingerprint(*fold) for fold in folds]
    if groups is not None:
        parameters["groups"] = groups
    parameters["scoring"] = [metric.name, metric.scorer, metric.lower_is_better]
    table = X if sp.issparse(X) else np.asarray(X)
    return make_header(parameters, fingerprint(table, y, np.array(feature_names(X))))


def _plain(selector: Any) -> Any:
    """The selector without what does not change its result."""
    if isinstance(selector, list):
        return [_plain(each) for each in selector]
    plain = clone(selector)
    return plain.set_params(
        **{key: None for name in NOT_PART_OF_THE_RUN for key in _keys(plain, name)}
    )
