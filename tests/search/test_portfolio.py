"""Which of several rankings is taken, worked out by hand."""

import numpy as np
import pytest

from svmsieve.criteria import make_criterion
from svmsieve.criteria.registry import refuse_task
from svmsieve.engine.machines.drawn_rows import drawn_rows
from svmsieve.engine.machines.target import Classes
from svmsieve.search.followed import MOST_ROWS
from svmsieve.search.path import smoothed
from svmsieve.search.portfolio import Judged, choose_ranking
from svmsieve.search.rankers import portfolio, tuned_ranker


def judged(curve):
    """A ranking with one point of the grid; ``curve`` is (sizes, folds)."""
    curve = np.asarray(curve, dtype=float)
    return Judged(np.arange(1, len(curve) + 1), curve[:, None, :])


FIRST = [[0.5, 0.5, 0.5, 0.5], [0.8, 0.7, 0.8, 0.7], [0.5, 0.5, 0.5, 0.5]]


def test_the_first_is_taken_where_another_is_better_by_chance_only():
    # differences 0.1, −0.08, 0.1, −0.08: mean 0.01, standard error 0.052
    other = [FIRST[0], [0.9, 0.62, 0.9, 0.62], FIRST[2]]
    rows = choose_ranking({"first": judged(FIRST), "other": judged(other)})
    assert [row.taken for row in rows] == [True, False]
    assert rows[1].difference == pytest.approx(0.01)
    assert rows[1].se == pytest.approx(np.std([0.1, -0.08, 0.1, -0.08], ddof=1) / 2)


def test_another_is_taken_where_it_is_better_by_more_than_its_error():
    other = [FIRST[0], [0.9, 0.75, 0.9, 0.75], FIRST[2]]
    rows = choose_ranking({"first": judged(FIRST), "other": judged(other)})
    assert [row.taken for row in rows] == [False, True]


def test_the_best_of_those_that_are_better_is_taken():
    better = [FIRST[0], [0.85, 0.75, 0.85, 0.75], FIRST[2]]
    best = [FIRST[0], [0.95, 0.85, 0.95, 0.85], FIRST[2]]
    rows = choose_ranking({"a": judged(FIRST), "b": judged(better), "c": judged(best)})
    assert [row.ranking for row in rows if row.taken] == ["c"]
    assert [row.n_features for row in rows] == [2, 2, 2]


def test_each_size_has_the_point_with_the_best_mean():
    scores = np.array([[[0.1, 0.3], [0.2, 0.1]], [[0.5, 0.5], [0.9, 0.2]]])
    each = Judged(np.array([1, 2]), scores)
    assert each.points.tolist() == [0, 1]
    assert each.curve.tolist() == [[0.1, 0.3], [0.9, 0.2]]


def test_points_that_some_fold_did_not_judge_cannot_win():
    scores = np.array(
        [[[0.9, np.nan], [0.2, 0.1], [0.3, 0.3]], [[0.5, 0.5], [np.nan, 0.9], [0, 0]]]
    )
    each = Judged(np.array([1, 4]), scores)
    assert each.points.tolist() == [2, 0]
    assert each.best_points(2) == {1: (1, 2), 4: (0, 2)}
    assert Judged(each.sizes, np.zeros_like(scores), scores).points.tolist() == [2, 0]


def test_smoothing_flattens_what_cannot_be_told_apart_and_keeps_what_can():
    plateau = np.array([[0.8, 0.8], [0.7, 0.9], [0.9, 0.7], [0.8, 0.8]])
    assert smoothed(plateau).tolist() == [
        [0.8, 0.8],
        pytest.approx([0.775, 0.825]),
        pytest.approx([0.825, 0.775]),
        [0.8, 0.8],
    ]
    peak = np.array([[0.5, 0.52], [0.95, 0.97], [0.6, 0.62]])
    np.testing.assert_array_equal(smoothed(peak), peak)


def test_a_filter_is_not_told_to_have_a_machine():
    for name in ("f-score", "hsic"):
        assert tuned_ranker(make_criterion(name, "binary")).name == name
    assert tuned_ranker(make_criterion("weight", "binary")).name == "weight, RBF, tuned"


def test_a_draw_of_many_samples_has_every_class():
    rng = np.random.default_rng(0)
    for _ in range(20):
        codes = rng.permutation(np.repeat([0, 1, 2], [4000, 1, 2]))
        drawn = drawn_rows(
            Classes(np.array(["a", "b", "c"]), codes), MOST_ROWS, (int(rng.integers(99)), 1)
        )
        assert len(np.unique(drawn)) == len(drawn) <= MOST_ROWS + 3
        assert np.bincount(codes[drawn])[1:].tolist() == [1, 2]


def test_the_rankings_have_different_names():
    for task in ("binary", "multiclass", "regression"):
        names = [ranker.name for ranker in portfolio(task)]
        assert len(set(names)) == len(names)
        for ranker in portfolio(task):
            refuse_task(ranker.criterion, task)


def test_where_there_are_skills_they_decide_and_scores_are_told():
    scores = np.array([[[0.9, 0.9], [0.6, 0.6]], [[0.7, 0.7], [0.8, 0.8]]])
    skills = np.array([[[0.1, 0.2], [0.3, 0.5]], [[0.2, 0.1], [0.1, 0.1]]])
    each = Judged(np.array([1, 2]), scores, skills)
    assert each.points.tolist() == [1, 0]
    assert each.curve.tolist() == [[0.6, 0.6], [0.7, 0.7]]
    assert each.skill_curve.tolist() == [[0.3, 0.5], [0.2, 0.1]]
    assert each.best == 0
    better = Judged(each.sizes, scores, skills + 0.1)
    rows = choose_ranking({"first": each, "other": better})
    assert [row.taken for row in rows] == [False, True]
    assert [row.score for row in rows] == [0.6, 0.6]
    assert [row.skill for row in rows] == pytest.approx([0.4, 0.5])
    assert rows[1].difference == pytest.approx(0.1)
