"""scikit-learn's support vector machines, taken over parameter by parameter."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

from svmsieve.engine.arrays import Matrix, check_positive
from svmsieve.engine.kernels.kernel import Linear, make_kernel
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.plan import Plan, default_plan
from svmsieve.engine.machines.target import Classes, Target


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


def refuse_parameters(estimator: Any, target: Target) -> None:
    """Refuse parameters of the estimator that no machine can be trained with, before one is.

    What scikit-learn refuses is refused in its words; classes' weights that it would silently use for
    nothing too.
    """
    if estimator is None:
        return
    for name in ("C", "tol"):
        check_positive(getattr(estimator, name), name)
    make_plan(estimator, np.array([[0.0], [1.0]]), target)
    epsilon: Any = getattr(estimator, "epsilon", 0.0)
    if not (isinstance(epsilon, Real) and 0.0 <= epsilon < np.inf):  # type: ignore[operator]
        raise ValueError(f"epsilon must be finite and not negative, got {epsilon!r}.")
    estimator._validate_params()
    weights = getattr(estimator, "class_weight", None)
    if isinstance(weights, dict) and isinstance(target, Classes):
        _refuse_class_weights(weights, target.classes.tolist())


def _refuse_class_weights(weights: dict[Any, Any], classes: list[Any]) -> None:
    """Refuse weights of no class there is, unless all there are have one, and weights that are none."""
    unknown = [label for label in weights if label not in classes]
    if unknown and any(label not in weights for label in classes):
        raise ValueError(
            f"class_weight holds class {unknown[0]!r}, which y does not; its classes are {classes}."
        )
    for label in classes:
        check_positive(weights.get(label, 1.0), f"class_weight of class {label!r}")


def make_plan(estimator: Any, X: Matrix, target: Target) -> Plan:
    """Return the machine and kernel that the estimator describes; without one, what is to be tuned."""
    if isinstance(estimator, LinearSVC | LinearSVR):
        return Plan(_linear_machine(estimator), Linear())
    if estimator is not None:
        return _kernel_plan(estimator, X)
    return default_plan(target, X)


def with_plan(estimator: Any, plan: Plan) -> Any:
    """Return a copy of the estimator with the plan's C, γ and ε: the reverse of :func:`make_plan`."""
    return with_values(estimator, plan.machine.C, plan.gamma, plan.epsilon)


def user_C(estimator: Any, C: Any) -> Any:
    """Return C as the estimator counts it: LinearSVC's squared hinge has no factor ½."""
    squared = isinstance(estimator, LinearSVC) and estimator.loss == "squared_hinge"
    return C / 2.0 if squared else C


def with_values(estimator: Any, C: float, gamma: float | None, epsilon: float | None) -> Any:
    """Return an unfitted copy of the estimator with the C, γ and ε of a plan; None: it has none."""
    values = {"C": user_C(estimator, C)}
    if gamma is not None:
        values["gamma"] = gamma
    if epsilon is not None:
        values["epsilon"] = epsilon
    return clone(estimator).set_params(**values)


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
    rule = estimator.gamma if isinstance(estimator.gamma, str) else None
    if isinstance(estimator, SVR):
        return Plan(Machine("epsilon", epsilon=estimator.epsilon, **common), kernel, rule)
    return Plan(Machine("hinge", class_weight=estimator.class_weight, **common), kernel, rule)


def _linear_machine(estimator: LinearSVC | LinearSVR) -> Machine:
    """Return the kernel machine of the same loss; its intercept is not penalised.

    LIBLINEAR's squared hinge is C Σξ², ours ½ C Σξ²: hence the factor 2.  Its solver's own settings
    (tol, max_iter, dual) have no meaning here; several classes are taken one against one.
    """
    if not estimator.fit_intercept:
        raise ValueError("estimator must have fit_intercept=True: the machines here have one.")
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
