"""Sizes at a false-discovery level."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.svm import SVC, SVR

from svmsieve import Criterion, SVMSieve
from svmsieve.criteria.contract import EVERY_TASK
from svmsieve.search.path import Path
from svmsieve.sizing import FDR, Best
from svmsieve.sizing.fdr import estimated_fdp
from tests import naive_evaluation as naive
from tests.evaluation.problems import some_matter


def path_of(is_probe, n_kept=0):
    """A path with nothing but the ranking of features and probes."""
    is_probe = np.array(is_probe, dtype=bool)
    before = np.cumsum(is_probe)[~is_probe]
    nothing = np.empty(0)
    return Path(n_kept + len(before), *[nothing] * 8, probes_before=before)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n_copies", [1, 3])
def test_size_is_the_largest_whose_estimate_is_within_the_level(seed, n_copies):
    rng = np.random.default_rng(seed)
    d = 40
    scores = np.concatenate([rng.normal(2.0, 1.0, 15), rng.normal(size=d - 15 + d * n_copies)])
    is_probe = np.repeat([False, True], [d, d * n_copies])[np.argsort(-scores)]
    for level in (0.05, 0.1, 0.3, 0.9):
        choice = FDR(level, n_copies).choose(path_of(is_probe))
        assert choice.size == naive.largest_size_within(level, is_probe, d)


def test_the_estimate_counts_one_probe_too_many():
    # Ten features, ten probes: none before the ninth gives (1 + 0) · 10/11 / 9.
    assert estimated_fdp(np.zeros(10, dtype=int), 10)[8] == pytest.approx(10 / 11 / 9)


def test_fewer_features_than_the_level_can_tell_are_not_selected():
    nine = [False] * 9 + [True] * 50 + [False] * 41
    assert FDR(0.1, 1).choose(path_of(nine)).size == 0
    assert "fewer than 10 features cannot reach it" in FDR(0.1, 1).choose(path_of(nine)).reason
    ten = [False] * 10 + [True] * 50 + [False] * 40
    assert FDR(0.1, 1).choose(path_of(ten)).size == 10
    # Five copies: 250 probes for 50 features.
    two = [False] * 2 + [True] * 250 + [False] * 48
    assert FDR(0.1, n_copies=5).choose(path_of(two)).size == 2


@pytest.mark.parametrize("level", [0.01, 0.05, 0.1, 0.15, 0.2, 0.3, 0.7, 0.99])
def test_as_many_copies_as_a_single_feature_needs(level):
    for d in (1, 7, 200):
        copies = FDR(level).probe_copies
        alone = [False] + [True] * (copies * d) + [False] * (d - 1)
        assert FDR(level).choose(path_of(alone)).size >= 1
        if copies > 1 and d == 200:
            fewer = [False] + [True] * ((copies - 1) * d) + [False] * (d - 1)
            assert FDR(level, copies - 1).choose(path_of(fewer)).size == 0


def test_forced_features_come_on_top():
    ranked = [False] * 10 + [True] * 50 + [False] * 40
    assert FDR(0.1, 1).choose(path_of(ranked, n_kept=3)).size == 13
    assert FDR(0.01, 1).choose(path_of(ranked, n_kept=3)).size == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 0.0}, "level must be between 0 and 1"),
        ({"level": 5}, "level must be between"),
        ({"level": "0.1"}, "level must be between"),
        ({"n_copies": 0}, "n_copies must be a whole number"),
        ({"n_copies": 1.5}, "n_copies must be a whole number"),
    ],
)
def test_what_is_no_level_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        FDR(**options)


# In the sieve.

LINEAR = SVC(kernel="linear")


def sieve(level=0.1, n_copies=1, **options):
    options = {"criterion": "f-score", "search": "once", "random_state": 0, **options}
    return SVMSieve(LINEAR, n_features_to_select=FDR(level, n_copies), **options)


@pytest.fixture(scope="module")
def data():
    return some_matter(0, d=80, effect=1.5)


def test_the_features_that_matter_are_found(data):
    found = sieve().fit(*data)
    assert found.support_[:20].all()
    assert found.support_[20:].sum() <= 6
    assert found.n_features_ == found.support_.sum() == found.n_units_
    assert "probes rank before" in found.size_reason_
    assert sorted(found.order_) == list(range(80))
    assert set(found.order_[: found.n_features_]) == set(np.flatnonzero(found.support_))
    assert found.estimator_.n_features_in_ == found.n_features_
    assert found.path_.n_features.max() == 80
    assert found.path_.n_units == 80


def test_probes_do_not_change_what_a_filter_thinks_of_features(data):
    plain = SVMSieve(LINEAR, criterion="f-score", search="once", n_features_to_select=5).fit(*data)
    found = sieve().fit(*data)
    np.testing.assert_array_equal(found.order_, plain.order_)
    np.testing.assert_allclose(found.scores_, plain.scores_[:], equal_nan=True)


def test_the_same_seed_gives_the_same_selection(data):
    options = {"criterion": "weight", "search": "rfe", "step": 0.2}
    first, again = (sieve(0.3, **options).fit(*data) for _ in range(2))
    np.testing.assert_array_equal(first.order_, again.order_)
    other = sieve(0.3, **{**options, "random_state": 1}).fit(*data)
    assert not np.array_equal(first.path_.probes_before, other.path_.probes_before)


def test_sizes_along_the_path_are_of_features(data):
    X, y = data
    found = sieve(0.3, criterion="weight", search="rfe", step=1).fit(X, y)
    assert found.path_.n_features.tolist() == list(range(1, 81))
    for size in (1, 17):
        assert found.at_size(size, X, y).estimator_.n_features_in_ == size


def test_a_killed_run_goes_on(data, tmp_path):
    class StoppedError(Exception):
        pass

    def stop(step):
        if step.size < 100:
            raise StoppedError

    options = {"level": 0.4, "criterion": "weight", "search": "rfe", "step": 5}
    whole = sieve(**options).fit(*data)
    with pytest.raises(StoppedError):
        sieve(**options, checkpoint=tmp_path / "run.jsonl", callback=stop).fit(*data)
    again = sieve(**options, checkpoint=tmp_path / "run.jsonl").fit(*data)
    np.testing.assert_array_equal(again.order_, whole.order_)
    np.testing.assert_array_equal(again.path_.probes_before, whole.path_.probes_before)


def test_groups_and_forced_columns(data):
    X, y = data
    found = sieve(groups=[[0, 1, 2], [30, 31]], keep=[79]).fit(X, y)
    assert found.support_[79]
    assert found.support_[:3].all()
    assert found.support_[30] == found.support_[31]
    # 77 units, one of them forced: 76 are tested.
    assert len(found.path_.probes_before) == 76
    assert found.path_.n_units == 77


def test_numbers_as_target():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 60))
    y = X[:, :15].sum(axis=1)
    found = SVMSieve(
        SVR(), criterion="correlation", search="once", n_features_to_select=FDR(0.3)
    ).fit(X, y)
    assert found.support_[:15].mean() > found.support_[15:].mean()


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("estimator", ["given", None])
def test_nothing_is_selected_where_nothing_matters(regression, estimator):
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(40, 6)), np.repeat(["a", "b"], [15, 25])
    if regression:
        y = rng.normal(size=40)
    given = None if estimator is None else (SVR() if regression else SVC())
    found = SVMSieve(
        given,
        criterion="correlation",
        search="once",
        n_features_to_select=FDR(0.05),
    )
    with pytest.warns(UserWarning, match="No feature is selected: no size has an estimated"):
        found.fit(X, y)
    assert found.n_features_ == 0
    assert not found.support_.any()
    with pytest.warns(UserWarning, match="No features were selected"):
        assert found.transform(X).shape == (40, 0)
    constant = np.sort(y)[19] if regression else "b"
    assert (found.predict(X) == constant).all()
    assert np.isfinite(found.score(X, y))
    if not regression:
        assert (found.decision_function(X) == 1.0).all()
        assert found.classes_.tolist() == ["a", "b"]
    assert found.at_size(3, X, y).predict(X).shape == (40,)


class Indifferent(Criterion):
    """Finds all columns equally important."""

    name = "indifferent"
    tasks = EVERY_TASK
    machine = None
    uses_kernel = False
    paper = "none"

    def scores(self, fitted, data):
        return np.ones(data.n_scores)


def test_the_order_is_that_of_the_search_without_probes(data):
    options = {"criterion": "weight", "search": "rfe", "step": 0.2}
    alone = SVMSieve(LINEAR, n_features_to_select=1, random_state=0, **options).fit(*data)
    found = sieve(n_copies=2, **options).fit(*data)
    np.testing.assert_array_equal(found.order_, alone.order_)
    assert list(found.record_.steps) == ["all", *(f"probes {turn}" for turn in range(10))]


def test_a_pair_without_main_effects_is_found():
    """XOR among twenty columns: all copies at once would take the machine over."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 20))
    y = X[:, 3] * X[:, 11] > 0
    found = SVMSieve(SVC(), n_features_to_select=FDR(0.1), step=0.3, random_state=0).fit(X, y)
    assert found.support_[[3, 11]].all()
    assert found.n_features_ <= 3


@pytest.mark.filterwarnings("ignore:No feature is selected")
@pytest.mark.parametrize("search", ["once", "rfe"])
def test_ties_do_not_favour_features_over_probes(data, search):
    shares = []
    for seed in range(40):
        found = sieve(0.9, criterion=Indifferent(), search=search, random_state=seed)
        before = found.fit(*data).path_.probes_before
        shares.append(before.mean() / 80)
    assert abs(np.mean(shares) - 0.5) < 3 * np.std(shares, ddof=1) / np.sqrt(40)
    assert np.mean(shares) > 0.4


@pytest.mark.parametrize("search", ["forward", "hill-climb"])
def test_searches_that_stop_are_refused(data, search):
    with pytest.raises(ValueError, match="needs a search that ranks all features"):
        sieve(search=search).fit(*data)


class Both(Best):
    """Asks for what does not go together."""

    probe_copies = 1


def test_probes_and_folds_do_not_go_together(data):
    with pytest.raises(ValueError, match="probes and for cross-validated scores"):
        SVMSieve(LINEAR, n_features_to_select=Both()).fit(*data)


def test_a_sieve_with_a_level_is_cloned(data):
    again = clone(sieve(0.2, 3))
    assert again.n_features_to_select == FDR(0.2, 3)


def test_false_discoveries_stay_within_the_level():
    """Thirty data sets, a quick form of the long test in tests/paper."""
    shares, power = [], []
    for seed in range(30):
        X, y = some_matter(seed)
        support = sieve(0.2, random_state=seed).fit(X, y).support_
        shares.append(support[20:].sum() / max(1, support.sum()))
        power.append(support[:20].mean())
    assert np.mean(shares) <= 0.2 + 2 * np.std(shares, ddof=1) / np.sqrt(30)
    assert np.mean(power) > 0.9
