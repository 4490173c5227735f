"""Missing values are filled from the samples a machine is trained on, and from no others."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import StandardScaler

from svmsieve.preparation import Scale, filled, present_means


@pytest.fixture
def holes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5)) * [1, 10, 0.1, 1, 1] + 3
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:, 4] = np.nan
    return X


def test_means_of_what_is_present(holes):
    means = present_means(holes)
    for column in range(4):
        present = [v for v in holes[:, column] if v == v]
        assert means[column] == pytest.approx(sum(present) / len(present))
    assert means[4] == 0.0
    weight = np.arange(40.0)
    repeated = np.repeat(holes, weight.astype(int), axis=0)
    assert np.allclose(present_means(holes, weight), present_means(repeated))


def test_fill_then_scale_as_scikit_learn_does(holes):
    scale = Scale.of(holes, fill=present_means(holes))
    theirs = SimpleImputer(keep_empty_features=True).fit(holes)
    scaler = StandardScaler().fit(theirs.transform(holes))
    new = holes[::-1] * 2
    expected = scaler.transform(theirs.transform(new))
    assert np.allclose(scale.apply(new), expected)
    only = Scale.none(5, present_means(holes)).apply(new)
    assert np.allclose(only, theirs.transform(new))


def test_nothing_to_fill():
    X = np.eye(3)
    assert filled(X, None) is X
