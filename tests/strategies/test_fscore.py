"""FScoreSVC: scores, thresholds, machine, sparse input, refusals."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from svmsieve.engine.machines.grid_search import Validation
from svmsieve.engine.machines.tuned_grid import Grid
from svmsieve.engine.machines.tuning import tune_svc
from svmsieve.runtime.seeds import derived_seed
from svmsieve.strategies import FScoreSVC
from svmsieve.strategies.machine import random_splits
from svmsieve.strategies.strategy import range_scale
from tests import naive_strategies as naive
from tests.strategies.problems import shifted

QUICK = {"C": [0.1, 1.0, 10.0], "gamma": [0.1, 1.0]}


def test_scores_are_the_papers():
    X, y = shifted(n=30, d=5)
    scaled = MinMaxScaler().fit_transform(X)
    machine = FScoreSVC(n_splits=1, **QUICK).fit(X, y)
    expected = [naive.f_score(column, y.tolist()) for column in scaled.T.tolist()]
    np.testing.assert_allclose(machine.scores_, expected, rtol=1e-10)


def test_finds_the_features_behind_the_gap():
    """On five problems: with few splits a gap further down may do as well on one of them."""
    sizes, scores = [], []
    for seed in range(5):
        X, y = shifted(n=200, d=20, relevant=3, shift=1.5, seed=seed)
        machine = FScoreSVC(**QUICK).fit(X, y)
        assert machine.support_[:3].all()
        assert 3 in machine.thresholds_.sizes
        sizes.append(machine.n_features_)
        scores.append(machine.score(*shifted(n=400, d=20, relevant=3, shift=1.5, seed=10 + seed)))
    assert np.median(sizes) <= 4
    assert np.median(scores) > 0.87  # at most 0.903: Φ(1.5·√3/2)


def test_machine_is_a_tuned_svc_on_the_scaled_columns():
    X, y = shifted(n=50, d=8)
    machine = FScoreSVC(random_state=3, **QUICK).fit(X, y)
    columns = MinMaxScaler().fit_transform(X)[:, machine.support_]
    tuning = tune_svc(
        X[:, machine.support_],
        y,
        Grid(**QUICK),
        validation=Validation(seed=3, scaling=range_scale),
    )
    by_hand = SVC(C=tuning.best_C, gamma=tuning.best_gamma).fit(columns, y)
    assert isinstance(machine.estimator_, SVC)
    np.testing.assert_allclose(machine.decision_function(X), by_hand.decision_function(columns))
    np.testing.assert_array_equal(machine.predict(X), by_hand.predict(columns))


def test_threshold_zero_is_the_plain_svm():
    X, y = shifted(n=50, d=8)
    X[:, 5] = 1.0
    machine = FScoreSVC(thresholds=[0.0], **QUICK).fit(X, y)
    assert machine.support_.all()
    assert machine.thresholds_.sizes.tolist() == [8]
    assert machine.scores_[5] == 0.0


def test_features_without_variation_are_dropped():
    X, y = shifted(n=40, d=6)
    X[:, [4, 5]] = 3.0
    machine = FScoreSVC(n_splits=2, **QUICK).fit(X, y)
    assert machine.thresholds_.sizes.max() == 4
    assert not machine.support_[[4, 5]].any()


def test_errors_are_not_judged_by_samples_the_scores_saw():
    # Labels without meaning: chosen among 2000 features by all samples, 15 "predict" them.
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2000)), np.arange(60) % 2
    machine = FScoreSVC(C=[1.0], gamma=[0.1], n_splits=6).fit(X, y)
    assert machine.thresholds_.errors.mean() > 0.45
    seen = machine.scores_ >= np.sort(machine.scores_)[-15]
    scaled = MinMaxScaler().fit_transform(X)[:, seen]
    biased = cross_val_score(SVC(C=1.0, gamma=0.1), scaled, y, cv=5).mean()
    assert biased > 0.75


def test_errors_are_those_of_the_procedure_by_hand():
    X, y = shifted(n=40, d=6)
    machine = FScoreSVC(n_splits=1, scale=False, thresholds=[0.01], **QUICK).fit(X, y)
    ((train, valid),) = random_splits(y, 1, 1 / 3, 0)
    size = int((machine.scores_ >= 0.01).sum())
    scores = [naive.f_score(column, y[train].tolist()) for column in X[train].T.tolist()]
    best = np.sort(np.argsort(scores)[::-1][:size])
    tuning = tune_svc(
        X[train][:, best],
        y[train],
        Grid(**QUICK),
        validation=Validation(seed=derived_seed(0, 1, 0)),
    )
    by_hand = SVC(C=tuning.best_C, gamma=tuning.best_gamma).fit(X[train][:, best], y[train])
    error = 1.0 - balanced_accuracy_score(y[valid], by_hand.predict(X[valid][:, best]))
    assert machine.thresholds_.split_errors.tolist() == [[pytest.approx(error)]]


def test_sparse_input_gives_what_dense_input_gives_and_stays_sparse(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = shifted(n=40, d=30)
    X = np.abs(X)
    X[rng.random(X.shape) < 0.5] = 0.0
    dense = FScoreSVC(n_splits=2, **QUICK).fit(X, y)
    sparse = sp.csr_matrix(X)

    def refuse(self, *args, **kwargs):
        assert self.shape != sparse.shape, "the whole matrix was made dense"
        return sp.coo_matrix(self).toarray()

    monkeypatch.setattr(sp.csr_matrix, "toarray", refuse)
    machine = FScoreSVC(n_splits=2, **QUICK).fit(sparse, y)
    np.testing.assert_allclose(machine.scores_, dense.scores_, rtol=1e-9)
    np.testing.assert_array_equal(machine.support_, dense.support_)
    np.testing.assert_allclose(
        machine.decision_function(sparse), dense.decision_function(X), atol=1e-2
    )


def test_several_classes():
    X, y = shifted(n=90, d=10, n_classes=3)
    names = np.array(["low", "middle", "high"])[y]
    machine = FScoreSVC(n_splits=2, **QUICK).fit(X, names)
    assert machine.support_[:3].any()
    assert machine.decision_function(X).shape == (90, 3)
    assert set(machine.predict(X)) <= set(names)
    assert machine.score(X, names) > 0.8


def test_workers_and_repetition_change_nothing():
    X, y = shifted(n=40, d=10)
    one = FScoreSVC(random_state=1, n_splits=3, **QUICK).fit(X, y)
    two = FScoreSVC(random_state=1, n_splits=3, n_jobs=2, **QUICK).fit(X, y)
    np.testing.assert_array_equal(one.thresholds_.split_errors, two.thresholds_.split_errors)
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))
    other = FScoreSVC(random_state=2, n_splits=3, **QUICK).fit(X, y)
    assert (one.thresholds_.split_errors != other.thresholds_.split_errors).any()


def test_selects_in_a_pipeline_with_names():
    X, y = shifted(n=40, d=6)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    machine = FScoreSVC(n_splits=2, **QUICK).set_output(transform="pandas").fit(frame, y)
    assert list(machine.transform(frame).columns) == list(machine.get_feature_names_out())
    pipe = make_pipeline(StandardScaler(), FScoreSVC(n_splits=2, **QUICK), SVC()).fit(X, y)
    assert pipe[-1].n_features_in_ == pipe[1].n_features_


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_splits": 0}, "n_splits must be a whole number of at least 1, got 0"),
        ({"n_splits": None}, "n_splits must be a whole number of at least 1, got None"),
        ({"n_splits": "a"}, "n_splits must be a whole number of at least 1, got 'a'"),
        ({"n_splits": 1.5}, "n_splits must be a whole number of at least 1, got 1.5"),
        ({"validation_fraction": 1.0}, "validation_fraction must be below 1"),
        ({"validation_fraction": 0.0}, "validation_fraction must be a positive number"),
        ({"C": []}, "C must hold at least one value"),
        ({"C": "auto"}, "C must be a list of values to try, or None for the paper's, got 'auto'"),
        ({"gamma": 0.1}, "gamma must be a list of values to try, or None for the paper's, got 0.1"),
        ({"gamma": [-1.0]}, "gamma must be a positive number"),
        ({"thresholds": [1e9]}, "thresholds must keep at least one feature"),
        ({"random_state": -1}, "random_state must be a whole number"),
    ],
)
def test_bad_parameters_are_refused_at_fit(options, message):
    X, y = shifted(n=20, d=3)
    with pytest.raises(ValueError, match=message):
        FScoreSVC(**(QUICK | options)).fit(X, y)


def test_numbers_are_no_classes():
    X, _ = shifted(n=20, d=3)
    with pytest.raises(ValueError, match="y holds continuous values"):
        FScoreSVC().fit(X, np.linspace(0.0, 1.0, 20))


def test_a_wide_sparse_matrix_takes_little_memory():
    rng = np.random.default_rng(0)
    n, d = 40, 100_000
    y = np.arange(n) % 2
    X = sp.random(n, d, density=2e-3, random_state=rng, format="csr")
    signal = sp.csr_array(np.column_stack([y, 1.0 - y, rng.random(n)]))
    X = sp.csr_matrix(sp.hstack([X, signal]))
    options = {"C": [1.0], "gamma": [0.1, 1.0], "n_splits": 1}
    FScoreSVC(**options).fit(X[:, d:], y)  # the first call loads compiled code
    tracemalloc.start()
    machine = FScoreSVC(**options).fit(X, y)
    predicted = machine.predict(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert np.flatnonzero(machine.support_)[-1] >= d
    assert (predicted == y).all()
    assert peak < 0.75 * 8 * n * d  # bytes of the matrix, were it dense
