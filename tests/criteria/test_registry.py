"""Criteria by name."""

from __future__ import annotations

import pytest

from svmsieve.criteria import CRITERIA, make_criterion, names_for
from svmsieve.criteria.fspp import FSPP2
from tests.criteria.cases import TASKS

NAMES = """correlation s2n f-score forest hsic lasso weight weight-gradient weight-retrained radius-margin
radius-margin-gradient radius-margin-retrained span span-gradient span-retrained fspp1 fspp2 fspp3 fspp4
sv-gradient sd-laplace sd-gauss loo-scaling"""


def test_the_criteria_of_the_papers_are_all_there():
    assert sorted(CRITERIA) == sorted(NAMES.split())


@pytest.mark.parametrize("task", TASKS)
def test_names_for_a_task(task):
    names = names_for(task)
    assert names == [name for name in CRITERIA if task in CRITERIA[name].tasks]
    assert ("sd-gauss" in names) == (task == "regression")
    assert ("fspp2" in names) == (task != "regression")
    assert "hsic" in names


@pytest.mark.parametrize("name", CRITERIA)
def test_by_name(name):
    assert isinstance(make_criterion(name, "binary"), CRITERIA[name])


def test_auto():
    assert make_criterion("auto", "binary").name == "fspp2"
    assert make_criterion("auto", "multiclass").name == "fspp2"
    assert make_criterion("auto", "regression").name == "sd-gauss"


def test_an_instance_is_taken_as_it_is():
    criterion = FSPP2(7)
    assert make_criterion(criterion, "binary") is criterion


@pytest.mark.parametrize(
    ("wrong", "near"),
    [
        ("fspp", "'fspp"),
        ("f_score", "'f-score'"),
        ("weights", "'weight'"),
        ("sd_gauss", "'sd-gauss'"),
        ("FSPP2", "'fspp2'"),
        ("Correlation", "'correlation'"),
    ],
)
def test_a_near_miss_is_guessed(wrong, near):
    with pytest.raises(
        ValueError, match=f"criterion '{wrong}' is not known; did you mean .*{near}"
    ):
        make_criterion(wrong, "binary")


@pytest.mark.parametrize("wrong", ["qqq", 3, None, dict])
def test_what_is_far_off_gets_the_whole_list(wrong):
    with pytest.raises(ValueError, match=r"is not known; known are: correlation, .*, sd-gauss"):
        make_criterion(wrong, "binary")
