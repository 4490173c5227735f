"""From prepared data to a selection and its nested evaluation."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from svmsieve.criteria import make_criterion
from svmsieve.datasets import DataError
from svmsieve.engine.machines.skill import BY_SKILL
from svmsieve.engine.machines.tuned_grid import TuningRule
from svmsieve.evaluation import Metric, NestedEvaluation
from svmsieve.evaluation.nested import Evaluating, Running, evaluating
from svmsieve.inputs.feature_groups import kept_units, make_units
from svmsieve.inputs.folds import n_repeats
from svmsieve.inputs.target import make_target
from svmsieve.runtime.seeds import seed_of
from svmsieve.search.rankers import response, with_voters
from svmsieve.selection.selector import SVMSieve
from svmsieve.selection.specification import Searching
from svmsieve.studies.baselines import baselines
from svmsieve.studies.choices import Choices, machine_of_text, size_of_text
from svmsieve.studies.data import StudyData
from svmsieve.studies.folds import plan_folds
from svmsieve.studies.many_files import ManyFiles
from svmsieve.studies.stages import Stage, stage
from svmsieve.studies.waiting import forecast, n_processes


def make_sieve(prepared: StudyData, choices: Choices, criterion: str | None = None) -> SVMSieve:
    """Return the sieve of the user's choices."""
    estimator, retune = _machine(prepared, choices)
    asked: Any = choices.criterion if criterion is None else criterion
    if asked == "auto" and estimator is not None and not prepared.regression:
        # As the default's own: sigmoids need two samples of each class wherever they are fitted.
        asked = response("binary")
    return SVMSieve(
        estimator,
        criterion=asked,
        search=choices.search,
        n_features_to_select=size_of_text(choices.size),
        retune=retune,
        tuning=cast(TuningRule, choices.tuning),  # the sieve checks it
        cv=prepared.folds.inner,
        scoring=None if choices.scoring is None else _scoring(prepared.metric),
        missing="mean",
        groups=prepared.groups,
        keep=prepared.keep or None,
        random_state=choices.seed,
        memory=choices.memory,
    )


def _scoring(metric: Metric) -> Any:
    """Return what a sieve judges by: the name, where it decides by skill as it does without a choice."""
    name = {"ber": "balanced_accuracy"}.get(metric.name, metric.name)
    return name if name in BY_SKILL else metric.scorer


def _machine(prepared: StudyData, choices: Choices) -> tuple[Any, Any]:
    """Return the machine (None: an RBF machine tuned on the grid) and the sizes at which to tune it."""
    machine = machine_of_text(choices, regression=prepared.regression)
    if not prepared.regression:  # of what --C and --quick leave fixed, too
        machine.set_params(class_weight=prepared.class_weight)
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


def n_steps(prepared: StudyData, sieve: SVMSieve) -> int | None:
    """Return the number of steps of one fit of the sieve, None where the data decide."""
    target = make_target(prepared.y, prepared.regression, len(prepared.y))
    criterion = make_criterion(sieve.criterion, target.task)
    searching = Searching.of(sieve, criterion, target, seed_of(sieve.random_state))
    search, rule = searching.search, searching.rule
    units = make_units(sieve.groups, prepared.encoded.names)
    fixed = rule.fixed_size(len(units))
    kept = kept_units(sieve.keep, units, prepared.encoded.names)
    steps = search.n_steps(len(units), max(1, len(kept)) if fixed is None else fixed, fixed)
    if steps is None:
        return None
    folds = 0
    if rule.needs_cv and not search.forward:
        folds = 5 * n_repeats(len(prepared.y)) if sieve.cv == "auto" else sieve.cv
    rankers = with_voters(searching.rankers)
    return steps * (1 + folds * max(1, len(rankers))) + 2 * rule.half_pairs


def _quick_steps(prepared: StudyData, choices: Choices) -> int | None:
    """Return the steps of one fit with ``--quick``; None where the data decide, or it is not possible."""
    if choices.tuning != "best":
        return None
    quick = replace(choices, quick=True)
    other = replace(prepared, folds=plan_folds(prepared.table, quick))
    return n_steps(other, make_sieve(other, quick))


@dataclass(frozen=True)
class StudyResult:
    """A fitted sieve, its nested evaluation and what it is compared with."""

    sieve: SVMSieve
    evaluation: NestedEvaluation
    baselines: dict[str, NestedEvaluation]


def run(
    prepared: StudyData,
    choices: Choices,
    record: Path | None = None,
    *,
    many: ManyFiles | None = None,
    quiet: bool = False,
) -> StudyResult:
    """Select on all rows, then repeat everything inside the outer folds; both continue from a record.

    Where the rows are in many files, the Nyström machine selects on all of them, and the outer folds are of
    the prepared ones.
    """
    sieve = make_sieve(prepared, choices)
    if many is not None:
        sieve.set_params(machine="nystroem", n_landmarks="auto")
    steps = n_steps(prepared, sieve)
    processes = 1 if many is not None else n_processes(prepared, choices, steps)
    select = partial(
        _select, prepared, choices, record, sieve, steps, processes, many=many, quiet=quiet
    )
    if many is not None:  # the outer folds take its number of landmarks over
        fitted = select()
        sieve.set_params(n_landmarks=fitted.n_landmarks_)
        select = partial(lambda: fitted)
    checkpoint = None if record is None else f"{record}.evaluation"
    running = Running(None, checkpoint, n_processes=processes)
    found, fitted = in_outer_folds(
        prepared,
        choices,
        {"selector": sieve},
        running,
        f"Evaluating ({prepared.folds})",
        steps,
        before=select,
        quiet=quiet,
    )
    with stage("Evaluating what it is compared with", quiet=quiet):
        evaluate = partial(_baseline, prepared, choices, running)
        compared = baselines(prepared, sieve, found["selector"], evaluate)
    return StudyResult(fitted, found["selector"], compared)


def in_outer_folds(
    prepared: StudyData,
    choices: Choices,
    methods: Mapping[str, SVMSieve],
    running: Running,
    title: str,
    steps: int | None,
    *,
    before: Callable[[], Any] | None = None,
    quiet: bool = False,
) -> tuple[dict[str, NestedEvaluation], Any]:
    """Evaluate sieves in the outer folds; return that, and what was done ``before`` this process took part.

    ``steps`` are those of all sieves in one fold.
    """
    shown: list[Stage] = []
    for sieve in methods.values():
        sieve.set_params(callback=lambda step: shown[0].step())
    with _evaluating(prepared, choices, methods, running) as folds:
        done = None if before is None else before()
        total = None if steps is None else round(steps / len(methods) * folds.share)
        with stage(title, total, quiet=quiet) as now:
            shown.append(now)
            return folds.end(), done


def _baseline(
    prepared: StudyData, choices: Choices, running: Running, name: str, method: Any
) -> NestedEvaluation:
    """Evaluate a baseline; its record is beside that of the selection."""
    path = None if running.checkpoint is None else f"{running.checkpoint}.{name}"
    how = running._replace(checkpoint=path)
    with _evaluating(prepared, choices, {"selector": method}, how) as folds:
        return folds.end()["selector"]


def _evaluating(
    prepared: StudyData, choices: Choices, methods: Mapping[str, Any], running: Running
) -> AbstractContextManager[Evaluating]:
    return evaluating(
        methods,
        prepared.values,
        prepared.y,
        prepared.outer_folds(choices.seed),
        running,
        groups=prepared.table.groups,
        scoring=prepared.metric,
        random_state=choices.seed,
    )


def _select(
    prepared: StudyData,
    choices: Choices,
    record: Path | None,
    sieve: SVMSieve,
    steps: int | None,
    processes: int,
    *,
    many: ManyFiles | None,
    quiet: bool,
) -> SVMSieve:
    """Select on all rows."""
    n_rows = len(prepared.y) if many is None else many.n_rows
    title = f"Selecting ({n_rows} rows, {prepared.n_units} features)"
    told = None
    if many is None:
        told = forecast(prepared, choices, steps, _quick_steps(prepared, choices), processes)
    with stage(title, steps, forecast=told, quiet=quiet) as shown:
        fitted = SVMSieve(**sieve.get_params(deep=False)).set_params(
            checkpoint=record, callback=lambda step: shown.step()
        )
        if many is None:
            fitted.fit(prepared.encoded.X, prepared.y, groups=prepared.table.groups)
        else:
            columns, target, groups = many.encoded(prepared)
            fitted.fit(columns, target, groups=groups)
    return fitted.set_params(callback=None, checkpoint=None)


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
