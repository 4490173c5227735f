"""What a search works on and what it yields."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np

from svmsieve.criteria.contract import Criterion
from svmsieve.engine.arrays import FloatArray, IntArray, Matrix
from svmsieve.engine.columns import column_range
from svmsieve.engine.machines.plan import Plan
from svmsieve.engine.machines.scaling import Scaling
from svmsieve.engine.machines.scoring import DecisionScorer
from svmsieve.engine.machines.target import Target, TargetScaling
from svmsieve.engine.machines.trained import Trained
from svmsieve.search.followed import Followed

Evaluate = Callable[[Trained, IntArray], float]
"""Score of a trained machine on samples the search does not see, given its active columns."""


@dataclass(frozen=True)
class Step:
    """One step of a search, a plain record.

    ``size`` units were active when the machine was trained; ``moved`` left after it (elimination,
    worst first) or entered before it (forward searches), with the criterion's scores in ``scores``.
    The last step of a search lists all active units as ``moved``, best last.
    """

    size: int
    moved: list[int]
    scores: list[float]
    largest: float
    """Largest score of the step, the scale of the others."""
    C: float
    gamma: float | None
    epsilon: float | None
    seconds: float
    n_trainings: int
    test_score: float | None = None
    """Score on the fold's held-out samples."""
    fold_scores: list[float] = field(default_factory=list)
    """Scores of the search's own cross-validation (forward searches)."""
    point_scores: list[float | None] = field(default_factory=list)
    """Scores on the fold's held-out samples of machines that follow the size, one for each point; None of
    a point that the first folds ruled out."""
    point_skills: list[float | None] = field(default_factory=list)
    """Their skills, where these decide."""
    bound: float | None = None
    """Bound on the leave-one-out error, where the size rule asks for it."""
    ranking: list[int] = field(default_factory=list)
    """All units, best first, where the search ranks once before it starts; given in its first step."""
    ranking_scores: list[float] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON takes it."""
        return asdict(self)


@dataclass(frozen=True)
class Problem:
    """A data set as a search sees it: already scaled, split into units that move together.

    What cross-validates parts of it starts from the samples as they came, and scales each part anew.
    """

    X: Matrix
    target: Target
    criterion: Criterion
    plan: Plan
    units: tuple[IntArray, ...]
    """Columns of each unit: single columns, or groups."""
    keep: frozenset[int] = frozenset()
    """Units that never leave."""
    sample_weight: FloatArray | None = None
    seed: Sequence[int] = (0,)
    """Key of the random numbers: (seed, path)."""
    smallest: int = 1
    """Size at which an elimination ends."""
    largest: int | None = None
    """Size up to which a forward search goes, without stopping before; None: until it stops."""
    scorer: DecisionScorer | None = None
    """Score of a forward search's own cross-validation."""
    evaluate: Evaluate | None = None
    followed: Followed | None = None
    """Judges machines that follow the size, in place of the search's own."""
    given: FloatArray | None = None
    """Scores of the units that decide who leaves, in place of the criterion's; None: there are none."""
    once: bool = False
    """Whether the criterion scores all units once, and the scores decide at every size."""
    bound: Callable[[Trained], float] | None = None
    memory: float | None = None
    active_set: Callable[..., Any] | None = None
    """Makes the active set of (problem, units, plan); None: the exact machine's."""
    unscaled: Matrix | None = None
    """The samples as they came, from which X is made by ``scaling``; None: they are X."""
    scaling: Scaling | None = None
    """Fills and scales samples by those that are trained on; None: they stay as they are."""
    target_scaling: TargetScaling | None = None
    """Measures the target, as the scorer has it, of those that are trained on; None: it stays as it is."""

    @property
    def as_it_came(self) -> Matrix:
        """The samples before ``scaling``."""
        return self.X if self.unscaled is None else self.unscaled

    @property
    def single_columns(self) -> bool:
        """Whether every unit is one column: then the units are the columns."""
        return len(self.units) == self.X.shape[1]

    def columns(self, units: IntArray) -> IntArray:
        """Return the columns of some units, in the order of ``X``."""
        if self.single_columns:
            return np.sort(units)
        return np.sort(np.concatenate([self.units[u] for u in units]))

    @cached_property
    def n_varying(self) -> int:
        """Number of units of which a column varies."""
        lower, upper = column_range(self.X)
        if self.single_columns:
            return int((upper > lower).sum())
        return sum(bool((upper[unit] > lower[unit]).any()) for unit in self.units)

    def step_seed(self, step: int) -> int:
        """Return the seed of a step: the same whatever was computed before, and where."""
        block, place = divmod(step, _SEEDS_AT_ONCE)
        return int(_seeds((*self.seed, block))[place])


_SEEDS_AT_ONCE = 64


@lru_cache(maxsize=64)
def _seeds(key: tuple[int, ...]) -> Any:
    return np.random.SeedSequence(key).generate_state(_SEEDS_AT_ONCE)


class Search(ABC):
    """A way through the subsets of the features.

    :meth:`run` is a pure function of the problem: given the steps done so far (of an interrupted run)
    it yields those that follow, exactly as it would have without the interruption.

    See Also
    --------
    svmsieve.search.Elimination : Recursive feature elimination (Guyon et al. 2002) with any
        criterion.
    svmsieve.search.Forward : Add the feature whose machine cross-validates best, until the score
        stops increasing.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> from svmsieve.search import Once
    >>> SVMSieve(SVC(), search=Once(), n_features_to_select=2).fit(X, y).get_support(indices=True).tolist()
    [0, 1]
    """

    name: ClassVar[str]
    forward: ClassVar[bool]
    """Whether features enter instead of leaving."""
    uses_criterion: ClassVar[bool] = True

    @abstractmethod
    def run(self, problem: Problem, done: Sequence[Step] = ()) -> Iterator[Step]:
        """Yield the steps that are not done yet.

        Parameters
        ----------
        problem : Problem
            Samples, criterion, machine and seed of the search.
        done : sequence of Step, default=()
            Steps of an interrupted run.

        Yields
        ------
        Step
            What was done, one step at a time.
        """

    @abstractmethod
    def n_steps(self, n_units: int, smallest: int, largest: int | None) -> int | None:
        """Return the number of steps of a whole run, None if it depends on the data.

        Parameters
        ----------
        n_units : int
            Number of features, a group counting as one.
        smallest : int
            Size at which an elimination ends.
        largest : int or None
            Size at which a growing search ends; None where nothing was asked for.

        Returns
        -------
        int or None
            The number of steps of a whole run, None if it depends on the data.
        """

    def __repr__(self) -> str:
        options = ", ".join(f"{key}={value!r}" for key, value in vars(self).items())
        return f"{type(self).__name__}({options})"
