"""Missing values are filled from the samples a machine is trained on, and from no others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from svmsieve import SVMSieve
from svmsieve.inputs.scaling import Scale, filled, present_means
from tests.search.problems import two_classes


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


def with_holes(n=60, share=0.15):
    X, y = two_classes(n=n, d=6)
    rng = np.random.default_rng(3)
    holes = X.copy()
    holes[rng.random(X.shape) < share] = np.nan
    return holes, y


def sieve(**options):
    options = {"criterion": "fspp2", "cv": 3, "missing": "mean", "random_state": 0, **options}
    return SVMSieve(SVC(C=2.0, gamma=0.1), **options)


def test_missing_values_are_refused_by_default():
    X, y = with_holes()
    with pytest.raises(
        ValueError, match=r"column 0 has \d+ missing or infinite values?, first in row"
    ):
        sieve(missing="error").fit(X, y)


@pytest.mark.parametrize("scale", [True, False])
def test_without_folds_it_is_the_machine_on_imputed_columns(scale):
    X, y = with_holes()
    imputed = SimpleImputer().fit_transform(X)
    ours = sieve(n_features_to_select=3, scale=scale).fit(X, y)
    theirs = sieve(n_features_to_select=3, scale=scale, missing="error").fit(imputed, y)
    assert ours.order_.tolist() == theirs.order_.tolist()
    assert np.allclose(ours.scores_, theirs.scores_, equal_nan=True)
    new = X[::-1]
    filled_in = SimpleImputer().fit(X).transform(new)
    assert np.allclose(ours.decision_function(new), theirs.decision_function(filled_in))
    assert np.array_equal(ours.transform(X), X[:, ours.support_], equal_nan=True)


def test_each_fold_is_filled_from_its_own_training_samples():
    X, y = with_holes(share=0.4)
    fitted = sieve(n_features_to_select="best", step=1).fit(X, y)
    scores = fitted.path_.fold_scores
    splits = StratifiedKFold(3, shuffle=True, random_state=0).split(X, y)
    for fold, (train, test) in enumerate(splits):
        imputer = SimpleImputer().fit(X[train])
        scaler = StandardScaler().fit(imputer.transform(X[train]))
        inner = SVC(C=2.0, gamma=0.1).fit(scaler.transform(imputer.transform(X[train])), y[train])
        expected = inner.score(scaler.transform(imputer.transform(X[test])), y[test])
        # all features, the first size of the path
        assert scores[list(fitted.path_.n_features).index(6), fold] == pytest.approx(expected)


def test_held_out_rows_do_not_change_a_fold():
    X, y = with_holes(share=0.3)
    folds = [(np.arange(40), np.arange(40, 60))]
    steps = []
    for shift in (0.0, 100.0):
        changed = X.copy()
        changed[40:] += shift
        fitted = sieve(n_features_to_select="best", cv=folds).fit(changed, y)
        steps.append([(step.moved, step.scores) for step in fitted.record_.steps["0"]])
    assert steps[0] == steps[1]


def test_frames_weights_pipelines_and_size_changes():
    X, y = with_holes()
    frame = pd.DataFrame(X, columns=list("abcdef"))
    weight = np.random.default_rng(0).random(len(y)) + 0.5
    fitted = sieve(n_features_to_select=3).fit(frame, y, sample_weight=weight)
    means = present_means(X, weight)
    assert np.allclose(fitted.fill_values_, means[fitted.support_])
    assert fitted.predict(frame).shape == y.shape
    assert fitted.at_size(2, frame, y).predict(frame).shape == y.shape
    assert cross_val_score(sieve(n_features_to_select=3), frame, y, cv=3).mean() > 0.5


def test_infinite_values_are_refused_all_the_same():
    X, y = with_holes()
    X[7, 2] = np.inf
    with pytest.raises(
        ValueError, match="column 2 has 1 missing or infinite value, first in row 7"
    ):
        sieve().fit(X, y)


def test_sparse_and_unknown():
    X, y = two_classes(n=60, d=6)
    sparse = sp.csr_matrix(X)
    assert sieve(n_features_to_select=2).fit(sparse, y).fill_values_ is None
    sparse.data[5] = np.nan
    with pytest.raises(ValueError, match="missing or infinite"):
        sieve(n_features_to_select=2).fit(sparse, y)
    with pytest.raises(ValueError, match="missing must be 'error' or 'mean', got 'median'"):
        sieve(missing="median").fit(X, y)


def test_scikit_learn_checks():
    sieve = SVMSieve(
        SVC(gamma=0.1, tol=1e-8),
        criterion="weight",
        n_features_to_select="threshold",
        missing="mean",
    )
    check_estimator(sieve, on_skip=None)
