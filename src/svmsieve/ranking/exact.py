"""A data set and the exact machine trained on it, ready for a criterion."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from svmsieve.criteria import RANKING_TOL, Criterion, Data, Fitted, make_criterion
from svmsieve.criteria.material import RowsOnly
from svmsieve.criteria.registry import refuse_task
from svmsieve.engine.arrays import check_flag
from svmsieve.engine.kernels.gram import ActiveGram
from svmsieve.engine.kernels.kernel import Linear
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.plan import Plan, tuned_above_guessing
from svmsieve.engine.machines.target import TargetScale
from svmsieve.engine.machines.trained import Trained, train
from svmsieve.inputs.estimators import is_regressor, make_plan, refuse_parameters
from svmsieve.inputs.feature_groups import joint_units
from svmsieve.inputs.questions import asks_for_regression
from svmsieve.inputs.scaling import Scale, Standardising, scale_of_target
from svmsieve.inputs.table import as_matrix, feature_names
from svmsieve.inputs.target import check_weights, make_target, refuse_weightless_class
from svmsieve.runtime.memory import BLOCK_BUDGET
from svmsieve.runtime.seeds import seed_of


@dataclass(frozen=True)
class Prepared:
    """A data set ready for criteria, with the machine trained on it where one is needed."""

    criterion: Criterion
    plan: Plan
    scale: Scale
    data: Data
    names: list[str]
    trained: Trained | None
    target_scale: TargetScale
    """From the target in the user's units to that of ``data``."""

    def fitted(self) -> Fitted | None:
        """Return the machines as the criterion wants them."""
        if self.trained is None:
            return None
        needs = self.criterion.needs_probabilities
        return Fitted(self.trained, self.trained.calibrate(seed=self.data.seed) if needs else ())


def prepare(
    X: Any,
    y: Any,
    criterion: Any,
    estimator: Any,
    *,
    scale: bool,
    random_state: Any,
    groups: Any = None,
    sample_weight: Any = None,
    memory: float | None = None,
) -> Prepared:
    """Check everything once, choose the machine and train it."""
    regressor = is_regressor(estimator)
    matrix = as_matrix(X)
    names = feature_names(X if hasattr(X, "columns") else matrix)
    regression = asks_for_regression(y, criterion) if regressor is None else regressor
    target = make_target(y, regression, matrix.shape[0])
    refuse_parameters(estimator, target)
    chosen = make_criterion(criterion, target.task)
    refuse_task(chosen, target.task)
    grouped = joint_units(groups, names)
    weights = None
    if sample_weight is not None:
        weights = check_weights(sample_weight, matrix.shape[0])
        refuse_weightless_class(target, weights)
        chosen.refuse_weights(weights)
    standardising = Standardising(check_flag(scale, "scale"))
    scaling, unscaled = standardising(matrix, weights), matrix
    matrix = scaling.apply(unscaled)
    target_scaling = partial(scale_of_target, scale=scale, estimator=estimator)
    target_scale = target_scaling(target, weights)
    target = target_scale.apply(target)
    seed = seed_of(random_state)
    if chosen.is_filter and estimator is None:  # looks at no kernel: γ is not worth a pass over X
        plan = Plan(Machine(), Linear())
    else:
        plan = make_plan(estimator, matrix, target)
    chosen.refuse_kernel(plan.kernel)
    if estimator is None and chosen.machine is not None:
        plan = tuned_above_guessing(
            plan,
            unscaled,
            target,
            scoring="balanced_accuracy" if not regression else "neg_mean_squared_error",
            scaling=standardising,
            target_scaling=target_scaling,
            sample_weight=weights,
            seed=seed,
            memory=memory,
        )
    if chosen.machine is not None:
        plan = plan.for_loss(chosen.machine)
    if chosen.is_filter:
        rows = RowsOnly.of(matrix, plan.kernel)
        data = Data(
            rows,
            target,
            sample_weight=weights,
            groups=grouped,
            seed=seed,
        )
        return Prepared(chosen, plan, scaling, data, names, None, target_scale)
    gram = ActiveGram(matrix, plan.kernel, memory=memory)
    data = Data(
        gram,
        target,
        sample_weight=weights,
        groups=grouped,
        seed=seed,
        memory=BLOCK_BUDGET,
        tol=RANKING_TOL,
    )
    trained = None
    if chosen.machine is not None:
        trained = train(plan.machine, gram, target, sample_weight=weights)
    return Prepared(chosen, plan, scaling, data, names, trained, target_scale)
