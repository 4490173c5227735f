"""FSPP4 against loops and central differences; systems without a unique solution."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC

from svmsieve import rank
from svmsieve.criteria.fspp4 import FSPP4
from tests import naive_criteria as naive
from tests.criteria.cases import (
    CLASS_TASKS,
    GROUPS,
    LINEAR,
    RBF,
    assert_same,
    each_kernel,
    make_case,
)


def fspp4_case(task, kernel, **options):
    """C is small enough for some alpha to be bounded and some to be free."""
    return make_case(task, kernel, C=0.5, probabilities=True, **options)


@each_kernel
@pytest.mark.parametrize("groups", [None, GROUPS, [[0, 1, 2, 3, 4]]], ids=["", "groups", "one"])
@pytest.mark.parametrize("task", CLASS_TASKS)
def test_against_loops(task, kernel, groups):
    case = fspp4_case(task, kernel, groups=groups)
    expected = naive.fspp4(
        kernel, case.X, case.machines, case.fitted.sigmoids, case.n_classes, case.groups
    )
    assert_same(case.scores(FSPP4()), expected)


@each_kernel
@pytest.mark.parametrize("task", CLASS_TASKS)
def test_is_the_derivative_of_the_probabilities(task, kernel):
    """The machines are solved again at the scaled features; A and B stay."""
    case = fspp4_case(task, kernel)
    h = 1e-5
    sets = {}

    def outputs(columns, v):
        X = naive.scaled(case.X, columns, v)
        K = naive.gram(kernel, X)
        decisions = []
        for index, machine in enumerate(case.machines):
            rows = machine.rows
            alpha, b, free = naive.train_hinge(K[np.ix_(rows, rows)], machine.y, machine.C)
            status = (free.tolist(), np.flatnonzero(alpha == machine.C).tolist())
            assert status == sets.setdefault(index, status), "an alpha changed its status"
            decisions.append(K[:, rows] @ (machine.y * alpha) + b)
        return np.array(
            [
                naive.class_probabilities(values, case.fitted.sigmoids, case.n_classes)
                for values in zip(*decisions, strict=True)
            ]
        )

    slopes = []
    for g in case.groups:
        change = np.abs(outputs(g, 1 + h) - outputs(g, 1 - h)) / (2.0 * h)
        slopes.append(0.5 * change.sum(axis=1).mean())
    assert_same(case.scores(FSPP4()), slopes, rtol=1e-5)


@pytest.mark.parametrize("kernel", [LINEAR, RBF], ids=lambda kernel: kernel.name)
def test_sparse_is_dense(kernel):
    for groups in (None, GROUPS):
        dense = fspp4_case("multiclass", kernel, groups=groups)
        sparse = fspp4_case("multiclass", kernel, groups=groups, sparse=True)
        assert_same(sparse.scores(FSPP4()), dense.scores(FSPP4()), rtol=1e-5)


@each_kernel
def test_duplicate_rows_change_nothing(kernel):
    """Twins share their alpha in any way they like: f and its derivative are the same."""
    single = make_case("binary", kernel, C=0.5, sigmoids=[(-1.5, 0.2)])
    X, y = np.repeat(single.X, 2, axis=0), np.repeat(single.y, 2)
    options = {"problem_of": (X, y), "C": 0.25, "sigmoids": [(-1.5, 0.2)]}
    twice = make_case("binary", kernel, **options)
    (machine,) = twice.machines
    alpha = machine.y * machine.coef
    free = (alpha > 0.0) & (alpha < machine.C)
    assert np.linalg.matrix_rank(naive.gram(kernel, X[free])) < free.sum()
    assert_same(twice.scores(FSPP4()), single.scores(FSPP4()), rtol=1e-5)


def test_a_linear_machine_held_by_its_free_vectors_does_not_move():
    """d + 1 free vectors on the margins fix f: scaling a feature changes w, not f."""
    case = make_case("binary", LINEAR, C=2.0, sigmoids=[(-1.5, 0.2)])
    (machine,) = case.machines
    alpha = machine.y * machine.coef
    assert np.sum((alpha > 0.0) & (alpha < machine.C)) == 6
    np.testing.assert_allclose(case.scores(FSPP4()), 0.0, atol=1e-13)


@pytest.mark.parametrize("task", CLASS_TASKS)
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["", "groups"])
def test_small_memory_changes_nothing(task, groups):
    case = fspp4_case(task, RBF, groups=groups)
    assert_same(case.with_data(memory=1.0).scores(FSPP4()), case.scores(FSPP4()))


def test_squared_hinge():
    """A LinearSVC by default: all support vectors are free, the diagonal has 1/C."""
    case = make_case("binary", RBF, loss="squared_hinge", probabilities=True)
    (machine,) = case.machines
    h = 1e-5
    (A, B), slopes = case.fitted.sigmoids[0], []

    def outputs(columns, v):
        K = naive.gram(RBF, naive.scaled(case.X, columns, v))
        lifted = K + np.diag(1.0 / machine.C)
        alpha, b, _ = naive.train_hard_margin(lifted, machine.y)
        return np.array([naive.sigmoid(A, B, f) for f in K @ (machine.y * alpha) + b])

    for g in case.groups:
        slopes.append(np.abs(outputs(g, 1 + h) - outputs(g, 1 - h)).mean() / (2.0 * h))
    assert_same(case.scores(FSPP4()), slopes, rtol=1e-5)


def test_without_free_support_vectors_the_machine_stays():
    X, y = np.array([[-1.0, 0.5], [-0.5, 1.0], [0.5, -0.2], [1.0, 0.1]]), np.array(list("aabb"))
    case = make_case("binary", LINEAR, problem_of=(X, y), C=1e-3, sigmoids=[(-1.0, 0.0)])
    (machine,) = case.machines
    assert (np.abs(machine.coef) == machine.C).all()
    w = X.T @ machine.coef
    p = [naive.sigmoid(-1.0, 0.0, f) for f in X @ w + machine.intercept]
    expected = [
        np.mean([q * (1 - q) * abs(2 * w[i] * x[i]) for q, x in zip(p, X, strict=True)])
        for i in range(2)
    ]
    assert_same(case.scores(FSPP4()), expected)


@pytest.mark.filterwarnings("ignore:All scores of 'fspp4' are zero")
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("part", ["train", "test"])
def test_monk_1_down_to_one_feature(shared_data, kernel, part):
    """The paper's computation failed here: the machine's rows repeat as features go."""
    with np.load(shared_data / "monks-1.npz") as file:
        rows = np.random.default_rng(0).permutation(len(file[f"y_{part}"]))[:216]
        X, y = file[f"X_{part}"][rows].astype(float), file[f"y_{part}"][rows]
    left = list(range(X.shape[1]))
    while len(left) > 1:
        estimator = SVC(C=32.0, gamma=0.125, kernel=kernel, degree=2, coef0=1.0)
        ranking = rank(X[:, left], y, "fspp4", estimator)
        assert np.isfinite(ranking.scores).all()
        # With more free support vectors than its feature space has dimensions, a linear or a
        # polynomial machine makes up for any scaling.
        assert ranking.scores.max() > 0.0 or kernel != "rbf"
        left.pop(ranking.order[-1])
    assert np.isfinite(rank(X[:, left], y, "fspp4", SVC(C=32.0, gamma=0.125)).scores).all()
