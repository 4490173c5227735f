"""SVMSieve: the scikit-learn face that joins machine, criterion, search and size rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.svm import SVC, SVR
from sklearn.utils import Tags, get_tags

from svmsieve.criteria import CRITERIA, Criterion, make_criterion
from svmsieve.engine.machines.tuned_grid import TuningRule
from svmsieve.inputs.folds import (
    make_folds,
    refuse_single_samples,
    refuse_weightless,
    warn_of_missing_classes,
)
from svmsieve.runtime.interruption import as_interrupt
from svmsieve.runtime.journal import alone
from svmsieve.search.contract import Step
from svmsieve.search.order import Order
from svmsieve.selection.collections import is_row_chunks, specify_rows
from svmsieve.selection.conclusion import conclude
from svmsieve.selection.landmark_number import with_enough_landmarks
from svmsieve.selection.record import RunRecord, fingerprint, make_header
from svmsieve.selection.running import run_searches
from svmsieve.selection.sized import SizedSieve
from svmsieve.selection.specification import parameters_of, specify
from svmsieve.selection.streamed import row_folds


class SVMSieve(SizedSieve):
    """Select the features that matter to a support vector machine.

    A scikit-learn selector that also predicts. It ranks the features, repeats the whole search in
    folds to choose how many are enough, and fits the machine to them. The same seed gives the same
    result, whatever the number of threads or processes.

    Parameters
    ----------
    estimator : SVC, SVR, LinearSVC, LinearSVR or None, default=None
        The machine, whose parameters are taken over. None is an RBF SVC or SVR, by the kind of
        target (text, booleans and at most 20 different whole numbers are classes, as in
        scikit-learn; a warning says where numbers that look like classes are taken for a
        regression), that follows the size: at each number of features C and γ, relative to
        1/(d·Var), come from a small grid in the folds that choose the size; those of
        ``estimator_`` from a wider one. Without such folds, and with ``retune``, what ranks is
        tuned on the papers' grid, and counts only if it beats guessing.
        scikit-learn's tools then learn from the criterion whether this is a classifier, and where
        it serves both kinds of target want to be given folds. Of a LinearSVC with several classes
        the machines of the search are one against one, ``estimator_`` is LinearSVC's one against
        the rest: the scores of ``path_`` are those of the former.
    criterion : str or Criterion, default="auto"
        What ranks the features. ``"auto"`` without an estimator tries four rankings in the same
        folds where these choose the size: first the joint order (mean log rank) of ``fspp2``
        (with a slope of 2, not calibrated; numbers: ``sd-gauss``) of an RBF machine at C = 8, of
        ``loo-scaling`` and of ``weight`` of a linear machine; then the first two of these alone,
        and ``hsic``. Another than the joint one is taken only if it is better by more
        than a standard error (``path_.tried``).
        Otherwise ``"auto"`` is ``fspp2`` or ``sd-gauss``.
    search : {"rfe", "once", "hill-climb", "forward"} or Search, default="rfe"
        How subsets are searched: elimination, one ranking, or growing sets.
    n_features_to_select : int, float, str or SizeRule, default="auto"
        A number, a fraction, or the rule that chooses (``"auto"``, ``"1se"``, ``"best"``, ``"bound"``,
        ``"threshold"``, ``"stable"``): the smallest size that is nearly as good as
        the best (:class:`~svmsieve.sizing.Enough`), the smallest within one standard error of the
        best cross-validated score, the best score, the radius/margin bound, the ranking term; or
        two that may select nothing: the features that half samples agree on, with a bound on the
        expected number of false ones (:class:`~svmsieve.sizing.Stable`), and
        :class:`~svmsieve.sizing.FDR`, a false-discovery rate.
    step : int, float, "auto" or Schedule, default="auto"
        How many features leave at a time: a number, a fraction *of the remaining*, or halve until
        100 and then one by one (:class:`~svmsieve.search.Thinning` where machines follow the size, or
        folds judge the Nyström machine).
    retune : {"halving"}, list of sizes or None, default=None
        Sizes of an elimination at which C and γ are tuned again; a size that ``step`` skips means
        the next smaller one.
    tuning : {"best", "1se"}, default="best"
        Which point of the grid the machines of the search take: the best, or the smoothest
        (smallest C, then γ) whose cross-validated score is within one standard error of the best.
        The second is steadier where most features are noise. ``estimator_`` always takes the best.
    cv : "auto", int, cross-validation splitter or list of (training, held-out) samples, default="auto"
        ``"auto"`` is five folds, fewer where a class is small, repeated four times below 100
        samples, three times up to 300, twice up to 1000; growing searches take one division. Folds
        in which the *whole* search is repeated to score each size, where the rule needs it. A
        number means shuffled, for classes stratified folds, of whole groups where :meth:`fit` is
        given ``groups`` of samples. ``"forward"`` and ``"hill-climb"`` cross-validate each size in
        these folds.
    scoring : str, callable or None, default=None
        A scikit-learn scorer of predictions or of decision values, for tuning, path and size alike;
        None is accuracy for classes (balanced where the largest has more than four times the
        samples of the smallest) and R² for numbers. Where it is balanced accuracy, the sieve's own
        machines count the classes the same, too (``class_weight="balanced"``). A scorer of your own
        may ask the estimator it is given for predictions or decision values, but sees no columns:
        its X are numbers of rows.
    scale : bool, default=True
        Standardise the columns with the training samples' mean and deviation (sparse ones with the
        deviation only), and so a numeric target: C and ε of an SVR are meant on the standardised
        target, whatever its units, while predictions and scores are in these. False with an SVR
        given leaves the target as it is; without one, it is standardised all the same, as the grid
        asks for it.
    missing : {"error", "mean"}, default="error"
        What to do with missing values (NaN): refuse them, or fill them with the mean of the samples
        that a machine is trained on, in every fold anew. A sparse matrix must not have any.
    groups : lists of columns, labels of the columns, or mapping from columns to labels, default=None
        Columns that enter and leave together; those that are not mentioned, or whose label is None,
        stand alone. The samples' groups are given to :meth:`fit`.
    keep : list of columns or None, default=None
        Columns that never leave, by name or index. One column of a group keeps the whole group,
        which counts as one of the features to select.
    random_state : int, RandomState or None, default=None
        None is 0: a selection can always be repeated.
    n_jobs : int or None, default=None
        Folds to run at a time, through joblib (threads, unless a joblib backend is set; under
        ``joblib.parallel_config("dask")`` all samples and all folds are tasks of the cluster).
    checkpoint : path or None, default=None
        File that records every step; a run that was interrupted continues from it.
    verbose : int, default=0
        1 shows a progress bar.
    callback : callable or None, default=None
        Called with each :class:`~svmsieve.search.contract.Step` as it is done.
    memory : int, str or None, default=None
        Bytes the kernel matrices may take, or text such as ``"4GB"``.
    machine : {"exact", "nystroem"}, default="exact"
        The kernel machine itself, or its approximation in the span of landmarks, linear in the
        number of samples: squared-hinge SVC or squared-ε SVR with the estimator's parameters, for
        the criteria that are built on its response (:mod:`svmsieve.scale`). Without an estimator, C
        and γ are tuned for it on samples of 1000 to 8000 rows.
    n_landmarks : int or "auto", default=1000
        Samples that span the space of the Nyström machine.

    Attributes
    ----------
    support_ : ndarray of bool of shape (n_features,)
        Mask of the selected features.
    ranking_ : ndarray of int of shape (n_features,)
        Rank of each feature, 1 is the best; no two are equal.
    order_ : ndarray of int of shape (n_features,)
        Indices of the features, best first; without an estimator, where folds choose the size, the
        consensus of the folds' orders and that of all samples (mean log rank).
    fold_ranking_ : ndarray of int or None
        Ranks in each fold, shape (folds, features); None where there were no folds.
    selection_frequency_ : ndarray of float or None
        Share of the half samples that choose each feature, where the size is ``"stable"``; None
        otherwise.
    scores_ : ndarray of float of shape (n_features,)
        The criterion's score of each feature when it left (or entered); NaN if it never did.
    n_features_ : int
        Number of selected features.
    n_units_ : int
        The same, a group counting as one.
    path_ : Path
        What was found at each size: scores of the folds, criterion, parameters.
    size_reason_ : str
        Why this size was chosen, in words.
    estimator_ : estimator
        The scikit-learn machine, fitted to the selected columns (scaled, if ``scale``) and to ``(y
        − target_mean_) / target_deviation_``; one that predicts a constant where no column is
        selected.
    scale_mean_, scale_deviation_ : ndarray of float
        How the selected columns are scaled for ``estimator_``.
    target_mean_, target_deviation_ : float
        How a numeric target is scaled for ``estimator_``; 0 and 1 where it is not.
    fill_values_ : ndarray of float or None
        What fills missing values of the selected columns; None where they are refused.
    tuning_ : Tuning or None
        The grid of C, γ (and ε) and its scores that set ``estimator_``; None where it was not
        tuned. Of the sieve's own grid, points that the first folds rule out are not judged in the
        others: their mean score is NaN, and ``best_index`` is the best of those that have one. ε and
        the squared errors are in y's units (``estimator_`` has ε / ``target_deviation_``), C is not.
        Its C is twice that of a LinearSVC with a squared hinge, which has no factor ½ before ξ².
    n_landmarks_ : int
        Landmarks of the Nyström machine; with ``n_landmarks="auto"`` as many as rank the top of the
        features like twice as many do.
    n_sample_groups_ : int or None
        Number of groups of samples that :meth:`fit` was given, None without.
    record_ : RunRecord
        The record of the run, which everything fitted is a view of.
    classes_ : ndarray
        The classes, for a classifier.
    n_features_in_, feature_names_in_ : int and ndarray of str
        As everywhere in scikit-learn.

    See Also
    --------
    svmsieve.rank : Rank the features of a data set by what they mean to a support vector machine.
    svmsieve.study : Select the features of a table and evaluate the selection, as ``svmsieve
        select`` does.
    svmsieve.nested_evaluate : Judge a method by samples that no part of it saw.

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
        n_landmarks: int | str = 1000,
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
            The samples. With ``machine="nystroem"`` also a Dask array or data frame, or row chunks
            such as :class:`~svmsieve.scale.parquet_chunks.ParquetChunks`: rows that need not fit
            into memory.
        y : array-like of shape (n_samples,)
            Class labels or numbers; of a Dask collection a Dask array or series with the same
            partitions, None for row chunks, which hold their own.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the samples, for the machine, the criterion and the scorer.
        groups : array-like of shape (n_samples,) or None, default=None
            Label of each sample: those of one patient or batch, which all folds keep together. A
            number of folds then means folds of whole groups (for classes stratified), a splitter
            such as GroupKFold is given them, and the folds that tune C and γ and calibrate
            probabilities keep them too, in fewer folds where groups are few; a warning says where
            that cannot be. Of a Dask collection they are given like y, row chunks hold their own.
            Inside ``cross_validate``, ``GridSearchCV`` or a pipeline ask for them by
            ``set_fit_request(groups=True)``. The constructor's ``groups`` are of columns.

        Returns
        -------
        SVMSieve
            The fitted selector.
        """
        if is_row_chunks(X):
            task = specify_rows(self, X, y, sample_weight, groups)
        else:
            task = specify(self, X, y, sample_weight, groups)
        if task.n_landmarks is not None:
            task, self.n_landmarks_ = with_enough_landmarks(self, task)
        folds: list[Any] = []
        if task.rule.needs_cv and not task.search.forward:
            if task.n_landmarks is not None:
                folds = row_folds(task, self.cv)
            else:
                folds = make_folds(self.cv, task.target, task.seed)
                refuse_single_samples(folds, task.scoring)
                refuse_weightless(folds, task.target, task.sample_weight)
                warn_of_missing_classes(folds, task.target, task.scoring, "cv", stacklevel=2)
        data = fingerprint(task.X, task.target.labels, task.sample_weight)
        if task.collection is not None:
            data = f"{data} of {task.collection.n_rows} rows"
        header = make_header(parameters_of(self, task, folds), data)
        with alone(self.checkpoint):
            record = RunRecord.open(self.checkpoint, header)
            try:
                with as_interrupt():
                    run_searches(self, task, folds, record)
            except KeyboardInterrupt:
                record.stop()
                begun = record.steps.get("all") or next(iter(record.steps.values()), [])
                self.partial_order_ = task.columns(Order.of(begun, len(task.units)).units)
                self.record_ = record
                raise
        conclude(self, task, folds, record)
        return self

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
