"""What a selection is made of, checked, and the problem of each of its runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np

from svmsieve.criteria import Criterion
from svmsieve.engine.arrays import FloatArray, IntArray, Matrix
from svmsieve.engine.machines.dealt_groups import counts_of_groups
from svmsieve.engine.machines.drawn_rows import drawn_rows
from svmsieve.engine.machines.fit import balanced_weights
from svmsieve.engine.machines.plan import Plan, tuned_above_guessing
from svmsieve.engine.machines.relative_grid import GRID
from svmsieve.engine.machines.scoring import DecisionScorer
from svmsieve.engine.machines.skill import BY_SKILL, Skill
from svmsieve.engine.machines.target import Classes, Target, TargetScale, TargetScaling
from svmsieve.engine.machines.tuned_grid import TuningRule
from svmsieve.inputs.estimators import make_plan
from svmsieve.inputs.scaling import Standardising, scale_of_target
from svmsieve.scale.chunks import Chunks, RowChunks
from svmsieve.scale.prepared_rows import SurveyedRows
from svmsieve.scale.sample_groups import SampleGroups
from svmsieve.scale.shared_passes import SharedPasses
from svmsieve.search.contract import Problem, Search, Step
from svmsieve.search.followed import MOST_ROWS, Followed, Kept, Known
from svmsieve.search.held_out import HeldOut
from svmsieve.search.rankers import Ranker
from svmsieve.selection.halves import half_samples
from svmsieve.selection.probes import Probed, n_turns
from svmsieve.selection.streamed import streamed_problem
from svmsieve.sizing import SizeRule
from svmsieve.sizing.bound import radius_margin_bound


@dataclass(frozen=True)
class Collected:
    """Rows that are not in memory.

    Attributes
    ----------
    rows : in chunks, of which searches ask sums together
    surveyed : what two passes over them tell
    groups : the groups of samples; None where there are none
    """

    rows: SharedPasses
    surveyed: SurveyedRows
    groups: SampleGroups | None


@dataclass(frozen=True)
class Task:
    """Everything a selection is made of, checked; what its runs share."""

    X: Matrix
    target: Target
    sample_weight: FloatArray | None
    estimator: Any
    criterion: Criterion
    search: Search
    rule: SizeRule
    units: tuple[IntArray, ...]
    keep: frozenset[int]
    scale: bool
    scoring: Any
    seed: int
    memory: float | None
    impute: bool = False
    n_landmarks: int | None = None
    """Landmarks of the Nyström machine; None: the exact machine."""
    tuning: TuningRule = "best"
    rankers: tuple[Ranker, ...] = ()
    """The rankings to try, judged by machines that follow the size; none: the estimator's alone."""
    collected: Collected | None = None
    """The rows, where they are not in memory: then X, target and weights are those of a sample."""

    @property
    def collection(self) -> SharedPasses | None:
        """The rows that are not in memory."""
        return None if self.collected is None else self.collected.rows

    @cached_property
    def source(self) -> Chunks:
        """All rows in chunks, for the Nyström machine."""
        if self.collection is not None:
            return self.collection
        target = self.target
        return RowChunks(self.X, target.labels, self.sample_weight, groups=target.groups)

    @cached_property
    def surveyed(self) -> SurveyedRows:
        """What two passes over all rows tell."""
        if self.collected is not None:
            return self.collected.surveyed
        assert self.n_landmarks is not None
        return SurveyedRows.of(self.source, self.n_landmarks, self.seed)

    @cached_property
    def group_counts(self) -> FloatArray | None:
        """Rows of each class (of numbers: of all) in each group of samples; None where there are none."""
        if self.target.groups is None:
            return None
        if self.collected is not None and self.collected.groups is not None:
            return self.collected.groups.in_order()
        codes = self.target.codes if isinstance(self.target, Classes) else None
        return counts_of_groups(self.target.groups, codes)

    @property
    def labels(self) -> Any:
        """The classes, ascending; None for numbers."""
        return self.target.classes if isinstance(self.target, Classes) else None

    @cached_property
    def class_weight(self) -> dict[Any, float] | Literal["balanced"] | None:
        """How the sieve's own machines weigh the classes: all the same, where the measure counts them so.

        Otherwise a machine of few columns tells everybody that he is of the largest class.  Of weighted
        samples the classes' weights are the same, not their numbers.
        """
        if self.scoring != "balanced_accuracy" or not isinstance(self.target, Classes):
            return None
        if self.sample_weight is None or self.n_landmarks is not None:
            return "balanced"
        labels = self.target.classes.tolist()
        totals = np.bincount(self.target.codes, self.sample_weight, minlength=len(labels))
        return dict(zip(labels, balanced_weights(totals).tolist(), strict=True))

    def plan(self, X: Matrix, target: Target) -> Plan:
        """Return the user's machine for some samples; without one, what is to be tuned."""
        plan = make_plan(self.estimator, X, target)
        if self.estimator is not None or self.class_weight is None:
            return plan
        return replace(plan, machine=replace(plan.machine, class_weight=self.class_weight))

    @property
    def smallest(self) -> int:
        """Size at which eliminations end."""
        fixed = self.rule.fixed_size(len(self.units))
        return max(1, len(self.keep)) if fixed is None else fixed

    @property
    def trains_machines(self) -> bool:
        """Whether a search that is not judged on held-out samples trains machines."""
        return self.criterion.machine is not None or self.search.forward

    @property
    def scaling(self) -> Standardising:
        """What fills and scales samples by those that are trained on."""
        return Standardising(self.scale, self.impute)

    @property
    def target_scaling(self) -> TargetScaling:
        """What measures the target of those samples that are trained on."""
        return partial(scale_of_target, scale=self.scale, estimator=self.estimator)

    def columns(self, units: IntArray) -> IntArray:
        """Return the columns of some units, unit by unit."""
        return np.concatenate([self.units[unit] for unit in units])

    def n_steps(self, *, with_probes: bool = False) -> int | None:
        """Return the number of steps of one run, None where the data decide."""
        n_units = len(self.units)
        fixed = self.rule.fixed_size(n_units)
        if with_probes:
            n_tested = n_units - len(self.keep)
            n_units += -(-n_tested // max(1, n_turns(n_tested, 1)))
        return self.search.n_steps(n_units, self.smallest, fixed)

    @property
    def n_turns(self) -> int:
        """Searches in which the rule's probes are ranked along with the features."""
        return n_turns(len(self.units) - len(self.keep), self.rule.probe_copies)

    def with_probes(self, turn: int) -> Task:
        """Return the task of ranking the probes of a turn along with the features."""
        probed = Probed.in_turn(self.X, self.units, self.keep, self.seed, turn)
        return replace(self, X=probed.X, units=probed.units, keep=probed.keep)

    def probes_before(self, turn: int, steps: Sequence[Step]) -> IntArray:
        """Return how many probes of a turn rank before each feature that may leave, best first."""
        layout = Probed.in_turn(self.X[:0], self.units, self.keep, self.seed, turn)
        return layout.probes_before(steps)

    @property
    def n_chosen(self) -> int:
        """Units that each half sample chooses."""
        return self.rule.n_chosen(len(self.units) - len(self.keep))

    def halves(self) -> list[IntArray]:
        """Return the samples of the half samples that the rule asks for, pair by pair."""
        pairs, weight = self.rule.half_pairs, self.sample_weight
        if not pairs:
            return []
        # A sample without weight is as if it were not there.
        rows = np.arange(len(self.target)) if weight is None else np.flatnonzero(weight > 0.0)
        return [rows[half] for half in half_samples(self.target.take(rows), pairs, self.seed)]

    def scaled(self) -> Matrix:
        """Return all samples, missing values filled, as machines see them."""
        return self.scaling(self.X, self.sample_weight).apply(self.X)

    def problem(
        self,
        rows: IntArray | None,
        held_out: IntArray | None,
        path: int,
        ranker: Ranker | None = None,
        known: Known | None = None,
        scores: FloatArray | None = None,
        kept: Kept | None = None,
    ) -> Problem:
        """Return the problem of some samples (None: all), judged on the held-out ones.

        With a ranker its criterion and machine rank, and machines that follow the size are judged;
        ``known`` holds their scores, which rankings of the same samples share; ``scores`` are those that
        decide in place of the criterion's; ``kept`` are the points at which the machines are judged.

        What fills missing values, the scales of columns and target, γ and tuning are those of the samples
        in it: nothing held out is looked at.
        """
        if self.n_landmarks is not None:
            return streamed_problem(self, rows, held_out, path)
        if rows is not None and self.sample_weight is not None:
            # A class may have no weight in a fold: it is as if it were not there.
            rows = rows[self.sample_weight[rows] > 0.0]
        X = self.X if rows is None else self.X[rows]
        given = self.target if rows is None else self.target.take(rows)
        weight = self.sample_weight
        if weight is not None and rows is not None:
            weight = weight[rows]
        target_scale = self.target_scaling(given, weight)
        target = target_scale.apply(given)
        unscaled, scale = X, self.scaling(X, weight)
        X = scale.apply(unscaled)
        criterion = self.criterion if ranker is None else ranker.criterion
        seed = int(np.random.SeedSequence([self.seed, path]).generate_state(1)[0])
        trained = self.trains_machines or (ranker is None and held_out is not None)
        plan = self.plan(X, target) if ranker is None else ranker.plan(target, X)
        plan = replace(plan, tuning_rule=self.tuning)
        criterion.refuse_kernel(plan.kernel)
        if trained:
            plan = self._tuned(plan, ranker, X, unscaled, target, weight, seed)
        evaluate = followed = None
        if held_out is not None:
            scorer = DecisionScorer(self.scoring, self.target, self.sample_weight, target_scale)
            others = scale.apply(self.X[held_out])
            if ranker is None:
                evaluate = HeldOut(others, held_out, scorer)
            else:
                drawn = drawn_rows(target, MOST_ROWS, (self.seed, path))
                known = {} if known is None else known
                skill = self.skill(target_scale)
                balanced = self.class_weight is not None
                followed = Followed(
                    others, held_out, scorer, GRID, drawn, known, skill, kept, balanced
                )
        fixed = self.rule.fixed_size(len(self.units))
        return Problem(
            X,
            target,
            criterion,
            plan,
            self.units,
            keep=self.keep,
            sample_weight=weight,
            seed=(self.seed, path),
            smallest=self.smallest,
            largest=fixed,
            scorer=DecisionScorer(self.scoring, given, weight, target_scale),
            evaluate=evaluate,
            followed=followed,
            given=scores,
            once=ranker is not None and ranker.once,
            bound=radius_margin_bound if self.rule.needs_bound and held_out is None else None,
            memory=self.memory,
            unscaled=unscaled,
            scaling=self.scaling,
            target_scaling=self.target_scaling,
        )

    def skill(self, scale: TargetScale | None = None) -> Skill | None:
        """Return what decides in place of the scores, where these are counts or squared errors.

        ``scale`` is that of the target that the judged machines learned.
        """
        if self.scoring not in BY_SKILL:
            return None
        balanced = self.scoring == "balanced_accuracy"
        return Skill(self.target, self.sample_weight, scale, balanced=balanced)

    def _tuned(
        self,
        plan: Plan,
        ranker: Ranker | None,
        X: Matrix,
        unscaled: Matrix,
        target: Target,
        weight: FloatArray | None,
        seed: int,
    ) -> Plan:
        """Return the plan with C, γ and ε tuned on the samples of a problem, where nobody gave them."""
        options: dict[str, Any] = {
            "scaling": self.scaling,
            "target_scaling": self.target_scaling,
            "sample_weight": weight,
            "seed": seed,
            "memory": self.memory,
        }
        if ranker is not None:
            if ranker.C is not None:
                return plan
            return tuned_above_guessing(
                plan, unscaled, target, scoring=self.scoring, **options
            ).following(X)
        return plan if self.estimator is not None else plan.tuned(unscaled, target, **options)
