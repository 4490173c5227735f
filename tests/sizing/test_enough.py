"""The default rule against a table worked out by hand."""

from dataclasses import replace

import numpy as np

from svmsieve.engine.machines.folds import corrected_error
from svmsieve.sizing import Enough
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
