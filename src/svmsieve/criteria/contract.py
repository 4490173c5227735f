"""The contract of a ranking criterion."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from svmsieve.engine.arrays import BoolArray, FloatArray, IntArray, Matrix
from svmsieve.engine.columns import column_range
from svmsieve.engine.gram import ActiveGram
from svmsieve.engine.kernels import Kernel
from svmsieve.engine.memory import BLOCK_BUDGET
from svmsieve.engine.platt import Sigmoid
from svmsieve.engine.response import RESPONSE_TOL
from svmsieve.engine.target import Target
from svmsieve.engine.trained import Trained

Task: TypeAlias = Literal["binary", "multiclass", "regression"]
MachineKind: TypeAlias = Literal["svm", "squared-hinge", None]

CLASSIFICATION: frozenset[Task] = frozenset({"binary", "multiclass"})
REGRESSION: frozenset[Task] = frozenset({"regression"})
EVERY_TASK = CLASSIFICATION | REGRESSION


@dataclass(frozen=True)
class RowsOnly:
    """Samples without a kernel matrix: all that a filter looks at."""

    samples: Matrix
    active: IntArray
    """Positions of the samples' columns."""
    kernel: Kernel

    @classmethod
    def of(cls, X: Matrix, kernel: Kernel) -> RowsOnly:
        """Take all columns."""
        return cls(X, np.arange(X.shape[1]), kernel)


RANKING_TOL = 1e-5
"""``Data.tol`` where scores are only compared with each other: far below the noise of a permutation, and
single precision is enough for it."""


@dataclass(frozen=True)
class Data:
    """What a criterion may look at besides the trained machines."""

    gram: ActiveGram
    """Kernel, samples over the active features, base and kernel matrix."""
    target: Target
    sample_weight: FloatArray | None = None
    groups: tuple[IntArray, ...] | None = None
    """Columns of ``X`` that are scored together, each column in one group; None: every column alone."""
    seed: int = 0
    memory: float = BLOCK_BUDGET
    tol: float = RESPONSE_TOL
    """Error of responses and pair sums, relative to the most that a feature could change them by; of
    permuted features the mean over all samples, which is what scores see."""
    varies: BoolArray | Literal[True] | None = None
    """Which columns are not constant, where that is known already; True: all of them."""

    @property
    def X(self) -> Matrix:
        """The samples with their active features, float64, dense or CSR."""
        return self.gram.samples

    @property
    def kernel(self) -> Kernel:
        """The kernel of the machines."""
        return self.gram.kernel

    @cached_property
    def range(self) -> tuple[FloatArray, FloatArray]:
        """The smallest and the largest value of each column."""
        return column_range(self.X)

    @property
    def n_scores(self) -> int:
        """Number of scores: of groups, or of columns."""
        return len(self.gram.active) if self.groups is None else len(self.groups)

    @property
    def copies(self) -> FloatArray:
        """How many times each sample counts: its weight, or one."""
        return np.ones(len(self.target)) if self.sample_weight is None else self.sample_weight

    @property
    def weights(self) -> FloatArray:
        """The samples' weights, adding up to one."""
        return self.copies / self.copies.sum()

    def base_between(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """The kernel's base matrix of some samples against others, both in ascending order.

        Read only: where both are all of the samples it is the Gram matrix's own.
        """
        base = self.gram.base
        if len(columns) < base.shape[1]:
            base = np.take(base if len(rows) == len(base) else base[rows], columns, axis=1)
        elif len(rows) < len(base):
            base = base[rows]
        return base

    def sum_groups(self, values: FloatArray) -> FloatArray:
        """Add up values of columns (last axis) over the groups."""
        if self.groups is None:
            return values
        return np.stack([values[..., g].sum(axis=-1) for g in self.groups], axis=-1)

    def max_groups(self, values: FloatArray) -> FloatArray:
        """Take the largest of the columns' values in each group."""
        if self.groups is None:
            return values
        return np.array([values[g].max() for g in self.groups])


@dataclass(frozen=True)
class Fitted:
    """The trained machines of a criterion and, where it needs them, their probabilities."""

    trained: Trained
    sigmoids: tuple[Sigmoid, ...] = ()


class Criterion(ABC):
    """A measure of how much each feature matters; *higher means keep*.

    A subclass states the facts below and implements :meth:`scores`; pass an instance wherever the
    name of a criterion is taken.  Its ``__init__`` parameters, stored under their own names, are its
    options.  :func:`svmsieve.testing.check_criterion` tests that it keeps the contract.
    """

    name: ClassVar[str]
    tasks: ClassVar[frozenset[Task]]
    kernels: ClassVar[frozenset[str]] = frozenset({"Linear", "RBF", "Polynomial"})
    machine: ClassVar[MachineKind] = "svm"
    """``"svm"`` (hinge SVC or ε-SVR), ``"squared-hinge"``, or None for a filter."""
    needs_probabilities: ClassVar[bool] = False
    uses_kernel: ClassVar[bool] = True
    randomised: ClassVar[bool] = False
    """Whether columns meet different random numbers, as the trees of a forest do."""
    uses_weights: ClassVar[bool] = True
    """Whether the samples' weights count; where they do not, they are refused."""
    counts_each_sample: ClassVar[bool] = False
    """Whether a sample counts as one however little it weighs, as in a count of leave-one-out errors."""
    paper: ClassVar[str] = ""
    """Short citation with the equation number."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Refuse a class whose facts are missing or of the wrong kind."""
        super().__init_subclass__(**options)
        if any(
            getattr(getattr(cls, name, None), "__isabstractmethod__", False) for name in dir(cls)
        ):
            return  # a base of others, which state the facts
        name = getattr(cls, "name", None)
        if not (isinstance(name, str) and name):
            raise TypeError(f"criterion {cls.__name__} must have a name: name = 'my-criterion'.")
        _refuse_unless_set_of(cls, "tasks", EVERY_TASK)
        _refuse_unless_set_of(cls, "kernels", Criterion.kernels)
        if cls.machine not in ("svm", "squared-hinge", None):
            raise TypeError(
                f"criterion {cls.__name__} must have machine 'svm', 'squared-hinge' or None, got "
                f"{cls.machine!r}."
            )

    @abstractmethod
    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return one finite, non-negative score for each column (or group) of ``data``.

        ``fitted`` is None for a filter, whose ``machine`` is None.
        """

    def refuse_task(self, task: str) -> None:
        """Raise a ValueError that says what would work if this criterion cannot rank for a task."""
        from svmsieve.criteria.registry import names_for

        if task not in self.tasks:
            raise ValueError(
                f"criterion {self.name!r} is for {' and '.join(sorted(self.tasks))} targets, not "
                f"for {task}; for {task} use one of: {', '.join(names_for(task))}."
            )

    def refuse_weights(self, sample_weight: FloatArray | None) -> None:
        """Raise a ValueError if there are weights that this criterion would pass over."""
        if sample_weight is not None and not self.uses_weights:
            raise ValueError(
                f"criterion {self.name!r} takes no sample_weight; leave it out, or choose another "
                "criterion."
            )

    def refuse_kernel(self, kernel: Kernel) -> None:
        """Raise a ValueError that says what would work if this criterion has no form for a kernel."""
        if self.uses_kernel and type(kernel).__name__ not in self.kernels:
            raise ValueError(
                f"criterion {self.name!r} needs one of the kernels {sorted(self.kernels)}, got "
                f"{type(kernel).__name__}."
            )

    @property
    def is_filter(self) -> bool:
        """Whether it looks at the samples alone: at no machine and no kernel."""
        return self.machine is None and not self.uses_kernel

    def __repr__(self) -> str:
        options = ", ".join(f"{key}={value!r}" for key, value in vars(self).items())
        return f"{type(self).__name__}({options})"


def _refuse_unless_set_of(cls: type[Criterion], fact: str, known: frozenset[str]) -> None:
    """Refuse a fact that is not a set of some of the known words; a string would be one of letters."""
    value = getattr(cls, fact, None)
    if not (isinstance(value, set | frozenset) and value and value <= known):
        got = f"got {value!r}" if hasattr(cls, fact) else "which it lacks"
        raise TypeError(
            f"criterion {cls.__name__} must have {fact}, a set of some of {sorted(known)}, {got}."
        )


def final_scores(criterion: Criterion, fitted: Fitted | None, data: Data) -> FloatArray:
    """Return the criterion's scores, checked, with columns that never vary set to zero.

    A constant column tells nothing, whatever a criterion's formula makes of it.
    """
    scores = np.asarray(criterion.scores(fitted, data), dtype=np.float64)
    varies = data.varies
    if varies is None:
        lower, upper = data.range
        varies = upper > lower
    if scores.shape != (data.n_scores,):
        raise ValueError(
            f"criterion {criterion.name!r} must return {data.n_scores} scores, got shape "
            f"{scores.shape}."
        )
    if varies is True or varies.all():
        return checked_scores(criterion, scores)
    return checked_scores(criterion, scores, data.max_groups(varies.astype(np.float64)) > 0.0)


def checked_scores(
    criterion: Criterion, scores: FloatArray, varies: BoolArray | None = None
) -> FloatArray:
    """Return scores that are finite and not negative, zero where nothing varies."""
    if not (scores.min() >= 0.0 and scores.max() < np.inf):  # NaN fails both
        raise ValueError(f"criterion {criterion.name!r} must return finite scores of at least 0.")
    return scores if varies is None else np.where(varies, scores, 0.0)
