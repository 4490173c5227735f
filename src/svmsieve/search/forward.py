"""Greedy forward selection, the "wrapper" that others are compared with (Heiler et al. 2001)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from svmsieve.search.contract import Problem, Step
from svmsieve.search.elimination import LEG
from svmsieve.search.fold import Fold, make_folds
from svmsieve.search.growth import Growth
from svmsieve.search.stopping import GrowingSearch


class Forward(GrowingSearch):
    """Add the feature whose machine cross-validates best, until the score stops increasing.

    Every candidate is trained and cross-validated at every step: (d² + d(2r + 1))/2 machines for d of
    d + r features, times the folds.  The criterion plays no part.  Among equal candidates the first
    column enters.

    Parameters
    ----------
    cv : int, splitter or list
        Folds of the cross-validation: how many, or training and held-out samples of each.
    patience, epsilon : int and float, default=5 and 0.001
        Stop when the last ``patience`` additions brought no gain above ``epsilon``.

    See Also
    --------
    svmsieve.search.HillClimb : Rank once with all features, then add them best first until the
        accuracy stops increasing.
    svmsieve.search.Elimination : Recursive feature elimination (Guyon et al. 2002) with any
        criterion.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> from svmsieve.search import Forward
    >>> sieve = SVMSieve(SVC(), search=Forward(cv=3), n_features_to_select=2).fit(X, y)
    >>> sieve.order_[:2].tolist()
    [0, 1]
    """

    name: ClassVar[str] = "forward"
    uses_criterion: ClassVar[bool] = False

    def run(self, problem: Problem, done: Sequence[Step] = ()) -> Iterator[Step]:
        """Yield the steps that are not done yet, from the smallest set to the largest."""
        limit = len(problem.units) if problem.largest is None else problem.largest
        steps = list(done[: len(done) // LEG * LEG])
        folds: list[Fold] = []
        growth: Growth | None = None
        for number in range(len(steps), limit):
            if self.enough(problem, steps):
                return
            start = time.perf_counter()
            chosen = [unit for step in steps for unit in step.moved]
            if growth is None or number % LEG == 0:
                folds = folds or make_folds(problem, self.cv)
                growth = Growth(problem, folds, chosen)
            candidates = [u for u in range(len(problem.units)) if u not in chosen]
            forced = [u for u in candidates if u in problem.keep]
            candidates = forced or candidates
            validated = growth.validate_each(candidates)
            scores = [[fold.score for fold in each] for each in validated]
            means = [float(np.mean(each)) for each in scores]
            best = int(np.argmax(means))
            growth.add(candidates[best], validated[best])
            plan = growth.plan()
            step = Step(
                size=number + 1,
                moved=[candidates[best]],
                scores=[means[best]],
                largest=means[best],
                C=float(plan.machine.C),
                gamma=plan.gamma,
                epsilon=plan.epsilon,
                seconds=time.perf_counter() - start,
                n_trainings=len(candidates) * len(growth.folds),
                fold_scores=scores[best],
            )
            steps.append(step)
            if number >= len(done):
                yield step
