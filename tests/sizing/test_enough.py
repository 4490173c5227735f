"""The default rule against a table worked out by hand."""

from dataclasses import replace

import numpy as np
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


def test_the_smallest_within_a_part_of_the_corrected_error():
    # Sizes 4 and 8 cannot be told apart, and all others can: means 0.9502 and 0.9504, smoothed.
    choice = Enough().choose(PATH)
    assert choice.size == 4
    assert "0.5 standard errors" in choice.reason
    assert Enough(errors=50.0).choose(PATH).size == 1


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
BEST = Enough(price=0.0, softness=0.0, loss=np.inf)


def test_the_middle_of_the_sizes_of_nearly_the_best_skill():
    # A doubling costs 0.0613: 0.25, 0.4787, 0.4374, 0.3812, 0.3249, and 0.1226 less is a factor of e, so
    # that the weights are 0.155, 1, 0.714, 0.451, 0.285: 1.155 of 2.605 with size 2, 1.869 with size 4.
    choice = Enough().choose(SKILLED)
    assert choice.size == 4
    assert choice.reason == (
        "middle of the sizes of nearly the best skill (1 is perfect, 0 guessing): 0.56 with 4 features, "
        "0.57 with 16 features; twice as many features must gain 0.061, and the mean score, from 0.9 to 0.9, "
        "may fall by 0.025"
    )
    assert BEST.choose(SKILLED).size == 16
    assert BEST.choose(SKILLED).reason == (
        "best skill (1 is perfect, 0 guessing): 0.57 with 16 features"
    )
    assert Enough(softness=0.0).choose(SKILLED).size == 2  # the best of 0.4787, 0.4374, …
    assert Enough(price=0.0).choose(SKILLED).size == 8  # weights of about one, but for size 1
    assert Enough(price=2.0).choose(SKILLED).size == 1


def test_the_middle_may_have_more_features_than_the_best():
    # Sizes 2 to 16 are told apart by chance alone; that 2 is the best is chance, too.
    level = np.repeat([[0.25], [0.5702], [0.57], [0.57], [0.57]], 5, axis=1)
    choice = Enough(price=0.0).choose(replace(SKILLED, fold_skills=level))
    assert choice.size == 4
    assert "0.57 with 4 features, 0.57 with 2 features" in choice.reason


def test_of_the_score_itself_no_more_is_lost_than_is_allowed():
    # Against size 16, whose skill is the best; that size 8 has more is chance.
    for scores, size in (
        ((0.5, 0.876, 0.89, 0.95, 0.9), 4),
        ((0.5, 0.876, 0.874, 0.95, 0.9), 2),  # 1 of 1.736
        ((0.5, 0.874, 0.89, 0.95, 0.9), 8),  # 0.714 of 1.45
        ((0.9, 0.874, 0.874, 0.95, 0.9), 8),
        ((0.9, 0.0, 0.0, 0.0, 0.9), 16),
    ):
        path = replace(SKILLED, fold_scores=np.repeat(np.array(scores)[:, None], 5, axis=1))
        assert Enough().choose(path).size == size
        assert Enough(loss=1.0).choose(path).size == 4
    noise = replace(SKILLED, skill_chance=0.6, fold_scores=SKILLS)
    assert Enough().choose(noise).size == 1  # where nothing beats guessing, scores are chance


def test_of_more_than_two_classes_half_as_much_counts():
    # A doubling costs 0.0306: 0.25, 0.5094, 0.4987, 0.4731, 0.4475, and 0.0613 less is a factor of e: of
    # the weights 0.014, 1, 0.841, 0.553, 0.364 half, 1.386, is reached by size 4.
    many = replace(SKILLED, many_classes=True)
    assert Enough().choose(many).size == 4
    assert Enough(price=0.5).choose(SKILLED).size == 2
    assert Enough(price=0.5).choose(many).size == 2
    assert Enough(price=0.0, softness=0.05).choose(SKILLED).size == 8
    assert Enough(price=0.0, softness=0.05).choose(many).size == 16


def test_of_a_perfect_skill_nothing_is_lost_for_fewer_features():
    perfect = replace(SKILLED, fold_skills=np.ones((5, 5)))
    assert Enough().choose(perfect).size == 1
    steps = np.repeat([[0.9], [0.95], [1.0], [1.0], [1.0]], 5, axis=1)
    assert Enough().choose(replace(SKILLED, fold_skills=steps)).size == 4


def test_the_middle_changes_less_from_sample_to_sample_than_the_best():
    rng, sizes = np.random.default_rng(0), np.arange(1, 31)
    true = 0.6 - 0.4 / sizes  # grows ever more slowly
    chosen = {rule: [] for rule in (Enough(), Enough(softness=0.0), BEST)}
    for _ in range(200):
        skills = true[:, None] + 0.02 * rng.normal(size=(30, 1)) + 0.02 * rng.normal(size=(30, 10))
        path = replace(path_of(sizes, skills), fold_skills=skills, test_share=0.25)
        for rule, found in chosen.items():
            found.append(np.log(rule.choose(path).size))
    spread = [np.std(found) for found in chosen.values()]
    assert spread[0] < 0.5 * spread[1]
    assert spread[0] < 0.8 * spread[2]


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
    choice, means = Enough().choose(path), skills.mean(axis=1)
    assert choice.size in sizes
    best = means.max()
    unit = best * (1.0 - best) * (0.5 if many_classes else 1.0)
    if "guessing by" not in choice.reason and unit > 0.0:
        known = naive.middle_size(
            sizes.tolist(), means.tolist(), scores.mean(axis=1).tolist(), 0.25, 0.5, 0.025, unit
        )
        assert choice.size == known
    elif "guessing by" not in choice.reason:
        assert choice.size == sizes[means.argmax()]
