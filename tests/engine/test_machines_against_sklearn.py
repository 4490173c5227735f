"""The machines beside scikit-learn's (LIBSVM): objective, decision values, predictions."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from svmsieve.engine.kernels.kernel import RBF, Linear, Polynomial, gram
from svmsieve.engine.machines.fit import fit_svc, fit_svr
from svmsieve.engine.machines.machine import Machine
from tests import naive
from tests.engine.problems import many_classes, numbers, relative_error, separable, two_classes

TOL = 1e-6
BAND = 1e-3


def _svc_objective(kernel, centers, coef):
    """``½ c'Kc − Σ|c|``: the dual objective of a hinge machine whose c is y∘α."""
    return 0.5 * coef @ gram(kernel, centers, centers) @ coef - abs(coef).sum()


def _svr_objective(kernel, centers, coef, targets, epsilon):
    """``½ c'Kc − y'c + ε Σ|c|``."""
    size = 0.5 * coef @ gram(kernel, centers, centers) @ coef
    return size - targets @ coef + epsilon * abs(coef).sum()


def _sklearn_pairs(model):
    """Support vectors and coefficients of each pair of classes, from LIBSVM's packed rows.

    Not by ``support_``, which counts without the samples of weight zero.
    """
    owner = np.repeat(np.arange(len(model.classes_)), model.n_support_)
    for first, second in combinations(range(len(model.classes_)), 2):
        coef = np.zeros(len(owner))
        coef[owner == first] = model.dual_coef_[second - 1, owner == first]
        coef[owner == second] = model.dual_coef_[first, owner == second]
        yield model.support_vectors_, coef


def _targets_of(centers, X, y):
    return np.array([y[np.flatnonzero((center == X).all(axis=1))[0]] for center in centers])


def _assert_same_classifier(X, y, X_new, kernel, C, **weights):
    sample_weight = weights.pop("sample_weight", None)
    reference = SVC(C=C, tol=TOL, decision_function_shape="ovo", **naive.sklearn_kernel(kernel))
    reference.set_params(cache_size=500, **weights).fit(X, y, sample_weight=sample_weight)
    machine = fit_svc(X, y, kernel, Machine(C=C, tol=TOL, **weights), sample_weight=sample_weight)
    np.testing.assert_array_equal(machine.classes, reference.classes_)

    pairs = zip(machine.expansions, _sklearn_pairs(reference), strict=True)
    for expansion, (centers, coef) in pairs:
        ours = _svc_objective(kernel, expansion.centers, expansion.coef)
        assert relative_error(ours, _svc_objective(kernel, centers, coef)) < 1e-6

    # scikit-learn's sign: positive means the second of two classes, the first of more.
    expected = reference.decision_function(X_new)
    expected = expected[:, None] if expected.ndim == 1 else -expected
    values = machine.decision_values(X_new)
    np.testing.assert_allclose(values, expected, atol=BAND * max(1.0, abs(expected).max()))
    clear = (abs(expected) > BAND * max(1.0, abs(expected).max())).all(axis=1)
    assert clear.any()
    np.testing.assert_array_equal(machine.predict(X_new)[clear], reference.predict(X_new)[clear])


def _assert_same_regressor(X, y, X_new, kernel, C, epsilon, sample_weight=None):
    reference = SVR(C=C, epsilon=epsilon, tol=TOL, **naive.sklearn_kernel(kernel))
    reference.fit(X, y, sample_weight=sample_weight)
    expansion = fit_svr(
        X, y, kernel, Machine("epsilon", C, epsilon, tol=TOL), sample_weight=sample_weight
    )

    if len(reference.support_vectors_):
        ours, theirs = (
            _svr_objective(kernel, centers, coef, _targets_of(centers, X, y), epsilon)
            for centers, coef in (
                (expansion.centers, expansion.coef),
                (reference.support_vectors_, reference.dual_coef_[0]),
            )
        )
        assert relative_error(ours, theirs) < 1e-6
    else:
        assert not expansion.coef.any()
    scale = max(1.0, abs(reference.predict(X_new)).max())
    np.testing.assert_allclose(
        expansion.decision_function(X_new), reference.predict(X_new), atol=BAND * scale
    )


CLASSIFIERS = {
    "linear": (lambda: two_classes(100, 5), Linear(), 1.0, {}),
    "linear-C-0.001": (lambda: two_classes(100, 5), Linear(), 1e-3, {}),
    "linear-separable-C-1e6": (lambda: separable(80, 4), Linear(), 1e6, {}),
    "rbf": (lambda: two_classes(150, 4), RBF(0.25), 1.0, {}),
    "rbf-C-0.001": (lambda: two_classes(150, 4), RBF(0.25), 1e-3, {}),
    "rbf-C-1000": (lambda: two_classes(80, 4), RBF(0.5), 1e3, {}),
    "rbf-C-1e6": (lambda: two_classes(100, 4, noise=0.2), RBF(1.0), 1e6, {}),
    "poly-3": (lambda: two_classes(80, 3), Polynomial(3, 0.3, 1.0), 10.0, {}),
    "poly-2-homogeneous": (lambda: two_classes(80, 3), Polynomial(2, 0.5), 1.0, {}),
    "two-samples": (lambda: two_classes(2, 3), RBF(0.1), 1.0, {}),
    "2000-samples": (lambda: two_classes(2000, 10), RBF(0.1), 1.0, {}),
    "text-labels": (
        lambda: (two_classes(60, 3)[0], np.array(["no", "yes"])[np.arange(60) % 2]),
        RBF(0.3),
        1.0,
        {},
    ),
    "balanced": (
        lambda: (two_classes(90, 3)[0], (two_classes(90, 3)[0][:, 0] > 0.8).astype(int)),
        RBF(0.3),
        1.0,
        {"class_weight": "balanced"},
    ),
    "four-classes": (lambda: many_classes(120, 4, 4), RBF(0.2), 2.0, {}),
    "four-classes-linear": (lambda: many_classes(120, 4, 4), Linear(), 0.1, {}),
    "three-classes-weighted": (
        lambda: many_classes(90, 3, 3),
        Polynomial(2, 0.3, 1.0),
        0.5,
        {"class_weight": {0: 5.0, 2: 0.2}},
    ),
}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifier(name):
    problem, kernel, C, weights = CLASSIFIERS[name]
    X, y = problem()
    X_new = np.random.default_rng(9).normal(size=(200, X.shape[1]))
    _assert_same_classifier(X, y, np.vstack([X, X_new]), kernel, C, **weights)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_sample_weights(n_classes):
    X, y = many_classes(90, 3, n_classes, spread=0.7)
    weight = np.random.default_rng(1).uniform(0.1, 4.0, size=90)
    weight[::10] = 0.0
    _assert_same_classifier(
        X, y, X, RBF(0.3), 2.0, sample_weight=weight, class_weight={0: 2.0, 1: 0.5}
    )


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.3)])
def test_duplicate_rows_some_with_both_labels(kernel):
    X, y = two_classes(40, 3)
    X, y = np.vstack([X, X, X[:5]]), np.concatenate([y, y, -y[:5]])
    _assert_same_classifier(X, y, X, kernel, 3.0)


REGRESSIONS = {
    "linear": (lambda: numbers(100, 4), Linear(), 1.0, 0.1),
    "linear-C-0.001": (lambda: numbers(100, 4), Linear(), 1e-3, 0.1),
    "rbf": (lambda: numbers(120, 3), RBF(0.3), 10.0, 0.05),
    "rbf-no-tube": (lambda: numbers(60, 3), RBF(0.3), 1.0, 0.0),
    "rbf-C-1000": (lambda: numbers(60, 3), RBF(1.0), 1e3, 0.1),
    "poly": (lambda: numbers(80, 3), Polynomial(3, 0.2, 1.0), 1.0, 0.1),
    "two-samples": (lambda: numbers(2, 3), RBF(0.5), 1.0, 0.01),
    "all-inside-the-tube": (lambda: numbers(30, 3), RBF(0.5), 1.0, 50.0),
    "1000-samples": (lambda: numbers(1000, 5), RBF(0.2), 1.0, 0.1),
}


@pytest.mark.parametrize("name", REGRESSIONS)
def test_regression(name):
    problem, kernel, C, epsilon = REGRESSIONS[name]
    X, y = problem()
    X_new = np.random.default_rng(9).normal(size=(100, X.shape[1]))
    _assert_same_regressor(X, y, np.vstack([X, X_new]), kernel, C, epsilon)


def test_regression_with_sample_weights():
    X, y = numbers(80, 3)
    weight = np.random.default_rng(1).uniform(0.1, 4.0, size=80)
    weight[::9] = 0.0
    _assert_same_regressor(X, y, X, RBF(0.3), 1.0, 0.05, sample_weight=weight)


def test_regression_with_duplicate_rows():
    X, y = numbers(40, 3)
    X, y = np.vstack([X, X]), np.concatenate([y, y + 0.3])
    reference = SVR(C=2.0, epsilon=0.1, gamma=0.3, tol=TOL).fit(X, y)
    expansion = fit_svr(X, y, RBF(0.3), Machine("epsilon", 2.0, 0.1, tol=TOL))
    np.testing.assert_allclose(expansion.decision_function(X), reference.predict(X), atol=BAND)


@pytest.mark.parametrize("file", ["monks-1", "ratsch_heart"])
@pytest.mark.parametrize("kernel", [Linear(), RBF(0.1)])
def test_real_data(shared_data, file, kernel):
    with np.load(shared_data / f"{file}.npz") as data:
        if file == "monks-1":
            X, y, X_new = data["X_train"], data["y_train"], data["X_test"]
        else:
            X, y = data["X"][data["train_idx"][0]], data["y"][data["train_idx"][0]]
            X_new = data["X"][data["test_idx"][0]]
    scaler = StandardScaler().fit(X.astype(float))
    X, X_new = scaler.transform(X.astype(float)), scaler.transform(X_new.astype(float))
    _assert_same_classifier(X, y, X_new, kernel, 1.0)
