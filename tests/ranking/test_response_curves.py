"""Response curves against scikit-learn's partial dependence and direct evaluation."""

from __future__ import annotations

from inspect import signature

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.inspection import partial_dependence
from sklearn.svm import SVC, SVR, LinearSVR

from svmsieve import response
from svmsieve.engine.kernels.gram import ActiveGram
from svmsieve.engine.kernels.kernel import make_kernel
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.target import Classes
from svmsieve.engine.machines.trained import train
from tests import naive_criteria as naive
from tests.criteria.cases import each_kernel, problem, svc_options


@pytest.mark.skipif(
    "custom_values" not in signature(partial_dependence).parameters,
    reason="scikit-learn before 1.7 chooses the grid itself",
)
@each_kernel
def test_regression_is_the_partial_dependence_of_scikit_learn(kernel):
    X, y = problem("regression", n=40)
    svr = SVR(C=2.0, **svc_options(kernel), tol=1e-10)
    curves = response(X, y, grid=7, estimator=svr, scale=False)
    assert curves.output == "prediction"
    assert curves.individual.shape == (5, 7, 40)
    svr.fit(X, y)
    for i in range(5):
        expected = partial_dependence(
            svr, X, [i], custom_values={i: curves.grid[i]}, kind="both", method="brute"
        )
        # LIBSVM keeps its kernel matrix in single precision
        np.testing.assert_allclose(curves.individual[i].T, expected["individual"][0], atol=1e-5)
        np.testing.assert_allclose(curves.mean[i], expected["average"][0], atol=1e-5)


def test_the_grid_spans_the_data_in_its_own_units():
    X, y = problem("regression")
    X = 100.0 + 7.0 * X
    scaled = response(X, y, grid=9, estimator=SVR(tol=1e-9))
    np.testing.assert_allclose(scaled.grid[:, 0], X.min(axis=0))
    np.testing.assert_allclose(scaled.grid[:, -1], X.max(axis=0))
    standardised = (X - X.mean(axis=0)) / X.std(axis=0)
    target = (y - y.mean()) / y.std()
    unscaled = response(standardised, target, grid=9, estimator=SVR(tol=1e-9), scale=False)
    predictions = y.mean() + y.std() * unscaled.individual
    np.testing.assert_allclose(scaled.individual, predictions, atol=1e-7)


def direct(kernel, X, y, seed, points):
    """Probabilities of the classes at given points, from machines and sigmoids, loop by loop."""
    gram = ActiveGram(
        X,
        make_kernel(kernel.name, X, gamma=kernel.gamma, degree=kernel.degree, coef0=kernel.coef0),
    )
    trained = train(Machine(C=2.0, tol=1e-10), gram, Classes.of(y))
    sigmoids = trained.calibrate(seed=seed)
    machines = [
        naive.Machine(part.rows, part.y, part.bounds, part.dual.coef, part.dual.intercept)
        for part in trained.parts
    ]
    return np.array(
        [
            naive.class_probabilities(
                [naive.decision(kernel, X, m, x) for m in machines], sigmoids, len(np.unique(y))
            )
            for x in points
        ]
    )


@each_kernel
@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_probabilities_are_those_of_the_changed_samples(task, kernel):
    X, y = problem(task)
    svc = SVC(C=2.0, **svc_options(kernel), tol=1e-10)
    curves = response(X, y, [3, 0], [-1.0, 0.5, 4.0], svc, scale=False, random_state=2)
    assert curves.output == "probability"
    assert curves.features.tolist() == [3, 0]
    for index, i in enumerate([3, 0]):
        for step, value in enumerate([-1.0, 0.5, 4.0]):
            changed = X.copy()
            changed[:, i] = value
            expected = direct(kernel, X, y, 2, changed)
            if task == "binary":
                expected = expected[:, 1]
            np.testing.assert_allclose(curves.individual[index, step], expected, atol=1e-7)


def test_probabilities_of_many_classes_add_up_to_one():
    X, y = problem("multiclass")
    curves = response(X, y, estimator=SVC())
    assert curves.individual.shape == (5, 20, 30, 3)
    assert curves.mean.shape == (5, 20, 3)
    np.testing.assert_allclose(curves.individual.sum(axis=-1), 1.0)
    np.testing.assert_allclose(curves.mean.sum(axis=-1), 1.0)
    assert (curves.individual >= 0.0).all()


def test_a_linear_machine_has_straight_curves():
    X, y = problem("regression")
    curves = response(X, y, grid=5, estimator=LinearSVR())
    steps = np.diff(curves.individual, axis=1)
    np.testing.assert_allclose(steps, np.broadcast_to(steps[:, :1, :1], steps.shape), atol=1e-10)


def test_names_and_indices():
    X, y = problem("binary")
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d", "e"])
    by_name = response(frame, y, ["d", "a"], estimator=SVC())
    by_index = response(X, y, [3, -5], estimator=SVC())
    polars = response(pl.DataFrame(X, schema=list("abcde")), y, ["d", "a"], estimator=SVC())
    assert by_name.names == polars.names == ["d", "a"]
    assert by_index.names == ["x3", "x0"]
    assert by_name.features.tolist() == by_index.features.tolist() == [3, 0]
    np.testing.assert_array_equal(by_name.individual, by_index.individual)
    assert response(frame, y, "d", estimator=SVC()).names == ["d"]
    assert response(frame, y, 3, estimator=SVC()).names == ["d"]
    assert response(frame, y, estimator=SVC()).names == list("abcde")


def test_one_grid_row_for_each_feature():
    X, y = problem("regression")
    each = response(X, y, [0, 2], [[0.0, 1.0], [2.0, 3.0]], SVR())
    assert each.grid.tolist() == [[0.0, 1.0], [2.0, 3.0]]
    alone = response(X, y, [2], [2.0, 3.0], SVR())
    np.testing.assert_allclose(each.individual[1], alone.individual[0], rtol=1e-9)


def test_sparse_is_dense():
    X, y = problem("regression")
    for kernel in ("linear", "rbf", "poly"):
        svr = SVR(kernel=kernel, gamma=0.2, coef0=1.0, tol=1e-9)
        dense = response(X, y, grid=4, estimator=svr, scale=False)
        sparse = response(sp.csr_matrix(X), y, grid=4, estimator=svr, scale=False)
        np.testing.assert_allclose(sparse.individual, dense.individual, atol=1e-7)


def test_a_sample_at_its_own_value_is_itself():
    X, y = problem("regression")
    curves = response(X, y, [1], X[:, 1], SVR(tol=1e-10, gamma=0.2), scale=False)
    svr = SVR(tol=1e-10, gamma=0.2).fit(X, y)
    own = np.diagonal(curves.individual[0])
    np.testing.assert_allclose(own, svr.predict(X), atol=1e-5)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (["z"], "feature 'z' is not a column of X"),
        ("petal", "feature 'petal' is not a column of X"),
        ([5], "feature 5 is not a column of X, which has 5"),
        ([-6], "feature -6 is not a column of X, which has 5"),
        ([1.5], "feature 1.5 is not a column of X"),
        ([None], "feature None is not a column of X"),
        ([0, "x0"], "features must not name a column twice"),
        ([True, False], "feature True is not a column of X"),
    ],
)
def test_bad_features_are_refused(features, message):
    X, y = problem("binary")
    with pytest.raises(ValueError, match=message):
        response(X, y, features, estimator=SVC())


@pytest.mark.parametrize("grid", [1, 0, -3])
def test_too_few_values_are_refused(grid):
    X, y = problem("binary")
    with pytest.raises(ValueError, match=f"grid must have at least 2 values, got {grid}"):
        response(X, y, grid=grid, estimator=SVC())


@pytest.mark.parametrize(
    "grid", [[], "fine", 5.5, [np.nan, 1.0], [[1.0], [2.0], [3.0]], np.zeros((1, 2, 3)), None]
)
def test_bad_values_are_refused(grid):
    X, y = problem("binary")
    with pytest.raises(ValueError, match="grid must be a number of values, or finite values"):
        response(X, y, [0, 1], grid, SVC())


@pytest.mark.parametrize("task", ["regression", "binary", "multiclass"])
def test_the_columns_of_a_group_move_together(task):
    X, y = problem(task, n=30)
    machine = SVR if task == "regression" else SVC
    options = {"grid": 4, "estimator": machine(C=2.0, gamma=0.2, tol=1e-10), "scale": False}
    curves = response(X, y, groups={"x1": "both", "x3": "both"}, **options)
    assert curves.names == ["x0", "both", "x2", "x4"]
    assert [group.tolist() for group in curves.groups] == [[0], [1, 3], [2], [4]]
    alone = response(X, y, **options)
    np.testing.assert_allclose(curves.individual[[0, 2, 3]], alone.individual[[0, 2, 4]], atol=1e-9)
    for step, sample in enumerate(curves.grid[1].astype(int)):
        # a sample that takes its own values puts out what it does unchanged
        unchanged = response(X, y, [0], **{**options, "grid": X[[sample], 0]})
        np.testing.assert_allclose(
            curves.individual[1, step, sample], unchanged.individual[0, 0, sample], atol=1e-9
        )
        if task == "regression":
            changed = X.copy()
            changed[:, [1, 3]] = X[sample, [1, 3]]
            wanted = SVR(C=2.0, gamma=0.2, tol=1e-10).fit(X, y).predict(changed)
            np.testing.assert_allclose(curves.individual[1, step], wanted, atol=1e-5)


def test_a_column_of_a_group_stands_for_the_group():
    X, y = problem("binary")
    options = {"grid": 3, "estimator": SVC()}
    both = response(X, y, [3, 1], groups=[[1, 3]], **options)
    assert both.names == ["x1+x3"]
    plain = response(X, y, [0, 2], groups=[[1, 3]], **options)
    assert plain.groups is None
    assert (plain.individual == response(X, y, [0, 2], **options).individual).all()
    with pytest.raises(
        ValueError, match="grid must be a number of values where columns of a group"
    ):
        response(X, y, 1, [0.0, 1.0], SVC(), groups=[[1, 3]])


def test_a_group_of_one_hot_columns_takes_its_levels():
    rng = np.random.default_rng(0)
    level = rng.integers(3, size=60)
    X = np.column_stack([np.eye(3)[level], rng.normal(size=60)])
    y = np.array([0.0, 1.0, 5.0])[level] + 0.1 * X[:, 3]
    curves = response(X, y, 0, 12, SVR(C=100.0, epsilon=0.01), groups=[[0, 1, 2]])
    taken = level[curves.grid[0].astype(int)]
    np.testing.assert_allclose(curves.mean[0], np.array([0.0, 1.0, 5.0])[taken], atol=0.3)


@pytest.mark.parametrize("grouped", [False, True])
def test_curves_over_the_budget_are_refused_before_they_are_made(grouped):
    X, y = problem("multiclass")
    groups = [[0, 1]] if grouped else None
    with pytest.raises(ValueError, match=r"The kernel matrix of .* over the memory budget"):
        response(X, y, estimator=SVC(), groups=groups, memory=1000)
    message = "The curves of . features at 1000000 values would need .*GiB.* or a smaller grid"
    for memory in (None, "10MB", 1e7):
        with pytest.raises(ValueError, match=message):
            response(X, y, grid=10**6, estimator=SVC(), groups=groups, memory=memory)
    with pytest.raises(ValueError, match="memory must be a size such as 500MB"):
        response(X, y, estimator=SVC(), memory="much")
    enough = response(X, y, grid=3, estimator=SVC(), groups=groups, memory="10MB")
    plain = response(X, y, grid=3, estimator=SVC(), groups=groups)
    np.testing.assert_array_equal(enough.individual, plain.individual)
