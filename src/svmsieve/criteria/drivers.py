"""What feeds criteria: moments, responses, gradients, weights, or the whole.

A driver has the machines and the samples: one for exact machines, in memory (:mod:`svmsieve.criteria.exact`),
and one for row chunks (:mod:`svmsieve.scale.driver`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Literal, TypeAlias

from svmsieve.criteria.answers import Answers, Replaced
from svmsieve.criteria.material import Data, Fitted, Machines
from svmsieve.engine.arrays import FloatArray

Permutations: TypeAlias = int | Literal["all"]
EvaluateOn: TypeAlias = Literal["training", "held-out"]


class Moments(ABC):
    """Sums over the samples of single columns, by class or with the target: what mergeable filters see."""

    @abstractmethod
    def by_class(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the classes' sizes (k; sums of weights), means and variances (k × d) of every column."""

    @abstractmethod
    def with_target(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return covariances (targets × d), the targets' deviations, and the columns' variances.

        Targets are the numbers, or ±1 for the second of two classes, or for each of more.
        """


class Responses(ABC):
    """Sums over the samples of what the machines answer, features as they are or replaced in turn.

    Functions are given the machines and some of the samples at a time; on a cluster they and the criterion
    travel to the samples.
    """

    @abstractmethod
    def over_samples(self, part: Callable[[Answers, Machines], float]) -> float:
        """Add up over the samples, features as they are."""

    @abstractmethod
    def over_replaced(self, part: Callable[[Replaced, Machines], FloatArray]) -> FloatArray:
        """Add up over the samples and replacements; the part of each feature in ``item.which``.

        Returns one sum for each column or group.
        """

    def kept(self) -> Responses:
        """Return these responses for several passes: what fits into memory may be kept."""
        return self

    @abstractmethod
    def largest(self, size: Callable[[FloatArray], FloatArray]) -> float:
        """Return the largest size of a numeric target's values."""


class Driver(ABC):
    """Has samples and machines, and feeds criteria with what they need."""

    @abstractmethod
    def moments(self) -> Moments:
        """Return the moments of the columns."""

    @abstractmethod
    def responses(self, n_permutations: Permutations | None, evaluate_on: EvaluateOn) -> Responses:
        """Return the responses to features whose values other samples lend; None: replaced by zero."""

    @abstractmethod
    def gradient_shares(self) -> FloatArray:
        """Return the columns' mean shares in the squared gradient at the support vectors."""

    @abstractmethod
    def squared_weights(self) -> FloatArray | None:
        """Return w² of each column, added up over the machines; None where the kernel is not linear."""

    @abstractmethod
    def whole(self) -> tuple[Fitted | None, Data]:
        """Return exact machines and all samples with their kernel matrix."""

    @abstractmethod
    def sum_groups(self, values: FloatArray) -> FloatArray:
        """Add up values of columns over the groups that are scored together."""

    @abstractmethod
    def max_groups(self, values: FloatArray) -> FloatArray:
        """Take the largest of the columns' values in each group."""
