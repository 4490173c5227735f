"""Training again without each feature."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from svmsieve.criteria.radius_margin import RadiusMarginRetrained
from svmsieve.criteria.retraining import for_each_removal, without_each
from svmsieve.criteria.span import SpanFixed, SpanRetrained
from svmsieve.criteria.weight import WeightRetrained
from svmsieve.engine.effects.retrained_removals import fixed_spans_without, optima_without
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

REMOVING = [WeightRetrained(), RadiusMarginRetrained(), SpanRetrained(), SpanFixed()]
each_removing = pytest.mark.parametrize("criterion", REMOVING, ids=lambda c: c.name)
ALONE = [[0], [1], [2], [3], [4]]
"""Each column a group of its own: machines are then trained one by one."""


@each_kernel
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["", "groups"])
def test_each_removal_sees_its_own_matrix(kernel, groups):
    case = make_case("multiclass", kernel, groups=groups)
    seen = []

    def value(K, part, dual):
        seen.append((K.copy(), part))
        assert dual is part.dual
        return float(K.sum())

    threads = numba.get_num_threads()
    try:
        numba.set_num_threads(1)  # one after the other, so that the order is known
        totals = for_each_removal(case.trained, case.data, value, train=False)
    finally:
        numba.set_num_threads(threads)
    assert len(seen) == 3 * len(case.groups)
    for index, columns in enumerate(case.groups):
        expected = 0.0
        for K, part in seen[3 * index : 3 * index + 3]:
            direct = naive.gram(kernel, naive.removed(case.X[part.rows], columns))
            np.testing.assert_allclose(K, direct, rtol=1e-10, atol=1e-10)
            expected += direct.sum()
        assert totals[index] == pytest.approx(expected)


@each_removing
@pytest.mark.parametrize("kernel", [LINEAR, RBF], ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("C", [2.0, 1e4])
@pytest.mark.parametrize("task", CLASS_TASKS)
def test_few_samples_get_the_scores_of_machines_trained_one_by_one(task, C, kernel, criterion):
    weight = np.where(np.arange(30) % 7 == 3, 0.0, 1.0 + np.arange(30) % 2)  # some take no part
    options = {"loss": "squared_hinge", "C": C, "sample_weight": weight}
    expected = make_case(task, kernel, groups=ALONE, **options).scores(criterion)
    assert_same(make_case(task, kernel, **options).scores(criterion), expected, rtol=1e-5)


def test_where_the_compiled_loop_gives_up_the_general_way_goes_on():
    case = make_case("binary", RBF, loss="squared_hinge")
    seen = []

    def gives_up(*facts):
        optima_without(*facts)
        facts[7][[1, 3]] = np.nan

    def value(K, part, dual):
        seen.append(K)
        return 2.0 * dual.objective

    scores = without_each(case.trained, case.data, value, gives_up)
    assert len(seen) == 2
    assert_same(scores, for_each_removal(case.trained, case.data, value))
    some = without_each(case.trained, case.data, value, gives_up, which=np.array([4, 2, 0, 1]))
    assert_same(some, scores[[4, 2, 0, 1]])


def test_a_matrix_that_rounding_made_singular_takes_the_general_way():
    X = np.random.default_rng(0).normal(size=(12, 5))
    X[6:] = X[:6]
    y = np.array(["a", "b"])[np.arange(12) // 6]  # each sample in both classes
    case = make_case("binary", RBF, loss="squared_hinge", C=1e17, problem_of=(X, y))
    (part,) = case.trained.parts
    out = np.empty(5)
    fixed_spans_without(
        case.data.gram.base, np.ascontiguousarray(X.T), RBF.gamma, part.y, part.bounds,
        part.dual.alpha, np.empty(0), out, 0, 5,
    )  # fmt: skip
    assert np.isnan(out).any()
    assert np.isfinite(case.scores(SpanFixed())).all()


@pytest.mark.parametrize(
    ("loss", "criterion"),
    [("hinge", WeightRetrained()), *(("squared_hinge", criterion) for criterion in REMOVING)],
)
def test_the_number_of_threads_changes_nothing(loss, criterion):
    case = make_case("multiclass", RBF, loss=loss, n=150)
    several = case.scores(criterion)
    threads = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        one = case.scores(criterion)
    finally:
        numba.set_num_threads(threads)
    assert one.tolist() == several.tolist()
    assert numba.get_num_threads() == threads


def test_the_machines_and_the_matrix_stay_as_they_are():
    case = make_case("binary", LINEAR)
    before = case.data.gram.matrix.copy(), case.machines[0].coef.copy()
    case.scores(WeightRetrained())
    np.testing.assert_array_equal(case.data.gram.matrix, before[0])
    np.testing.assert_array_equal(case.machines[0].coef, before[1])


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_the_intercept_does_not_depend_on_the_start(task):
    """Where all alpha end at a bound the intercept is the middle of an interval, not one of its ends."""
    n_without_free = 0
    for seed in range(40):
        case = make_case(task, RBF, C=0.3, n=16, seed=seed)
        (part,) = case.trained.parts
        bounds = part.bounds.copy()
        bounds[:3] = 0.0
        K, machine = case.data.gram.matrix, case.trained.machine
        warm = machine.solve(K, part.y, bounds, part.dual)
        cold = machine.solve(K, part.y, bounds)
        assert warm.intercept == pytest.approx(cold.intercept, abs=1e-6)
        n_without_free += not ((cold.alpha > 0.0) & (cold.alpha < cold.bounds)).any()
    assert n_without_free > 0 or task == "regression"


def test_an_error_in_a_thread_is_raised():
    case = make_case("binary", RBF)

    def fail(K, part, dual):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        for_each_removal(case.trained, case.data, fail)
