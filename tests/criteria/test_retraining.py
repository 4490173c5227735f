"""Training again without each feature."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from svmsieve.criteria.retraining import for_each_removal
from svmsieve.criteria.weight import WeightRetrained
from tests import naive_criteria as naive
from tests.criteria.cases import GROUPS, LINEAR, RBF, each_kernel, make_case


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


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_number_of_threads_changes_nothing(loss):
    case = make_case("multiclass", RBF, loss=loss)
    several = case.scores(WeightRetrained())
    threads = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        one = case.scores(WeightRetrained())
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
