"""SVM-RFE on few samples: the steps of a whole leg at once."""

from __future__ import annotations

import time

import numpy as np
import scipy.sparse as sp

from svmsieve.engine.kernels.kernel import Linear
from svmsieve.engine.machines.plan import Plan
from svmsieve.engine.machines.target import Classes
from svmsieve.engine.machines.weights import bounds_of_pairs
from svmsieve.engine.solvers.linear_rfe import linear_leg
from svmsieve.engine.solvers.smo import FEW_SAMPLES
from svmsieve.search.active_set import ActiveSet
from svmsieve.search.contract import Problem, Step
from svmsieve.search.held_out import HeldOut

_STEPS_OF_A_MACHINE = 100_000
"""Steps after which a machine, and its leg with it, is left to the way that takes free steps."""


def is_plain_linear(problem: Problem, plan: Plan) -> bool:
    """Whether a step is nothing but a linear SVC of two classes, w_i² and the smallest one's removal."""
    return (
        problem.criterion.linear_factor == 1.0
        and isinstance(plan.kernel, Linear)
        and plan.machine.loss == "hinge"
        and plan.machine.max_iter is None
        and isinstance(problem.target, Classes)
        and len(problem.target.classes) == 2
        and len(problem.target) <= FEW_SAMPLES
        and problem.single_columns
        and not sp.issparse(problem.X)
        and not problem.keep
        and (problem.evaluate is None or isinstance(problem.evaluate, HeldOut))
        and problem.bound is None
        and problem.followed is None
        and problem.active_set is None
    )


def run_linear_leg(
    problem: Problem, active: ActiveSet, plan: Plan, n_steps: int
) -> list[Step] | None:
    """Return the next steps; None where columns are constant or a machine takes too long."""
    if active.varies is not None:
        return None
    start = time.perf_counter()
    machine = plan.machine
    _, signs = problem.target.pairs[0]
    bounds = bounds_of_pairs(machine, problem.target, problem.sample_weight)[0]
    gone = np.empty(n_steps, dtype=np.intp)
    scores, largest = np.empty(n_steps), np.empty(n_steps)
    samples, K = active.gram.samples, active.gram.matrix.copy()
    judge = problem.evaluate if isinstance(problem.evaluate, HeldOut) else None
    held_out = samples[:0] if judge is None else np.take(judge.X, active.columns, axis=1)
    decisions = np.empty((n_steps, len(held_out)))
    converged = linear_leg(
        samples,
        held_out,
        K,
        K.reshape(-1),
        signs,
        np.full(len(signs), -1.0),
        bounds,
        machine.tol,
        _STEPS_OF_A_MACHINE,
        gone,
        scores,
        largest,
        held_out @ samples.T,
        decisions,
    )
    if not converged:
        return None
    test_scores: list[float | None] = [None] * n_steps
    if judge is not None:
        test_scores = [judge.score(values[:, None], problem.target) for values in decisions]
    size, seconds = len(active.units), (time.perf_counter() - start) / n_steps
    return [
        Step(
            size=size - number,
            moved=[unit],
            scores=[score],
            largest=best,
            C=float(machine.C),
            gamma=None,
            epsilon=None,
            seconds=seconds,
            n_trainings=1,
            test_score=test_score,
        )
        for number, (unit, score, best, test_score) in enumerate(
            zip(
                active.units[gone].tolist(),
                scores.tolist(),
                largest.tolist(),
                test_scores,
                strict=True,
            )
        )
    ]
