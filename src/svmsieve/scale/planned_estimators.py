"""The estimator of a plan, and one like another."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmsieve.engine.kernels.kernel import Linear, Polynomial
from svmsieve.engine.machines.plan import Plan
from svmsieve.engine.machines.target import Numbers
from svmsieve.inputs.estimators import make_plan
from svmsieve.scale.estimators import NystroemSVC, NystroemSVR


def nystroem_estimator(plan: Plan, n_landmarks: int, seed: int) -> NystroemSVC | NystroemSVR:
    """Return the unfitted estimator with the parameters of a plan."""
    kernel, machine = plan.kernel, plan.machine
    options: dict[str, Any] = {"kernel": "rbf", "n_landmarks": n_landmarks, "random_state": seed}
    if isinstance(kernel, Linear):
        options["kernel"] = "linear"
    else:
        options["gamma"] = plan.gamma_rule if plan.gamma_rule in ("scale", "auto") else plan.gamma
    if isinstance(kernel, Polynomial):
        options |= {"kernel": "poly", "degree": kernel.degree, "coef0": kernel.coef0}
    if machine.loss == "epsilon":
        return NystroemSVR(machine.C, epsilon=machine.epsilon, **options)
    return NystroemSVC(machine.C, class_weight=machine.class_weight, **options)


def nystroem_like(estimator: Any, n_landmarks: int, seed: int) -> NystroemSVC | NystroemSVR:
    """Return the unfitted Nyström machine with the parameters of scikit-learn's."""
    one_feature = np.array([[0.0], [1.0]])  # γ by its rule stays a rule: the features do not matter
    plan = make_plan(estimator, one_feature, Numbers(np.zeros(2)))
    return nystroem_estimator(plan, n_landmarks, seed)
