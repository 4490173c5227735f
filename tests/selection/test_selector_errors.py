"""What SVMSieve answers to bad input: one sentence that names what is wrong, and what would do."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC

from svmsieve import SVMSieve
from svmsieve.search import Forward, HillClimb
from svmsieve.sizing import SizeRule
from svmsieve.sizing.rules import Choice
from tests.search.problems import numbers, three_classes, two_classes

X, Y = two_classes(n=30, d=4)
X_NUMBERS, Y_NUMBERS = numbers(n=30, d=4)
FRAME = pd.DataFrame(X, columns=["age", "size", "mass", "hum"])


def refused(message, *data, weight=None, **parameters):
    """The fit raises a ValueError of one line that holds the message."""
    parameters = {"estimator": SVC(), "n_features_to_select": 2} | parameters
    given = data or (X, Y)
    with pytest.raises(ValueError, match=message) as caught:
        SVMSieve(**parameters).fit(*given, sample_weight=weight)
    text = str(caught.value)
    assert "\n" not in text
    assert re.search(r"[.?]$", text), text


# Parameters -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"criterion": "wieght"}, r"criterion 'wieght' is not known; did you mean 'weight'\?"),
        ({"criterion": "fspp5"}, r"did you mean 'fspp4' or 'fspp3' or 'fspp2'\?"),
        ({"criterion": "xyz"}, r"criterion 'xyz' is not known; known are: correlation, s2n,"),
        ({"criterion": None}, r"criterion None is not known"),
        ({"search": "rfee"}, r"search 'rfee' is not known; did you mean 'rfe'\?"),
        ({"search": "hillclimb"}, r"did you mean 'hill-climb'\?"),
        ({"search": None}, r"search None is not known; known are: once, rfe, hill-climb, forward"),
        ({"n_features_to_select": "1-se"}, r"got '1-se'; did you mean '1se'\?"),
        ({"n_features_to_select": "xyz"}, r"known rules are: auto, best, 1se, bound, threshold"),
        ({"n_features_to_select": 5}, r"between 1 and the 4 features there are, got 5"),
        ({"n_features_to_select": 0}, r"between 1 and the 4 features there are, got 0"),
        ({"n_features_to_select": 1.5}, r"between 0 and 1 as a fraction, got 1.5"),
        ({"n_features_to_select": 4, "groups": [[0, 1]]}, r"the 3 features there are, got 4"),
        ({"step": 0}, r"step must be a whole number of at least 1, got 0"),
        ({"step": 1.0}, r"step must be between 0 and 1 as a fraction, got 1.0"),
        ({"step": "fast"}, r"step must be a number of features, a fraction, 'auto' or a Schedule"),
        ({"retune": "half"}, r"retune must be 'halving', a list of sizes or None, got 'half'"),
        ({"tuning": "2se"}, r"tuning must be 'best' or '1se', got '2se'"),
        ({"memory": 100}, r"The kernel matrix of 30 samples would need 14.1 KiB, over the memory"),
        ({"random_state": "x"}, r"random_state must be a whole number"),
    ],
)
def test_parameters(parameters, message):
    refused(message, **parameters)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"cv": 20}, r"cv=20 folds are more than the 15 samples of the smallest class; lower cv"),
        ({"cv": 1}, r"cv must be at least 2 folds, got 1"),
        ({"cv": "five"}, r"Expected `?cv`? as an integer.* Got five"),
        ({"cv": StratifiedKFold(20)}, r"n_splits=20 cannot be greater than the number of members"),
        ({"scoring": "acuracy"}, r"'acuracy' is not a valid scoring value"),
        ({"scoring": "neg_log_loss"}, r"scoring by probabilities is not offered"),
    ],
)
def test_cross_validation(parameters, message):
    refused(message, n_features_to_select="best", **parameters)


def test_cross_validation_of_other_targets():
    rule = {"n_features_to_select": "best"}
    message = "cv=40 folds are more than the 30 samples; lower cv"
    refused(message, X_NUMBERS, Y_NUMBERS, estimator=SVR(), cv=40, **rule)
    message = "scoring 'roc_auc' cannot judge a target of 3 classes .*; use 'accuracy'"
    refused(message, *three_classes(n=45, d=4), cv=3, scoring="roc_auc", **rule)
    for search in ("forward", "hill-climb"):
        message = "cv=10 folds need at least 10 samples of each class.*lower cv"
        refused(message, X[:12], Y[:12], search=search, cv=10)
    for search in (Forward(cv=KFold(3)), HillClimb(cv=KFold(3))):
        refused(r"a splitter is for SVMSieve\(cv=...\)", search=search)
    for search in (Forward(cv=40), HillClimb(cv=40)):
        message = "cv=40 folds need at least 40 samples, got 30"
        refused(message, X_NUMBERS, Y_NUMBERS, estimator=SVR(), search=search)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (
            LogisticRegression(),
            r"an? scikit-learn SVC, SVR, LinearSVC or LinearSVR, or None .*, got Log",
        ),
        (NuSVC(), r"estimator must be .* got NuSVC"),
        (make_pipeline(SVC()), r"estimator must be .* got Pipeline"),
        ("svc", r"estimator must be .* got str"),
        (SVC, r"estimator must be .* got ABCMeta"),
        (SVC(kernel="sigmoid"), r"kernel must be one of 'linear', 'rbf', 'poly', got 'sigmoid'"),
        (SVC(kernel="precomputed"), r"kernel must be one of .* got 'precomputed'"),
        (SVC(gamma=-1.0), r"gamma must be a positive number, got -1.0"),
        (SVC(class_weight="even"), r"class_weight"),
        (LinearSVC(penalty="l1"), r"estimator's penalty must be 'l2', got 'l1'"),
    ],
)
def test_machines(estimator, message):
    refused(message, estimator=estimator)


def test_a_loss_that_the_engine_has_not():
    machine = LinearSVR(loss="squared_epsilon_insensitive")
    refused("loss must be 'epsilon_insensitive'", X_NUMBERS, Y_NUMBERS, estimator=machine)


def test_criteria_and_rules_for_another_kind_of_target():
    message = (
        "criterion 'sd-gauss' is for regression targets, not for binary; for binary use one of"
    )
    refused(message, criterion="sd-gauss")
    message = (
        "'fspp2' is for binary and multiclass targets, not for regression; .* use one of: corr"
    )
    refused(message, X_NUMBERS, Y_NUMBERS, estimator=SVR(), criterion="fspp2")
    message = "'bound' needs classes and search='rfe' or 'once', got regression and 'rfe'"
    refused(message, X_NUMBERS, Y_NUMBERS, estimator=SVR(), n_features_to_select="bound")
    message = "'bound' needs classes .*, got binary and 'forward'; use 'best' or '1se'"
    refused(message, search="forward", n_features_to_select="bound")
    message = "'threshold' looks at the criterion, which plays no part in search='forward'"
    refused(message, search="forward", n_features_to_select="threshold")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"groups": [["age", "size"], ["size", "hum"]]},
            r"not overlap: column 'size' is in several",
        ),
        (
            {"groups": [["age", "weight"]]},
            r"groups names the column 'weight', which X does not have",
        ),
        ({"groups": {"weight": 1}}, r"groups names the column 'weight', which X does not have"),
        ({"groups": [[1, 9]]}, r"groups names the column 9, but X has 4 columns"),
        ({"groups": ["a", "b"]}, r"one label for each of the 4 columns, .* got 2 labels"),
        ({"keep": ["weight"]}, r"keep names the column 'weight', which X does not have"),
        ({"keep": "weight"}, r"keep names the column 'weight', which X does not have"),
        ({"keep": [4]}, r"keep names the column 4, but X has 4 columns"),
        ({"keep": [True, False, True, False]}, r"keep must hold names or indices of columns"),
        (
            {"keep": ["age", "size", "hum"]},
            r"keep holds 3 features \(or groups\), more than the 2 to",
        ),
        (
            {"keep": [0, 1], "n_features_to_select": 0.3},
            r"keep holds 2 .* more than the 1 to select",
        ),
    ],
)
def test_groups_and_kept_columns(parameters, message):
    refused(message, FRAME, Y, **parameters)


# Data -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_missing_and_infinite_values_are_named(value):
    bad = FRAME.copy()
    bad.loc[[7, 3], "mass"] = value
    message = "column 'mass' has 2 missing or infinite values, first in row 3; impute or drop them"
    refused(message, bad, Y)
    refused(message, pl.from_dict({name: bad[name].to_numpy() for name in bad}), Y)
    message = "column 2 has 2 missing or infinite values, first in row 3; impute or drop them"
    refused(message, bad.to_numpy(), Y)
    for form in (sp.csr_array, sp.csc_matrix, sp.coo_array, sp.lil_matrix):
        refused(message, form(bad.to_numpy()), Y)


def test_missing_values_of_other_kinds_are_named():
    counts = pd.array([*range(29), None], dtype="Int64")
    refused(
        "column 'mass' has 1 missing or infinite value, first in row 29",
        FRAME.assign(mass=counts),
        Y,
    )
    nulls = pl.from_pandas(FRAME[["age", "size"]]).with_columns(
        pl.Series("mass", [None, *range(29)])
    )
    refused("column 'mass' has 1 missing or infinite value, first in row 0", nulls, Y)


@pytest.mark.parametrize(
    "column",
    [
        ["red", "blue"] * 15,
        pd.Categorical(["red", "blue"] * 15),
        pd.date_range("2020-01-01", periods=30),
        [1j] * 30,
    ],
)
def test_columns_that_hold_no_numbers_are_named(column):
    message = "column 'mass' must hold numbers; encode it .* or drop it"
    refused(message, FRAME.assign(mass=column), Y)


def test_text_in_polars():
    frame = pl.from_pandas(FRAME[["age", "size"]]).with_columns(pl.Series("mass", ["red"] * 30))
    refused("column 'mass' must hold numbers", frame, Y)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, pd.DataFrame])
def test_data_that_never_vary(form):
    message = "X must hold a column that varies; all of its columns are constant"
    refused(message, form(np.full((30, 4), 2.5)), Y)


def test_targets():
    refused("y must hold at least two classes, got only 'a'", X, np.full(30, "a"))
    refused("y must hold at least two classes", X, np.zeros(30), estimator=None)
    refused(
        "y holds continuous values .* use an SVR, or turn the values into classes", X, Y_NUMBERS
    )
    missing = np.array([*"ab" * 14, None, "a"], dtype=object)
    refused("y has a missing value in row 28; drop that row", X, missing)


def test_too_few_samples():
    message = "probabilities need at least two samples of each class; the smallest class has 1"
    refused(message, X[:2], Y[:2], criterion="fspp2")
    message = "tuning needs at least two samples of each class; .*; pass an estimator"
    refused(message, X[:2], Y[:2], estimator=None, criterion="weight")
    two = SVMSieve(SVC(), criterion="weight", n_features_to_select=2).fit(X[:2], Y[:2])
    assert two.n_features_ == 2


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.where(np.arange(30) == 4, -1.0, 1.0), r"sample_weight must not be negative"),
        (np.zeros(30), r"sample_weight must not be negative, nor zero for all samples"),
        (np.ones(3), r"sample_weight must have shape \(30,\), got \(3,\)"),
        (np.full(30, np.nan), r"sample_weight must be finite: entry 0 is nan"),
        (1.0 * (Y == 0), r"not be zero for a whole class: that of class 1 is"),
    ],
)
def test_weights(weight, message):
    refused(message, weight=weight)


def test_a_refusal_leaves_nothing_behind():
    sieve = SVMSieve(SVC(), n_features_to_select=9)
    with pytest.raises(ValueError, match="between 1 and the 4"):
        sieve.fit(X, Y)
    assert not hasattr(sieve, "support_")
    assert not hasattr(sieve, "record_")


def test_folds_that_leave_one_class():
    order = np.argsort(Y, kind="stable")
    for search in ("forward", "hill-climb"):
        message = "cv must leave at least two classes to train on in each fold"
        refused(message, X[order], np.asarray(Y)[order], search=search, cv=KFold(2))


def test_rules_that_choose_nonsense():
    class Nonsense(SizeRule):
        def __init__(self, answer):
            self.answer = answer

        def choose(self, path):
            return self.answer

    for answer in (Choice(99, "because"), 3):
        message = r"n_features_to_select must choose a Choice of 0 to 4 features, Nonsense\(answer="
        refused(message, n_features_to_select=Nonsense(answer))
