"""From a table to a selection and its nested evaluation: what ``select`` and ``compare`` do."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.svm import SVC, SVR

from svmsieve.criteria import make_criterion
from svmsieve.datasets import DataError, Encoded, Table, encode
from svmsieve.engine.machines.tuned_grid import TuningRule
from svmsieve.evaluation import Metric, NestedEvaluation, make_metric, nested_evaluate
from svmsieve.inputs.feature_groups import make_units
from svmsieve.inputs.target import refuse_extremes
from svmsieve.runtime.text import one_line
from svmsieve.search import make_search
from svmsieve.search.rankers import with_voters
from svmsieve.selection.runs import n_repeats
from svmsieve.selection.selector import SVMSieve
from svmsieve.sizing import make_rule
from svmsieve.study.stages import stage

QUICK_ROWS = 1000
OUTER_FOLDS = 5
QUICK_FOLDS = 3
MANY_ROWS = 2000


@dataclass(frozen=True)
class Choices:
    """What a user may choose; the names are those of the options."""

    criterion: str = "auto"
    search: str = "rfe"
    size: str = "auto"
    kernel: str = "rbf"
    C: str = "auto"
    gamma: str = "auto"
    tuning: str = "best"
    cv: int | None = None
    scoring: str | None = None
    group_by_prefix: str | None = None
    keep: tuple[str, ...] = ()
    seed: int = 0
    jobs: int = 1
    memory: float | None = None
    quick: bool = False

    @property
    def folds(self) -> int:
        """Number of outer folds."""
        folds = OUTER_FOLDS if self.cv is None else self.cv
        return min(folds, QUICK_FOLDS) if self.quick else folds

    @property
    def inner(self) -> Any:
        """The folds inside each of them: as many, or the sieve's own where nothing was asked for."""
        return "auto" if self.cv is None and not self.quick else self.folds


@dataclass(frozen=True)
class Prepared:
    """A table as a selector takes it.

    Attributes
    ----------
    table : what was read
    encoded : its columns as numbers
    y : the target
    groups : label of each encoded column
    keep : encoded columns that never leave
    notes : what was done to the table
    """

    table: Table
    encoded: Encoded
    y: Any
    groups: list[str] | None
    keep: list[int]
    notes: list[str]

    @property
    def regression(self) -> bool:
        """Whether the target is a number."""
        return self.table.task == "regression"

    @property
    def n_units(self) -> int:
        """Number of features, a group counting as one."""
        return len(make_units(self.groups, self.encoded.names))

    @property
    def values(self) -> Any:
        """The encoded columns without their names: scikit-learn checks a wide frame column by column."""
        X = self.encoded.X
        return X.to_numpy(dtype=np.float64) if hasattr(X, "columns") else X

    def sources(self, sieve: SVMSieve) -> list[str]:
        """Return the table's columns that the selected columns come from, in the table's order."""
        origin = self.encoded.groups or {}
        names = [self.encoded.names[i] for i in sieve.get_support(indices=True)]
        chosen = {origin.get(name, name) for name in names}
        return [name for name in self.table.names if name in chosen]


def prepare(table: Table, choices: Choices) -> Prepared:
    """Encode a table: categories one-hot in groups, missing numbers left for the folds to fill."""
    if table.y is None:
        raise DataError("a target is needed: name its column with --target.")
    notes: list[str] = []
    if choices.quick and table.X.shape[0] > QUICK_ROWS:
        notes.append(f"--quick: {QUICK_ROWS} of {table.X.shape[0]} rows were drawn at random.")
        table = _drawn(table, choices.seed)
    encoded = encode(table, impute=False, memory=choices.memory)
    sources = encoded.groups or {}
    labels = [sources.get(name, name) for name in encoded.names]
    keep = [i for i, label in enumerate(labels) if label in choices.keep]
    if table.groups is not None:
        _refuse_few_groups(table, choices)
    if choices.group_by_prefix:
        labels = [prefix(label, choices.group_by_prefix) for label in labels]
    groups = labels if len(set(labels)) < len(labels) else None
    if table.task == "regression":
        _refuse_extremes(table)
        _refuse_few_rows(len(table.y), choices)
    else:
        _refuse_small_classes(table, choices)
    return Prepared(table, encoded, table.y, groups, keep, notes)


def _refuse_extremes(table: Table) -> None:
    """Refuse a numeric target that no selection takes, by its name."""
    y = np.asarray(table.y, dtype=np.float64)
    try:
        refuse_extremes(float(y.min()), float(y.max()), f"target {one_line(table.target)!r}")
    except ValueError as error:
        raise DataError(str(error)) from None


def prefix(label: str, separator: str) -> str:
    """Return the label without what follows its last separator."""
    return label.rpartition(separator)[0] or label


def _drawn(table: Table, seed: int) -> Table:
    """Draw rows at random, of each class its share."""
    from sklearn.model_selection import train_test_split

    rows = np.arange(table.X.shape[0])
    classes, counts = np.unique(table.y, return_counts=True)
    stratify = table.y if table.task != "regression" and counts.min() > 1 else None
    if stratify is not None and len(classes) > QUICK_ROWS // 2:
        stratify = None
    drawn, _ = train_test_split(rows, train_size=QUICK_ROWS, random_state=seed, stratify=stratify)
    drawn = np.sort(drawn)
    X = table.X.iloc[drawn].reset_index(drop=True) if hasattr(table.X, "iloc") else table.X[drawn]
    groups = None if table.groups is None else table.groups[drawn]
    return replace(table, X=X, y=np.asarray(table.y)[drawn], groups=groups)


def _refuse_few_groups(table: Table, choices: Choices) -> None:
    """Refuse a table whose groups of rows are too few to be held out whole, twice."""
    n_groups, folds = len(set(table.groups.tolist())), choices.folds
    least = next(n for n in range(folds, folds * folds) if n - -(-n // folds) >= folds)
    if n_groups < least:
        raise DataError(
            f"column {one_line(table.groups_name)!r} marks {n_groups} groups of rows, too few for {folds} "
            f"outer and {folds} inner folds, which need {least}; lower --cv."
        )


def _refuse_few_rows(n: int, choices: Choices) -> None:
    least = 2 * choices.folds
    if n < least:
        raise DataError(
            f"the table has {n} rows with a target, too few for {choices.folds} outer and {choices.folds} "
            f"inner folds, which need {least}; lower --cv."
        )


def _refuse_small_classes(table: Table, choices: Choices) -> None:
    classes, counts = np.unique(table.y, return_counts=True)
    least = 2 * choices.folds
    small = classes[counts < least]
    if len(small):
        which = ", ".join(
            one_line(f"{label!s} ({count})", 60)
            for label, count in zip(small[:5], counts[counts < least][:5], strict=True)
        )
        more = f" and {len(small) - 5} more" if len(small) > 5 else ""
        raise DataError(
            f"target {one_line(table.target)!r} has classes with too few rows for {choices.folds} outer and "
            f"{choices.folds} inner folds, which need {least} of each: {which}{more}; merge or drop them, "
            "or lower --cv."
        )


def make_sieve(prepared: Prepared, choices: Choices, criterion: str | None = None) -> SVMSieve:
    """Return the sieve of the user's choices."""
    estimator, retune = _machine(prepared, choices)
    return SVMSieve(
        estimator,
        criterion=choices.criterion if criterion is None else criterion,
        search=choices.search,
        n_features_to_select=size_of_text(choices.size),
        retune=retune,
        tuning=cast(TuningRule, choices.tuning),  # the sieve checks it
        cv=choices.inner,
        scoring=None if choices.scoring is None else metric_of(prepared, choices).scorer,
        missing="mean",
        groups=prepared.groups,
        keep=prepared.keep or None,
        random_state=choices.seed,
        memory=choices.memory,
    )


def metric_of(prepared: Prepared, choices: Choices) -> Metric:
    """Return the measure asked for."""
    return make_metric(choices.scoring, prepared.regression)


def size_of_text(text: str) -> Any:
    """Return a number, a fraction or the name of a rule."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _number(text: str, option: str, words: Sequence[str]) -> Any:
    if text in words:
        return text
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not (0.0 < value < float("inf")):
        raise DataError(f"{option} must be {', '.join(words)} or a positive number, got {text!r}.")
    return value


def machine_of_text(choices: Choices, *, regression: bool) -> SVC | SVR:
    """Return the machine of --kernel, --C and --gamma; C = 1 and γ by its rule where they are auto."""
    C = _number(choices.C, "--C", ("auto",))
    gamma = _number(choices.gamma, "--gamma", ("auto", "scale"))
    if choices.kernel not in ("rbf", "linear", "poly"):
        raise DataError(f"--kernel must be rbf, linear or poly, got {choices.kernel!r}.")
    kind = SVR if regression else SVC
    return kind(
        kernel=choices.kernel,
        C=1.0 if C == "auto" else C,
        gamma="scale" if gamma == "auto" else gamma,
    )


def _machine(prepared: Prepared, choices: Choices) -> tuple[Any, Any]:
    """Return the machine (None: an RBF machine tuned on the grid) and the sizes at which to tune it."""
    machine = machine_of_text(choices, regression=prepared.regression)
    tuned = choices.C == "auto" and not choices.quick
    if tuned and choices.gamma == "auto" and choices.kernel == "rbf":
        return None, None
    if not tuned:
        if choices.tuning != "best":
            raise DataError(
                f"--tuning {choices.tuning} is for a tuned machine; leave out --C and --quick, or --tuning."
            )
        return machine, None
    if choices.gamma != "auto":
        raise DataError(
            "--gamma with --C auto is not possible; give --C too, or leave --gamma out."
        )
    if choices.search != "rfe":
        raise DataError(
            f"--kernel {choices.kernel} is tuned with --search rfe only; give --C, or leave --search out."
        )
    return machine, [prepared.n_units]


def n_steps(prepared: Prepared, sieve: SVMSieve) -> int | None:
    """Return the number of steps of one fit of the sieve, None where the data decide."""
    n_units = prepared.n_units
    rule = make_rule(sieve.n_features_to_select)
    task = "regression" if prepared.regression else "binary"
    rankers = sieve.rankers(make_criterion(sieve.criterion, task), task, rule)
    search = make_search(sieve.search, sieve.schedule(rankers, rule), sieve.retune, sieve.cv)
    fixed = rule.fixed_size(n_units)
    kept = (
        len(set(np.asarray(prepared.groups)[prepared.keep]))
        if prepared.groups
        else len(prepared.keep)
    )
    smallest = max(1, kept) if fixed is None else fixed
    steps = search.n_steps(n_units, smallest, fixed)
    if steps is None:
        return None
    folds = 0
    if rule.needs_cv and not search.forward:
        folds = 5 * n_repeats(len(prepared.y)) if sieve.cv == "auto" else sieve.cv
    return steps * (1 + folds * max(1, len(with_voters(rankers)))) + 2 * rule.half_pairs


@dataclass(frozen=True)
class Result:
    """A fitted sieve, its nested evaluation and what it is compared with."""

    sieve: SVMSieve
    evaluation: NestedEvaluation
    baselines: dict[str, NestedEvaluation]


def run(
    prepared: Prepared, choices: Choices, record: Path | None = None, *, quiet: bool = False
) -> Result:
    """Select on all rows, then repeat everything inside the outer folds; both continue from a record."""
    X, y = prepared.values, prepared.y
    sieve = make_sieve(prepared, choices)
    metric = metric_of(prepared, choices)
    steps = n_steps(prepared, sieve)
    with stage(
        f"Selecting ({len(y)} rows, {prepared.n_units} features)", steps, quiet=quiet
    ) as shown:
        fitted = SVMSieve(**sieve.get_params(deep=False)).set_params(
            n_jobs=choices.jobs, checkpoint=record, callback=lambda step: shown.step()
        )
        fitted.fit(prepared.encoded.X, y, groups=prepared.table.groups)
    total = None if steps is None else steps * choices.folds
    options: dict[str, Any] = {
        "outer_cv": choices.folds,
        "groups": prepared.table.groups,
        "scoring": metric,
        "random_state": choices.seed,
        "n_jobs": choices.jobs,
    }
    with stage(f"Evaluating ({choices.folds} outer folds)", total, quiet=quiet) as shown:
        evaluation = nested_evaluate(
            sieve.set_params(callback=lambda step: shown.step()),
            X,
            y,
            checkpoint=None if record is None else f"{record}.evaluation",
            **options,
        )
    fitted.set_params(callback=None, checkpoint=None)
    everything: NestedEvaluation
    if prepared.n_units in evaluation.sizes:
        everything = evaluation.at_size(prepared.n_units)
    else:
        with stage("Evaluating all features", quiet=quiet) as shown:
            everything = nested_evaluate(
                make_sieve(prepared, replace(choices, search="once", size=str(prepared.n_units))),
                X,
                y,
                **options,
            )
    guess = DummyRegressor() if prepared.regression else DummyClassifier(strategy="prior")
    baselines = {
        "all features": everything,
        "guessing": nested_evaluate(guess, X, y, **options),
    }
    return Result(fitted, evaluation, baselines)


@contextmanager
def collected() -> Iterator[list[str]]:
    """Collect warnings as sentences in place of printing them."""
    sentences: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield sentences
        finally:
            told = [str(each.message) for each in caught if _for_people(each)]
            sentences += list(dict.fromkeys(told))


def _for_people(caught: Any) -> bool:
    return not issubclass(caught.category, DeprecationWarning | FutureWarning | ResourceWarning)
