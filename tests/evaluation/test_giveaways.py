"""Features that give the target away are found, and those that do not are left in peace."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

from svmsieve.evaluation.giveaways import giveaways


def found(X, y, regression=False, units=None):
    units = [np.array([i]) for i in range(X.shape[1])] if units is None else units
    names = [str(i) for i in range(len(units))]
    return {each.name for each in giveaways(X, y, units, names, regression=regression)}


def noise(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


CLASS_LEAKS = {
    "its code": lambda y, rng: 1.0 * y,
    "its code in another order": lambda y, rng: np.array([7.0, -1.0, 3.0])[y],
    "its code, a little noisy": lambda y, rng: y + 0.05 * rng.normal(size=len(y)),
    "whether it is one of the classes": lambda y, rng: 1.0 * (y == 1),
    "missing where it is one of the classes": lambda y, rng: np.where(y == 2, np.nan, 1.0),
    "a number of the class's own, different in each row": lambda y, rng: (
        (3 * rng.permutation(len(y)) + y).astype(float) % 3 * 1000 + rng.random(len(y))
    ),
}


@pytest.mark.parametrize("leak", CLASS_LEAKS)
def test_functions_of_a_class_are_found(leak):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 90)
    X = noise(90, 6)
    X[:, 4] = CLASS_LEAKS[leak](y, rng)
    assert found(X, np.array(["a", "b", "c"])[y]) == {"4"}


NUMBER_LEAKS = {
    "itself in other units": lambda y: 3.0 - 2.0 * y,
    "a monotone function": np.exp,
    "a function that is not monotone": lambda y: y**2,
    "whether it is large": lambda y: 1.0 * (y > 0.5),
    "itself, rounded": lambda y: np.round(y, 1),
}


@pytest.mark.parametrize("leak", NUMBER_LEAKS)
@pytest.mark.parametrize("n", [60, 400])
def test_functions_of_a_number_are_found(leak, n):
    y = np.random.default_rng(2).normal(size=n)
    X = noise(n, 6)
    X[:, 2] = NUMBER_LEAKS[leak](y)
    X[:, 3] = y + 0.5 * X[:, 3]  # good, and no leak
    assert found(X, y, regression=True) == {"2"}


def test_a_category_is_looked_at_as_a_whole():
    y = np.random.default_rng(3).integers(0, 3, 60)
    X = np.hstack([noise(60, 2), np.eye(3)[y]])
    units = [np.array([0]), np.array([1]), np.array([2, 3, 4])]
    assert found(X, y, units=units) == {"2"}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("n", "d"), [(12, 2000), (60, 500), (300, 50)])
def test_noise_gives_nothing_away(n, d, seed):
    X = noise(n, d, seed)
    X[:, ::3] = np.round(X[:, ::3])
    X[::7, 1::3] = np.nan
    y = np.random.default_rng(seed).permutation(np.arange(n) % 2)
    assert not found(X, y)
    assert not found(X, np.random.default_rng(seed).normal(size=n), regression=True)
    assert not found(X, (np.arange(n) < max(2, n // 25)).astype(int))


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_diabetes])
def test_real_features_are_no_leaks(load):
    X, y = load(return_X_y=True)
    assert not found(X, y, regression=load is load_diabetes)


def test_sparse_as_dense_and_many_rows():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 3000)
    X = noise(3000, 5) * (rng.random((3000, 5)) < 0.2)
    X[:, 1] = y
    assert found(sp.csr_matrix(X), y) == found(X, y) == {"1"}
