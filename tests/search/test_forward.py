"""Forward selection against a greedy loop with scikit-learn's cross-validation."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC, SVR

from svmsieve.engine.machines.folds import stratified_folds
from svmsieve.engine.machines.scoring import DecisionScorer
from svmsieve.engine.machines.target import Classes
from svmsieve.search import Forward
from svmsieve.search.contract import Step
from svmsieve.search.fold import make_folds
from svmsieve.search.growing_fold import GrowingFold, Room
from svmsieve.search.stopping import mean_score, stopped
from tests.search.problems import numbers, problem_of, three_classes, two_classes


def splits_of(problem, cv):
    """The folds of the search's own cross-validation."""
    seed = problem.step_seed(2**31)
    n = len(problem.target)
    if isinstance(problem.target, Classes):
        held_out = stratified_folds(problem.target.codes, cv, seed)
    else:
        order = np.random.default_rng(seed).permutation(n)
        held_out = [np.sort(part) for part in np.array_split(order, cv)]
    return [(np.setdiff1d(np.arange(n), fold), fold) for fold in held_out]


def naive_forward(X, y, estimator, units, keep, limit, splits, scoring=None):
    """Add the unit whose machine has the best mean score; kept ones first."""
    chosen, history = [], []
    while len(chosen) < limit:
        left = [u for u in range(len(units)) if u not in chosen]
        left = [u for u in left if u in keep] or left
        scores = {}
        for u in left:
            columns = sorted(c for each in [*chosen, u] for c in units[each])
            machine = clone(estimator)
            scores[u] = cross_val_score(machine, X[:, columns], y, cv=splits, scoring=scoring)
        # Means that differ by rounding only are equal: the first column enters.
        best = max(left, key=lambda u: (round(float(scores[u].mean()), 12), -u))
        chosen.append(best)
        history.append((best, scores[best]))
    return history


def few_against_many(n, d):
    """Two classes, of which a training part has 3 or 4 samples of the one."""
    X, y = two_classes(n=2 * n, d=d)
    rows = np.r_[np.flatnonzero(y == y[0])[:5], np.flatnonzero(y != y[0])[: n - 5]]
    return X[rows], y[rows]


GROUPS = [[0, 3], [1], [2, 4], [5]]


@pytest.mark.parametrize(
    ("problem", "machine", "groups", "keep"),
    [
        (two_classes, SVC(kernel="linear", tol=1e-8), None, ()),
        (two_classes, SVC(gamma="scale", tol=1e-8), None, (4, 2)),
        (two_classes, SVC(gamma=0.2, C=3.0, class_weight={0: 3.0}, tol=1e-8), GROUPS, ()),
        (few_against_many, SVC(gamma=0.2, class_weight="balanced", tol=1e-8), None, ()),
        (three_classes, SVC(gamma="auto", tol=1e-8), GROUPS, (2,)),
        (numbers, SVR(gamma=0.1, C=2.0, epsilon=0.2, tol=1e-8), None, ()),
        (numbers, SVR(kernel="poly", degree=2, coef0=1.0, C=3.0, tol=1e-8), GROUPS, (1, 3)),
    ],
)
def test_as_a_greedy_loop(problem, machine, groups, keep):
    X, y = problem(n=36, d=6)
    units = groups or [[c] for c in range(6)]
    built = problem_of(X, y, machine, groups=groups, keep=frozenset(keep), largest=len(units))
    steps = list(Forward(cv=3).run(built))
    expected = naive_forward(X, y, machine, units, keep, len(units), splits_of(built, 3))
    assert [step.moved for step in steps] == [[unit] for unit, _ in expected]
    for size, (step, (_, scores)) in enumerate(zip(steps, expected, strict=True), start=1):
        np.testing.assert_allclose(step.fold_scores, scores, rtol=1e-5)
        assert step.size == size
        assert step.scores == [pytest.approx(scores.mean())]
    assert {step.moved[0] for step in steps[: len(keep)]} == set(keep)


@pytest.mark.parametrize("problem", [two_classes, three_classes, numbers])
def test_folds_of_ones_own(problem):
    X, y = problem(n=40, d=5)
    machine = SVR(gamma=0.2, tol=1e-8) if problem is numbers else SVC(gamma=0.2, tol=1e-8)
    order = np.random.default_rng(1).permutation(40)
    folds = [(order[:24], order[24:32]), (order[:32], order[32:])]  # not all that is left judges
    built = problem_of(X, y, machine, largest=5)
    steps = list(Forward(cv=folds).run(built))
    expected = naive_forward(X, y, machine, [[c] for c in range(5)], (), 5, folds)
    assert [step.moved for step in steps] == [[unit] for unit, _ in expected]
    for step, (_, scores) in zip(steps, expected, strict=True):
        np.testing.assert_allclose(step.fold_scores, scores, rtol=1e-5)


@pytest.mark.parametrize(
    "columns",
    [
        np.linspace(-2.0, 2.0, 9)[:, None],
        np.array([0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0])[:, None],
        np.repeat([[0.0, 1.0], [2.0, -1.0], [0.5, 0.5]], 3, axis=0),
        np.arange(18.0).reshape(9, 2) / 9.0,
    ],
    ids=["numbers", "category", "group with repeats", "group without"],
)
@pytest.mark.parametrize("machine", [SVC(gamma=0.7), SVC(kernel="poly", gamma=0.7, coef0=1.0)])
def test_the_matrix_grows_by_a_unit(columns, machine):
    """The grown matrix is that of all columns: training and held-out samples against the former."""
    rng = np.random.default_rng(0)
    X = np.hstack([rng.normal(size=(9, 1)), columns[rng.permutation(9)]])
    X[7:, -1] += [5.0, 0.0]  # a value that no training sample has
    groups = [[0], list(range(1, X.shape[1]))]
    built = problem_of(X, np.arange(9) % 2, machine, groups=groups)
    (fold,) = make_folds(built, [(np.arange(7), np.arange(7, 9))])
    growing = GrowingFold(fold, built.units, [0], None)
    validated = growing.validate(1, None, Room(9 * 7))
    growing.add(1, validated)
    expected = rbf_kernel(X, X[:7], gamma=0.7)
    if machine.kernel == "poly":
        expected = X @ X[:7].T
    np.testing.assert_allclose(growing.grown, expected, rtol=1e-12, atol=1e-12)
    again = GrowingFold(fold, built.units, [0, 1], None)
    np.testing.assert_allclose(again.grown, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("gamma", [0.2, "scale"])
def test_threads_change_nothing(monkeypatch, gamma):
    X, y = two_classes(n=36, d=6)
    built = problem_of(X, y, SVC(gamma=gamma), largest=6)
    steps = {}
    for least in (0.0, np.inf):  # all candidates in threads, or none
        monkeypatch.setattr("svmsieve.search.growth._WORTH_THREADS", least)
        steps[least] = [(step.moved, step.fold_scores) for step in Forward(cv=3).run(built)]
    assert steps[0.0] == steps[np.inf]


def test_folds_score_decisions_by_accuracy_unless_told_otherwise():
    X, y = two_classes(n=20, d=2)
    (fold,) = make_folds(problem_of(X, y, SVC()), [(np.arange(10), np.arange(10, 20))])
    decisions = np.where(y[10:] == 1, 1.0, -1.0)[:, None]
    decisions[0] *= -1
    assert fold.score(decisions) == 0.9


def test_any_scorer_judges_the_candidates():
    X, y = two_classes(n=36, d=5)
    machine = SVC(gamma=0.3, tol=1e-8)
    target = Classes.of(y)
    built = problem_of(X, y, machine, largest=5, scorer=DecisionScorer("roc_auc", target))
    steps = list(Forward(cv=3).run(built))
    units = [[c] for c in range(5)]
    expected = naive_forward(X, y, machine, units, (), 5, splits_of(built, 3), "roc_auc")
    assert [step.moved[0] for step in steps] == [unit for unit, _ in expected]
    np.testing.assert_allclose([step.fold_scores for step in steps], [s for _, s in expected])


def test_the_number_of_trainings_is_told():
    X, y = two_classes(n=30, d=5)
    built = problem_of(X, y, SVC(), keep=frozenset({1, 4}), largest=5)
    steps = list(Forward(cv=3).run(built))
    assert [step.n_trainings for step in steps] == [2 * 3, 1 * 3, 3 * 3, 2 * 3, 1 * 3]


def test_a_given_size_is_reached_without_stopping_before():
    X, y = two_classes(n=30, d=6)
    search = Forward(cv=2, patience=1, epsilon=1.0)
    assert len(list(search.run(problem_of(X, y, SVC(), largest=5)))) == 5
    assert len(list(search.run(problem_of(X, y, SVC())))) == 2


def test_kept_features_all_enter_before_the_search_may_stop():
    X, y = two_classes(n=30, d=6)
    search = Forward(cv=2, patience=1, epsilon=1.0)
    built = problem_of(X, y, SVC(), keep=frozenset({0, 1, 2, 5}))
    steps = list(search.run(built))
    assert sorted(step.moved[0] for step in steps) == [0, 1, 2, 5]


@pytest.mark.parametrize("regression", [False, True])
def test_fewer_samples_than_folds_are_refused(regression):
    X, y = numbers(n=8, d=3) if regression else two_classes(n=8, d=3)
    built = problem_of(X, y, SVR() if regression else SVC())
    with pytest.raises(ValueError, match="cv=10 folds need at least 10 samples"):
        list(Forward().run(built))


# The stopping rule ----------------------------------------------------------------------------


def scored(*means):
    return [
        Step(i + 1, [i], [m], m, 1.0, None, None, 0.0, 1, fold_scores=[m - 0.1, m + 0.1])
        for i, m in enumerate(means)
    ]


@pytest.mark.parametrize(
    ("means", "patience", "epsilon", "expected"),
    [
        ((0.5,), 1, 0.0, False),
        ((0.5, 0.5), 1, 0.0, True),
        ((0.5, 0.51), 1, 0.0, False),
        ((0.5, 0.51), 1, 0.02, True),
        ((0.5, 0.8, 0.6, 0.7), 2, 0.001, True),
        ((0.5, 0.8, 0.6, 0.7), 3, 0.001, False),
        ((0.5, 0.8, 0.6, 0.82), 2, 0.001, False),
        # Slow gains do not add up: each is compared with the best before the last k additions.
        ((0.5, 0.5005, 0.501), 2, 0.001, True),
        ((0.5, 0.5008, 0.5016), 2, 0.001, False),
    ],
)
def test_stops_when_the_last_additions_brought_no_gain(means, patience, epsilon, expected):
    steps = scored(*means)
    assert mean_score(steps[0]) == pytest.approx(means[0])
    assert stopped(steps, patience, epsilon + 1e-9) == expected
