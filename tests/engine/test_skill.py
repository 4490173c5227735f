"""How much better than guessing held-out samples are told, against scikit-learn and by hand."""

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.metrics import brier_score_loss, r2_score
from sklearn.utils.multiclass import _ovr_decision_function

from svmsieve.engine.machines.expansion import vote
from svmsieve.engine.machines.skill import (
    SLOPES,
    Skill,
    class_values,
    skill_of_chance,
    skills_of_guessing,
)
from svmsieve.engine.machines.target import Classes, Numbers, TargetScale

pytestmark = pytest.mark.jitless


def drawn(n_classes, n=60, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.r_[np.arange(n_classes), rng.integers(n_classes, size=n - n_classes)]
    pairs = n_classes * (n_classes - 1) // 2
    return Classes.of(np.array(list("abcdefgh"))[codes]), rng.normal(size=(n, pairs)), rng


def by_scikit_learn(target, decisions, weight):
    """The least squared error of softmax probabilities over the slopes, relative to the shares'."""
    n_classes, n = len(target.classes), len(target)
    if n_classes == 2:
        values = np.column_stack([np.zeros(n), decisions[:, 0]])
    else:
        values = _ovr_decision_function(decisions >= 0.0, decisions, n_classes)
    one = np.eye(n_classes)[target.codes]
    losses = [
        np.average(((softmax(slope * values, axis=1) - one) ** 2).sum(axis=1), weights=weight)
        for slope in SLOPES
    ]
    shares = np.average(one, axis=0, weights=weight)
    return 1.0 - min(losses) / np.average(((shares - one) ** 2).sum(axis=1), weights=weight)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_classes_as_scikit_learn_adds_them_up(n_classes, weighted):
    target, decisions, rng = drawn(n_classes)
    weight = rng.uniform(0.1, 3.0, size=len(target)) if weighted else None
    ours = Skill(target, weight)(decisions, np.arange(len(target)))
    assert ours == pytest.approx(by_scikit_learn(target, decisions, weight), abs=1e-12)


def test_two_classes_are_the_brier_score():
    target, decisions, _ = drawn(2)
    every = np.arange(len(target))
    losses = [
        brier_score_loss(target.codes, 1.0 / (1.0 + np.exp(-slope * decisions[:, 0])))
        for slope in SLOPES
    ]
    share = target.codes.mean()
    expected = 1.0 - min(losses) / (share * (1.0 - share))
    assert Skill(target)(decisions, every) == pytest.approx(expected, abs=1e-12)


def test_numbers_of_all_samples_are_r_squared_whatever_their_units():
    rng = np.random.default_rng(1)
    y, guessed = rng.normal(size=50), rng.normal(size=50)
    for unit, offset in ((1.0, 0.0), (1e6, -3.0), (1e-7, 2.0)):
        target = Numbers.of(unit * y + offset)
        skill = Skill(target, None, TargetScale(offset, unit))
        assert skill(guessed[:, None], np.arange(50)) == pytest.approx(r2_score(y, guessed))


def test_certain_and_right_is_one_and_no_information_is_guessing():
    target, _, _ = drawn(2)
    every, signs = np.arange(len(target)), np.where(target.codes == 1, 1.0, -1.0)
    assert Skill(target)(9.0 * signs[:, None], every) == pytest.approx(1.0)
    even = Classes.of(np.arange(40) % 2)
    assert Skill(even)(np.zeros((40, 1)), np.arange(40)) == pytest.approx(0.0)


def test_the_scale_of_the_decision_values_hardly_matters():
    target, decisions, _ = drawn(2, n=200)
    decisions[:, 0] += np.where(target.codes == 1, 1.0, -1.0)
    skill, every = Skill(target), np.arange(len(target))
    values = [skill(unit * decisions, every) for unit in (0.25, 0.7, 1.0, 3.0)]
    assert max(values) - min(values) < 0.01


def test_balanced_counts_a_small_class_as_much_as_a_large_one():
    codes = np.r_[np.zeros(90, dtype=int), np.ones(10, dtype=int)]
    target, every = Classes.of(codes), np.arange(100)
    twice = np.r_[
        every, np.repeat(every[90:], 8)
    ]  # the small class nine times is as many as the large
    even = Skill(Classes.of(codes[twice]))
    rng = np.random.default_rng(2)
    decisions = rng.normal(size=(100, 1)) + 2.0 * codes[:, None] - 1.0
    ours = Skill(target, balanced=True)(decisions, every)
    assert ours == pytest.approx(even(decisions[twice], np.arange(len(twice))))


def test_a_class_that_no_machine_knows_has_no_probability():
    target = Classes.of(np.array(["a", "b", "c", "a"]))
    decisions = np.array([[-5e3], [5e3], [5e3], [-5e3]])  # of a against c
    skill = Skill(target)(decisions, np.arange(4), np.array(["a", "c"]))
    # "b" is told as "c" for certain: 2 of at most 2; the three others are right: L = 2/4
    assert skill == pytest.approx(1.0 - 0.5 / (1.0 - (0.25 + 0.0625 + 0.0625)))


def test_the_class_of_the_largest_value_is_the_one_that_wins_the_vote():
    _, decisions, _ = drawn(4, n=300)
    values = class_values(decisions, 4)
    won = vote(decisions, 4)
    assert (values[np.arange(300), won] > values.max(axis=1) - 1.0).all()  # but for ties of votes


def test_random_decisions_hardly_ever_have_the_skill_of_chance():
    target, _, _ = drawn(2, n=100)
    skill = Skill(target)
    parts = np.array_split(np.random.default_rng(3).permutation(100), 5)
    limit = skill_of_chance(skill, parts)
    rng = np.random.default_rng(4)
    found = [
        np.mean([skill(toss[part], part) for part in parts])
        for toss in (rng.normal(size=(100, 1)) for _ in range(300))
    ]
    assert np.mean(np.array(found) > limit) <= 0.01
    assert limit < 0.3
    grouped = Skill(Classes(target.classes, target.codes, np.arange(100) // 4))
    assert skill_of_chance(grouped, parts) > limit  # samples of one group are not as many


def test_random_numbers_hardly_ever_have_the_skill_of_chance_at_their_best_scale():
    rng = np.random.default_rng(5)
    skill = Skill(Numbers.of(3.0 * rng.normal(size=100) + 7.0))
    parts = np.array_split(rng.permutation(100), 5)
    limit = skill_of_chance(skill, parts)
    mean = skill.target.values.mean()
    guessed = np.average(skills_of_guessing(skill, [(np.arange(100), part) for part in parts]))
    assert guessed == pytest.approx(0.0)
    found = []
    for _ in range(100):
        toss = rng.normal(size=100)
        best = [
            max(skill(mean + scale * toss[part, None], part) for scale in np.linspace(0.0, 6.0, 61))
            - skill(np.full((len(part), 1), mean), part)
            for part in parts
        ]
        gains = [skill.gain_of_numbers(toss[part, None], part) for part in parts]
        assert gains == pytest.approx(best, abs=1e-3)
        found.append(np.mean(gains))
    assert np.mean(np.array(found) > limit) <= 0.01
    assert limit < 0.25


def test_guessing_takes_the_weights_of_the_training_samples():
    rng = np.random.default_rng(6)
    y, weight = rng.normal(size=40), rng.integers(0, 3, size=40).astype(float)
    y[weight == 0.0] = 1e3  # as if they were not there
    rows = np.repeat(np.arange(40), weight.astype(int))
    train, held_out = np.arange(30), np.arange(30, 40)
    ours = skills_of_guessing(Skill(Numbers.of(y), weight), [(train, held_out)])
    same = [np.flatnonzero(np.isin(rows, part)) for part in (train, held_out)]
    assert ours == pytest.approx(skills_of_guessing(Skill(Numbers.of(y[rows])), [tuple(same)]))


@pytest.mark.parametrize("regression", [False, True])
def test_chance_is_not_drawn_from_the_numbers_of_a_users_seed(regression):
    """A target made with default_rng(0) is not what a toss tells perfectly."""
    signal = np.random.default_rng(0).normal(size=100)
    target = Numbers.of(signal) if regression else Classes.of((signal > 0.0).astype(int))
    parts = np.array_split(np.random.default_rng(1).permutation(100), 5)
    other = np.random.default_rng(12345).normal(size=100)
    plain = Numbers.of(other) if regression else Classes.of((other > 0.0).astype(int))
    ours, others = (skill_of_chance(Skill(each), parts) for each in (target, plain))
    assert ours == pytest.approx(others, abs=0.06)
