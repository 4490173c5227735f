"""What NumPy would quietly take for something else: masks, dates with a zone, folds that share samples."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.svm import SVC, SVR

from svmsieve import SVMSieve, compare, nested_evaluate, rank
from svmsieve.inputs.feature_groups import make_units

RNG = np.random.default_rng(6)
X = RNG.normal(size=(60, 4))
Y = (X[:, 0] > 0).astype(int)
MASK = np.arange(60) < 5


@pytest.mark.parametrize(
    ("which", "name"), [("X", "X"), ("y", "y"), ("groups", "groups"), ("predict", "X")]
)
def test_a_mask_is_not_forgotten(which, name):
    masked = {
        "X": np.ma.masked_array(X, mask=np.repeat(MASK[:, None], 4, axis=1)),
        "y": np.ma.masked_array(Y, mask=MASK),
        "groups": np.ma.masked_array(np.arange(60) // 2, mask=MASK),
    }
    sieve = SVMSieve(SVC(), n_features_to_select=2).fit(X, Y)
    given = {"X": X, "y": Y, "groups": np.arange(60) // 2}
    if which != "predict":
        given[which] = masked[which]

    def use():
        if which == "predict":
            return sieve.predict(masked["X"])
        return nested_evaluate(sieve, given["X"], given["y"], 3, groups=given["groups"])

    with pytest.raises(ValueError, match=f"^{name} is an array with masked values"):
        use()


@pytest.mark.parametrize("zone", [None, "UTC"])
@pytest.mark.parametrize("use", [rank, SVMSieve(SVC(), n_features_to_select=2).fit])
def test_dates_are_no_numbers_whatever_their_zone(use, zone):
    frame = pd.DataFrame(X, columns=list("abcd")).assign(
        t=pd.date_range("2020", periods=60, tz=zone)
    )
    with pytest.raises(ValueError, match="'t' must hold numbers"):
        use(frame, Y)


def test_folds_must_not_test_on_training_samples():
    rows = np.arange(60)
    for held_out in (rows, rows[:10] - 60):
        with pytest.raises(ValueError, match="cv must not test on training samples; fold 0"):
            SVMSieve(SVC(), cv=[(rows, held_out)]).fit(X, Y)


def test_a_series_of_groups_is_read_by_its_index():
    names = list("abcd")
    series = pd.Series({"d": "p", "a": "p", "b": "q", "c": "q"})
    expected = [unit.tolist() for unit in make_units(series.to_dict(), names)]
    assert [unit.tolist() for unit in make_units(series, names)] == expected == [[0, 3], [1, 2]]
    by_place = pd.Series(["p", "q", "q", "p"])
    assert [unit.tolist() for unit in make_units(by_place, names)] == expected
    assert len(make_units(pd.Series({"a": "p", "d": "p"}), names)) == 3


def test_repeating_the_folds_is_no_evidence():
    y = np.repeat([0, 1], [55, 5])
    Z = np.column_stack([y, 0.01 * RNG.normal(size=60)])
    methods = {"machine": SVC(kernel="linear", C=100.0), "most frequent": DummyClassifier()}
    for n_repeats in (1, 4):
        folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=n_repeats, random_state=0)
        test = compare(methods, Z, y, folds).tests()[0]
        assert test.p_corrected == pytest.approx(2.0**-4)


@pytest.mark.parametrize("call", ["rank", "sieve"])
@pytest.mark.parametrize(
    ("values", "task"),
    [
        (np.arange(5), "classes"),
        (np.arange(5.0), "classes"),
        (1e-3 * np.arange(5), "said"),
        (0.5 * np.arange(5), "said"),
        (np.arange(25), "said"),
        (np.arange(25).astype(str), "classes"),
        (np.arange(100), "numbers"),
        (np.linspace(0.0, 1.0, 100), "numbers"),
    ],
    ids=str,
)
def test_numbers_that_look_like_classes_are_not_taken_for_a_regression_without_a_word(
    values, task, call
):
    X = np.random.default_rng(0).normal(size=(100, 2))
    y = np.resize(values, 100)
    X[:, 0] += np.resize(np.linspace(-3.0, 3.0, len(values)), 100)

    def run(**options):
        if call == "rank":
            return rank(X, y, "correlation", **options)
        sieve = SVMSieve(criterion="correlation", n_features_to_select=1, search="once", **options)
        return sieve.fit(X, y)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = run()
    said = [str(each.message) for each in caught if "taken for a regression" in str(each.message)]
    assert bool(said) == (task == "said")
    if call == "sieve":
        assert hasattr(found, "classes_") == (task == "classes")
    if task == "said":  # a machine settles it
        assert said[0].startswith(f"y holds {len(values)} different numbers, each at least ")
        run(estimator=SVR())
