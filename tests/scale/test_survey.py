"""One pass of mergeable moments is what the whole matrix gives in memory."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from svmsieve.engine.machines.target import Numbers, TargetScale
from svmsieve.inputs.scaling import Scale, present_means
from svmsieve.scale.chunks import RowChunks
from svmsieve.scale.first_pass import MOST_LABELS, FirstPass
from svmsieve.scale.prepared_rows import rounded


def _matrix(seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(83, 5)) * [1.0, 10.0, 0.1, 1.0, 1.0] + [0.0, 1e6, 3.0, 0.0, 0.0]
    X[:, 3] = 2.5
    X[:, 4] = rng.random(83) < 0.3
    return X


@pytest.mark.parametrize("memory", [1, 400, 10**9])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["dense", "sparse", "missing"])
def test_scale_is_that_of_the_whole_matrix(memory: int, weighted: bool, kind: str) -> None:
    X: Any = _matrix()
    weight = np.linspace(0.0, 3.0, 83) if weighted else None
    fill = None
    if kind == "missing":
        X[::7, 1] = X[5, 2] = np.nan
        fill = present_means(X, weight)
    X = sp.csr_matrix(X) if kind == "sparse" else X
    survey = FirstPass.of(RowChunks(X, np.zeros(83), weight, memory=memory))
    found = survey.moments.scale(
        standardise=True, impute=kind == "missing", sparse=kind == "sparse"
    )
    wanted = Scale.of(X, weight, fill)
    np.testing.assert_allclose(found.mean, wanted.mean, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.deviation, wanted.deviation, rtol=1e-9)
    if fill is not None:
        np.testing.assert_allclose(found.fill, fill, rtol=1e-12)
    assert survey.moments.varies.tolist() == [True, True, True, False, True]
    assert survey.sparse == (kind == "sparse")


@pytest.mark.parametrize("memory", [1, 10**9])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_scale_of_a_target_is_that_of_the_whole(memory: int, weighted: bool) -> None:
    y = 1e6 + 1e-3 * np.random.default_rng(3).normal(size=83)
    weight = np.linspace(0.0, 3.0, 83) if weighted else None
    found = FirstPass.of(RowChunks(_matrix(), y, weight, memory=memory)).target_scale()
    wanted = TargetScale.of(Numbers(y), weight)
    assert found.mean == pytest.approx(wanted.mean, rel=1e-15)
    assert found.deviation == pytest.approx(wanted.deviation, rel=1e-6)


def test_weights_are_numbers_of_copies() -> None:
    X, copies = _matrix(), np.arange(83) % 4
    weighted = FirstPass.of(RowChunks(X, np.zeros(83), copies.astype(float), memory=200)).moments
    repeated = FirstPass.of(RowChunks(np.repeat(X, copies, axis=0), np.zeros(copies.sum()))).moments
    np.testing.assert_allclose(weighted.mean, repeated.mean, rtol=1e-12)
    np.testing.assert_allclose(weighted.squares, repeated.squares, rtol=1e-9)
    assert weighted.weight == repeated.weight


@pytest.mark.parametrize("memory", [1, 10**9])
def test_labels_are_counted(memory: int) -> None:
    y = np.array(["b", "a", "a", "c", "b"], dtype=object)
    weight = np.array([1.0, 2.0, 0.5, 0.0, 3.0])
    labels = FirstPass.of(RowChunks(np.ones((5, 1)), y, weight, memory=memory)).labels
    assert labels.values.tolist() == ["a", "b", "c"]
    assert labels.counts.tolist() == [2.0, 2.0, 1.0]
    assert labels.weights.tolist() == [2.5, 4.0, 0.0]


@pytest.mark.parametrize("memory", [8, 10**9])
def test_many_values_are_not_listed(memory: int) -> None:
    y = np.arange(MOST_LABELS + 1.0)
    assert FirstPass.of(RowChunks(np.ones((len(y), 1)), y, memory=memory)).labels.values is None


def test_missing_values_are_named() -> None:
    X = _matrix()
    X[[11, 40], 2] = np.nan
    moments = FirstPass.of(RowChunks(X, np.zeros(83), memory=100)).moments
    with pytest.raises(ValueError, match=r"'c' has 2 missing values, first in row 11"):
        moments.refuse_missing(list("abcde"))


@pytest.mark.parametrize("sparse", [False, True])
def test_infinite_values_are_refused(sparse: bool) -> None:
    X: Any = _matrix()
    X[50, 1] = -np.inf
    X = sp.csr_matrix(X) if sparse else X
    with pytest.raises(ValueError, match=r"column 'b' has an infinite value in row 50"):
        FirstPass.of(RowChunks(X, np.zeros(83), names=list("abcde"), memory=100))


@pytest.mark.parametrize(
    ("y", "message"),
    [(np.array([0.0, np.nan]), "row 1"), (np.array(["a", None], dtype=object), "row 1")],
)
def test_missing_labels_are_refused(y: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FirstPass.of(RowChunks(np.ones((2, 1)), y, memory=1))


def test_bad_weights_are_refused() -> None:
    with pytest.raises(ValueError, match=r"sample_weight must not be negative or missing.*row 1"):
        FirstPass.of(RowChunks(np.ones((2, 1)), np.zeros(2), np.array([1.0, -1.0])))


@pytest.mark.parametrize("seed", range(10))
def test_scales_are_the_same_wherever_rows_are_cut(seed: int) -> None:
    """Also where means are so far beyond the spreads that hardly a digit of these is left."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(20, 400)), 40
    X = (rng.normal(size=(n, d)) + 10.0 ** rng.uniform(-1.0, 11.0, d)) * 10.0 ** rng.uniform(
        -5, 5, d
    )
    if seed % 2:
        X[rng.random(X.shape) < 0.1] = np.nan
    weight = rng.uniform(0.1, 3.0, n) if seed % 3 else None
    found = [
        rounded(
            FirstPass.of(RowChunks(X, np.zeros(n), weight, memory=8 * d * rows)).moments.scale(
                standardise=True, impute=True, sparse=False
            )
        )
        for rows in (n, 1, int(rng.integers(2, n)))
    ]
    for other in found[1:]:
        for name in ("mean", "deviation", "fill"):
            np.testing.assert_array_equal(getattr(other, name), getattr(found[0], name))
    weights = np.ones(n) if weight is None else weight
    for i in range(d):
        known = ~np.isnan(X[:, i])
        values = [Fraction(float(v)) for v in X[known, i]]
        w = [Fraction(float(v)) for v in weights[known]]
        mean = sum((a * b for a, b in zip(w, values, strict=True)), Fraction(0)) / sum(w)
        squares = sum((a * (b - mean) ** 2 for a, b in zip(w, values, strict=True)), Fraction(0))
        deviation = float(squares / Fraction(float(weights.sum()))) ** 0.5
        assert found[0].deviation[i] == pytest.approx(deviation, rel=1e-9)
        assert abs(
            float(Fraction(float(found[0].mean[i])) - mean)
        ) <= 1e-9 * deviation + 1.2e-16 * abs(float(mean))
