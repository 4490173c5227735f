"""SVMSieve: the scikit-learn face that joins machine, criterion, search and size rule."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from numbers import Integral
from os import PathLike
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.svm import SVC, SVR
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from svmsieve.constant import ConstantRegressor
from svmsieve.criteria import CRITERIA, Criterion, make_criterion
from svmsieve.engine.arrays import FloatArray, Matrix, check_count, check_flag, refuse_no_numbers
from svmsieve.engine.columns import column_range
from svmsieve.engine.memory import check_memory
from svmsieve.engine.scoring import DecisionScorer, default_scoring
from svmsieve.engine.target import Numbers, Target
from svmsieve.engine.tuned_grid import TuningRule
from svmsieve.estimators import is_regressor, refuse_parameters, user_C, with_values
from svmsieve.final_machine import (
    final_machine,
    fit_within_limits,
    machine_of_values,
    retuned_values,
)
from svmsieve.fitted import FittedSieve
from svmsieve.interruption import as_interrupt
from svmsieve.journal import alone
from svmsieve.outcome import (
    Outcome,
    chosen_ranker,
    first_steps,
    followed_outcome,
    single_outcome,
    stable_outcome,
)
from svmsieve.preparation import (
    Scale,
    canonical,
    check_sample_groups,
    check_weights,
    feature_names,
    filled,
    make_target,
    present_means,
    refuse_unusable,
    refuse_weightless_class,
    scale_of_target,
)
from svmsieve.progress import Listener, Progress
from svmsieve.ranking import guessed_regression, is_nystroem, seed_of, warn_of_zeros
from svmsieve.record import RunRecord, fingerprint, make_header
from svmsieve.runs import (
    Fold,
    all_samples,
    fold_runs,
    half_runs,
    make_folds,
    n_split_groups,
    run_all,
    turn_name,
    turn_runs,
)
from svmsieve.scale.bench import refuse_exact_only
from svmsieve.scale.estimators import nystroem_like
from svmsieve.search import make_search
from svmsieve.search.consensus import ranks_of
from svmsieve.search.contract import Step
from svmsieve.search.followed import MOST_ROWS
from svmsieve.search.order import Order
from svmsieve.search.rankers import Ranker, portfolio, quick_portfolio, tuned_ranker
from svmsieve.search.schedule import Thinning
from svmsieve.search.stopping import GrowingSearch
from svmsieve.sizing import SizeRule, make_rule
from svmsieve.sizing.rules import Choice, asked_for
from svmsieve.task import Task
from svmsieve.units import kept_units, make_units

_NOT_PART_OF_THE_RUN = ("n_jobs", "checkpoint", "verbose", "callback", "memory")


class SVMSieve(FittedSieve):
    """Select the features that matter to a support vector machine.

    Parameters
    ----------
    estimator : SVC, SVR, LinearSVC, LinearSVR or None
        The machine, whose parameters are taken over.  None is an RBF SVC or SVR, by the kind of target
        (text, booleans and at most 20 different whole numbers are classes, as in scikit-learn; a warning
        says where numbers that look like classes are taken for a regression), that follows the size: at
        each number of features C and γ, relative to 1/(d·Var), come from a small grid in the folds that
        choose the size.  Without such folds, and with ``retune``, they are tuned on
        the papers' grid, and count only if they beat guessing.  scikit-learn's tools then learn from the
        criterion whether this is a classifier, and where it serves both kinds of target want to be
        given folds.  Of a LinearSVC with several classes the machines of the search are one against one,
        ``estimator_`` is LinearSVC's one against the rest: the scores of ``path_`` are those of the former.
    criterion : str or Criterion
        What ranks the features.  ``"auto"`` without an estimator tries seven rankings in the same folds
        where these choose the size: ``fspp2`` (numbers: ``sd-gauss``) of an RBF machine at C = 1, 1/8 and
        8, ``weight`` of a linear one, a filter, first of all their joint order (mean log rank), and
        ``hsic``; another than the joint one is taken only if it is better by more than a standard error
        (``path_.tried``).  Otherwise ``"auto"`` is ``fspp2`` or
        ``sd-gauss``.
    search : {"rfe", "once", "hill-climb", "forward"} or Search
    n_features_to_select : int, float, {"auto", "1se", "best", "bound", "threshold", "stable"} or SizeRule
        A number, a fraction, or the rule that chooses: the smallest size that is nearly as good as the
        best (:class:`~svmsieve.sizing.Enough`), the smallest within one standard error of the best
        cross-validated score, the best score, the radius/margin bound, the ranking term; or two that may
        select nothing: the features that half samples agree on, with a bound on the expected number of
        false ones (:class:`~svmsieve.sizing.Stable`), and :class:`~svmsieve.sizing.FDR`, a false-discovery
        rate.
    step : int, float, "auto" or Schedule
        How many features leave at a time: a number, a fraction *of the remaining*, or halve until
        100 and then one by one (:class:`~svmsieve.search.Thinning` where machines follow the size).
    retune : {"halving"}, list of sizes or None
        Sizes of an elimination at which C and γ are tuned again; a size that ``step`` skips means the next
        smaller one.
    tuning : {"best", "1se"}
        Which point of the grid the machines of the search take: the best, or the smoothest (smallest C,
        then γ) whose cross-validated score is within one standard error of the best.  The second is
        steadier where most features are noise.  ``estimator_`` always takes the best.
    cv : "auto", int, cross-validation splitter or list of (training, held-out) samples
        ``"auto"`` is five folds, fewer where a class is small, repeated four times below 100 samples,
        three times up to 300, twice up to 1000; growing searches take one division.
        Folds in which the *whole* search is repeated to score each size, where the rule needs it.
        A number means shuffled, for classes stratified folds, of whole groups where :meth:`fit` is given
        ``groups`` of samples.  ``"forward"`` and ``"hill-climb"`` cross-validate each size in these folds.
    scoring : str, callable or None
        A scikit-learn scorer of predictions or of decision values, for tuning, path and size alike; None is
        accuracy for classes (balanced where the largest has more than four times the samples of the
        smallest) and R² for numbers.  A scorer of your own may ask the estimator it is given for these, but
        sees no columns: its X are numbers of rows.
    scale : bool
        Standardise the columns with the training samples' mean and deviation (sparse ones with the
        deviation only), and so a numeric target: C and ε of an SVR are meant on the standardised target,
        whatever its units, while predictions and scores are in these.  False with an SVR given leaves the
        target as it is; without one, it is standardised all the same, as the grid asks for it.
    missing : {"error", "mean"}
        What to do with missing values (NaN): refuse them, or fill them with the mean of the samples that
        a machine is trained on, in every fold anew.  A sparse matrix must not have any.
    groups : lists of columns, labels of the columns, or mapping from columns to labels
        Columns that enter and leave together; those that are not mentioned, or whose label is None, stand
        alone.  The samples' groups are given to :meth:`fit`.
    keep : columns that never leave, by name or index
        One column of a group keeps the whole group, which counts as one of the features to select.
    random_state : int, RandomState or None
        None is 0: a selection can always be repeated.
    n_jobs : int or None
        Folds to run at a time, through joblib (threads, unless a joblib backend is set; under
        ``joblib.parallel_config("dask")`` all samples and all folds are tasks of the cluster).
    checkpoint : path or None
        File that records every step; a run that was interrupted continues from it.
    verbose : int
        1 shows a progress bar.
    callback : callable or None
        Called with each :class:`~svmsieve.search.contract.Step` as it is done.
    memory : int, str or None
        Bytes the kernel matrices may take, or text such as ``"4GB"``.
    machine : {"exact", "nystroem"}
        The kernel machine itself, or its approximation in the span of landmarks, linear in the number of
        samples: squared-hinge SVC or squared-ε SVR with the estimator's parameters, for the criteria that
        are built on its response (:mod:`svmsieve.scale`).  Without an estimator, C and γ are tuned on a
        sample of 1000.
    n_landmarks : int
        Samples that span the space of the Nyström machine.

    Attributes
    ----------
    support_ : mask of the selected features
    ranking_ : rank of each feature, 1 is the best; no two are equal
    order_ : indices of the features, best first; without an estimator, where folds choose the size, the
        consensus of the folds' orders and that of all samples (mean log rank)
    fold_ranking_ : ranks in each fold, shape (folds, features); None where there were no folds
    selection_frequency_ : share of the half samples that choose each feature, where the size is
        ``"stable"``; None otherwise
    scores_ : the criterion's score of each feature when it left (or entered); NaN if it never did
    n_features_ : number of selected features
    n_units_ : the same, a group counting as one
    path_ : Path
        What was found at each size: scores of the folds, criterion, parameters.
    size_reason_ : why this size was chosen, in words
    estimator_ : the scikit-learn machine, fitted to the selected columns (scaled, if ``scale``) and to
        ``(y − target_mean_) / target_deviation_``; one that predicts a constant where no column is selected
    scale_mean_, scale_deviation_ : how the selected columns are scaled for ``estimator_``
    target_mean_, target_deviation_ : how a numeric target is scaled for ``estimator_``; 0 and 1 where it is
        not
    fill_values_ : what fills missing values of the selected columns; None where they are refused
    tuning_ : the grid of C, γ (and ε) and its scores that set ``estimator_``; None where it was not tuned.
        ε and the squared errors are in y's units (``estimator_`` has ε / ``target_deviation_``), C is not.
        Its C is twice that of a LinearSVC with a squared hinge, which has no factor ½ before ξ²
    n_sample_groups_ : number of groups of samples that :meth:`fit` was given, None without
    record_ : RunRecord
    classes_ : the classes, for a classifier
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.svm import SVC
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> sieve = SVMSieve(SVC(C=10), criterion="fspp2", n_features_to_select=5).fit(X, y)
    >>> sieve.transform(X).shape
    (569, 5)
    >>> sieve.score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        criterion: str | Criterion = "auto",
        search: Any = "rfe",
        n_features_to_select: Any = "auto",
        step: Any = "auto",
        retune: Any = None,
        tuning: TuningRule = "best",
        cv: Any = "auto",
        scoring: Any = None,
        scale: bool = True,
        missing: str = "error",
        groups: Any = None,
        keep: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        checkpoint: Any = None,
        verbose: int = 0,
        callback: Callable[[Step], None] | None = None,
        memory: float | str | None = None,
        machine: str = "exact",
        n_landmarks: int = 1000,
    ) -> None:
        self.estimator = estimator
        self.criterion = criterion
        self.search = search
        self.n_features_to_select = n_features_to_select
        self.step = step
        self.retune = retune
        self.tuning = tuning
        self.cv = cv
        self.scoring = scoring
        self.scale = scale
        self.missing = missing
        self.groups = groups
        self.keep = keep
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.checkpoint = checkpoint
        self.verbose = verbose
        self.callback = callback
        self.memory = memory
        self.machine = machine
        self.n_landmarks = n_landmarks

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> SVMSieve:
        """Rank the features, choose how many, and fit the machine to them.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
        y : class labels or numbers
        sample_weight : weights of the samples, for the machine, the criterion and the scorer
        groups : label of each sample: those of one patient or batch, which all folds keep together
            A number of folds then means folds of whole groups (for classes stratified), a splitter such as
            GroupKFold is given them, and the folds that tune C and γ and calibrate probabilities keep them
            too, in fewer folds where groups are few; a warning says where that cannot be.  The Nyström
            machine's probabilities are calibrated in folds of samples.  Inside ``cross_validate``,
            ``GridSearchCV`` or a pipeline ask for them by ``set_fit_request(groups=True)``.  The
            constructor's ``groups`` are of columns.
        """
        task = self._task(X, y, sample_weight, groups)
        if task.rule.needs_cv and (task.rule.probe_copies or task.rule.half_pairs):
            raise ValueError(
                "a size rule must not ask for probes and for cross-validated scores, nor for half samples "
                "and these: the folds would visit different sizes."
            )
        folds = make_folds(self.cv, task.target, task.seed) if self._needs_folds(task) else []
        header = make_header(self._parameters(task, folds), self._fingerprint(task))
        with alone(self.checkpoint):
            record = RunRecord.open(self.checkpoint, header)
            try:
                with as_interrupt():
                    self._run(task, folds, record)
            except KeyboardInterrupt:
                record.stop()
                begun = record.steps.get("all") or next(iter(record.steps.values()), [])
                self.partial_order_ = task.columns(Order.of(begun, len(task.units)).units)
                self.record_ = record
                raise
        self._conclude(task, folds, record)
        return self

    def _task(self, X: Any, y: Any, sample_weight: Any, sample_groups: Any) -> Task:
        """Check everything once."""
        self._check_settings()
        regressor = is_regressor(self.estimator)
        impute = self._imputes(X)
        refuse_unusable(X, allow_missing=impute)
        refuse_no_numbers(y, "y")
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=np.float64,
            ensure_all_finite="allow-nan" if impute else True,
            ensure_min_samples=2,
            y_numeric=bool(regressor),
        )
        matrix: Matrix = canonical(X) if sp.issparse(X) else np.ascontiguousarray(X)
        regression = guessed_regression(y, self.criterion) if regressor is None else regressor
        target = replace(
            make_target(y, regression, matrix.shape[0]),
            groups=check_sample_groups(sample_groups, matrix.shape[0]),
        )
        refuse_parameters(self.estimator, target)
        criterion = make_criterion(self.criterion, target.task)
        criterion.refuse_task(target.task)
        names = [str(name) for name in getattr(self, "feature_names_in_", feature_names(matrix))]
        units = make_units(self.groups, names)
        keep = kept_units(self.keep, units, names)
        if self.tuning not in ("best", "1se"):
            raise ValueError(f"tuning must be 'best' or '1se', got {self.tuning!r}.")
        seed = seed_of(self.random_state)
        cv = self.cv
        if self.search in ("forward", "hill-climb") and not isinstance(cv, Integral):
            # a search that grows has no other folds, and one division is enough for its many steps
            cv = make_folds(5 if isinstance(cv, str) and cv == "auto" else cv, target, seed)
        rule = make_rule(self.n_features_to_select)
        rankers = self.rankers(criterion, target.task, rule)
        search = make_search(self.search, self.schedule(rankers, rule), self.retune, cv)
        rankers = () if search.forward else rankers
        rule.refuse(target.task, search)
        n_landmarks = None
        if is_nystroem(self.machine):
            n_landmarks = check_count(self.n_landmarks, "n_landmarks")
            refuse_exact_only(search, rule)
        fixed = rule.fixed_size(len(units))
        if fixed is not None and len(keep) > fixed:
            raise ValueError(
                f"keep holds {len(keep)} features (or groups), more than the {fixed} to select."
            )
        if rule.needs_cv or search.forward:
            DecisionScorer(self.scoring, target).try_out()
        self._refuse_constant(filled(matrix, present_means(matrix) if impute else None))
        weight = None
        if sample_weight is not None:
            weight = check_weights(sample_weight, matrix.shape[0])
            refuse_weightless_class(target, weight)
            criterion.refuse_weights(weight)
        return Task(
            matrix,
            target,
            weight,
            self.estimator,
            criterion,
            search,
            rule,
            units,
            keep,
            check_flag(self.scale, "scale"),
            default_scoring(target) if self.scoring is None else self.scoring,
            seed,
            check_memory(self.memory),
            impute,
            n_landmarks,
            self.tuning,
            rankers,
        )

    def _check_settings(self) -> None:
        """Check what no part of the computation looks at before it is under way."""
        if not (self.n_jobs is None or (isinstance(self.n_jobs, Integral) and self.n_jobs != 0)):
            raise ValueError(
                f"n_jobs must be a whole number other than 0 or None, got {self.n_jobs!r}."
            )
        if not isinstance(self.checkpoint, str | PathLike | None):
            raise ValueError(f"checkpoint must be a path or None, got {self.checkpoint!r}.")
        if not isinstance(self.verbose, Integral):
            raise ValueError(f"verbose must be a whole number, got {self.verbose!r}.")
        if not (self.callback is None or callable(self.callback)):
            raise ValueError(
                f"callback must be a function of a Step or None, got {self.callback!r}."
            )

    def schedule(self, rankers: tuple[Ranker, ...], rule: SizeRule) -> Any:
        """Return how many features leave at a time: where many machines are judged at each size, more."""
        plain = isinstance(self.step, str) and self.step == "auto"
        many = (rankers and rule.needs_cv) or rule.half_pairs
        return Thinning() if plain and many else self.step

    def rankers(self, criterion: Criterion, task: str, rule: SizeRule) -> tuple[Ranker, ...]:
        """Return the rankings to try where there is no estimator: several, or one by the criterion.

        Which of several is best the folds tell: rules that look at something else have one.
        """
        if self.estimator is not None or self._retunes or is_nystroem(self.machine):
            return ()
        several = isinstance(self.criterion, str) and self.criterion == "auto"
        if rule.half_pairs:  # to tune on each half would take long
            return quick_portfolio(task) if several else (Ranker(criterion, "rbf"),)
        several = several and rule.needs_cv
        return portfolio(task) if several else (tuned_ranker(criterion),)

    @staticmethod
    def _refuse_constant(X: Matrix) -> None:
        lower, upper = column_range(X)
        if not (upper > lower).any():
            raise ValueError("X must hold a column that varies; all of its columns are constant.")

    def _needs_folds(self, task: Task) -> bool:
        return task.rule.needs_cv and not task.search.forward

    def _parameters(self, task: Task, folds: Sequence[Any]) -> dict[str, Any]:
        """What the run depends on, as the record keeps it: columns by index, folds by their samples."""
        parameters = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if name not in _NOT_PART_OF_THE_RUN
        }
        parameters["random_state"] = task.seed
        parameters["keep"] = sorted(task.keep)
        if self.groups is not None:
            parameters["groups"] = [unit.tolist() for unit in task.units]
        if task.target.groups is not None:
            parameters["sample_groups"] = task.target.groups
        if not isinstance(self.cv, Integral):
            own = task.search.cv if isinstance(task.search, GrowingSearch) else ()
            used = own if isinstance(own, list) else folds
            parameters["cv"] = [fingerprint(*fold) for fold in used]
        return parameters

    @staticmethod
    def _fingerprint(task: Task) -> str:
        return fingerprint(task.X, task.target.labels, task.sample_weight)

    def _run(self, task: Task, folds: Sequence[Fold], record: RunRecord) -> None:
        """Run the searches under a progress bar."""
        groups = fold_runs(task, folds)
        per_run = task.n_steps()
        total = None if per_run is None else per_run * (1 + sum(map(len, groups)))
        if total is not None and task.n_turns:
            total += task.n_turns * (task.n_steps(with_probes=True) or 0)
        halves = half_runs(task)
        total = None if total is None else total + len(halves)
        title = f"{task.search.name}, {task.criterion.name}"
        with Progress(bool(self.verbose), total, title) as bar:
            listener = Listener(bar, self.callback, record.steps)
            if not (task.rankers and folds):
                others = [*groups, *turn_runs(task), *halves]
                run_all(task, others, record, listener, self.n_jobs, all_samples(task))
                return
            run_all(task, groups, record, listener, self.n_jobs)
            every = all_samples(task, chosen_ranker(task, folds, record))
            bar.expect((per_run or 0) * (len(every) - 1))
            run_all(task, [], record, listener, self.n_jobs, every)

    def _keep_account_of_groups(self, task: Task, folds: Sequence[Any]) -> None:
        """Note how many groups of samples there are, and whether the folds kept them whole."""
        groups = task.target.groups
        self.n_sample_groups_ = None if groups is None else len(np.unique(groups))
        own = task.search.cv if isinstance(task.search, GrowingSearch) else folds
        given = own if isinstance(own, list) else []
        self._groups_kept = groups is not None and n_split_groups(given, groups) == 0

    def _conclude(self, task: Task, folds: Sequence[Any], record: RunRecord) -> None:
        """Derive the fitted attributes from the record and fit the final machine."""
        turns = [
            task.probes_before(turn, record.steps[turn_name(turn)]) for turn in range(task.n_turns)
        ]
        none = np.zeros(len(task.units) - len(task.keep), dtype=np.intp)
        before = np.sum([none, *turns], axis=0) if task.rule.probe_copies else None
        if task.search.uses_criterion:
            largest = max(
                max(first.ranking_scores or [first.largest]) for first in first_steps(record)
            )
            warn_of_zeros(largest, len(task.units), task.criterion, self.estimator)
        if task.rule.half_pairs:
            outcome = stable_outcome(task, record)
        elif task.rankers and folds:
            outcome = followed_outcome(task, folds, record)
        else:
            outcome = single_outcome(task, folds, record)
        order, path = outcome.order, outcome.path
        path = replace(path, C=user_C(self.estimator, path.C), probes_before=before)
        choice = task.rule.choose(path.from_size(max(1, len(task.keep))))
        if not (isinstance(choice, Choice) and 0 <= choice.size <= len(task.units)):
            raise ValueError(
                f"n_features_to_select must choose a Choice of 0 to {len(task.units)} features, "
                f"{task.rule!r} chose {choice!r}."
            )
        d = task.X.shape[1]
        self.order_ = task.columns(order.units)
        self.ranking_ = np.empty(d, dtype=np.intp)
        self.ranking_[self.order_] = np.arange(1, d + 1)
        self._ends = np.cumsum([len(task.units[unit]) for unit in order.units])
        self._tuned_values = outcome.values
        self.fold_ranking_ = None
        if outcome.ranks is not None:
            self.fold_ranking_ = ranks_of(
                [task.columns(units) for units in outcome.ranks.argsort()]
            )
        self.scores_ = np.full(d, np.nan)
        for unit, score in zip(order.units, order.scores, strict=True):
            self.scores_[task.units[unit]] = score
        self.selection_frequency_ = None
        if outcome.frequency is not None:
            self.selection_frequency_ = np.empty(d)
            for unit, share in zip(task.units, outcome.frequency, strict=True):
                self.selection_frequency_[unit] = share
        self.support_ = np.zeros(d, dtype=np.bool_)
        if choice.size > 0:
            self.support_[self.order_[: self._ends[choice.size - 1]]] = True
        self.n_features_ = int(self.support_.sum())
        self.n_units_ = choice.size
        self.path_ = path
        self.size_reason_ = choice.reason + self._how_counted()
        self.record_ = record
        self._weighted = task.sample_weight is not None
        self._keep_account_of_groups(task, folds)
        self._fit_estimator(
            task.X,
            task.target,
            task.sample_weight,
            partial(self._final_machine, task, folds, outcome),
        )
        if choice.size == 0:
            warnings.warn(f"No feature is selected: {choice.reason}.", UserWarning, stacklevel=3)

    def _fit_estimator(
        self,
        X: Matrix,
        target: Target,
        weight: FloatArray | None,
        machine: Callable[[Matrix, Target], Any],
    ) -> None:
        """Fit scikit-learn's machine, made for scaled columns and target, to the selected columns."""
        columns = X[:, self.support_]
        fill = present_means(columns, weight) if self._imputes(columns) else None
        d = columns.shape[1]
        scale = Scale.of(columns, weight, fill) if self.scale else Scale.none(d, fill)
        self.scale_mean_, self.scale_deviation_ = scale.mean, scale.deviation
        self.fill_values_ = fill
        columns = scale.apply(columns)
        target_scale = scale_of_target(target, weight, self.scale, self.estimator)
        self.target_mean_, self.target_deviation_ = target_scale.mean, target_scale.deviation
        target = target_scale.apply(target)
        self.estimator_ = machine(columns, target)
        fit_within_limits(self.estimator_, columns, target.labels, weight)
        self.__dict__.pop("classes_", None)  # of an earlier fit
        if hasattr(self.estimator_, "classes_"):
            self.classes_ = self.estimator_.classes_

    def _final_machine(
        self, task: Task, folds: Sequence[Fold], outcome: Outcome, columns: Matrix, target: Target
    ) -> Any:
        unscaled = task.X[:, self.support_]
        if outcome.tunings is None or columns.shape[1] == 0:
            machine, tuning = final_machine(task, columns, unscaled, target, tune=self._retunes)
        else:
            values, tuning = outcome.values[self.n_units_], outcome.tunings[self.n_units_]
            if len(target) <= MOST_ROWS:
                values, tuning = retuned_values(task, folds, columns, unscaled, target)
            machine = machine_of_values(task, values)
        if tuning is not None and isinstance(target, Numbers):
            tuning = tuning.in_units(self.target_deviation_)
        self.tuning_ = tuning
        return machine

    def support_at(self, size: int) -> Any:
        """Return the mask of the best ``size`` features, a group counting as one.

        At a size of ``path_`` these are the features the machine of that size was trained with.
        """
        check_is_fitted(self)
        if not 1 <= size <= len(self._ends):
            raise ValueError(f"size must be from 1 to {len(self._ends)}, got {size!r}.")
        mask = np.zeros(len(self.order_), dtype=np.bool_)
        mask[self.order_[: self._ends[size - 1]]] = True
        return mask

    def at_size(self, size: int, X: Any, y: Any, sample_weight: Any = None) -> SVMSieve:
        """Return this selection with another number of features, its machine fitted again.

        The features are :meth:`support_at` this size.  The machine is the estimator's; where C, γ and ε
        were tuned, they are those the search had at this size (at the next larger one it visited), and
        after a criterion without a machine those of ``estimator_`` (scikit-learn's defaults where nothing
        was selected).

        Parameters
        ----------
        size : number of features (of units, where there are groups)
        X, y, sample_weight : the samples of :meth:`fit`
        """
        support = self.support_at(size)
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=np.float64,
            ensure_all_finite="allow-nan" if self._imputes(X) else True,
            reset=False,
        )
        X = canonical(X)
        weight = None if sample_weight is None else check_weights(sample_weight, X.shape[0])
        other = copy.copy(self)
        other.support_ = support
        other.n_features_ = int(support.sum())
        other.n_units_ = int(size)
        other.size_reason_ = asked_for(size) + self._how_counted()
        machine = self._machine_at(size)
        target = make_target(y, not hasattr(self, "classes_"), X.shape[0])
        other._fit_estimator(X, target, weight, lambda *_: machine)
        return other

    @property
    def _retunes(self) -> bool:
        """Whether the search, made here or given, tunes C and γ again on the way."""
        return self.retune is not None or getattr(self.search, "retune", None) is not None

    def _how_counted(self) -> str:
        return " (a group counts as one)" if len(self._ends) < len(self.support_) else ""

    def _machine_at(self, size: int) -> Any:
        """Return the unfitted machine of a size."""
        if self.estimator is not None and not self._retunes and self.machine == "exact":
            return clone(self.estimator)
        machine = self.estimator_
        if self.n_features_ == 0:  # the constant machine
            kind = SVR if isinstance(machine, ConstantRegressor) else SVC
            machine = kind() if self.estimator is None else self.estimator
            if self.machine == "nystroem":
                machine = nystroem_like(machine, self.n_landmarks, seed_of(self.random_state))
        sizes = self._tuned_values
        if not sizes or (self.estimator is not None and not self._retunes):
            return clone(machine)
        visited = min((each for each in sizes if each >= size), default=max(sizes))
        return with_values(machine, *sizes[visited])

    def _machine_of_its_kind(self) -> Any:
        """Return a machine for the same kind of target; None where only the target will tell."""
        if self.estimator is not None:
            return self.estimator
        if hasattr(self, "estimator_"):
            return self.estimator_
        if isinstance(self.criterion, str) and self.criterion not in CRITERIA:
            return None
        tasks = make_criterion(self.criterion, "binary").tasks
        if self.criterion == "auto" or len({task == "regression" for task in tasks}) > 1:
            return None
        return SVR() if "regression" in tasks else SVC()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "mean"
        inner = self._machine_of_its_kind()
        if inner is not None:
            inner = get_tags(inner)
            tags.estimator_type = inner.estimator_type
            tags.classifier_tags = inner.classifier_tags
            tags.regressor_tags = inner.regressor_tags
        return tags
