"""scikit-learn's support vector machines, taken over parameter by parameter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

from svmsieve.criteria.contract import Criterion
from svmsieve.engine.arrays import Matrix
from svmsieve.engine.kernels import RBF, Kernel, Linear, gamma_of, make_kernel
from svmsieve.engine.machines import Machine
from svmsieve.engine.target import Classes, Target
from svmsieve.engine.tuning import Tuning, tune_svc, tune_svr


@dataclass(frozen=True)
class Plan:
    """What to train: the machine, its kernel, and the tuning that chose them, if any."""

    machine: Machine
    kernel: Kernel
    tuning: Tuning | None = None


def is_regressor(estimator: Any) -> bool | None:
    """Return whether the estimator is for regression; None where there is no estimator.

    An estimator that is not one of scikit-learn's four machines is refused.
    """
    if estimator is None:
        return None
    if isinstance(estimator, SVR | LinearSVR):
        return True
    if isinstance(estimator, SVC | LinearSVC):
        return False
    raise ValueError(
        "estimator must be a scikit-learn SVC, SVR, LinearSVC or LinearSVR, or None for a tuned RBF "
        f"machine, got {type(estimator).__name__}."
    )


def make_plan(estimator: Any, criterion: Criterion, X: Matrix, target: Target, seed: int) -> Plan:
    """Return the machine and kernel that the estimator describes and the criterion needs."""
    if isinstance(estimator, LinearSVC | LinearSVR):
        plan = Plan(_linear_machine(estimator), Linear())
    elif estimator is not None:
        plan = _kernel_plan(estimator, X)
    elif criterion.machine is None:
        plan = Plan(Machine(), RBF(gamma_of("scale", X)))
    else:
        plan = _tuned_plan(X, target, seed)
    if criterion.machine == "squared-hinge" and plan.machine.loss == "hinge":
        return replace(plan, machine=replace(plan.machine, loss="squared_hinge"))
    return plan


def _steps(max_iter: int) -> int | None:
    return None if max_iter < 0 else max_iter


def _kernel_plan(estimator: SVC | SVR, X: Matrix) -> Plan:
    kernel = make_kernel(
        estimator.kernel,
        X,
        gamma=estimator.gamma,
        degree=estimator.degree,
        coef0=estimator.coef0,
    )
    common: dict[str, Any] = {
        "C": estimator.C,
        "tol": estimator.tol,
        "max_iter": _steps(estimator.max_iter),
    }
    if isinstance(estimator, SVR):
        return Plan(Machine("epsilon", epsilon=estimator.epsilon, **common), kernel)
    return Plan(Machine("hinge", class_weight=estimator.class_weight, **common), kernel)


def _linear_machine(estimator: LinearSVC | LinearSVR) -> Machine:
    """Return the kernel machine of the same loss; its intercept is not penalised.

    LIBLINEAR's squared hinge is C Σξ², ours ½ C Σξ²: hence the factor 2.
    """
    if isinstance(estimator, LinearSVR):
        if estimator.loss != "epsilon_insensitive":
            raise ValueError(
                f"estimator's loss must be 'epsilon_insensitive', got {estimator.loss!r}."
            )
        return Machine("epsilon", C=estimator.C, epsilon=estimator.epsilon, tol=1e-3)
    if estimator.penalty != "l2":
        raise ValueError(f"estimator's penalty must be 'l2', got {estimator.penalty!r}.")
    if estimator.loss == "hinge":
        return Machine("hinge", C=estimator.C, class_weight=estimator.class_weight)
    return Machine("squared_hinge", C=2.0 * estimator.C, class_weight=estimator.class_weight)


def _tuned_plan(X: Matrix, target: Target, seed: int) -> Plan:
    """Tune an RBF machine on the papers' grid, with fewer than 5 folds where a class is small."""
    if isinstance(target, Classes):
        smallest = int(np.bincount(target.codes).min())
        if smallest < 2:
            raise ValueError(
                "tuning needs at least two samples of each class; the smallest class has "
                f"{smallest}; pass an estimator to fix C and gamma."
            )
        tuning = tune_svc(X, target.classes[target.codes], cv=min(5, smallest), seed=seed)
        machine = Machine("hinge", C=tuning.best_C)
    else:
        tuning = tune_svr(X, target.values, cv=min(5, len(target)), seed=seed)
        machine = Machine("epsilon", C=tuning.best_C, epsilon=tuning.best_epsilon)
    return Plan(machine, RBF(tuning.best_gamma), tuning)
