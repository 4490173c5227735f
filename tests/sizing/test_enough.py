"""The default rule against a table worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svmsieve.engine.machines.folds import corrected_error
from svmsieve.sizing import Enough
from tests import naive
from tests.sizing.test_rules import path_of

# Five folds of one division: the correction is 1/5 + 1/4 = 0.45.
FOLDS = [
    [0.60, 0.61, 0.59, 0.60, 0.60],
    [0.85, 0.86, 0.84, 0.85, 0.85],
    [0.95, 0.97, 0.93, 0.94, 0.96],
    [0.951, 0.969, 0.931, 0.939, 0.963],
    [0.90, 0.91, 0.89, 0.90, 0.90],
]
PATH = replace(path_of([1, 2, 4, 8, 16], FOLDS), test_share=0.25, guess=np.full(5, 0.5))


def test_the_middle_of_the_sizes_near_the_best_score():
    # Sizes 4 and 8 cannot be told apart, and all others can: means 0.9502 and 0.9504, smoothed; half of the
    # corrected error of size 8 is 0.0053, so that the weights are 0.963/4^0.7 = 0.365 and 1/8^0.7 = 0.233.
    choice = Enough().choose(PATH)
    assert choice.size == 4
    assert choice.reason == (
        "middle of the sizes near the best score (0.5 standard errors: 0.0053): 0.9502 with 4 features, "
        "0.9504 with 8 features"
    )
    best = Enough(price=0.0).choose(PATH)
    assert best.size == 8
    assert best.reason == "best score, 0.9504 with 8 features"
    assert (
        Enough(errors=50.0).choose(PATH).size == 2
    )  # all about as good: 1, 0.616, 0.379, 0.233, 0.144
    assert Enough(errors=50.0, price=2.0).choose(PATH).size == 1


def test_more_repeats_of_the_folds_hardly_narrow_what_is_near():
    scores = np.array([0.9, 0.8, 0.85, 0.95, 0.75])
    once = corrected_error(scores, 0.25)
    four_times = corrected_error(np.tile(scores, 4), 0.25)
    assert 0.7 * once < four_times < once


def test_where_nothing_beats_guessing_few_are_selected_and_it_is_said():
    rng = np.random.default_rng(0)
    noise = replace(path_of([1, 2, 4, 8], 0.5 + 0.05 * rng.normal(size=(4, 10))), test_share=0.25)
    noise = replace(noise, guess=np.full(10, 0.5))
    choice = Enough().choose(noise)
    assert choice.size == 1
    assert "no size beats guessing (0.5)" in choice.reason


def test_what_chance_does_on_as_many_samples_is_not_enough():
    sure = replace(PATH, guess=np.full(5, 0.8))
    assert "guessing" not in Enough().choose(sure).reason
    few_samples = replace(sure, chance=0.051)  # 0.15 better is less than three times that
    assert "guessing" in Enough().choose(few_samples).reason
    assert "guessing" not in Enough().choose(replace(sure, chance=0.049)).reason


def test_a_path_without_a_score_of_guessing_is_taken_as_it_is():
    assert Enough().choose(replace(PATH, guess=None)).size == 4


# Skills of five folds, means 0.25, 0.54, 0.56, 0.565, 0.57; S(1 − S) = 0.2451.
SKILLS = np.array(
    [
        [0.30, 0.20, 0.25, 0.35, 0.15],
        [0.58, 0.50, 0.54, 0.62, 0.46],
        [0.60, 0.52, 0.56, 0.64, 0.48],
        [0.605, 0.525, 0.565, 0.645, 0.485],
        [0.61, 0.53, 0.57, 0.65, 0.49],
    ]
)
SKILLED = replace(PATH, fold_skills=SKILLS, fold_scores=np.full((5, 5), 0.9))
BEST = Enough(errors=0.0, share=0.0, loss=np.inf)
"""The best alone: whatever is below has no weight."""


def test_the_middle_of_the_sizes_of_nearly_the_best_skill():
    # Below 0.57 by 0.32 (± 0.0106), 0.03, 0.01, 0.005 (in every fold the same); 0.15 · 0.2451 = 0.0368 less
    # is a factor of e, and 2^0.7 = 1.625 that of a doubling: weights 0.0005, 0.272, 0.289, 0.204, 0.144, of
    # which half, 0.454, is reached by size 4.
    choice = Enough().choose(SKILLED)
    assert choice.size == 4
    assert choice.reason == (
        "middle of the sizes of nearly the best skill (1 is perfect, 0 guessing): 0.56 with 4 features, "
        "0.57 with 16 features; the mean score, from 0.9 to 0.9, may fall by 0.025"
    )
    assert BEST.choose(SKILLED).size == 16
    assert BEST.choose(SKILLED).reason == (
        "best skill (1 is perfect, 0 guessing): 0.57 with 16 features"
    )
    assert Enough(price=0.0).choose(SKILLED).size == 8  # 0.442, 0.762, 0.873, 1: half is 1.54
    assert Enough(price=1.5).choose(SKILLED).size == 2
    assert Enough(share=0.01).choose(SKILLED).size == 16
    assert Enough(share=10.0, errors=100.0, price=3.0).choose(SKILLED).size == 1


def test_what_chance_makes_of_a_difference_is_nearly_as_good():
    # The same means, but from fold to fold the sizes differ by 0.1: that is what counts.
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(5, 5))
    noise -= noise.mean(axis=1, keepdims=True)
    unsure = replace(SKILLED, fold_skills=SKILLS + 0.1 * noise)
    sharp = Enough(share=0.01)
    assert sharp.choose(SKILLED).size == 16
    assert sharp.choose(unsure).size == 4
    assert Enough(share=0.01, errors=0.01).choose(unsure).size == 16


def test_the_middle_has_no_more_features_than_the_best():
    # Sizes 2 to 16 are told apart by chance alone; of the weights half is reached by size 4.
    level = np.repeat([[0.25], [0.5702], [0.57], [0.57], [0.57]], 5, axis=1)
    choice = Enough(price=0.0).choose(replace(SKILLED, fold_skills=level))
    assert choice.size == 2
    assert choice.reason == "best skill (1 is perfect, 0 guessing): 0.57 with 2 features"
    level[1], level[2] = 0.57, 0.5702
    assert Enough(price=0.0).choose(replace(SKILLED, fold_skills=level)).size == 4


def test_of_the_score_itself_no_more_is_lost_than_is_allowed():
    # Against size 16, whose skill is the best; that size 8 has more is chance.
    for scores, size in (
        ((0.5, 0.876, 0.89, 0.95, 0.9), 4),
        ((0.5, 0.874, 0.89, 0.95, 0.9), 8),  # of 0.289, 0.204, 0.144 half is 0.318
        ((0.5, 0.876, 0.874, 0.95, 0.9), 8),  # of 0.272, 0.204, 0.144 half is 0.31
        ((0.9, 0.874, 0.874, 0.874, 0.9), 16),
    ):
        path = replace(SKILLED, fold_scores=np.repeat(np.array(scores)[:, None], 5, axis=1))
        assert Enough().choose(path).size == size
        assert Enough(loss=1.0).choose(path).size == 4
    noise = replace(SKILLED, skill_chance=0.6, fold_scores=SKILLS)
    assert Enough().choose(noise).size == 1  # where nothing beats guessing, scores are chance


def test_of_more_than_two_classes_half_as_much_is_nearly_as_good():
    many = replace(SKILLED, many_classes=True)
    for share, size in ((0.02, 16), (0.05, 8), (0.15, 4), (10.0, 2)):
        assert Enough(share=share).choose(SKILLED).size == size
        assert Enough(share=2.0 * share).choose(many).size == size
    assert Enough(share=0.1).choose(SKILLED).size == 4
    assert Enough(share=0.1).choose(many).size == 8


def test_of_equal_skills_the_fewest_features():
    perfect = replace(SKILLED, fold_skills=np.ones((5, 5)))
    assert Enough().choose(perfect).size == 1
    steps = np.repeat([[0.9], [0.95], [1.0], [1.0], [1.0]], 5, axis=1)
    assert Enough().choose(replace(SKILLED, fold_skills=steps)).size == 4
    rounded = steps + 1e-15 * np.arange(5)[:, None]
    assert Enough().choose(replace(SKILLED, fold_skills=rounded - 0.3)).size == 4


@pytest.mark.parametrize("steep", [0.1, 0.2, 0.4])
def test_the_middle_changes_less_from_sample_to_sample_than_the_best(steep):
    rng, sizes = np.random.default_rng(0), np.arange(1, 31)
    true = 0.6 - steep / sizes - 0.002 * sizes
    chosen = {rule: [] for rule in (Enough(), BEST)}
    for _ in range(200):
        skills = true[:, None] + 0.02 * rng.normal(size=(30, 1)) + 0.02 * rng.normal(size=(30, 10))
        path = replace(path_of(sizes, skills), fold_skills=skills, test_share=0.25)
        for rule, found in chosen.items():
            found.append(np.log(rule.choose(path).size))
    middle, best = (np.std(found) for found in chosen.values())
    assert middle < 0.85 * best


def test_skills_that_random_decisions_may_have_are_told_as_guessing():
    choice = Enough().choose(replace(SKILLED, skill_chance=0.6))
    assert choice.size == 1
    assert choice.reason.startswith("no size beats guessing by more than chance allows")
    assert "guessing by" not in Enough().choose(replace(SKILLED, skill_chance=0.1)).reason
    noise = replace(SKILLED, fold_skills=0.05 * np.random.default_rng(0).normal(size=(5, 5)))
    assert "no size beats guessing" in Enough().choose(noise).reason


def test_sizes_that_are_left_out_have_no_skills():
    assert SKILLED.from_size(4).fold_skills.tolist() == SKILLS[2:].tolist()
    assert Enough().choose(SKILLED.from_size(8)).size == 8


@given(st.integers(0, 10**6), st.integers(2, 15), st.floats(-3.0, 0.9), st.booleans())
def test_whatever_the_skills_the_plain_formula_is_followed(seed, n_folds, level, many_classes):
    rng = np.random.default_rng(seed)
    sizes = np.sort(rng.choice(np.arange(1, 100), 6, replace=False))
    skills = np.minimum(1.0, level + 0.3 * rng.normal(size=(6, n_folds)))
    scores = rng.uniform(0.7, 0.8, size=(6, n_folds))
    path = replace(
        path_of(sizes, scores),
        fold_skills=skills,
        guess_skills=level - rng.exponential(0.5, n_folds),
        test_share=0.25,
        many_classes=many_classes,
    )
    choice = Enough().choose(path)
    assert choice.size in sizes
    if "guessing by" not in choice.reason:
        assert choice.size == naive.middle_size(
            sizes.tolist(), skills.tolist(), scores.mean(axis=1).tolist(), 0.25, many_classes
        )
