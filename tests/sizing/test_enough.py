"""The default rule against a table worked out by hand."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from svmsieve.engine.machines.folds import corrected_error
from svmsieve.search.path import smoothed
from svmsieve.sizing import Enough
from tests import naive_sizes
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
        "middle of the sizes near the best: smoothed score, 0.9502 with 4 features; best smoothed score, "
        "0.9504 with 8 features, standard error 0.011"
    )
    best = Enough(decay=0.0).choose(PATH)
    assert best.size == 8
    assert best.reason == "best smoothed score, 0.9504 with 8 features"
    assert (
        Enough(errors=50.0).choose(PATH).size == 2
    )  # all about as good: 1, 0.616, 0.379, 0.233, 0.144
    assert Enough(errors=50.0, decay=2.0).choose(PATH).size == 1


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


# Skills of five folds; paired differences to the size that is worth its features are what counts.
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


def test_the_smallest_size_that_keeps_nearly_all_of_the_skill():
    # Means 0.25, 0.54, 0.56, 0.565, 0.57; S(1 − S) = 0.2451.  At a price of 0.08 a doubling costs 0.0196, so
    # that of 0.54 − 0.0196, 0.56 − 0.0392, 0.565 − 0.0588, 0.57 − 0.0784 size 4 is the best, by a little.
    choice = Enough(share=0.16, price=0.08).choose(SKILLED)  # 0.0392 may be lost
    assert choice.size == 2
    assert choice.reason == (
        "smallest size of nearly the best skill (1 is perfect, 0 guessing): 0.54 with 2 features, "
        "0.57 with 16 features; twice as many features must gain 0.02, 0.039 may be lost for 2 fewer, and "
        "the mean score, from 0.9 to 0.9, may fall by 0.02"
    )
    assert Enough(share=0.07, price=0.08).choose(SKILLED).size == 4  # 0.0172 may be lost
    assert Enough(share=0.03, price=0.0).choose(SKILLED).size == 8  # against 16 features, 0.0074
    assert Enough(share=0.0, price=0.0).choose(SKILLED).size == 16
    assert Enough(share=0.0, price=0.1).choose(SKILLED).size == 2  # a doubling costs 0.0245
    assert Enough(share=2.0).choose(SKILLED).size == 1
    assert Enough().choose(SKILLED).size == 2


def test_what_is_lost_must_buy_something():
    # Of 500 features 2 in place of 4 are a 250th saved, a 25th of a tenth: 0.0392/25 may be lost.
    wide = replace(SKILLED, n_units=500)
    assert Enough(share=0.16, price=0.08).choose(wide).size == 4
    assert Enough(share=0.16, price=0.08, saving=0.0).choose(wide).size == 2
    for n_units, size in ((50, 4), (40, 4), (38, 2)):  # 0.02 are lost: 0.51 of 0.0392
        some = replace(SKILLED, n_units=n_units)
        assert Enough(share=0.16, price=0.08).choose(some).size == size
    choice = Enough(share=0.16, price=0.08).choose(wide)
    assert choice.reason.endswith(
        "; twice as many features must gain 0.02, and the mean score, from 0.9 to 0.9, may fall by 0.02"
    )


def test_of_the_score_itself_no_more_is_lost_than_is_allowed():
    # Against size 16, whose skill is the best; that size 8 has more is chance.
    for scores, size in (
        ((0.5, 0.881, 0.89, 0.95, 0.9), 2),
        ((0.5, 0.879, 0.881, 0.95, 0.9), 4),
        ((0.9, 0.879, 0.879, 0.95, 0.9), 8),  # size 1 loses too much skill
        ((0.9, 0.0, 0.0, 0.0, 0.9), 16),
    ):
        path = replace(SKILLED, fold_scores=np.repeat(np.array(scores)[:, None], 5, axis=1))
        assert Enough().choose(path).size == size
        assert Enough(loss=1.0).choose(path).size == 2
    noise = replace(SKILLED, skill_chance=0.6, fold_scores=SKILLS)
    assert Enough().choose(noise).size == 1  # where nothing beats guessing, scores are chance


def test_of_more_than_two_classes_half_as_much_may_be_lost():
    # A doubling costs 0.0098: of 0.54 − 0.0098, 0.56 − 0.0196, 0.565 − 0.0294 size 4 is the best; 0.0196
    # may be lost.
    many = replace(SKILLED, many_classes=True)
    assert Enough(share=0.16, price=0.08).choose(many).size == 4
    assert Enough(share=0.17, price=0.08).choose(many).size == 2


def test_little_is_lost_of_a_skill_that_is_nearly_perfect():
    perfect = replace(SKILLED, fold_skills=SKILLS + 0.42)  # 0.99 at best: 0.16 · 0.0099 may be lost
    assert Enough(price=0.0).choose(perfect).size == 16


def test_a_gain_over_guessing_of_less_than_two_errors_is_told():
    assert "not sure" not in Enough().choose(SKILLED).reason
    guess = 0.25 + 0.4 * np.array([1.0, -1.0, 0.9, -0.9, 0.0])
    unsure = Enough().choose(replace(SKILLED, guess_skills=guess))
    gain = SKILLS[4] - guess
    error = corrected_error(gain, 0.25)
    assert error < gain.mean() < 2.0 * error, (error, gain.mean())
    assert unsure.reason.endswith(
        f"; that it beats guessing is not sure ({gain.mean():.2g} ± {error:.2g})"
    )
    assert unsure.size == Enough().choose(SKILLED).size
    # The best of many sizes, points and rankings is beyond what random decisions reach now and then.
    assert "not sure" in Enough().choose(replace(SKILLED, skill_chance=0.4)).reason
    assert "not sure" not in Enough().choose(replace(SKILLED, skill_chance=0.37)).reason


def test_what_chance_reaches_in_skill_is_told_where_it_is_much():
    assert (
        "0 guessing, 0.2 by chance)" in Enough().choose(replace(SKILLED, skill_chance=0.2)).reason
    )
    assert "by chance)" not in Enough().choose(replace(SKILLED, skill_chance=0.05)).reason


def test_by_what_the_best_score_is_told_from_others_where_nothing_beats_guessing():
    noise = replace(PATH, guess=np.full(5, 0.95))
    assert "(one standard error)" in Enough().choose(noise).reason
    assert "within 0.3 (what chance does)" in Enough().choose(replace(noise, chance=0.3)).reason


def test_skills_that_random_decisions_may_have_are_told_as_guessing():
    choice = Enough().choose(replace(SKILLED, skill_chance=0.6))
    assert choice.size == 1
    assert choice.reason.startswith("no size beats guessing by more than chance allows")
    assert "guessing by" not in Enough().choose(replace(SKILLED, skill_chance=0.1)).reason
    noise = replace(SKILLED, fold_skills=0.05 * np.random.default_rng(0).normal(size=(5, 5)))
    assert "no size beats guessing" in Enough().choose(noise).reason


def test_sizes_that_are_left_out_have_no_skills():
    assert SKILLED.from_size(4).fold_skills.tolist() == SKILLS[2:].tolist()
    assert Enough().choose(SKILLED.from_size(4)).size == 4


@given(st.integers(0, 10**6), st.integers(2, 15), st.floats(-3.0, 0.9), st.booleans())
def test_whatever_the_skills_a_size_is_chosen_that_loses_no_more_than_is_allowed(
    seed, n_folds, level, many_classes
):
    rng = np.random.default_rng(seed)
    skills = np.minimum(1.0, level + 0.3 * rng.normal(size=(5, n_folds)))
    scores = rng.uniform(0.7, 0.8, size=(5, n_folds))
    path = replace(
        path_of([1, 2, 4, 8, 16], scores),
        fold_skills=skills,
        guess_skills=level - rng.exponential(0.5, n_folds),
        test_share=0.25,
        many_classes=many_classes,
    )
    choice = Enough(price=0.0).choose(path)
    place, means = [1, 2, 4, 8, 16].index(choice.size), skills.mean(axis=1)
    best = means.max()
    lost = best - means[place]
    if "guessing by" not in choice.reason:
        assert lost <= 0.23 * max(0.0, best * (1.0 - best)) + 1e-9
        assert scores[place].mean() >= scores[means.argmax()].mean() - 0.02 - 1e-9
    assert Enough().choose(path).size in (1, 2, 4, 8, 16)


@given(st.integers(0, 10**6), st.integers(2, 15), st.floats(0.001, 0.2))
def test_by_scores_the_plain_formula_is_followed(seed, n_folds, noise):
    rng = np.random.default_rng(seed)
    sizes = np.sort(rng.choice(np.arange(1, 100), 6, replace=False))
    scores = np.sort(rng.uniform(0.5, 0.9, size=6))[:, None] + noise * rng.normal(size=(6, n_folds))
    path = replace(path_of(sizes, scores), test_share=0.25, guess=None)
    folds = smoothed(scores)
    means = folds.mean(axis=1)
    error = float(np.sqrt(folds[means.argmax()].var(ddof=1) * (1 / n_folds + 0.25)))
    assert Enough().choose(path).size == naive_sizes.middle_size(
        sizes.tolist(), means.tolist(), error
    )
