"""What criteria are given: samples, machines, and the machines' answers with features replaced."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

import numpy as np

from svmsieve.engine.arrays import BoolArray, FloatArray, IntArray, Matrix
from svmsieve.engine.columns import column_range
from svmsieve.engine.effects.path_choice import RESPONSE_TOL
from svmsieve.engine.kernels.gram import ActiveGram
from svmsieve.engine.kernels.kernel import Kernel
from svmsieve.engine.machines.expansion import Expansion
from svmsieve.engine.machines.platt import Sigmoid
from svmsieve.engine.machines.target import Target
from svmsieve.engine.machines.trained import Trained
from svmsieve.runtime.memory import BLOCK_BUDGET


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
    """What a criterion may look at besides the trained machines.

    A driver makes it; a criterion of your own that needs the whole is given one.

    Parameters
    ----------
    source : ActiveGram or RowsOnly
        Samples and kernel over the active features; with base and kernel matrix, but for a filter.
    target : Target
        What is to be learned.
    sample_weight : ndarray of float or None, default=None
        Weights of the samples; None without any.
    groups : tuple of ndarray of int, or None, default=None
        Columns that are scored together, each column in one group; None: every column alone.
    seed : int, default=0
        Seed of what is drawn at random.
    memory : float
        Bytes that blocks may take.
    tol : float
        Error of responses and pair sums that is allowed.
    varies : ndarray of bool, True or None, default=None
        Which columns are not constant, where that is known; True: all of them.

    See Also
    --------
    svmsieve.criteria.Fitted : The exact machines of a criterion and, where it needs them, their
        probabilities.
    svmsieve.Criterion : A measure of how much each feature matters; *higher means keep*.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import CLASSIFICATION, Criterion
    >>> class Look(Criterion):
    ...     name, tasks = "look", CLASSIFICATION
    ...     def scores(self, fitted, data):
    ...         print(data.X.shape, data.n_scores, data.weights.tolist())
    ...         return data.X.var(axis=0)
    >>> _ = rank([[0.0, 1.0], [2.0, 5.0], [4.0, 3.0], [5.0, 0.0]], [0, 1, 0, 1], Look(), SVC())
    (4, 2) 2 [0.25, 0.25, 0.25, 0.25]
    """

    source: ActiveGram | RowsOnly
    """Kernel and samples over the active features; with base and kernel matrix, but for a filter."""
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
    def gram(self) -> ActiveGram:
        """The samples with their base and kernel matrix; a filter is given none."""
        if isinstance(self.source, RowsOnly):
            raise TypeError(
                "a filter is given no kernel matrix; set uses_kernel = True to have one."
            )
        return self.source

    @property
    def X(self) -> Matrix:
        """The samples with their active features, float64, dense or CSR."""
        return self.source.samples

    @property
    def kernel(self) -> Kernel:
        """The kernel of the machines."""
        return self.source.kernel

    @cached_property
    def range(self) -> tuple[FloatArray, FloatArray]:
        """The smallest and the largest value of each column."""
        return column_range(self.X)

    @property
    def n_scores(self) -> int:
        """Number of scores: of groups, or of columns."""
        return len(self.source.active) if self.groups is None else len(self.groups)

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

        Parameters
        ----------
        rows : ndarray of int
            Numbers of samples, in ascending order.
        columns : ndarray of int
            Numbers of other samples, in ascending order.

        Returns
        -------
        ndarray of float
            The base matrix, shape (rows, columns); read only.
        """
        base = self.gram.base
        if len(columns) < base.shape[1]:
            base = np.take(base if len(rows) == len(base) else base[rows], columns, axis=1)
        elif len(rows) < len(base):
            base = base[rows]
        return base

    def sum_groups(self, values: FloatArray) -> FloatArray:
        """Add up values of columns (last axis) over the groups.

        Parameters
        ----------
        values : ndarray of float
            Values of the columns, on the last axis.

        Returns
        -------
        ndarray of float
            One sum for each group.
        """
        if self.groups is None:
            return values
        return np.stack([values[..., g].sum(axis=-1) for g in self.groups], axis=-1)

    def max_groups(self, values: FloatArray) -> FloatArray:
        """Take the largest of the columns' values in each group.

        Parameters
        ----------
        values : ndarray of float
            Values of the columns, on the last axis.

        Returns
        -------
        ndarray of float
            The largest of each group.
        """
        if self.groups is None:
            return values
        return np.array([values[g].max() for g in self.groups])


class Machines(Protocol):
    """Trained machines as a response criterion sees them, be they exact or Nyström's.

    A response criterion looks at nothing else, so that it serves both.

    See Also
    --------
    svmsieve.criteria.Fitted : The exact machines of a criterion and, where it needs them, their
        probabilities.
    svmsieve.criteria.ResponseCriterion : Adds up, sample by sample, what machines answer when the
        values of a feature are replaced.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import CLASSIFICATION, Criterion
    >>> class Look(Criterion):
    ...     name, tasks = "look", CLASSIFICATION
    ...     def scores(self, fitted, data):
    ...         print(len(fitted.expansions), len(fitted.sigmoids), len(fitted.target))
    ...         return data.X.var(axis=0)
    >>> _ = rank([[0.0, 1.0], [2.0, 5.0], [4.0, 3.0], [5.0, 0.0]], [0, 1, 0, 1], Look(), SVC())
    1 0 4
    """

    @property
    def target(self) -> Target:
        """What they learned."""

    @property
    def expansions(self) -> tuple[Expansion, ...]:
        """One for each pair of classes, or the one of a numeric target."""

    @property
    def sigmoids(self) -> tuple[Sigmoid, ...]:
        """Platt's, of each pair; empty where no criterion needs probabilities."""


@dataclass(frozen=True)
class Fitted:
    """The exact machines of a criterion and, where it needs them, their probabilities.

    A criterion that needs the whole is given one, or None if it is a filter.

    Parameters
    ----------
    trained : Trained
        The machines of all pairs of classes, or the one of a numeric target.
    sigmoids : tuple of Sigmoid
        Platt's sigmoids; empty where no probabilities are needed.

    See Also
    --------
    svmsieve.criteria.Data : What a criterion may look at besides the trained machines.
    svmsieve.criteria.Machines : Trained machines as a response criterion sees them, be they exact
        or Nyström's.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import CLASSIFICATION, Criterion
    >>> class Look(Criterion):
    ...     name, tasks = "look", CLASSIFICATION
    ...     def scores(self, fitted, data):
    ...         print(len(fitted.expansions), fitted.target.classes.tolist())
    ...         return data.X.var(axis=0)
    >>> _ = rank([[0.0, 1.0], [2.0, 5.0], [4.0, 3.0], [5.0, 0.0]], [0, 1, 0, 1], Look(), SVC())
    1 [0, 1]
    """

    trained: Trained
    sigmoids: tuple[Sigmoid, ...] = ()

    @property
    def target(self) -> Target:
        """What they learned."""
        return self.trained.target

    @property
    def expansions(self) -> tuple[Expansion, ...]:
        """One for each pair of classes, or the one of a numeric target."""
        return self.trained.expansions
