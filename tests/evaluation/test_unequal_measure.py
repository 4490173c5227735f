"""Very unequal classes: every way in has the same measure, and guessing is guessing by it."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GroupKFold, RepeatedStratifiedKFold
from sklearn.svm import SVC, SVR

import svmsieve
from svmsieve import SVMSieve, compare, nested_evaluate, study
from svmsieve.inputs.folds import auto_folds, most_grouped_folds
from svmsieve.inputs.target import make_target
from svmsieve.report.answer import next_step


def _unequal(seed=2, n=90, rare=12):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    X[:rare, 0] += 2.0
    return X, np.where(np.arange(n) < rare, "rare", "common")


def _patients(seed, n_ill, n_patients=30):
    """Three rows of each patient, ill or well."""
    rng = np.random.default_rng(seed)
    patients = np.repeat(np.arange(n_patients), 3)
    y = np.where(patients < n_ill, "ill", "well")
    X = rng.normal(size=(len(y), 4))
    X[:, 0] += 1.5 * (y == "ill")
    return X, y, patients


def test_without_a_word_an_evaluation_goes_by_what_the_sieve_goes_by():
    X, y = _unequal()
    sieve = SVMSieve(SVC(class_weight="balanced"), criterion="f-score", search="once")
    assert (
        sieve.fit(X, y)._scoring == nested_evaluate(sieve, X, y).metric.name == "balanced_accuracy"
    )
    found = compare({"sieve": sieve, "guess": DummyClassifier()}, X, y)
    assert found.metric.name == "balanced_accuracy"
    assert found.evaluations["guess"].mean == 0.5
    half = np.where(np.arange(len(y)) % 2, "a", "b")
    assert nested_evaluate(sieve, X, half).metric.name == "accuracy"
    assert nested_evaluate(SVMSieve(SVR(), criterion="correlation"), X, X[:, 0]).metric.name == "r2"


def _next(sieve, *data, command=None):
    """Run the command that a summary ends with, word by word."""
    command = command or sieve.summary(*data[:2]).splitlines()[-1].strip()
    names = {"svmsieve": svmsieve, "sieve": sieve, "X": data[0], "y": data[1]}
    names |= {"nested_evaluate": nested_evaluate, "groups": data[-1]}
    return eval(command, names | {"RepeatedStratifiedKFold": RepeatedStratifiedKFold})


@pytest.mark.parametrize("scoring", [None, "accuracy", "roc_auc"])
def test_the_next_command_has_the_measure_and_the_groups(scoring):
    X, y = _unequal()
    options = {"criterion": "f-score", "search": "once", "scoring": scoring, "random_state": 0}
    sieve = SVMSieve(SVC(class_weight="balanced"), **options).fit(X, y)
    verdict = _next(sieve, X, y)
    for told in (verdict, sieve.summary(X, y)):
        assert ("balanced error" in str(told)) == (scoring is None)
    X, y, patients = _patients(0, 10)
    sieve = SVMSieve(SVC(), **options).fit(X, y, groups=patients)
    evaluation = nested_evaluate(sieve, X, y, groups=patients, outer_cv=3)
    assert ", groups=groups" in sieve.summary(X, y)
    assert _next(sieve, X, y, patients) is not None
    assert evaluation.n_groups == 30


@pytest.mark.parametrize("n_ill", [2, 3, 4, 5])
@pytest.mark.parametrize("seed", range(3))
def test_folds_of_whole_groups_hold_out_every_class(n_ill, seed):
    X, y, patients = _patients(seed, n_ill)
    target = replace(make_target(y, False, len(y)), groups=patients)
    assert most_grouped_folds(target, patients) == n_ill
    assert all(len(np.unique(y[held_out])) == 2 for _, held_out in auto_folds(target, seed))
    if n_ill > 2:
        sieve = SVMSieve(criterion="f-score", search="once", random_state=seed)
        np.testing.assert_array_equal(sieve.fit(X, y, groups=patients).path_.guess, 0.5)


@pytest.mark.parametrize("n_ill", [3, 4])
def test_a_study_of_few_ill_patients_guesses_by_half(n_ill):
    X, y, patients = _patients(0, n_ill)
    table = pd.DataFrame(X, columns=list("abcd")).assign(state=y, patient=patients)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = study(table, "state", sample_groups="patient", quick=True, jobs=1)
    assert any(f"{n_ill} of them with class 'ill'" in note for note in found.data.notes)
    assert found.evaluation.mean < 0.4  # with quick, too, the machine counts the classes the same
    assert found.result.baselines["guessing"].mean == 0.5


@pytest.mark.filterwarnings("ignore:A single label", "ignore:y_pred contains")  # scikit-learn's
def test_a_measure_of_fewer_classes_in_some_fold_is_warned_of():
    X, y, patients = _patients(0, 3)
    options = {"groups": patients, "outer_cv": GroupKFold(10), "scoring": "ber"}
    with pytest.warns(
        UserWarning, match="of 10 folds of outer_cv hold out no sample of some class, such as ill"
    ):
        nested_evaluate(SVC(), X, y, **options)
    with pytest.warns(
        UserWarning, match="of 5 folds of cv hold out no sample of some class, such as ill"
    ):
        SVMSieve(SVC(), criterion="f-score", search="once", cv=5).fit(X, y, groups=patients)


@pytest.mark.parametrize("seed", range(4))
def test_automatic_folds_of_mixed_groups_are_fewer_where_fewer_hold_out_every_class(seed):
    rows = {0: (10, 3, 0), 1: (10, 0, 2), 2: (8, 4, 1), 3: (20, 0, 0), 4: (5, 1, 3), 5: (7, 2, 2)}
    labels = [
        (code, group) for group, n in rows.items() for code in range(3) for _ in range(n[code])
    ]
    y, groups = np.array(labels).T
    target = replace(make_target(y, False, len(y)), groups=groups)
    assert most_grouped_folds(target, groups) == 4
    assert all(len(np.unique(y[held_out])) == 3 for _, held_out in auto_folds(target, seed))


@pytest.mark.parametrize("n_ill", [3, 4, 7])
def test_the_next_command_divides_few_patients_into_as_many_folds_as_have_all_classes(n_ill):
    X, y, patients = _patients(0, n_ill, n_patients=20)
    sieve = SVMSieve(
        SVC(class_weight="balanced"), criterion="f-score", search="once", random_state=0
    )
    sieve.fit(X, y, groups=patients)
    step = next_step(sieve, None)
    assert "folds" in _next(sieve, X, y, patients, command=step._nested())  # warnings are errors
    assert step._with("repeats", "5").endswith(f"outer_cv={n_ill}, groups=groups)")
    assert step._without("x0").endswith(", y, groups=groups)")
