"""How many steps a study announces: as many as the sieve then takes."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from svmsieve.datasets import Table
from svmsieve.search import SEARCHES
from svmsieve.search.rankers import is_joint
from svmsieve.studies.choices import Choices
from svmsieve.studies.data import prepare
from svmsieve.studies.running import make_sieve, n_steps

NAMES = ["a.1", "a.2", "b", "c", "d", "e"]
X = np.random.default_rng(0).normal(size=(42, 6))
TARGETS = {
    "two": (X[:, 0] > 0.0).astype(int),
    "three": np.digitize(X[:, 0], [-0.5, 0.5]),
    "numbers": X[:, 0] + 0.1 * X[:, 1],
}


def prepared(target, choices):
    task = "regression" if target == "numbers" else "classification"
    kinds = dict.fromkeys(NAMES, "number")
    return prepare(
        Table(pd.DataFrame(X, columns=NAMES), TARGETS[target], task, "t", NAMES, kinds), choices
    )


def taken(sieve, data):
    """The steps of a fit; None where the sieve refuses what it is asked."""
    seen = []
    try:
        sieve.set_params(callback=seen.append).fit(data.values, data.y)
    except ValueError:
        return None
    return len(seen)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("prefix", "keep"), [(None, ()), (None, ("b", "a.2")), (".", ("b", "a.2"))], ids=str
)
def test_as_many_as_are_announced(target, prefix, keep):
    n_announced = 0
    sizes = ["3", "best", "bound", "threshold"]
    sizes += ["stable"] if target == "two" and prefix else []  # a hundred halves
    for search, size in product(SEARCHES, sizes):
        options = {"criterion": "hsic", "C": "1", "cv": 2}
        choices = Choices(search=search, size=size, keep=keep, group_by_prefix=prefix, **options)
        data = prepared(target, choices)
        sieve = make_sieve(data, choices)
        announced, n_taken = n_steps(data, sieve), taken(sieve, data)
        if n_taken is not None:
            assert announced in (None, n_taken), (search, size)
            n_announced += announced is not None
    assert n_announced > 5


@pytest.mark.parametrize("target", TARGETS)
def test_where_several_rankings_are_tried(target):
    """Whether the best of them joins others, which adds searches on all samples, nobody knows before."""
    choices = Choices(size="best", cv=2)
    data = prepared(target, choices)
    sieve = make_sieve(data, choices)
    announced, n_taken = n_steps(data, sieve), taken(sieve, data)
    joint = is_joint(sieve.path_.ranking)
    assert n_taken > announced if joint else n_taken == announced
