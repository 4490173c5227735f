"""The order of the features and the path of sizes, read off the steps."""

import numpy as np
import pytest
from sklearn.svm import SVC

from svmsieve.search import Elimination, Forward, HillClimb
from svmsieve.search.contract import Step
from svmsieve.search.order import Order
from svmsieve.search.path import Path
from tests.search.problems import problem_of, two_classes


def step(size, moved, scores, **options):
    """A step of which only some things matter."""
    facts = {"largest": max(scores), "C": 1.0, "gamma": 0.5, "epsilon": None}
    facts |= {"seconds": 0.25, "n_trainings": 1} | options
    return Step(size, moved, scores, **facts)


ELIMINATION = [
    step(5, [4, 0], [0.1, 0.2], test_score=0.7, largest=2.0),
    step(3, [2], [0.4], test_score=0.9, largest=1.0),
    step(2, [1, 3], [0.5, 0.6], test_score=0.8),
]


def test_order_of_an_elimination():
    order = Order.of(ELIMINATION, 5)
    assert order.units.tolist() == [3, 1, 2, 0, 4]
    assert order.scores.tolist() == [0.6, 0.5, 0.4, 0.2, 0.1]


def test_order_of_an_elimination_that_was_interrupted():
    order = Order.of(ELIMINATION[:1], 5)
    assert order.units.tolist() == [1, 2, 3, 0, 4]
    np.testing.assert_array_equal(order.scores, [np.nan, np.nan, np.nan, 0.2, 0.1])


def test_order_of_a_search_that_has_not_begun():
    order = Order.of([], 3)
    assert order.units.tolist() == [0, 1, 2]
    assert np.isnan(order.scores).all()


def test_order_of_a_search_that_grows():
    steps = [step(1, [2], [0.9], fold_scores=[0.9]), step(2, [0], [0.95], fold_scores=[0.95])]
    assert Order.of(steps, 4).units.tolist() == [2, 0, 1, 3]
    np.testing.assert_array_equal(Order.of(steps, 4).scores, [0.9, 0.95, np.nan, np.nan])
    assert Order.of(steps[:1], 4).units.tolist() == [2, 0, 1, 3]


def test_features_not_reached_keep_the_ranking_the_search_began_with():
    ranked = {"ranking": [3, 1, 0, 2], "ranking_scores": [9.0, 8.0, 7.0, 6.0]}
    steps = [step(1, [3], [9.0], fold_scores=[0.5], **ranked)]
    order = Order.of(steps, 4)
    assert order.units.tolist() == [3, 1, 0, 2]
    assert order.scores.tolist() == [9.0, 8.0, 7.0, 6.0]


@pytest.mark.parametrize(
    "search", [Elimination(2), HillClimb(cv=2, patience=2), Forward(cv=2, patience=2)]
)
def test_an_order_holds_every_unit_once_wherever_the_search_is(search):
    X, y = two_classes(n=24, d=7)
    steps = list(search.run(problem_of(X, y, SVC())))
    for n_done in range(len(steps) + 1):
        assert sorted(Order.of(steps[:n_done], 7).units) == list(range(7))


def test_a_path_joins_sizes_with_the_scores_of_the_folds():
    folds = [
        [step(size, [0], [0.0], test_score=score) for size, score in scores.items()]
        for scores in ({5: 0.7, 3: 0.9, 2: 0.8}, {5: 0.9, 3: 0.9, 2: 0.6}, {5: 0.8, 3: 0.6, 2: 0.7})
    ]
    path = Path.of(5, ELIMINATION, folds)
    assert path.n_units == 5
    assert path.n_features.tolist() == [2, 3, 5]
    assert path.fold_scores.tolist() == [[0.8, 0.6, 0.7], [0.9, 0.9, 0.6], [0.7, 0.9, 0.8]]
    np.testing.assert_allclose(path.mean_score, [0.7, 0.8, 0.8])
    # Over the folds, of the mean: deviations of 0.1, √0.03 and 0.1 over √3.
    np.testing.assert_allclose(path.se_score, np.array([0.1, 0.03**0.5, 0.1]) / 3**0.5)
    assert path.criterion.tolist() == [0.6, 0.4, 0.2]
    assert path.largest.tolist() == [0.6, 1.0, 2.0]
    assert path.C.tolist() == [1.0, 1.0, 1.0]
    assert path.gamma.tolist() == [0.5, 0.5, 0.5]
    assert path.seconds.tolist() == [0.25, 0.25, 0.25]
    assert np.isnan(path.bound).all()


def test_a_path_without_folds():
    path = Path.of(5, ELIMINATION)
    assert path.fold_scores.shape == (3, 0)
    assert np.isnan(path.mean_score).all()
    assert np.isnan(path.se_score).all()


def test_a_path_of_a_search_with_folds_of_its_own():
    steps = [
        step(1, [2], [0.9], fold_scores=[0.8, 1.0], gamma=None),
        step(2, [0], [0.95], fold_scores=[0.9, 1.0], bound=3.0),
    ]
    path = Path.of(4, steps)
    np.testing.assert_allclose(path.mean_score, [0.9, 0.95])
    np.testing.assert_allclose(path.se_score, [0.1, 0.05])
    np.testing.assert_array_equal(path.gamma, [np.nan, 0.5])
    np.testing.assert_array_equal(path.bound, [np.nan, 3.0])


def test_one_fold_has_no_standard_error():
    path = Path.of(4, [step(1, [2], [0.9], fold_scores=[0.8])])
    assert path.mean_score.tolist() == [0.8]
    assert np.isnan(path.se_score).all()


def test_a_path_from_some_size_on():
    path = Path.of(5, ELIMINATION, [ELIMINATION, ELIMINATION]).from_size(3)
    assert path.n_units == 5
    assert path.n_features.tolist() == [3, 5]
    assert path.mean_score.tolist() == [0.9, 0.7]
    assert path.criterion.tolist() == [0.4, 0.2]


def test_a_path_as_columns_for_a_table():
    columns = Path.of(5, ELIMINATION, [ELIMINATION, ELIMINATION]).to_dict()
    assert {len(values) for values in columns.values()} == {3}
    assert columns["n_features"].tolist() == [2, 3, 5]
    assert columns["split0_score"].tolist() == [0.8, 0.9, 0.7]
    assert set(columns) >= {"mean_score", "se_score", "criterion", "bound", "C", "gamma", "seconds"}
