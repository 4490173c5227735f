"""scikit-learn's machines, taken over parameter by parameter."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR

from svmsieve import rank
from svmsieve.engine.kernels.gram import ActiveGram
from svmsieve.engine.kernels.kernel import RBF, Linear, Polynomial
from svmsieve.engine.machines.target import Classes, Numbers
from svmsieve.engine.machines.trained import train
from svmsieve.inputs.estimators import is_regressor, make_plan
from tests.criteria.cases import TASKS, each_kernel, problem, svc_options

X, Y = problem("binary", n=40)
X_R, Y_R = problem("regression", n=40)
CLASSES, NUMBERS = Classes.of(Y), Numbers.of(Y_R)


def test_tasks():
    assert is_regressor(None) is None
    assert is_regressor(SVR()) is is_regressor(LinearSVR()) is True
    assert is_regressor(SVC()) is is_regressor(LinearSVC()) is False


@pytest.mark.parametrize(
    "estimator",
    [NuSVC(), NuSVR(), make_pipeline(StandardScaler(), SVC()), StandardScaler(), "svc", SVC],
    ids=["NuSVC", "NuSVR", "Pipeline", "StandardScaler", "str", "type"],
)
def test_other_estimators_are_refused_by_name(estimator):
    name = type(estimator).__name__
    with pytest.raises(ValueError, match=f"must be a scikit-learn SVC, SVR.* got {name}"):
        is_regressor(estimator)


def test_kernels():
    assert make_plan(SVC(kernel="linear"), X, CLASSES).kernel == Linear()
    assert make_plan(SVC(gamma=0.3), X, CLASSES).kernel == RBF(0.3)
    assert make_plan(SVC(), X, CLASSES).kernel == RBF(1.0 / (5 * X.var()))
    assert make_plan(SVR(gamma="auto"), X_R, NUMBERS).kernel == RBF(0.2)
    poly = SVC(kernel="poly", degree=4, gamma=0.5, coef0=2.0)
    assert make_plan(poly, X, CLASSES).kernel == Polynomial(4, 0.5, 2.0)
    assert make_plan(LinearSVC(), X, CLASSES).kernel == Linear()
    assert make_plan(LinearSVR(), X_R, NUMBERS).kernel == Linear()


@pytest.mark.parametrize("kernel", ["sigmoid", "precomputed", np.dot])
@pytest.mark.parametrize("machine", [SVC, SVR])
def test_other_kernels_are_refused(machine, kernel):
    target = CLASSES if machine is SVC else NUMBERS
    with pytest.raises(ValueError, match="kernel must be one of 'linear', 'rbf', 'poly'"):
        make_plan(machine(kernel=kernel), X, target)


def test_parameters():
    svc = SVC(C=3.0, tol=1e-5, max_iter=77, class_weight={"a": 2.0})
    machine = make_plan(svc, X, CLASSES).machine
    assert (machine.loss, machine.C, machine.tol, machine.max_iter) == ("hinge", 3.0, 1e-5, 77)
    assert machine.class_weight == {"a": 2.0}
    machine = make_plan(SVR(C=3.0, epsilon=0.2), X_R, NUMBERS).machine
    assert (machine.loss, machine.C, machine.epsilon) == ("epsilon", 3.0, 0.2)
    assert machine.max_iter is None


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (LinearSVR(loss="squared_epsilon_insensitive"), "loss must be 'epsilon_insensitive'"),
        (LinearSVC(penalty="l1"), "penalty must be 'l2', got 'l1'"),
    ],
)
def test_linear_machines_of_another_kind_are_refused(estimator, message):
    target = NUMBERS if isinstance(estimator, LinearSVR) else CLASSES
    with pytest.raises(ValueError, match=message):
        make_plan(estimator, X, target)


def trained_expansion(estimator, samples, target):
    plan = make_plan(estimator, samples, target)
    return train(plan.machine, ActiveGram(samples, plan.kernel), target).expansions[0]


@each_kernel
@pytest.mark.parametrize("weights", [None, "balanced", {"a": 3.0}], ids=["", "balanced", "dict"])
def test_the_machine_is_the_estimators_own(kernel, weights):
    svc = SVC(C=2.0, tol=1e-8, class_weight=weights, **svc_options(kernel))
    ours = trained_expansion(svc, X, CLASSES).decision_function(X)
    np.testing.assert_allclose(ours, svc.fit(X, Y).decision_function(X), atol=1e-4)


@each_kernel
def test_the_regression_machine_is_the_estimators_own(kernel):
    svr = SVR(C=2.0, epsilon=0.2, tol=1e-8, **svc_options(kernel))
    ours = trained_expansion(svr, X_R, NUMBERS).decision_function(X_R)
    np.testing.assert_allclose(ours, svr.fit(X_R, Y_R).predict(X_R), atol=1e-4)


def test_linear_svc_has_the_same_weights():
    """LIBLINEAR penalises the intercept; a large intercept_scaling makes that harmless."""
    svc = LinearSVC(C=0.7, dual=False, tol=1e-10, intercept_scaling=1e3)
    ours = trained_expansion(svc, X, CLASSES).linear_weights()
    np.testing.assert_allclose(ours, svc.fit(X, Y).coef_[0], atol=1e-4)


def test_linear_machines_with_the_losses_of_the_kernel_machines():
    ours = trained_expansion(LinearSVC(C=0.7, loss="hinge"), X, CLASSES).linear_weights()
    svc = SVC(C=0.7, kernel="linear").fit(X, Y)
    np.testing.assert_allclose(ours, svc.coef_[0], atol=1e-2)
    ours = trained_expansion(LinearSVR(C=0.7, epsilon=0.1), X_R, NUMBERS).linear_weights()
    svr = SVR(C=0.7, epsilon=0.1, kernel="linear").fit(X_R, Y_R)
    np.testing.assert_allclose(ours, svr.coef_[0], atol=1e-2)


@each_kernel
@pytest.mark.parametrize("task", TASKS)
def test_a_tight_tolerance_is_reached(task, kernel):
    """Steps that no longer move anything must not be taken for progress."""
    samples, y = problem(task)
    machine = SVR if task == "regression" else SVC
    # a machine that stops short warns, and warnings are errors here
    rank(samples, y, "weight", machine(C=2.0, tol=1e-10, **svc_options(kernel)), scale=False)


def test_a_tight_tolerance_is_reached_with_twins_and_large_values():
    samples, y = problem("binary")
    twins = 1e3 * np.repeat(samples, 2, axis=0)
    svc = SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0, C=1e-6, tol=1e-6)
    rank(twins, np.repeat(y, 2), "weight", svc, scale=False)


def test_too_few_steps_are_reported():
    with pytest.warns(ConvergenceWarning, match="stopped after 3 steps short of the optimum"):
        rank(X, Y, "weight", SVC(max_iter=3))
