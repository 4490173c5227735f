"""SVMSieve: the same order as scikit-learn's RFE, honest folds, groups, weights, tuning, tidings."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_regressor
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.feature_selection import RFE
from sklearn.metrics import get_scorer, make_scorer, mean_absolute_error
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

from svmsieve import SVMSieve
from svmsieve.criteria.fspp import FSPP2
from svmsieve.engine.machines.relative_grid import GRID
from svmsieve.search import SEARCHES, Elimination, Forward, HillClimb, Tiers
from svmsieve.search.contract import Step
from svmsieve.sizing import Threshold
from tests import naive
from tests.search.problems import numbers, standardised, three_classes, two_classes

# The order of scikit-learn's RFE --------------------------------------------------------------


def bundled(load):
    return lambda folder: load(return_X_y=True)


def stored(name, columns=slice(None)):
    def read(folder):
        with np.load(folder / f"{name}.npz") as file:
            return file["X"][:, columns].astype(np.float64), file["y"]

    return read


DATA = {
    "breast cancer": (bundled(load_breast_cancer), SVC(C=0.1)),
    "wine, three classes": (bundled(load_wine), SVC(C=0.5)),
    "heart": (stored("ratsch_heart"), SVC(C=0.1)),
    "colon, 60 genes": (stored("colon", slice(100, 160)), SVC(C=0.01)),
    "pima": (stored("pima"), SVC(C=0.5)),
    "glass, six classes": (stored("glass"), SVC(C=1.0)),
    "pyrimidines, numbers": (stored("pyrim"), SVR(C=0.1, epsilon=0.01)),
}


@pytest.fixture
def standard_data(shared_data):
    def read(name):
        load, machine = DATA[name]
        X, y = load(shared_data)
        X = X[:, X.std(axis=0) > 0.0]
        return standardised(X), y, clone(machine).set_params(kernel="linear", tol=1e-6)

    return read


@pytest.mark.parametrize("step", [1, 3, 7])
@pytest.mark.parametrize("name", DATA)
def test_the_order_is_that_of_rfe(standard_data, name, step):
    X, y, machine = standard_data(name)
    theirs = RFE(machine, n_features_to_select=1, step=step).fit(X, y)
    ours = SVMSieve(
        machine, criterion="weight", n_features_to_select=1, step=step, scale=False
    ).fit(X, y)
    left = [set(each.moved) for each in ours.record_.steps["all"]][::-1]
    assert left == [set(np.flatnonzero(theirs.ranking_ == r + 1)) for r in range(len(left))]
    assert ours.support_.tolist() == theirs.support_.tolist()
    if step == 1:
        assert ours.ranking_.tolist() == theirs.ranking_.tolist()


@pytest.mark.parametrize("name", ["wine, three classes", "heart"])
def test_the_machine_of_every_size_is_that_of_rfe(standard_data, name):
    X, y, machine = standard_data(name)
    for n_features in (1, 2, 5, 9, 13):
        theirs = RFE(machine, n_features_to_select=n_features).fit(X, y)
        ours = SVMSieve(
            machine, criterion="weight", n_features_to_select=n_features, step=1, scale=False
        ).fit(X, y)
        assert ours.support_.tolist() == theirs.support_.tolist()
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        np.testing.assert_allclose(ours.estimator_.coef_, theirs.estimator_.coef_)
        selected = (theirs.estimator_.coef_**2).sum(axis=0)
        np.testing.assert_allclose(ours.scores_[ours.support_], selected, rtol=1e-4)


# What is fitted -------------------------------------------------------------------------------


def test_the_attributes_tell_one_story():
    X, y = two_classes(d=7)
    sieve = SVMSieve(SVC(), criterion="fspp2", n_features_to_select=3, step=1).fit(X, y)
    assert sorted(sieve.order_) == list(range(7))
    assert sieve.ranking_[sieve.order_].tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert sieve.support_.tolist() == (sieve.ranking_ <= 3).tolist()
    assert sieve.n_features_ == sieve.n_units_ == sieve.support_.sum() == 3
    assert np.isfinite(sieve.scores_).all()
    assert sieve.path_.n_features.tolist() == [3, 4, 5, 6, 7]
    assert sieve.size_reason_ == "3 features were asked for"
    assert sieve.n_features_in_ == 7
    assert sieve.classes_.tolist() == [0, 1]
    assert isinstance(sieve.estimator_, SVC)
    assert sieve.estimator_.n_features_in_ == 3
    assert [len(steps) for steps in sieve.record_.steps.values()] == [5]


def test_the_machine_is_scikit_learns_on_the_scaled_selected_columns():
    X, y = two_classes(d=6)
    X = 5.0 + X * np.arange(1.0, 7.0)
    sieve = SVMSieve(SVC(C=3.0), n_features_to_select=2).fit(X, y)
    scaler = StandardScaler().fit(X[:, sieve.support_])
    machine = SVC(C=3.0).fit(scaler.transform(X[:, sieve.support_]), y)
    np.testing.assert_allclose(sieve.scale_mean_, scaler.mean_)
    np.testing.assert_allclose(sieve.scale_deviation_, scaler.scale_)
    expected = machine.decision_function(scaler.transform(X[:, sieve.support_]))
    np.testing.assert_allclose(sieve.decision_function(X), expected, rtol=1e-6)
    assert sieve.score(X, y) == machine.score(scaler.transform(X[:, sieve.support_]), y)
    plain = SVMSieve(SVC(C=3.0), n_features_to_select=2, scale=False).fit(X, y)
    assert plain.scale_mean_.tolist() == [0.0, 0.0]
    assert plain.scale_deviation_.tolist() == [1.0, 1.0]


def test_features_without_influence_of_scale():
    X, y = two_classes(d=6)
    sieve = SVMSieve(SVC(), n_features_to_select=1, step=1).fit(X, y)
    other = SVMSieve(SVC(), n_features_to_select=1, step=1).fit(3.0 + X * 2.0 ** np.arange(6), y)
    assert sieve.order_.tolist() == other.order_.tolist()


@pytest.mark.parametrize("criterion", ["weight", "f-score", "hsic"])
def test_permuting_the_columns_permutes_the_ranking(criterion):
    X, y = two_classes(d=8)
    columns = np.random.default_rng(0).permutation(8)
    options = {"criterion": criterion, "n_features_to_select": 1, "step": 1}
    sieve = SVMSieve(SVC(tol=1e-8), **options).fit(X, y)
    permuted = SVMSieve(SVC(tol=1e-8), **options).fit(X[:, columns], y)
    assert permuted.ranking_.tolist() == sieve.ranking_[columns].tolist()


@pytest.mark.parametrize(
    ("search", "form"),
    [
        ("rfe", sp.csr_array),
        ("rfe", sp.csc_matrix),
        ("rfe", sp.coo_array),
        ("once", sp.csr_array),
        ("hill-climb", sp.csr_array),
        ("forward", sp.csr_array),
    ],
)
def test_sparse_and_dense_select_the_same(search, form):
    X, y = two_classes(n=30, d=5)
    X = np.where(np.abs(X) > 0.5, X, 0.0)
    options = {"search": search, "criterion": "weight", "n_features_to_select": 3}
    dense = SVMSieve(SVC(gamma=0.3, tol=1e-8), scale=False, **options).fit(X, y)
    sparse = SVMSieve(SVC(gamma=0.3, tol=1e-8), scale=False, **options).fit(form(X), y)
    assert sparse.order_.tolist() == dense.order_.tolist()
    np.testing.assert_allclose(sparse.scores_, dense.scores_, rtol=1e-6)
    np.testing.assert_array_equal(sparse.predict(form(X)), dense.predict(X))
    # Sparse columns are divided by their deviation, not centred.
    divided = SVMSieve(SVC(gamma=0.3, tol=1e-8), scale=False, **options).fit(X / X.std(axis=0), y)
    scaled = SVMSieve(SVC(gamma=0.3, tol=1e-8), **options).fit(form(X), y)
    assert scaled.order_.tolist() == divided.order_.tolist()
    assert scaled.scale_mean_.tolist() == [0.0] * 3
    np.testing.assert_array_equal(scaled.predict(form(X)), divided.predict(X / X.std(axis=0)))


def test_one_feature_and_all_features():
    X, y = two_classes(d=3)
    one = SVMSieve(SVC(), n_features_to_select="1se", cv=2).fit(X[:, :1], y)
    assert one.support_.tolist() == [True]
    every = SVMSieve(SVC(), n_features_to_select=3).fit(X, y)
    assert every.support_.all()
    assert len(every.record_.steps["all"]) == 1
    assert (np.diff(every.scores_[every.order_]) <= 0.0).all()


def test_columns_that_never_vary_leave_first():
    X, y = two_classes(d=4)
    X = np.column_stack([np.zeros(len(X)), X, np.full(len(X), 1e9)])
    sieve = SVMSieve(SVC(), n_features_to_select=1, step=1).fit(X, y)
    assert set(sieve.order_[-2:]) == {0, 5}
    assert sieve.scores_[[0, 5]].tolist() == [0.0, 0.0]


def test_the_target_decides_criterion_and_machine():
    X, y = two_classes(n=30, d=3)
    assert SVMSieve(SVC(), n_features_to_select=1).fit(X, y).record_.steps["all"][0].gamma
    named = {"auto": SVMSieve(SVC()), "fspp2": SVMSieve(SVC(), criterion="fspp2")}
    orders = [
        s.set_params(n_features_to_select=1).fit(X, y).scores_.tolist() for s in named.values()
    ]
    assert orders[0] == orders[1]
    X, y = numbers(n=30, d=3)
    auto, named = (
        SVMSieve(SVR(), criterion=name, n_features_to_select=1).fit(X, y).scores_.tolist()
        for name in ("auto", "sd-gauss")
    )
    assert auto == named


@pytest.mark.parametrize("machine", [LinearSVC(C=0.2), LinearSVC(loss="hinge"), LinearSVR(C=0.2)])
@pytest.mark.filterwarnings("ignore:Liblinear failed to converge")
def test_linear_machines(machine):
    X, y = numbers(d=5) if isinstance(machine, LinearSVR) else two_classes(d=5)
    sieve = SVMSieve(machine, criterion="weight", n_features_to_select=2, step=1).fit(X, y)
    assert type(sieve.estimator_) is type(machine)
    assert sieve.estimator_.get_params() == machine.get_params()
    assert sieve.n_features_ == 2
    order = RFE(
        SVR(C=0.2, kernel="linear", epsilon=0.0)
        if isinstance(machine, LinearSVR)
        else SVC(C=machine.C, kernel="linear"),
        n_features_to_select=2,
    ).fit(X, y)
    assert sieve.support_.tolist() == order.support_.tolist()


def test_schedules_criteria_and_rules_may_be_objects():
    X, y = two_classes(d=9)
    sieve = SVMSieve(
        SVC(),
        criterion=FSPP2(n_permutations=3),
        search=Elimination(Tiers([(5, 2), (1, 1)])),
        n_features_to_select=Threshold(0.3),
    ).fit(X, y)
    assert sieve.path_.n_features.tolist() == [1, 2, 3, 4, 5, 7, 9]
    assert "0.3 of the largest score" in sieve.size_reason_


@pytest.mark.parametrize(
    ("step", "n_features", "sizes"),
    [
        (1, 8, [8, 9, 10, 11]),
        (4, 2, [2, 3, 7, 11]),
        (0.5, 1, [1, 2, 3, 6, 11]),
        ("auto", 9, [9, 10, 11]),
        (100, 5, [5, 11]),
    ],
)
@pytest.mark.parametrize("search", ["rfe", "once"])
def test_the_schedule_never_goes_below_the_requested_size(search, step, n_features, sizes):
    X, y = two_classes(n=30, d=11)
    sieve = SVMSieve(
        SVC(), criterion="weight", search=search, step=step, n_features_to_select=n_features
    ).fit(X, y)
    assert sieve.path_.n_features.tolist() == sizes
    assert sieve.n_features_ == n_features


# Without an estimator -------------------------------------------------------------------------


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("regression", [False, True])
def test_without_an_estimator_an_rbf_machine_is_tuned(search, regression):
    X, y = numbers(n=22, d=3) if regression else two_classes(n=22, d=3)
    rule = 2 if SEARCHES[search].forward or regression else "best"
    sieve = SVMSieve(search=search, n_features_to_select=rule, cv=2).fit(X, y)
    assert type(sieve.estimator_) is (SVR if regression else SVC)
    assert sieve.score(X, y) > 0.6
    grid_C = 2.0 ** (np.arange(-2, 7) if regression else np.arange(-5, 16, 2))
    if rule == "best":
        assert set(sieve.path_.C) <= set(GRID.C)
        relative = sieve.path_.gamma * sieve.path_.n_features  # the columns' variance is 1
        assert all(np.isclose(GRID.gamma, each).any() for each in relative)
    elif SEARCHES[search].forward:
        assert sieve.estimator_.C in grid_C
        assert len(set(sieve.path_.gamma)) == 1
    else:  # one tuning, γ following the size
        assert np.isin(sieve.path_.C, grid_C).all()
        np.testing.assert_allclose(
            sieve.path_.gamma * sieve.path_.n_features,
            sieve.path_.gamma[0] * sieve.path_.n_features[0],
        )


# Cross-validation that sees nothing it should not ---------------------------------------------


def on_a_standardised_target(machine, y, weight):
    """The machine that learns numbers standardised like these and predicts them in their own units."""
    mean = np.average(y, weights=weight)
    deviation = np.sqrt(np.average((y - mean) ** 2, weights=weight))
    return TransformedTargetRegressor(
        machine,
        func=lambda values: (values - mean) / deviation,
        inverse_func=lambda values: values * deviation + mean,
    )


def hand_written_scores(X, y, machine, folds, step, scoring, weights=None):
    """Scale on the training part, eliminate there, train on the survivors, score on the rest."""
    table = []
    for train, test in folds:
        weight = None if weights is None else weights[train]
        learner = clone(machine)
        if is_regressor(machine):
            learner = on_a_standardised_target(learner, y[train], weight)
        scaler = StandardScaler().fit(X[train], sample_weight=weight)
        X_train, X_test = scaler.transform(X[train]), scaler.transform(X[test])
        left, scores = list(range(X.shape[1])), []
        while True:
            fitted = clone(learner).fit(X_train[:, left], y[train], sample_weight=weight)
            coef = getattr(fitted, "regressor_", fitted).coef_
            judged = {} if weights is None else {"sample_weight": weights[test]}
            scores.append(get_scorer(scoring)(fitted, X_test[:, left], y[test], **judged))
            if len(left) == 1:
                break
            worst = np.argsort((coef**2).sum(axis=0))[: min(step, len(left) - 1)]
            left = np.delete(left, worst).tolist()
        table.append(scores[::-1])
    return np.array(table).T


@pytest.mark.parametrize(
    ("problem", "step", "scoring", "cv"),
    [
        (two_classes, 1, None, StratifiedKFold(4)),
        (two_classes, 2, "roc_auc", StratifiedKFold(3, shuffle=True, random_state=1)),
        (three_classes, 1, "balanced_accuracy", StratifiedKFold(3)),
        (numbers, 1, None, KFold(4)),
        (numbers, 3, make_scorer(mean_absolute_error, greater_is_better=False), KFold(3)),
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_fold_scores_are_those_of_a_hand_written_loop(problem, step, scoring, cv, weighted):
    X, y = problem(d=7)
    X = 3.0 + X * np.arange(1.0, 8.0)
    machine = {"C": 0.5, "kernel": "linear", "tol": 1e-8}
    machine = SVR(**machine) if problem is numbers else SVC(**machine)
    weights = np.random.default_rng(0).integers(1, 4, len(y)).astype(float) if weighted else None
    sieve = SVMSieve(
        machine, criterion="weight", step=step, cv=cv, scoring=scoring, n_features_to_select="best"
    ).fit(X, y, sample_weight=weights)
    default = "r2" if problem is numbers else "accuracy"
    folds = list(cv.split(X, y))
    expected = hand_written_scores(X, y, machine, folds, step, scoring or default, weights)
    np.testing.assert_allclose(sieve.path_.fold_scores, expected, rtol=1e-5)
    best = np.argmax(expected.mean(axis=1).round(10))
    assert sieve.n_features_ == sieve.path_.n_features[best]


def test_folds_of_a_number_are_shuffled_and_stratified():
    X, y = two_classes(d=5)
    machine = SVC(kernel="linear", tol=1e-8)
    sieve = SVMSieve(
        machine, criterion="weight", step=1, cv=3, n_features_to_select="1se", random_state=7
    ).fit(X, y)
    folds = list(StratifiedKFold(3, shuffle=True, random_state=7).split(X, y))
    expected = hand_written_scores(X, y, machine, folds, 1, "accuracy")
    np.testing.assert_allclose(sieve.path_.fold_scores, expected)
    assert "one standard error" in sieve.size_reason_


@pytest.mark.parametrize(
    "sieve",
    [
        SVMSieve(SVC(gamma="scale"), criterion="fspp2"),
        SVMSieve(SVC(gamma="scale"), criterion="f-score", search="once"),
        SVMSieve(None, criterion="weight", step=0.5),
    ],
)
def test_nothing_held_out_is_looked_at(sieve):
    X, y = two_classes(n=36, d=5)
    cv = [(np.arange(0, 24), np.arange(24, 36)), (np.arange(12, 36), np.arange(0, 12))]
    sieve = clone(sieve).set_params(cv=cv, n_features_to_select="best")
    before = clone(sieve).fit(X, y).record_.steps
    changed = X.copy()
    changed[24:] = 7.0 + 100.0 * np.random.default_rng(0).normal(size=(12, 5))
    flipped = y.copy()
    flipped[24:] = 1 - flipped[24:]
    after = clone(sieve).fit(changed, flipped).record_.steps
    seen = [(s.moved, s.scores, s.C, s.gamma) for s in before["0"]]
    assert [(s.moved, s.scores, s.C, s.gamma) for s in after["0"]] == seen
    assert [s.scores for s in after["1"]] != [s.scores for s in before["1"]]


def test_a_fold_may_lack_a_class():
    X, y = three_classes(n=45, d=4)
    odd = np.flatnonzero(y == "oak")
    cv = [(np.setdiff1d(np.arange(45), odd), odd), (np.arange(15, 45), np.arange(15))]
    sieve = SVMSieve(SVC(), criterion="weight", n_features_to_select="best", cv=cv).fit(X, y)
    assert sieve.path_.fold_scores[:, 0].tolist() == [0.0] * 4
    assert sieve.path_.fold_scores[:, 1].min() > 0.0


@pytest.mark.parametrize("criterion", ["f-score", "weight", "fspp2"])
def test_a_class_without_weight_in_a_fold_is_not_there(criterion):
    X, y = three_classes(n=60, d=4)
    train, test = np.arange(45), np.arange(45, 60)
    weight = np.where((y == "oak") & (np.arange(60) < 45), 0.0, 1.0)
    sieve = SVMSieve(SVC(), criterion=criterion, n_features_to_select="best")
    sieve.set_params(cv=[(train, test)]).fit(X, y, sample_weight=weight)
    alone = clone(sieve).set_params(cv=[(train[weight[:45] > 0.0], test)]).fit(X, y)
    moved = [step.moved for step in sieve.record_.steps["0"]]
    assert moved == [step.moved for step in alone.record_.steps["0"]]
    assert sieve.path_.fold_scores.tolist() == alone.path_.fold_scores.tolist()


# How many: rules that look at more than scores ------------------------------------------------


def test_the_bound_is_the_smallest_of_all_sizes():
    X, y = two_classes(n=16, d=4)
    sieve = SVMSieve(
        SVC(C=2.0, kernel="linear", tol=1e-8),
        criterion="weight",
        step=1,
        n_features_to_select="bound",
        scale=False,
    ).fit(X, y)
    expected = []
    for size in range(1, 5):
        columns = np.sort(sieve.order_[:size])
        K = X[:, columns] @ X[:, columns].T + np.eye(16) / 2.0
        hard = SVC(kernel="precomputed", C=1e9, tol=1e-8).fit(K, y)
        c = np.zeros(16)
        c[hard.support_] = hard.dual_coef_[0]
        expected.append(naive.sphere_by_slsqp(K) * (c @ K @ c) / 16)
    np.testing.assert_allclose(sieve.path_.bound, expected, rtol=1e-4)
    assert sieve.n_features_ == 1 + np.argmin(expected)


def test_the_threshold_ends_where_features_matter():
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = rng.normal(size=(80, 6))
    X[:, [1, 4]] += 4.0 * (2 * y - 1)[:, None]
    sieve = SVMSieve(SVC(kernel="linear"), criterion="weight", n_features_to_select="threshold")
    sieve.set_params(step=1).fit(X, y)
    assert sieve.get_support(indices=True).tolist() == [1, 4]


@pytest.mark.parametrize("search", SEARCHES)
def test_a_fraction_is_of_all_features(search):
    X, y = two_classes(n=30, d=10)
    sieve = SVMSieve(SVC(), criterion="weight", search=search, n_features_to_select=0.45).fit(X, y)
    assert sieve.n_features_ == 4


# Groups and kept columns ----------------------------------------------------------------------


def coloured(n=60):
    rng = np.random.default_rng(0)
    colour = rng.integers(0, 3, n)
    frame = pd.DataFrame(rng.normal(size=(n, 4)), columns=["age", "size", "noise", "hum"])
    for value, name in enumerate(["red", "green", "blue"]):
        frame.insert(2 * value, name, (colour == value).astype(float))
    y = (frame["age"] + 2.0 * (colour == 1) + 0.3 * rng.normal(size=n) > 0.7).astype(int)
    return frame, y


COLOURS = ["red", "green", "blue"]
FORMS = {
    "lists": [COLOURS],
    "labels": ["c", "a", "c", "s", "c", "n", "h"],
    "mapping": dict.fromkeys(COLOURS, "colour"),
}


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("rule", [2, "best"])
def test_groups_move_together_and_kept_columns_stay(search, rule):
    X, y = coloured()
    assert list(X.columns) == ["red", "age", "green", "size", "blue", "noise", "hum"]
    sieve = SVMSieve(
        SVC(),
        criterion="weight",
        search=search,
        step=1,
        groups=[COLOURS],
        keep=["hum"],
        n_features_to_select=rule,
        cv=3,
    ).fit(X, y)
    places = np.sort(sieve.ranking_[[0, 2, 4]])
    assert places.tolist() == list(range(places[0], places[0] + 3))
    assert len(set(sieve.support_[[0, 2, 4]])) == 1
    assert len(set(sieve.scores_[[0, 2, 4]])) == 1
    assert sieve.support_[6]
    assert sieve.order_[0] == 6
    assert sieve.path_.n_features.max() <= 5
    assert sieve.path_.n_units == 5
    assert sieve.size_reason_.endswith("(a group counts as one)")
    assert sieve.n_features_ == sieve.n_units_ + (2 if sieve.support_[0] else 0)
    if rule == 2:
        assert sieve.n_units_ == 2
    steps = sieve.record_.steps["all"]
    if SEARCHES[search].forward:
        assert steps[0].moved == [4]
    else:
        assert all(4 not in step.moved for step in steps[:-1])


def test_forms_of_groups_and_names_and_indices_agree():
    X, y = coloured()
    orders = [
        SVMSieve(SVC(), groups=groups, keep=keep, n_features_to_select=2).fit(X, y).order_.tolist()
        for groups, keep in [
            (FORMS["lists"], ["noise"]),
            (FORMS["labels"], [5]),
            (FORMS["mapping"], "noise"),
            ([[0, 2, 4]], [-2]),
        ]
    ]
    assert orders[0] == orders[1] == orders[2] == orders[3]


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("rule", ["best", "1se", 3])
def test_no_rule_takes_fewer_than_those_kept(search, rule):
    X, y = two_classes(n=40, d=8)
    worst = SVMSieve(SVC(kernel="linear"), criterion="weight", n_features_to_select=1, step=1)
    worst = worst.fit(X, y).order_[-3:]
    sieve = SVMSieve(
        SVC(), criterion="weight", search=search, keep=worst, n_features_to_select=rule, cv=2
    ).fit(X, y)
    assert sieve.support_[worst].all()
    assert set(sieve.order_[:3]) == set(worst)


def test_keeping_everything_leaves_nothing_to_choose():
    X, y = two_classes(n=30, d=3)
    sieve = SVMSieve(SVC(), keep=[0, 1, 2], n_features_to_select="best", cv=2).fit(X, y)
    assert sieve.support_.all()


# Tuning on the way ----------------------------------------------------------------------------


def test_retuning_shows_in_the_path_and_in_the_machine():
    X, y = two_classes(n=40, d=8)
    sieve = SVMSieve(
        SVC(C=11.0, gamma=0.123), criterion="weight", step=1, retune=[6, 3], n_features_to_select=2
    ).fit(X, y)
    C, gamma = (
        dict(zip(sieve.path_.n_features, v, strict=True))
        for v in (sieve.path_.C, sieve.path_.gamma)
    )
    assert (C[8], C[7], gamma[8], gamma[7]) == (11.0, 11.0, 0.123, 0.123)
    grid_C, grid_gamma = 2.0 ** np.arange(-5, 16, 2), 2.0 ** np.arange(-15, 4, 2)
    for first, second in ((6, 5), (6, 4), (3, 2)):
        assert C[first] == C[second]
        assert gamma[first] == gamma[second]
        assert C[first] in grid_C
        assert gamma[first] in grid_gamma
    assert sieve.estimator_.C in grid_C
    assert sieve.estimator_.gamma in grid_gamma


@pytest.mark.parametrize(
    ("machine", "tuned"),
    [
        (SVC(C=11.0, kernel="linear"), {"C"}),
        (LinearSVC(C=11.0, random_state=0), {"C"}),
        (SVR(C=11.0, gamma=0.123, epsilon=0.77), {"C", "gamma", "epsilon"}),
    ],
)
@pytest.mark.filterwarnings("ignore:Liblinear failed to converge")
def test_a_retuned_machine_keeps_what_is_not_tuned(machine, tuned):
    X, y = numbers(n=24, d=4) if isinstance(machine, SVR) else two_classes(n=24, d=4)
    sieve = SVMSieve(
        machine, criterion="weight", step=0.5, retune="halving", n_features_to_select=2
    ).fit(X, y)
    before, after = machine.get_params(), sieve.estimator_.get_params()
    assert {name for name in before if before[name] != after[name]} == tuned
    # LIBLINEAR's squared hinge has no ½ before C: half of the engine's.
    grid = 2.0 ** np.arange(-7.0, 16.0)
    assert after["C"] in grid


# Weights --------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["weight", "f-score", "hsic", "fspp2"])
def test_whole_weights_are_copies(criterion):
    X, y = two_classes(n=40, d=6)
    weight = np.random.default_rng(0).integers(0, 4, 40)
    options = {"criterion": FSPP2("all") if criterion == "fspp2" else criterion, "step": 1}
    options["n_features_to_select"] = 2
    weighted = SVMSieve(SVC(gamma=0.2, tol=1e-8), **options).fit(X, y, sample_weight=weight)
    X_copies, y_copies = X.repeat(weight, axis=0), y.repeat(weight)
    copies = SVMSieve(SVC(gamma=0.2, tol=1e-8), **options).fit(X_copies, y_copies)
    if criterion != "fspp2":  # its sigmoid is fitted out of fold, where copies may fall apart
        assert weighted.order_.tolist() == copies.order_.tolist()
        np.testing.assert_allclose(weighted.scores_, copies.scores_, rtol=1e-4)
    np.testing.assert_allclose(
        weighted.scale_mean_.sum(), X_copies[:, weighted.support_].mean(0).sum()
    )
    plain = SVMSieve(SVC(gamma=0.2, tol=1e-8), **options).fit(X, y)
    assert not np.allclose(weighted.scores_, plain.scores_, rtol=1e-3)


def test_weights_reach_the_final_machine():
    X, y = two_classes(n=40, d=3)
    weight = np.where(y == 0, 10.0, 1.0)
    sieve = SVMSieve(SVC(), n_features_to_select=3, scale=False).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(
        sieve.decision_function(X), SVC().fit(X, y, sample_weight=weight).decision_function(X)
    )
    assert sieve.score(X, y, sample_weight=weight) != sieve.score(X, y)


def test_class_weights_are_weights_of_samples():
    X, y = two_classes(n=40, d=6)
    options = {"criterion": "weight", "n_features_to_select": 1, "step": 1, "scale": False}
    of_class = SVMSieve(SVC(gamma=0.2, class_weight={0: 5.0}, tol=1e-8), **options).fit(X, y)
    weight = np.where(y == 0, 5.0, 1.0)
    of_samples = SVMSieve(SVC(gamma=0.2, tol=1e-8), **options).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(of_class.scores_, of_samples.scores_, rtol=1e-6)
    plain = SVMSieve(SVC(gamma=0.2, tol=1e-8), **options).fit(X, y)
    assert not np.allclose(of_class.scores_, plain.scores_, rtol=1e-3)


def test_weights_reach_the_scores_of_a_forward_search():
    X, y = two_classes(n=40, d=3)
    weight = np.linspace(0.5, 3.0, 40)
    search = Forward(cv=2)
    options = {"search": search, "n_features_to_select": 2, "scale": False}
    weighted = SVMSieve(SVC(), **options).fit(X, y, sample_weight=weight)
    plain = SVMSieve(SVC(), **options).fit(X, y)
    assert weighted.path_.fold_scores.tolist() != plain.path_.fold_scores.tolist()
    assert set((plain.path_.fold_scores * 20).round(9).ravel() % 1.0) == {0.0}


# Tidings --------------------------------------------------------------------------------------


@pytest.mark.parametrize("search", [Elimination(1), HillClimb(cv=2), Forward(cv=2)])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_callback_hears_of_every_step(search, n_jobs):
    X, y = two_classes(n=30, d=5)
    heard = []
    sieve = SVMSieve(
        SVC(),
        criterion="weight",
        search=search,
        callback=heard.append,
        n_features_to_select="best",
        cv=2,
        n_jobs=n_jobs,
    ).fit(X, y)
    steps = [step for _, step in sieve.record_]
    assert all(isinstance(step, Step) for step in heard)
    assert len(heard) == len(steps)
    assert all(any(step is each for each in steps) for step in heard)
    assert heard[: len(sieve.record_.steps["all"])] == sieve.record_.steps["all"]


def test_an_error_in_the_callback_is_not_swallowed():
    def fail(step):
        raise RuntimeError("enough")

    X, y = two_classes(n=30, d=5)
    with pytest.raises(RuntimeError, match="enough"):
        SVMSieve(SVC(), n_features_to_select=2, callback=fail).fit(X, y)


def test_nothing_is_printed_unless_asked_for(capfd):
    X, y = two_classes(n=30, d=5)
    SVMSieve(SVC(), n_features_to_select="best", cv=2).fit(X, y)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("search", "counts"),
    [("rfe", "15/15"), ("once", "15/15"), (HillClimb(cv=2, patience=9), "5/?")],
)
def test_a_bar_counts_the_steps(capsys, search, counts):
    X, y = two_classes(n=30, d=5)
    SVMSieve(
        SVC(), criterion="weight", search=search, n_features_to_select="best", cv=2, verbose=1
    ).fit(X, y)
    printed = capsys.readouterr().out
    name = search if isinstance(search, str) else search.name
    assert f"{name}, weight" in printed
    assert counts in printed


def test_the_random_state_may_be_of_any_kind():
    X, y = two_classes(n=30, d=5)
    options = {"criterion": "fspp2", "n_features_to_select": 2}

    def scores(random_state):
        return SVMSieve(SVC(), random_state=random_state, **options).fit(X, y).scores_.tolist()

    assert scores(None) == scores(0) == scores(np.int64(0)) != scores(1)
    for kind in (np.random.RandomState, np.random.default_rng):
        assert scores(kind(3)) == scores(kind(3)) != scores(kind(4))


# Folds and tuning that were given --------------------------------------------------------------


@pytest.mark.parametrize("search", ["forward", "hill-climb"])
def test_searches_that_grow_take_the_folds_they_are_given(search, tmp_path):
    X, y = two_classes(n=40, d=4)
    options = {"search": search, "n_features_to_select": 2, "random_state": 0}
    splitter = KFold(4, shuffle=True, random_state=1)
    listed = list(splitter.split(X))
    scores = [
        SVMSieve(SVC(), cv=cv, **options).fit(X, y).path_.fold_scores for cv in (splitter, listed)
    ]
    assert scores[0].shape[1] == 4
    np.testing.assert_array_equal(scores[0], scores[1])
    file = tmp_path / "run.jsonl"
    SVMSieve(SVC(), cv=splitter, checkpoint=file, **options).fit(X, y)
    with pytest.raises(ValueError, match=r"is of another run: cv \("):
        SVMSieve(SVC(), cv=KFold(4), checkpoint=file, **options).fit(X, y)


def test_a_search_that_tunes_leads_to_a_tuned_machine():
    X, y = two_classes(n=40, d=4)
    options = {"criterion": "weight", "n_features_to_select": 2, "random_state": 0}
    inside = SVMSieve(SVC(), search=Elimination(1, retune=[3]), **options).fit(X, y)
    outside = SVMSieve(SVC(), step=1, retune=[3], **options).fit(X, y)
    assert inside.estimator_.get_params() == outside.estimator_.get_params()
    assert inside.at_size(3, X, y).estimator_.C == outside.at_size(3, X, y).estimator_.C
    assert inside.tuning_ is not None


def test_a_linear_machine_is_tuned_with_its_own_loss():
    X, y = two_classes(n=40, d=4)
    options = {"criterion": "weight", "step": 1, "retune": [4], "n_features_to_select": 2}
    scores = [
        SVMSieve(machine, **options).fit(X, y).tuning_.fold_scores
        for machine in (LinearSVC(dual=False), LinearSVC(loss="hinge"), SVC(kernel="linear"))
    ]
    assert not np.array_equal(scores[0], scores[2])
    np.testing.assert_array_equal(scores[1], scores[2])


def test_C_is_counted_as_the_machine_counts_it():
    X, y = two_classes(n=40, d=4)
    for machine in (LinearSVC(C=0.5, dual=False), LinearSVC(C=0.5, loss="hinge"), SVC(C=0.5)):
        sieve = SVMSieve(machine, criterion="weight", step=1, n_features_to_select=2).fit(X, y)
        assert set(sieve.path_.C) == {0.5}
