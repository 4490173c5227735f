"""Hill-climbing along a ranking, by hand."""

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC, SVR

from svmsieve.search import HillClimb
from svmsieve.search.order import Order
from svmsieve.search.stopping import stopped
from tests.search.problems import numbers, problem_of, three_classes, two_classes
from tests.search.test_forward import GROUPS, splits_of


@pytest.mark.parametrize(
    ("problem", "groups", "keep"),
    [
        (two_classes, None, ()),
        (two_classes, GROUPS, (3,)),
        (three_classes, None, (0, 5)),
        (numbers, GROUPS, ()),
        (numbers, None, (2,)),
    ],
)
def test_as_a_loop_along_the_squared_weights(problem, groups, keep):
    X, y = problem(n=36, d=6)
    options = {"kernel": "linear", "tol": 1e-8}
    machine = SVR(**options) if y.dtype.kind == "f" else SVC(**options)
    units = groups or [[c] for c in range(6)]
    built = problem_of(X, y, machine, groups=groups, keep=frozenset(keep), largest=len(units))
    steps = list(HillClimb(cv=3).run(built))

    weights = (machine.fit(X, y).coef_ ** 2).sum(axis=0)
    scores = np.array([weights[unit].sum() for unit in units])
    order = sorted(range(len(units)), key=lambda u: (u not in keep, -scores[u]))
    assert [step.moved[0] for step in steps] == order
    assert steps[0].ranking == order
    np.testing.assert_allclose(steps[0].ranking_scores, scores[order], rtol=1e-4)
    splits = splits_of(built, 3)
    for size, step in enumerate(steps, start=1):
        columns = sorted(c for u in order[:size] for c in units[u])
        expected = cross_val_score(machine, X[:, columns], y, cv=splits)
        np.testing.assert_allclose(step.fold_scores, expected, rtol=1e-5)
        assert step.scores[0] == pytest.approx(scores[order[size - 1]], rel=1e-4)
        assert step.size == size
        assert step.n_trainings == 3


@pytest.mark.parametrize(("patience", "epsilon"), [(1, 0.0), (2, 0.001), (3, 0.02), (4, 0.1)])
def test_stops_by_the_rule_and_not_before(patience, epsilon):
    X, y = two_classes(n=40, d=12, seed=1)
    problem = problem_of(X, y, SVC(kernel="linear"))
    everything = list(HillClimb(cv=4, patience=12).run(problem))
    steps = list(HillClimb(cv=4, patience=patience, epsilon=epsilon).run(problem))
    assert [step.fold_scores for step in steps] == [
        step.fold_scores for step in everything[: len(steps)]
    ]
    ends = [n for n in range(1, 13) if stopped(everything[:n], patience, epsilon)]
    assert len(steps) == ends[0] < 12


def test_features_never_added_rank_behind_by_their_scores():
    X, y = two_classes(n=40, d=10)
    problem = problem_of(X, y, SVC(kernel="linear"))
    steps = list(HillClimb(cv=2, patience=1, epsilon=1.0).run(problem))
    assert len(steps) == 2
    order = Order.of(steps, 10)
    assert order.units.tolist() == steps[0].ranking
    assert (np.diff(order.scores) <= 0.0).all()


def test_kept_features_all_enter_before_the_search_may_stop():
    X, y = two_classes(n=40, d=10)
    built = problem_of(X, y, SVC(kernel="linear"), keep=frozenset({7, 8, 9}))
    steps = list(HillClimb(cv=2, patience=1, epsilon=1.0).run(built))
    assert sorted(step.moved[0] for step in steps) == [7, 8, 9]


def test_a_given_size_is_reached_without_stopping_before():
    X, y = two_classes(n=40, d=10)
    built = problem_of(X, y, SVC(kernel="linear"), largest=6)
    assert len(list(HillClimb(cv=2, patience=1, epsilon=1.0).run(built))) == 6
