"""FSPP1–3 against loops."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC

from svmsieve import rank
from svmsieve.criteria.fspp import FSPP1, FSPP2, FSPP3
from svmsieve.engine.machines.platt import Sigmoid
from tests import naive_criteria as naive
from tests.criteria.cases import (
    CLASS_TASKS,
    GROUPS,
    KERNELS,
    LINEAR,
    RBF,
    assert_same,
    each_kernel,
    make_case,
    plain_machines,
    problem,
    svc_options,
)

each_task = pytest.mark.parametrize("task", CLASS_TASKS)
each_grouping = pytest.mark.parametrize("groups", [None, GROUPS], ids=["", "groups"])


def fspp_case(task, kernel, **options):
    return make_case(task, kernel, probabilities=True, **options)


def probabilities(case):
    return lambda decisions: naive.class_probabilities(
        decisions, case.fitted.sigmoids, case.n_classes
    )


def classes(case):
    return lambda decisions: naive.winner(decisions, case.n_classes)


def orders_of(case, n_permutations):
    if n_permutations == "all":
        return naive.every_lender(len(case.X))
    return naive.permutations(len(case.X), n_permutations, case.data.seed)


@each_kernel
@each_task
@each_grouping
@pytest.mark.parametrize("n_permutations", [1, 3, "all"])
def test_permuted(task, kernel, groups, n_permutations):
    case = fspp_case(task, kernel, groups=groups, n=18 if n_permutations == "all" else 30)
    args = kernel, case.X, case.runs, case.groups, orders_of(case, n_permutations)
    assert_same(case.scores(FSPP1(n_permutations)), naive.fspp(*args, classes(case)))
    assert_same(case.scores(FSPP2(n_permutations)), naive.fspp(*args, probabilities(case)))


@each_kernel
@each_task
@each_grouping
def test_a_slope_of_ones_own_needs_no_calibration(task, kernel, groups):
    case = make_case(task, kernel, groups=groups)  # no sigmoids
    sigmoids = [Sigmoid(-2.0, 0.0)] * len(case.fitted.trained.parts)
    args = kernel, case.X, case.runs, case.groups, orders_of(case, 3)

    def told(decisions):
        return naive.class_probabilities(decisions, sigmoids, case.n_classes)

    criterion = FSPP2(3, slope=2.0)
    assert not criterion.needs_probabilities
    assert FSPP2(3).needs_probabilities
    assert_same(case.scores(criterion), naive.fspp(*args, told))


@pytest.mark.parametrize("slope", [0.0, -1.0, np.nan])
def test_a_slope_that_is_not_positive_is_refused(slope):
    with pytest.raises(ValueError, match="slope must be"):
        FSPP2(slope=slope)


@each_kernel
@each_task
@each_grouping
def test_zeroed(task, kernel, groups):
    case = fspp_case(task, kernel, groups=groups)
    args = kernel, case.X, case.runs, case.groups, None
    assert_same(case.scores(FSPP3()), naive.fspp(*args, probabilities(case)))


@each_task
def test_zero_may_lie_outside_the_range_of_the_data(task):
    X, y = problem(task)
    case = fspp_case(task, RBF, problem_of=(X + 3.0, y))
    args = RBF, case.X, case.runs, case.groups, None
    assert_same(case.scores(FSPP3()), naive.fspp(*args, probabilities(case)))


@each_kernel
@each_task
@each_grouping
def test_held_out(task, kernel, groups):
    case = fspp_case(task, kernel, groups=groups, n=36)
    folds = case.trained.folds(5, case.data.seed)
    machines = [plain_machines(trained) for trained in case.trained.without_folds(folds)]
    runs = list(zip(machines, folds, strict=True))
    args = kernel, case.X, runs, case.groups, orders_of(case, 3)
    scores = case.scores(FSPP1(3, evaluate_on="held-out"))
    assert_same(scores, naive.fspp(*args, classes(case)))
    scores = case.scores(FSPP2(3, evaluate_on="held-out"))
    assert_same(scores, naive.fspp(*args, probabilities(case)))


@each_task
def test_features_of_few_values(task):
    """Distinct values have a path of their own in the response."""
    X, y = problem(task)
    case = fspp_case(task, KERNELS["narrow-rbf"], problem_of=(np.round(X), y))
    args = KERNELS["narrow-rbf"], case.X, case.runs, case.groups
    scores = case.scores(FSPP2(3))
    assert_same(scores, naive.fspp(*args, orders_of(case, 3), probabilities(case)))


@each_kernel
def test_the_share_of_changed_predictions_of_scikit_learn(kernel):
    """FSPP1 from beginning to end, without any of the package's machines."""
    X, y = problem("binary", n=40)
    svc = SVC(C=2.0, **svc_options(kernel), tol=1e-8)
    scores = rank(X, y, "fspp1", svc, scale=True, random_state=3).scores
    standardised = (X - X.mean(axis=0)) / X.std(axis=0)
    svc.fit(standardised, y)
    order = np.random.default_rng(3).permutation(len(X))
    expected = []
    for i in range(X.shape[1]):
        changed = standardised.copy()
        changed[:, i] = changed[order, i]
        expected.append(np.mean(svc.predict(changed) != svc.predict(standardised)))
    assert scores.tolist() == pytest.approx(expected)


def test_every_feature_meets_the_same_permutation():
    X, y = problem("binary")
    twins = np.column_stack([X, X[:, 0]])
    scores = rank(twins, y, "fspp2", SVC(tol=1e-9), random_state=1).scores
    assert scores[0] == pytest.approx(scores[-1], rel=1e-6)


def test_more_permutations_approach_all():
    case = fspp_case("binary", RBF)
    exact = case.scores(FSPP2("all"))
    one, many = case.scores(FSPP2(1)), case.scores(FSPP2(500))
    assert np.abs(many - exact).max() < 0.2 * np.abs(one - exact).max()


@pytest.mark.parametrize("criterion", [FSPP1("all"), FSPP2("all"), FSPP3()], ids=repr)
@each_task
def test_integer_weights_are_repeated_rows(criterion, task):
    X, y = problem(task)
    weights = np.random.default_rng(0).integers(1, 4, size=len(y))
    repeated = np.repeat(np.arange(len(y)), weights)
    sigmoids = [(-1.5, 0.2)] * (1 if task == "binary" else 3)
    for groups in (None, GROUPS):
        options = {"sigmoids": sigmoids, "groups": groups}
        weighted = make_case(task, RBF, sample_weight=weights, **options)
        plain = make_case(task, RBF, problem_of=(X[repeated], y[repeated]), **options)
        assert_same(weighted.scores(criterion), plain.scores(criterion), rtol=1e-7)


@pytest.mark.parametrize("criterion", [FSPP1(3), FSPP2(3), FSPP3()], ids=repr)
@pytest.mark.parametrize("kernel", [LINEAR, RBF], ids=lambda kernel: kernel.name)
@each_grouping
def test_sparse_is_dense(criterion, kernel, groups):
    dense = fspp_case("multiclass", kernel, groups=groups)
    sparse = fspp_case("multiclass", kernel, groups=groups, sparse=True)
    assert_same(sparse.scores(criterion), dense.scores(criterion), rtol=1e-6)


@pytest.mark.parametrize("criterion", [FSPP1("all"), FSPP2("all"), FSPP3()], ids=repr)
@each_kernel
def test_a_group_of_all_columns(criterion, kernel):
    case = fspp_case("binary", kernel, groups=[[0, 1, 2, 3, 4]])
    orders = None if isinstance(criterion, FSPP3) else naive.every_lender(len(case.X))
    output = classes(case) if isinstance(criterion, FSPP1) else probabilities(case)
    expected = naive.fspp(kernel, case.X, case.runs, case.groups, orders, output)
    assert_same(case.scores(criterion), expected)


def test_small_memory_changes_nothing():
    case = fspp_case("multiclass", RBF)
    assert_same(case.with_data(memory=1.0).scores(FSPP2(3)), case.scores(FSPP2(3)))


@pytest.mark.parametrize("criterion", [FSPP1, FSPP2])
def test_bad_options_are_refused(criterion):
    case = fspp_case("binary", RBF)
    with pytest.raises(ValueError, match=r"n_permutations must be .* or 'all', got 0"):
        case.scores(criterion(0))
    with pytest.raises(ValueError, match="evaluate_on must be 'training' or 'held-out'"):
        case.scores(criterion(evaluate_on="elsewhere"))
