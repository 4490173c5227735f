"""How many features leave at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svmsieve.search import (
    FractionOfRemaining,
    HalveThenOneByOne,
    Schedule,
    SeveralAtATime,
    Tiers,
    make_schedule,
)


@pytest.mark.parametrize(
    ("schedule", "n_features", "smallest", "sizes"),
    [
        (SeveralAtATime(), 4, 1, [4, 3, 2, 1]),
        (SeveralAtATime(4), 10, 3, [10, 6, 3]),
        (SeveralAtATime(50), 10, 3, [10, 3]),
        (FractionOfRemaining(0.5), 20, 1, [20, 10, 5, 3, 2, 1]),
        (FractionOfRemaining(0.25), 10, 5, [10, 8, 6, 5]),
        (FractionOfRemaining(0.01), 4, 2, [4, 3, 2]),
        (HalveThenOneByOne(), 1000, 97, [1000, 500, 250, 125, 100, 99, 98, 97]),
        (HalveThenOneByOne(), 1000, 400, [1000, 500, 400]),
        (HalveThenOneByOne(4), 20, 2, [20, 10, 5, 4, 3, 2]),
        (HalveThenOneByOne(), 3, 1, [3, 2, 1]),
        (Tiers([(100, 100), (20, 20), (1, 1)]), 250, 18, [250, 150, 100, 80, 60, 40, 20, 19, 18]),
        (Tiers([(8, 5)]), 20, 6, [20, 15, 10, 8, 7, 6]),
    ],
)
def test_sizes_by_hand(schedule, n_features, smallest, sizes):
    assert schedule.sizes(n_features, smallest) == sizes


schedules = st.one_of(
    st.integers(1, 30).map(SeveralAtATime),
    st.floats(0.01, 0.99).map(FractionOfRemaining),
    st.integers(1, 200).map(HalveThenOneByOne),
    st.tuples(st.integers(1, 50), st.integers(1, 50)).map(
        lambda steps: Tiers([(60, steps[0]), (7, steps[1])])
    ),
)


@given(schedules, st.integers(1, 500), st.data())
def test_sizes_fall_from_all_features_to_exactly_the_requested_number(schedule, d, data):
    smallest = data.draw(st.integers(1, d))
    sizes = schedule.sizes(d, smallest)
    assert sizes[0] == d
    assert sizes[-1] == smallest
    assert (np.diff(sizes) < 0).all()


@pytest.mark.parametrize("n_features", [1, 7, 100, 101, 5000])
def test_asking_for_all_features_removes_none(n_features):
    assert HalveThenOneByOne().sizes(n_features, n_features) == [n_features]


def test_a_fraction_is_of_those_that_remain():
    removed = -np.diff(FractionOfRemaining(0.2).sizes(100, 1))
    assert removed[0] == 20
    assert removed[1] == 16
    assert removed[-1] == 1


@pytest.mark.parametrize(
    ("step", "schedule"),
    [
        (1, SeveralAtATime(1)),
        (np.int64(3), SeveralAtATime(3)),
        (0.3, FractionOfRemaining(0.3)),
        (np.float32(0.5), FractionOfRemaining(0.5)),
        ("auto", HalveThenOneByOne(100)),
        (Tiers([(5, 2)]), Tiers([(5, 2)])),
    ],
)
def test_what_users_write_for_a_schedule(step, schedule):
    assert make_schedule(step) == schedule


def test_a_schedule_of_ones_own():
    class AllAtOnce(Schedule):
        def n_to_remove(self, n_remaining):
            return n_remaining

    own = AllAtOnce()
    assert make_schedule(own) is own
    assert own.sizes(10, 4) == [10, 4]


@pytest.mark.parametrize("step", [0, -2, 0.0, 1.0, 1.5, -0.1, float("nan")])
def test_steps_outside_their_range_are_refused(step):
    with pytest.raises(ValueError, match=r"step must be (a whole number of at|between 0 and 1)"):
        make_schedule(step)


@pytest.mark.parametrize("step", [True, None, "half", [1], 2j])
def test_steps_of_another_kind_are_refused(step):
    with pytest.raises(ValueError, match="step must be a number of features, a fraction, 'auto'"):
        make_schedule(step)


@pytest.mark.parametrize("tiers", [[(10, 1), (20, 1)], [(10, 1), (10, 2)]])
def test_tiers_go_down(tiers):
    with pytest.raises(ValueError, match="tiers must be given from the largest size down"):
        Tiers(tiers)


@pytest.mark.parametrize("tiers", [[(0, 1)], [(5, 0)], [(5, 1.5)]])
def test_tiers_are_whole_numbers(tiers):
    with pytest.raises(ValueError, match="must be a whole number of at least 1"):
        Tiers(tiers)


def test_halving_ends_at_a_whole_number():
    with pytest.raises(ValueError, match="until must be a whole number"):
        HalveThenOneByOne(0)
