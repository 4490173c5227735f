"""SVMSieve among scikit-learn's tools: its checks, pipelines, searches, frames, routing, storage."""

import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from svmsieve import SVMSieve
from svmsieve.sizing import FDR
from tests.search.problems import numbers, three_classes, two_classes

# scikit-learn's own checks --------------------------------------------------------------------

# Machines are solved well below the 1e-7 that the checks of sample weights allow, and their γ does not
# follow the samples: scikit-learn's gamma="scale" ignores weights, and LIBLINEAR's dual solver draws lots.
# Few sizes are visited, to be quick.  No check is expected to fail.
TIGHT = {"gamma": 0.1, "tol": 1e-8}
SIEVES = [
    SVMSieve(SVC(**TIGHT), criterion="weight", n_features_to_select="best", cv=2, step=0.5),
    SVMSieve(SVC(**TIGHT), criterion="fspp2", n_features_to_select="threshold", step=0.5),
    SVMSieve(
        SVC(**TIGHT), criterion="f-score", search="once", n_features_to_select="1se", cv=2, step=0.5
    ),
    SVMSieve(SVR(**TIGHT), criterion="weight", n_features_to_select=1, step=0.5),
    SVMSieve(
        LinearSVC(dual=False, tol=1e-12),
        criterion="weight",
        n_features_to_select="best",
        cv=2,
        step=0.5,
    ),
    SVMSieve(
        LinearSVR(random_state=0, tol=1e-8, max_iter=20_000),
        criterion="weight",
        n_features_to_select=1,
        step=0.5,
    ),
    SVMSieve(SVC(**TIGHT), search="forward", n_features_to_select=1.0, cv=2),
    SVMSieve(
        SVC(**TIGHT), search="hill-climb", criterion="f-score", n_features_to_select=1.0, cv=2
    ),
    SVMSieve(SVC(**TIGHT), criterion="weight", n_features_to_select="bound", step=0.5),
    SVMSieve(SVC(**TIGHT), criterion="weight", n_features_to_select=FDR(0.5), step=0.5),
    SVMSieve(
        SVC(gamma=0.1),
        criterion="fspp3",
        n_features_to_select=1.0,
        step=0.5,
        machine="nystroem",
        n_landmarks=200,
    ),
]


@parametrize_with_checks(SIEVES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:No feature")
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.paper
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_checks_without_an_estimator():
    # The machine is tuned on folds of the samples, over which copies of a sample are shared out: no
    # cross-validated search takes weights for copies.
    reason = "folds of copies are not folds of weights"
    expected = {
        "check_sample_weight_equivalence_on_dense_data": reason,
        "check_sample_weight_equivalence_on_sparse_data": reason,
    }
    check_estimator(
        SVMSieve(n_features_to_select="threshold"), expected_failed_checks=expected, on_skip=None
    )


# Pipelines and searches -----------------------------------------------------------------------


def test_in_a_pipeline():
    X, y = two_classes(d=6)
    sieve = SVMSieve(SVC(), criterion="weight", n_features_to_select=2)
    pipe = make_pipeline(StandardScaler(), sieve, SVC(C=3.0)).fit(X, y)
    assert pipe[-1].n_features_in_ == 2
    assert pipe[:-1].transform(X).shape == (len(X), 2)
    by_hand = clone(sieve).fit(StandardScaler().fit_transform(X), y)
    assert pipe[1].order_.tolist() == by_hand.order_.tolist()
    last = make_pipeline(StandardScaler(), clone(sieve)).fit(X, y)
    np.testing.assert_array_equal(
        last.predict(X), by_hand.predict(StandardScaler().fit_transform(X))
    )


def test_grid_search_over_criterion_and_machine():
    X, y = two_classes(d=6)
    grid = {"criterion": ["weight", "f-score"], "estimator__C": [0.01, 1.0]}
    grid |= {"n_features_to_select": [1, 3]}
    found = GridSearchCV(SVMSieve(SVC(kernel="linear")), grid, cv=3).fit(X, y)
    assert len(found.cv_results_["params"]) == 8
    assert set(found.best_params_) == set(grid)
    best, chosen = found.best_estimator_, found.best_params_
    assert (best.criterion, best.estimator_.C) == (chosen["criterion"], chosen["estimator__C"])
    assert best.n_features_ == chosen["n_features_to_select"]
    assert not np.isnan(found.cv_results_["mean_test_score"]).any()
    assert found.predict(X).shape == y.shape


def test_cross_validation_scores_the_whole_selection():
    X, y = two_classes(d=6)
    sieve = SVMSieve(SVC(), criterion="weight", n_features_to_select="1se", cv=2)
    results = cross_validate(
        sieve, X, y, cv=3, scoring=("accuracy", "roc_auc"), return_estimator=True
    )
    assert results["test_accuracy"].mean() > 0.6
    assert results["test_roc_auc"].mean() > 0.6
    assert all(len(each.order_) == 6 for each in results["estimator"])


def test_clone_takes_parameters_and_nothing_else():
    X, y = two_classes(n=30, d=4)
    sieve = SVMSieve(SVC(C=2.0), groups=[[0, 1]], keep=[3], n_features_to_select=2).fit(X, y)
    copy = clone(sieve)
    assert not hasattr(copy, "support_")
    for name, value in sieve.get_params(deep=False).items():
        assert repr(getattr(copy, name)) == repr(value)
    assert copy.estimator is not sieve.estimator
    assert sieve.get_params()["estimator__C"] == 2.0


def test_fitting_leaves_parameters_and_data_alone():
    X, y = two_classes(n=30, d=4)
    machine = SVC(C=2.0)
    sieve = SVMSieve(machine, n_features_to_select=2)
    kept = X.copy()
    sieve.fit(X, y)
    assert sieve.estimator is machine
    assert not hasattr(machine, "support_")
    np.testing.assert_array_equal(X, kept)


def test_fitting_again_forgets_what_was():
    X, y = three_classes(n=45, d=6)
    sieve = SVMSieve(SVC(), n_features_to_select=2)
    sieve.fit(pd.DataFrame(X, columns=list("abcdef")), y)
    X, y = two_classes(n=30, d=4)
    sieve.fit(X, y)
    assert not hasattr(sieve, "feature_names_in_")
    assert sieve.n_features_in_ == len(sieve.order_) == 4
    assert sieve.classes_.tolist() == [0, 1]


# Frames and names -----------------------------------------------------------------------------

NAMES = ["width", "height", "depth", "<b>mass</b>"]


@pytest.fixture
def frame():
    X, y = two_classes(n=30, d=4)
    return pd.DataFrame(X, columns=NAMES), y


def test_names_in_and_out(frame):
    X, y = frame
    sieve = SVMSieve(SVC(), n_features_to_select=2).fit(X, y)
    assert sieve.feature_names_in_.tolist() == NAMES
    names = sieve.get_feature_names_out()
    assert names.tolist() == [NAMES[i] for i in sieve.get_support(indices=True)]
    unnamed = SVMSieve(SVC(), n_features_to_select=2).fit(X.to_numpy(), y)
    assert unnamed.order_.tolist() == sieve.order_.tolist()
    expected = [f"x{i}" for i in unnamed.get_support(indices=True)]
    assert unnamed.get_feature_names_out().tolist() == expected
    assert unnamed.get_feature_names_out(NAMES).tolist() == names.tolist()


@pytest.mark.parametrize("form", ["pandas", "polars"])
@pytest.mark.parametrize("output", ["pandas", "polars", "default"])
def test_frames_in_and_frames_out(frame, form, output):
    X, y = frame
    given = X if form == "pandas" else pl.from_dict({name: X[name].to_numpy() for name in X})
    sieve = SVMSieve(SVC(), n_features_to_select=2).set_output(transform=output).fit(given, y)
    assert sieve.feature_names_in_.tolist() == NAMES
    selected = sieve.transform(given)
    expected = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "default": np.ndarray}
    assert isinstance(selected, expected[output])
    if output != "default":
        assert list(selected.columns) == sieve.get_feature_names_out().tolist()
    np.testing.assert_array_equal(np.asarray(selected), X.to_numpy()[:, sieve.support_])
    np.testing.assert_array_equal(sieve.predict(given), sieve.predict(X))


def test_columns_in_another_order_are_refused(frame):
    X, y = frame
    sieve = SVMSieve(SVC(), n_features_to_select=2).fit(X, y)
    for method in (sieve.predict, sieve.transform, sieve.decision_function):
        with pytest.raises(ValueError, match="feature names should match"):
            method(X[NAMES[::-1]])
    with pytest.raises(ValueError, match="feature names should match"):
        sieve.predict(X[NAMES[:3]])
    unnamed = SVMSieve(SVC(), n_features_to_select=2).fit(X.to_numpy(), y)
    with pytest.raises(ValueError, match="has 3 features, but SVMSieve is expecting 4"):
        unnamed.predict(X.to_numpy()[:, :3])


def test_support_and_the_way_back(frame):
    X, y = frame
    X = X.to_numpy()
    sieve = SVMSieve(SVC(), n_features_to_select=2).fit(X, y)
    assert sieve.get_support().tolist() == sieve.support_.tolist()
    back = sieve.inverse_transform(sieve.transform(X))
    np.testing.assert_array_equal(back, np.where(sieve.support_, X, 0.0))
    np.testing.assert_array_equal(sieve.fit_transform(X, y), X[:, sieve.support_])


# Routing of weights ---------------------------------------------------------------------------


@pytest.fixture
def weighted():
    X, y = two_classes(n=40, d=5)
    return X, y, np.where(y == 0, 6.0, 1.0) * np.linspace(0.5, 2.0, 40)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routing")
def test_weights_go_through_a_pipeline(weighted):
    X, y, weight = weighted
    sieve = SVMSieve(SVC(), criterion="weight", n_features_to_select=2)
    alone = clone(sieve).fit(X, y, sample_weight=weight)
    asked = clone(sieve).set_fit_request(sample_weight=True)
    last = SVC().set_fit_request(sample_weight=True)
    pipe = make_pipeline(asked, last).fit(X, y, sample_weight=weight)
    assert pipe[0].scores_.tolist() == alone.scores_.tolist()
    ignored = clone(sieve).set_fit_request(sample_weight=False)
    pipe = make_pipeline(ignored, last).fit(X, y, sample_weight=weight)
    assert pipe[0].scores_.tolist() == clone(sieve).fit(X, y).scores_.tolist()
    assert pipe[0].scores_.tolist() != alone.scores_.tolist()


@pytest.mark.usefixtures("routing")
def test_weights_go_through_a_grid_search(weighted):
    X, y, weight = weighted
    sieve = SVMSieve(SVC(), criterion="weight", n_features_to_select=2)
    sieve.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    found = GridSearchCV(sieve, {"estimator__C": [0.1, 1.0]}, cv=2)
    found.fit(X, y, sample_weight=weight)
    C = found.best_params_["estimator__C"]
    alone = SVMSieve(SVC(C=C), criterion="weight", n_features_to_select=2)
    alone.fit(X, y, sample_weight=weight)
    assert found.best_estimator_.scores_.tolist() == alone.scores_.tolist()


@pytest.mark.usefixtures("routing")
def test_the_scores_of_the_folds_are_weighted_with_routing_too(weighted):
    X, y, weight = weighted
    sieve = SVMSieve(SVC(), criterion="weight", n_features_to_select="best", cv=2)
    routed = clone(sieve).fit(X, y, sample_weight=weight).path_.fold_scores
    with sklearn.config_context(enable_metadata_routing=False):
        plain = clone(sieve).fit(X, y, sample_weight=weight).path_.fold_scores
    assert routed.tolist() == plain.tolist()


# Predictions, tags, display, storage ----------------------------------------------------------


def test_predictions_are_those_of_the_machine():
    X, y = three_classes(n=45, d=5)
    sieve = SVMSieve(SVC(), n_features_to_select=2, scale=False).fit(X, y)
    selected = X[:, sieve.support_]
    np.testing.assert_array_equal(sieve.predict(X), sieve.estimator_.predict(selected))
    np.testing.assert_array_equal(
        sieve.decision_function(X), sieve.estimator_.decision_function(selected)
    )
    assert sieve.score(X, y) == sieve.estimator_.score(selected, y)
    assert sieve.classes_.tolist() == ["ash", "elm", "oak"]


@pytest.mark.filterwarnings("ignore:The `probability` parameter was deprecated")
def test_probabilities_are_those_of_the_machine():
    X, y = three_classes(n=45, d=5)
    machine = SVC(probability=True, random_state=0)
    sieve = SVMSieve(machine, n_features_to_select=2, scale=False).fit(X, y)
    expected = sieve.estimator_.predict_proba(X[:, sieve.support_])
    np.testing.assert_array_equal(sieve.predict_proba(X), expected)
    np.testing.assert_array_equal(sieve.predict_log_proba(X), np.log(expected))
    assert not hasattr(SVMSieve(SVC()), "predict_proba")
    assert not hasattr(SVMSieve(), "predict_proba")


def test_methods_are_those_the_machine_has():
    X, y = numbers(n=30, d=3)
    assert not hasattr(SVMSieve(SVR()), "decision_function")
    assert hasattr(SVMSieve(SVC()), "decision_function")
    assert hasattr(SVMSieve(), "predict")
    sieve = SVMSieve(SVR(), n_features_to_select=1).fit(X, y)
    assert not hasattr(sieve, "decision_function")
    assert not hasattr(sieve, "predict_proba")
    assert not hasattr(sieve, "classes_")


@pytest.mark.parametrize("method", ["predict", "transform", "decision_function", "get_support"])
def test_before_fit_nothing_is_answered(method):
    X, _ = two_classes(n=30, d=4)
    with pytest.raises(NotFittedError):
        getattr(SVMSieve(SVC()), method)(*([] if method == "get_support" else [X]))


def test_tags():
    assert is_classifier(SVMSieve(SVC()))
    assert is_classifier(SVMSieve(LinearSVC()))
    assert is_regressor(SVMSieve(SVR()))
    nothing = get_tags(SVMSieve())
    assert nothing.estimator_type is None
    assert nothing.input_tags.sparse
    assert not nothing.input_tags.allow_nan
    assert nothing.target_tags.required


def test_display():
    X, y = two_classes(n=30, d=4)
    sieve = SVMSieve(SVC(C=7), criterion="weight", n_features_to_select=2)
    assert repr(sieve) == "SVMSieve(criterion='weight', estimator=SVC(C=7), n_features_to_select=2)"
    for each in (sieve, sieve.fit(X, y), make_pipeline(StandardScaler(), sieve)):
        html = each._repr_html_()
        assert "SVMSieve" in html
        assert "SVC" in html


def test_a_fitted_sieve_is_stored_and_loaded(frame, tmp_path):
    X, y = frame
    sieve = SVMSieve(
        SVC(), n_features_to_select="best", cv=2, checkpoint=tmp_path / "run.jsonl", n_jobs=2
    ).fit(X, y)
    joblib.dump(sieve, tmp_path / "sieve.joblib")
    loaded = joblib.load(tmp_path / "sieve.joblib")
    np.testing.assert_array_equal(loaded.predict(X), sieve.predict(X))
    pd.testing.assert_frame_equal(
        pd.DataFrame(loaded.path_.to_dict()), pd.DataFrame(sieve.path_.to_dict())
    )
    assert loaded.get_feature_names_out().tolist() == sieve.get_feature_names_out().tolist()
    assert loaded.record_.steps == sieve.record_.steps
    loaded.fit(X, y)
    assert loaded.order_.tolist() == sieve.order_.tolist()


def test_without_an_estimator_the_criterion_may_tell_the_kind_of_target():
    assert is_classifier(SVMSieve(criterion="fspp2"))
    assert is_regressor(SVMSieve(criterion="sd-gauss"))
    for open_to_both in ("auto", "weight", "nonsense"):
        assert not is_classifier(SVMSieve(criterion=open_to_both))
        assert not is_regressor(SVMSieve(criterion=open_to_both))
    X, y = numbers(n=30, d=3)
    sieve = SVMSieve(criterion="correlation", search="once", n_features_to_select=1)
    assert is_regressor(clone(sieve).fit(X, y))
    X, y = two_classes(n=30, d=3)
    assert is_classifier(clone(sieve).fit(X, y))


def test_fitting_again_forgets_the_classes():
    sieve = SVMSieve(criterion="correlation", search="once", n_features_to_select=1)
    sieve.fit(*two_classes(n=30, d=3))
    assert hasattr(sieve, "classes_")
    assert not hasattr(sieve.fit(*numbers(n=30, d=3)), "classes_")


def test_entries_of_a_sparse_matrix_given_in_parts():
    X, y = two_classes(n=40, d=5)
    X = sp.csr_matrix(np.where(np.abs(X) > 0.5, X, 0.0))
    halves = (np.repeat(X.data / 2.0, 2), np.repeat(X.indices, 2), 2 * X.indptr)
    parts = sp.csr_matrix(halves, shape=X.shape)
    whole, split = (SVMSieve(SVC(), n_features_to_select=2).fit(table, y) for table in (X, parts))
    assert whole.order_.tolist() == split.order_.tolist()
    np.testing.assert_array_equal(whole.decision_function(X), whole.decision_function(parts))
    assert parts.nnz == 2 * X.nnz  # the user's matrix is left alone
    other = whole.at_size(3, parts, y)
    np.testing.assert_array_equal(
        other.decision_function(X), whole.at_size(3, X, y).decision_function(X)
    )


def test_classes_that_were_not_in_training_are_warned_of():
    X, y = two_classes()
    plain = SVMSieve(criterion="f-score", search="once", n_features_to_select=2)
    with pytest.warns(UserWarning, match="no sample of it was in training.*StratifiedKFold"):
        plain.fit(X, y).score(X, np.where(y == y[0], 7, y))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        plain.score(X[y == y[0]], y[y == y[0]])
