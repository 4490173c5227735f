"""A data set and the exact machine trained on it, ready for a criterion."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from svmsieve.criteria import RANKING_TOL, Criterion, Data, Fitted, make_criterion
from svmsieve.criteria.material import RowsOnly
from svmsieve.criteria.registry import refuse_task
from svmsieve.engine.arrays import FloatArray, IntArray, Matrix, check_flag
from svmsieve.engine.kernels.gram import ActiveGram
from svmsieve.engine.kernels.kernel import Linear
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.plan import Plan, tuned_above_guessing
from svmsieve.engine.machines.target import Target, TargetScale, TargetScaling
from svmsieve.engine.machines.trained import Trained, train
from svmsieve.inputs.estimators import is_regressor, make_plan, refuse_parameters
from svmsieve.inputs.feature_groups import joint_units
from svmsieve.inputs.questions import guessed_regression
from svmsieve.inputs.scaling import Scale, Standardising, scale_of_target
from svmsieve.inputs.table import as_matrix, feature_names
from svmsieve.inputs.target import check_weights, make_target, refuse_weightless_class
from svmsieve.runtime.seeds import seed_of


@dataclass(frozen=True)
class PreparedSamples:
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


class CheckedSamples(NamedTuple):
    """What is to be ranked, checked: the samples as they came, the criterion and the machine."""

    X: Matrix
    names: list[str]
    target: Target
    weights: FloatArray | None
    groups: tuple[IntArray, ...] | None
    """Columns scored as one."""
    criterion: Criterion
    estimator: Any


def check_samples(
    X: Any,
    y: Any,
    criterion: Any,
    estimator: Any,
    *,
    groups: Any = None,
    sample_weight: Any = None,
) -> CheckedSamples:
    """Check everything once; nothing is computed yet."""
    regressor = is_regressor(estimator)
    matrix = as_matrix(X)
    names = feature_names(X if hasattr(X, "columns") else matrix)
    regression = guessed_regression(y, criterion) if regressor is None else regressor
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
    return CheckedSamples(matrix, names, target, weights, grouped, chosen, estimator)


def prepare(
    checked: CheckedSamples, *, scale: bool, random_state: Any, memory: float | None = None
) -> PreparedSamples:
    """Scale the samples, choose the machine and train it."""
    matrix, names, target, weights, grouped, chosen, estimator = checked
    scaling = Standardising(check_flag(scale, "scale"))
    target_scaling = partial(scale_of_target, scale=scale, estimator=estimator)
    samples = _Samples(matrix, target, weights, scaling, target_scaling)
    measured, target_scale = scaling(matrix, weights), target_scaling(target, weights)
    matrix, target = measured.apply(matrix), target_scale.apply(target)
    seed = seed_of(random_state)
    plan = _plan(chosen, estimator, samples, matrix, target, seed, memory)
    data = Data(
        RowsOnly.of(matrix, plan.kernel)
        if chosen.is_filter
        else ActiveGram(matrix, plan.kernel, memory=memory),
        target,
        sample_weight=weights,
        groups=grouped,
        seed=seed,
        tol=RANKING_TOL,
    )
    trained = None
    if chosen.machine is not None:
        trained = train(plan.machine, data.gram, target, sample_weight=weights)
    return PreparedSamples(chosen, plan, measured, data, names, trained, target_scale)


class _Samples(NamedTuple):
    """Samples as they came, and what scales them anew in every fold that tunes."""

    X: Matrix
    target: Target
    weights: FloatArray | None
    scaling: Standardising
    target_scaling: TargetScaling


def _plan(
    criterion: Criterion,
    estimator: Any,
    samples: _Samples,
    X: Matrix,
    target: Target,
    seed: int,
    memory: float | None,
) -> Plan:
    """Return the machine for the scaled samples: the user's, or one tuned on the samples as they came."""
    if criterion.is_filter and estimator is None:  # no kernel: γ is not worth a pass over X
        plan = Plan(Machine(), Linear())
    else:
        plan = make_plan(estimator, X, target)
    criterion.refuse_kernel(plan.kernel)
    if estimator is None and criterion.machine is not None:
        plan = tuned_above_guessing(
            plan,
            samples.X,
            target,
            scoring="neg_mean_squared_error"
            if target.task == "regression"
            else "balanced_accuracy",
            scaling=samples.scaling,
            target_scaling=samples.target_scaling,
            sample_weight=samples.weights,
            seed=seed,
            memory=memory,
        )
    return plan if criterion.machine is None else plan.for_loss(criterion.machine)
