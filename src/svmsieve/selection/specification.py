"""What a sieve is asked to do: its parameters and the user's samples become a task, checked once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from os import PathLike
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from svmsieve.criteria import Criterion, make_criterion
from svmsieve.criteria.registry import refuse_task
from svmsieve.engine.arrays import FloatArray, Matrix, check_count, check_flag, refuse_no_numbers
from svmsieve.engine.columns import column_range
from svmsieve.engine.machines.scoring import (
    DecisionScorer,
    default_scoring,
    default_scoring_of_totals,
)
from svmsieve.engine.machines.target import Classes, Target
from svmsieve.inputs.estimators import is_regressor, refuse_parameters
from svmsieve.inputs.feature_groups import kept_units, make_units
from svmsieve.inputs.folds import make_folds
from svmsieve.inputs.questions import guessed_regression, is_nystroem
from svmsieve.inputs.scaling import filled, present_means
from svmsieve.inputs.table import canonical, feature_names, refuse_unusable
from svmsieve.inputs.target import (
    check_sample_groups,
    check_weights,
    make_target,
    refuse_missing,
    refuse_text,
    refuse_weightless_class,
)
from svmsieve.runtime.memory import check_memory
from svmsieve.runtime.seeds import seed_of
from svmsieve.scale.active_set import refuse_exact_only
from svmsieve.search import make_search
from svmsieve.search.contract import Search
from svmsieve.search.rankers import Ranker, portfolio, quick_portfolio, tuned_ranker
from svmsieve.search.schedule import Thinning
from svmsieve.search.stopping import GrowingSearch
from svmsieve.selection.landmark_number import MOST_LANDMARKS
from svmsieve.selection.record import fingerprint
from svmsieve.selection.task import Collected, Task
from svmsieve.sizing import SizeRule, make_rule

NOT_PART_OF_THE_RUN = ("n_jobs", "checkpoint", "verbose", "callback", "memory")
"""Parameters that change nothing in what is computed."""


def specify(sieve: Any, X: Any, y: Any, sample_weight: Any, sample_groups: Any) -> Task:
    """Check everything once."""
    check_settings(sieve)
    regressor = is_regressor(sieve.estimator)
    impute = sieve._imputes(X)
    refuse_unusable(X, allow_missing=impute)
    refuse_no_numbers(y, "y")
    matrix, y = _validated(sieve, X, y, impute, y_numeric=bool(regressor))
    regression = guessed_regression(y, sieve.criterion) if regressor is None else regressor
    target = replace(
        make_target(y, regression, matrix.shape[0]),
        groups=check_sample_groups(sample_groups, matrix.shape[0]),
    )
    names = [str(name) for name in getattr(sieve, "feature_names_in_", feature_names(matrix))]
    refuse_constant(filled(matrix, present_means(matrix) if impute else None))
    weight = None
    if sample_weight is not None:
        weight = check_weights(sample_weight, matrix.shape[0])
        refuse_weightless_class(target, weight)
    return task_of(sieve, Samples(matrix, target, weight, names, impute))


@dataclass(frozen=True)
class Samples:
    """Samples that were checked: all in memory, or some of row chunks that are elsewhere."""

    X: Matrix
    target: Target
    weight: FloatArray | None
    names: list[str]
    impute: bool
    collected: Collected | None = None


def task_of(sieve: Any, samples: Samples) -> Task:
    """Return what a sieve is asked to do with samples; refuse what does not go together."""
    target = samples.target
    refuse_parameters(sieve.estimator, target)
    criterion = make_criterion(sieve.criterion, target.task)
    refuse_task(criterion, target.task)
    units = make_units(sieve.groups, samples.names)
    keep = kept_units(sieve.keep, units, samples.names)
    searching = Searching.of(sieve, criterion, target, seed_of(sieve.random_state))
    searching.refuse(sieve, target, len(units), len(keep))
    search, rule = searching.search, searching.rule
    if rule.needs_cv or search.forward or sieve.scoring is not None:
        DecisionScorer(sieve.scoring, target).try_out()
    criterion.refuse_weights(samples.weight)
    return Task(
        samples.X,
        target,
        samples.weight,
        sieve.estimator,
        criterion,
        search,
        rule,
        units,
        keep,
        check_flag(sieve.scale, "scale"),
        _scoring(sieve, samples),
        searching.seed,
        check_memory(sieve.memory),
        samples.impute,
        searching.n_landmarks,
        sieve.tuning,
        searching.rankers,
        samples.collected,
    )


def _scoring(sieve: Any, samples: Samples) -> Any:
    """Return what judges: what the user asks for, else what suits the classes of all rows."""
    if sieve.scoring is not None:
        return sieve.scoring
    if samples.collected is None or not isinstance(samples.target, Classes):
        return default_scoring(samples.target, samples.weight)
    return default_scoring_of_totals(samples.collected.surveyed.survey.labels.weights)


def _validated(sieve: Any, X: Any, y: Any, impute: bool, *, y_numeric: bool) -> tuple[Matrix, Any]:
    """Return samples and target as scikit-learn checks them, the sieve's names of columns noted."""
    refuse_missing(y)
    if y_numeric:
        refuse_text(y)
    X, y = validate_data(
        sieve,
        X,
        y,
        accept_sparse="csr",
        dtype=np.float64,
        ensure_all_finite="allow-nan" if impute else True,
        ensure_min_samples=2,
        y_numeric=y_numeric,
    )
    return canonical(X) if sp.issparse(X) else np.ascontiguousarray(X), y


@dataclass(frozen=True)
class Searching:
    """How the features are searched: the search, its size rule, the rankings it tries.

    Attributes
    ----------
    search, rule : made of what the sieve was given
    rankers : rankings to try where there is no estimator
    seed : of everything random
    n_landmarks : of the Nyström machine; None with the exact one
    """

    search: Search
    rule: SizeRule
    rankers: tuple[Ranker, ...]
    seed: int
    n_landmarks: int | None

    @classmethod
    def of(cls, sieve: Any, criterion: Criterion, target: Target, seed: int) -> Searching:
        """Make search and rule from the parameters of a sieve."""
        cv = sieve.cv
        if sieve.search in ("forward", "hill-climb") and not isinstance(cv, Integral):
            # a search that grows has no other folds, and one division is enough for its many steps
            cv = make_folds(5 if isinstance(cv, str) and cv == "auto" else cv, target, seed)
        rule = make_rule(sieve.n_features_to_select)
        rankers = rankers_of(sieve, criterion, target.task, rule)
        search = make_search(sieve.search, schedule_of(sieve, rankers, rule), sieve.retune, cv)
        n_landmarks = None
        if is_nystroem(sieve.machine):
            n_landmarks = number_of_landmarks(sieve)
        return cls(search, rule, () if search.forward else rankers, seed, n_landmarks)

    def refuse(self, sieve: Any, target: Target, n_units: int, n_kept: int) -> None:
        """Refuse what does not go together."""
        if sieve.tuning not in ("best", "1se"):
            raise ValueError(f"tuning must be 'best' or '1se', got {sieve.tuning!r}.")
        self.rule.refuse(target.task, self.search)
        if self.n_landmarks is not None:
            refuse_exact_only(self.search, self.rule)
        fixed = self.rule.fixed_size(n_units)
        if fixed is not None and n_kept > fixed:
            raise ValueError(
                f"keep holds {n_kept} features (or groups), more than the {fixed} to select."
            )
        if self.rule.needs_cv and (self.rule.probe_copies or self.rule.half_pairs):
            raise ValueError(
                "a size rule must not ask for probes and for cross-validated scores, nor for half samples "
                "and these: the folds would visit different sizes."
            )


def number_of_landmarks(sieve: Any) -> int:
    """Return the number of landmarks; where the program chooses it, the most it tries."""
    if isinstance(sieve.n_landmarks, str) and sieve.n_landmarks == "auto":
        return MOST_LANDMARKS
    return check_count(sieve.n_landmarks, "n_landmarks")


def check_settings(sieve: Any) -> None:
    """Check what no part of the computation looks at before it is under way."""
    if not (sieve.n_jobs is None or (isinstance(sieve.n_jobs, Integral) and sieve.n_jobs != 0)):
        raise ValueError(
            f"n_jobs must be a whole number other than 0 or None, got {sieve.n_jobs!r}."
        )
    if not isinstance(sieve.checkpoint, str | PathLike | None):
        raise ValueError(f"checkpoint must be a path or None, got {sieve.checkpoint!r}.")
    if not isinstance(sieve.verbose, Integral):
        raise ValueError(f"verbose must be a whole number, got {sieve.verbose!r}.")
    if not (sieve.callback is None or callable(sieve.callback)):
        raise ValueError(f"callback must be a function of a Step or None, got {sieve.callback!r}.")


def schedule_of(sieve: Any, rankers: tuple[Ranker, ...], rule: SizeRule) -> Any:
    """Return how many features leave at a time: where many machines are judged at each size, more."""
    plain = isinstance(sieve.step, str) and sieve.step == "auto"
    judged = bool(rankers) or is_nystroem(sieve.machine)
    many = (judged and rule.needs_cv) or rule.half_pairs
    return Thinning() if plain and many else sieve.step


def rankers_of(sieve: Any, criterion: Criterion, task: str, rule: SizeRule) -> tuple[Ranker, ...]:
    """Return the rankings to try where there is no estimator: several, or one by the criterion.

    Which of several is best the folds tell: rules that look at something else have one.
    """
    if sieve.estimator is not None or retunes(sieve) or is_nystroem(sieve.machine):
        return ()
    several = isinstance(sieve.criterion, str) and sieve.criterion == "auto"
    if rule.half_pairs:  # to tune on each half would take long
        return quick_portfolio(task) if several else (Ranker(criterion, "rbf"),)
    several = several and rule.needs_cv
    return portfolio(task) if several else (tuned_ranker(criterion),)


def refuse_constant(X: Matrix) -> None:
    lower, upper = column_range(X)
    if not (upper > lower).any():
        raise ValueError("X must hold a column that varies; all of its columns are constant.")


def parameters_of(sieve: Any, task: Task, folds: Sequence[Any]) -> dict[str, Any]:
    """What the run depends on, as the record keeps it: columns by index, folds by their samples."""
    parameters = {
        name: value
        for name, value in sieve.get_params(deep=False).items()
        if name not in NOT_PART_OF_THE_RUN
    }
    parameters["random_state"] = task.seed
    parameters["keep"] = sorted(task.keep)
    if sieve.groups is not None:
        parameters["groups"] = [unit.tolist() for unit in task.units]
    if task.target.groups is not None:
        parameters["sample_groups"] = task.target.groups
        if task.collection is not None:  # those of a sample, and what is known of the others
            parameters["counts_of_groups"] = task.group_counts
    if not isinstance(sieve.cv, Integral):
        own = task.search.cv if isinstance(task.search, GrowingSearch) else ()
        used = own if isinstance(own, list) else folds
        streamed = task.n_landmarks is not None
        parameters["cv"] = [repr(fold) if streamed else fingerprint(*fold) for fold in used]
    return parameters


def retunes(sieve: Any) -> bool:
    """Return whether the search, made here or given, tunes C and γ again on the way."""
    return sieve.retune is not None or getattr(sieve.search, "retune", None) is not None
