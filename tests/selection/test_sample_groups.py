"""Groups of samples: no fold, inner or outer, has a group on both of its sides."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import config_context
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    StratifiedGroupKFold,
    cross_validate,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from svmsieve import SVMSieve
from svmsieve.engine.machines import folds as engine_folds
from svmsieve.engine.machines.folds import grouped_folds, inner_folds
from svmsieve.engine.machines.plan import Plan
from svmsieve.engine.machines.trained import Trained
from svmsieve.engine.machines.tuning import tune_svc
from svmsieve.evaluation import compare, nested_evaluate
from svmsieve.selection.task import Task


def patients(seed=0, n_groups=12, regression=False):
    """Samples whose noise is their patient's: samples of one patient know each other's target."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), rng.integers(3, 7, n_groups))
    rng.shuffle(groups)
    X = rng.normal(size=(len(groups), 4)) + 0.1 * groups[:, None]
    value = X[:, 0] + rng.normal(size=n_groups)[groups]
    y = value if regression else np.where(value > np.median(value), "b", "a")
    return X, y, groups


@pytest.fixture
def seen(monkeypatch):
    """Every split of samples into training and held-out ones, as groups."""
    splits: list[tuple[set[int], set[int], str]] = []

    def note(target_groups, train, held_out, where):
        splits.append((set(target_groups[train]), set(target_groups[held_out]), where))

    problem, plan_tuned = Task.problem, Plan.tuned
    calibration_folds = engine_folds.train_without_folds

    def problem_seen(self, rows, held_out, *others):
        if rows is not None:
            note(self.target.groups, rows, held_out, "folds of the sieve")
        made = problem(self, rows, held_out, *others)
        assert made.target.groups is not None
        assert len(made.target.groups) == len(made.target)
        return made

    def tuned_seen(self, X, target, **options):
        assert target.groups is not None

        def tune(*args, validation, **more):
            for held_out in validation.cv:
                rest = np.delete(np.arange(len(target)), held_out)
                note(target.groups, rest, held_out, "tuning")
            return tune_svc(*args, validation=validation, **more)

        monkeypatch.setattr("svmsieve.engine.machines.plan.tune_svc", tune)
        return plan_tuned(self, X, target, **options)

    def calibration(self, cv=5, seed=0, last=None, original=Trained.calibration):
        def without(machine, K, y, bounds, starts):
            part = next(part for part in self.parts if part.y is y)
            for fold in bounds:  # zero for the samples held out
                rest, held_out = np.flatnonzero(fold), np.flatnonzero(fold == 0.0)
                note(self.target.groups[part.rows], rest, held_out, "Platt")
            return calibration_folds(machine, K, y, bounds, starts)

        monkeypatch.setattr("svmsieve.engine.machines.trained.train_without_folds", without)
        return original(self, cv, seed, last)

    def held_out(self, cv, seed, original=Trained.folds):
        found = original(self, cv, seed)
        for rows in found:
            note(self.target.groups, np.delete(np.arange(len(self.target)), rows), rows, "held-out")
        return found

    monkeypatch.setattr(Task, "problem", problem_seen)
    monkeypatch.setattr(Plan, "tuned", tuned_seen)
    monkeypatch.setattr(Trained, "calibration", calibration)
    monkeypatch.setattr(Trained, "folds", held_out)
    return splits


def whole(splits):
    """Whether no group is on both sides anywhere; and where splits were seen."""
    for train, held_out, where in splits:
        assert train, where
        assert held_out, where
        assert not train & held_out, where
    return {where for *_, where in splits}


@pytest.mark.parametrize(
    "cv", [3, GroupKFold(3), StratifiedGroupKFold(3), LeaveOneGroupOut()], ids=repr
)
def test_the_folds_of_a_sieve_keep_groups_whole(seen, cv):
    X, y, groups = patients(n_groups=8)
    SVMSieve(SVC(), criterion="fspp2", search="once", step=0.5, cv=cv).fit(X, y, groups=groups)
    assert whole(seen) == {"folds of the sieve", "Platt"}


def test_tuning_and_calibration_keep_groups_whole(seen):
    X, y, groups = patients(1)
    sieve = SVMSieve(criterion="fspp2", search="once", step=0.5, cv=2, n_features_to_select="best")
    sieve.fit(X, y, groups=groups)
    assert whole(seen) == {"folds of the sieve", "tuning", "Platt"}
    assert sieve.n_sample_groups_ == 12


def test_held_out_responses_keep_groups_whole(seen):
    from svmsieve.criteria.density import SDGauss

    X, y, groups = patients(2, regression=True)
    criterion = SDGauss(evaluate_on="held-out")
    SVMSieve(SVR(), criterion=criterion, search="once", step=0.5, cv=3).fit(X, y, groups=groups)
    assert whole(seen) == {"folds of the sieve", "held-out"}


@pytest.mark.parametrize("search", ["forward", "hill-climb"])
@pytest.mark.parametrize("regression", [False, True], ids=["classes", "numbers"])
def test_growing_searches_keep_groups_whole(search, regression, monkeypatch):
    X, y, groups = patients(3, regression=regression)
    judged: list[set[int]] = []
    from svmsieve.engine.machines.scoring import DecisionScorer

    def call(self, decisions, rows, *rest, original=DecisionScorer.__call__):
        judged.append(set(groups[rows]))
        return original(self, decisions, rows, *rest)

    monkeypatch.setattr(DecisionScorer, "__call__", call)
    machine = SVR() if regression else SVC()
    sieve = SVMSieve(machine, search=search, cv=3, n_features_to_select=2).fit(X, y, groups=groups)
    assert len(judged) >= 6
    folds = {frozenset(fold) for fold in judged}
    assert len(folds) == 3
    assert sorted(group for fold in folds for group in fold) == list(range(12))
    assert sieve.path_.fold_scores.shape[-1] == 3


def test_folds_of_groups_are_whole_for_any_groups():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(20, 60))
        groups = rng.integers(int(rng.integers(6, 15)), size=n)
        labels = None if seed % 2 else rng.integers(2, size=n)
        for n_folds in (2, 3, 5):
            folds = grouped_folds(groups, n_folds, seed, labels)
            assert len(folds) == n_folds
            assert sorted(np.concatenate(folds).tolist()) == list(range(n))
            sides = [set(groups[fold]) for fold in folds]
            assert sum(map(len, sides)) == len(set(groups))


def test_folds_of_groups_are_stratified_where_groups_allow():
    """Equal groups of one class each: every fold holds as many of each class, whatever the shuffling."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n_folds, n_classes, size = (int(each) for each in rng.integers(2, 5, 3))
        of_group = rng.permutation(np.repeat(np.arange(n_classes), 3 * n_folds))
        groups = rng.permutation(np.repeat(np.arange(len(of_group)), size))
        folds = grouped_folds(groups, n_folds, seed, of_group[groups])
        for fold in folds:
            assert np.bincount(of_group[groups[fold]]).tolist() == n_classes * [3 * size]
        assert {*map(tuple, folds)} != {
            *map(tuple, grouped_folds(groups, n_folds, seed + 1, of_group[groups]))
        }


def test_the_seed_shuffles_and_the_names_do_not():
    X, y, groups = patients(n_groups=10)
    sieve = SVMSieve(SVC(), criterion="f-score", search="once", cv=3)

    def scores(labels, seed=0):
        return (
            sieve.set_params(random_state=seed).fit(X, y, groups=labels).path_.fold_scores.tolist()
        )

    names = np.array(list("qwertzuiop"))[groups]
    assert scores(groups) == scores(names) == scores(100 - groups)
    assert scores(groups) != scores(groups, seed=1)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (lambda g: g[:-1], r"groups of samples must have shape \(\d+,\), one for each row of X"),
        (lambda g: g[:, None], "groups of columns are given to the constructor"),
        (lambda g: [None, *g[1:]], "groups of samples have a missing value in row 0"),
        (lambda g: np.where(g == g[4], np.nan, g), "groups of samples have a missing value in row"),
        (lambda g: g * 0, "groups of samples must be at least two"),
        (lambda g: g % 2, "cv=3 folds need at least 3 groups of samples, got 2; lower cv"),
    ],
)
def test_bad_groups_of_samples_are_refused(groups, message):
    X, y, labels = patients()
    for call in (
        lambda bad: SVMSieve(SVC(), cv=3).fit(X, y, groups=bad),
        lambda bad: nested_evaluate(DummyClassifier(), X, y, 3, groups=bad),
    ):
        with pytest.raises(ValueError, match=message):
            call(groups(labels))


def test_a_class_in_one_group_is_refused():
    X, _, groups = patients()
    y = np.where(groups == 3, "rare", "often")
    with pytest.raises(ValueError, match="leave nothing of a class to train on"):
        SVMSieve(SVC(), cv=3).fit(X, y, groups=groups)
    labels = (groups == 3).astype(int)
    with pytest.warns(UserWarning, match="too few groups of samples hold all classes"):
        assert inner_folds(groups, 5, 0, labels) is None


def test_folds_that_split_groups_are_told():
    X, y, groups = patients()
    split = KFold(3, shuffle=True, random_state=0)
    sieve = SVMSieve(SVC(), criterion="f-score", search="once")
    with pytest.warns(UserWarning, match=r"^cv splits 1?\d of the 12 groups of samples"):
        sieve.set_params(cv=split).fit(X, y, groups=groups)
    with pytest.warns(UserWarning, match=r"^outer_cv splits 1?\d of the 12 groups of samples"):
        found = nested_evaluate(DummyClassifier(), X, y, list(split.split(X)), groups=groups)
    assert found.n_groups is None
    assert nested_evaluate(DummyClassifier(), X, y, 3, groups=groups).n_groups == 12
    assert nested_evaluate(DummyClassifier(), X, y, 3).n_groups is None


class Recorder(SVMSieve):
    """Notes the groups that each fit is given."""

    given: list = []  # noqa: RUF012

    def fit(self, X, y, sample_weight=None, groups=None):
        self.given.append(None if groups is None else np.asarray(groups))
        assert groups is None or len(groups) == len(X)
        return super().fit(X, y, sample_weight, groups)


@pytest.fixture
def recorder():
    Recorder.given.clear()
    return Recorder(SVC(), criterion="f-score", search="once", cv=2)


@pytest.mark.parametrize("kind", ["sieve", "pipeline"])
def test_outer_folds_keep_groups_whole_and_hand_them_on(recorder, kind):
    X, y, groups = patients()
    method = recorder if kind == "sieve" else Pipeline([("s", StandardScaler()), ("m", recorder)])
    found = compare({"it": method, "guess": DummyClassifier()}, X, y, 3, groups=groups)
    tests = [fold.test for fold in found.evaluations["it"].folds]
    assert sum(len(set(groups[rows])) for rows in tests) == 12
    assert len(recorder.given) == 3
    for rows, given in zip(tests, recorder.given, strict=True):
        left = np.delete(groups, rows)
        same_group = given[:, None] == given[None, :]
        assert (same_group == (left[:, None] == left[None, :])).all()


def test_metadata_routing_in_cross_validate_grid_search_and_pipeline(recorder):
    X, y, groups = patients()
    with config_context(enable_metadata_routing=True):
        unset = Recorder(SVC(), cv=2)
        with pytest.raises(UnsetMetadataPassedError):
            cross_validate(unset, X, y, cv=GroupKFold(3), params={"groups": groups})
        recorder.set_fit_request(groups=True)
        done = cross_validate(recorder, X, y, cv=GroupKFold(3), params={"groups": groups})
        assert len(done["test_score"]) == 3
        assert len(recorder.given) == 3
        for given in recorder.given:
            assert len(set(given)) < 12
        pipeline = make_pipeline(StandardScaler(), recorder)
        search = GridSearchCV(
            pipeline, {"recorder__n_features_to_select": [1, 2]}, cv=GroupKFold(2)
        )
        recorder.given.clear()
        search.fit(X, y, groups=groups)
        assert len(recorder.given) == 5
        assert recorder.given[-1].tolist() == groups.tolist()
        recorder.given.clear()
        nested_evaluate(search, X, y, 2, groups=groups)
        assert len(recorder.given) == 10
        assert all(given is not None for given in recorder.given)


def test_a_search_without_routing_gets_the_groups_for_its_folds():
    X, y, groups = patients()
    search = GridSearchCV(SVC(), {"C": [1.0, 10.0]}, cv=GroupKFold(2))
    assert nested_evaluate(search, X, y, 2, groups=groups).n_groups == 12


def test_another_grouping_is_another_run(tmp_path):
    X, y, groups = patients()
    sieve = SVMSieve(SVC(), criterion="f-score", search="once", cv=2, checkpoint=tmp_path / "run")
    sieve.fit(X, y, groups=groups)
    sieve.fit(X, y, groups=[f"patient {group}" for group in groups])  # the same, renamed
    for other in (None, groups // 2):
        with pytest.raises(ValueError, match=r"another run: sample_groups \("):
            sieve.fit(X, y, groups=other)
    options = {"outer_cv": 2, "checkpoint": tmp_path / "evaluation"}
    nested_evaluate(DummyClassifier(), X, y, groups=groups, **options)
    with pytest.raises(ValueError, match=r"another run: groups \("):
        nested_evaluate(DummyClassifier(), X, y, groups=groups // 2, **options)


def test_scores_of_groups_are_honest():
    """Where a group's samples share their target, folds of samples see it and folds of groups do not."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 6)
    X = rng.normal(size=(20, 5))[groups] + 0.01 * rng.normal(size=(120, 5))
    y = rng.permutation(np.arange(20) % 2)[groups]
    sieve = SVMSieve(SVC(C=100.0, gamma=1.0), criterion="f-score", search="once", cv=4)
    assert sieve.fit(X, y).path_.mean_score.max() > 0.95
    assert sieve.fit(X, y, groups=groups).path_.mean_score.max() < 0.8
    assert nested_evaluate(sieve, X, y, 4, groups=groups).mean < 0.8
