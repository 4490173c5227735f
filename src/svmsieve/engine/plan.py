"""Which machine to train on which features: parameters, and the rules that set them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from svmsieve.engine.arrays import FloatArray, Matrix
from svmsieve.engine.folds import inner_folds
from svmsieve.engine.kernels import RBF, Kernel, Linear, gamma_of, gamma_of_moments
from svmsieve.engine.machines import Machine
from svmsieve.engine.scaling import Scaling
from svmsieve.engine.target import Classes, Target
from svmsieve.engine.tuned_grid import Tuning, TuningRule
from svmsieve.engine.tuning import tune_svc, tune_svr


@dataclass(frozen=True)
class Plan:
    """A machine and its kernel, with the rule or the tuning that set its parameters."""

    machine: Machine
    kernel: Kernel
    gamma_rule: str | None = None
    """``"scale"`` or ``"auto"``: γ follows the features, as in scikit-learn; None: γ is fixed."""
    tuning: Tuning | None = None
    tuning_rule: TuningRule = "best"

    @property
    def gamma(self) -> float | None:
        """γ of the kernel, None for a linear one."""
        return None if isinstance(self.kernel, Linear) else float(self.kernel.gamma)

    @property
    def epsilon(self) -> float | None:
        """ε of a regression machine."""
        return float(self.machine.epsilon) if self.machine.loss == "epsilon" else None

    @property
    def follows_features(self) -> bool:
        """Whether γ depends on the features."""
        return self.gamma_rule is not None and not isinstance(self.kernel, Linear)

    def for_features(self, X: Matrix) -> Plan:
        """Return the plan for a matrix of other features: γ by its rule."""
        if self.gamma_rule is None or isinstance(self.kernel, Linear):
            return self
        return replace(self, kernel=replace(self.kernel, gamma=gamma_of(self.gamma_rule, X)))

    def for_moments(self, means: FloatArray, variances: FloatArray) -> Plan:
        """Return the plan for features of these means and variances: γ by its rule."""
        if self.gamma_rule is None or isinstance(self.kernel, Linear):
            return self
        gamma = gamma_of_moments(self.gamma_rule, means, variances)
        return replace(self, kernel=replace(self.kernel, gamma=gamma))

    def for_loss(self, kind: str) -> Plan:
        """Return the plan with the loss a criterion asks for; ``"svm"`` leaves it as it is."""
        if kind == "squared-hinge" and self.machine.loss == "hinge":
            return replace(self, machine=replace(self.machine, loss="squared_hinge"))
        return self

    def with_values(self, C: float, gamma: float | None, epsilon: float | None) -> Plan:
        """Return the plan with these parameters, as a record keeps them; γ no longer follows a rule."""
        machine = replace(self.machine, C=C)
        if epsilon is not None:
            machine = replace(machine, epsilon=epsilon)
        if gamma is None or isinstance(self.kernel, Linear):
            return replace(self, machine=machine)
        kernel = replace(self.kernel, gamma=gamma)
        return replace(self, machine=machine, kernel=kernel, gamma_rule=None)

    def tuned(
        self,
        X: Matrix,
        target: Target,
        *,
        scaling: Scaling | None = None,
        sample_weight: FloatArray | None = None,
        seed: int = 0,
        memory: float | None = None,
    ) -> Plan:
        """Return the plan with C, γ (and ε) chosen by cross-validation on the papers' grids.

        Five folds, or fewer where a class is small or groups of samples, which stay whole, are few; each with
        the ``scaling`` of its own training samples.
        ``tuning_rule`` says which point is taken.
        """
        folds = None
        if target.groups is not None:
            labels = target.codes if isinstance(target, Classes) else None
            folds = inner_folds(target.groups, 5, seed, labels)
        if isinstance(target, Classes):
            smallest = int(np.bincount(target.codes).min())
            if smallest < 2:
                raise ValueError(
                    "tuning needs at least two samples of each class; the smallest class has "
                    f"{smallest}; pass an estimator to fix C and gamma."
                )
            tuning = tune_svc(
                X,
                target.labels,
                kernel=self.kernel,
                cv=min(5, smallest) if folds is None else folds,
                loss="squared_hinge" if self.machine.loss == "squared_hinge" else "hinge",
                scaling=scaling,
                sample_weight=sample_weight,
                class_weight=self.machine.class_weight,
                seed=seed,
                memory=memory,
            )
        else:
            tuning = tune_svr(
                X,
                target.values,
                kernel=self.kernel,
                cv=min(5, len(target)) if folds is None else folds,
                scaling=scaling,
                sample_weight=sample_weight,
                seed=seed,
                memory=memory,
            )
        g, e, c = tuning.index(self.tuning_rule)
        epsilon = None if isinstance(target, Classes) else float(tuning.epsilon[e])
        chosen = self.with_values(float(tuning.C[c]), float(tuning.gamma[g]), epsilon)
        return replace(chosen, gamma_rule=None, tuning=tuning)


def default_plan(target: Target, X: Matrix) -> Plan:
    """Return an RBF machine with scikit-learn's default parameters, to be tuned."""
    loss = "hinge" if isinstance(target, Classes) else "epsilon"
    return Plan(Machine(loss), RBF(gamma_of("scale", X)), gamma_rule="scale")  # type: ignore[arg-type]
