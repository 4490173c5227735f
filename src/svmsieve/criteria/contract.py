"""The contract of a ranking criterion: what it says of itself, what it needs, who feeds it.

What a criterion asks of its driver (:mod:`svmsieve.criteria.drivers`) is what it needs; nobody asks what
it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal, TypeAlias

from svmsieve.criteria.answers import Replaced
from svmsieve.criteria.drivers import Driver, EvaluateOn, Moments, Permutations, Responses
from svmsieve.criteria.exact import ExactDriver
from svmsieve.criteria.facts import refuse_facts
from svmsieve.criteria.material import Data, Fitted, Machines
from svmsieve.criteria.replacement import check_permutations
from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.kernels.kernel import Kernel

Task: TypeAlias = Literal["binary", "multiclass", "regression"]
MachineKind: TypeAlias = Literal["svm", "squared-hinge", None]
Needs: TypeAlias = Literal["moments", "responses", "gradients", "whole"]

CLASSIFICATION: frozenset[Task] = frozenset({"binary", "multiclass"})
REGRESSION: frozenset[Task] = frozenset({"regression"})
EVERY_TASK = CLASSIFICATION | REGRESSION


class Criterion(ABC):
    """A measure of how much each feature matters; *higher means keep*.

    A subclass states the facts below and implements :meth:`scores`, or what :class:`ResponseCriterion` or
    :class:`MomentCriterion` ask for; pass an instance wherever the name of a criterion is taken.  Its
    ``__init__`` parameters, stored under their own names, are its options.
    :func:`svmsieve.testing.check_criterion` tests that it keeps the contract.

    See Also
    --------
    svmsieve.criteria.ResponseCriterion : Adds up, sample by sample, what machines answer when the
        values of a feature are replaced.
    svmsieve.criteria.MomentCriterion : A filter whose score of a column follows from its moments:
        one pass over the samples, in any chunks.
    svmsieve.testing.check_criterion : Assert that a criterion keeps the contract, for each task and
        kernel it names.

    Examples
    --------
    >>> import numpy as np
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import EVERY_TASK, Criterion
    >>> class Spread(Criterion):
    ...     name, tasks, machine, uses_kernel = "spread", EVERY_TASK, None, False
    ...     def scores(self, fitted, data):
    ...         return np.ptp(data.X, axis=0)
    >>> rank([[0.0, 1.0], [0.1, 5.0], [0.2, 3.0]], [0, 1, 0], Spread(), scale=False).order.tolist()
    [1, 0]
    """

    name: ClassVar[str]
    tasks: ClassVar[frozenset[Task]]
    kernels: ClassVar[frozenset[str]] = frozenset({"Linear", "RBF", "Polynomial"})
    machine: ClassVar[MachineKind] = "svm"
    """``"svm"`` (hinge SVC or ε-SVR), ``"squared-hinge"``, or None for a filter."""
    needs_probabilities: bool = False
    uses_kernel: ClassVar[bool] = True
    own_machine: ClassVar[bool] = False
    """Whether it trains machines of its own, to which a group's columns are one."""
    randomised: ClassVar[bool] = False
    """Whether columns meet different random numbers, as the trees of a forest do."""
    uses_weights: ClassVar[bool] = True
    """Whether the samples' weights count; where they do not, they are refused."""
    counts_each_sample: ClassVar[bool] = False
    """Whether a sample counts as one however little it weighs, as in a count of leave-one-out errors."""
    paper: ClassVar[str] = ""
    """Short citation with the equation number."""
    needs: ClassVar[Needs] = "whole"
    """What it asks of its driver; row chunks can give all but the whole."""
    linear_factor: ClassVar[float | None] = None
    """What w² of a linear machine is multiplied by, where that is the score; None where it is not."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Refuse a class whose facts are missing or of the wrong kind.

        One that computes scores in a way of its own is fed the whole, whatever its base asks for.
        """
        super().__init_subclass__(**options)
        if "scores" in vars(cls) and "fed_by" not in vars(cls):
            cls.fed_by = Criterion.fed_by  # type: ignore[method-assign]
            cls.needs = "whole"
            cls.linear_factor = vars(cls).get("linear_factor")
            if "settled" not in vars(cls):
                cls.settled = Criterion.settled  # type: ignore[method-assign]
        if any(
            getattr(getattr(cls, name, None), "__isabstractmethod__", False) for name in dir(cls)
        ):
            return  # a base of others, which state the facts
        refuse_facts(cls, EVERY_TASK, Criterion.kernels)

    @abstractmethod
    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return one finite, non-negative score for each column (or group) of ``data``.

        ``fitted`` is None for a filter, whose ``machine`` is None.

        Parameters
        ----------
        fitted : Fitted or None
            The trained machines; None for a filter.
        data : Data
            Samples, kernel, target, weights and groups.

        Returns
        -------
        ndarray of float
            One finite, non-negative score for each column (or group) of ``data``.
        """

    def fed_by(self, driver: Driver) -> FloatArray:
        """Return the scores from what a driver has; here w² of a linear machine, or the whole.

        Parameters
        ----------
        driver : Driver
            What feeds the criterion, from memory or from row chunks.

        Returns
        -------
        ndarray of float
            The scores from what a driver has; here w² of a linear machine, or the whole.
        """
        squares = None if self.linear_factor is None else driver.squared_weights()
        if self.linear_factor is None or squares is None:
            return self.scores(*driver.whole())
        return self.linear_factor * driver.sum_groups(squares)

    def refuse_weights(self, sample_weight: FloatArray | None) -> None:
        """Raise a ValueError if there are weights that this criterion would pass over.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,) or None
            Weights of the samples; None without any.
        """
        if sample_weight is not None and not self.uses_weights:
            raise ValueError(
                f"criterion {self.name!r} takes no sample_weight; leave it out, or choose another "
                "criterion."
            )

    def refuse_kernel(self, kernel: Kernel) -> None:
        """Raise a ValueError that says what would work if this criterion has no form for a kernel.

        Parameters
        ----------
        kernel : Kernel
            The kernel that is asked for.
        """
        if self.uses_kernel and type(kernel).__name__ not in self.kernels:
            raise ValueError(
                f"criterion {self.name!r} needs one of the kernels {sorted(self.kernels)}, got "
                f"{type(kernel).__name__}."
            )

    def settled(self, data: Data) -> bool:
        """Whether the others score what they did when the lowest leave: an elimination then scores once.

        Parameters
        ----------
        data : Data
            Samples, target and weights; no kernel matrix.

        Returns
        -------
        bool
            Whether the others score what they did when the lowest leave.
        """
        return False

    @property
    def is_filter(self) -> bool:
        """Whether it looks at the samples alone: at no machine and no kernel."""
        return self.machine is None and not self.uses_kernel

    def __repr__(self) -> str:
        own = [(key, value) for key, value in vars(self).items() if key != "needs_probabilities"]
        options = ", ".join(f"{key}={value!r}" for key, value in own)
        return f"{type(self).__name__}({options})"


class MomentCriterion(Criterion):
    """A filter whose score of a column follows from its moments: one pass over the samples, in any chunks.

    A group scores as its best column.

    See Also
    --------
    svmsieve.Criterion : A measure of how much each feature matters; *higher means keep*.
    svmsieve.criteria.ResponseCriterion : Adds up, sample by sample, what machines answer when the
        values of a feature are replaced.
    svmsieve.criteria.FScore : F-score: distance of the class means over the spread within the
        classes.

    Examples
    --------
    >>> import numpy as np
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import CLASSIFICATION, MomentCriterion
    >>> class Gap(MomentCriterion):
    ...     name, tasks = "gap", CLASSIFICATION
    ...     def of_moments(self, moments):
    ...         return np.ptp(moments.by_class()[1], axis=0)
    >>> rank([[0, 1], [1, 9], [0, 2], [1, 8]], [0, 1, 0, 1], Gap(), scale=False).scores.tolist()
    [1.0, 7.0]
    """

    machine: ClassVar[None] = None
    uses_kernel: ClassVar[bool] = False
    needs: ClassVar[Needs] = "moments"

    @abstractmethod
    def of_moments(self, moments: Moments) -> FloatArray:
        """Return the score of each column.

        Parameters
        ----------
        moments : Moments
            Moments of the columns by class and with the target.

        Returns
        -------
        ndarray of float
            The score of each column.
        """

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the scores of samples in memory."""
        return self.fed_by(ExactDriver(fitted, data))

    def settled(self, data: Data) -> bool:
        """Return True: a column's moments are its own."""
        return True

    def fed_by(self, driver: Driver) -> FloatArray:
        """Return the score of each column or group from a driver's moments."""
        return driver.max_groups(self.of_moments(driver.moments()))


class ResponseCriterion(Criterion):
    """Adds up, sample by sample, what machines answer when the values of a feature are replaced.

    A subclass implements :meth:`accumulate`, and :meth:`finish` where sums are not yet scores.  It ranks
    with exact machines, with the Nyström machine, out of core and on a cluster.

    Attributes
    ----------
    n_permutations : int or "all"
        How many permutations lend values; ``"all"`` lends each value to each sample.
    evaluate_on : {"training", "held-out"}
        ``"training"`` samples, or ``"held-out"`` ones of 5 folds (exact machines only).

    See Also
    --------
    svmsieve.Criterion : A measure of how much each feature matters; *higher means keep*.
    svmsieve.criteria.MomentCriterion : A filter whose score of a column follows from its moments:
        one pass over the samples, in any chunks.
    svmsieve.criteria.FSPP2 : Mean shift of Platt's probability when the feature is permuted.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import CLASSIFICATION, ResponseCriterion
    >>> class Shift(ResponseCriterion):
    ...     name, tasks = "shift", CLASSIFICATION
    ...     def accumulate(self, item, machines):
    ...         return item.share @ np.abs(item.after - item.before[:, None]).sum(axis=2)
    >>> X = np.random.default_rng(0).normal(size=(80, 4))
    >>> int(rank(X, X[:, 2] > 0, Shift(), SVC()).order[0])
    2
    """

    needs: ClassVar[Needs] = "responses"
    n_permutations: Permutations = 1
    replaces_by_zero: ClassVar[bool] = False
    """Whether a feature's values become zero, the mean of scaled columns, in place of others' values."""
    evaluate_on: EvaluateOn = "training"

    @abstractmethod
    def accumulate(self, item: Replaced, machines: Machines) -> FloatArray:
        """Return what some samples add to the sums of the features ``item.which``.

        Parameters
        ----------
        item : Replaced
            Decision values before and after.
        machines : Machines
            Exact or Nyström's machines.

        Returns
        -------
        ndarray of float
            What some samples add to the sums of the features ``item.which``.
        """

    def finish(self, sums: FloatArray) -> FloatArray:
        """Return the scores that the sums over all samples mean.

        Parameters
        ----------
        sums : ndarray of float
            What :meth:`accumulate` gave, added up over all samples.

        Returns
        -------
        ndarray of float
            The scores that the sums over all samples mean.
        """
        return sums

    def of_responses(self, responses: Responses) -> FloatArray:
        """Return the score of each column or group; overridden where one pass is not enough.

        Parameters
        ----------
        responses : Responses
            Passes over the samples, before and after the replacements.

        Returns
        -------
        ndarray of float
            The score of each column or group; overridden where one pass is not enough.
        """
        return self.finish(responses.over_replaced(self.accumulate))

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the scores of exact machines."""
        return self.fed_by(ExactDriver(fitted, data))

    def fed_by(self, driver: Driver) -> FloatArray:
        """Return the scores from a driver's responses."""
        lent = None
        if not self.replaces_by_zero:
            check_permutations(self.n_permutations)
            lent = self.n_permutations
        return self.of_responses(driver.responses(lent, self.evaluate_on))
