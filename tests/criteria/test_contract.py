"""The contract of criteria: facts, refusals, checked scores, data."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

from svmsieve.criteria import CRITERIA, Criterion, final_scores
from svmsieve.criteria.contract import EVERY_TASK, Task
from svmsieve.criteria.fspp import FSPP2
from svmsieve.criteria.registry import refuse_task
from svmsieve.engine.kernels.kernel import RBF, Linear
from tests.criteria.cases import GROUPS, TASKS, make_case, problem
from tests.criteria.cases import RBF as RBF_CASE


class Given(Criterion):
    """Returns what it is told to."""

    name: ClassVar[str] = "given"
    tasks: ClassVar[frozenset[Task]] = EVERY_TASK
    kernels: ClassVar[frozenset[str]] = frozenset({"Linear"})
    machine: ClassVar[None] = None
    paper: ClassVar[str] = "none"

    def __init__(self, values):
        self.values = values

    def scores(self, fitted, data):
        return self.values


@pytest.mark.parametrize("name", CRITERIA)
def test_every_criterion_states_its_facts(name):
    criterion = CRITERIA[name]
    assert criterion.name == name
    assert criterion.tasks
    assert criterion.tasks <= set(TASKS)
    assert criterion.kernels <= {"Linear", "RBF", "Polynomial"}
    assert criterion.machine in ("svm", "squared-hinge", None)
    assert criterion.paper
    assert criterion.__doc__
    if criterion.needs_probabilities or criterion.machine == "squared-hinge":
        assert "regression" not in criterion.tasks
    assert criterion.uses_kernel or criterion.machine is None


def test_repr_shows_the_options():
    assert repr(FSPP2(3)) == "FSPP2(n_permutations=3, evaluate_on='training', slope=None)"
    assert repr(CRITERIA["weight"]()) == "Weight()"


def test_scores_are_checked():
    data = make_case("binary", RBF_CASE).data
    good = [5.0, 1, 2, 3, 4]
    assert final_scores(Given(good), None, data).tolist() == good
    with pytest.raises(ValueError, match=r"'given' must return 5 scores, got shape \(4,\)"):
        final_scores(Given(good[:4]), None, data)
    with pytest.raises(ValueError, match=r"must return 5 scores, got shape \(1, 5\)"):
        final_scores(Given([good]), None, data)
    for bad in (-1e-9, np.nan, np.inf):
        with pytest.raises(ValueError, match="'given' must return finite scores of at least 0"):
            final_scores(Given([bad, 1, 2, 3, 4]), None, data)


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_constant_columns_score_zero(sparse):
    X, y = problem("binary")
    X[:, 1], X[:, 3] = 4.0, 0.0
    case = make_case("binary", RBF_CASE, problem_of=(X, y), sparse=sparse)
    scores = final_scores(Given(np.ones(5)), None, case.data)
    assert scores.tolist() == [1.0, 0.0, 1.0, 0.0, 1.0]


def test_a_group_is_constant_only_if_all_its_columns_are():
    X, y = problem("binary")
    X[:, 1] = X[:, 0] = X[:, 3] = 4.0
    case = make_case("binary", RBF_CASE, problem_of=(X, y), groups=[[0, 3], [1, 2], [4]])
    assert final_scores(Given(np.ones(3)), None, case.data).tolist() == [0.0, 1.0, 1.0]


def test_an_unfit_task_is_refused_with_what_would_work():
    for name, criterion in CRITERIA.items():
        for task in TASKS:
            if task in criterion.tasks:
                refuse_task(criterion(), task)
                continue
            with pytest.raises(ValueError, match=f"criterion '{name}' is for .* use one of") as e:
                refuse_task(criterion(), task)
            assert "hsic" in str(e.value)
            assert name not in str(e.value).split("use one of")[1].split(", ")


def test_an_unfit_kernel_is_refused():
    Given(()).refuse_kernel(Linear())
    message = r"criterion 'given' needs one of the kernels \['Linear'\], got RBF"
    with pytest.raises(ValueError, match=message):
        Given(()).refuse_kernel(RBF(1.0))


def test_data():
    case = make_case("binary", RBF_CASE, groups=GROUPS, sample_weight=np.arange(30) + 1.0)
    data = case.data
    assert data.n_scores == 3
    assert data.weights.sum() == pytest.approx(1.0)
    assert data.weights[1] == pytest.approx(2.0 * data.weights[0])
    assert data.copies.tolist() == (np.arange(30) + 1.0).tolist()
    values = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    assert data.sum_groups(values).tolist() == [5.0, 2.0, 8.0]
    assert data.sum_groups(np.stack([values, -values])).tolist() == [[5, 2, 8], [-5, -2, -8]]
    assert data.max_groups(values).tolist() == [4.0, 2.0, 5.0]
    alone = make_case("binary", RBF_CASE).data
    assert alone.n_scores == 5
    assert alone.sum_groups(values) is alone.max_groups(values) is values
    assert alone.weights.tolist() == [1.0 / 30.0] * 30
