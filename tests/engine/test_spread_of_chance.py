"""What random decisions score, against the binomial distribution."""

import numpy as np
import pytest

from svmsieve.engine.machines.scoring import DecisionScorer, spread_of_chance
from svmsieve.inputs.target import make_target


@pytest.mark.parametrize(("n", "n_classes"), [(40, 2), (400, 2), (90, 3)])
def test_accuracy_of_coin_tosses_is_binomial(n, n_classes):
    target = make_target(np.arange(n) % n_classes, False, n)
    p = 1.0 / n_classes
    expected = np.sqrt(p * (1.0 - p) / n)
    assert spread_of_chance(DecisionScorer("accuracy", target)) == pytest.approx(expected, rel=0.3)


def test_few_samples_of_a_class_count_in_balanced_accuracy():
    target = make_target(np.arange(200) < 10, False, 200)
    balanced = spread_of_chance(DecisionScorer("balanced_accuracy", target))
    assert balanced > 2.0 * spread_of_chance(DecisionScorer("accuracy", target))


def test_numbers_have_none():
    target = make_target(np.arange(20.0), True, 20)
    assert spread_of_chance(DecisionScorer("r2", target)) == 0.0
