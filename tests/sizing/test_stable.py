"""The features that half samples agree on."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.svm import SVC, SVR

from svmsieve import Stable, SVMSieve
from svmsieve.search.path import Path
from svmsieve.sizing import Best


def path_of(times, n_kept=0):
    """A path with nothing but how many half samples choose each feature."""
    nothing = np.empty(0)
    times = np.sort(np.array(times))[::-1]
    return Path(n_kept + len(times), *[nothing] * 8, times_chosen=times)


@pytest.mark.parametrize(
    ("p", "expected"), [*product([3, 20], [0.05, 0.5, 1.0, 3.0]), (1000, 0.5), (1000, 3.0)]
)
def test_no_larger_choice_and_no_lower_threshold_keep_the_bound(p, expected):
    rule = Stable(expected)
    chosen, least = rule.n_chosen(p), rule.least(p)
    asked = min(expected, 0.1 * p)
    assert rule.bound(p, chosen, least) <= asked
    assert rule.bound(p, chosen, least - 1) > asked or least == 51
    assert 1 <= chosen <= max(1, p // 2)
    if chosen > 6 and chosen < p // 2:
        assert rule.bound(p, chosen + 1, 60) > asked


def test_selected_are_those_that_enough_halves_choose():
    rule, times = Stable(), np.zeros(50, dtype=int)
    least = rule.least(50)
    times[:5] = [100, 90, least, least - 1, least - 2]
    choice = rule.choose(path_of(times))
    assert choice.size == 3
    assert f"at least {least} of 100 half samples choose, each of them 6 of 50" in choice.reason
    assert "at most 0.98 false expected" in choice.reason
    assert rule.choose(path_of(times, n_kept=2)).size == 5
    nothing = rule.choose(path_of(np.zeros(50, dtype=int)))
    assert nothing.size == 0
    assert nothing.reason.startswith("there is none that at least")


def test_one_feature_is_too_few_to_tell():
    assert Stable().choose(path_of([100])).size == 0
    assert "cannot tell which of 1 feature" in Stable().choose(path_of([100])).reason
    assert Stable().choose(path_of([], n_kept=2)).size == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"expected_false": 0.0}, "expected_false must be a positive number"),
        ({"expected_false": "1"}, "expected_false must be a positive number"),
        ({"expected_false": np.inf}, "expected_false must be a positive number"),
        ({"n_pairs": 5}, "n_pairs must be a whole number from 10"),
        ({"n_pairs": 20.0}, "n_pairs must be a whole number"),
    ],
)
def test_what_is_no_bound_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Stable(**options)


# In the sieve.

QUICK = {"criterion": "f-score", "search": "once", "random_state": 0}


def sieve(estimator=SVC(kernel="linear"), expected=0.5, **options):  # noqa: B008
    return SVMSieve(estimator, n_features_to_select=Stable(expected, 10), **{**QUICK, **options})


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 30))
    X[:, :4] += 1.5 * y[:, None]
    return X, y


def test_the_attributes_agree(data):
    X, y = data
    found = sieve().fit(X, y)
    share, selected = found.selection_frequency_, found.support_
    assert selected[:4].all()
    assert selected.sum() == found.n_features_ <= 5
    assert share.shape == (30,)
    assert share.sum() == pytest.approx(found.n_features_to_select.n_chosen(30))
    assert share[selected].min() > share[~selected].max()
    assert (np.diff(share[found.order_]) <= 0.0).all()
    assert "half samples choose" in found.size_reason_
    assert found.estimator_.n_features_in_ == found.n_features_
    assert list(found.record_.steps) == ["all", *(f"half {h}" for h in range(20))]
    plain = SVMSieve(SVC(), n_features_to_select=3, **QUICK).fit(X, y)
    assert plain.selection_frequency_ is None


def test_the_name_is_the_rule_as_it_is_by_default(data):
    by_name = sieve().set_params(n_features_to_select="stable").fit(*data)
    rule = sieve().set_params(n_features_to_select=Stable(1.0, 50)).fit(*data)
    np.testing.assert_array_equal(by_name.selection_frequency_, rule.selection_frequency_)
    assert by_name.size_reason_ == rule.size_reason_


def test_units_and_names_change_nothing(data):
    X, y = data
    plain = sieve(criterion="weight", search="rfe").fit(X, y)
    scale = 10.0 ** np.random.default_rng(1).integers(-6, 7, 30)
    other = sieve(criterion="weight", search="rfe").fit(
        X * scale + 3 * scale, np.array(["u", "v"])[y]
    )
    np.testing.assert_array_equal(plain.selection_frequency_, other.selection_frequency_)
    y = X[:, :3].sum(axis=1)
    numbers = {"criterion": "auto", "search": "rfe"}
    plain, other = (sieve(None, **numbers).fit(X, values) for values in (y, 1e-6 * y + 1))
    np.testing.assert_array_equal(plain.support_, other.support_)
    np.testing.assert_allclose(plain.selection_frequency_, other.selection_frequency_, atol=0.11)


def test_columns_in_another_order_are_the_same_columns(data):
    X, y = data
    order = np.random.default_rng(2).permutation(30)
    plain, other = sieve().fit(X, y), sieve().fit(X[:, order], y)
    np.testing.assert_array_equal(plain.selection_frequency_[order], other.selection_frequency_)


def test_workers_and_seeds(data):
    one = sieve(None, criterion="auto", search="rfe").fit(*data)
    two = clone(one).set_params(n_jobs=2).fit(*data)
    np.testing.assert_array_equal(one.selection_frequency_, two.selection_frequency_)
    np.testing.assert_array_equal(one.order_, two.order_)
    other = clone(one).set_params(random_state=1).fit(*data)
    assert not np.array_equal(one.selection_frequency_, other.selection_frequency_)


def test_a_killed_run_goes_on(data, tmp_path):
    class StoppedError(Exception):
        pass

    heard = []

    def stop(step):
        heard.append(step)
        if len(heard) == 20:
            raise StoppedError

    options = {"criterion": "weight", "search": "rfe"}
    whole = sieve(**options).fit(*data)
    with pytest.raises(StoppedError):
        sieve(**options, checkpoint=tmp_path / "run.jsonl", callback=stop).fit(*data)
    told = []
    rest = sieve(**options, checkpoint=tmp_path / "run.jsonl", callback=told.append).fit(*data)
    np.testing.assert_array_equal(rest.selection_frequency_, whole.selection_frequency_)
    np.testing.assert_array_equal(rest.order_, whole.order_)
    assert 0 < len(told) < sum(map(len, whole.record_.steps.values()))


def test_groups_of_columns_forced_columns_and_sparse_ones(data):
    X, y = data
    found = sieve(groups=[[0, 1], [10, 11]], keep=[29]).fit(X, y)
    assert found.support_[29]
    assert found.selection_frequency_[29] == 0.0
    assert found.support_[0]
    assert found.support_[1]
    assert found.selection_frequency_[10] == found.selection_frequency_[11]
    assert found.order_[0] == 29
    sparse = sieve(None, criterion="auto", search="rfe").fit(sp.csr_array(X), y)
    assert sparse.support_[:4].all()


def test_a_sample_without_weight_is_as_if_it_were_not_there(data):
    X, y = data
    weight = np.where(np.arange(80) % 3 == 0, 0.0, 1.0)
    present = weight > 0
    weighted = sieve(criterion="weight", search="rfe").fit(X, y, sample_weight=weight)
    plain = sieve(criterion="weight", search="rfe").fit(X[present], y[present])
    np.testing.assert_array_equal(weighted.selection_frequency_, plain.selection_frequency_)


def test_samples_in_groups_and_missing_values(data):
    X, y = data[0].copy(), data[1]
    X[::7, 1] = np.nan
    patients = np.arange(80) // 4
    found = sieve(None, criterion="auto", search="rfe", missing="mean").fit(X, y, groups=patients)
    assert found.support_[[0, 2, 3]].all()


def test_several_classes_and_numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 20))
    classes = np.digitize(X[:, 3] + 0.2 * rng.normal(size=120), [-0.5, 0.5])
    found = SVMSieve(n_features_to_select=Stable(0.5, 10)).fit(X, classes)
    assert found.support_[3]
    assert found.n_features_ <= 2
    found = SVMSieve(n_features_to_select=Stable(0.5, 10)).fit(X, X[:, 3] + X[:, 5] ** 2)
    assert found.support_[[3, 5]].all()
    assert found.n_features_ <= 3
    given = SVMSieve(SVR(), n_features_to_select=Stable(0.5, 10)).fit(X, X[:, 3])
    assert given.support_[3]


def test_a_pair_without_main_effects_is_found():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 40))
    found = SVMSieve(n_features_to_select=Stable(0.5, 10)).fit(X, X[:, 3] * X[:, 11] > 0)
    assert found.support_[[3, 11]].all()
    assert found.n_features_ <= 3


@pytest.mark.parametrize("regression", [False, True])
def test_nothing_is_selected_where_nothing_matters(regression):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 40))
    y = rng.normal(size=60) if regression else np.repeat([0, 1], 30)
    found = sieve(None, expected=0.02, criterion="correlation")
    with pytest.warns(UserWarning, match="No feature is selected: there is none that at least"):
        found.fit(X, y)
    assert found.n_features_ == 0
    assert len(np.unique(found.predict(X))) == 1


@pytest.mark.parametrize("search", ["forward", "hill-climb"])
def test_searches_that_stop_are_refused(data, search):
    with pytest.raises(ValueError, match="'stable' needs a search that ranks all features"):
        sieve(search=search).fit(*data)


class Both(Best):
    """Asks for what does not go together."""

    half_pairs = 10


def test_half_samples_and_folds_do_not_go_together(data):
    with pytest.raises(ValueError, match="nor for half samples"):
        sieve().set_params(n_features_to_select=Both()).fit(*data)


def test_false_ones_stay_within_the_bound_and_true_ones_are_found():
    """Fifteen data sets and a filter, a quick form of the long test in tests/paper."""
    false, true = [], []
    for seed in range(15):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(80, 50)), np.repeat([0, 1], 40)
        X[:, :3] += 1.2 * y[:, None]
        support = sieve(expected=1.0, random_state=seed).fit(X, y).support_
        false.append(support[3:].sum())
        true.append(support[:3].mean())
    assert np.mean(false) <= 1.0 + 2 * np.std(false, ddof=1) / np.sqrt(15)
    assert np.mean(true) > 0.9
