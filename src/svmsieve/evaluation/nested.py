"""Nested evaluation: selection, tuning and choice of size repeated inside every outer fold."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from joblib.parallel import get_active_backend
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import indexable

from svmsieve.engine.arrays import IntArray, refuse_masked
from svmsieve.engine.spreading import cluster, spread, tell
from svmsieve.engine.target import Classes
from svmsieve.evaluation.folds import evaluate_fold
from svmsieve.evaluation.intervals import mean_group_size
from svmsieve.evaluation.metrics import Metric, make_metric
from svmsieve.evaluation.results import FoldResult, NestedEvaluation
from svmsieve.evaluation.trial import refuse_metric
from svmsieve.interruption import Workers, as_interrupt
from svmsieve.journal import Journal, alone
from svmsieve.preparation import check_sample_groups, feature_names, make_target
from svmsieve.progress import Progress
from svmsieve.ranking import asks_for_regression, seed_of
from svmsieve.record import fingerprint, make_header
from svmsieve.runs import make_folds, n_split_groups
from svmsieve.search.contract import Step

_NOT_PART_OF_THE_RUN = ("n_jobs", "checkpoint", "verbose", "callback", "memory")


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
    selector : SVMSieve, or any scikit-learn classifier, regressor or pipeline that predicts
        Selected features are told where it, or steps of it, are selectors; scores at each size where
        it, or its last step, is an SVMSieve.
    X : data frame, array or sparse matrix
    y : class labels or numbers
    outer_cv : int, cross-validation splitter or list of (training, test) rows
        A number means shuffled, for classes stratified folds.  Repeated folds and random splits of
        scikit-learn work; so does :class:`Bootstrap`.
    groups : label of each sample: those that belong together (replicates, one patient)
        A number of folds then means folds of whole groups, a splitter is given them, and a warning says
        where folds split some.  What is fitted gets those of its samples, where it takes ``groups``: an
        SVMSieve, a search, a step of a pipeline.
    scoring : {"accuracy", "ber", "auc", "mse"}, name of a scikit-learn scorer, scorer or None
        None is accuracy for classes and R² for numbers.  ``ber`` and ``mse`` are errors: lower is better.
    random_state : seed of the folds that a number of folds means; None is 0
    n_jobs : outer folds to run at a time, through joblib (threads, unless a joblib backend is set)
    checkpoint : path or None
        File that records every fold as it ends; an interrupted evaluation continues from it.  A sieve's
        steps inside a fold are recorded beside it until the fold is done.
    verbose : 1 shows a progress bar

    Returns
    -------
    NestedEvaluation

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
    return evaluate_all(
        {"selector": selector},
        X,
        y,
        outer_cv,
        groups=groups,
        scoring=scoring,
        random_state=random_state,
        n_jobs=n_jobs,
        checkpoint=checkpoint,
        verbose=verbose,
    )["selector"]


@dataclass(frozen=True)
class _Job:
    """What the folds of all methods share."""

    X: Any
    y: Any
    folds: list[tuple[IntArray, IntArray]]
    metric: Metric
    journal: Journal | None
    groups: IntArray | None = None
    workers: Workers = field(default_factory=Workers)

    def run(self, name: str, number: int, place: int, selector: Any) -> FoldResult:
        """Run one method on one fold and record it."""
        self.workers.go_on()
        with self.workers.working():
            inner = self._inner_checkpoints(selector, f"{place}-{number}")
            prepared = clone(selector).set_params(**inner, **self._stopping(selector))
            try:
                result = evaluate_fold(
                    prepared, self.X, self.y, *self.folds[number], self.metric, self.groups
                )
            except Exception as error:
                error.add_note(f"in fold {number} of the evaluation of {name!r}")
                raise
            self.record(name, number, result)
            for path in inner.values():
                if path is not None:
                    FilePath(path).unlink(missing_ok=True)
            return result

    def record(self, name: str, number: int, result: FoldResult) -> None:
        """Write down that a fold is done."""
        if self.journal is not None:
            self.journal.append({"method": name, "fold": number, **result.to_dict()})

    def _inner_checkpoints(self, selector: Any, place: str) -> dict[str, str | None]:
        """A file of its own for each sieve inside: one file would be of several runs."""
        keys = _keys(selector, "checkpoint")
        if self.journal is None:
            return dict.fromkeys(keys)
        return {key: f"{self.journal.path}.{place}.{i}" for i, key in enumerate(keys)}

    def _stopping(self, selector: Any) -> dict[str, Callable[[Any], None]]:
        """Sieves look at each step whether they are to stop."""
        parameters = selector.get_params()
        return {
            key: _AskBetweenSteps(self.workers, parameters[key])
            for key in _keys(selector, "callback")
            if _has_sibling(parameters, key, "checkpoint")
        }


@dataclass(frozen=True)
class _AskBetweenSteps:
    """A sieve's callback that lets Ctrl-C end it at its next step."""

    workers: Workers
    callback: Callable[[Any], None] | None

    def __call__(self, step: Any) -> None:
        if self.callback is not None:
            self.callback(step)
        self.workers.go_on()

    def __deepcopy__(self, memo: dict[int, Any]) -> _AskBetweenSteps:
        return self  # a cloned sieve has to hear of the same Ctrl-C


def _keys(selector: Any, name: str) -> list[str]:
    """The (nested) parameters of this name."""
    return [key for key in selector.get_params() if key.split("__")[-1] == name]


def _has_sibling(parameters: Mapping[str, Any], key: str, name: str) -> bool:
    return "__".join([*key.split("__")[:-1], name]) in parameters


def evaluate_all(
    selectors: Mapping[str, Any],
    X: Any,
    y: Any,
    outer_cv: Any,
    *,
    groups: Any = None,
    scoring: Any,
    random_state: Any,
    n_jobs: int | None,
    checkpoint: str | os.PathLike[str] | None,
    verbose: int,
) -> dict[str, NestedEvaluation]:
    """Evaluate several methods on the same outer folds, all folds of all methods side by side."""
    for values, what in ((X, "X"), (y, "y"), (groups, "groups")):
        refuse_masked(values, what)
    regression = _task(selectors, y)
    X, y = indexable(X, np.asarray(y))
    X = X.tocsr() if sp.issparse(X) else (X if hasattr(X, "shape") else np.asarray(X))
    seed = seed_of(random_state)
    sample_groups = check_sample_groups(groups, X.shape[0])
    target = replace(make_target(y, regression, X.shape[0]), groups=sample_groups)
    y = target.labels
    folds = _checked(make_folds(outer_cv, target, seed, "outer_cv"))
    metric = make_metric(scoring, regression)
    refuse_metric(metric, selectors, X, target)
    names = feature_names(X)
    journal = None
    if checkpoint is not None:
        header = _header(selectors, X, y, folds, metric, sample_groups)
        journal = Journal(checkpoint, header)
    job = _Job(X, y, folds, metric, journal, sample_groups)
    with alone(checkpoint), as_interrupt():
        done = _run_missing(job, selectors, n_jobs, verbose)
    classes = target.classes if isinstance(target, Classes) else None
    n_groups = None
    if sample_groups is not None and n_split_groups(folds, sample_groups) == 0:
        n_groups = len(np.unique(sample_groups))
    return {
        name: NestedEvaluation(
            metric,
            tuple(done[name, number] for number in range(len(folds))),
            y,
            classes,
            names,
            n_groups,
            1.0 if sample_groups is None else mean_group_size(sample_groups),
        )
        for name in selectors
    }


def _run_missing(
    job: _Job, selectors: Mapping[str, Any], n_jobs: int | None, verbose: int
) -> dict[tuple[str, int], FoldResult]:
    """Run the folds that are not in the record yet; return all of them."""
    done = _read(job.journal, job.y.dtype)
    missing = [
        (name, number, place)
        for place, name in enumerate(selectors)
        for number in range(len(job.folds))
        if (name, number) not in done
    ]
    with Progress(bool(verbose), len(selectors) * len(job.folds), "outer folds") as bar:
        bar.advance(len(done))
        backend = cluster()
        if backend is None:
            results = _parallel(job, selectors, missing, n_jobs)
        else:
            results = _elsewhere(backend, job, selectors, missing)
        for place, result in results:
            name, number, _ = missing[place]
            done[name, number] = result
            bar.advance()
    return done


_Folds = list[tuple[str, int, int]]
"""Name of the method, number of the fold, place of the method."""


def _parallel(
    job: _Job, selectors: Mapping[str, Any], folds: _Folds, n_jobs: int | None
) -> Iterator[tuple[int, FoldResult]]:
    """Yield the results in order; when something ends this, nothing is left running."""
    if not folds:
        return
    calls = [delayed(job.run)(*fold, selectors[fold[0]]) for fold in folds]
    backend, _ = get_active_backend(prefer="threads")
    one_by_one = "generator" if backend.supports_return_generator else "list"
    results = Parallel(n_jobs=n_jobs, prefer="threads", return_as=one_by_one)(calls)
    try:
        yield from enumerate(results)
    except BaseException:
        with warnings.catch_warnings():  # joblib's, of the folds that are given up
            warnings.simplefilter("ignore", UserWarning)
            del results
        job.workers.stop()
        raise


def _elsewhere(
    backend: Any, job: _Job, selectors: Mapping[str, Any], folds: _Folds
) -> Iterator[tuple[int, FoldResult]]:
    """Yield the results of a cluster's tasks as they come, each recorded here.

    Workers may be on other machines: they write no files, and tell of the sieves' steps.
    """
    callbacks = {
        name: [each for key in _keys(selector, "callback") if (each := selector.get_params()[key])]
        for name, selector in selectors.items()
    }
    silent = {name: _silent(selector) for name, selector in selectors.items()}
    remote = replace(job, journal=None, workers=Workers())

    def hear(message: Any) -> None:
        name, step = message
        for callback in callbacks[name]:
            callback(Step(**step))

    for place, result in spread(backend, _fold_of, folds, (remote, silent), hear):
        name, number, _ = folds[place]
        job.record(name, number, result)
        yield place, result


def _silent(selector: Any) -> Any:
    """The selector as it goes to another machine."""
    silent = {key: None for name in ("n_jobs", "callback") for key in _keys(selector, name)}
    return clone(selector).set_params(**silent, **dict.fromkeys(_keys(selector, "verbose"), False))


def _fold_of(shared: tuple[_Job, dict[str, Any]], name: str, number: int, place: int) -> FoldResult:
    """Run one method on one fold in a task of a cluster."""
    job, selectors = shared
    heard = {
        key: _TellOfSteps(name)
        for key in _keys(selectors[name], "callback")
        if _has_sibling(selectors[name].get_params(), key, "checkpoint")
    }
    return job.run(name, number, place, clone(selectors[name]).set_params(**heard))


@dataclass(frozen=True)
class _TellOfSteps:
    """A sieve's callback in a task of a cluster."""

    name: str

    def __call__(self, step: Step) -> None:
        tell([self.name, step.to_dict()])


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
    plain = clone(selector)
    return plain.set_params(
        **{key: None for name in _NOT_PART_OF_THE_RUN for key in _keys(plain, name)}
    )


def _read(journal: Journal | None, dtype: Any) -> dict[tuple[str, int], FoldResult]:
    """Return the folds that are done already; start the record where there is none."""
    if journal is None:
        return {}
    lines = journal.read()
    if not lines:
        journal.append()
    return {
        (line.pop("method"), line.pop("fold")): FoldResult.from_dict(line, dtype) for line in lines
    }
