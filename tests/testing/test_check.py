"""The contract checks: every criterion keeps them, broken ones do not."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import SVC

from svmsieve import Criterion, SVMSieve, rank
from svmsieve.criteria import CRITERIA
from svmsieve.criteria.density import SDGauss, SDLaplace
from svmsieve.criteria.forest import Forest
from svmsieve.criteria.fspp import FSPP1, FSPP2
from svmsieve.criteria.hsic import HSIC
from svmsieve.testing.check import check_criterion

OPTIONS = [
    FSPP1("all"),
    FSPP2(3),
    FSPP2(2, evaluate_on="held-out"),
    SDLaplace(symmetric=True),
    SDLaplace(evaluate_on="held-out"),
    SDGauss("all"),
    SDGauss(3),
    HSIC(target_kernel="linear"),
]
TWINS = [
    FSPP1(3),
    FSPP1(evaluate_on="held-out"),
    FSPP2("all"),
    SDLaplace(3),
    SDLaplace("all"),
    SDGauss(symmetric=True),
    SDGauss(evaluate_on="held-out"),
]
"""The same options of the criterion beside, whose code is the same but for a line."""


def quick(name):
    return Forest(n_trees=20) if name == "forest" else CRITERIA[name]()


@pytest.mark.parametrize("name", CRITERIA)
def test_every_criterion_keeps_the_contract(name):
    check_criterion(quick(name))


@pytest.mark.parametrize(
    "criterion",
    [*OPTIONS, *(pytest.param(twin, marks=pytest.mark.paper) for twin in TWINS)],
    ids=repr,
)
def test_every_option_keeps_the_contract(criterion):
    check_criterion(criterion)


def spread(data):
    """The columns' variance, samples counted by their weights."""
    X = data.X.toarray() if sp.issparse(data.X) else data.X
    return data.weights @ (X - data.weights @ X) ** 2


class Spread(Criterion):
    """A criterion of one's own: the columns' variance."""

    name = "spread"
    tasks = frozenset({"binary", "regression"})
    machine = None
    uses_kernel = False
    paper = "none"

    def scores(self, fitted, data):
        return data.max_groups(spread(data))


class Margin(Criterion):
    """One that needs a machine: squared weights of a linear one."""

    name = "margin"
    tasks = frozenset({"multiclass", "binary"})
    kernels = frozenset({"Linear"})
    paper = "none"

    def scores(self, fitted, data):
        return data.sum_groups(sum(e.linear_weights() ** 2 for e in fitted.trained.expansions))


@pytest.mark.parametrize("criterion", [Spread(), Margin()], ids=["filter", "machine"])
def test_a_criterion_of_ones_own(criterion):
    check_criterion(criterion)


def test_a_criterion_of_ones_own_ranks():
    X = np.array([[1.0, 0.0, 5.0], [2.0, 3.0, 5.0], [3.0, -3.0, 5.0]])
    ranking = rank(X, ["a", "b", "a"], Spread(), scale=False)
    assert ranking.order.tolist() == [1, 0, 2]
    assert ranking.criterion == "spread"
    with pytest.raises(ValueError, match="'spread' is for binary and regression targets, not for"):
        rank(X, ["a", "b", "c"], Spread())


class Broken(Spread):
    """Keeps the contract, until a subclass changes that."""

    name: ClassVar[str] = "broken"
    tasks = frozenset({"binary"})

    def scores(self, fitted, data):
        scores = spread(data)
        return self.spoil(scores, data) if data.groups is None else data.max_groups(scores)

    def spoil(self, scores, data):
        return scores


class Negative(Broken):
    def spoil(self, scores, data):
        return scores - scores.max()


class NotANumber(Broken):
    def spoil(self, scores, data):
        return np.where(scores == scores.max(), np.nan, scores)


class WrongShape(Broken):
    def spoil(self, scores, data):
        return scores[:-1]


class InOrder(Broken):
    def scores(self, fitted, data):
        return np.arange(1.0, data.n_scores + 1.0)


class OnlyDense(Broken):
    def scores(self, fitted, data):
        return data.max_groups(data.X.var(axis=0))


class SparseDiffers(Broken):
    def spoil(self, scores, data):
        return 2.0 * scores if sp.issparse(data.X) else scores


class GroupsDiffer(Broken):
    def scores(self, fitted, data):
        scores = super().scores(fitted, data)
        return scores if data.groups is None else scores + 1.0


class NoGroups(Broken):
    def scores(self, fitted, data):
        return np.zeros(data.X.shape[1])


class ColumnsOnly(Broken):
    def scores(self, fitted, data):
        return np.asarray(data.X.sum(axis=0)).ravel() ** 2


class Fickle(Broken):
    calls: ClassVar[int] = 0

    def spoil(self, scores, data):
        type(self).calls += 1
        return scores + type(self).calls


class TwinsDiffer(Broken):
    def spoil(self, scores, data):
        _, first, inverse = np.unique(scores.round(9), return_index=True, return_inverse=True)
        return np.where(first[inverse] == np.arange(len(scores)), scores, scores + 1.0)


def test_the_base_of_the_broken_ones_is_sound():
    check_criterion(Broken())


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        (Negative(), "must return finite scores of at least 0"),
        (NotANumber(), "must return finite scores of at least 0"),
        (WrongShape(), "must return 6 scores"),
        (InOrder(), "columns in another order"),
        (OnlyDense(), "sparse input fails"),
        (SparseDiffers(), "sparse input"),
        (GroupsDiffer(), "groups of one column"),
        (NoGroups(), "some score must be positive"),
        (ColumnsOnly(), "groups of two columns fails"),
        (Fickle(), "the same call twice"),
        (TwinsDiffer(), "a duplicated column"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Criterion) else "",
)
def test_broken_criteria_are_found_out(criterion, message):
    with pytest.raises(AssertionError, match=f"broken, binary, .*{message}"):
        check_criterion(criterion)


class Random(Broken):
    """Draws for each column: only the order of the columns may matter."""

    randomised = True

    def spoil(self, scores, data):
        return np.random.default_rng(data.seed).permutation(len(scores)) + 1.0

    def scores(self, fitted, data):
        scores = self.spoil(np.zeros(data.X.shape[1]), data)
        return data.max_groups(scores)


def test_a_randomised_criterion_is_held_to_less():
    check_criterion(Random())


def test_a_constant_column_scores_zero_whatever_the_formula():
    X, y = np.ones((6, 2)), [0, 1, 0, 1, 0, 1]
    X[:, 0] = range(6)
    assert rank(X, y, InOrder(), scale=False).scores[1] == 0.0


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"tasks": {"binary"}}, "criterion Mine must have a name: name = 'my-criterion'"),
        ({"name": "", "tasks": {"binary"}}, "criterion Mine must have a name"),
        ({"name": None, "tasks": {"binary"}}, "criterion Mine must have a name"),
        ({"name": "mine"}, "criterion Mine must have tasks, a set of .*'multiclass'.* it lacks"),
        ({"name": "mine", "tasks": "binary"}, "must have tasks, a set of .*, got 'binary'"),
        ({"name": "mine", "tasks": ["binary"]}, r"must have tasks, a set of .*, got \['binary'\]"),
        ({"name": "mine", "tasks": {"two"}}, r"must have tasks, a set of .*, got \{'two'\}"),
        ({"name": "mine", "tasks": set()}, r"must have tasks, a set of .*, got set\(\)"),
        (
            {"name": "mine", "tasks": {"binary"}, "kernels": "RBF"},
            r"must have kernels, a set of some of \['Linear', 'Polynomial', 'RBF'\], got 'RBF'",
        ),
        (
            {"name": "mine", "tasks": {"binary"}, "machine": "SVC"},
            "must have machine 'svm', 'squared-hinge' or None, got 'SVC'",
        ),
    ],
)
def test_facts_of_the_wrong_kind_are_refused_where_the_class_is_made(facts, message):
    with pytest.raises(TypeError, match=message):
        type("Mine", (Criterion,), {**facts, "scores": lambda self, fitted, data: None})


def test_a_base_of_criteria_need_not_state_the_facts():
    base = type("Base", (Criterion,), {"tasks": {"binary"}})
    mine = type("Mine", (base,), {"name": "mine", "scores": lambda self, fitted, data: None})
    assert mine().name == "mine"
    with pytest.raises(TypeError, match="criterion Mine must have a name"):
        type("Mine", (base,), {"scores": lambda self, fitted, data: None})


def zeroed(fitted, data, columns):
    """How much the decision values change where some columns are set to zero together."""
    X = data.X.toarray() if sp.issparse(data.X) else data.X
    changed = X.copy()
    changed[:, columns] = 0.0
    return sum(
        data.weights @ np.abs(each.decision_function(changed) - each.decision_function(X))
        for each in fitted.trained.expansions
    )


class Together(Criterion):
    """The response to a group; a subclass makes of it what is not the group's."""

    name: ClassVar[str] = "broken"
    tasks = frozenset({"binary", "regression"})
    paper = "none"

    def of_group(self, fitted, data, group):
        return zeroed(fitted, data, group)

    def scores(self, fitted, data):
        groups = [[i] for i in range(data.X.shape[1])] if data.groups is None else data.groups
        return np.array([self.of_group(fitted, data, list(group)) for group in groups])


class FirstOfGroup(Together):
    def of_group(self, fitted, data, group):
        return zeroed(fitted, data, group[:1])


class LastOfGroup(Together):
    def of_group(self, fitted, data, group):
        return zeroed(fitted, data, [max(group)])


class LargestOfGroup(Together):
    def of_group(self, fitted, data, group):
        return max(zeroed(fitted, data, [i]) for i in group)


class SumOfGroup(Together):
    def of_group(self, fitted, data, group):
        return sum(zeroed(fitted, data, [i]) for i in group)


class MeanOfGroup(Together):
    def of_group(self, fitted, data, group):
        return np.mean([zeroed(fitted, data, [i]) for i in group])


class FirstColumns(Together):
    def scores(self, fitted, data):
        return np.array([zeroed(fitted, data, [i]) for i in range(data.n_scores)])


class FilterMean(Spread):
    name = "broken"

    def scores(self, fitted, data):
        scores = spread(data)
        return scores if data.groups is None else np.array([scores[g].mean() for g in data.groups])


class FilterFirstColumns(Spread):
    name = "broken"

    def scores(self, fitted, data):
        return spread(data)[: data.n_scores]


def test_the_response_to_a_whole_group_is_sound():
    check_criterion(Together())


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        (FirstOfGroup(), "groups in another order"),
        (LastOfGroup(), "a column written as a group of four"),
        (LargestOfGroup(), "a column written as a group of four"),
        (SumOfGroup(), "a column written as a group of four"),
        (MeanOfGroup(), "a column written as a group of four"),
        (FirstColumns(), "groups in another order"),
        (FilterMean(), "a group scores less than its best column"),
        (FilterFirstColumns(), "groups in another order"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Criterion) else "",
)
def test_a_criterion_that_ignores_groups_is_found_out(criterion, message):
    with pytest.raises(AssertionError, match=f"broken, .*{message}"):
        check_criterion(criterion)


class Unweighted(Spread):
    name = "broken"

    def scores(self, fitted, data):
        X = data.X.toarray() if sp.issparse(data.X) else data.X
        return data.max_groups(X.var(axis=0))


class OnlyZerosCount(Spread):
    name = "broken"

    def scores(self, fitted, data):
        return super().scores(fitted, replace(data, sample_weight=np.sign(data.copies)))


class UnweightedResponse(Together):
    """Its machine was trained with the weights; its own mean is over all rows."""

    def scores(self, fitted, data):
        return super().scores(fitted, replace(data, sample_weight=None))


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        (Unweighted(), "rows of weight zero are not as if they were not there"),
        (UnweightedResponse(), "rows of weight zero are not as if they were not there"),
        (OnlyZerosCount(), "a row of weight two does not count as two rows"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Criterion) else "",
)
def test_a_criterion_that_ignores_weights_is_found_out(criterion, message):
    with pytest.raises(AssertionError, match=f"broken, .*{message}"):
        check_criterion(criterion)


def test_a_criterion_may_say_that_weights_are_not_for_it():
    class Plain(Unweighted):
        uses_weights = False

    check_criterion(Plain())
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
    message = "criterion 'broken' takes no sample_weight; leave it out"
    with pytest.raises(ValueError, match=message):
        rank(X, y, Plain(), sample_weight=np.ones(20))
    with pytest.raises(ValueError, match=message):
        SVMSieve(SVC(), criterion=Plain()).fit(X, y, sample_weight=np.ones(20))


def test_a_class_is_no_instance():
    with pytest.raises(
        ValueError, match=r"criterion must be an instance: Spread\(\), not the class"
    ):
        rank(np.eye(4), [0, 1, 0, 1], Spread)
