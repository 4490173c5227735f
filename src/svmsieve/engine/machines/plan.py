"""Which machine to train on which features: parameters, and the rules that set them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray, Matrix
from svmsieve.engine.kernels.kernel import RBF, Kernel, Linear, gamma_of, gamma_of_moments
from svmsieve.engine.machines.folds import corrected_error, inner_folds
from svmsieve.engine.machines.grid_search import Validation
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.scaling import Scaling
from svmsieve.engine.machines.scoring import DecisionScorer, guessing
from svmsieve.engine.machines.target import Classes, Target, TargetScaling
from svmsieve.engine.machines.tuned_grid import Tuning, TuningRule
from svmsieve.engine.machines.tuning import SVC_GRID, SVR_GRID, tune_svc, tune_svr


@dataclass(frozen=True)
class Plan:
    """A machine and its kernel, with the rule or the tuning that set its parameters."""

    machine: Machine
    kernel: Kernel
    gamma_rule: str | None = None
    """γ follows the features: ``"scale"``, ``"auto"`` as in scikit-learn, ``"spread"``; None: it is fixed."""
    gamma_factor: float = 1.0
    """γ is the rule's times this, where it follows the features."""
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
        gamma = self.gamma_factor * gamma_of(self.gamma_rule, X)
        return replace(self, kernel=replace(self.kernel, gamma=gamma))

    def following(self, X: Matrix) -> Plan:
        """Return the plan with a γ that follows the features from now on: as it is for those of ``X``."""
        if self.gamma is None:
            return self
        return replace(self, gamma_rule="spread", gamma_factor=self.gamma / gamma_of("spread", X))

    def for_moments(self, means: FloatArray, variances: FloatArray) -> Plan:
        """Return the plan for features of these means and variances: γ by its rule."""
        if self.gamma_rule is None or isinstance(self.kernel, Linear):
            return self
        gamma = self.gamma_factor * gamma_of_moments(self.gamma_rule, means, variances)
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
        target_scaling: TargetScaling | None = None,
        sample_weight: FloatArray | None = None,
        seed: int = 0,
        memory: float | None = None,
        scoring: Any = None,
    ) -> Plan:
        """Return the plan with C, γ (and ε) chosen by cross-validation on the papers' grids.

        Five folds, or fewer where a class is small or groups of samples, which stay whole, are few; each with
        the ``scaling`` of its own training samples, and of their numeric target where ``target_scaling``
        measures it.  ``tuning_rule`` says which point is taken, ``scoring``
        what judges: by default the papers' measures, balanced error and mean squared error.
        """
        folds: list[IntArray] | None = None
        if target.groups is not None:
            labels = target.codes if isinstance(target, Classes) else None
            folds = inner_folds(target.groups, 5, seed, labels)
        few = int(np.bincount(target.codes).min()) if isinstance(target, Classes) else len(target)
        validation = Validation(
            min(5, few) if folds is None else folds, seed, scoring, scaling, target_scaling
        )
        # When to stop is the grid's own, not that of the machine whose C is sought.
        machine = Machine(self.machine.loss, class_weight=self.machine.class_weight)
        options: dict[str, Any] = {"sample_weight": sample_weight, "memory": memory}
        if isinstance(target, Classes):
            if few < 2:
                raise ValueError(
                    "tuning needs at least two samples of each class; the smallest class has "
                    f"{few}; pass an estimator to fix C and gamma."
                )
            grid = replace(SVC_GRID, kernel=self.kernel)
            tuning = tune_svc(X, target.labels, grid, machine, validation=validation, **options)
        else:
            gammas = svr_gammas(X if scaling is None else scaling(X, sample_weight).apply(X))
            grid = replace(SVR_GRID, gamma=gammas, kernel=self.kernel)
            tuning = tune_svr(X, target.values, grid, machine, validation=validation, **options)
        g, e, c = tuning.index(self.tuning_rule)
        epsilon = None if isinstance(target, Classes) else float(tuning.epsilon[e])
        chosen = self.with_values(float(tuning.C[c]), float(tuning.gamma[g]), epsilon)
        return replace(chosen, gamma_rule=None, tuning=tuning)


def svr_gammas(X: Matrix) -> tuple[float, ...]:
    """Return Yang & Ong's γ, and smaller ones where their smallest is too large for many columns.

    The grid goes down to a sixteenth of one over the sum of the variances, where the kernel is nearly linear.
    """
    gammas = list(SVR_GRID.gamma)
    while min(gammas) > gamma_of("spread", X) / 16.0:
        gammas.append(min(gammas) / 4.0)
    return tuple(sorted(gammas))


def trusted(tuned: Plan, untuned: Plan, guess: float) -> Plan:
    """Return the tuned plan if it beats guessing by two standard errors over its folds, else the other.

    Where noise swamps the signal of all features, the best of many points is the best by chance.  The error
    is corrected for the samples that J folds share: the variance times 1/J + 1/(J − 1).
    """
    assert tuned.tuning is not None
    folds = tuned.tuning.fold_scores[tuned.tuning.index(tuned.tuning_rule)]
    error = corrected_error(folds, 1.0 / max(len(folds) - 1, 1))
    return tuned if folds.mean() > guess + 2.0 * error else replace(untuned, tuning=tuned.tuning)


def tuned_above_guessing(
    plan: Plan,
    X: Matrix,
    target: Target,
    *,
    scoring: Any,
    sample_weight: FloatArray | None = None,
    **options: Any,
) -> Plan:
    """Return the plan tuned (see :meth:`Plan.tuned`) where that is better than guessing, else as it is."""
    judge = DecisionScorer(scoring, target, sample_weight)
    guess = judge(guessing(target, len(target), sample_weight), np.arange(len(target)))
    tuned = plan.tuned(X, target, scoring=scoring, sample_weight=sample_weight, **options)
    return trusted(tuned, plan, guess)


def default_plan(target: Target, X: Matrix) -> Plan:
    """Return an RBF machine with scikit-learn's default parameters, to be tuned."""
    loss = "hinge" if isinstance(target, Classes) else "epsilon"
    return Plan(Machine(loss), RBF(gamma_of("scale", X)), gamma_rule="scale")  # type: ignore[arg-type]
