"""Loops over a Dask cluster give the answers of this process, bit for bit."""

from __future__ import annotations

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_validate
from sklearn.svm import SVC, SVR

from svmsieve import SVMSieve, rank
from svmsieve.engine.machines.tuned_grid import Grid
from svmsieve.engine.machines.tuning import tune_svc, tune_svr
from svmsieve.evaluation import compare, nested_evaluate
from svmsieve.papers.runner import Only, collect
from svmsieve.runtime import cluster_loops
from svmsieve.strategies import FScoreForestSVC, RMBoundSVC

SIEVE = SVMSieve(SVC(C=3.0), criterion="fspp2", step=0.4, cv=3, random_state=1)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8))
    return X, np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=60) > 0, "a", "b")


@pytest.fixture
def sent(monkeypatch):
    """How many tasks of which function were sent; small loops are sent too."""
    monkeypatch.setattr(cluster_loops, "WORTH_SENDING", 0.0)
    counts: dict[str, int] = {}
    really = cluster_loops.delayed

    def counting(function):
        def call(parcel, inner, *rest):
            counts[inner.__name__] = counts.get(inner.__name__, 0) + 1
            return really(function)(parcel, inner, *rest)

        return call

    monkeypatch.setattr(cluster_loops, "delayed", counting)
    return counts


def outcome(sieve):
    steps = {
        name: [{**step.to_dict(), "seconds": 0.0} for step in steps]
        for name, steps in sieve.record_.steps.items()
    }
    # as text, because a score that is not a number is unlike itself
    return repr(
        (sieve.order_.tolist(), sieve.scores_.tolist(), sieve.n_features_, sorted(steps.items()))
    )


def same_folds(one, other):
    assert len(one.folds) == len(other.folds)
    for a, b in zip(one.folds, other.folds, strict=True):
        assert {**a.to_dict(), "seconds": 0} == {**b.to_dict(), "seconds": 0}


def test_folds_of_a_sieve(data, on_dask, sent, tmp_path):
    heard = []
    file = tmp_path / "run.jsonl"
    there = clone(SIEVE).set_params(checkpoint=file, callback=heard.append).fit(*data)
    assert sent["_steps_of"] == 4
    with joblib.parallel_config("sequential"):
        here = clone(SIEVE).fit(*data)
        assert outcome(there) == outcome(here)
        assert len(heard) == sum(map(len, there.record_.steps.values()))
        # The record holds everything: nothing is trained again.
        again = clone(SIEVE).set_params(checkpoint=file, criterion="fspp2").fit(*data)
    assert outcome(again) == outcome(here)
    assert len(file.read_text().splitlines()) == 1 + len(heard) + 4


@pytest.mark.parametrize("kind", ["sparse", "weights", "groups"])
def test_forms_of_the_data(data, on_dask, kind):
    import scipy.sparse as sp

    X, y = data
    options, more = {}, {}
    if kind == "sparse":
        X = sp.csr_array(np.where(np.abs(X) > 0.5, X, 0.0))
    elif kind == "weights":
        more["sample_weight"] = np.linspace(0.5, 2.0, len(y))
    else:
        options["groups"] = [[0, 1], [2, 3]]
    there = clone(SIEVE).set_params(**options).fit(X, y, **more)
    with joblib.parallel_config("sequential"):
        here = clone(SIEVE).set_params(**options).fit(X, y, **more)
    assert outcome(there) == outcome(here)


def test_nested_evaluation_and_comparison(data, on_dask, sent, tmp_path):
    heard = []
    sieve = clone(SIEVE).set_params(criterion="weight-gradient", callback=heard.append)
    file = tmp_path / "nested.jsonl"
    there = nested_evaluate(sieve, *data, 3, checkpoint=file)
    assert sent["_fold_of"] == 3
    assert len(heard) == 3 * 4 * len(there.folds[0].sizes)
    assert len(file.read_text().splitlines()) == 1 + 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["nested.jsonl"]
    both = {"wg": sieve, "f": clone(SIEVE).set_params(criterion="f-score")}
    compared = compare(both, *data, 3)
    assert sent["_fold_of"] == 3 + 6
    with joblib.parallel_config("sequential"):
        same_folds(nested_evaluate(sieve, *data, 3), there)
        same_folds(nested_evaluate(sieve, *data, 3, checkpoint=file), there)
        for name, each in compare(both, *data, 3).evaluations.items():
            same_folds(each, compared.evaluations[name])


def test_grid_points(data, on_dask, sent):
    X, y = data
    target = X[:, 0] ** 2 + X[:, 1]

    def tune():
        svc = tune_svc(X, y, Grid([0.1, 1, 10], [0.01, 0.1, 1.0]))
        svr = tune_svr(X, target, Grid([1, 10], [0.1, 1.0], [0.1, 0.5]))
        return svc.fold_scores.tolist(), svr.fold_scores.tolist(), svr.converged.tolist()

    there = tune()
    assert sent["fold_points"] == 15 + 10
    with joblib.parallel_config("sequential"):
        assert tune() == there


@pytest.mark.parametrize(
    "criterion", ["weight-retrained", "span-retrained", "radius-margin-retrained"]
)
def test_retrained_features(criterion, on_dask, sent):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(210, 5))
    y = np.digitize(X[:, 0] + X[:, 1] ** 2, [0.5, 1.5])
    there = rank(X, y, criterion, SVC())
    assert sent["without"] == 5
    with joblib.parallel_config("sequential"):
        assert rank(X, y, criterion, SVC()).scores.tolist() == there.scores.tolist()


def test_forward_search(data, on_dask, sent):
    X, y = data
    options = {"search": "forward", "n_features_to_select": 2}
    there = SVMSieve(SVC(), criterion="f-score", **options).fit(X, y)
    assert sent["validate"] > 2
    with joblib.parallel_config("sequential"):
        here = SVMSieve(SVC(), criterion="f-score", **options).fit(X, y)
    assert outcome(there) == outcome(here)


def test_units_of_a_paper(on_dask, sent, tmp_path):
    options = {"trials": 1, "seed": 3, "only": Only(("Corr",))}
    file = tmp_path / "paper.jsonl"
    there = collect("rakotomamonjy2003", "nonlinear", checkpoint=file, **options)
    n_units = sent["_unit"]
    assert n_units >= 2
    with joblib.parallel_config("sequential"):
        here = collect("rakotomamonjy2003", "nonlinear", **options)
        again = collect("rakotomamonjy2003", "nonlinear", checkpoint=file, **options)
    assert here.values == there.values == again.values


@pytest.mark.parametrize(
    "strategy",
    [RMBoundSVC(n_splits=2), FScoreForestSVC(n_splits=2, n_trees=10, C=[1, 10], gamma=[0.1, 1])],
)
def test_splits_of_a_strategy(data, on_dask, sent, strategy):
    X, y = data[0][:, :4], data[1]
    there = clone(strategy).fit(X, y)
    assert sent["_call"] > 2
    with joblib.parallel_config("sequential"):
        here = clone(strategy).fit(X, y)
    assert here.thresholds_.errors.tolist() == there.thresholds_.errors.tolist()
    assert here.support_.tolist() == there.support_.tolist()


def test_a_fit_inside_a_task_stays_there(data, on_dask, sent):
    X, y = data[0], data[0][:, 0] + data[0][:, 1] ** 2
    sieve = SVMSieve(SVR(), criterion="sd-gauss", search="once", cv=2, n_features_to_select=2)
    there = cross_validate(sieve, X, y, cv=2)["test_score"]
    assert sent == {}
    with joblib.parallel_config("sequential"):
        assert cross_validate(sieve, X, y, cv=2)["test_score"].tolist() == there.tolist()


def test_what_fails_in_a_task_is_said_here(data, on_dask):
    X, y = data
    cv = [(np.arange(30), np.arange(30, 60)), (np.flatnonzero(y == "a"), np.flatnonzero(y == "b"))]
    with pytest.raises(ValueError, match="class"):
        clone(SIEVE).set_params(cv=cv).fit(X, y)


def test_a_callback_may_end_the_run_and_its_record_goes_on(data, on_dask, tmp_path):
    file, heard = tmp_path / "run.jsonl", []

    def press(step):
        heard.append(step)
        if len(heard) == 5:
            raise KeyboardInterrupt

    sieve = clone(SIEVE).set_params(checkpoint=file, callback=press)
    with pytest.raises(KeyboardInterrupt):
        sieve.fit(*data)
    assert len(file.read_text().splitlines()) >= 6
    goes_on = clone(SIEVE).set_params(checkpoint=file).fit(*data)
    with joblib.parallel_config("sequential"):
        assert outcome(goes_on) == outcome(clone(SIEVE).fit(*data))
