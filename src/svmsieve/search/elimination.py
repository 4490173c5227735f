"""Backward elimination: train, score, remove the least important, again."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np

from svmsieve.criteria.material import Data, RowsOnly
from svmsieve.engine.arrays import BoolArray, FloatArray, IntArray
from svmsieve.engine.machines.plan import Plan
from svmsieve.search.active_set import ActiveSet, make_active_set
from svmsieve.search.contract import Problem, Search, Step
from svmsieve.search.followed import Followed, Points
from svmsieve.search.linear_rfe import is_plain_linear, run_linear_leg
from svmsieve.search.schedule import make_schedule

LEG = 16
"""Steps after which machines and kernel matrices are computed from scratch.  An interrupted run goes
on from the last such step, so nothing but the removed features has to be recorded."""
_LONG_LEG = 64
_AHEAD = 4
"""Steps that may wait for what their machines are worth while the search goes on."""
_MANY_SAMPLES = 500
"""With fewer samples a step is so quick that starting from scratch would cost more than repeating."""


class Elimination(Search):
    """Recursive feature elimination (Guyon et al. 2002) with any criterion.

    Train, score, remove the lowest, repeat. Scores are computed anew at every size.

    Parameters
    ----------
    step : int, float, "auto" or Schedule, default="auto"
        Number of features to remove at a time, a fraction *of the remaining*, ``"auto"`` (halve
        until 100, then one by one) or a :class:`~svmsieve.search.Schedule`.
    retune : "halving", sequence of int or None, default=None
        Sizes at which C and γ are tuned again before the step (at the next smaller one that the
        schedule visits), ``"halving"`` for each size at which the set has halved since the last
        tuning, None for never.
    rerank : bool, default=True
        Score anew at each step; False ranks once at the start.

    See Also
    --------
    svmsieve.search.Once : Train once, rank once (INIT of Shen et al. 2008); the sizes follow the
        schedule.
    svmsieve.search.Schedule : Says how many of the remaining features an elimination removes next.
    svmsieve.search.Forward : Add the feature whose machine cross-validates best, until the score
        stops increasing.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> from svmsieve.search import Elimination
    >>> sieve = SVMSieve(SVC(), search=Elimination(step=2), n_features_to_select=1).fit(X, y)
    >>> sieve.path_.n_features.tolist()
    [1, 3, 5]
    """

    name: ClassVar[str] = "rfe"
    forward: ClassVar[bool] = False

    def __init__(
        self,
        step: Any = "auto",
        retune: Literal["halving"] | Sequence[int] | None = None,
        rerank: bool = True,
    ) -> None:
        self.step = step
        self.retune = retune
        self.rerank = rerank

    def n_steps(self, n_units: int, smallest: int, largest: int | None) -> int:
        """Return the number of sizes of the schedule."""
        return len(make_schedule(self.step).sizes(n_units, smallest))

    def run(self, problem: Problem, done: Sequence[Step] = ()) -> Iterator[Step]:
        """Yield the steps that are not done yet, from the largest set to the smallest."""
        sizes = make_schedule(self.step).sizes(len(problem.units), problem.smallest)
        tunings = self._tuning_sizes(sizes)
        if len(done) == len(sizes):
            return
        seeded = self._seeded_steps(problem, sizes)
        leg = LEG if len(problem.target) >= _MANY_SAMPLES else _LONG_LEG
        if problem.active_set is not None:
            leg = 1  # nothing is carried from step to step
        first = len(done) // leg * leg
        units = np.arange(len(problem.units))
        plan = problem.plan
        frozen, rerank = problem.given, self._reranks(problem)
        if frozen is None and first and not rerank:
            frozen = self._frozen(problem, done, sizes[0] in tunings)
        for step in done[:first]:
            units = units[~np.isin(units, step.moved)]
            if step.size in tunings:
                plan = plan.with_values(step.C, step.gamma, step.epsilon)
        kept = np.isin(np.arange(len(problem.units)), [*problem.keep]) if problem.keep else None
        active: ActiveSet | None = None
        begun: deque[tuple[Step, Future[Points]]] = deque()
        number = first
        while number < len(sizes):
            start = time.perf_counter()
            if active is None or number % leg == 0:
                active = make_active_set(problem, units, plan)
                ahead = sizes[number : number + leg + 1]
                steps = None
                if tunings.isdisjoint(ahead) and problem.given is None:
                    steps = self._quick_leg(problem, active, plan, ahead)
                if steps:
                    yield from steps[max(len(done) - number, 0) :]
                    number += len(steps)
                    units = units[~np.isin(units, [step.moved[0] for step in steps])]
                    active = None
                    continue
            seed = problem.step_seed(seeded[number])
            if sizes[number] in tunings:
                plan = active.tuned(plan, seed)
            active.n_trainings = 0
            scores = active.scores(plan, seed) if frozen is None else frozen[active.units]
            if not rerank and frozen is None:
                frozen = scores
            last = number + 1 == len(sizes)
            n_gone = sizes[number] - (0 if last else sizes[number + 1])
            gone = worst_first(scores, None if kept is None else kept[active.units], n_gone)
            result = self._step(problem, active, plan, scores, gone, start)
            if number >= len(done):
                if problem.followed is None:
                    yield result
                else:
                    begun.append((result, self._judged(problem.followed, problem, active)))
            if len(begun) > _AHEAD:
                yield _ended(*begun.popleft())
            if not last:
                active.drop(gone)
                units = active.units
            number += 1
        while begun:
            yield _ended(*begun.popleft())

    def _judged(self, followed: Followed, problem: Problem, active: ActiveSet) -> Future[Points]:
        """Begin to judge machines that follow the size, while the search goes on."""
        samples, columns = active.gram.samples, active.active_columns
        weight = problem.sample_weight
        return followed(len(active.units), samples, columns, problem.target, weight)

    def _quick_leg(
        self, problem: Problem, active: ActiveSet, plan: Plan, sizes: list[int]
    ) -> list[Step] | None:
        """The steps from each size to the next all at once, where that is possible."""
        one_by_one = len(sizes) > 1 and sizes[0] - sizes[-1] == len(sizes) - 1
        if not (self.rerank and one_by_one and is_plain_linear(problem, plan)):
            return None
        return run_linear_leg(problem, active, plan, len(sizes) - 1)

    def _step(
        self,
        problem: Problem,
        active: ActiveSet,
        plan: Plan,
        scores: FloatArray,
        gone: IntArray,
        start: float,
    ) -> Step:
        """Record what the machine of this size shows and who goes."""
        test_score = bound = None
        if problem.evaluate is not None:
            test_score = problem.evaluate(active.train(plan), active.active_columns)
        if problem.bound is not None:
            bound = problem.bound(active.train(plan.for_loss("squared-hinge")))
        current = active.plan_now(plan)
        return Step(
            size=len(active.units),
            moved=active.units[gone].tolist(),
            scores=scores[gone].tolist(),
            largest=float(scores.max()),
            C=float(current.machine.C),
            gamma=current.gamma,
            epsilon=current.epsilon,
            seconds=time.perf_counter() - start,
            n_trainings=active.n_trainings,
            test_score=test_score,
            bound=bound,
        )

    def _reranks(self, problem: Problem) -> bool:
        """Whether scores are computed anew at each step: where they could be others.

        A unit that is forced to stay may score less than one that leaves, which then has a say in it.
        """
        if not self.rerank or problem.once or problem.given is not None:
            return False
        if problem.keep or problem.active_set is not None:
            return True
        samples = RowsOnly.of(problem.X, problem.plan.kernel)
        data = Data(samples, problem.target, sample_weight=problem.sample_weight)
        return not problem.criterion.settled(data)

    def _seeded_steps(self, problem: Problem, sizes: list[int]) -> list[int]:
        """Return the steps whose seeds the sizes have: those of the units that vary, without any others.

        A column that never varies leaves first and changes nothing of the default (whose γ follows the
        columns), not even what is drawn at random.  Others draw by the number of the step.
        """
        if problem.plan.gamma_rule != "spread":
            return list(range(len(sizes)))
        varying = max(problem.n_varying, problem.smallest)
        steps = {
            n: at for at, n in enumerate(make_schedule(self.step).sizes(varying, problem.smallest))
        }
        return [steps.get(size, 0) for size in sizes]

    def _frozen(self, problem: Problem, done: Sequence[Step], tuned: bool) -> FloatArray:
        """The scores of the first step, where it is done already and never repeated."""
        plan = problem.plan
        active = make_active_set(problem, np.arange(len(problem.units)), plan)
        if tuned:
            plan = plan.with_values(done[0].C, done[0].gamma, done[0].epsilon)
        return active.scores(plan, problem.step_seed(0))

    def _tuning_sizes(self, sizes: list[int]) -> set[int]:
        if self.retune is None:
            return set()
        if self.retune != "halving":
            listed = isinstance(self.retune, Iterable) and not isinstance(self.retune, str)
            if not listed or not all(isinstance(size, Integral) for size in self.retune):
                raise ValueError(
                    f"retune must be 'halving', a list of sizes or None, got {self.retune!r}."
                )
            visited = [[size for size in sizes if size <= wish][:1] for wish in self.retune]
            return {size for first in visited for size in first}
        chosen, last = set(), sizes[0]
        for size in sizes[1:]:
            if 2 * size <= last:
                chosen.add(size)
                last = size
        return chosen


def _ended(step: Step, judged: Future[Points]) -> Step:
    """The step with what its machines are worth."""
    points = judged.result()
    return replace(step, point_scores=points.scores, point_skills=points.skills)


class Once(Elimination):
    """Train once, rank once (INIT of Shen et al. 2008); the sizes follow the schedule.

    The cheapest search: one machine ranks, and the best features of each size are kept.

    Parameters
    ----------
    step : int, float, "auto" or Schedule, default="auto"
        As for :class:`Elimination`; only the sizes at which the machine is evaluated depend on it.

    See Also
    --------
    svmsieve.search.Elimination : Recursive feature elimination (Guyon et al. 2002) with any
        criterion.
    svmsieve.search.HillClimb : Rank once with all features, then add them best first until the
        accuracy stops increasing.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> from svmsieve.search import Once
    >>> sieve = SVMSieve(SVC(), search=Once(), n_features_to_select=2).fit(X, y)
    >>> sieve.get_support(indices=True).tolist()
    [0, 1]
    """

    name: ClassVar[str] = "once"

    def __init__(self, step: Any = "auto") -> None:
        super().__init__(step, rerank=False)


def worst_first(
    scores: FloatArray, kept: BoolArray | None = None, n: int | None = None
) -> IntArray:
    """Return the ``n`` lowest (or all) in order; of equal ones the last column first, kept ones last."""
    if n == 1:
        candidates = scores if kept is None else np.where(kept, np.inf, scores)
        return np.array([len(scores) - 1 - int(candidates[::-1].argmin())])
    position = np.arange(len(scores))
    keys = (-position, scores) if kept is None else (-position, scores, kept)
    return np.lexsort(keys)[:n]
