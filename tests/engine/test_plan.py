"""Which machine to train, and the rules that set its parameters."""

import numpy as np
import pytest

from svmsieve.engine.kernels.kernel import RBF, Linear, gamma_of
from svmsieve.engine.machines.grid_search import Validation
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.plan import Plan, default_plan
from svmsieve.engine.machines.target import Classes, Numbers
from svmsieve.engine.machines.tuning import tune_svc
from tests.engine.problems import numbers, two_classes


def test_gamma_follows_its_rule():
    X = np.random.default_rng(0).normal(size=(20, 4)) * [1.0, 2.0, 3.0, 4.0]
    plan = default_plan(Classes.of(np.arange(20) % 2), X)
    assert plan.gamma == gamma_of("scale", X)
    assert plan.for_features(X[:, :2]).gamma == gamma_of("scale", X[:, :2])
    fixed = Plan(Machine(), RBF(0.5))
    assert fixed.for_features(X[:, :2]).gamma == 0.5
    assert Plan(Machine(), Linear(), gamma_rule="scale").for_features(X).gamma is None


def test_the_task_decides_the_loss():
    X, y = numbers(10, 2)
    assert default_plan(Numbers.of(y), X).machine.loss == "epsilon"
    assert default_plan(Numbers.of(y), X).epsilon == 0.1
    plan = default_plan(Classes.of(y > 0), X)
    assert plan.machine.loss == "hinge"
    assert plan.epsilon is None
    assert plan.for_loss("squared-hinge").machine.loss == "squared_hinge"
    assert plan.for_loss("svm") is plan


def test_values_of_a_record():
    plan = Plan(Machine("epsilon"), RBF(0.5)).with_values(3.0, 0.2, 0.05)
    assert (plan.machine.C, plan.gamma, plan.epsilon) == (3.0, 0.2, 0.05)
    linear = Plan(Machine(), Linear()).with_values(3.0, None, None)
    assert (linear.machine.C, linear.gamma) == (3.0, None)


def test_tuned_takes_the_best_point():
    X, y = two_classes(30, 2)
    plan = default_plan(Classes.of(y), X).tuned(X, Classes.of(y), seed=4)
    tuning = tune_svc(X, y, validation=Validation(seed=4))
    assert (plan.machine.C, plan.gamma) == (tuning.best_C, tuning.best_gamma)
    assert plan.gamma_rule is None
    np.testing.assert_array_equal(plan.tuning.fold_scores, tuning.fold_scores)


def test_tuned_numbers_take_their_epsilon_too():
    X, y = numbers(12, 2)
    plan = default_plan(Numbers.of(y), X).tuned(X, Numbers.of(y))
    best = plan.tuning
    expected = (best.best_C, best.best_gamma, best.best_epsilon)
    assert (plan.machine.C, plan.gamma, plan.epsilon) == expected


def test_a_class_of_one_sample_cannot_be_tuned():
    X, _ = two_classes(10, 2)
    target = Classes.of(np.repeat([0, 1], [9, 1]))
    with pytest.raises(ValueError, match="tuning needs at least two samples of each class"):
        default_plan(target, X).tuned(X, target)
