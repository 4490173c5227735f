"""Hill-climbing along a ranking (Heiler et al. 2001)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from svmsieve.engine.arrays import IntArray
from svmsieve.search.active_set import ActiveSet
from svmsieve.search.contract import Problem, Step
from svmsieve.search.elimination import LEG, worst_first
from svmsieve.search.fold import Fold, make_folds
from svmsieve.search.growth import Growth
from svmsieve.search.stopping import GrowingSearch


class HillClimb(GrowingSearch):
    """Rank once with all features, then add them best first until the accuracy stops increasing.

    The machine of each size is cross-validated; the search stops when the last ``patience`` additions
    brought no gain above ``epsilon``.  Features that were never added rank behind, by their scores.
    d + 1 rounds of training at the most.

    Parameters
    ----------
    cv : int, splitter or list
        Folds of the search's own cross-validation: how many, or training and held-out samples of
        each.
    patience, epsilon : int and float, default=5 and 0.001
        The stopping rule.

    See Also
    --------
    svmsieve.search.Forward : Add the feature whose machine cross-validates best, until the score
        stops increasing.
    svmsieve.search.Once : Train once, rank once (INIT of Shen et al. 2008); the sizes follow the
        schedule.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> from svmsieve.search import HillClimb
    >>> sieve = SVMSieve(SVC(), search=HillClimb(cv=3), n_features_to_select=2).fit(X, y)
    >>> sieve.order_[:2].tolist()
    [1, 0]
    """

    name: ClassVar[str] = "hill-climb"

    def run(self, problem: Problem, done: Sequence[Step] = ()) -> Iterator[Step]:
        """Yield the steps that are not done yet, from the smallest set to the largest."""
        units = np.arange(len(problem.units))
        active = ActiveSet(problem, units, problem.plan)
        scores = active.scores(problem.plan, problem.step_seed(0))
        kept = np.isin(units, list(problem.keep))
        order: IntArray = worst_first(scores, kept)[::-1]
        limit = len(order) if problem.largest is None else problem.largest
        steps = list(done[: len(done) // LEG * LEG])
        folds: list[Fold] = []
        growth: Growth | None = None
        for number in range(len(steps), limit):
            if self.enough(problem, steps):
                return
            start = time.perf_counter()
            if growth is None or number % LEG == 0:
                folds = folds or make_folds(problem, self.cv)
                growth = Growth(problem, folds, order[:number].tolist())
            unit = int(order[number])
            validated = growth.validate_each([unit])[0]
            growth.add(unit, validated)
            plan = growth.plan()
            step = Step(
                size=number + 1,
                moved=[unit],
                scores=[float(scores[unit])],
                largest=float(scores.max()),
                C=float(plan.machine.C),
                gamma=plan.gamma,
                epsilon=plan.epsilon,
                seconds=time.perf_counter() - start,
                n_trainings=len(growth.folds),
                fold_scores=[fold.score for fold in validated],
                ranking=order.tolist() if number == 0 else [],
                ranking_scores=scores[order].tolist() if number == 0 else [],
            )
            steps.append(step)
            if number >= len(done):
                yield step
