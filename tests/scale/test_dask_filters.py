"""Filters in one pass over row chunks are those of all rows in memory."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from svmsieve import rank
from svmsieve.ranking.filters import rank_by_filter
from svmsieve.scale.chunks import RowChunks
from svmsieve.scale.moments import FilterSums, filter_sums
from tests import naive_moments as naive

NAIVE = {"correlation": naive.correlation, "s2n": naive.s2n, "f-score": naive.f_score}


def problem(kind, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 6)) * [1, 3, 1, 1e-3, 1, 1]
    numbers = X[:, 0] + X[:, 1] ** 2
    X[:, 4] = 1e5 + X[:, 4]  # far from zero
    X[:, 5] = 2.0
    y = numbers
    if kind != "numbers":
        y = np.digitize(numbers, [1.0] if kind == "two" else [0.0, 4.0])
        y = np.array(["a", "b", "c"])[y]
    weight = np.round(rng.uniform(0.5, 3.0, size=120), 2)
    return X, y, weight


@pytest.mark.parametrize("memory", [100, 1000, 10**9])
@pytest.mark.parametrize("kind", ["two", "three", "numbers"])
@pytest.mark.parametrize("name", NAIVE)
def test_one_pass_is_the_definition(name, kind, memory):
    if kind == "numbers" and name != "correlation":
        pytest.skip("for classes only")
    X, y, weight = problem(kind)
    X[::9, 1] = X[3:30:4, 2] = np.nan
    found = rank_by_filter(RowChunks(X, y, weight, memory=memory), name, missing="mean")
    np.testing.assert_allclose(found.scores, NAIVE[name](X, y, weight), rtol=1e-7)
    assert found.scores[5] == 0.0


@pytest.mark.parametrize("kind", ["two", "three", "numbers"])
@pytest.mark.parametrize("name", NAIVE)
@pytest.mark.parametrize("sparse", [False, True])
def test_one_pass_is_rank(name, kind, sparse):
    if kind == "numbers" and name != "correlation":
        pytest.skip("for classes only")
    X, y, weight = problem(kind)
    X[:, 4] -= 1e5
    if sparse:
        X = sp.csr_array(np.where(np.abs(X) > 0.4, X, 0.0))
    groups = [[0, 3], [1, 2], [4], [5]]
    options = {"groups": groups}
    found = rank_by_filter(RowChunks(X, y, weight, memory=500), name, **options)
    wanted = rank(X, y, name, sample_weight=weight, **options)
    np.testing.assert_allclose(found.scores, wanted.scores, rtol=1e-9)
    assert found.order.tolist() == wanted.order.tolist()
    assert found.names == wanted.names


def test_parts_may_be_merged_in_any_order():
    X, y, weight = problem("three")
    X[::9, 1] = np.nan
    parts = list(RowChunks(X, y, weight, memory=500).map(filter_sums, list("abcdef")))
    once = FilterSums.merge(FilterSums.merge(parts[0], parts[1]), parts[2])
    other = FilterSums.merge(parts[0], FilterSums.merge(parts[1], parts[2]))
    assert sorted(once.classes) == sorted(other.classes)
    for label, part in once.classes.items():
        np.testing.assert_allclose(part.mean, other.classes[label].mean, rtol=1e-12)
        np.testing.assert_allclose(part.squares, other.classes[label].squares, rtol=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"criterion": "forest"}, "'forest' is not a sum over rows"),
        ({"missing": "drop"}, "missing must be"),
        ({"groups": [[0], []]}, "groups must hold at least one column each; group 1 is empty"),
    ],
)
def test_what_does_not_work_is_refused_by_name(change, message):
    X, y, _ = problem("two")
    options = {"criterion": "f-score"} | change
    with pytest.raises(ValueError, match=message):
        rank_by_filter(RowChunks(X, y), options.pop("criterion"), **options)


def test_missing_values_are_named():
    X, y, _ = problem("two")
    X[7, 2] = np.nan
    with pytest.raises(ValueError, match="'x2' has 1 missing value, first in row 7"):
        rank_by_filter(RowChunks(X, y, memory=200), "s2n")


def test_a_class_without_weight_is_named():
    X, y, weight = problem("two")
    with pytest.raises(ValueError, match="whole class: 'b'"):
        rank_by_filter(RowChunks(X, y, np.where(y == "b", 0.0, weight)), "s2n")
