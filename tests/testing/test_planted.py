"""Criteria that pass over weights, or whose scores hang on the order of rows or the names of classes.

One of each family: a filter, one that reads the machine, one that asks it for decision values.
"""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from svmsieve.testing.check import check_criterion
from tests.testing.test_check import Margin, Spread, Together, spread


def dense(data):
    return data.X.toarray() if sp.issparse(data.X) else data.X


def counted_alike(data):
    """Every row that has any weight has the same."""
    return replace(data, sample_weight=np.sign(data.copies))


def early_rows(data):
    """The first half of the rows that have any weight."""
    present = np.flatnonzero(data.copies > 0.0)
    first = np.zeros(len(data.target))
    first[present[: len(present) // 2]] = 1.0
    return replace(data, sample_weight=first * data.copies)


class Terms(Margin):
    """Mean size of each column's term of a linear machine's decision values."""

    name = "planted"

    def scores(self, fitted, data):
        weights = sum(np.abs(each.linear_weights()) for each in fitted.trained.expansions)
        return data.sum_groups(weights**2) * self.size(data)

    def size(self, data):
        """A mean over the samples that no kernel can tell apart."""
        return data.weights @ (dense(data) ** 2).sum(axis=1)


class FilterWeights(Spread):
    name = "planted"

    def scores(self, fitted, data):
        return data.max_groups(spread(counted_alike(data)))


class MachineWeights(Terms):
    def size(self, data):
        return super().size(counted_alike(data))


class ResponseWeights(Together):
    name = "planted"

    def scores(self, fitted, data):
        return super().scores(fitted, counted_alike(data))


class FilterRows(Spread):
    name = "planted"

    def scores(self, fitted, data):
        return data.max_groups(spread(early_rows(data)))


class MachineRows(Terms):
    def size(self, data):
        return super().size(early_rows(data))


class ResponseRows(Together):
    name = "planted"

    def scores(self, fitted, data):
        return super().scores(fitted, early_rows(data))


class NoisyRows(ResponseRows):
    """The same with draws of its own, common to all columns."""

    def scores(self, fitted, data):
        return super().scores(fitted, data) * np.random.default_rng(data.seed).uniform(0.9, 1.1)


class FilterNames(Spread):
    """The class whose name comes first counts."""

    name = "planted"
    tasks = frozenset({"binary", "multiclass"})

    def scores(self, fitted, data):
        own = replace(data, sample_weight=data.copies * (data.target.codes == 0))
        return data.max_groups(spread(own))


class FilterNumbers(Spread):
    """Names that are numbers are taken for numbers."""

    name = "planted"
    tasks = frozenset({"binary", "multiclass"})

    def scores(self, fitted, data):
        classes = data.target.classes
        factor = np.ptp(classes) if classes.dtype.kind in "if" else 1.0
        return data.max_groups(spread(data)) * factor


class MachineNames(Terms):
    """Only the first pair of classes counts."""

    def scores(self, fitted, data):
        return data.sum_groups(fitted.trained.expansions[0].linear_weights() ** 2)


class ResponseNames(Together):
    """Only what moves towards the second class counts."""

    name = "planted"
    tasks = frozenset({"binary"})

    def of_group(self, fitted, data, group):
        X = dense(data)
        changed = X.copy()
        changed[:, group] = 0.0
        expansion = fitted.trained.expansions[0]
        moved = expansion.decision_function(changed) - expansion.decision_function(X)
        return data.weights @ np.maximum(moved, 0.0)


class NoisyNames(ResponseNames):
    def scores(self, fitted, data):
        return super().scores(fitted, data) * np.random.default_rng(data.seed).uniform(0.99, 1.01)


WEIGHTS = "(weights are not counted|does not count as two rows)"
ROWS = "the order of the rows changes the scores"
NAMES = "the names of the classes change the scores"


def test_the_base_of_the_planted_ones_is_sound():
    check_criterion(Terms())


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        (FilterWeights(), WEIGHTS),
        (MachineWeights(), WEIGHTS),
        (ResponseWeights(), WEIGHTS),
        (FilterRows(), ROWS),
        (MachineRows(), ROWS),
        (ResponseRows(), ROWS),
        (NoisyRows(), ROWS),
        (FilterNames(), NAMES),
        (FilterNumbers(), NAMES),
        (MachineNames(), NAMES),
        (ResponseNames(), NAMES),
        (NoisyNames(), NAMES),
    ],
    ids=lambda value: "" if isinstance(value, str) else type(value).__name__,
)
def test_planted_criteria_are_found_out(criterion, message):
    with pytest.raises(AssertionError, match=f"planted, .*{message}"):
        check_criterion(criterion)


class Drawing(Together):
    """Draws rows, the same for all columns: the order of the rows changes the draw, not what is drawn."""

    name = "drawing"

    def scores(self, fitted, data):
        rows = np.flatnonzero(data.copies > 0.0)
        drawn = np.zeros(len(data.target))
        drawn[np.random.default_rng(data.seed).permutation(rows)[: len(rows) // 2]] = 1.0
        return super().scores(fitted, replace(data, sample_weight=drawn * data.copies))


def test_a_criterion_may_draw_rows():
    check_criterion(Drawing())
