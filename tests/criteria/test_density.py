"""Yang & Ong's SD criteria against loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.svm import SVR

from svmsieve import rank
from svmsieve.criteria.density import SDGauss, SDLaplace, _above_log
from tests import naive_criteria as naive
from tests.criteria.cases import (
    GROUPS,
    LINEAR,
    RBF,
    assert_same,
    each_kernel,
    make_case,
    plain_machines,
    problem,
)

DENSITIES = {"laplace": SDLaplace, "gauss": SDGauss}
each_density = pytest.mark.parametrize("density", DENSITIES)
each_count = pytest.mark.parametrize("n_permutations", [1, 3, "all"])


def orders_of(case, n_permutations):
    if n_permutations == "all":
        return naive.every_lender(len(case.X))
    return naive.permutations(len(case.X), n_permutations, case.data.seed)


@each_kernel
@each_density
@each_count
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["", "groups"])
def test_against_loops(density, kernel, n_permutations, groups):
    case = make_case("regression", kernel, groups=groups, n=20 if n_permutations == "all" else 30)
    orders = orders_of(case, n_permutations)
    args = kernel, case.X, case.y, case.runs, case.groups, orders, density
    criterion = DENSITIES[density](n_permutations)
    assert_same(case.scores(criterion), naive.sd(*args))
    symmetric = DENSITIES[density](n_permutations, symmetric=True)
    assert_same(case.scores(symmetric), naive.sd(*args, symmetric=True))


@each_kernel
@each_density
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["", "groups"])
def test_held_out(density, kernel, groups):
    case = make_case("regression", kernel, groups=groups)
    folds = case.trained.folds(5, case.data.seed)
    machines = [plain_machines(trained) for trained in case.trained.without_folds(folds)]
    runs = list(zip(machines, folds, strict=True))
    orders = orders_of(case, 3)
    expected = naive.sd(kernel, case.X, case.y, runs, case.groups, orders, density)
    criterion = DENSITIES[density](3, evaluate_on="held-out")
    assert_same(case.scores(criterion), expected)


@each_density
def test_held_out_folds_cover_every_sample_once_and_train_without_it(density):
    case = make_case("regression", RBF)
    folds = case.trained.folds(5, 7)
    assert sorted(np.concatenate(folds).tolist()) == list(range(len(case.X)))
    for trained, held_out in zip(case.trained.without_folds(folds), folds, strict=True):
        (machine,) = plain_machines(trained)
        assert not machine.coef[held_out].any()


@each_density
@each_count
def test_a_feature_without_effect_scores_zero(density, n_permutations):
    X, y = problem("regression")
    X[:, 3] = 0.0
    X[0, 3] = 1e-30  # not constant, but nothing
    case = make_case("regression", RBF, problem_of=(X, y))
    assert case.scores(DENSITIES[density](n_permutations))[3] == pytest.approx(0.0, abs=1e-14)


@each_density
def test_integer_weights_are_repeated_rows(density):
    X, y = problem("regression")
    weights = np.random.default_rng(0).integers(1, 4, size=len(y))
    repeated = np.repeat(np.arange(len(y)), weights)
    criterion = DENSITIES[density]("all")
    for groups in (None, GROUPS):
        weighted = make_case("regression", RBF, sample_weight=weights, groups=groups)
        copies = (X[repeated], y[repeated])
        plain = make_case("regression", RBF, problem_of=copies, groups=groups)
        assert_same(weighted.scores(criterion), plain.scores(criterion), rtol=1e-6)


@each_density
@pytest.mark.parametrize("kernel", [LINEAR, RBF], ids=lambda kernel: kernel.name)
def test_sparse_is_dense(density, kernel):
    for groups in (None, GROUPS):
        dense = make_case("regression", kernel, groups=groups)
        sparse = make_case("regression", kernel, groups=groups, sparse=True)
        criterion = DENSITIES[density](3)
        assert_same(sparse.scores(criterion), dense.scores(criterion), rtol=1e-6)


@each_density
def test_a_perfect_fit_is_finite(density):
    X, _ = problem("regression")
    with pytest.warns(UserWarning, match=f"All scores of 'sd-{density}' are zero"):
        ranking = rank(X, np.zeros(len(X)), DENSITIES[density]("all"), scale=False)
    assert ranking.scores.tolist() == [0.0] * 5


def test_small_memory_changes_nothing():
    case = make_case("regression", RBF)
    assert_same(case.with_data(memory=1.0).scores(SDGauss(3)), case.scores(SDGauss(3)))


@pytest.mark.parametrize("n_permutations", [0, -1, 1.5, "some", True, None])
def test_a_bad_number_of_permutations_is_refused(n_permutations):
    case = make_case("regression", RBF)
    with pytest.raises(ValueError, match="n_permutations must be a whole number of at least 1"):
        case.scores(SDGauss(n_permutations))


def test_a_bad_evaluation_is_refused():
    case = make_case("regression", RBF)
    with pytest.raises(ValueError, match="evaluate_on must be 'training' or 'held-out'"):
        case.scores(SDGauss(evaluate_on="test"))


@pytest.mark.parametrize("exponent", [-40, -24, -17, -16, -8, -2, -1, 0, 2, 16, 17, 40])
def test_spreads_however_far_apart_have_a_finite_divergence(exponent):
    for ratio in np.array([0.3, 0.999, 1.0, 1.7]) * 10.0**exponent:
        # its own logarithm, by digits and power, and no difference of what cancels elsewhere
        expected = ratio - 1.0 - math.log(ratio) if abs(ratio - 1.0) > 0.1 else None
        found = float(_above_log(np.float64(ratio), np.float64(1.0)))
        assert found >= 0.0
        if expected is not None:
            assert found == pytest.approx(expected, rel=1e-14)


@each_density
@pytest.mark.parametrize("seed", range(5))
def test_a_machine_that_meets_its_target_exactly_ranks(density, seed):
    # As many columns as samples, no tolerance: what is left is rounding, or nothing at all.
    rng = np.random.default_rng(seed)
    X = rng.standard_cauchy(size=(30, 30))
    y = X[:, 0] / X[:, 0].std() + rng.normal(size=30)
    scores = rank(X, y, DENSITIES[density](), SVR(kernel="linear", C=1e4, epsilon=0)).scores
    assert np.all(np.isfinite(scores) & (scores >= 0.0))
