"""How much better than guessing held-out samples are told, by squared errors: a score with little noise.

Accuracy counts right answers, and of a few hundred samples one or two points of it are chance.  The squared
error of probabilities (the Brier score) also counts how sure the answers are, and tells sizes and
rankings apart that accuracy cannot.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.machines.target import Classes, Target, TargetScale
from svmsieve.runtime.compiled import compiled

SLOPES = 2.0 ** np.arange(-3.0, 6.25, 0.5)
"""How steeply probabilities follow decision values, relative to them; the best of these is taken."""

BY_SKILL = ("accuracy", "balanced_accuracy", "r2")
"""Measures in place of which skill decides."""


class Skill:
    """Scores decision values of some samples: 1 − L / L₀, where L₀ is the squared error of guessing.

    Numbers: L is the mean of (y − f)², L₀ the variance of all samples; so it is like R².  Classes: L is the
    mean over the samples of Σ_c (p_c − [c is its class])², p the softmax of ``slope`` × the classes' values,
    L₀ = 1 − Σ_c π_c² for shares π_c of the classes.  Of two classes the values are 0 and f; of more, the
    votes of one against one and, within ±⅓, the sum of the decision values, as scikit-learn's SVC adds them
    up.  The slope is the one of :data:`SLOPES` with the least L for these samples: the machines' own scale
    says nothing.  A sample whose class no machine knows is told with none of its probability.
    O(samples × classes × slopes).

    Parameters
    ----------
    target : all samples, in the user's units
    sample_weight : of all samples
    scale : of the target that the machines learned
    balanced : whether every class counts the same, whatever the number of its samples
    """

    def __init__(
        self,
        target: Target,
        sample_weight: FloatArray | None = None,
        scale: TargetScale | None = None,
        *,
        balanced: bool = False,
    ) -> None:
        self.target = target
        self.scale = TargetScale() if scale is None else scale
        self.weight = np.ones(len(target)) if sample_weight is None else sample_weight
        if isinstance(target, Classes):
            totals = np.bincount(target.codes, self.weight, minlength=len(target.classes))
            shares: FloatArray = totals / totals.sum()
            if balanced:
                self.weight = self.weight / shares[target.codes]
                shares = np.full(len(shares), 1.0 / len(shares))
            self.guess = 1.0 - float(np.sum(shares**2))
        else:
            self.spread = TargetScale.of(target, sample_weight).deviation

    def __call__(self, decisions: FloatArray, rows: IntArray, classes: Any = None) -> float:
        """Return the skill of ``decisions`` (samples × machines) of the samples ``rows``.

        ``classes`` are the machine's, where it was trained on samples that lack some of the target's.
        """
        weight, target = self.weight[rows], self.target
        if not isinstance(target, Classes):
            errors = (target.values[rows] - self.scale.restore(decisions[:, 0])) / self.spread
            return 1.0 - float(np.average(errors**2, weights=weight))
        codes, n_known = target.codes[rows], len(target.classes)
        if classes is not None:
            place, n_known = np.full(n_known, -1), len(classes)
            place[np.isin(target.classes, classes)] = np.arange(n_known)
            codes = place[codes]
        losses = squared_errors(class_values(decisions, n_known), codes, weight, SLOPES)
        return 1.0 - float(losses.min()) / self.guess

    def gain_of_numbers(self, directions: FloatArray, rows: IntArray) -> float:
        """Return how much better than their mean the best b ≥ 0 times ``directions`` tells the numbers.

        ``max(0, z't)² / t't`` for t the directions and z the numbers, centred, relative to their spread.
        """
        assert not isinstance(self.target, Classes)
        mean = np.average(self.target.values, weights=self.weight)
        weight, values = self.weight[rows], (self.target.values[rows] - mean) / self.spread
        along = max(0.0, float(np.average(values * directions[:, 0], weights=weight)))
        return along**2 / float(np.average(directions[:, 0] ** 2, weights=weight))


_TOSSES = 100
"""Random decisions whose skills show what chance does."""
_STREAM = 0x5C111
"""Keeps the draws apart from all other random numbers, a user's own above all."""


def skills_of_guessing(skill: Skill, folds: Sequence[tuple[IntArray, IntArray]]) -> FloatArray:
    """Return the skill of guessing in each fold: of numbers, the mean of its training samples.

    The held-out samples' own spread decides it, and that of machines too.  Of classes guessing is what skill
    is relative to.
    """
    target = skill.target
    if isinstance(target, Classes):
        return np.zeros(len(folds))
    skills = []
    for train, held_out in folds:
        mean = np.average(target.values[train], weights=skill.weight[train])
        skills.append(skill(np.full((len(held_out), 1), mean), held_out))
    return np.array(skills)


def skill_of_chance(skill: Skill, parts: Sequence[IntArray]) -> float:
    """Return the skill that random decisions hardly ever have: their mean and four standard deviations.

    The skill is the mean over ``parts`` of the samples, as that of folds, and in each of them as steep as
    suits it best.  Samples of one group have the same decisions.
    """
    target, rng = skill.target, np.random.default_rng(_STREAM)
    groups = np.arange(len(target)) if target.groups is None else target.groups
    shape = (int(groups.max()) + 1, len(target.pairs))
    tosses = (rng.normal(size=shape)[groups] for _ in range(_TOSSES))
    gain = skill if isinstance(target, Classes) else skill.gain_of_numbers
    skills = [np.mean([gain(toss[part], part) for part in parts]) for toss in tosses]
    return float(np.mean(skills) + 4.0 * np.std(skills))


def class_values(decisions: FloatArray, n_classes: int) -> FloatArray:
    """Return a value for each class from those of one against one, shape (samples, classes).

    >>> class_values(np.array([[1.0, 1.0, -3.0]]), 3).round(2)  # pairs (0,1), (0,2), (1,2): 1, 2 and 1 win
    array([[-0.22,  2.27,  0.78]])
    """
    values = np.zeros((len(decisions), n_classes))
    if n_classes == 2:
        values[:, 1] = decisions[:, 0]
    else:
        _add_up_pairs(np.ascontiguousarray(decisions), values)
    return values


@compiled()
def _add_up_pairs(decisions: FloatArray, values: FloatArray) -> None:
    n_classes = values.shape[1]
    for row in range(values.shape[0]):
        sums, pair = np.zeros(n_classes), 0
        for first in range(n_classes):
            for second in range(first + 1, n_classes):
                value = decisions[row, pair]
                values[row, second if value >= 0.0 else first] += 1.0
                sums[second] += value
                sums[first] -= value
                pair += 1
        for each in range(n_classes):
            values[row, each] += sums[each] / (3.0 * (abs(sums[each]) + 1.0))


@compiled()
def squared_errors(
    values: FloatArray, codes: IntArray, weight: FloatArray, slopes: FloatArray
) -> FloatArray:
    """Return the weighted mean squared error of the samples' probabilities, at each slope.

    A code of −1 is a class that has no value.  Where a slope is twice the one before the last, its
    exponentials are the squares of that one's.
    """
    n_classes, losses = values.shape[1], np.zeros(len(slopes))
    shares = np.empty((2, n_classes))
    for row in range(values.shape[0]):
        largest = values[row].max()
        for number in range(len(slopes)):
            share = shares[number % 2]
            doubled = number > 1 and abs(slopes[number] - 2.0 * slopes[number - 2]) < (
                1e-9 * slopes[number]
            )
            total, squares, own = 0.0, 0.0, 0.0
            for each in range(n_classes):
                if doubled:
                    share[each] *= share[each]
                else:
                    share[each] = np.exp(slopes[number] * (values[row, each] - largest))
                total += share[each]
                squares += share[each] * share[each]
                if each == codes[row]:
                    own = share[each]
            losses[number] += weight[row] * (squares / (total * total) - 2.0 * own / total + 1.0)
    return losses / weight.sum()
