"""Sums with twice the digits against fractions, and the same wherever they are cut."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pytest

from svmsieve.scale.exact_sums import Exact, cross_products, total, weighted_rows


def _drawn(seed: int) -> tuple[Any, Any]:
    """Rows and weights of sizes that differ by many powers of ten."""
    rng = np.random.default_rng(seed)
    n, r = int(rng.integers(1, 90)), int(rng.integers(1, 8))
    S = rng.normal(size=(n, r)) * 10.0 ** rng.uniform(-4, 4, (n, 1))
    return S, rng.normal(size=n) * 10.0 ** rng.uniform(-3, 3)


def _far(found: Any, true: Fraction, unit: Fraction) -> float:
    high, low = (Fraction(float(each)) for each in (found.high, found.low))
    return abs(float((high + low - true) / unit))


@pytest.mark.parametrize("seed", range(8))
def test_sums_are_those_of_fractions(seed: int) -> None:
    S, weight = _drawn(seed)
    rows = [[Fraction(float(v)) for v in row] for row in S]
    weights = [Fraction(float(v)) for v in weight]
    largest = max(abs(v) for row in rows for v in row)
    squares, products = cross_products(S, weight)
    alone = weighted_rows(weight, S)
    unit = len(rows) * largest**2
    of_weights = len(rows) * largest * max(abs(w) for w in weights)
    for i in range(S.shape[1]):
        true = sum((w * row[i] for w, row in zip(weights, rows, strict=True)), Fraction(0))
        assert _far(products[i], true, of_weights) < 1e-22
        assert _far(alone[i], true, of_weights) < 1e-22
        for j in range(S.shape[1]):
            true = sum((row[i] * row[j] for row in rows), Fraction(0))
            assert _far(squares[i][j], true, unit) < 1e-22
    assert _far(total(weight), sum(weights, Fraction(0)), max(map(abs, weights))) < 1e-24


@pytest.mark.parametrize("seed", range(8))
def test_cuts_do_not_matter(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    S = rng.uniform(-1.0, 1.0, (400, 30)) * rng.uniform(0.1, 10.0)
    weight = rng.uniform(-1.0, 1.0, 400)
    edges = np.sort(rng.integers(1, 400, int(rng.integers(1, 6))))
    for function, arguments in (
        (lambda rows: cross_products(rows, rows[:, 0])[0], (S,)),
        (weighted_rows, (weight, S)),
        (total, (weight,)),
    ):
        whole: Exact = function(*arguments)  # type: ignore[operator]
        parts = zip(*(np.split(each, edges) for each in arguments), strict=True)
        joined: Exact = reduce(add, (function(*part) for part in parts if len(part[0])))  # type: ignore[operator]
        same = np.mean(whole.high == joined.high)
        assert same >= 0.99  # the others lie half way between two numbers, to twenty digits
        np.testing.assert_allclose(joined.high, whole.high, rtol=3e-16, atol=1e-300)
    plain = S.T @ S
    again = sum(part.T @ part for part in np.split(S, edges))
    assert np.mean(plain == again) < 0.9  # what is lost without


def test_a_sum_in_place() -> None:
    sums = Exact.zeros(2, 3)
    sums.add_at(1, Exact(np.full(3, 1e16), np.full(3, 0.5)))
    sums.add_at(1, Exact(np.ones(3), np.zeros(3)))
    sums.add_at(1, Exact(np.full(3, 1e16), np.zeros(3)), -1.0)
    np.testing.assert_array_equal(sums.high, [[0.0] * 3, [1.5] * 3])
    both = Exact.stacked([sums[1], sums[1]]) + Exact.zeros(2, 3)
    np.testing.assert_array_equal(both.high, np.full((2, 3), 1.5))
