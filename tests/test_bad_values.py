"""Every parameter's bad values are refused in one sentence that names it, before a machine is trained."""

import datetime
import inspect
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import make_scorer, roc_auc_score, top_k_accuracy_score
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

from svmsieve import SVMSieve, rank
from svmsieve.engine.machines import machine as machines
from svmsieve.engine.machines import pair_machines
from svmsieve.scale import stream
from svmsieve.strategies import ForestRMBoundSVC, FScoreForestSVC, FScoreSVC, RMBoundSVC
from tests.search.problems import numbers, three_classes, two_classes

X, Y = two_classes(n=30, d=4)
X_NUMBERS, Y_NUMBERS = numbers(n=30, d=4)
DATES = np.array("2020-01-01", dtype="M8[D]") + np.arange(120).astype("m8[D]").reshape(30, 4)
NAN, INF = float("nan"), float("inf")
ROWS = np.arange(30)
HALVES = (ROWS[:15], ROWS[15:])
ONE_CLASS = np.flatnonzero(Y == 0)


def wrong(*_):
    return "good"


BAD = {
    "estimator": ["svc", SVC, 3],
    "criterion": [None, 3, "fspp9"],
    "search": [None, 3, "rfee"],
    "n_features_to_select": [0, 5, -1, 0.0, 1.1, NAN, True, None, "2se"],
    "step": [0, -1, 1.0, NAN, None, "fast"],
    "retune": ["half", [1.5], 3],
    "tuning": ["2se", None],
    "cv": [
        [],
        iter([]),
        0,
        1,
        -3,
        2.5,
        99,
        "five",
        [([0, 1], [30])],
        [([-31, 1], [2])],
        [([0, 1], [])],
        [([0.5, 1.5], [2])],
        [([0, 1],)],
        [(1, 2, 3)],
        [HALVES, (ONE_CLASS, ROWS[15:])],
    ],
    "scoring": ["acuracy", 3, "r2", "neg_log_loss", "roc_auc_ovr", wrong, lambda *_: NAN],
    "scale": ["no", None, 2],
    "missing": ["median", None],
    "groups": [[[0, 99]], [[]]],
    "keep": [[77], "size"],
    "random_state": [-1, "x", 1.5],
    "n_jobs": [0, 2.5, "all"],
    "checkpoint": [3, True],
    "verbose": ["yes", None],
    "callback": [3, "print"],
    "memory": [NAN, INF, -1, 0, True, "much", "GB", [1]],
    "machine": ["quick", None],
    "n_landmarks": [0, -1, 2.5],
}
NAMED_OTHERWISE = {
    "cv": "cv|folds",
    "scale": "scale",
    "keep": "keep",
    "estimator": "estimator",
}
BAD_MACHINES = {
    "C": [0, -1, NAN, INF, "1"],
    "tol": [0, -1, NAN, "x"],
    "gamma": [-1.0, INF, "x"],
    "degree": [-1, 2.5],
    "coef0": [NAN, INF],
    "max_iter": [-7, 2.5],
    "class_weight": ["even", {5: 1.0}, {"0": 2.0}, {0: 0.0}, {0: -1.0}, {0: NAN}, {0: "a"}],
    "kernel": ["sigmoid", "precomputed", None],
}


@pytest.fixture
def trainings(monkeypatch):
    """What any machine was trained with, by the exact solvers or the Nyström machine's."""
    seen = []
    for module, name in (
        (machines, "solve_qp"),
        (machines, "solve_squared_hinge"),
        (pair_machines, "_solve"),
        (stream, "solve"),
    ):
        real = getattr(module, name)

        def spy(*args, real=real, **options):
            seen.append(options)
            return real(*args, **options)

        monkeypatch.setattr(module, name, spy)
    return seen


def refused(trainings, name, function):
    with pytest.raises(ValueError, match=r"[.?]$") as caught:
        function()
    text = str(caught.value)
    assert "\n" not in text
    assert re.search(name, text), text
    assert trainings == []


def cases(table):
    return [
        # the same id in every process: not where in memory the value is
        pytest.param(name, value, id=f"{name}={str(value).partition(' at 0x')[0]:.30}")
        for name, values in table.items()
        for value in values
    ]


def test_the_table_holds_every_parameter():
    assert set(BAD) == set(inspect.signature(SVMSieve).parameters)


@pytest.mark.parametrize(("name", "value"), cases(BAD))
@pytest.mark.parametrize("search", ["rfe", "forward"])
def test_parameters_of_the_sieve(trainings, search, name, value):
    if search == "forward" and name in ("step", "retune", "machine", "n_landmarks"):
        pytest.skip("not looked at by this search")
    parameters = {"estimator": SVC(), "n_features_to_select": "best", "search": search, "cv": 3}
    parameters |= {"machine": "nystroem"} if name == "n_landmarks" else {}
    sieve = SVMSieve(**parameters | {name: value})
    refused(trainings, NAMED_OTHERWISE.get(name, name), lambda: sieve.fit(X, Y))


@pytest.mark.parametrize(("name", "value"), cases(BAD_MACHINES))
def test_parameters_of_the_machine(trainings, name, value):
    poly = {"kernel": "poly"} if name in ("degree", "coef0") else {}
    machine = SVC(**poly | {name: value})
    sieve = SVMSieve(machine, n_features_to_select=2)
    refused(trainings, name, lambda: sieve.fit(X, Y))
    refused(trainings, name, lambda: rank(X, Y, estimator=machine))
    if name in ("C", "class_weight"):
        linear = LinearSVC(**{name: value})
        refused(trainings, name, lambda: SVMSieve(linear, n_features_to_select=2).fit(X, Y))


@pytest.mark.parametrize("machine", [SVR, LinearSVR])
@pytest.mark.parametrize("value", [-1.0, NAN, INF, "x"])
def test_epsilon(trainings, machine, value):
    sieve = SVMSieve(machine(epsilon=value), n_features_to_select=2)
    refused(trainings, "epsilon", lambda: sieve.fit(X_NUMBERS, Y_NUMBERS))


@pytest.mark.parametrize(
    ("name", "value"), cases({key: BAD[key] for key in ("memory", "scale", "random_state")})
)
def test_parameters_of_rank_and_the_strategies(trainings, name, value):
    refused(trainings, name, lambda: rank(X, Y, estimator=SVC(), **{name: value}))
    for strategy in (FScoreSVC, FScoreForestSVC, RMBoundSVC, ForestRMBoundSVC):
        refused(trainings, name, lambda kind=strategy: kind(**{name: value}).fit(X, Y))


TABLES = {
    "dates": DATES,
    "spans of time": DATES - DATES[0, 0],
    "dates as objects": DATES.astype(object),
    "a list of dates": [[datetime.date(2020, 1, day + 1)] for day in range(30)],
    "a masked value": np.ma.masked_array(X, mask=X[3, 1] == X),
    "complex numbers": X + 1j,
    "a column of dates": pd.DataFrame(X, columns=list("abcd")).assign(a=DATES[:, 0]),
}


@pytest.mark.parametrize("what", TABLES)
def test_what_numpy_would_take_for_numbers(trainings, what):
    table = TABLES[what]
    for fit in (
        lambda: SVMSieve(SVC(), n_features_to_select=2).fit(table, Y),
        lambda: rank(table, Y, estimator=SVC()),
        lambda: FScoreSVC().fit(table, Y),
    ):
        refused(trainings, "X|column 'a'", fit)


@pytest.mark.parametrize("what", ["dates", "spans of time", "dates as objects", "a masked value"])
def test_targets_and_weights_that_are_no_numbers(trainings, what):
    values = TABLES[what][:, 1]
    sieve = SVMSieve(SVR(), n_features_to_select=2)
    refused(trainings, "^y ", lambda: sieve.fit(X, values))
    refused(trainings, "^y ", lambda: rank(X, values, estimator=SVR()))
    refused(
        trainings, "sample_weight", lambda: sieve.fit(X_NUMBERS, Y_NUMBERS, sample_weight=values)
    )


# What is accepted ----------------------------------------------------------------------------


@pytest.mark.parametrize("memory", ["1GB", "64 MiB", "2e6", 10**7, np.float64(1e7)])
def test_memory_as_people_write_it(memory):
    sieve = SVMSieve(SVC(), criterion="weight", n_features_to_select=2, memory=memory).fit(X, Y)
    assert sieve.n_features_ == 2
    assert len(rank(X, Y, "weight", SVC(), memory=memory)) == 4


def test_too_little_memory_as_text():
    sieve = SVMSieve(SVC(), n_features_to_select=2, memory="1kB")
    with pytest.raises(ValueError, match="over the memory budget of 1000 B"):
        sieve.fit(X, Y)


def test_an_array_without_masked_values_is_an_array():
    sieve = SVMSieve(SVC(), criterion="weight", n_features_to_select=2)
    order = sieve.fit(X, Y).order_.tolist()
    assert sieve.fit(np.ma.masked_array(X), np.ma.masked_array(Y)).order_.tolist() == order


def test_weights_of_more_classes_than_there_are():
    # as in scikit-learn: of one part of the data, which lacks a class
    weights = {0: 1.0, 1: 2.0, 2: 3.0}
    machine = SVC(class_weight=weights)
    assert SVMSieve(machine, criterion="weight", n_features_to_select=2).fit(X, Y).n_features_ == 2


def test_all_features_as_a_fraction():
    sieve = SVMSieve(SVC(), criterion="weight", n_features_to_select=1.0).fit(X, Y)
    assert sieve.n_features_ == 4


def test_folds_as_masks_and_from_the_end():
    sieve = SVMSieve(SVC(), criterion="weight", n_features_to_select="best")
    masks = [tuple(np.isin(ROWS, half) for half in HALVES)]
    expected = sieve.set_params(cv=[HALVES]).fit(X, Y).path_.fold_scores
    for cv in (masks, [(HALVES[0] - 30, HALVES[1] - 30)], iter([HALVES])):
        np.testing.assert_array_equal(sieve.set_params(cv=cv).fit(X, Y).path_.fold_scores, expected)


@pytest.mark.parametrize("search", ["rfe", "forward"])
def test_scorers_of_decision_values_judge_several_classes(search):
    table, labels = three_classes(n=45, d=3)
    scorer = make_scorer(top_k_accuracy_score, response_method="decision_function", k=1)
    sieve = SVMSieve(SVC(), criterion="weight", n_features_to_select="best", search=search, cv=3)
    by_values = sieve.set_params(scoring=scorer).fit(table, labels).path_.mean_score
    plain = sieve.set_params(scoring="accuracy").fit(table, labels).path_.mean_score
    # Decision values tell equal votes apart, of which the first class wins otherwise.
    np.testing.assert_allclose(by_values[-1], plain[-1], atol=0.1)


def test_a_scorer_that_cannot_judge_the_classes_says_so(trainings):
    table, labels = three_classes(n=45, d=3)
    for scoring in ("roc_auc", make_scorer(roc_auc_score, response_method="decision_function")):
        sieve = SVMSieve(SVC(), n_features_to_select="best", cv=3, scoring=scoring)
        refused(trainings, "cannot judge .* 3 classes", partial(sieve.fit, table, labels))


@pytest.mark.parametrize("estimator", [None, SVC()])
@pytest.mark.parametrize("dtype", [object, "string"])
@pytest.mark.parametrize("missing", [None, NAN, pd.NA])
def test_a_label_that_is_not_there_is_named_by_its_row(estimator, missing, dtype):
    labels = pd.Series(np.where(Y, "a", "b").astype(object))
    labels[3] = missing
    labels = labels.astype(dtype)
    with pytest.raises(ValueError, match="groups of samples have a missing value in row 3"):
        SVMSieve(estimator).fit(X, Y, groups=labels)
    with pytest.raises(ValueError, match="y has a missing value in row 3; drop that row"):
        SVMSieve(estimator).fit(X, labels)


@pytest.mark.parametrize("options", [{"estimator": SVR()}, {"criterion": "sd-gauss"}])
def test_labels_where_numbers_are_predicted_are_refused_with_the_remedy(options):
    with pytest.raises(
        ValueError, match=r"y must be numeric for an SVR.* holds '[ab]'; .* give an SVC"
    ):
        SVMSieve(**options).fit(X, np.where(Y, "a", "b"))


def test_a_single_sample_of_a_class_is_named_with_what_else_the_numbers_may_be():
    ages = np.repeat(np.arange(3), 10)
    ages[0] = 7
    with pytest.raises(ValueError, match=r"class 7 has one: .* give an SVR\(\)"):
        SVMSieve().fit(X, ages)


def test_new_samples_with_a_missing_value_are_refused_by_the_column():
    frame = pd.DataFrame(X, columns=list("abcd"))
    sieve = SVMSieve(SVC(), criterion="f-score", search="once", cv=3).fit(frame, Y)
    frame.loc[2, "b"] = NAN
    with pytest.raises(
        ValueError, match="column 'b' has 1 missing or infinite value, first in row 2"
    ):
        sieve.predict(frame)
    with pytest.raises(ValueError, match="X has no columns"):
        SVMSieve().fit(frame[[]], Y)
