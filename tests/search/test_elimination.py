"""Backward elimination against a loop written by hand, its schedule, tuning and continuation."""

import numpy as np
import pytest
from sklearn.svm import SVC, SVR

from svmsieve.engine.machines.grid_search import Validation
from svmsieve.engine.machines.tuning import tune_svc
from svmsieve.search import (
    SEARCHES,
    Elimination,
    Forward,
    HillClimb,
    Once,
    elimination,
    make_search,
)
from svmsieve.search.elimination import worst_first
from svmsieve.search.order import Order
from tests.search.problems import numbers, problem_of, three_classes, timeless, two_classes

TIGHT = {"kernel": "linear", "tol": 1e-8}


def naive_elimination(X, y, estimator, units, keep, sizes):
    """Train, add up the squared weights of each unit, drop the smallest; the last first if equal."""
    left = list(range(len(units)))
    gone = []
    for size, following in zip(sizes, [*sizes[1:], 0], strict=True):
        assert len(left) == size
        columns = sorted(c for u in left for c in units[u])
        weights = (estimator.fit(X[:, columns], y).coef_ ** 2).sum(axis=0)
        score = {u: sum(weights[columns.index(c)] for c in units[u]) for u in left}
        worst = sorted(left, key=lambda u: (u in keep, score[u], -u))[: size - following]
        gone.append((worst, [score[u] for u in worst]))
        left = [u for u in left if u not in worst]
    return gone


PAIRS = [[0], [1, 5], [2], [3], [4, 7], [6]]


@pytest.mark.parametrize(
    ("step", "groups", "keep", "smallest", "sizes"),
    [
        (1, None, (), 1, [8, 7, 6, 5, 4, 3, 2, 1]),
        (3, None, (), 1, [8, 5, 2, 1]),
        (3, None, (0, 6), 2, [8, 5, 2]),
        (0.5, None, (7,), 1, [8, 4, 2, 1]),
        (1, PAIRS, (), 1, [6, 5, 4, 3, 2, 1]),
        (2, PAIRS, (1, 3, 5), 3, [6, 4, 3]),
    ],
)
@pytest.mark.parametrize("problem", [two_classes, three_classes, numbers])
def test_as_a_loop_over_scikit_learn(problem, step, groups, keep, smallest, sizes):
    X, y = problem(d=8)
    machine = SVR(C=0.5, **TIGHT) if y.dtype.kind == "f" else SVC(C=0.5, **TIGHT)
    built = problem_of(X, y, machine, groups=groups, keep=frozenset(keep), smallest=smallest)
    steps = list(Elimination(step).run(built))
    expected = naive_elimination(X, y, machine, groups or [[c] for c in range(8)], set(keep), sizes)
    assert [step.size for step in steps] == sizes
    assert [step.moved for step in steps] == [moved for moved, _ in expected]
    for step, (_, scores) in zip(steps, expected, strict=True):
        np.testing.assert_allclose(step.scores, scores, rtol=1e-4, atol=1e-7)
        assert step.largest >= max(step.scores)
        assert (step.C, step.gamma) == (0.5, None)
        assert step.n_trainings == 1


def test_gamma_follows_the_features_that_remain():
    X, y = two_classes(d=6)
    X = X * np.arange(1.0, 7.0)
    steps = list(Elimination(1).run(problem_of(X, y, SVC(gamma="scale"))))
    left = set(range(6))
    for step in steps:
        columns = sorted(left)
        assert step.gamma == pytest.approx(1.0 / (len(columns) * X[:, columns].var()))
        left -= set(step.moved)


def test_the_number_of_trainings_is_told():
    X, y = two_classes(d=4)
    scored = problem_of(X, y, SVC(), evaluate=lambda trained, columns: 0.5)
    assert [step.n_trainings for step in Elimination(1).run(scored)] == [1, 1, 1, 1]
    ranked_once = problem_of(X, y, SVC())
    assert [step.n_trainings for step in Once(1).run(ranked_once)] == [1, 0, 0, 0]
    no_machine = problem_of(X, y, SVC(), "f-score")
    assert [step.n_trainings for step in Elimination(1).run(no_machine)] == [0, 0, 0, 0]


def test_evaluation_sees_the_machine_of_each_size_and_its_columns():
    X, y = two_classes(d=5)
    seen = []

    def evaluate(trained, columns):
        seen.append(columns.tolist())
        assert trained.expansions[0].centers.shape[1] == len(columns)
        return float(len(columns))

    steps = list(Elimination(2).run(problem_of(X, y, SVC(), evaluate=evaluate)))
    assert [step.test_score for step in steps] == [5.0, 3.0, 1.0]
    left = set(range(5))
    for step, columns in zip(steps, seen, strict=True):
        assert columns == sorted(left)
        left -= set(step.moved)


def test_once_ranks_once():
    X, y = two_classes(n=40, d=7)
    machine = SVC(C=1.0, **TIGHT)
    weights = machine.fit(X, y).coef_[0] ** 2
    steps = list(Once(2).run(problem_of(X, y, machine)))
    assert [step.size for step in steps] == [7, 5, 3, 1]
    assert Order.of(steps, 7).units.tolist() == np.argsort(-weights).tolist()
    again = list(Elimination(1).run(problem_of(X, y, machine)))
    scores = np.concatenate([step.scores for step in again])
    ranked = np.concatenate([step.scores for step in steps])
    np.testing.assert_allclose(ranked, np.sort(weights), rtol=1e-4)
    assert not np.allclose(ranked, scores)


def test_equal_scores_leave_from_the_last_column():
    assert worst_first(np.array([1.0, 0.0, 2.0, 0.0, 1.0]), np.zeros(5)).tolist() == [3, 1, 4, 0, 2]
    kept = np.array([False, True, False, False, False])
    assert worst_first(np.array([1.0, 0.0, 2.0, 0.0, 1.0]), kept).tolist() == [3, 4, 0, 2, 1]
    X, y = two_classes(d=3)
    X = np.column_stack([X[:, 0], X[:, 0], X[:, 1], np.ones(len(X))])
    moved = [step.moved for step in Elimination(1).run(problem_of(X, y, SVC(kernel="linear")))]
    assert moved[0] == [3]
    assert Order.of(list(Elimination(1).run(problem_of(X, y, SVC()))), 4).units[-1] == 3


# Tuning in between ----------------------------------------------------------------------------


def test_tuning_at_chosen_sizes():
    X, y = two_classes(n=40, d=9)
    problem = problem_of(X, y, SVC(C=7.0, gamma="scale"))
    steps = {step.size: step for step in Elimination(2, retune=[7, 3]).run(problem)}
    assert sorted(steps) == [1, 3, 5, 7, 9]
    assert steps[9].C == 7.0
    assert steps[9].gamma == pytest.approx(1.0 / (9 * X.var()))
    left = sorted(set(range(9)) - set(steps[9].moved))
    tuning = tune_svc(X[:, left], y, validation=Validation(seed=problem.step_seed(1)))
    assert (steps[7].C, steps[7].gamma) == (tuning.best_C, tuning.best_gamma)
    assert (steps[5].C, steps[5].gamma) == (steps[7].C, steps[7].gamma)
    left = sorted(set(steps[3].moved) | set(steps[1].moved))
    tuning = tune_svc(X[:, left], y, validation=Validation(seed=problem.step_seed(3)))
    assert (steps[3].C, steps[3].gamma) == (tuning.best_C, tuning.best_gamma)
    assert (steps[1].C, steps[1].gamma) == (steps[3].C, steps[3].gamma)


@pytest.mark.parametrize(
    ("sizes", "tuned"),
    [
        ([16, 8, 4, 2, 1], {8, 4, 2, 1}),
        ([10, 9, 8, 7, 6, 5, 4, 3, 2, 1], {5, 2, 1}),
        ([100, 70, 40, 10], {40, 10}),
        ([5], set()),
    ],
)
def test_halving_tunes_where_the_set_has_halved(sizes, tuned):
    assert Elimination(retune="halving")._tuning_sizes(sizes) == tuned
    assert Elimination()._tuning_sizes(sizes) == set()


def test_a_size_that_is_not_visited_means_the_next_smaller_one():
    sizes = [16, 8, 4, 2]
    assert Elimination(retune=[16, 9, 8, 3])._tuning_sizes(sizes) == {16, 8, 2}
    assert Elimination(retune=[20, 1])._tuning_sizes(sizes) == {16}


@pytest.mark.parametrize("retune", ["halvin", [3.5], ["3"]])
def test_unknown_tuning_sizes_are_refused(retune):
    X, y = two_classes(d=4)
    with pytest.raises(ValueError, match="retune must be 'halving', a list of sizes or None"):
        list(Elimination(1, retune=retune).run(problem_of(X, y, SVC())))


# Every search: continuation, contract ---------------------------------------------------------

SEVERAL = {
    "rfe": Elimination(1),
    "rfe, ranked once and evaluated": Elimination(1, rerank=False),
    "rfe, retuned": Elimination(1, retune=[17, 12, 1]),
    "rfe, tuned first and ranked once": Elimination(1, retune=[18], rerank=False),
    "once": Once(1),
    "hill-climb": HillClimb(cv=3, patience=20),
    "forward": Forward(cv=2, patience=20),
}


def test_every_search_is_continued():
    assert {type(search) for search in SEVERAL.values()} == set(SEARCHES.values())


@pytest.fixture(params=["short legs", "long legs"])
def legs(request, monkeypatch):
    """Begin anew after few steps also with few samples, as with many."""
    if request.param == "short legs":
        monkeypatch.setattr(elimination, "_MANY_SAMPLES", 0)


@pytest.mark.usefixtures("legs")
@pytest.mark.parametrize("name", SEVERAL)
def test_a_run_goes_on_from_any_step_as_if_it_had_never_stopped(name):
    X, y = two_classes(n=30, d=18)
    search = SEVERAL[name]
    held_out = X[::3]

    def evaluate(trained, columns):
        return float(trained.expansions[0].decision_function(held_out[:, columns]).sum())

    problem = problem_of(
        X,
        y,
        SVC(C=2.0, gamma="scale"),
        "fspp2",
        seed=(3, 1),
        evaluate=None if search.forward else evaluate,
    )
    if search.forward and elimination._MANY_SAMPLES > 0:
        pytest.skip("a forward search has short legs only")
    whole = timeless(search.run(problem))
    assert len(whole) == 18
    for n_done in (1, 15, 16, 17, 18):
        rest = timeless(search.run(problem, whole[:n_done]))
        assert rest == whole[n_done:], n_done


def test_the_seed_of_a_step_does_not_depend_on_the_way_there():
    X, y = two_classes(n=10, d=4)
    problem = problem_of(X, y, SVC(), seed=(5, 2))
    assert problem.step_seed(3) == problem_of(X[:5], y[:5], SVC(), seed=(5, 2)).step_seed(3)
    seeds = [problem_of(X, y, SVC(), seed=(5, path)).step_seed(3) for path in range(5)]
    assert len({*seeds, problem.step_seed(4), problem_of(X, y, SVC()).step_seed(3)}) == 7


@pytest.mark.parametrize("search", SEARCHES)
def test_the_number_of_steps_is_known_beforehand(search):
    X, y = two_classes(n=20, d=7)
    built = make_search(search, 2, None)
    built.cv = 2
    problem = problem_of(X, y, SVC(), smallest=3, largest=3)
    assert built.n_steps(7, 3, 3) == len(list(built.run(problem)))
    assert (built.n_steps(7, 1, None) is None) == built.forward


@pytest.mark.parametrize("search", SEARCHES)
def test_searches_are_known_by_name(search):
    made = make_search(search, 3, "halving" if search == "rfe" else None)
    assert isinstance(made, SEARCHES[search])
    assert make_search(made, 1, None) is made
    assert repr(made).startswith(f"{SEARCHES[search].__name__}(")
    if search == "rfe":
        assert (made.step, made.retune) == (3, "halving")
    if made.forward:
        assert made.cv == 10
        assert make_search(search, 3, None, np.int64(4)).cv == 4
    else:
        with pytest.raises(ValueError, match="leave it out, or give it to the search itself"):
            make_search(made, 1, [2])
    if search != "rfe":
        with pytest.raises(ValueError, match=f"retune is for search='rfe', got search='{search}'"):
            make_search(search, 3, [2])


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("ref", "did you mean 'rfe'"),
        ("hill climb", "'hill-climb'"),
        ("xyz", "known are: once, rfe"),
    ],
)
def test_unknown_searches_are_answered_with_near_ones(name, hint):
    with pytest.raises(ValueError, match=f"search '{name}' is not known; .*{hint}"):
        make_search(name, 1, None)
