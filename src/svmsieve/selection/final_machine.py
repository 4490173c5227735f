"""The machine that a selection ends with: scikit-learn's, for the selected columns."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.svm import SVC, SVR

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix
from svmsieve.engine.kernels.kernel import gamma_of
from svmsieve.engine.machines.drawn_rows import drawn_rows
from svmsieve.engine.machines.grid_search import Validation
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.relative_grid import (
    FINAL_EPSILON,
    FINAL_GAMMA,
    FINAL_SVC_C,
    FINAL_SVR_C,
)
from svmsieve.engine.machines.target import Numbers, Target
from svmsieve.engine.machines.tuned_grid import Grid, Tuning
from svmsieve.engine.machines.tuning import tune_svc, tune_svr
from svmsieve.inputs.estimators import with_plan
from svmsieve.inputs.folds import Fold, auto_folds, speak_for_all
from svmsieve.runtime.threads import one_blas_thread
from svmsieve.search.followed import MOST_ROWS
from svmsieve.selection.constant import ConstantClassifier, ConstantRegressor
from svmsieve.selection.outcome import Values
from svmsieve.selection.task import Task

LIBSVM_STEPS = 10_000_000
"""Steps after which LIBSVM gives up."""

_KEPT = {2: 1 / 2, 5: 1 / 3}
"""Share of the final grid's points that are judged in more than two, and in more than five folds: 35 of 36
choices are those of all points in all folds, in half of the time."""


def fit_within_limits(machine: Any, X: Matrix, labels: Any, weight: FloatArray | None) -> None:
    """Fit scikit-learn's machine with LIBSVM's own limit of steps, which scikit-learn takes away.

    Without it an SVC of large C on few features never ends; with it there is a ConvergenceWarning.
    """
    options = {} if weight is None else {"sample_weight": weight}
    unlimited = isinstance(machine, SVC | SVR) and machine.max_iter == -1
    if unlimited:
        machine.max_iter = max(LIBSVM_STEPS, 100 * X.shape[0])
    try:
        machine.fit(X, labels, **options)
    finally:
        if unlimited:
            machine.max_iter = -1  # as the user gave it


def warn_where_rounding_decides(machine: Any) -> None:
    """Warn of an SVC of weighted classes whose samples are all at their bounds: C is far too small."""
    weights = getattr(machine, "class_weight_", None)
    if not isinstance(machine, SVC) or weights is None or np.ptp(weights) == 0.0:
        return
    bounds = machine.C * np.repeat(weights, machine.n_support_)
    bound = np.abs(machine.dual_coef_) >= (1.0 - 1e-9) * bounds
    if len(machine.support_) == machine.shape_fit_[0] and bound.all():
        warnings.warn(
            f"C={machine.C:g} is so small that every sample is at its bound, where rounding decides the "
            "intercept of a machine with weighted classes: its answers, and those in the folds, may be of "
            "one class; give a larger C.",
            UserWarning,
            stacklevel=4,
        )


def final_machine(
    task: Task, columns: Matrix, unscaled: Matrix, target: Target, *, tune: bool
) -> tuple[Any, Tuning | None]:
    """Return the machine for the selected columns, not fitted, and the grid that set it.

    The user's machine; without one, or with ``tune``, one tuned for this target and these columns, which
    each fold of the grid scales by its own training samples.
    """
    if columns.shape[1] == 0:
        regression = isinstance(target, Numbers)
        return ConstantRegressor() if regression else ConstantClassifier(), None
    plan = task.plan(columns, target)
    tuning = None
    if task.estimator is None or tune:
        with one_blas_thread():
            plan = plan.tuned(
                unscaled,
                target,
                scaling=task.scaling,
                target_scaling=task.target_scaling,
                sample_weight=task.sample_weight,
                seed=task.seed,
                memory=task.memory,
            )
        tuning = plan.tuning
    if tuning is None:
        return clone(task.estimator), None
    if task.estimator is not None:
        return with_plan(task.estimator, plan), tuning
    if plan.machine.loss == "epsilon":
        return SVR(C=plan.machine.C, gamma=plan.gamma, epsilon=plan.machine.epsilon), tuning
    return SVC(C=plan.machine.C, gamma=plan.gamma, class_weight=task.class_weight), tuning


class Divided(NamedTuple):
    """Samples and folds of them, numbered among these samples, and how they were asked for."""

    rows: IntArray
    folds: Sequence[Fold]
    cv: Any = "auto"


def divided(task: Task) -> Divided | None:
    """Return folds for the final machine where the search had none: of at most about 1000 samples that count.

    None where some class, group or number cannot be both learned from and held out.
    """
    weight = task.sample_weight
    rows = np.arange(len(task.target)) if weight is None else np.flatnonzero(weight > 0.0)
    rows = rows[drawn_rows(task.target.take(rows), MOST_ROWS, (task.seed,))]
    target = task.target.take(rows)
    try:
        folds = auto_folds(target, task.seed)
    except ValueError:
        return None
    least = 2 if isinstance(target, Numbers) else 1  # of a single number no R² is known
    return Divided(rows, folds) if min(len(held_out) for _, held_out in folds) >= least else None


def retuned_values(
    task: Task, where: Divided, columns: Matrix, unscaled: Matrix
) -> tuple[Values, Tuning]:
    """Return C, γ and ε for the selected columns, from a wider grid in the folds of the search.

    The grid's scores are by the measure of the selection, in the target's own units.

    The points that follow the size are few, for they are judged at every size of every ranking; for the
    columns that are selected more of them cost little.
    """
    weight, rows = task.sample_weight, where.rows
    unit = gamma_of("spread", columns if weight is None else columns[weight > 0.0])
    unscaled, target = unscaled[rows], task.target.take(rows)
    weight = None if weight is None else weight[rows]
    gammas = [unit * gamma for gamma in FINAL_GAMMA]
    options: dict[str, Any] = {
        "validation": Validation(
            where.folds,
            task.seed,
            task.scoring,
            task.scaling,
            task.target_scaling,
            _KEPT if speak_for_all(where.cv, where.folds, target, max(_KEPT)) else {},
        ),
        "sample_weight": weight,
        "memory": task.memory,
    }
    with one_blas_thread():
        if isinstance(target, Numbers):
            grid = Grid(FINAL_SVR_C, gammas, FINAL_EPSILON)
            machine = Machine("epsilon", judged=True)
            tuning = tune_svr(unscaled, target.values, grid, machine, **options)
            return (tuning.best_C, tuning.best_gamma, tuning.best_epsilon), tuning
        grid = Grid(FINAL_SVC_C, gammas)
        machine = Machine("hinge", judged=True, class_weight=task.class_weight)
        tuning = tune_svc(unscaled, target.labels, grid, machine, **options)
    return (tuning.best_C, tuning.best_gamma, None), tuning


def machine_of_values(task: Task, values: Values) -> Any:
    """Return scikit-learn's RBF machine with the C, γ and ε of a size, not fitted."""
    C, gamma, epsilon = values
    if isinstance(task.target, Numbers):
        return SVR(C=C, gamma=gamma, epsilon=epsilon)
    return SVC(C=C, gamma=gamma, class_weight=task.class_weight)
