"""Rankings that see different things: what stands behind ``criterion="auto"``.

No single ranking is safe: responses of an RBF machine see interactions and miss weak main effects, weights
of a linear machine and filters the other way round, and a machine of another C sees other features.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from svmsieve.criteria import FSPP2, Criterion, make_criterion
from svmsieve.engine.arrays import Matrix
from svmsieve.engine.kernels.kernel import RBF, Linear, gamma_of
from svmsieve.engine.machines.machine import Loss, Machine
from svmsieve.engine.machines.plan import Plan
from svmsieve.engine.machines.target import Classes, Target

_JOINT = "joint of "
_SLOPE = 2.0
"""Of the probabilities whose shifts rank; to calibrate them did not pay (docs/quality/ablation.md)."""


@dataclass(frozen=True)
class Ranker:
    """A criterion and the machine it looks at, γ following the columns.

    Attributes
    ----------
    criterion : what ranks the features
    kernel : of the machine; None where the criterion is a filter
    C : of the machine; None where C and γ are tuned on all features first
    members : rankings whose orders are joined (by mean log rank), in place of a criterion's scores
    once : whether it scores all features once, not anew at every size
    """

    criterion: Criterion
    kernel: Literal["rbf", "linear"] | None
    C: float | None = 1.0
    members: tuple[Ranker, ...] = ()
    once: bool = False

    @property
    def name(self) -> str:
        """The criterion and its machine in words.

        >>> Ranker(make_criterion("fspp2", "binary"), "rbf", 0.125).name
        'fspp2, RBF, C=1/8'
        """
        if self.members:
            return f"{_JOINT}{len(self.members)}"
        if self.kernel is None or self.criterion.machine is None:
            return self.criterion.name
        if self.C is None:
            return f"{self.criterion.name}, RBF, tuned"
        C = f"1/{1.0 / self.C:g}" if self.C < 1.0 else f"{self.C:g}"
        return f"{self.criterion.name}, {'RBF' if self.kernel == 'rbf' else 'linear'}, C={C}"

    def plan(self, target: Target, X: Matrix) -> Plan:
        """Return the machine for some samples."""
        loss: Loss = "hinge" if isinstance(target, Classes) else "epsilon"
        machine = Machine(loss, C=1.0 if self.C is None else self.C)
        if self.kernel == "rbf":
            return Plan(machine, RBF(gamma_of("spread", X)), gamma_rule="spread")
        return Plan(machine, Linear())


def portfolio(task: str) -> tuple[Ranker, ...]:
    """Return the rankings to try for a kind of target; the first is taken unless another is better.

    The first is the joint one: what several rankings agree on is safer than any of them, but where one
    alone sees the features (an interaction), the others' votes are noise.  So the two of those that vote
    which see interactions are tried on their own, and ``hsic``, which sees what all machines miss among
    hundreds of probes.  To let filters and machines of other C vote, or to try the lasso too, did not pay
    (docs/quality/ablation.md).
    """
    sharp = Ranker(response(task), "rbf", 8.0)
    scaling = Ranker(make_criterion("loo-scaling", task), None, once=True)
    linear = Ranker(make_criterion("weight", task), "linear", 1.0)
    joint = Ranker(sharp.criterion, None, members=(sharp, scaling, linear))
    return joint, sharp, scaling, _dependence(task)


def _dependence(task: str) -> Ranker:
    return Ranker(make_criterion("hsic", task), "rbf")


def response(task: str) -> Criterion:
    """Return the responses of a machine; to fit sigmoids takes most of the time and changes nothing.

    >>> response("binary").slope
    2.0
    """
    usual = make_criterion("auto", task)
    return FSPP2(slope=_SLOPE) if isinstance(usual, FSPP2) else usual


def with_voters(rankers: Sequence[Ranker]) -> list[Ranker]:
    """Return the rankings to run: those that only vote, those to try, and what joins them last."""
    voters = [member for ranker in rankers for member in ranker.members if member not in rankers]
    return sorted([*voters, *rankers], key=lambda ranker: len(ranker.members))


def is_joint(name: str) -> bool:
    """Return whether a ranking of this name joins others."""
    return name.startswith(_JOINT)


def quick_portfolio(task: str) -> tuple[Ranker, ...]:
    """Return the rankings that choose together on many half samples: one of each kind.

    For classes ``hsic`` stands in for ``fspp2``: it needs no calibration, and finds more on few samples.
    """
    numbers = task == "regression"
    together = Ranker(response(task), "rbf") if numbers else _dependence(task)
    alone = "correlation" if numbers else "f-score"
    filters = [Ranker(make_criterion(name, task), None) for name in ("lasso", alone)]
    return together, *filters


def tuned_ranker(criterion: Criterion) -> Ranker:
    """Return the ranking by one criterion, its machine tuned on all features."""
    return Ranker(criterion, "rbf", None)
