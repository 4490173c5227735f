"""Nested evaluation."""

from __future__ import annotations

import json
import threading

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import Ridge
from sklearn.metrics import fbeta_score, make_scorer, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from svmsieve import SVMSieve
from svmsieve.evaluation import Bootstrap, nested_evaluate
from svmsieve.evaluation.fold_jobs import _silent
from svmsieve.sizing import FDR
from tests.evaluation.problems import noise, some_matter, two_matter

FILTER = SVMSieve(SVC(), criterion="f-score", search="once", n_features_to_select=3)
FOLDS = StratifiedKFold(4, shuffle=True, random_state=1)


@pytest.fixture(scope="module")
def data():
    return two_matter()


@pytest.fixture(scope="module")
def evaluation(data):
    sieve = SVMSieve(SVC(), criterion="weight", step=2, n_features_to_select="1se", cv=3)
    return nested_evaluate(sieve, *data, FOLDS)


def same(a, b):
    """Whether two evaluations agree in everything but time."""

    def plain(evaluation):
        values = evaluation.to_dict()
        for fold in values["folds"]:
            del fold["seconds"]
        return values

    assert plain(a) == plain(b)


def test_every_fold_is_a_fit_of_its_own(data, evaluation):
    X, y = data
    for (train, test), fold in zip(FOLDS.split(X, y), evaluation.folds, strict=True):
        sieve = SVMSieve(SVC(), criterion="weight", step=2, n_features_to_select="1se", cv=3)
        sieve.fit(X[train], y[train])
        np.testing.assert_array_equal(fold.test, test)
        assert fold.score == sieve.score(X[test], y[test])
        np.testing.assert_array_equal(fold.selected, sieve.get_support(indices=True))
        np.testing.assert_array_equal(fold.order, sieve.order_)
        np.testing.assert_array_equal(fold.predictions, sieve.predict(X[test]))
        np.testing.assert_array_equal(fold.decisions, sieve.decision_function(X[test]))
        assert fold.reason == sieve.size_reason_


def test_scores_are_those_of_cross_val_score(data):
    X, y = data
    ours = nested_evaluate(FILTER, X, y, FOLDS, scoring="balanced_accuracy").scores
    theirs = cross_val_score(FILTER, X, y, cv=FOLDS, scoring="balanced_accuracy")
    np.testing.assert_array_equal(ours, theirs)


def test_scores_along_the_path_are_those_of_the_sizes_asked_for(data):
    X, y = data
    sieve = clone(FILTER).set_params(n_features_to_select=1, step=3)
    evaluation = nested_evaluate(sieve, X, y, FOLDS)
    assert evaluation.sizes.tolist() == [1, 2, 5, 8]
    for size in (1, 2, 5):
        asked = clone(FILTER).set_params(n_features_to_select=size)
        np.testing.assert_array_equal(
            evaluation.scores_at(size), cross_val_score(asked, X, y, cv=FOLDS)
        )
    frame = evaluation.sizes_frame()
    assert frame.loc[2, "mean"] == evaluation.scores_at(2).mean()
    assert frame.loc[2, "se"] == pytest.approx(evaluation.scores_at(2).std(ddof=1) / 2)
    with pytest.raises(ValueError, match="1, 2, 5, 8, got 3"):
        evaluation.scores_at(3)


def test_selection_bias_is_there_without_nesting_and_gone_with_it():
    """60 × 2000 of noise: selecting on all samples and then cross-validating invents knowledge."""
    sieve = SVMSieve(SVC(kernel="linear"), criterion="f-score", search="once", step=0.5, cv=3)
    nested, naive = [], []
    for seed in range(3):
        X, y = noise(seed)
        nested.extend(1.0 - nested_evaluate(sieve, X, y, 5).scores)
        chosen = clone(sieve).set_params(n_features_to_select=20).fit(X, y).transform(X)
        naive.extend(1.0 - cross_val_score(SVC(kernel="linear"), chosen, y, cv=5))
    error = np.std(nested, ddof=1) / np.sqrt(len(nested))
    assert abs(np.mean(nested) - 0.5) < 3 * error
    assert np.mean(naive) < 0.25


def test_standard_errors(data, evaluation):
    scores = evaluation.scores
    assert evaluation.mean == scores.mean()
    assert evaluation.se == pytest.approx(scores.std(ddof=1) / 2)
    assert evaluation.test_per_train == pytest.approx(1 / 3)
    assert evaluation.corrected_se == pytest.approx(np.sqrt(1 / 4 + 1 / 3) * scores.std(ddof=1))


def test_other_measures_from_what_was_kept(data, evaluation):
    _, y = data
    auc = [roc_auc_score(y[fold.test] == "yes", fold.decisions) for fold in evaluation.folds]
    np.testing.assert_allclose(evaluation.scores_by("auc"), auc)
    np.testing.assert_array_equal(evaluation.scores_by("accuracy"), evaluation.scores)
    np.testing.assert_allclose(
        evaluation.scores_by("ber"), 1 - evaluation.scores_by("balanced_accuracy")
    )


def test_frames_and_plain_dict(data, evaluation):
    _, y = data
    frame = evaluation.to_frame()
    assert frame["accuracy"].tolist() == evaluation.scores.tolist()
    assert frame["n_features"].tolist() == evaluation.n_features
    assert frame["n_train"].tolist() == [45] * 4
    rows = evaluation.predictions_frame().sort_values("row")
    assert rows["row"].tolist() == list(range(len(y)))
    assert rows["y"].tolist() == y.tolist()
    plain = json.loads(json.dumps(evaluation.to_dict()))
    assert plain["classes"] == ["no", "yes"]
    assert plain["folds"][0]["selected"] == evaluation.folds[0].selected.tolist()
    assert "accuracy" in repr(evaluation)
    assert "4 folds" in repr(evaluation)


def test_stability_over_the_folds(data):
    stability = nested_evaluate(FILTER, *data, FOLDS).stability()
    assert set(stability.to_frame()["feature"][:2]) == {"x0", "x1"}
    assert stability.frequency[:2].tolist() == [1.0, 1.0]
    assert stability.sizes == [3] * 4
    assert stability.mean_correlation > 0


@pytest.mark.parametrize(("backend", "n_jobs"), [("threading", 3), ("loky", 2)])
def test_workers_change_nothing(data, evaluation, n_jobs, backend, tmp_path):
    sieve = SVMSieve(SVC(), criterion="weight", step=2, n_features_to_select="1se", cv=3)
    options = {"n_jobs": n_jobs, "checkpoint": tmp_path / "nested.jsonl"}
    with joblib.parallel_config(backend=backend):
        same(nested_evaluate(sieve, *data, FOLDS, **options), evaluation)
    assert [path.name for path in tmp_path.iterdir()] == ["nested.jsonl"]
    same(nested_evaluate(sieve, *data, FOLDS, **options), evaluation)


@pytest.mark.filterwarnings("ignore:No feature")
def test_folds_that_select_nothing(tmp_path):
    X, y = noise(0, d=20)
    sieve = clone(FILTER).set_params(n_features_to_select=FDR(0.05))
    options = {"outer_cv": FOLDS, "scoring": "auc", "checkpoint": tmp_path / "nested.jsonl"}
    for _ in range(2):  # the second time from the record
        evaluation = nested_evaluate(sieve, X, y, **options)
        assert evaluation.n_features == [0] * 4
        assert evaluation.scores.tolist() == [0.5] * 4
        assert np.isnan(evaluation.stability().index.value)
        assert len(evaluation.sizes) > 0


@pytest.mark.parametrize("kind", ["pandas", "polars", "sparse", "lists"])
def test_every_kind_of_table(data, kind):
    X, y = data
    X = np.where(np.abs(X) < 0.3, 0.0, X)
    names = [f"gene {i}" for i in range(X.shape[1])]
    table = {
        "pandas": lambda: pd.DataFrame(X, columns=names),
        "polars": lambda: pl.DataFrame(X, schema=names),
        "sparse": lambda: sp.csr_array(X),
        "lists": lambda: X.tolist(),
    }[kind]()
    sieve = clone(FILTER).set_params(scale=False)
    found = nested_evaluate(sieve, table, list(y), FOLDS)
    np.testing.assert_array_equal(found.scores, nested_evaluate(sieve, X, y, FOLDS).scores)
    assert found.feature_names[0] == ("gene 0" if kind in ("pandas", "polars") else "x0")


def test_numbers_as_target(data):
    X, _ = data
    y = X[:, 0] + 0.1 * np.random.default_rng(0).normal(size=len(X))
    sieve = SVMSieve(SVR(), criterion="correlation", search="once", n_features_to_select=2)
    evaluation = nested_evaluate(sieve, X, y, 4, scoring="mse")
    predictions = evaluation.predictions_frame().sort_values("row")["prediction"]
    errors = [np.mean((y[f.test] - predictions.to_numpy()[f.test]) ** 2) for f in evaluation.folds]
    np.testing.assert_allclose(evaluation.scores, errors)
    assert evaluation.classes is None
    assert nested_evaluate(
        SVMSieve(criterion="correlation", n_features_to_select=1), X[:20], y[:20], 2
    )


def test_three_classes(data):
    X, _ = data
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    evaluation = nested_evaluate(FILTER, X, y, FOLDS)
    assert evaluation.folds[0].decisions.shape == (15, 3)
    assert "decision2" in evaluation.predictions_frame()


def test_repeated_folds(data):
    evaluation = nested_evaluate(
        FILTER, *data, RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=0)
    )
    assert len(evaluation.folds) == 12
    assert evaluation.test_per_train == pytest.approx(0.5)


# Any estimator that predicts.


def test_a_plain_classifier_has_no_features_or_sizes(data):
    evaluation = nested_evaluate(SVC(), *data, FOLDS)
    assert evaluation.n_features == [None] * 4
    assert len(evaluation.sizes) == 0
    assert len(evaluation.sizes_frame()) == 0
    with pytest.raises(ValueError, match="stability needs"):
        evaluation.stability()
    assert "features" not in repr(evaluation)


def test_a_pipeline_tells_what_its_selector_let_through(data):
    X, y = data
    pipe = make_pipeline(StandardScaler(), SelectKBest(k=4), SelectKBest(k=2), SVC())
    evaluation = nested_evaluate(pipe, X, y, FOLDS)
    assert evaluation.n_features == [2] * 4
    assert all(fold.selected.tolist() == [0, 1] for fold in evaluation.folds)
    predicted = cross_val_predict(pipe, X, y, cv=FOLDS)
    rows = evaluation.predictions_frame().sort_values("row")
    assert rows["prediction"].tolist() == predicted.tolist()


def test_a_pipeline_that_ends_in_a_sieve_has_sizes(data):
    X, y = data
    pipe = make_pipeline(StandardScaler(), SelectKBest(k=5), FILTER)
    evaluation = nested_evaluate(pipe, X, y, FOLDS)
    assert evaluation.sizes.tolist() == [3, 4, 5]
    assert all(set(fold.order) >= {0, 1} and len(fold.order) == 5 for fold in evaluation.folds)
    np.testing.assert_array_equal(evaluation.scores_at(3), evaluation.scores)


def test_mixed_columns_are_not_told_apart(data):
    pipe = make_pipeline(PCA(4), SelectKBest(k=2), SVC())
    assert nested_evaluate(pipe, *data, FOLDS).n_features == [None] * 4


def test_a_grid_search_is_looked_into(data):
    search = GridSearchCV(make_pipeline(SelectKBest(k=2), SVC()), {"svc__C": [0.1, 10.0]}, cv=3)
    assert nested_evaluate(search, *data, FOLDS).n_features == [2] * 4


def test_probabilities_stand_in_for_decision_values(data):
    forest = RandomForestClassifier(5, random_state=0)
    evaluation = nested_evaluate(forest, *data, FOLDS, scoring="auc")
    assert evaluation.folds[0].decisions.shape == (15,)


# Resumption.


class Failing(ClassifierMixin, BaseEstimator):
    """Fails after some fits, which are counted over all its copies."""

    calls = 0
    limit = 10**9

    def __init__(self, C=1.0):
        self.C = C

    def fit(self, X, y):
        Failing.calls += 1
        if Failing.calls > Failing.limit:
            raise RuntimeError("power cut")
        self.machine_ = SVC(C=self.C).fit(X, y)
        self.classes_ = self.machine_.classes_
        return self

    def predict(self, X):
        return self.machine_.predict(X)


@pytest.fixture
def failing(monkeypatch):
    monkeypatch.setattr(Failing, "calls", 0)
    monkeypatch.setattr(Failing, "limit", 10**9)
    return monkeypatch


def test_folds_that_are_done_are_not_done_again(data, tmp_path, failing):
    file = tmp_path / "nested.jsonl"
    whole = nested_evaluate(Failing(), *data, FOLDS)
    Failing.calls, Failing.limit = 0, 2
    with pytest.raises(RuntimeError, match="power cut") as caught:
        nested_evaluate(Failing(), *data, FOLDS, checkpoint=file)
    assert "in fold 2 of the evaluation of 'selector'" in caught.value.__notes__
    Failing.limit = 10**9
    Failing.calls = 0
    same(nested_evaluate(Failing(), *data, FOLDS, checkpoint=file), whole)
    assert Failing.calls == 2
    same(nested_evaluate(Failing(), *data, FOLDS, checkpoint=file), whole)
    assert Failing.calls == 2


def test_a_fold_whose_line_was_cut_short_is_done_again(data, tmp_path, evaluation):
    file = tmp_path / "nested.jsonl"
    sieve = SVMSieve(SVC(), criterion="weight", step=2, n_features_to_select="1se", cv=3)
    nested_evaluate(sieve, *data, FOLDS, checkpoint=file)
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) - 100])
    same(nested_evaluate(sieve, *data, FOLDS, checkpoint=file, n_jobs=2), evaluation)
    assert [path.name for path in tmp_path.iterdir()] == ["nested.jsonl"]


def test_a_sieve_goes_on_inside_the_fold(data, tmp_path):
    file = tmp_path / "nested.jsonl"
    steps = []

    def stop(step):
        steps.append(step.size)
        if len(steps) == 20:
            raise KeyboardInterrupt

    def sieve(callback):
        return SVMSieve(
            SVC(), criterion="weight", step=1, n_features_to_select=1, callback=callback
        )

    with pytest.raises(KeyboardInterrupt):
        nested_evaluate(sieve(stop), *data, FOLDS, checkpoint=file)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "nested.jsonl",
        "nested.jsonl.0-2.0",
    ]
    heard = []
    again = nested_evaluate(sieve(heard.append), *data, FOLDS, checkpoint=file)
    # Folds of eight steps: two were done, and four steps of the third.
    assert len(steps) + len(heard) == 4 * 8
    same(again, nested_evaluate(sieve(None), *data, FOLDS))
    assert [path.name for path in tmp_path.iterdir()] == ["nested.jsonl"]


def test_an_error_stops_the_folds_at_work_in_other_threads(data):
    started, counted = threading.Event(), []

    def callback(step):
        counted.append(step.size)
        if threading.current_thread() is first[0]:
            started.wait(10)
            raise RuntimeError("no more")
        started.set()

    first = []

    def note(step):
        if not first:
            first.append(threading.current_thread())
        callback(step)

    sieve = SVMSieve(SVC(), criterion="weight", step=1, n_features_to_select=1, callback=note)
    before = threading.active_count()
    with pytest.raises(RuntimeError, match="no more"):
        nested_evaluate(sieve, *data, FOLDS, n_jobs=2)
    assert threading.active_count() <= before + 4
    assert len(counted) < 4 * 8


def other_labels(X, y):
    return X, np.roll(y, 1)


def other_names(X, y):
    return pd.DataFrame(X, columns=list("abcdefgh")), y


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (other_labels, {}, "the data"),
        (other_names, {}, "the data"),
        (None, {"scoring": "ber"}, "scoring"),
        (None, {"outer_cv": KFold(4)}, "outer_cv"),
        (None, {"selector": SVC(C=3)}, "method 'selector'"),
    ],
)
def test_a_record_of_another_evaluation_is_refused(data, tmp_path, change, options, message):
    file = tmp_path / "nested.jsonl"
    nested_evaluate(SVC(), *data, FOLDS, checkpoint=file)
    X, y = data if change is None else change(*data)
    options = {"selector": SVC(), "outer_cv": FOLDS, **options}
    with pytest.raises(ValueError, match=f"another run.*{message}"):
        nested_evaluate(options.pop("selector"), X, y, checkpoint=file, **options)


def test_workers_and_callbacks_may_change_between_runs(data, tmp_path):
    file = tmp_path / "nested.jsonl"
    whole = nested_evaluate(FILTER, *data, FOLDS, checkpoint=file)
    other = clone(FILTER).set_params(n_jobs=2, callback=print)
    same(nested_evaluate(other, *data, FOLDS, checkpoint=file, n_jobs=2), whole)


# Refusals.


def test_a_selector_that_does_not_predict_is_refused(data):
    with pytest.raises(ValueError, match="must have fit and predict, got SelectKBest"):
        nested_evaluate(SelectKBest(), *data)


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        ([(range(30), range(30, 60))], "at least two folds"),
        ([(range(30), range(29, 60))] * 2, "fold 0 shares some"),
        ([(range(30), [])] * 2, "fold 0 does not"),
    ],
)
def test_folds_that_cannot_judge_are_refused(data, folds, message):
    with pytest.raises(ValueError, match=message):
        nested_evaluate(FILTER, *data, [(np.array(a), np.array(b, dtype=int)) for a, b in folds])


def test_a_regressor_needs_numbers(data):
    X, y = data
    with pytest.raises(ValueError, match="y must be numeric"):
        nested_evaluate(Ridge(), X, y)


# Bootstrap.


def test_bootstrap_keeps_the_classes_and_leaves_a_third_out(data):
    X, y = data
    shares = []
    for train, test in Bootstrap(200, random_state=3).split(X, y):
        assert len(train) == len(y)
        assert (y[train] == "yes").sum() == (y == "yes").sum()
        assert not set(train) & set(test)
        assert set(train) | set(test) == set(range(len(y)))
        shares.append(len(test) / len(y))
    # (1 − 1/n)^n of each class of about 30
    assert np.mean(shares) == pytest.approx(np.exp(-1), abs=0.01)


@pytest.mark.parametrize("kind", [str, int, float])
def test_bootstrap_keeps_the_classes_whatever_their_type(kind):
    y = np.repeat([0, 1], [6, 54]).astype(kind)
    for train, _ in Bootstrap(50).split(np.zeros((60, 1)), y):
        assert (y[train] == y[0]).sum() == 6
    numbers = np.random.default_rng(0).normal(size=60)
    drawn = [len(np.unique(train)) for train, _ in Bootstrap(50).split(np.zeros((60, 1)), numbers)]
    assert max(drawn) < 60


def test_bootstrap_repeats_itself_and_its_replicates_differ(data):
    X, y = data
    first, again = (list(Bootstrap(3, random_state=1).split(X, y)) for _ in range(2))
    for (a, _), (b, _) in zip(first, again, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not np.array_equal(first[0][0], first[1][0])


def test_bootstrap_stability_of_a_sieve(data):
    evaluation = nested_evaluate(FILTER, *data, Bootstrap(10))
    assert len(evaluation.folds) == 10
    assert all(fold.n_train + len(fold.test) == 60 for fold in evaluation.folds)
    assert evaluation.stability().frequency[0] == 1.0


def test_bootstrap_of_one_sample_a_class_is_refused():
    with pytest.raises(ValueError, match="at least two samples"):
        next(Bootstrap().split(np.zeros((2, 1)), np.array([0, 1])))


def test_missing_values_are_filled_inside_the_folds():
    X, y = some_matter(0, d=40, effect=2.0)
    X[np.random.default_rng(0).random(X.shape) < 0.05] = np.nan
    sieve = clone(FILTER).set_params(missing="mean", n_features_to_select=FDR(0.2))
    evaluation = nested_evaluate(sieve, X, y, FOLDS)
    assert evaluation.mean > 0.9
    assert all(np.isin(range(20), fold.selected).mean() > 0.8 for fold in evaluation.folds)


def test_evaluation_at_a_size_is_that_of_the_machines_of_that_size():
    X, y = make_classification(60, 6, random_state=0)
    sieve = SVMSieve(SVC(), criterion="f-score", search="once", n_features_to_select=2)
    evaluation = nested_evaluate(sieve, X, y, outer_cv=3)
    everything = evaluation.at_size(6)
    machine = make_pipeline(StandardScaler(), SVC())
    for fold, again in zip(evaluation.folds, everything.folds, strict=True):
        train = np.setdiff1d(np.arange(60), fold.test)
        expected = machine.fit(X[train], y[train]).predict(X[fold.test])
        np.testing.assert_array_equal(again.predictions, expected)
    np.testing.assert_allclose(everything.scores, evaluation.scores_at(6))
    np.testing.assert_allclose(everything.scores_by("accuracy"), everything.scores)


def test_a_checkpoint_of_another_scorer_is_refused(data, tmp_path):
    options = {"outer_cv": FOLDS, "checkpoint": tmp_path / "nested.jsonl"}
    scorers = [make_scorer(fbeta_score, beta=beta, pos_label="yes") for beta in (0.1, 9.0)]
    nested_evaluate(FILTER, *data, scoring=scorers[0], **options)
    with pytest.raises(ValueError, match="is of another run: scoring"):
        nested_evaluate(FILTER, *data, scoring=scorers[1], **options)
    with pytest.raises(ValueError, match="is of another run: scoring"):
        nested_evaluate(FILTER, *data, scoring=make_scorer(lambda y, p: 1.0), **options)


def test_probabilities_of_two_classes_can_be_scored_again(data):
    evaluation = nested_evaluate(RandomForestClassifier(5, random_state=0), *data, FOLDS)
    y = data[1]
    for fold, score in zip(evaluation.folds, evaluation.scores_by("auc"), strict=True):
        assert score == pytest.approx(roc_auc_score(y[fold.test], fold.decisions))
    with pytest.raises(
        ValueError, match="scoring needs probabilities, which an evaluation does not"
    ):
        evaluation.scores_by("neg_log_loss")


def test_a_selector_that_goes_to_another_machine_is_silent_in_scikit_learns_words():
    silent = _silent(make_pipeline(StandardScaler(), SVMSieve(SVC(), verbose=1), verbose=True))
    parameters = silent.get_params()
    assert parameters["verbose"] is False
    assert parameters["svmsieve__verbose"] is False


def test_the_chosen_size_is_judged_in_one_way_only():
    """What was selected and the path at its size agree: all features selected are "all features"."""
    X, y = make_classification(60, 5, n_informative=4, n_redundant=0, random_state=3)
    for size in ("auto", 5):
        evaluation = nested_evaluate(SVMSieve(n_features_to_select=size, cv=3), X, y, 3)
        for fold in evaluation.folds:
            if fold.n_features in fold.sizes:
                at = int(np.flatnonzero(fold.sizes == fold.n_features)[0])
                assert fold.size_scores[at] == fold.score
                np.testing.assert_array_equal(fold.size_predictions[at], fold.predictions)
